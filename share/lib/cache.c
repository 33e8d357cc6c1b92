/* The cache model. A set is one block of memory that fits a few lines of the host's cache:
 *   ways tags of 32 bits (physical line number), ways bytes of the policy, the number of lines held, ways states.
 * Tags stay where they are; the policy's bytes say which way goes next. */
#include "cache.h"
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EMPTY 0xffffffffu

/* A way's state: valid sectors in bits 0-7, dirty in 8-15, partly written in 16-23, and */
#define COPY    (1u << 24)
#define KEEP    (1u << 25)
#define TOUCHED (1u << 26) /* a home line that another side has read */

struct set {
    uint32_t *tag, *state;
    uint8_t *policy, *held;
    uint64_t number; /* over all sides */
};

static struct set set_at(const struct cache *c, unsigned side, uint32_t set)
{
    uint64_t number = side * c->nset + set;
    uint8_t *b = c->block + number * c->stride;
    unsigned ways = c->chip.ways;
    struct set s = {(uint32_t *)(void *)b, (uint32_t *)(void *)(b + c->state_at), b + 4 * ways,
                    b + 5 * ways, number};

    return s;
}

int cache_init(struct cache *c, const struct chip *chip, char *why, size_t why_size)
{
    memset(c, 0, sizeof *c);
    c->chip = *chip;
    if (policy_find(chip->policy, &c->policy) != 0 || placer_init(&c->placer, chip) != 0) {
        snprintf(why, why_size, "masks with too many runs of bits");
        return -1;
    }
    c->nset = (uint64_t)chip->slices * chip->sets;
    c->state_at = (5 * (size_t)chip->ways + 4) / 4 * 4;
    c->stride = (c->state_at + 4 * (size_t)chip->ways + 63) / 64 * 64;
    if (posix_memalign((void **)&c->block, 64, c->nset * chip->sides * c->stride) != 0) {
        snprintf(why, why_size, "no memory for %llu sets", (unsigned long long)c->nset);
        return -1;
    }
    c->page_shift = (uint32_t)__builtin_ctzll(chip->page);
    c->line_shift = (uint32_t)__builtin_ctz(chip->line);
    c->lru = strcmp(c->policy.name, "lru") == 0;
    rng_seed(&c->rng, chip->seed ^ 0x6361636865);
    cache_clear(c);
    return 0;
}

void cache_free(struct cache *c)
{
    free(c->block);
    free(c->frame);
    free(c->bytes);
    memset(c, 0, sizeof *c);
}

void cache_clear(struct cache *c)
{
    unsigned ways = c->chip.ways;

    for (unsigned side = 0; side < c->chip.sides; side++)
        for (uint64_t i = 0; i < c->nset; i++) {
            struct set s = set_at(c, side, (uint32_t)i);

            memset(s.tag, 0xff, ways * sizeof *s.tag);
            memset(s.state, 0, ways * sizeof *s.state);
            c->policy.reset(&c->policy, s.policy, ways);
            *s.held = 0;
        }
    memset(&c->count, 0, sizeof c->count);
}

