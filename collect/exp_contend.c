/* contend: which lines share a slice. All SMs hammer two lines at once; two lines of one slice wait for each other.
 *
 * test=search labels blocks by pivots: the first block without a label is hammered against itself and every other such
 * block; those as slow as the pivot against itself share its slice. The limit lies in the widest gap below the pivot's own
 * time, so that it fits the pivots that see one mode only; what may be the same is measured four times more. Blocks that
 * were a little faster with their pivot than most are hammered against every pivot at the end, for some lines of a partner
 * slice are nearly as slow (phase settle). Without a list of blocks, neighbouring lines of a few places are compared first to find the grain, the largest block in one slice; then
 * half of the blocks follow each other by the grain, a quarter is spread over the first page, and a quarter over all.
 * test=pairs hammers the pairs of a list. test=thread is the textbook test, one thread alternating between two lines: it
 * cannot fill a slice, so on a large chip it shows the mean of two latencies and nothing else. */
#include "access.h"
#include "buffer.h"
#include "contention.h"
#include "experiment.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/split.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 16, PLACE_LINES = 64, STRANGERS = 64, CONFIRM = 4, ALTERNATE = 512 };
#define PAGE (2ull << 20)

static const struct param params[] = {
    {"op", PARAM_WORD, "cg", "cg|atom",
     "loads (a slice and its partners on other sides answer alike) or atomics", 0, 0},
    {"test", PARAM_WORD, "search", "search|pairs|thread",
     "label blocks by pivots; hammer a list of pairs; one thread alternates", 0, 0},
    {"lines", PARAM_SIZES, "auto", "bytes",
     "offsets: blocks, or the two lines of each pair in turn; - reads standard input", 0, 1e12},
    {"count", PARAM_U64, "512", "", "blocks, or pairs of random lines, without a list", 2, 100000},
    {"spacing", PARAM_SIZE, "auto", "bytes",
     "from block to block; auto: the grain, which is searched", 8, 1e12},
    {"line", PARAM_SIZE, "128", "bytes", "smallest step between two lines", 8, 65536},
    {"buffer", PARAM_SIZE, "auto", "bytes",
     "memory allocated, for random lines; auto: 256M, half of the memory at most", 8192, 1e12},
    {"accesses", PARAM_U64, "64", "", "by each warp, of one pair", 1, 1e6},
    {"warps", PARAM_U64, "32", "", "of each SM", 1, 32},
    {"reps", PARAM_U64, "1", "", "of each pair", 1, 1000},
    {"sm", PARAM_U64, "0", "", "of test=thread", 0, 65535},
    {0},
};

struct contend {
    struct run *r;
    const char *op, *test;
    enum l2_kind kind;
    uint64_t buffer, line, spacing, accesses, warps, reps;
    double other; /* the fastest that pairs were seen: different slices */
    uint64_t *a, *b;
    double *cycles; /* room for `room` pairs */
    size_t room;
};

/* Blocks under way to a label. */
struct labels {
    const uint64_t *block;
    size_t n;
    double *took; /* with its pivot; 0: no label yet, 1: a pivot */
};

enum { UNLABELLED, PIVOT };
static const double close_gap =
    0.04; /* of the fastest pairs: what sets a block apart from others that are slow */

static void put(const struct contend *c, const char *phase, size_t k, uint64_t rep, double cycles)
{
    struct out *o = c->r->out;

    out_str(o, "contend");
    out_str(o, c->op);
    out_str(o, c->test);
    out_str(o, phase);
    out_u64(o, c->accesses);
    out_u64(o, c->warps);
    out_u64(o, c->a[k]);
    out_u64(o, c->b[k]);
    out_u64(o, c->a[k]);
    out_u64(o, rep);
    out_round(o, cycles, 7);
    out_row(o);
}

