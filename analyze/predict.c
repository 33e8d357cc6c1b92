/* The pattern's accesses on the cache model, in order. A line of the buffer is looked up once, into a table of 32 bits a
 * line; the accesses of a batch are looked up there first, and the host's caches are asked for the sets of what comes
 * AHEAD accesses later. */
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

enum { BATCH = 256, AHEAD = 14, SIDE_BITS = 2 };
enum { LISTED = 8, RESULT = 4 }; /* bytes of an access in the list and the results of a walk */

struct predictor {
    struct cache cache;
    struct ideal ideal;
    uint32_t *at; /* of each line of the buffer: set << SIDE_BITS | side */
    uint64_t lines;
    uint32_t latency[CACHE_LEVELS];
    uint8_t *sm_side;
    struct predict_count *count; /* by side, NULL while it warms up */
    uint64_t walk, walked;       /* most accesses of a walk (0: no lists), those of this one */
    unsigned walker;             /* its SM */
    double foreign_access, foreign_walk,
        foreign;    /* lines of others on all sides; those that are owed */
    struct rng rng; /* of where they lie */
    enum predict_effect effect;
};

static unsigned home_of(void *context, uint64_t offset)
{
    const struct predictor *m = context;

    return m->at[offset >> m->cache.line_shift] & ((1u << SIDE_BITS) - 1);
}

/* What cache_ref gives, but for slice and sub-slice, which the cache does not need. */
static inline struct cache_ref ref_of(const struct predictor *m, uint64_t line)
{
    const struct cache *c = &m->cache;
    uint32_t at = m->at[line], in_page = c->page_shift - c->line_shift;
    struct cache_ref r = {.at = {.set = at >> SIDE_BITS, .side = at & ((1u << SIDE_BITS) - 1)}};

    r.line = c->frame[line >> in_page] << in_page | ((uint32_t)line & ((1u << in_page) - 1));
    return r;
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
    uint64_t lists = o->walk * (LISTED + RESULT) + chip->line;
    int failed;

    *c = *chip;
    apply(c, o->effect);
    failed = cache_init(&m->cache, c, why, size);
    if (!failed && cache_map(&m->cache, p->bytes + lists, rng_mix(o->pages)) != 0) {
        snprintf(why, size, "%s: the chip's memory is too small", p->text);
        failed = -1;
    }
    free(c);
    if (failed)
        return -1;
    m->effect = o->effect;
    m->lines = (p->bytes + m->cache.chip.line - 1) >> m->cache.line_shift;
    m->walk = o->walk;
    m->foreign_access = o->foreign_access * m->cache.chip.sides;
    m->foreign_walk = o->foreign_walk * m->cache.chip.sides;
    rng_seed(&m->rng, o->pages);
    lists >>= m->cache.line_shift;
    m->at = xmalloc((m->lines + lists) * sizeof *m->at);
    for (uint64_t i = 0; i < m->lines + lists - 1; i++) {
        struct cache_ref r = cache_ref(&m->cache, i << m->cache.line_shift);

        m->at[i] = r.at.set << SIDE_BITS | r.at.side;
    }
    m->latency[CACHE_LOCAL] = chip->latency_local;
    m->latency[CACHE_REMOTE] = chip->latency_remote;
    m->latency[CACHE_DRAM] = chip->latency_dram;
    m->latency[CACHE_DRAM_REMOTE] = chip->latency_dram_remote;
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
    free(m->at);
    free(m->sm_side);
}

/* The part of an access that lies in one line. */
static struct cache_answer one_line(struct predictor *m, const struct access *a, uint64_t line,
                                    const struct cache_ref *r, uint32_t first, uint32_t bytes)
{
    struct cache *c = &m->cache;
    uint32_t sectors = cache_sectors(c, first, bytes);
    unsigned side = m->sm_side[a->sm], home = r->at.side;
    unsigned flags = a->kind == TRACE_LOAD_FIRST || a->kind == TRACE_STORE_FIRST ? CACHE_LOW
                     : a->kind == TRACE_LOAD_LAST || a->kind == TRACE_STORE_LAST ? CACHE_KEEP
                                                                                 : 0;

    if (m->effect == EFFECT_CONFLICTS)
        return a->kind <= TRACE_LOAD_LAST
                   ? ideal_load(&m->ideal, (uint32_t)line, home, side, sectors)
               : a->kind <= TRACE_STORE_LAST
                   ? ideal_store(&m->ideal, (uint32_t)line, home, side, first, bytes)
                   : ideal_atomic(&m->ideal, (uint32_t)line, home, side, sectors);
    if (a->kind <= TRACE_LOAD_LAST)
        return cache_load(c, *r, side, sectors, 0, flags);
    if (a->kind <= TRACE_STORE_LAST)
        return cache_store(c, *r, side, first, bytes, flags);
    return cache_atomic(c, *r, side, sectors);
}

