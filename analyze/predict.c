/* The pattern's accesses on the cache model, in order. A page's lines are looked up when the first of them is needed, into a
 * table of 32 bits a line; the accesses of a batch are looked up there first, and the host's caches are asked for the sets of
 * what comes AHEAD accesses later. */
#include "predict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/cache_ahead.h"
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

/* Accesses that the pattern makes at once, and their first lines. */
struct batch {
    size_t n;
    struct access access[BATCH];
    struct cache_ref ref[BATCH];
};

/* What the SMs of a side have met. */
struct tally {
    uint64_t level[CACHE_LEVELS], atoms, stores;
    uint64_t dirty_victims; /* of what level[] counts */
    uint64_t read, written; /* sectors */
};

struct predictor {
    struct cache cache;
    struct ideal ideal;
    const struct cache_count *count; /* of the one of them that runs */
    uint32_t *at;                    /* of each line of the buffer: set << SIDE_BITS | side */
    bool *known;                     /* of each page: at[] has its lines */
    uint64_t lines;
    uint8_t *sm_side;
    struct tally tally[CHIP_SIDES];
    unsigned side;          /* of the SM at work */
    uint64_t read, written; /* of count, before it */
    uint64_t walk, walked;  /* most accesses of a walk (0: no lists), those of this one */
    unsigned walker;        /* its SM */
    double foreign_access, foreign_walk,
        foreign;    /* lines of others on all sides; those that are owed */
    struct rng rng; /* of where they lie */
    enum predict_effect effect;
};

/* All lines of a page. */
static __attribute__((noinline)) void look_up(struct predictor *m, uint64_t page)
{
    const struct cache *c = &m->cache;
    uint32_t *to = &m->at[page << c->in_page];

    for (uint32_t high = 0; high < 1u << (c->in_page - c->low_bits); high++) {
        struct place_part above = place_join(c->page[page], c->high[high]);

        for (uint32_t low = 0; low <= c->low_mask; low++) {
            struct place at = place_from(&c->placer, place_join(above, c->low[low]));

            *to++ = at.set << SIDE_BITS | at.side;
        }
    }
    m->known[page] = true;
}

/* What cache_ref gives, but for slice and sub-slice, which the cache does not need. */
static inline struct cache_ref ref_of(struct predictor *m, uint64_t line)
{
    uint64_t page = line >> m->cache.in_page;
    uint32_t at;

    if (!m->known[page])
        look_up(m, page);
    at = m->at[line];
    return (struct cache_ref){{.set = at >> SIDE_BITS, .side = at & ((1u << SIDE_BITS) - 1)},
                              m->cache.first[page] + (uint32_t)(line - (page << m->cache.in_page))};
}

static unsigned home_of(void *context, uint64_t offset)
{
    struct predictor *m = context;

    return ref_of(m, offset >> m->cache.line_shift).at.side;
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
    uint64_t lists = o->walk * (LISTED + RESULT);
    int failed;

    *c = *chip;
    apply(c, o->effect);
    failed = cache_init(&m->cache, c, why, size);
    m->lines = (p->bytes + c->line - 1) / c->line;
    if (!failed && cache_map(&m->cache, m->lines * c->line + lists, rng_mix(o->pages)) != 0) {
        snprintf(why, size, "%s: the chip's memory is too small", p->text);
        failed = -1;
    }
    free(c);
    if (failed)
        return -1;
    m->effect = o->effect;
    m->walk = o->walk;
    m->foreign_access = o->foreign_access * m->cache.chip.sides;
    m->foreign_walk = o->foreign_walk * m->cache.chip.sides;
    rng_seed(&m->rng, o->pages);
    m->at = xmalloc_large((m->cache.pages << m->cache.in_page) * sizeof *m->at);
    m->known = xcalloc(m->cache.pages, sizeof *m->known);
    m->sm_side = xcalloc(m->cache.chip.sms, 1);
    chip_sm_sides(&m->cache.chip, m->sm_side);
    m->count = o->effect == EFFECT_CONFLICTS ? &m->ideal.count : &m->cache.count;
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
    free(m->known);
    free(m->sm_side);
}

