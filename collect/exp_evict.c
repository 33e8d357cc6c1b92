/* evict: eviction sets of random lines by tipping point, every test a row, every line found a row.
 *
 * The same-tag test follows on the first verified targets: a full set is loaded, but in place of its last line an address
 * some bytes from it. While that lies in the same line (and only then) the target is evicted: the line's size.
 *
 * The rows of a target, in order: its tests (phase pool, search, confirm, prune, check_all, check_one, extra; n positions of
 * the pool swept, `skip` the line left out or -1, the probe's cycles), then its lines (phase set or more: test is the rank,
 * n the line's position + 1, offset the line), then one row of phase end (test the first tipping index, n the number of
 * tests, cycles of the search), then its same-tag rows (phase tag: skip the distance in bytes, test the trial).
 *
 * The number of sets is known only as well as tipping indices are many, so they are looked for alone (phase first) on further
 * lines, until ways x lines is SHARP. */
#include "access.h"
#include "evset_params.h"
#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

enum { TAG_TARGETS = 8, TAG_TRIALS = 6, TAG_SPAN = 512, TAG_STEP = 32 };
enum { SHARP = 14000 }; /* sets to 0.85 %, a standard deviation: 1 / sqrt(ways x lines) */

/* What the sets found so far say of those to come. */
struct found {
    uint64_t n, size[L2_TIP_FOUND + 1]; /* verified sets, in all and by their lines */
    double tips;                        /* sum of their first tipping indices */
};

struct row {
    uint64_t target, attempt, n, cycles, offset, test;
    int skip;
    const char *phase, *status;
};

static void put_row(struct run *r, const struct evset_plan *p, const struct l2_tip_in *in,
                    const struct row *row)
{
    struct out *o = r->out;

    out_str(o, "evict");
    out_u64(o, row->target);
    out_u64(o, row->attempt);
    out_i64(o, p->sm);
    out_str(o, evset_lines_names[p->lines]);
    out_str(o, p->level == EVSET_LOCAL ? "local" : "memory");
    out_str(o, access_name(p->kind));
    out_u64(o, p->line);
    out_u64(o, p->pool_bytes);
    out_u64(o, l2_pool_size(&in->pool));
    out_u64(o, in->rounds);
    out_u64(o, in->threshold);
    out_str(o, row->phase);
    out_u64(o, row->test);
    out_i64(o, row->skip);
    out_u64(o, row->n);
    out_u64(o, row->cycles);
    out_u64(o, row->offset);
    out_str(o, row->status);
    out_row(o);
}

static void put_tests(struct run *r, const struct evset_plan *p, const struct l2_tip_in *in,
                      const struct l2_tip_out *out, struct row *row)
{
    row->offset = in->target;
    for (uint32_t i = 0; i < out->ntests; i++) {
        const struct l2_tip_test *t = &out->test[i];

        row->test = i;
        row->n = t->n;
        row->cycles = t->cycles;
        row->phase = evset_phase(t->phase);
        row->skip = t->skip == 255 ? -1 : t->skip;
        put_row(r, p, in, row);
    }
}

static void put_attempt(struct run *r, const struct evset_plan *p, const struct l2_tip_in *in,
                        const struct l2_tip_out *out, uint64_t target, uint64_t attempt)
{
    struct row row = {
        .target = target, .attempt = attempt, .status = evset_status(out->status), .skip = -1};

    put_tests(r, p, in, out, &row);
    row.skip = -1;
    row.cycles = 0;
    for (uint32_t i = 0; i < out->nfound; i++) {
        row.test = i;
        row.n = out->tip[i] + 1;
        row.offset = out->found[i];
        row.phase = i < out->nset ? "set" : "more";
        put_row(r, p, in, &row);
    }
    row = (struct row){target,     attempt, out->ntests, out->cycles, in->target,
                       out->first, -1,      "end",       row.status};
    put_row(r, p, in, &row);
}

/* Loads the target and the set with its last line moved by `by` bytes, in the way of the search, then times the target. */
static size_t tag_trial(l2_access *list, const struct evset_plan *p, const struct l2_tip_in *in,
                        const struct l2_tip_out *out, int by)
{
    size_t n = 0;

    for (uint32_t round = 0; round < p->settle + p->rounds; round++) {
        if (round <= p->settle)
            for (uint32_t k = 0; k < p->touches; k++)
                list[n++] = l2_access_of(p->kind, in->target, 0);
        for (uint32_t i = 0; i < out->nset; i++) {
            uint64_t line = out->found[i] + (i + 1 == out->nset ? (uint64_t)(int64_t)by : 0);

            for (uint32_t k = 0; k < p->touches; k++)
                list[n++] = l2_access_of(p->kind, line, 0);
        }
    }
    list[n++] = l2_access_of(p->kind, in->target, 0);
    return n;
}

static int put_tags(struct run *r, const struct evset_plan *p, const struct l2_tip_in *in,
                    const struct l2_tip_out *out, uint64_t target, uint64_t attempt)
{
    size_t most = (size_t)(p->settle + p->rounds) * (out->nset + 1) * p->touches + 1;
    l2_access *list = xmalloc(most * sizeof *list);
    uint32_t *cycles = xmalloc(most * sizeof *cycles);
    struct row row = {
        .target = target, .attempt = attempt, .offset = in->target, .phase = "tag", .status = "ok"};
    int rc = 0;

    for (int by = -TAG_SPAN; by < TAG_SPAN && rc == 0; by += TAG_STEP) {
        if (by < 0 && out->found[out->nset - 1] < (uint64_t)-by)
            continue;
        for (row.test = 0; row.test < TAG_TRIALS && rc == 0; row.test++) {
            size_t n = tag_trial(list, p, in, out, by);

            rc = p->d->ops->walk(p->d, p->sm, list, n, cycles);
            row.skip = by;
            row.cycles = cycles[n - 1];
            put_row(r, p, in, &row);
        }
    }
    free(list);
    free(cycles);
    return rc;
}