/* Hammers n pairs of a[] and b[] `reps` times, rep numbers from `rep`; cycles[] becomes each pair's median. */
static int hammer(struct contend *c, const char *phase, size_t n, uint64_t rep, uint64_t reps)
{
    struct device *d = c->r->dev;
    struct hammer h = {.kind = c->kind,
                       .a = c->a,
                       .b = c->b,
                       .npair = n,
                       .accesses = (uint32_t)c->accesses,
                       .warps = (uint32_t)c->warps};
    double *all = xmalloc((n * reps + 1) * sizeof *all), *sample = xmalloc(reps * sizeof *sample);
    int rc = 0;

    for (uint64_t k = 0; k < reps && rc == 0; k++) {
        rc = d->ops->hammer(d, &h, all + k * n);
        for (size_t i = 0; i < n && rc == 0; i++)
            put(c, phase, i, rep + k, all[k * n + i]);
    }
    for (size_t i = 0; i < n && rc == 0; i++) {
        for (uint64_t k = 0; k < reps; k++)
            sample[k] = all[k * n + i];
        c->cycles[i] = split_median(sample, reps);
    }
    free(all);
    free(sample);
    return rc;
}

static void make_room(struct contend *c, size_t n)
{
    if (n <= c->room)
        return;
    c->a = xrealloc(c->a, n, sizeof *c->a);
    c->b = xrealloc(c->b, n, sizeof *c->b);
    c->cycles = xrealloc(c->cycles, n, sizeof *c->cycles);
    c->room = n;
}

static double limit_of(struct contend *c, size_t n)
{
    return contention_limit(c->cycles, n, &c->other);
}

static uint64_t random_line(struct contend *c, uint64_t bytes)
{
    return rng_below(&c->r->rng, bytes / c->line) * c->line;
}

/* Largest multiple of the line that divides 19 of 20 of the boundaries; `most` when there is none. */
static uint64_t common_step(const uint64_t *boundary, size_t n, uint64_t line, uint64_t most)
{
    for (uint64_t g = most / line * line; g > line; g -= line) {
        size_t fit = 0;

        for (size_t i = 0; i < n; i++)
            fit += boundary[i] % g == 0;
        if (n > 0 && fit * 20 >= n * 19)
            return g;
    }
    return n > 0 ? line : most;
}

/* Compares neighbouring lines at a few places; strangers show what different slices look like. */
static int find_grain(struct contend *c)
{
    uint64_t span = PLACE_LINES * c->line, boundary[PLACES * PLACE_LINES];
    size_t n = 1, found = 0;
    double limit;

    make_room(c, 1 + STRANGERS + PLACES * PLACE_LINES);
    c->a[0] = c->b[0] = random_line(c, c->buffer);
    for (; n <= STRANGERS; n++) {
        c->a[n] = random_line(c, c->buffer);
        c->b[n] = random_line(c, c->buffer);
    }
    for (size_t p = 0; p < PLACES; p++) {
        uint64_t base = rng_below(&c->r->rng, c->buffer / span) * span;

        for (size_t i = 0; i < PLACE_LINES && base + (i + 1) * c->line < c->buffer; i++, n++) {
            c->a[n] = base + i * c->line;
            c->b[n] = c->a[n] + c->line;
        }
    }
    if (hammer(c, "neighbour", n, 0, c->reps) != 0)
        return -1;
    limit = limit_of(c, n);
    for (size_t i = 1 + STRANGERS; i < n; i++)
        if (c->cycles[i] < limit)
            boundary[found++] = c->b[i];
    c->spacing = common_step(boundary, found, c->line, span);
    return 0;
}

/* Blocks in a row, lines at random in the first page, lines at random in all: half, a quarter, a quarter. */
static void choose_blocks(struct contend *c, uint64_t *block, size_t n)
{
    uint64_t page = c->buffer < PAGE ? c->buffer : PAGE;

    for (size_t i = 0; i < n; i++)
        if (i < n / 2 && (i + 1) * c->spacing <= c->buffer)
            block[i] = i * c->spacing;
        else
            block[i] = random_line(c, i < n - n / 4 ? page : c->buffer);
}