/* The part of an access that lies in one line, from byte `first` of it on. */
static inline __attribute__((always_inline)) struct cache_answer
one_line(struct predictor *m, const struct access *a, uint64_t line, const struct cache_ref *r,
         uint32_t first, uint32_t bytes)
{
    static const uint8_t flags[TRACE_KINDS] = {
        [TRACE_LOAD_FIRST] = CACHE_LOW,
        [TRACE_STORE_FIRST] = CACHE_LOW,
        [TRACE_LOAD_LAST] = CACHE_KEEP,
        [TRACE_STORE_LAST] = CACHE_KEEP,
    };
    struct cache *c = &m->cache;
    uint32_t sectors = cache_sectors(c, first, bytes);

    if (m->effect == EFFECT_CONFLICTS)
        return a->kind <= TRACE_LOAD_LAST
                   ? ideal_load(&m->ideal, (uint32_t)line, r->at.side, m->side, sectors)
               : a->kind <= TRACE_STORE_LAST
                   ? ideal_store(&m->ideal, (uint32_t)line, r->at.side, m->side, first, bytes)
                   : ideal_atomic(&m->ideal, (uint32_t)line, r->at.side, m->side, sectors);
    if (a->kind <= TRACE_LOAD_LAST)
        return cache_load(c, *r, m->side, sectors, 0, flags[a->kind]);
    if (a->kind <= TRACE_STORE_LAST)
        return cache_store(c, *r, m->side, first, bytes, flags[a->kind]);
    return cache_atomic(c, *r, m->side, sectors);
}

/* The part of an access beyond its first line. */
static __attribute__((noinline)) struct cache_answer further_lines(struct predictor *m,
                                                                   const struct access *a,
                                                                   uint64_t at, uint32_t left,
                                                                   struct cache_answer got)
{
    uint32_t line = m->cache.chip.line, part;

    for (; left > 0; left -= part) {
        struct cache_answer now;
        struct cache_ref next;

        part = line < left ? line : left;
        next = ref_of(m, ++at);
        now = one_line(m, a, at, &next, 0, part);
        got.level = now.level > got.level ? now.level : got.level;
        got.dirty_victim += now.dirty_victim;
    }
    return got;
}

