/* survive: does a line still hit after n other lines? Targets are loaded, n lines of a pool swept from the same SM in
 * random or contiguous order, and the targets timed: one row each. Under LRU and a hashed index the share that survives
 * falls around n = sets x ways, the sharper the more ways; under random replacement exponentially. */
#include "access.h"
#include "evset_params.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct trial {
    uint64_t n, rep;
    const uint64_t *target;
    const uint32_t *cycles;
    size_t ntarget;
};

static void put_rows(struct run *r, const struct evset_plan *p, const struct trial *t,
                     uint32_t positions)
{
    for (size_t i = 0; i < t->ntarget; i++) {
        out_str(r->out, "survive");
        out_i64(r->out, p->sm);
        out_str(r->out, evset_lines_names[p->lines]);
        out_str(r->out, param_text(r, "order"));
        out_str(r->out, param_text(r, "between"));
        out_str(r->out, param_text(r, "loader"));
        out_u64(r->out, param_u64(r, "touches"));
        out_str(r->out, access_name(p->kind));
        out_u64(r->out, p->line);
        out_u64(r->out, p->pool_bytes);
        out_u64(r->out, positions);
        out_round(r->out, p->miss, 6);
        out_u64(r->out, t->n);
        out_u64(r->out, t->rep);
        out_u64(r->out, t->target[i]);
        out_u64(r->out, t->cycles[i]);
        out_row(r->out);
    }
}

/* The lines in between one after the other: slower than a block of threads, and nothing overlaps. */
static int walk_between(struct run *r, const struct evset_plan *p, const struct sweep *sweep)
{
    l2_access *list = xmalloc(sweep->n * sizeof *list);
    uint32_t *cycles = xmalloc(sweep->n * sizeof *cycles);
    int rc;

    for (uint64_t i = 0; i < sweep->n; i++) {
        uint64_t line = sweep->pool != NULL ? l2_pool_line(sweep->pool, (uint32_t)i)
                                            : sweep->start + i * sweep->stride;

        list[i] = l2_access_of(p->kind, line, 0);
    }
    rc = r->dev->ops->walk(r->dev, p->sm, list, sweep->n, cycles);
    free(list);
    free(cycles);
    return rc;
}

/* Loads the targets and times them with n lines of the pool in between. */
static int one_trial(struct run *r, const struct evset_plan *p, const struct sweep *sweep,
                     l2_access *list, size_t n, uint32_t *cycles)
{
    bool one_by_one = strcmp(param_text(r, "loader"), "thread") == 0;

    const struct device_ops *ops = r->dev->ops;

    for (uint64_t k = 0; k < param_u64(r, "touches"); k++)
        if (ops->walk(r->dev, p->sm, list, n, cycles) != 0)
            return -1;
    if (sweep->n > 0 && (one_by_one ? walk_between(r, p, sweep) : ops->sweep(r->dev, sweep)) != 0)
        return -1;
    return ops->walk(r->dev, p->sm, list, n, cycles);
}

static int one_count(struct run *r, const struct evset_plan *p, uint64_t n, size_t ntarget)
{
    struct evset_plan between = *p; /* the same but for the kind of its lines */
    uint64_t *target = xmalloc(ntarget * sizeof *target), reps = param_u64(r, "reps");
    l2_access *list = xmalloc(ntarget * sizeof *list);
    uint32_t *cycles = xmalloc(ntarget * sizeof *cycles);
    int rc = 0;

    if (strcmp(param_text(r, "between"), "same") != 0)
        between.lines = evset_lines_of(param_text(r, "between"));
    for (uint64_t rep = 0; rep < reps && rc == 0; rep++) {
        struct l2_pool pool;
        struct sweep sweep = {.sm = p->sm, .kind = p->kind, .n = n};
        struct trial t = {n, rep, target, cycles, ntarget};

        rc = evset_pool(&between, rng_u64(&r->rng), &pool);
        if (strcmp(param_text(r, "order"), "random") == 0) {
            sweep.pool = &pool;
            sweep.n = n < l2_pool_size(&pool) ? n : l2_pool_size(&pool);
        } else {
            sweep.start = rng_below(&r->rng, p->pool_bytes / p->line - n + 1) * p->line;
            sweep.stride = p->line;
        }
        for (size_t i = 0; i < ntarget; i++) {
            target[i] = evset_target(p, &r->rng);
            list[i] = l2_access_of(p->kind, target[i], 0);
        }
        if (rc == 0)
            rc = one_trial(r, p, &sweep, list, ntarget, cycles);
        if (rc == 0)
            put_rows(r, p, &t, l2_pool_size(&pool));
    }
    free(target);
    free(list);
    free(cycles);
    return rc;
}