/* Measures the pivot with itself and all that are in the upper half between the fastest pairs and that once more, CONFIRM
 * times, and labels those that are above the limit then. Row 0 is the pivot with itself. */
static int label_same(struct contend *c, const size_t *index, size_t n, struct labels *l)
{
    double limit = limit_of(c, n), half = c->other + (c->cycles[0] - c->other) / 2;
    size_t *who = xmalloc((n + 1) * sizeof *who), m = 0;
    int rc;

    half = limit < half ? limit : half;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || c->cycles[i] > half) {
            c->b[m] = c->b[i];
            who[m++] = index[i];
        }
    rc = hammer(c, "confirm", m, c->reps, CONFIRM);
    limit = rc == 0 ? limit_of(c, m) : 0;
    for (size_t i = 0; i < m && rc == 0; i++)
        if (c->cycles[i] > limit)
            l->took[who[i]] = c->cycles[i];
    l->took[who[0]] = PIVOT;
    free(who);
    return rc;
}

/* The time with its pivot that sets the blocks of doubtful labels, which are faster, apart from the bulk; 0: none are. */
static double doubt_limit(const struct contend *c, const struct labels *l)
{
    double *v = xmalloc((l->n + 1) * sizeof *v), limit = 0;
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++)
        if (l->took[i] > PIVOT)
            v[n++] = l->took[i];
    if (n > 0) {
        qsort(v, n, sizeof *v, split_order);
        limit = split_bulk(v, n, close_gap * c->other, 0);
    }
    free(v);
    return limit;
}

/* Hammers the blocks of doubtful labels against every pivot. */
static int settle(struct contend *c, const struct labels *l)
{
    double limit = doubt_limit(c, l);
    int rc = 0;

    for (size_t i = 0; i < l->n && rc == 0 && !run_stopped(); i++) {
        size_t m = 0;

        if (l->took[i] <= PIVOT || l->took[i] >= limit)
            continue;
        for (size_t k = 0; k < l->n; k++)
            if (l->took[k] == PIVOT) {
                c->a[m] = l->block[k];
                c->b[m++] = l->block[i];
            }
        rc = hammer(c, "settle", m, 0, c->reps);
    }
    return rc;
}

/* Hammers the first block without a label against itself and all others without; index[] of these, *n of them. */
static int try_pivot(struct contend *c, const struct labels *l, size_t *index, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->took[i] == UNLABELLED) {
            c->a[*n] = l->block[*n == 0 ? i : index[0]];
            c->b[*n] = l->block[i];
            index[(*n)++] = i;
        }
    return *n == 0 ? 0 : hammer(c, "search", *n, 0, c->reps);
}

static int search(struct contend *c, const uint64_t *block, size_t n)
{
    struct labels l = {block, n, xcalloc(n + 1, sizeof *l.took)};
    size_t *index = xmalloc((n + 1) * sizeof *index), left, blind = 0;
    int rc;

    make_room(c, n + 1);
    while ((rc = try_pivot(c, &l, index, &left)) == 0 && left > 0 && !run_stopped()) {
        if (c->cycles[0] <= CONTENTION_SEEN * c->other && ++blind == 3) {
            run_warn(c->r,
                     "a line hammered twice takes no longer than two lines (%.4g and %.4g cycles): "
                     "too few SMs "
                     "or warps to fill a slice; contention shows nothing here",
                     c->cycles[0], c->other);
            break;
        }
        if ((rc = label_same(c, index, left, &l)) != 0)
            break;
        run_progress(c->r, (double)(n - left), (double)n);
    }
    if (rc == 0 && blind < 3)
        rc = settle(c, &l);
    free(l.took);
    free(index);
    return rc;
}

