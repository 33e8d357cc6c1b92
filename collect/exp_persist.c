/* persist: how much of an access-policy window stays in L2 after a stream of several times the L2, against the window's size
 * and the set-aside for persisting accesses.
 *
 * A trial resets persisting lines, flushes the cache by the stream, puts a window over `size` bytes, loads them twice from all SMs, takes
 * the window away, reads `stream` bytes of other memory, and times a sample of the window's lines from one SM. Cases: kept
 * (so), loaded (without the stream: a control that hits), plain (without the window: a control that misses). Set-aside and
 * persisting lines are put back at the end, after an error and an interruption, too. */
#include "experiment.h"
#include "sizes.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 128, CASES = 3, LOADS = 2, BINS = 4096 };
static const char *const case_names[CASES] = {"kept", "loaded", "plain"};

static const struct param params[] = {
    {"persist", PARAM_SIZES, "auto", "bytes",
     "set-asides; auto: none, a half and all of what the device allows", 0, 1e12},
    {"size", PARAM_SIZES, "auto", "bytes", "windows; auto: 1/16 to 1 of the L2, in doublings", LINE,
     1e12},
    {"ratio", PARAM_DOUBLE, "1", "", "share of the window's accesses that persist", 0, 1},
    {"stream", PARAM_SIZE, "auto", "bytes", "read after the window; auto: 4 x L2", LINE, 1e12},
    {"sample", PARAM_U64, "256", "lines", "lines of the window that are timed", 1, 65536},
    {"reps", PARAM_U64, "2", "", "times each case", 1, 1e6},
    {"sm", PARAM_U64, "0", "", "the SM that times", 0, 1e4},
    {0},
};

struct bench {
    uint64_t persist, size, stream, from; /* the stream's first byte */
    double ratio;
    size_t n;
    int sm;
    l2_access *list;
    uint32_t *cycles, *order, bins[BINS];
};

/* The values of a list, or of its "auto": `whole` times 1/first, in steps of `by`. */
static void add_parts(struct sizes *s, uint64_t whole, unsigned first, unsigned by)
{
    for (unsigned part = first; part >= 1; part /= by)
        sizes_add(s, whole / part / LINE * LINE);
}

static void choose(const struct run *r, const char *name, struct sizes *s)
{
    size_t n;
    const uint64_t *given = param_sizes(r, name, &n);

    if (param_auto(r, name) && strcmp(name, "size") == 0) {
        add_parts(s, r->dev->info.l2_bytes, 16, 2);
    } else if (param_auto(r, name)) {
        sizes_add(s, 0);
        add_parts(s, r->dev->info.persist_max, 2, 2);
    } else {
        for (size_t i = 0; i < n; i++)
            sizes_add(s, given[i]);
    }
}

static void write_rows(struct run *r, const struct bench *b, int what, uint64_t rep)
{
    struct out *o = r->out;

    for (uint32_t c = 0; c < BINS; c++) {
        if (b->bins[c] == 0)
            continue;
        out_str(o, "persist");
        out_u64(o, b->persist);
        out_u64(o, b->size);
        out_double(o, b->ratio);
        out_u64(o, b->stream);
        out_str(o, case_names[what]);
        out_i64(o, b->sm);
        out_u64(o, rep);
        out_u64(o, c);
        out_u64(o, b->bins[c]);
        out_row(o);
    }
}

static int read_all(struct device *d, uint64_t from, uint64_t bytes)
{
    struct sweep s = {.sm = -1, .kind = L2_LD_CG, .start = from, .stride = LINE, .n = bytes / LINE};

    return d->ops->sweep(d, &s);
}

/* A random line of each of n equal parts of the window (fewer where it has fewer lines), in random order: no line twice, for
 * one that was timed is in the cache. */