/* One access, its first line looked up; the slowest of its lines counts. */
static struct cache_answer all_lines(struct predictor *m, const struct access *a,
                                     const struct cache_ref *r)
{
    struct cache *c = &m->cache;
    uint64_t line = a->offset >> c->line_shift;
    uint32_t first = (uint32_t)a->offset & (c->chip.line - 1), left = a->bytes;
    uint32_t part = c->chip.line - first < left ? c->chip.line - first : left;
    struct cache_answer got = one_line(m, a, line, r, first, part);

    for (left -= part; left > 0; left -= part) {
        struct cache_answer now;
        struct cache_ref next;

        part = c->chip.line < left ? c->chip.line : left;
        line++;
        next = ref_of(m, line);
        now = one_line(m, a, line, &next, 0, part);
        got.level = now.level > got.level ? now.level : got.level;
        got.sector_miss |= now.sector_miss;
        got.dirty_victim = (uint8_t)(got.dirty_victim + now.dirty_victim);
    }
    return got;
}

static void count_one(const struct predictor *m, const struct access *a, struct cache_answer got,
                      struct predict_count *c)
{
    const struct chip *chip = &m->cache.chip;

    c->sector_miss += got.sector_miss;
    c->dirty_victims += got.dirty_victim;
    if (!trace_answers(a->kind)) {
        c->stores++;
        return;
    }
    c->level[got.level]++;
    c->cycles += m->latency[got.level] + got.dirty_victim * chip->dirty_evict +
                 (a->kind == TRACE_ATOM ? chip->atom_extra : 0);
}

/* Lines that nobody here asked for: anywhere in memory, each kept on its home side. */
static void take_foreign(struct predictor *m, double lines)
{
    const struct chip *chip = &m->cache.chip;

    for (m->foreign += lines; m->foreign >= 1; m->foreign--) {
        uint64_t line = rng_below(&m->rng, chip->memory / chip->line);
        struct cache_ref r = {place_of(&m->cache.placer, line * chip->line), (uint32_t)line};

        cache_load(&m->cache, r, r.at.side, 1, 0, 0);
    }
}

/* What a walk of l2collect replay reads and leaves besides: its list, loaded by its SM, and its results, stored by it. Both
 * lie behind the pattern's lines, in the same place each time. */
static void end_walk(struct predictor *m)
{
    struct cache *c = &m->cache;
    uint64_t list = m->walked * LISTED >> c->line_shift,
             all = m->walked * (LISTED + RESULT) >> c->line_shift;
    uint32_t line = c->chip.line;

    for (uint64_t i = 0; i < all; i++) {
        struct cache_ref r = ref_of(m, m->lines + i);

        if (i < list)
            cache_load(c, r, m->sm_side[m->walker], cache_sectors(c, 0, line), 0, 0);
        else
            cache_store(c, r, m->sm_side[m->walker], 0, line, 0);
    }
    m->walked = 0;
    take_foreign(m, m->foreign_walk);
}

static void count_walk(struct predictor *m, unsigned sm)
{
    if (m->walked == m->walk || (m->walked > 0 && sm != m->walker))
        end_walk(m);
    m->walker = sm;
    m->walked++;
}

/* What passes the cache besides the pattern's own accesses; nothing of it is counted. */
static void besides(struct predictor *m, unsigned sm)
{
    if (m->effect == EFFECT_CONFLICTS)
        return;
    if (m->walk > 0)
        count_walk(m, sm);
    if (m->foreign_access > 0)
        take_foreign(m, m->foreign_access);
}