/* Line counts from `from` to `to` times the lines of the L2 (one side's on two sides), evenly spaced in the logarithm. */
static uint64_t count_at(const struct run *r, const struct evset_plan *p, uint64_t k,
                         uint64_t points)
{
    double l2 =
        r->dev->info.l2_bytes > 0 ? (double)r->dev->info.l2_bytes : (double)p->pool_bytes / 16;
    double lines = l2 / p->line / (p->sides.kind == SIDES_LINEAR ? 2 : 1);
    double part = points > 1 ? (double)k / (double)(points - 1) : 0;
    double most = (double)p->pool_bytes / p->line /
                  (p->lines != EVSET_ALL && p->sides.kind == SIDES_LINEAR ? 2 : 1);
    double from = param_double(r, "from"), to = param_double(r, "to"),
           n = lines * from * pow(to / from, part);

    return (uint64_t)fmin(n, most);
}

static int run_survive(struct run *r)
{
    struct evset_plan p = evset_plan_of(r);
    uint64_t points = param_u64(r, "points");
    int rc;

    p.lines = evset_lines_of(param_text(r, "lines"));
    p.kind = (enum l2_kind)access_kind(param_text(r, "op"));
    p.rounds = 1;
    rc = evset_plan(&p, &r->rng);
    for (uint64_t k = 0; k < points && rc == 0 && !run_stopped(); k++) {
        rc = one_count(r, &p, count_at(r, &p, k, points), (size_t)param_u64(r, "targets"));
        run_progress(r, (double)k + 1, (double)points);
    }
    evset_plan_free(&p);
    return rc;
}

static const struct param params[] = {
    EVSET_PARAM_SM,
    EVSET_PARAM_LINES,
    {"order", PARAM_WORD, "random", "random|contiguous", "of the lines in between", 0, 0},
    {"between", PARAM_WORD, "same", "same|home|remote|all",
     "lines in between, where they are of another kind than the targets", 0, 0},
    {"loader", PARAM_WORD, "block", "block|thread",
     "the lines in between: by a block of threads, or one after the other", 0, 0},
    {"touches", PARAM_U64, "1", "", "times the targets are loaded before", 1, 1000},
    {"op", PARAM_WORD, "cg", "cg|cv|no_allocate", "kind of the loads", 0, 0},
    EVSET_PARAM_LINE,
    EVSET_PARAM_POOL,
    {"points", PARAM_U64, "25", "", "line counts", 1, 1000},
    {"from", PARAM_DOUBLE, "0.25", "", "first line count, in lines of the L2 (of one side)", 1e-6,
     100},
    {"to", PARAM_DOUBLE, "3", "", "last line count", 1e-6, 100},
    {"targets", PARAM_U64, "32", "lines", "targets a trial", 1, 4096},
    {"reps", PARAM_U64, "8", "", "trials of a line count, each with fresh lines", 1, 1e6},
    {0},
};

const struct experiment exp_survive = {
    "survive",
    "does a line still hit after n other lines: capacity, sharpness",
    "exp sm lines order between loader touches op line pool positions miss n rep offset cycles",
    params,
    run_survive,
    false,
};
