/* From what the cache model answers to cycles: latency of the level, offsets of SM and slice, noise, drift.
 *
 * All sums are in 1/16 cycle; jitter is drawn once into a table of SIM_JITTER values, so that an access costs one
 * random number. A noisy neighbour loads lines of its own from random places. */
#include "sim.h"

#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>

static int16_t sixteenths(double cycles)
{
    double v = rint(cycles * 16);

    return (int16_t)(v > 32767 ? 32767 : v < -32767 ? -32767 : v);
}

static double spread(struct rng *r, double by)
{
    return by * (2 * rng_uniform(r) - 1);
}

/* Offsets are of the chip's seed, so that two opens of it agree. Two neighbouring SMs share their place. */
static void init_offsets(struct sim *s)
{
    const struct chip *c = &s->cache.chip;
    uint32_t slices = c->sides * c->slices, subs = c->sub_slices;
    double *of_place = xmalloc(slices * subs * sizeof *of_place), of_sm = 0;
    struct rng r;

    s->places = slices * subs;
    s->offset = xcalloc((size_t)c->sms * s->places, sizeof *s->offset);
    rng_seed(&r, c->seed ^ 0x6f6666736574);
    for (uint32_t i = 0; i < slices; i++) {
        double of_slice = spread(&r, c->spread_slice);

        for (uint32_t k = 0; k < subs; k++)
            of_place[i * subs + k] = of_slice + spread(&r, c->spread_sub);
    }
    for (uint32_t sm = 0; sm < c->sms; sm++) {
        int16_t *row = s->offset + (size_t)sm * s->places;

        of_sm = sm % 2 == 0 ? spread(&r, c->spread_sm) : of_sm;
        for (uint32_t i = 0; i < slices; i++) {
            double pair = sm % 2 == 0 ? spread(&r, c->spread_pair) : 0;

            for (uint32_t k = 0; k < subs; k++)
                row[i * subs + k] = sm % 2 == 0 ? sixteenths(of_sm + pair + of_place[i * subs + k])
                                                : row[(size_t)i * subs + k - s->places];
        }
    }
    free(of_place);
}

void sim_time_init(struct sim *s)
{
    const struct chip *c = &s->cache.chip;
    const uint32_t latency[] = {c->latency_local, c->latency_remote, c->latency_dram,
                                c->latency_dram_remote};

    for (size_t i = 0; i < CACHE_LEVELS; i++)
        s->latency[i] = latency[i];
    for (size_t i = 0; i < SIM_JITTER; i++) {
        s->jitter[i] = sixteenths(c->noise * rng_normal(&s->rng));
        s->jitter_dram[i] = sixteenths(c->noise_dram * rng_normal(&s->rng));
    }
    s->outlier_below = (uint32_t)fmin(c->outlier_rate * 0x1p32, 4294967295.0);
    s->sm_side = xmalloc(c->sms);
    chip_sm_sides(c, s->sm_side);
    init_offsets(s);
    s->mhz = c->sm_mhz;
    sim_spend(s, 0);
}

double sim_mhz(const struct sim *s)
{
    return s->mhz;
}

void sim_spend(struct sim *s, uint64_t cycles)
{
    const struct chip *c = &s->cache.chip;
    double factor = 1;

    s->now_ns += (double)cycles * 1000 / sim_mhz(s);
    if (c->drift > 0)
        factor += c->drift * sin(6.283185307179586 * s->now_ns * 1e-9 / c->drift_seconds);
    s->scale = (uint32_t)lrint(factor * 65536);
    s->mhz = c->sm_mhz * factor;
    if (c->warmup_ms > 0)
        s->mhz *= 1 - 0.1 * exp(-s->now_ns * 1e-6 / c->warmup_ms);
}

static void spend_later(struct sim *s, uint32_t cycles)
{
    s->pending += cycles;
    if (s->pending < 100000)
        return;
    sim_spend(s, s->pending);
    s->pending = 0;
}

static void neighbour(struct sim *s)
{
    const struct chip *c = &s->cache.chip;

    for (s->foreign += c->neighbour; s->foreign >= 1; s->foreign--) {
        uint64_t physical = rng_below(&s->rng, c->memory / c->line) * c->line;
        struct cache_ref r = {place_of(&s->cache.placer, physical), (uint32_t)(physical / c->line)};

        cache_load(&s->cache, r, (unsigned)rng_below(&s->rng, c->sides), 1, 0, 0);
    }
}

/* Cycles of an access that the cache answered, without timer and TLB. */
static uint32_t cycles_of(struct sim *s, const struct sim_walker *w, struct place at,
                          struct cache_answer a)
{
    const struct chip *c = &s->cache.chip;
    uint64_t u = rng_u64(&s->rng);
    uint32_t side = a.level == CACHE_LOCAL || a.level == CACHE_DRAM ? w->side : at.side;
    uint32_t place = (side * c->slices + at.slice) * c->sub_slices + at.sub;
    int64_t t = (int64_t)s->latency[a.level] * 16 + w->offset[place] + s->jitter[u % SIM_JITTER];

    if (a.level >= CACHE_DRAM)
        t += s->jitter_dram[u / SIM_JITTER % SIM_JITTER];
    t += (int64_t)a.dirty_victim * c->dirty_evict * 16;
    if ((uint32_t)(u >> 32) < s->outlier_below)
        t += (int64_t)(-log(1 - rng_uniform(&s->rng)) * c->outlier_cycles * 16);
    t = t * s->scale >> 16;
    return t < 16 ? 1 : (uint32_t)(t >> 4);
}

static uint32_t fetch_of(uint32_t kind)
{
    return kind == L2_LD_PF64 ? 64 : kind == L2_LD_PF128 ? 128 : kind == L2_LD_PF256 ? 256 : 0;
}