static int time_sample(struct run *r, struct bench *b)
{
    uint64_t lines = b->size / LINE;
    size_t n = lines < b->n ? (size_t)lines : b->n;

    memset(b->bins, 0, sizeof b->bins);
    for (size_t i = 0; i < n; i++)
        b->order[i] = (uint32_t)i;
    rng_shuffle(&r->rng, b->order, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t first = b->order[i] * lines / n, end = (b->order[i] + 1) * lines / n;

        b->list[i] = l2_access_of(L2_LD_CG, (first + rng_below(&r->rng, end - first)) * LINE, 0);
    }
    if (r->dev->ops->walk(r->dev, b->sm, b->list, n, b->cycles) != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        b->bins[b->cycles[i] < BINS ? b->cycles[i] : BINS - 1]++;
    return 0;
}

static int one_trial(struct run *r, struct bench *b, int what)
{
    struct device *d = r->dev;
    uint64_t window = what == 2 ? 0 : b->size;

    if (d->ops->reset_persisting(d) != 0 || (window > 0 && read_all(d, b->from, b->stream) != 0) ||
        d->ops->window(d, 0, window, b->ratio) != 0)
        return -1;
    for (int i = 0; i < LOADS; i++)
        if (read_all(d, 0, b->size) != 0)
            return -1;
    if (d->ops->window(d, 0, 0, b->ratio) != 0)
        return -1;
    if (what != 1 && read_all(d, b->from, b->stream) != 0)
        return -1;
    return time_sample(r, b);
}

static int one_size(struct run *r, struct bench *b)
{
    uint64_t reps = param_u64(r, "reps");

    for (uint64_t rep = 0; rep < reps; rep++)
        for (int what = 0; what < CASES && !run_stopped(); what++) {
            if (one_trial(r, b, what) != 0)
                return -1;
            write_rows(r, b, what, rep);
        }
    return 0;
}

static int set_aside(struct run *r, struct bench *b, uint64_t want)
{
    uint64_t got;

    if (r->dev->ops->limit(r->dev, LIMIT_PERSIST, want, &got) != 0)
        return -1;
    if (got != want)
        run_warn(r, "a set-aside of %s was asked for, the device gives %s: rows say what it gave",
                 cli_size(want), cli_size(got));
    b->persist = got;
    return 0;
}

static int run_all(struct run *r, struct bench *b, const struct sizes *persist,
                   const struct sizes *size)
{
    size_t done = 0;

    for (size_t i = 0; i < persist->n && !run_stopped(); i++) {
        if (set_aside(r, b, persist->v[i]) != 0)
            return -1;
        for (size_t k = 0; k < size->n && !run_stopped(); k++) {
            b->size = size->v[k];
            if (one_size(r, b) != 0)
                return -1;
            run_progress(r, (double)++done, (double)(persist->n * size->n));
        }
    }
    return 0;
}

/* Window, lines and limit as they were, whatever happened; the first error stays. */
static int put_back(struct run *r, int64_t before, int rc)
{
    struct device *d = r->dev;
    char error[sizeof d->error];
    uint64_t got = 0;
    int bad;

    memcpy(error, d->error, sizeof error);
    bad = d->bytes > 0 ? d->ops->window(d, 0, 0, 1) : 0;
    bad = d->ops->reset_persisting(d) != 0 || bad;
    if (before >= 0)
        bad = d->ops->limit(d, LIMIT_PERSIST, (uint64_t)before, &got) != 0 || bad;
    if (before >= 0 && !bad)
        run_note(r, "persisting_after %" PRIu64, got);
    if (rc != 0)
        memcpy(d->error, error, sizeof error);
    return rc != 0 || bad ? -1 : 0;
}

static int check(struct run *r, const struct sizes *size, uint64_t most)
{
    struct device *d = r->dev;

    if (size->n == 0 || most == 0)
        return device_fail(d, "size=: the device does not say how large its L2 is: give sizes");
    if (most > d->info.window_max)
        return device_fail(d, "size=%s: an access-policy window has at most %s", cli_size(most),
                           cli_size(d->info.window_max));
    return 0;
}

static int run_persist(struct run *r)
{
    struct bench b = {.ratio = param_double(r, "ratio"),
                      .n = param_u64(r, "sample"),
                      .sm = (int)param_u64(r, "sm")};
    struct sizes persist = {0}, size = {0};
    struct device_state state;
    uint64_t most = 0;
    int rc;

    if (r->dev->info.persist_max == 0 || r->dev->info.window_max == 0) {
        run_warn(r, "this device cannot set L2 aside for persisting accesses: nothing to measure");
        return 0;
    }
    choose(r, "persist", &persist);
    choose(r, "size", &size);
    for (size_t i = 0; i < size.n; i++)
        most = size.v[i] > most ? size.v[i] : most;
    b.stream = param_auto(r, "stream") ? 4 * r->dev->info.l2_bytes : param_u64(r, "stream");
    b.from = (most + (2 << 20) - 1) >> 21 << 21;
    b.list = xmalloc(b.n * sizeof *b.list);
    b.cycles = xmalloc(b.n * sizeof *b.cycles);
    b.order = xmalloc(b.n * sizeof *b.order);
    rc = check(r, &size, most);
    if (rc == 0 && r->dev->ops->state(r->dev, &state) != 0)
        rc = -1;
    if (rc == 0) {
        rc = r->dev->ops->alloc(r->dev, b.from + b.stream) != 0 ||
             run_all(r, &b, &persist, &size) != 0;
        rc = put_back(r, state.persisting, rc);
    }
    sizes_free(&persist);
    sizes_free(&size);
    free(b.list);
    free(b.cycles);
    free(b.order);
    return rc;
}

const struct experiment exp_persist = {
    .name = "persist",
    .summary = "what an access-policy window keeps in L2 under a stream",
    .columns = "exp persist size ratio stream case sm rep cycles n",
    .params = params,
    .run = run_persist,
};
