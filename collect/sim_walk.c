/* Ordered lists of accesses on the model: walk (timed), sweep (not), and the clocks. */
#include "sim.h"

enum { AHEAD = 16 };

int sim_walk(struct device *d, int sm, const l2_access *list, size_t n, uint32_t *cycles)
{
    struct sim *s = sim_of(d);
    struct sim_walker w;

    if (sim_begin(s, "walk") != 0 || sim_sm(s, "walk", sm) != 0)
        return -1;
    w = sim_walker(s, sm);
    w.l1 = &s->l1;
    l1_reset(&s->l1, &s->cache.chip, -1);
    for (size_t i = 0; i < n; i++) {
        uint32_t kind = l2_access_kind(list[i]), bytes = l2_access_bytes(list[i]);
        uint64_t offset = l2_access_offset(list[i]);

        if (kind >= L2_KINDS)
            return device_fail(d, "walk: no such kind of access: %u", kind);
        if (kind != L2_NOP && kind != L2_FENCE && kind != L2_WAIT &&
            sim_inside(s, "walk", offset, bytes) != 0)
            return -1;
        cycles[i] = sim_access(s, &w, kind, offset, bytes);
        if (kind == L2_ST && bytes == 1 && offset % 256 == 0)
            sim_zero(s, offset);
    }
    return 0;
}

static uint64_t sweep_offset(const struct sweep *w, uint64_t i)
{
    return w->pool != NULL   ? l2_pool_line(w->pool, (uint32_t)i)
           : w->list != NULL ? w->list[i]
                             : w->start + i * w->stride;
}

static int sweep_check(struct sim *s, const struct sweep *w)
{
    if (w->sm >= 0 && sim_sm(s, "sweep", w->sm) != 0)
        return -1;
    if (w->pool != NULL && w->n > l2_pool_size(w->pool))
        return device_fail(&s->dev, "sweep: the pool has %u lines", l2_pool_size(w->pool));
    if (w->pool != NULL)
        return sim_inside(s, "sweep", w->pool->base,
                          (uint64_t)w->pool->stride << w->pool->log2_lines);
    for (uint64_t i = 0; w->list != NULL && i < w->n; i++)
        if (sim_inside(s, "sweep", w->list[i], 8) != 0)
            return -1;
    if (w->list == NULL && w->n > 0)
        return sim_inside(s, "sweep", w->start, (w->n - 1) * w->stride + 8);
    return 0;
}

/* Plain loads in blocks, looked up ahead. */
static void sweep_loads(struct sim *s, const struct sweep *w, uint64_t from, uint64_t n)
{
    struct cache_ref ref[AHEAD];
    uint64_t offset[AHEAD];
    uint32_t sms = s->cache.chip.sms;

    for (uint64_t i = 0; i < n; i++) {
        offset[i] = sweep_offset(w, from + i);
        ref[i] = cache_ref(&s->cache, offset[i]);
        cache_prefetch(&s->cache, ref[i], w->sm >= 0 ? s->sm_side[w->sm] : ref[i].at.side);
    }
    for (uint64_t i = 0; i < n; i++) {
        struct sim_walker walker = sim_walker(s, w->sm >= 0 ? w->sm : (int)((from + i) % sms));

        sim_load(s, &walker, w->kind, offset[i], ref[i], cache_sectors(&s->cache, offset[i], 8));
    }
}

int sim_sweep(struct device *d, const struct sweep *w)
{
    struct sim *s = sim_of(d);
    uint32_t sms = s->cache.chip.sms;

    if (sim_begin(s, "sweep") != 0 || sweep_check(s, w) != 0)
        return -1;
    if (sim_is_load(w->kind)) {
        for (uint64_t i = 0; i < w->n; i += AHEAD)
            sweep_loads(s, w, i, w->n - i < AHEAD ? w->n - i : AHEAD);
        return 0;
    }
    for (uint64_t i = 0; i < w->n; i++) {
        struct sim_walker walker = sim_walker(s, w->sm >= 0 ? w->sm : (int)(i % sms));

        sim_access(s, &walker, w->kind, sweep_offset(w, i), 8);
    }
    return 0;
}

int sim_ticks(struct device *d, int sm, double ms, uint64_t *cycles, uint64_t *ns)
{
    struct sim *s = sim_of(d);
    double start;

    if (sim_begin(s, "ticks") != 0 || sim_sm(s, "ticks", sm) != 0)
        return -1;
    sim_spend(s, 0);
    start = s->now_ns;
    *cycles = (uint64_t)(ms * 1000 * sim_mhz(s));
    sim_spend(s, *cycles);
    *ns = (uint64_t)(s->now_ns - start + 0.5);
    return 0;
}
