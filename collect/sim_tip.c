/* The search of kernels/tip.h on the model. Sets do not influence each other, so of a swept prefix of the pool only the
 * lines of the target's set are run through the model: same answers, a thousand times sooner. */
#include "sim.h"

#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

struct tip_side {
    struct sim *s;
    struct sim_walker w;
    struct cache_ref target;
    uint32_t *position; /* of the pool's lines in the target's set, rising */
    struct pool_line *line;
    size_t n, cap, line_cap;
    uint32_t seen; /* positions of the pool looked at so far */
};

struct pool_line {
    uint64_t offset;
    struct cache_ref ref;
};

static void touch(struct tip_side *t, const struct l2_tip_in *in, uint64_t offset,
                  struct cache_ref ref)
{
    uint32_t k = 0;

    do
        sim_load(t->s, &t->w, in->kind, offset, ref, 1);
    while (++k < in->touches);
}

static size_t first_at_least(const struct tip_side *t, uint32_t position)
{
    size_t lo = 0, hi = t->n;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;

        if (t->position[mid] < position)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* What the neighbour brings into the target's set while n other lines are swept. */
static void foreign(struct tip_side *t, uint32_t n)
{
    const struct chip *c = &t->s->cache.chip;
    double mean = n * c->neighbour / (double)(t->s->cache.nset * c->sides);
    struct cache_ref r = t->target;

    for (; mean > 0 && rng_uniform(&t->s->rng) < mean; mean--) {
        r.line = 0xfffffffeu - (uint32_t)rng_below(&t->s->rng, 1 << 16);
        r.at.side = (uint8_t)t->w.side;
        cache_load(&t->s->cache, r, t->w.side, 1, 0, 0);
    }
}

/* Found lines are of the pool, and of the target's set but for a misread tip. */
static struct cache_ref found_ref(const struct tip_side *t, const struct l2_tip_out *out,
                                  uint32_t i)
{
    size_t k = first_at_least(t, out->tip[i]);

    return k < t->n && t->position[k] == out->tip[i] ? t->line[k].ref
                                                     : cache_ref(&t->s->cache, out->found[i]);
}

enum {
    PASS = 992
}; /* lines that the threads of the block load at once: the cache sees them in any order */

static void touch_found(struct tip_side *t, const struct l2_tip_in *in,
                        const struct l2_tip_out *out, uint32_t front, uint32_t skip)
{
    uint32_t order[L2_TIP_FOUND];

    for (uint32_t i = 0; i < front; i++)
        order[i] = i;
    rng_shuffle(&t->s->rng, order, front);
    for (uint32_t i = 0; i < front; i++)
        if (order[i] != skip)
            touch(t, in, out->found[order[i]], found_ref(t, out, order[i]));
}

/* The lines of the target's set among the pool's first n: as far as they are needed, for there may be millions. */
static void congruent(struct tip_side *t, const struct l2_tip_in *in, uint32_t n)
{
    for (; t->seen < n; t->seen++) {
        uint64_t offset = l2_pool_line(&in->pool, t->seen);
        struct cache_ref r = cache_ref(&t->s->cache, offset);

        if (r.at.set != t->target.at.set || r.line == t->target.line)
            continue;
        t->position = xgrow(t->position, t->n, &t->cap, sizeof *t->position);
        t->line = xgrow(t->line, t->n, &t->line_cap, sizeof *t->line);
        t->position[t->n] = t->seen;
        t->line[t->n++] = (struct pool_line){offset, r};
    }
}

static void touch_pool(struct tip_side *t, const struct l2_tip_in *in, uint32_t from, uint32_t n)
{
    uint32_t order[PASS], m;

    congruent(t, in, n);
    for (size_t i = first_at_least(t, from); i < t->n && t->position[i] < n; i += m) {
        uint32_t pass = (t->position[i] - from) / PASS;

        for (m = 0;
             i + m < t->n && t->position[i + m] < n && (t->position[i + m] - from) / PASS == pass;
             m++)
            order[m] = (uint32_t)i + m;
        rng_shuffle(&t->s->rng, order, m);
        for (uint32_t k = 0; k < m; k++)
            touch(t, in, t->line[order[k]].offset, t->line[order[k]].ref);
    }
    if (n > from) {
        foreign(t, n - from);
        sim_spend(t->s, n - from);
    }
}

static void touch_lines(struct tip_side *t, const struct l2_tip_in *in,
                        const struct l2_tip_out *out, uint32_t front, uint32_t from, uint32_t n,
                        uint32_t skip)
{
    touch_found(t, in, out, front, skip);
    touch_pool(t, in, from, n);
}

static uint32_t tip_trial(struct tip_side *t, const struct l2_tip_in *in,
                          const struct l2_tip_out *out, uint32_t front, uint32_t from, uint32_t n,
                          uint32_t skip)
{
    uint32_t timer = t->s->cache.chip.timer;

    for (uint32_t k = 0; k < in->settle; k++) {
        touch(t, in, in->target, t->target);
        touch_lines(t, in, out, front, from, n, skip);
    }
    touch(t, in, in->target, t->target);
    for (uint32_t k = 0; k < in->rounds; k++)
        touch_lines(t, in, out, front, from, n, skip);
    return timer + sim_load(t->s, &t->w, in->kind, in->target, t->target, 1);
}

static uint64_t tip_now(struct tip_side *t)
{
    sim_spend(t->s, t->s->pending);
    t->s->pending = 0;
    return (uint64_t)(t->s->now_ns * t->s->cache.chip.sm_mhz / 1000);
}

#define TIP_FN static
#include "../kernels/tip.h"

int sim_tip(struct device *d, int sm, const struct l2_tip_in *in, struct l2_tip_out *out)
{
    struct sim *s = sim_of(d);
    struct tip_side t = {.s = s};

    if (sim_begin(s, "tip") != 0 || sim_sm(s, "tip", sm) != 0 ||
        sim_inside(s, "tip", in->target, 8) != 0 ||
        sim_inside(s, "tip", in->pool.base, (uint64_t)in->pool.stride << in->pool.log2_lines) != 0)
        return -1;
    if (!sim_is_load(in->kind))
        return device_fail(d, "tip: not a load: kind %u", in->kind);
    t.w = sim_walker(s, sm);
    t.target = cache_ref(&s->cache, in->target);
    memset(out, 0, sizeof *out);
    tip_search(&t, in, out);
    free(t.position);
    free(t.line);
    return 0;
}
