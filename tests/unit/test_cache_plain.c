/* The cache model against a model written again from its description, slow and plain, on drawn chips. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "share/lib/cache_ahead.h"
#include "share/lib/chip_draw.h"
#include "share/lib/mem.h"

/* The other model: sets are lists, newest first; LRU and FIFO only. */
struct way {
    uint64_t line;
    uint32_t valid, dirty;
    uint8_t byte[256]; /* stored in a sector that is not valid */
    bool copy, touched;
};

struct plain {
    const struct chip *c;
    struct way *way; /* [side][set][ways] */
    uint32_t *held;
    uint32_t nset;
    uint64_t dram_read, dram_write, dropped, copies;
    bool fifo;
};

static struct way *set_of(struct plain *p, unsigned side, uint32_t set, uint32_t **held)
{
    uint64_t k = (uint64_t)side * p->nset + set;

    *held = &p->held[k];
    return p->way + k * p->c->ways;
}

static int find(struct plain *p, unsigned side, uint32_t set, uint64_t line)
{
    uint32_t *held;
    struct way *w = set_of(p, side, set, &held);

    for (uint32_t i = 0; i < *held; i++)
        if (w[i].line == line)
            return (int)i;
    return -1;
}

static unsigned bits(uint32_t x)
{
    return (unsigned)__builtin_popcount(x);
}

static void remove_at(struct plain *p, unsigned side, uint32_t set, int i)
{
    uint32_t *held;
    struct way *w = set_of(p, side, set, &held);

    memmove(w + i, w + i + 1, (*held - (uint32_t)i - 1) * sizeof *w);
    --*held;
}

static void drop_copies(struct plain *p, struct place at, uint64_t line)
{
    for (unsigned side = 0; side < p->c->sides; side++) {
        int i = side == at.side ? -1 : find(p, side, at.set, line);

        if (i >= 0) {
            remove_at(p, side, at.set, i);
            p->dropped++;
        }
    }
}

/* To the front on a use, unless FIFO. */
static struct way *use(struct plain *p, unsigned side, uint32_t set, int i)
{
    uint32_t *held;
    struct way *w = set_of(p, side, set, &held), t = w[i];

    if (p->fifo)
        return w + i;
    memmove(w + 1, w, (size_t)i * sizeof *w);
    w[0] = t;
    return w;
}

static struct way *insert(struct plain *p, unsigned side, struct place at, uint64_t line, bool low,
                          uint64_t *dirty_victims)
{
    uint32_t *held;
    struct way *w = set_of(p, side, at.set, &held), fresh = {.line = line};
    size_t place;

    if (*held == p->c->ways) {
        struct way *last = w + *held - 1;

        p->dram_write += bits(last->dirty);
        *dirty_victims += last->dirty != 0;
        if (p->c->copy_drop && !last->copy)
            drop_copies(p, (struct place){at.set, 0, (uint8_t)side, 0}, last->line);
        --*held;
    }
    place = low ? *held : 0;
    memmove(w + place + 1, w + place, (*held - place) * sizeof *w);
    w[place] = fresh;
    ++*held;
    return w + place;
}

static uint32_t wide(const struct chip *c, uint32_t sectors)
{
    uint32_t n = c->line / c->sector, group = c->fetch / c->sector, out = 0;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            if (sectors >> k & 1 && i / group == k / group)
                out |= 1u << i;
    return out;
}

static struct way *at_home(struct plain *p, struct place at, uint64_t line, uint32_t sectors,
                           struct cache_answer *a, bool *hit)
{
    int i = find(p, at.side, at.set, line);
    struct way *w;
    uint64_t dirty = a->dirty_victim;
    uint32_t get;

    *hit = false;
    if (i >= 0) {
        w = use(p, at.side, at.set, i);
        if ((w->valid & sectors) == sectors) {
            *hit = true;
            return w;
        }
    } else {
        w = insert(p, at.side, at, line, false, &dirty);
        a->dirty_victim = dirty;
    }
    get = wide(p->c, sectors) & ~w->valid;
    p->dram_read += bits(get);
    w->valid |= get;
    for (uint32_t k = 0; k < p->c->line; k++)
        if (get >> k / p->c->sector & 1)
            w->byte[k] = 0;
    return w;
}