/* A hint of more than a line brings the lines behind this one when their start is touched. */
static void follow_hint(struct sim *s, const struct sim_walker *w, uint32_t kind, uint64_t offset)
{
    const struct chip *c = &s->cache.chip;
    uint32_t bytes = fetch_of(kind);

    if (bytes == 0 || bytes != c->hint_lead || offset % bytes != 0)
        return;
    for (uint32_t at = c->line; at < bytes && offset + at < s->dev.bytes; at += c->line)
        cache_load(&s->cache, cache_ref(&s->cache, offset + at), w->side,
                   cache_sectors(&s->cache, offset + at, c->line), 0, 0);
}

/* Persisting is by window: this share of its lines, the same ones each time. */
static unsigned flags_of(const struct sim *s, uint32_t kind, uint64_t offset, uint32_t line)
{
    unsigned flags;

    if (kind <= L2_LD_CV && s->window_bytes == 0)
        return 0;
    flags = kind == L2_LD_EVICT_FIRST || kind == L2_ST_EVICT_FIRST ? CACHE_LOW : 0;

    if (kind == L2_LD_EVICT_LAST || kind == L2_ST_EVICT_LAST)
        flags |= CACHE_KEEP;
    if (s->window_bytes > 0 && offset - s->window_start < s->window_bytes &&
        (double)(rng_mix(line) >> 11) * 0x1p-53 < s->window_ratio)
        flags |= CACHE_KEEP;
    return flags;
}

bool sim_is_load(uint32_t kind)
{
    return kind >= L2_LD_CG && kind <= L2_LD_PF256;
}

uint32_t sim_load(struct sim *s, const struct sim_walker *w, uint32_t kind, uint64_t offset,
                  struct cache_ref r, uint32_t sectors)
{
    struct cache_answer a;
    uint32_t cycles = 0;

    if (kind == L2_LD_CA && w->l1 != NULL && l1_access(w->l1, r.line) &&
        (!s->cache.chip.l1_inclusive || cache_state(&s->cache, r, w->side) != 0)) {
        cycles = s->cache.chip.l1_latency;
        spend_later(s, cycles);
        return cycles;
    }
    if (s->tlb.levels > 0)
        cycles = tlb_access(&s->tlb, (uint32_t)(offset >> s->cache.page_shift));
    a = cache_load(&s->cache, r, w->side, sectors, fetch_of(kind),
                   flags_of(s, kind, offset, r.line));
    if (s->cache.chip.hint_lead > 0)
        follow_hint(s, w, kind, offset);
    if (s->cache.chip.neighbour > 0)
        neighbour(s);
    cycles += cycles_of(s, w, r.at, a);
    spend_later(s, cycles);
    return cycles;
}

/* Stores and atomics, within one line. */
static uint32_t change(struct sim *s, const struct sim_walker *w, uint32_t kind, uint64_t offset,
                       uint32_t bytes)
{
    const struct chip *c = &s->cache.chip;
    struct cache_ref r = cache_ref(&s->cache, offset);
    struct cache_answer a;
    uint32_t cycles =
        s->tlb.levels ? tlb_access(&s->tlb, (uint32_t)(offset >> s->cache.page_shift)) : 0;

    if (w->l1 != NULL)
        l1_drop(w->l1, r.line);
    if (kind == L2_ATOM || kind == L2_RED)
        a = cache_atomic(&s->cache, r, w->side, cache_sectors(&s->cache, offset, bytes));
    else
        a = cache_store(&s->cache, r, w->side, (uint32_t)(offset & (c->line - 1)), bytes,
                        flags_of(s, kind, offset, r.line));
    if (c->neighbour > 0)
        neighbour(s);
    if (kind == L2_ATOM)
        cycles += cycles_of(s, w, r.at, a) + c->atom_extra;
    else
        cycles += c->store_latency + (uint32_t)a.dirty_victim * c->dirty_evict;
    spend_later(s, cycles);
    return cycles;
}

static uint32_t one_line(struct sim *s, const struct sim_walker *w, uint32_t kind, uint64_t offset,
                         uint32_t bytes)
{
    struct cache_ref r;

    if (!sim_is_load(kind) && kind != L2_PREFETCH && kind != L2_DISCARD)
        return change(s, w, kind, offset, bytes);
    r = cache_ref(&s->cache, offset);
    if (kind == L2_DISCARD)
        sim_discard(s, offset);
    else if (kind == L2_PREFETCH)
        cache_load(&s->cache, r, w->side, cache_sectors(&s->cache, offset, bytes), 0,
                   flags_of(s, kind, offset, r.line));
    else
        return sim_load(s, w, kind, offset, r, cache_sectors(&s->cache, offset, bytes));
    return s->cache.chip.store_latency;
}

uint32_t sim_access(struct sim *s, const struct sim_walker *w, uint32_t kind, uint64_t offset,
                    uint32_t bytes)
{
    uint32_t line = s->cache.chip.line, timer = s->cache.chip.timer, most = 0;

    if (kind == L2_WAIT)
        most = (uint32_t)((double)offset * sim_mhz(s) / 1000);
    if (kind == L2_FENCE)
        most = s->cache.chip.latency_remote;
    if (kind == L2_NOP || kind == L2_WAIT || kind == L2_FENCE) {
        sim_spend(s, most + timer);
        return most + timer;
    }
    for (uint64_t at = offset; at < offset + bytes;) {
        uint64_t next = (at | (line - 1)) + 1;
        uint32_t part = (uint32_t)((next < offset + bytes ? next : offset + bytes) - at);
        uint32_t cycles = one_line(s, w, kind, at, part);

        most = cycles > most ? cycles : most;
        at = next;
    }
    return most + timer;
}
