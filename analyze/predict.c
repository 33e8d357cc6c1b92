/* The pattern's accesses on the cache model, in order. A line of the buffer is looked up once, into a table; the host's
 * caches are asked for what comes AHEAD accesses later. */
#include "predict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"
#include "ideal.h"

const struct effect_name effect_names[EFFECTS] = {
    [EFFECT_NONE] = {"-", "the cache as it is"},
    [EFFECT_CAPACITY] = {"capacity", "every side holds twice as much"},
    [EFFECT_COPIES] = {"copies", "no copies of the other side's lines: they are read from there"},
    [EFFECT_CONFLICTS] = {"conflicts", "fully associative with LRU"},
    [EFFECT_SECTORS] = {"sectors", "a miss brings the whole line"},
    [EFFECT_FETCH] = {"fetch", "a miss brings only the sectors asked for"},
    [EFFECT_STORES] = {"stores", "stores left out, and with them their lines and write-backs"},
};

enum { BATCH = 512, AHEAD = 16, FAR_AHEAD = 48 };

struct predictor {
    struct cache cache;
    struct ideal ideal;
    struct cache_ref *ref; /* of each line of the buffer */
    uint64_t lines;
    uint8_t *sm_side;
    struct predict_count *count; /* by side, NULL while it warms up */
    enum predict_effect effect;
};

static unsigned home_of(void *context, uint64_t offset)
{
    const struct predictor *m = context;

    return m->ref[offset >> m->cache.line_shift].at.side;
}

static void apply(struct chip *c, enum predict_effect effect)
{
    if (effect == EFFECT_CAPACITY)
        c->sets *= 2;
    else if (effect == EFFECT_COPIES)
        c->copies = COPIES_NEVER;
    else if (effect == EFFECT_SECTORS)
        c->fetch = c->line;
    else if (effect == EFFECT_FETCH)
        c->fetch = c->sector;
}

bool effect_applies(const struct chip *chip, const struct predict_count *all,
                    enum predict_effect effect)
{
    switch (effect) {
    case EFFECT_COPIES:
        return chip->sides > 1 && chip->copies != COPIES_NEVER;
    case EFFECT_SECTORS:
        return chip->fetch < chip->line;
    case EFFECT_FETCH:
        return chip->fetch > chip->sector;
    case EFFECT_STORES:
        return all->stores > 0;
    default:
        return true;
    }
}

static int set_up(struct predictor *m, const struct chip *chip, const struct pattern *p,
                  const struct predict_options *o, char *why, size_t size)
{
    struct chip *c = xmalloc(sizeof *c);
    int failed;

    *c = *chip;
    apply(c, o->effect);
    failed = cache_init(&m->cache, c, why, size);
    if (!failed && cache_map(&m->cache, p->bytes, rng_mix(o->seed)) != 0) {
        snprintf(why, size, "%s: the chip's memory is too small", p->text);
        failed = -1;
    }
    free(c);
    if (failed)
        return -1;
    m->effect = o->effect;
    m->lines = (p->bytes + m->cache.chip.line - 1) >> m->cache.line_shift;
    m->ref = xmalloc((m->lines + 1) * sizeof *m->ref);
    for (uint64_t i = 0; i < m->lines; i++)
        m->ref[i] = cache_ref(&m->cache, i << m->cache.line_shift);
    m->sm_side = xcalloc(m->cache.chip.sms, 1);
    chip_sm_sides(&m->cache.chip, m->sm_side);
    if (o->effect == EFFECT_CONFLICTS)
        ideal_init(&m->ideal, &m->cache.chip, m->lines);
    return 0;
}

static void clean_up(struct predictor *m)
{
    if (m->effect == EFFECT_CONFLICTS)
        ideal_free(&m->ideal);
    cache_free(&m->cache);
    free(m->ref);
    free(m->sm_side);
}

/* The part of an access that lies in one line. */
static struct cache_answer one_line(struct predictor *m, const struct access *a, uint64_t line,
                                    uint32_t first, uint32_t bytes, unsigned side)
{
    struct cache *c = &m->cache;
    struct cache_ref r = m->ref[line];
    uint32_t sectors = cache_sectors(c, first, bytes);
    unsigned flags = a->kind == TRACE_LOAD_FIRST || a->kind == TRACE_STORE_FIRST ? CACHE_LOW
                     : a->kind == TRACE_LOAD_LAST || a->kind == TRACE_STORE_LAST ? CACHE_KEEP
                                                                                 : 0;

    if (m->effect == EFFECT_CONFLICTS)
        return a->kind <= TRACE_LOAD_LAST
                   ? ideal_load(&m->ideal, (uint32_t)line, r.at.side, side, sectors)
               : a->kind <= TRACE_STORE_LAST
                   ? ideal_store(&m->ideal, (uint32_t)line, r.at.side, side, first, bytes)
                   : ideal_atomic(&m->ideal, (uint32_t)line, r.at.side, side, sectors);
    if (a->kind <= TRACE_LOAD_LAST)
        return cache_load(c, r, side, sectors, 0, flags);
    if (a->kind <= TRACE_STORE_LAST)
        return cache_store(c, r, side, first, bytes, flags);
    return cache_atomic(c, r, side, sectors);
}

