/* Plans and runs the search for eviction sets on any device. */
#include "evset.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLD_LINES = 256,
    HITS = 17,
    TARGET_BYTES = 64 << 20,
    PILOTS = 3,
    MORE_PILOTS = 8,
    PILOT_TRIES = 3
};

static const char *const status_names[] = {"ok",   "pool_keeps", "lost",      "many",
                                           "weak", "loose",      "tests_full"};
static const char *const phase_names[] = {"pool",      "search",    "confirm", "prune",
                                          "check_all", "check_one", "extra",   "first"};

const char *const evset_lines_names[] = {"home", "remote", "all"};

enum evset_lines evset_lines_of(const char *name)
{
    int i = 0;

    while (i < EVSET_ALL && strcmp(evset_lines_names[i], name) != 0)
        i++;
    return (enum evset_lines)i;
}

const char *evset_status(uint32_t status)
{
    return status < sizeof status_names / sizeof *status_names ? status_names[status] : "unknown";
}

const char *evset_phase(uint32_t phase)
{
    return phase < sizeof phase_names / sizeof *phase_names ? phase_names[phase] : "unknown";
}

uint64_t evset_pool_bytes(const struct device *d)
{
    uint64_t want = d->info.l2_bytes * 16, bytes = 4u << 20;

    if (want == 0)
        return 1u << 30;
    while (bytes < want && bytes < 1u << 30)
        bytes *= 2;
    return bytes;
}

/* The least pool to be sure of, a power of two; 0 when the L2's size is unknown. */
static uint64_t least_pool(const struct device *d)
{
    uint64_t bytes = d->info.l2_bytes > 0;

    while (bytes < d->info.l2_bytes * 4)
        bytes *= 2;
    return bytes;
}

int evset_check_pool(const struct evset_plan *p)
{
    uint64_t least = least_pool(p->d);

    if (p->pool_bytes >= least)
        return 0;
    return device_fail(p->d,
                       "a pool of %llu bytes is too small to evict a line for sure: pool=%llu is "
                       "4 times the L2",
                       (unsigned long long)p->pool_bytes, (unsigned long long)least);
}

/* Side of the lines that a plan wants; -1 for any. */
static int wanted_side(const struct evset_plan *p)
{
    if (p->sides.kind != SIDES_LINEAR || p->lines == EVSET_ALL)
        return -1;
    return p->lines == EVSET_REMOTE;
}

int evset_pool(const struct evset_plan *p, uint64_t seed, struct l2_pool *pool)
{
    uint32_t log2_lines = 0;

    while ((uint64_t)p->line << (log2_lines + 1) <= p->pool_bytes)
        log2_lines++;
    *pool = (struct l2_pool){
        .seed = seed, .log2_lines = log2_lines, .stride = p->line, .page_shift = 21};
    if (wanted_side(p) < 0)
        return 0;
    if (sides_pool(&p->sides, (unsigned)wanted_side(p), pool) != 0)
        return device_fail(
            p->d, "no address bit of the side mask 0x%llx can order a pool by sides: use lines=all",
            (unsigned long long)p->sides.mask);
    return 0;
}