static struct cache_answer plain_load(struct plain *p, struct place at, uint64_t line,
                                      unsigned side, uint32_t sectors)
{
    struct cache_answer a = {0, 0};
    bool hit, touched;
    uint32_t get;
    struct way *w, *own = NULL;
    uint64_t dirty;
    int i;

    if (side == at.side || p->c->copies == COPIES_NEVER) {
        at_home(p, at, line, sectors, &a, &hit);
        a.level = (uint64_t)((hit ? 0 : 2) + (side != at.side));
        return a;
    }
    i = find(p, side, at.set, line);
    if (i >= 0) {
        own = use(p, side, at.set, i);
        if ((own->valid & sectors) == sectors)
            return a;
    }
    w = at_home(p, at, line, sectors, &a, &hit);
    a.level = hit ? CACHE_REMOTE : CACHE_DRAM_REMOTE;
    get = wide(p->c, sectors) & w->valid;
    touched = w->touched;
    w->touched = true;
    i = find(p, side, at.set, line);
    if (i < 0) {
        if (p->c->copies == COPIES_SECOND && !touched)
            return a;
        dirty = a.dirty_victim;
        own = insert(p, side, at, line, p->c->copy_insert == INSERT_LRU, &dirty);
        a.dirty_victim = dirty;
        own->copy = true;
        p->copies++;
    } else {
        uint32_t *held;

        own = set_of(p, side, at.set, &held) + i;
    }
    own->valid |= get;
    return a;
}

static void spoil(struct plain *p, struct place at, uint64_t line, uint32_t sectors)
{
    int i = find(p, at.side, at.set, line), oldest = -1;
    uint32_t *held, dirty = 0;
    struct way *w = set_of(p, at.side, at.set, &held);

    if (!p->c->write_back) {
        p->dram_write += bits(sectors);
        return;
    }
    w[i].dirty |= sectors;
    for (uint32_t k = 0; k < *held; k++)
        if (w[k].dirty) {
            dirty++;
            oldest = w[k].line != line ? (int)k : oldest;
        }
    if (p->c->dirty_ways == 0 || dirty <= p->c->dirty_ways || oldest < 0)
        return;
    p->dram_write += bits(w[oldest].dirty);
    w[oldest].dirty = 0;
    if (p->c->dirty_excess == EXCESS_EVICT)
        remove_at(p, at.side, at.set, oldest);
}

static struct cache_answer plain_store(struct plain *p, struct place at, uint64_t line,
                                       unsigned side, uint32_t first, uint32_t bytes)
{
    const struct chip *c = p->c;
    int i = find(p, at.side, at.set, line);
    struct cache_answer a = {(uint64_t)((i >= 0 ? 0 : 2) + (side != at.side)), 0};
    uint32_t sectors = 0;
    struct way *w;
    uint64_t dirty = 0;
    bool hit;

    for (uint32_t k = first; k < first + bytes; k++)
        sectors |= 1u << k / c->sector;
    if (c->copies != COPIES_NEVER)
        drop_copies(p, at, line);
    if (i < 0 && c->write_allocate == ALLOCATE_NONE) {
        p->dram_write += bits(sectors);
        return a;
    }
    if (i >= 0) {
        w = use(p, at.side, at.set, i);
    } else if (c->write_allocate == ALLOCATE_FETCH) {
        w = at_home(p, at, line, sectors, &a, &hit);
    } else {
        w = insert(p, at.side, at, line, false, &dirty);
        a.dirty_victim = dirty;
    }
    for (uint32_t s = 0; s < c->line / c->sector; s++) {
        uint32_t stored = 0, have = 0;

        if (!(sectors >> s & 1) || w->valid >> s & 1)
            continue;
        for (uint32_t k = s * c->sector; k < (s + 1) * c->sector; k++) {
            bool now = k >= first && k < first + bytes;

            w->byte[k] |= now;
            stored += now;
            have += w->byte[k];
        }
        if (c->partial_store == PARTIAL_FETCH && stored < c->sector)
            p->dram_read++;
        if (c->partial_store == PARTIAL_FETCH || have == c->sector) {
            w->valid |= 1u << s;
            memset(w->byte + s * c->sector, 0, c->sector);
        }
    }
    spoil(p, at, line, sectors);
    return a;
}