static void count_one(struct predictor *m, const struct access *a, struct cache_answer got,
                      unsigned side)
{
    const struct chip *chip = &m->cache.chip;
    const uint32_t latency[] = {chip->latency_local, chip->latency_remote, chip->latency_dram,
                                chip->latency_dram_remote};
    struct predict_count *c = &m->count[side];

    c->sector_miss += got.sector_miss;
    c->dirty_victims += got.dirty_victim;
    if (!trace_answers(a->kind)) {
        c->stores++;
        return;
    }
    c->level[got.level]++;
    c->cycles += latency[got.level] + got.dirty_victim * chip->dirty_evict +
                 (a->kind == TRACE_ATOM ? chip->atom_extra : 0);
}

/* One access: the slowest of its lines counts. */
static void run_one(struct predictor *m, const struct access *a)
{
    struct cache *c = &m->cache;
    const struct cache_count *sum = m->effect == EFFECT_CONFLICTS ? &m->ideal.count : &c->count;
    uint64_t line = a->offset >> c->line_shift, read = sum->dram_read, written = sum->dram_write;
    uint32_t first = (uint32_t)a->offset & (c->chip.line - 1), left = a->bytes;
    unsigned side = m->sm_side[a->sm];
    struct cache_answer got = {0, 0, 0};

    if (m->effect == EFFECT_STORES && !trace_answers(a->kind))
        return;
    for (; left > 0; line++, first = 0) {
        uint32_t part = c->chip.line - first < left ? c->chip.line - first : left;
        struct cache_answer now = one_line(m, a, line, first, part, side);

        got.level = now.level > got.level ? now.level : got.level;
        got.sector_miss |= now.sector_miss;
        got.dirty_victim = (uint8_t)(got.dirty_victim + now.dirty_victim);
        left -= part;
    }
    if (m->count == NULL)
        return;
    count_one(m, a, got, side);
    m->count[side].read += (sum->dram_read - read) << c->sector_shift;
    m->count[side].written += (sum->dram_write - written) << c->sector_shift;
}

static void run_batch(struct predictor *m, const struct access *a, size_t n)
{
    struct cache *c = &m->cache;

    for (size_t i = 0; i < n + FAR_AHEAD; i++) {
        if (i < n)
            __builtin_prefetch(&m->ref[a[i].offset >> c->line_shift]);
        if (i + AHEAD >= FAR_AHEAD && i + AHEAD - FAR_AHEAD < n) {
            const struct access *next = &a[i + AHEAD - FAR_AHEAD];

            cache_prefetch(c, m->ref[next->offset >> c->line_shift], m->sm_side[next->sm]);
        }
        if (i >= FAR_AHEAD)
            run_one(m, &a[i - FAR_AHEAD]);
    }
}

int predict_run(const struct chip *chip, struct pattern *p, const struct predict_options *o,
                struct predict_count count[CHIP_SIDES], char *why, size_t size)
{
    struct predictor *m = xcalloc(1, sizeof *m);
    struct access *a = xmalloc(BATCH * sizeof *a);
    struct pattern_env env = {.sms = chip->sms, .context = m, .seed = o->seed};
    int failed = set_up(m, chip, p, o, why, size);

    if (!failed) {
        env.sm_side = chip->sides > 1 ? m->sm_side : NULL;
        env.home = chip->sides > 1 ? home_of : NULL;
        failed = pattern_start(p, &env, why, size);
    }
    for (uint64_t pass = 0; !failed && pass < o->warm + o->passes; pass++) {
        size_t n;

        m->count = pass < o->warm ? NULL : count;
        pattern_pass(p);
        while ((n = pattern_fill(p, a, BATCH)) > 0)
            run_batch(m, a, n);
    }
    clean_up(m);
    free(m);
    free(a);
    return failed;
}

void predict_add(struct predict_count *to, const struct predict_count *c)
{
    for (int i = 0; i < CACHE_LEVELS; i++)
        to->level[i] += c->level[i];
    to->stores += c->stores;
    to->sector_miss += c->sector_miss;
    to->dirty_victims += c->dirty_victims;
    to->read += c->read;
    to->written += c->written;
    to->cycles += c->cycles;
}

uint64_t predict_answers(const struct predict_count *c)
{
    return c->level[0] + c->level[1] + c->level[2] + c->level[3];
}