static int one_target(struct run *r, const struct evset_plan *p, uint64_t k, struct l2_tip_in *in,
                      struct l2_tip_out *out, struct found *f)
{
    uint64_t target = evset_target(p, &r->rng), tries = param_u64(r, "tries");
    uint32_t threshold;

    if (evset_threshold(p, target, &threshold) != 0)
        return -1;
    for (uint32_t attempt = 0; attempt < tries; attempt++) {
        if (evset_try(p, target, threshold, attempt, in, out) != 0)
            return -1;
        put_attempt(r, p, in, out, k, attempt);
        if (out->status == L2_TIP_POOL_KEEPS)
            return evset_check_pool(p) != 0
                       ? -1
                       : device_fail(r->dev, "a pool of %llu bytes does not evict a line",
                                     (unsigned long long)p->pool_bytes);
        if (out->status == L2_TIP_OK) {
            f->n++;
            f->size[out->nset]++;
            f->tips += out->first;
            return k < TAG_TARGETS ? put_tags(r, p, in, out, k, attempt) : 0;
        }
    }
    return 0;
}

/* As many further lines as SHARP wants, by the sets' most frequent size; copies of remote lines tell no number of sets. */
static uint64_t tips_wanted(const struct run *r, const struct evset_plan *p, const struct found *f)
{
    uint64_t ways = 1;

    if (!param_auto(r, "tips"))
        return param_u64(r, "tips");
    if (p->lines == EVSET_REMOTE)
        return 0;
    for (uint64_t k = 1; k <= L2_TIP_FOUND; k++)
        ways = f->size[k] > f->size[ways] ? k : ways;
    return f->size[ways] > 0 && SHARP / ways > f->n ? SHARP / ways - f->n : 0;
}

/* The first tipping index of one more line. */
static int one_tip(struct run *r, const struct evset_plan *p, uint64_t k, struct l2_tip_in *in,
                   struct l2_tip_out *out)
{
    uint64_t target = evset_target(p, &r->rng);
    struct row row = {.target = k};
    uint32_t threshold;

    if (evset_threshold(p, target, &threshold) != 0 ||
        evset_first(p, target, threshold, (uint32_t)k, in, out) != 0)
        return -1;
    row.status = evset_status(out->status);
    put_tests(r, p, in, out, &row);
    return 0;
}

static struct evset_plan plan_of(const struct run *r)
{
    struct evset_plan p = evset_plan_of(r);

    p.lines = evset_lines_of(param_text(r, "lines"));
    p.level = strcmp(param_text(r, "level"), "memory") == 0 ? EVSET_MEMORY : EVSET_LOCAL;
    p.kind = (enum l2_kind)access_kind(param_text(r, "op"));
    p.votes = (uint32_t)param_u64(r, "votes");
    p.rounds = param_auto(r, "rounds") ? 0 : (uint32_t)param_u64(r, "rounds");
    p.extra = (uint32_t)param_u64(r, "extra");
    return p;
}

static int run_evict(struct run *r)
{
    struct evset_plan p = plan_of(r);
    struct l2_tip_in *in = xmalloc(sizeof *in);
    struct l2_tip_out *out = xmalloc(sizeof *out);
    uint64_t targets = param_u64(r, "targets"), all = targets;
    struct found f = {0};
    int rc = evset_plan(&p, &r->rng);

    for (uint64_t k = 0; k < all && rc == 0 && !run_stopped(); k++) {
        rc = k < targets ? one_target(r, &p, k, in, out, &f) : one_tip(r, &p, k, in, out);
        if (f.n > 0)
            p.reach = (uint32_t)(2 * f.tips / (double)f.n); /* at most twice the pool */
        if (k + 1 == targets)
            all += tips_wanted(r, &p, &f);
        run_progress(r, (double)k + 1, (double)all);
    }
    evset_plan_free(&p);
    free(in);
    free(out);
    return rc;
}

static const struct param params[] = {
    {"targets", PARAM_U64, "100", "lines", "random lines to find eviction sets of", 1, 1e6},
    {"tips", PARAM_U64, "auto", "lines",
     "further lines, of which only the tipping point is found, for the number of sets; auto: until "
     "ways x lines is 14000",
     0, 1e6},
    EVSET_PARAM_SM,
    EVSET_PARAM_LINES,
    {"level", PARAM_WORD, "local", "local|memory", "evicted from the own side, or from everywhere",
     0, 0},
    {"op", PARAM_WORD, "cg", "cg|cv|evict_first|evict_last|no_allocate", "kind of the loads", 0, 0},
    EVSET_PARAM_LINE,
    EVSET_PARAM_POOL,
    {"tries", PARAM_U64, "4", "", "pools to try for a target", 1, 100},
    {"votes", PARAM_U64, "2", "", "trials of a test; one more decides when they differ", 1, 9},
    {"rounds", PARAM_U64, "auto", "",
     "times the lines are touched before a probe; auto: 1 under LRU", 1, 64},
    {"extra", PARAM_U64, "0", "lines", "congruent lines to find beyond the set", 0, L2_TIP_FOUND},
    {0},
};

const struct experiment exp_evict = {
    "evict",
    "eviction sets of random lines by tipping point: ways, sets",
    "exp target attempt sm lines level op line pool positions rounds threshold phase test skip n "
    "cycles "
    "offset status",
    params,
    run_evict,
    false,
};