static struct cache_answer plain_atomic(struct plain *p, struct place at, uint64_t line,
                                        unsigned side, uint32_t sectors)
{
    struct cache_answer a = {0, 0};
    bool hit;

    at_home(p, at, line, sectors, &a, &hit);
    a.level = (uint64_t)((hit ? 0 : 2) + (side != at.side));
    if (p->c->copies != COPIES_NEVER)
        drop_copies(p, at, line);
    spoil(p, at, line, sectors);
    return a;
}

static void plain_discard(struct plain *p, struct place at, uint64_t line)
{
    int i = find(p, at.side, at.set, line);

    if (i >= 0)
        remove_at(p, at.side, at.set, i);
    drop_copies(p, at, line);
}

/* One random access on both; fails where they differ. */
static void both(struct cache *m, struct plain *p, struct rng *r, uint64_t bytes, const char *what)
{
    const struct chip *c = p->c;
    uint64_t offset = rng_below(r, bytes / c->line) * c->line;
    struct cache_ref ref = cache_ref(m, offset);
    unsigned side = (unsigned)rng_below(r, c->sides), kind = (unsigned)rng_below(r, 20);
    uint32_t first = (uint32_t)rng_below(r, c->line), most = c->line - first;
    uint32_t len = kind % 2 ? 1 + (uint32_t)rng_below(r, most) : most < 8 ? most : 8;
    uint32_t sectors = cache_sectors(m, first, len);
    struct cache_answer a = {0, 0}, b = {0, 0};

    if (kind < 13) {
        a = cache_load(m, ref, side, sectors, 0, 0);
        b = plain_load(p, ref.at, ref.line, side, sectors);
    } else if (kind < 18) {
        a = cache_store(m, ref, side, first, len, 0);
        b = plain_store(p, ref.at, ref.line, side, first, len);
    } else if (kind < 19) {
        a = cache_atomic(m, ref, side, sectors);
        b = plain_atomic(p, ref.at, ref.line, side, sectors);
    } else {
        cache_discard(m, ref);
        plain_discard(p, ref.at, ref.line);
    }
    if (memcmp(&a, &b, sizeof a) != 0)
        fail_msg("%s: kind %u: level %u %u, dirty victims %u %u", what, kind, (unsigned)a.level,
                 (unsigned)b.level, (unsigned)a.dirty_victim, (unsigned)b.dirty_victim);
    if (m->count.dram_read != p->dram_read || m->count.dram_write != p->dram_write ||
        m->count.dropped != p->dropped || m->count.copies != p->copies)
        fail_msg("%s: kind %u: counts differ", what, kind);
}

static void test_against_plain(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct rng r;

    (void)state;
    for (uint64_t seed = 1; seed <= 80; seed++) {
        struct chip_draw how = {.max_lines = 600,
                                .copies = true,
                                .policy = seed % 2 ? "lru" : "fifo",
                                .table = seed % 5 == 0};
        struct plain p = {.c = c, .fifo = seed % 2 == 0};
        struct cache m;
        char why[256], what[64];

        rng_seed(&r, seed);
        chip_draw(c, &r, &how);
        c->sets = 1 + (uint32_t)rng_below(&r, 5);
        c->ways = seed % 4 == 1 ? 16 : c->ways; /* with LRU a path of its own */
        assert_int_equal(cache_init(&m, c, why, sizeof why), 0);
        assert_int_equal(cache_map(&m, 4 << 20, seed), 0);
        p.nset = c->slices * c->sets;
        p.way = xcalloc((size_t)p.nset * c->sides * (c->ways + 1), sizeof *p.way);
        p.held = xcalloc((size_t)p.nset * c->sides, sizeof *p.held);
        snprintf(what, sizeof what, "seed %u", (unsigned)seed);
        for (int k = 0; k < 6000; k++)
            both(&m, &p, &r,
                 chip_capacity(c) * (2 + seed % 3) < 4 << 20 ? chip_capacity(c) * (2 + seed % 3)
                                                             : 4 << 20,
                 what);
        free(p.way);
        free(p.held);
        cache_free(&m);
    }
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_plain)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