/* Extents of physical memory in random order; the pages of one extent lie together. */
int cache_map(struct cache *c, uint64_t bytes, uint64_t seed)
{
    uint64_t frames = c->chip.memory >> c->page_shift,
             pages = (bytes + c->chip.page - 1) >> c->page_shift;
    uint64_t extent = c->chip.extent < frames ? c->chip.extent : frames, n = frames / extent;
    uint32_t *order;
    struct rng r;

    if (pages > n * extent) {
        extent = 1;
        n = frames;
    }
    if (pages > frames)
        return -1;
    rng_seed(&r, seed);
    order = xmalloc(n * sizeof *order);
    for (uint64_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    rng_shuffle(&r, order, n);
    c->frame = xrealloc(c->frame, pages + 1, sizeof *c->frame);
    c->pages = pages;
    for (uint64_t i = 0; i < pages; i++)
        c->frame[i] = (uint32_t)(order[i / extent] * extent + i % extent);
    free(order);
    return 0;
}

struct cache_ref cache_ref(const struct cache *c, uint64_t offset)
{
    uint64_t frame = c->frame[offset >> c->page_shift];
    uint64_t physical = frame << c->page_shift | (offset & (c->chip.page - 1));
    struct cache_ref r = {place_of(&c->placer, physical), (uint32_t)(physical >> c->line_shift)};

    return r;
}

static void prefetch_set(const struct cache *c, unsigned side, uint32_t set)
{
    const uint8_t *b = c->block + (side * c->nset + set) * c->stride;

    for (size_t i = 0; i < c->stride; i += 64)
        __builtin_prefetch(b + i, 1);
}

void cache_prefetch(const struct cache *c, struct cache_ref r, unsigned side)
{
    prefetch_set(c, r.at.side, r.at.set);
    if (r.at.side != side)
        prefetch_set(c, side, r.at.set);
}

uint32_t cache_sectors(const struct cache *c, uint64_t offset, uint32_t bytes)
{
    uint32_t first = (uint32_t)(offset & (c->chip.line - 1)), last = first + bytes - 1;

    last = last < c->chip.line ? last : c->chip.line - 1;
    return (2u << last / c->chip.sector) - (1u << first / c->chip.sector);
}

/* The blocks of `fetch` bytes around sectors. */
static uint32_t widen(const struct cache *c, uint32_t sectors, uint32_t fetch)
{
    uint32_t n = c->chip.line / c->chip.sector, group, all = (1u << n) - 1, wide = 0;

    fetch = fetch == 0 ? c->chip.fetch : fetch;
    group = fetch / c->chip.sector;
    if (group <= 1)
        return sectors;
    if (group >= n)
        return all;
    for (uint32_t at = 0; at < n; at += group) {
        uint32_t block = ((1u << group) - 1) << at;

        wide |= sectors & block ? block : 0;
    }
    return wide;
}

static unsigned find(const uint32_t *tag, unsigned ways, uint32_t line)
{
    unsigned w = 0;

    while (w < ways && tag[w] != line)
        w++;
    return w;
}

static void touch(struct cache *c, struct set s, unsigned way)
{
    if (c->lru)
        policy_to_front(s.policy, way);
    else
        c->policy.hit(&c->policy, s.policy, c->chip.ways, way, &c->rng);
}

static uint32_t sectors_in(uint32_t bits)
{
    return (uint32_t)__builtin_popcount(bits & 0xff);
}

/* Writes back what is dirty; true if something was. */
static bool clean(struct cache *c, uint32_t *state)
{
    uint32_t dirty = *state >> 8 & 0xff;

    c->count.dram_write += sectors_in(dirty);
    *state &= ~0xff00u;
    return dirty != 0;
}

static void take_out(struct cache *c, struct set s, unsigned way)
{
    s.tag[way] = EMPTY;
    s.state[way] = 0;
    --*s.held;
    c->policy.low(&c->policy, s.policy, c->chip.ways, way);
}

static void drop_copies(struct cache *c, struct place at, uint32_t line)
{
    for (unsigned side = 0; side < c->chip.sides; side++) {
        struct set s;
        unsigned w;

        if (side == at.side)
            continue;
        s = set_at(c, side, at.set);
        w = find(s.tag, c->chip.ways, line);
        if (w < c->chip.ways) {
            take_out(c, s, w);
            c->count.dropped++;
        }
    }
}

/* The victim's neighbour in the order that is not persisting; the victim when all are. */
static unsigned spare(const struct cache *c, struct set s, unsigned victim)
{
    unsigned ways = c->chip.ways;

    for (unsigned k = 0; k < ways; k++) {
        unsigned w = c->policy.list ? s.policy[ways - 1 - k] : (victim + k) % ways;

        if (!(s.state[w] & KEEP))
            return w;
    }
    return victim;
}

static void evict(struct cache *c, struct set s, struct place at, unsigned way,
                  struct cache_answer *a)
{
    c->count.evicted++;
    a->dirty_victim = (uint8_t)(a->dirty_victim + clean(c, &s.state[way]));
    if (c->chip.copy_drop && !(s.state[way] & COPY) && c->chip.sides > 1) {
        at.side = (uint8_t)(s.number / c->nset);
        drop_copies(c, at, s.tag[way]);
    }
}

static unsigned empty_way(const struct cache *c, struct set s)
{
    uint32_t empty = 0;

    for (unsigned w = 0; w < c->chip.ways; w++)
        empty |= (uint32_t)(s.tag[w] == EMPTY) << w;
    return policy_empty_way(&c->policy, empty);
}

static bool may_keep(const struct cache *c, struct set s)
{
    uint32_t kept = 0;

    for (unsigned w = 0; w < c->chip.ways; w++)
        kept += (s.state[w] & KEEP) != 0;
    return kept < c->keep_ways;
}

/* A way for a line that is not in the set. */
static unsigned fill(struct cache *c, struct set s, struct cache_ref r, unsigned flags,
                     struct cache_answer *a)
{
    unsigned ways = c->chip.ways, way;
    uint32_t keep = flags & CACHE_KEEP && c->keep_ways > 0 && may_keep(c, s) ? KEEP : 0;

    if (*s.held < ways) {
        way = empty_way(c, s);
        ++*s.held;
    } else {
        way = c->lru ? s.policy[ways - 1] : c->policy.victim(&c->policy, s.policy, ways, &c->rng);
        if (s.state[way] & KEEP)
            way = spare(c, s, way);
        evict(c, s, r.at, way, a);
    }
    s.tag[way] = r.line;
    s.state[way] = keep;
    if (c->lru)
        policy_to_front(s.policy, way);
    else
        c->policy.fill(&c->policy, s.policy, ways, way, &c->rng);
    if (flags & CACHE_LOW)
        c->policy.low(&c->policy, s.policy, ways, way);
    return way;
}

/* Makes sectors of the home line valid; *hit says whether they were. The way, or `ways` with CACHE_QUIET. */
static unsigned read_home(struct cache *c, struct set s, struct cache_ref r, uint32_t sectors,
                          uint32_t fetch, unsigned flags, struct cache_answer *a, bool *hit)
{
    unsigned ways = c->chip.ways, way = find(s.tag, ways, r.line);
    uint32_t get;

    if (way < ways) {
        touch(c, s, way);
        *hit = (s.state[way] & sectors) == sectors;
        if (*hit)
            return way;
        a->sector_miss = 1;
    } else {
        *hit = false;
        if (flags & CACHE_QUIET) {
            c->count.dram_read += sectors_in(sectors);
            return ways;
        }
        way = fill(c, s, r, flags, a);
    }
    get = widen(c, sectors, fetch) & ~s.state[way] & 0xff;
    c->count.dram_read += sectors_in(get);
    s.state[way] = (s.state[way] | get) & ~(get << 16);
    return way;
}

/* A load of a line whose home is another side than the SM's, with copies. */
static void load_far(struct cache *c, struct cache_ref r, unsigned side, uint32_t sectors,
                     uint32_t fetch, unsigned flags, struct cache_answer *a)
{
    struct set own = set_at(c, side, r.at.set), home = set_at(c, r.at.side, r.at.set);
    unsigned ways = c->chip.ways, way = find(own.tag, ways, r.line), at_home;
    uint32_t get;
    bool hit, touched;

    if (way < ways) {
        touch(c, own, way);
        if ((own.state[way] & sectors) == sectors)
            return;
        a->sector_miss = 1;
    }
    at_home = read_home(c, home, r, sectors, fetch, flags, a, &hit);
    a->level = hit ? CACHE_REMOTE : CACHE_DRAM_REMOTE;
    if (at_home == ways)
        return;
    get = widen(c, sectors, fetch) & home.state[at_home] & 0xff;
    touched = home.state[at_home] & TOUCHED;
    home.state[at_home] |= TOUCHED;
    /* The home's eviction may have dropped the copy that was found above. */
    way = way < ways && own.tag[way] == r.line ? way : ways;
    if (way == ways) {
        if (flags & CACHE_QUIET || (c->chip.copies == COPIES_SECOND && !touched))
            return;
        way = fill(c, own, r, flags | (c->chip.copy_insert == INSERT_LRU ? CACHE_LOW : 0), a);
        own.state[way] |= COPY;
        c->count.copies++;
    }
    own.state[way] |= get;
}

struct cache_answer cache_load(struct cache *c, struct cache_ref r, unsigned side, uint32_t sectors,
                               uint32_t fetch, unsigned flags)
{
    struct cache_answer a = {CACHE_LOCAL, 0, 0};
    bool hit;

    if (side != r.at.side && c->chip.copies != COPIES_NEVER) {
        load_far(c, r, side, sectors, fetch, flags, &a);
        return a;
    }
    read_home(c, set_at(c, r.at.side, r.at.set), r, sectors, fetch, flags, &a, &hit);
    a.level = (uint8_t)((hit ? CACHE_LOCAL : CACHE_DRAM) + (side != r.at.side));
    return a;
}

static uint64_t byte_mask(uint32_t first, uint32_t bytes)
{
    return (bytes >= 64 ? ~0ull : (1ull << bytes) - 1) << first;
}

/* One sector of a store: bytes first .. first + bytes - 1 of sector k. */
static void store_sector(struct cache *c, struct set s, unsigned way, uint32_t k, uint32_t first,
                         uint32_t bytes)
{
    uint32_t bit = 1u << k, n = c->chip.line / c->chip.sector;
    uint64_t *mask;

    if (s.state[way] & bit)
        return;
    if (bytes < c->chip.sector && c->chip.partial_store == PARTIAL_MASK) {
        if (c->bytes == NULL)
            c->bytes = xcalloc(c->nset * c->chip.sides * c->chip.ways, n * sizeof *c->bytes);
        mask = &c->bytes[(s.number * c->chip.ways + way) * n + k];
        if (!(s.state[way] & bit << 16))
            *mask = 0;
        *mask |= byte_mask(first, bytes);
        s.state[way] |= bit << 16;
        if (*mask != byte_mask(0, c->chip.sector))
            return;
    } else if (bytes < c->chip.sector) {
        c->count.dram_read++;
    }
    s.state[way] = (s.state[way] | bit) & ~(bit << 16);
}

/* Keeps the set's dirty lines within chip.dirty_ways: the one that the policy would part with first is written back. */
static void limit_dirty(struct cache *c, struct set s, unsigned newest)
{
    unsigned ways = c->chip.ways, dirty = 0, first = ways;

    for (unsigned k = 0; k < ways; k++) {
        unsigned w = c->policy.list ? s.policy[ways - 1 - k] : k;

        if (!(s.state[w] & 0xff00u))
            continue;
        dirty++;
        first = first == ways && w != newest ? w : first;
    }
    if (dirty <= c->chip.dirty_ways || first == ways)
        return;
    clean(c, &s.state[first]);
    if (c->chip.dirty_excess == EXCESS_EVICT)
        take_out(c, s, first);
}

static void make_dirty(struct cache *c, struct set s, unsigned way, uint32_t sectors)
{
    if (!c->chip.write_back) {
        c->count.dram_write += sectors_in(sectors);
        return;
    }
    s.state[way] |= sectors << 8;
    if (c->chip.dirty_ways > 0)
        limit_dirty(c, s, way);
}

struct cache_answer cache_store(struct cache *c, struct cache_ref r, unsigned side, uint32_t first,
                                uint32_t bytes, unsigned flags)
{
    struct set s = set_at(c, r.at.side, r.at.set);
    uint32_t sector = c->chip.sector, sectors = cache_sectors(c, first, bytes), end = first + bytes;
    unsigned ways = c->chip.ways, way = find(s.tag, ways, r.line), far = side != r.at.side;
    struct cache_answer a = {(uint8_t)((way < ways ? CACHE_LOCAL : CACHE_DRAM) + far), 0, 0};
    bool hit;

    if (c->chip.sides > 1 && c->chip.copies != COPIES_NEVER)
        drop_copies(c, r.at, r.line);
    if (way < ways) {
        touch(c, s, way);
    } else if (c->chip.write_allocate == ALLOCATE_NONE) {
        c->count.dram_write += sectors_in(sectors);
        return a;
    } else if (c->chip.write_allocate == ALLOCATE_FETCH) {
        way = read_home(c, s, r, sectors, 0, flags & ~(unsigned)CACHE_QUIET, &a, &hit);
    } else {
        way = fill(c, s, r, flags, &a);
    }
    for (uint32_t k = first / sector; k * sector < end; k++) {
        uint32_t from = k * sector > first ? k * sector : first;
        uint32_t to = (k + 1) * sector < end ? (k + 1) * sector : end;

        store_sector(c, s, way, k, from - k * sector, to - from);
    }
    make_dirty(c, s, way, sectors);
    return a;
}

struct cache_answer cache_atomic(struct cache *c, struct cache_ref r, unsigned side,
                                 uint32_t sectors)
{
    struct set s = set_at(c, r.at.side, r.at.set);
    struct cache_answer a = {0, 0, 0};
    bool hit;
    unsigned way = read_home(c, s, r, sectors, 0, 0, &a, &hit);

    a.level = (uint8_t)((hit ? CACHE_LOCAL : CACHE_DRAM) + (side != r.at.side));
    if (c->chip.sides > 1 && c->chip.copies != COPIES_NEVER)
        drop_copies(c, r.at, r.line);
    make_dirty(c, s, way, sectors);
    return a;
}

void cache_discard(struct cache *c, struct cache_ref r)
{
    struct set s = set_at(c, r.at.side, r.at.set);
    unsigned way = find(s.tag, c->chip.ways, r.line);

    if (way < c->chip.ways)
        take_out(c, s, way);
    if (c->chip.sides > 1)
        drop_copies(c, r.at, r.line);
}

void cache_persist(struct cache *c, uint32_t ways)
{
    c->keep_ways = ways < c->chip.ways ? ways : c->chip.ways;
    if (ways > 0)
        return;
    for (uint64_t i = 0; i < c->nset * c->chip.sides; i++) {
        struct set s = set_at(c, 0, (uint32_t)i);

        for (unsigned w = 0; w < c->chip.ways; w++)
            s.state[w] &= ~KEEP;
    }
}

uint32_t cache_state(const struct cache *c, struct cache_ref r, unsigned side)
{
    struct set s = set_at(c, side, r.at.set);
    unsigned way = find(s.tag, c->chip.ways, r.line);

    return way < c->chip.ways ? s.state[way] & 0xffff : 0;
}