/* One thread goes back and forth between the lines of each pair. */
static int alternate(struct contend *c, size_t n)
{
    struct device *d = c->r->dev;
    l2_access list[ALTERNATE];
    uint32_t took[ALTERNATE];

    for (size_t k = 0; k < n && !run_stopped(); k++) {
        for (size_t i = 0; i < ALTERNATE; i++)
            list[i] = l2_access_of(c->kind, i % 2 == 0 ? c->a[k] : c->b[k], 0);
        for (uint64_t rep = 0; rep < c->reps; rep++) {
            double sum = 0;

            if (d->ops->walk(d, (int)param_u64(c->r, "sm"), list, ALTERNATE, took) != 0)
                return -1;
            for (size_t i = ALTERNATE / 8; i < ALTERNATE; i++)
                sum += took[i];
            put(c, "thread", k, rep, sum / (ALTERNATE - ALTERNATE / 8));
        }
        run_progress(c->r, (double)(k + 1), (double)n);
    }
    return 0;
}

static int pairs(struct contend *c, const uint64_t *list, size_t n)
{
    size_t npair = list == NULL ? param_u64(c->r, "count") : n / 2;

    make_room(c, npair);
    for (size_t i = 0; i < npair; i++) {
        c->a[i] = list == NULL ? random_line(c, c->buffer) : list[2 * i];
        c->b[i] = list == NULL ? random_line(c, c->buffer) : list[2 * i + 1];
    }
    return strcmp(c->test, "thread") == 0 ? alternate(c, npair)
                                          : hammer(c, "pairs", npair, 0, c->reps);
}

static int search_auto(struct contend *c)
{
    size_t n = param_u64(c->r, "count");
    uint64_t *block;
    int rc;

    if (param_auto(c->r, "spacing") && find_grain(c) != 0)
        return -1;
    block = xmalloc(n * sizeof *block);
    choose_blocks(c, block, n);
    rc = search(c, block, n);
    free(block);
    return rc;
}

static int run_lines(struct contend *c)
{
    struct device *d = c->r->dev;
    size_t n = 0;
    const uint64_t *list = param_auto(c->r, "lines") ? NULL : param_sizes(c->r, "lines", &n);
    int searches = strcmp(c->test, "search") == 0;

    for (size_t i = 0; i < n; i++)
        if (list[i] + 8 > c->buffer)
            return run_misfit(c->r, "line %" PRIu64 " is outside of buffer=%s", list[i],
                              cli_size(c->buffer));
    if (!searches && n % 2 != 0)
        return run_misfit(c->r, "lines: %zu offsets are no pairs", n);
    if (c->buffer / c->line < 2 * PLACE_LINES ||
        (!param_auto(c->r, "spacing") && c->spacing > c->buffer))
        return device_fail(d, "buffer=%s is too small", cli_size(c->buffer));
    if (param_u64(c->r, "sm") >= d->info.sms)
        return device_fail(d, "sm=%" PRIu64 ": the device has %u SMs", param_u64(c->r, "sm"),
                           d->info.sms);
    if (buffer_make(c->r) != 0)
        return -1;
    if (!searches)
        return pairs(c, list, n);
    return list == NULL ? search_auto(c) : search(c, list, n);
}

static int run_contend(struct run *r)
{
    struct contend c = {
        .r = r,
        .op = param_text(r, "op"),
        .test = param_text(r, "test"),
        .kind = (enum l2_kind)access_kind(param_text(r, "op")),
        .buffer = buffer_bytes(r),
        .line = param_u64(r, "line"),
        .spacing = param_auto(r, "spacing") ? 0 : param_u64(r, "spacing"),
        .accesses = param_u64(r, "accesses"),
        .warps = param_u64(r, "warps"),
        .reps = param_u64(r, "reps"),
    };
    int rc = run_lines(&c);

    free(c.a);
    free(c.b);
    free(c.cycles);
    return rc;
}

const struct experiment exp_contend = {
    .name = "contend",
    .summary = "which lines share a slice: all SMs hammer two lines",
    .columns = "exp op test phase accesses warps a b pivot rep cycles",
    .params = params,
    .run = run_contend,
};