uint64_t evset_target(const struct evset_plan *p, struct rng *r)
{
    uint64_t line;

    do
        line = p->pool_bytes + rng_below(r, p->target_bytes / p->line) * p->line;
    while (wanted_side(p) >= 0 && sides_of(&p->sides, line) != (unsigned)wanted_side(p));
    return line;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* The q-quantile of the cycles that a walk over COLD_LINES lines takes. */
static int walk_quantile(struct evset_plan *p, const l2_access *list, double q, double *cycles)
{
    uint32_t took[COLD_LINES];

    if (p->d->ops->walk(p->d, p->sm, list, COLD_LINES, took) != 0)
        return -1;
    qsort(took, COLD_LINES, sizeof *took, by_value);
    *cycles = took[(size_t)(q * COLD_LINES)];
    return 0;
}

/* Lines never loaded before (after others of the same pages, for the translation), and the same lines with the whole pool
 * swept in between. Where new lines are the next to go (LIP) the sweep leaves them there, and the first walk counts. */
static int measure_miss(struct evset_plan *p, struct rng *r)
{
    struct l2_pool pool;
    l2_access pages[COLD_LINES], list[COLD_LINES];
    struct sweep sweep = {.sm = p->sm, .kind = p->kind, .pool = &pool};
    double ignored, cold, hit;

    for (size_t i = 0; i < COLD_LINES; i++) {
        pages[i] = l2_access_of(p->kind, evset_target(p, r), 0);
        list[i] = l2_access_of(p->kind, evset_target(p, r), 0);
    }
    if (evset_pool(p, rng_u64(r), &pool) != 0)
        return -1;
    sweep.n = l2_pool_size(&pool);
    if (walk_quantile(p, pages, 0.5, &ignored) != 0 || walk_quantile(p, list, 0.2, &cold) != 0 ||
        p->d->ops->sweep(p->d, &sweep) != 0 || walk_quantile(p, list, 0.2, &p->miss) != 0 ||
        walk_quantile(p, list, 0.5, &hit) != 0)
        return -1;
    if (p->miss < 1.25 * hit)
        p->miss = cold;
    return 0;
}

int evset_threshold(const struct evset_plan *p, uint64_t target, uint32_t *threshold)
{
    l2_access list[HITS];
    uint32_t cycles[HITS];
    double hit, gap, next;

    for (size_t i = 0; i < HITS; i++)
        list[i] = l2_access_of(p->kind, target, 0);
    if (p->d->ops->walk(p->d, p->sm, list, HITS, cycles) != 0)
        return -1;
    qsort(cycles + 1, HITS - 1, sizeof *cycles, by_value);
    hit = cycles[HITS / 2];
    next = p->miss;
    gap = p->sides.kind == SIDES_ONE ? INFINITY : p->sides.far - p->sides.near;
    if (wanted_side(p) != 0 && p->level == EVSET_LOCAL)
        next = fmin(next, hit + gap); /* the home still has it */
    if (next <= hit && evset_check_pool(p) != 0)
        return -1;
    if (next <= hit)
        return device_fail(p->d, "no threshold: a hit takes %.0f cycles, a miss %.0f", hit, next);
    *threshold = (uint32_t)((hit + next) / 2);
    if (wanted_side(p) != 0 && p->level == EVSET_MEMORY && isfinite(gap))
        *threshold = (uint32_t)((fmin(hit + gap, next) + next) / 2);
    return 0;
}

static struct l2_tip_in in_of(const struct evset_plan *p, uint64_t target, uint32_t threshold)
{
    return (struct l2_tip_in){.target = target,
                              .kind = p->kind,
                              .threshold = threshold,
                              .votes = p->votes,
                              .check_all = p->check_all,
                              .check_one = p->check_one,
                              .extra = p->extra,
                              .reach = p->reach,
                              .rounds = p->rounds,
                              .settle = p->settle,
                              .touches = p->touches};
}

int evset_try(const struct evset_plan *p, uint64_t target, uint32_t threshold, uint32_t attempt,
              struct l2_tip_in *in, struct l2_tip_out *out)
{
    *in = in_of(p, target, threshold);
    if (evset_pool(p, rng_mix(p->seed + attempt), &in->pool) != 0)
        return -1;
    return p->d->ops->tip(p->d, p->sm, in, out);
}

int evset_first(const struct evset_plan *p, uint64_t target, uint32_t threshold, uint32_t k,
                struct l2_tip_in *in, struct l2_tip_out *out)
{
    *in = in_of(p, target, threshold);
    in->alone = 1;
    in->rounds = p->sure.rounds;
    in->settle = p->sure.settle;
    in->touches = p->sure.touches;
    if (evset_pool(p, rng_mix(~p->seed + k), &in->pool) != 0)
        return -1;
    return p->d->ops->tip(p->d, p->sm, in, out);
}

int evset_find(const struct evset_plan *p, uint64_t target, uint32_t tries, struct l2_tip_out *out)
{
    struct l2_tip_in *in = xmalloc(sizeof *in);
    uint32_t threshold;
    int rc = evset_threshold(p, target, &threshold);

    out->status = L2_TIP_LOST;
    for (uint32_t k = 0; k < tries && rc == 0; k++) {
        rc = evset_try(p, target, threshold, k, in, out);
        if (out->status == L2_TIP_OK || out->status == L2_TIP_POOL_KEEPS)
            break;
    }
    free(in);
    return rc == 0 && out->status == L2_TIP_POOL_KEEPS ? evset_check_pool(p) : rc;
}

/* How the lines are touched. The first is enough where a line just used outlives every other (LRU). Settling first makes
 * a set that fits stay; a second touch keeps a line where a new one is the next to go (LIP, BIP, RRIP). Under random
 * replacement a set that fits finds room for all its lines after about as many rounds as it has ways, each line in a way of
 * its own for ever; one line too many pushes the target out as surely, and the rest then fits without it. So very many
 * rounds are as sharp there as one is under LRU. */
static const struct evset_touch ways_to_touch[] = {
    {1, 0, 1}, {2, 3, 1}, {3, 6, 2}, {48, 48, 1}, {160, 160, 1}};
enum { TOUCHES = sizeof ways_to_touch / sizeof *ways_to_touch, ONCE = 1, TWICE, LIGHT };

struct pilots {
    uint64_t target[MORE_PILOTS];
    uint32_t tip[TOUCHES][MORE_PILOTS]; /* of the set's last line; 0: no verified set */
    unsigned n[TOUCHES];                /* targets tried so far */
};

static void touch_like(struct evset_plan *p, size_t k)
{
    p->rounds = ways_to_touch[k].rounds;
    p->settle = ways_to_touch[k].settle;
    p->touches = ways_to_touch[k].touches;
}

/* Tries way k on the first n pilot targets: a way of many rounds once each (what a neighbour brings in meanwhile spoils it),
 * and no more when the first two fail. */
static int fly(struct evset_plan *p, struct pilots *q, size_t k, unsigned n)
{
    const bool heavy = ways_to_touch[k].rounds >= ways_to_touch[LIGHT].rounds;
    struct l2_tip_out *out = xmalloc(sizeof *out);
    int rc = 0;

    touch_like(p, k);
    for (; q->n[k] < n && rc == 0; q->n[k]++) {
        unsigned i = q->n[k];

        if (heavy && i > 1 && q->tip[k][0] == 0 && q->tip[k][1] == 0)
            continue;
        rc = evset_find(p, q->target[i], heavy ? 1 : PILOT_TRIES, out);
        q->tip[k][i] = rc == 0 && out->status == L2_TIP_OK ? out->tip[0] + 1 : 0;
    }
    free(out);
    return rc;
}

static bool finds_sets(const struct pilots *q, size_t k)
{
    unsigned good = 0;

    for (unsigned i = 0; i < q->n[k]; i++)
        good += q->tip[k][i] != 0;
    return good * 2 > q->n[k];
}

/* Whether two ways tip at the same line on all of the first n targets, or on all but one, where one of them fails. */
static bool same_tips(const struct pilots *q, size_t a, size_t b, unsigned n)
{
    unsigned same = 0;

    for (unsigned i = 0; i < n; i++) {
        if (q->tip[a][i] == 0 || q->tip[b][i] == 0)
            continue;
        if (q->tip[a][i] != q->tip[b][i])
            return false;
        same++;
    }
    return same + 1 >= n;
}

/* The first way that tips where way `sure` does, on target after target. */
static int lightest(struct evset_plan *p, struct pilots *q, size_t sure, size_t *take)
{
    for (*take = 0; *take < sure; ++*take) {
        unsigned n = PILOTS;

        while (n < MORE_PILOTS && same_tips(q, *take, sure, n)) {
            n++;
            if (fly(p, q, *take, n) != 0 || fly(p, q, sure, n) != 0)
                return -1;
        }
        if (same_tips(q, *take, sure, n))
            break;
    }
    return 0;
}

/* Takes the plain touch when it tips where settled sets tip. Else many rounds say where sets tip, and the first way that
 * agrees is taken; where they find none (lines kept by chance now and then), the first that finds sets. */
static int choose_touch(struct evset_plan *p, struct rng *r)
{
    struct pilots q = {0};
    size_t take = 0, k = 0;

    for (unsigned i = 0; i < PILOTS; i++)
        q.target[i] = evset_target(p, r);
    for (; k < TOUCHES && !(k > LIGHT && finds_sets(&q, k - 1)); k++) {
        if (fly(p, &q, k, PILOTS) != 0)
            return -1;
        if (k == 1 && same_tips(&q, 0, 1, PILOTS))
            break;
        for (unsigned i = PILOTS; i < MORE_PILOTS && k == 1; i++)
            q.target[i] = evset_target(p, r);
    }
    if (k > LIGHT && finds_sets(&q, k - 1)) {
        if (lightest(p, &q, k - 1, &take) != 0)
            return -1;
    } else if (k > LIGHT) {
        while (take < LIGHT && !finds_sets(&q, take))
            take++;
        take = take == LIGHT ? 0 : take;
    }
    touch_like(p, take);
    /* Once leaves a line in its place now and then (RRIP, one in twenty), which a set does not mind and a mean does. */
    p->sure = ways_to_touch[take == ONCE ? TWICE : take];
    return 0;
}

int evset_plan(struct evset_plan *p, struct rng *r)
{
    p->target_bytes = p->pool_bytes < TARGET_BYTES ? p->pool_bytes : TARGET_BYTES;
    p->sides = (struct sides){0};
    return p->d->ops->alloc(p->d, p->pool_bytes + p->target_bytes) != 0 ? -1
                                                                        : evset_plan_here(p, r);
}

int evset_plan_here(struct evset_plan *p, struct rng *r)
{
    p->target_bytes = p->pool_bytes < TARGET_BYTES ? p->pool_bytes : TARGET_BYTES;
    p->seed = rng_u64(r);
    p->sides = (struct sides){0};
    if (sides_find(p->d, p->sm, p->pool_bytes + p->target_bytes, r, &p->sides) != 0 ||
        measure_miss(p, r) != 0)
        return -1;
    if (p->rounds == 0)
        return choose_touch(p, r);
    p->touches = p->touches > 0 ? p->touches : 1;
    p->sure = (struct evset_touch){p->rounds, p->settle, p->touches};
    return 0;
}

void evset_plan_free(struct evset_plan *p)
{
    sides_free(&p->sides);
}