static void run_one(struct predictor *m, const struct access *a, const struct cache_ref *r)
{
    const struct cache_count *sum =
        m->effect == EFFECT_CONFLICTS ? &m->ideal.count : &m->cache.count;
    uint64_t read, written;
    struct predict_count *c;
    struct cache_answer got;

    if (m->effect == EFFECT_STORES && !trace_answers(a->kind))
        return;
    besides(m, a->sm);
    read = sum->dram_read;
    written = sum->dram_write;
    got = all_lines(m, a, r);
    if (m->count == NULL)
        return;
    c = &m->count[m->sm_side[a->sm]];
    count_one(m, a, got, c);
    c->read += (sum->dram_read - read) << m->cache.sector_shift;
    c->written += (sum->dram_write - written) << m->cache.sector_shift;
}

static void prefetch(const struct predictor *m, const struct access *a, const struct cache_ref *r)
{
    unsigned side = m->sm_side[a->sm];

    cache_prefetch(&m->cache, *r, side);
    if (side != r->at.side)
        cache_prefetch(&m->cache, *r, r->at.side);
}

static void run_batch(struct predictor *m, const struct access *a, size_t n)
{
    struct cache_ref ref[BATCH];

    for (size_t i = 0; i < n; i++)
        ref[i] = ref_of(m, a[i].offset >> m->cache.line_shift);
    for (size_t i = 0; i < AHEAD && i < n; i++)
        prefetch(m, &a[i], &ref[i]);
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            prefetch(m, &a[i + AHEAD], &ref[i + AHEAD]);
        run_one(m, &a[i], &ref[i]);
    }
}

/* The next batch, whose lines are asked for before the one before it runs. */
static size_t next_batch(const struct predictor *m, struct pattern *p, struct access *a)
{
    size_t n = pattern_fill(p, a, BATCH);

    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&m->at[a[i].offset >> m->cache.line_shift]);
    return n;
}

static void run_pass(struct predictor *m, struct pattern *p, struct access *two_batches)
{
    struct access *now = two_batches, *next = two_batches + BATCH, *t;
    size_t n, after;

    pattern_pass(p);
    for (n = next_batch(m, p, now); n > 0; n = after) {
        after = next_batch(m, p, next);
        run_batch(m, now, n);
        t = now;
        now = next;
        next = t;
    }
}

int predict_run(const struct chip *chip, struct pattern *p, const struct predict_options *o,
                struct predict_count count[CHIP_SIDES], char *why, size_t size)
{
    struct predictor *m = xcalloc(1, sizeof *m);
    struct access *a = xmalloc(2 * BATCH * sizeof *a);
    struct pattern_env env = {.sms = chip->sms, .context = m, .seed = o->seed};
    int failed = set_up(m, chip, p, o, why, size);

    if (!failed) {
        env.sm_side = chip->sides > 1 ? m->sm_side : NULL;
        env.home = chip->sides > 1 ? home_of : NULL;
        failed = pattern_start(p, &env, why, size);
    }
    for (uint64_t pass = 0; !failed && pass < o->warm + o->passes; pass++) {
        m->count = pass < o->warm ? NULL : count;
        run_pass(m, p, a);
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

static uint64_t rounded(uint64_t a, uint64_t n)
{
    return (a + n / 2) / n;
}

void predict_divide(struct predict_count *c, uint64_t n)
{
    uint64_t sum = predict_answers(c) / n, most = 0;

    for (uint64_t i = 0; i < CACHE_LEVELS; i++) {
        c->level[i] = rounded(c->level[i], n);
        most = c->level[i] > c->level[most] ? i : most;
    }
    c->level[most] += sum - predict_answers(c);
    c->stores = rounded(c->stores, n);
    c->sector_miss = rounded(c->sector_miss, n);
    c->dirty_victims = rounded(c->dirty_victims, n);
    c->read = rounded(c->read, n);
    c->written = rounded(c->written, n);
    c->cycles = rounded(c->cycles, n);
}

uint64_t predict_answers(const struct predict_count *c)
{
    return c->level[0] + c->level[1] + c->level[2] + c->level[3];
}