/* An access whose first line is looked up; the slowest of its lines counts. */
static inline struct cache_answer all_lines(struct predictor *m, const struct access *a,
                                            const struct cache_ref *r)
{
    uint32_t line = m->cache.chip.line, first = (uint32_t)a->offset & (line - 1);
    uint64_t at = a->offset >> m->cache.line_shift;

    if (first + a->bytes <= line)
        return one_line(m, a, at, r, first, a->bytes);
    return further_lines(m, a, at, first + a->bytes - line,
                         one_line(m, a, at, r, first, line - first));
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

/* What is read and written from now on goes to a side. */
static void begin_side(struct predictor *m, unsigned side)
{
    m->side = side;
    m->read = m->count->dram_read;
    m->written = m->count->dram_write;
}

static void end_side(struct predictor *m)
{
    struct tally *t = &m->tally[m->side];

    t->read += m->count->dram_read - m->read;
    t->written += m->count->dram_write - m->written;
}

/* What passes the cache besides the pattern's own accesses; nothing of it is counted. */
static void besides(struct predictor *m, unsigned sm)
{
    if (m->effect == EFFECT_CONFLICTS)
        return;
    end_side(m);
    if (m->walk > 0)
        count_walk(m, sm);
    if (m->foreign_access > 0)
        take_foreign(m, m->foreign_access);
    begin_side(m, m->side);
}

static inline void run_one(struct predictor *m, const struct access *a, const struct cache_ref *r)
{
    unsigned side = m->sm_side[a->sm];
    struct tally *t = &m->tally[side];
    struct cache_answer got;

    if (m->side != side) {
        end_side(m);
        begin_side(m, side);
    }
    if (m->walk > 0 || m->foreign_access > 0)
        besides(m, a->sm);
    got = all_lines(m, a, r);
    if (!trace_answers(a->kind)) {
        t->stores++;
        return;
    }
    t->level[got.level]++;
    t->dirty_victims += got.dirty_victim;
    t->atoms += a->kind == TRACE_ATOM;
}

/* A store looks for copies on every side. */
static inline __attribute__((always_inline)) void
prefetch(const struct predictor *m, const struct access *a, const struct cache_ref *r)
{
    const struct cache *c = &m->cache;

    if (a->kind <= TRACE_LOAD_LAST) {
        cache_prefetch_set(c, m->sm_side[a->sm], r->at.set);
        cache_prefetch_set(c, r->at.side, r->at.set);
        return;
    }
    for (unsigned side = 0; side < c->chip.sides; side++)
        cache_prefetch_set(c, side, r->at.set);
}

static void leave_stores_out(struct batch *b)
{
    size_t kept = 0;

    for (size_t i = 0; i < b->n; i++)
        if (trace_answers(b->access[i].kind))
            b->access[kept++] = b->access[i];
    b->n = kept;
}

static void next_batch(const struct predictor *m, struct pattern *p, struct batch *b)
{
    size_t made;

    do {
        made = b->n = pattern_fill(p, b->access, BATCH);
        if (m->effect == EFFECT_STORES)
            leave_stores_out(b);
    } while (b->n == 0 && made > 0);
}

/* Looks a batch up, whose part of the table has been asked for, and asks for its first sets. */
static void look_ahead(struct predictor *m, struct batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        b->ref[i] = ref_of(m, b->access[i].offset >> m->cache.line_shift);
    for (size_t i = 0; i < AHEAD && i < b->n; i++)
        prefetch(m, &b->access[i], &b->ref[i]);
}

/* Between the accesses of a batch, one at a time, so that the host keeps up with them, it is asked for sets of later ones and
 * for the lines of the next batch. */
static void run_batch(struct predictor *m, const struct batch *b, const struct batch *next)
{
    for (size_t i = 0; i < b->n; i++) {
        if (i + AHEAD < b->n)
            prefetch(m, &b->access[i + AHEAD], &b->ref[i + AHEAD]);
        if (i < next->n)
            __builtin_prefetch(&m->at[next->access[i].offset >> m->cache.line_shift]);
        run_one(m, &b->access[i], &b->ref[i]);
    }
}

static void run_pass(struct predictor *m, struct pattern *p, struct batch two[2])
{
    struct batch *now = &two[0], *next = &two[1], *t;

    pattern_pass(p);
    begin_side(m, m->side);
    for (next_batch(m, p, now); now->n > 0; t = now, now = next, next = t) {
        next_batch(m, p, next);
        look_ahead(m, now);
        run_batch(m, now, next);
    }
    end_side(m);
}

/* Adds to count[]. */
static void count_up(const struct predictor *m, const struct chip *chip,
                     struct predict_count count[CHIP_SIDES])
{
    const uint32_t latency[CACHE_LEVELS] = {
        [CACHE_LOCAL] = chip->latency_local,
        [CACHE_REMOTE] = chip->latency_remote,
        [CACHE_DRAM] = chip->latency_dram,
        [CACHE_DRAM_REMOTE] = chip->latency_dram_remote,
    };

    for (uint32_t s = 0; s < chip->sides; s++) {
        const struct tally *t = &m->tally[s];

        for (int k = 0; k < CACHE_LEVELS; k++) {
            count[s].level[k] += t->level[k];
            count[s].cycles += t->level[k] * latency[k];
        }
        count[s].cycles += t->dirty_victims * chip->dirty_evict + t->atoms * chip->atom_extra;
        count[s].stores += t->stores;
        count[s].read += t->read << m->cache.sector_shift;
        count[s].written += t->written << m->cache.sector_shift;
    }
}

int predict_run(const struct chip *chip, struct pattern *p, const struct predict_options *o,
                struct predict_count count[CHIP_SIDES], char *why, size_t size)
{
    struct predictor *m = xcalloc(1, sizeof *m);
    struct batch *two = xmalloc(2 * sizeof *two);
    struct pattern_env env = {.sms = chip->sms, .context = m, .seed = o->seed};
    int failed = set_up(m, chip, p, o, why, size);

    if (!failed) {
        env.sm_side = chip->sides > 1 ? m->sm_side : NULL;
        env.home = chip->sides > 1 ? home_of : NULL;
        failed = pattern_start(p, &env, why, size);
    }
    for (uint64_t pass = 0; !failed && pass < o->warm + o->passes; pass++) {
        if (pass == o->warm)
            memset(m->tally, 0, sizeof m->tally);
        run_pass(m, p, two);
    }
    if (!failed)
        count_up(m, chip, count);
    clean_up(m);
    free(m);
    free(two);
    return failed;
}

void predict_add(struct predict_count *to, const struct predict_count *c)
{
    for (int i = 0; i < CACHE_LEVELS; i++)
        to->level[i] += c->level[i];
    to->stores += c->stores;
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
    c->read = rounded(c->read, n);
    c->written = rounded(c->written, n);
    c->cycles = rounded(c->cycles, n);
}

uint64_t predict_answers(const struct predict_count *c)
{
    return c->level[0] + c->level[1] + c->level[2] + c->level[3];
}
