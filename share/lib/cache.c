/* The cache model. A set is one block of memory that fits a few lines of the host's cache,
 *   tags of 32 bits (physical line number), the policy's bytes, the number of lines held, states of 16 bits:
 * for 16 ways two lines of the host.
 * Tags stay where they are; the policy's bytes say which way goes next. */
#include "cache.h"
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EMPTY 0xffffffffu

/* A way's state: valid sectors in bits 0-3, dirty in 4-7, partly written in 8-11, and */
#define SECTORS 0xfu
#define DIRTY   0xf0u
#define PARTIAL 8
#define COPY    (1u << 12)
#define KEEP    (1u << 13)
#define TOUCHED (1u << 14) /* a home line that another side has read */

struct set {
    uint32_t *tag;
    uint16_t *state;
    uint8_t *policy, *held;
    uint64_t number; /* over all sides */
};

static inline struct set set_at(const struct cache *c, unsigned side, uint32_t set)
{
    uint64_t number = side * c->nset + set;
    uint8_t *b = c->block + number * c->stride;
    struct set s = {(uint32_t *)(void *)b, (uint16_t *)(void *)(b + c->state_at), b + c->policy_at,
                    b + c->held_at, number};

    return s;
}

/* Large pages of the host, where it has them: sets are met in random order. */
static uint8_t *blocks(size_t bytes)
{
    size_t huge = 2u << 20, room = (bytes + huge - 1) / huge * huge;
    void *b = aligned_alloc(huge, room);

    if (b != NULL)
        (void)madvise(b, room, MADV_HUGEPAGE);
    return b;
}

static void layout(struct cache *c)
{
    uint32_t ways = c->chip.ways;

    c->policy_at = (ways + 3) / 4 * 16;
    c->held_at = c->policy_at + (ways + 7) / 8 * 8;
    c->state_at = c->held_at + 2;
    c->stride = (c->state_at + 2 * (size_t)ways + 63) / 64 * 64;
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
    layout(c);
    c->block = blocks(c->nset * chip->sides * c->stride);
    if (c->block == NULL) {
        snprintf(why, why_size, "no memory for %llu sets", (unsigned long long)c->nset);
        return -1;
    }
    c->page_shift = (uint32_t)__builtin_ctzll(chip->page);
    c->line_shift = (uint32_t)__builtin_ctz(chip->line);
    c->sector_shift = (uint32_t)__builtin_ctz(chip->sector);
    c->lru = strcmp(c->policy.name, "lru") == 0;
    cache_fetch(c, chip->fetch);
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

            memset(s.tag, 0xff, c->policy_at);
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

static inline void prefetch_set(const struct cache *c, unsigned side, uint32_t set)
{
    const uint8_t *b = c->block + (side * c->nset + set) * c->stride;

    for (size_t i = 0; i < c->stride; i += 64)
        __builtin_prefetch(b + i, 1);
}

void cache_prefetch(const struct cache *c, struct cache_ref r, unsigned side)
{
    if (r.at.side != side && c->chip.copies != COPIES_NEVER)
        prefetch_set(c, side, r.at.set);
    if (r.at.side == side || c->far_missed)
        prefetch_set(c, r.at.side, r.at.set);
}

/* The blocks of `fetch` bytes around sectors. */
static uint32_t widen(const struct cache *c, uint32_t sectors, uint32_t fetch)
{
    uint32_t n = c->chip.line >> c->sector_shift, group = fetch >> c->sector_shift, wide = 0;

    if (group <= 1)
        return sectors;
    if (group >= n)
        return (1u << n) - 1;
    for (uint32_t at = 0; at < n; at += group) {
        uint32_t block = ((1u << group) - 1) << at;

        wide |= sectors & block ? block : 0;
    }
    return wide;
}

void cache_fetch(struct cache *c, uint32_t bytes)
{
    c->chip.fetch = bytes;
    for (uint32_t sectors = 0; sectors <= SECTORS; sectors++)
        c->wide[sectors] = (uint8_t)widen(c, sectors, bytes);
}

static uint32_t fetched(const struct cache *c, uint32_t sectors, uint32_t fetch)
{
    return fetch == 0 ? c->wide[sectors] : widen(c, sectors, fetch);
}

/* Four tags at once, without a branch; `ways` when there is none. Tags are padded to a multiple of four. */
typedef uint32_t four __attribute__((vector_size(16)));

static inline unsigned find(const uint32_t *tag, unsigned ways, uint32_t line)
{
    four want = {line, line, line, line}, lane = {1, 2, 3, 4}, at = {0}, got;

    for (unsigned w = 0; w < ways; w += 4, lane += 4) {
        memcpy(&got, tag + w, sizeof got);
        at |= (four)(got == want) & lane;
    }
    at[0] |= at[1] | at[2] | at[3];
    return at[0] != 0 ? at[0] - 1 : ways;
}

static inline void touch(struct cache *c, const struct set *s, unsigned way)
{
    if (c->lru)
        policy_to_front(s->policy, way);
    else
        c->policy.hit(&c->policy, s->policy, c->chip.ways, way, &c->rng);
}

static uint32_t sectors_in(uint32_t bits)
{
    static const uint8_t ones[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

    return ones[bits & SECTORS];
}

/* Writes back what is dirty; true if something was. */
static bool clean(struct cache *c, uint16_t *state)
{
    uint32_t dirty = *state >> 4 & SECTORS;

    c->count.dram_write += sectors_in(dirty);
    *state &= (uint16_t)~DIRTY;
    return dirty != 0;
}

static void take_out(struct cache *c, const struct set *s, unsigned way)
{
    s->tag[way] = EMPTY;
    s->state[way] = 0;
    --*s->held;
    c->policy.low(&c->policy, s->policy, c->chip.ways, way);
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
            take_out(c, &s, w);
            c->count.dropped++;
        }
    }
}

/* The victim's neighbour in the order that is not persisting; the victim when all are. */
static unsigned spare(const struct cache *c, const struct set *s, unsigned victim)
{
    unsigned ways = c->chip.ways;

    for (unsigned k = 0; k < ways; k++) {
        unsigned w = c->policy.list ? s->policy[ways - 1 - k] : (victim + k) % ways;

        if (!(s->state[w] & KEEP))
            return w;
    }
    return victim;
}

static void evict(struct cache *c, const struct set *s, struct place at, unsigned way,
                  struct cache_answer *a)
{
    c->count.evicted++;
    a->dirty_victim = (uint8_t)(a->dirty_victim + clean(c, &s->state[way]));
    if (c->chip.copy_drop && !(s->state[way] & COPY) && c->chip.sides > 1) {
        at.side = (uint8_t)(s->number / c->nset);
        drop_copies(c, at, s->tag[way]);
    }
}

static unsigned empty_way(const struct cache *c, const struct set *s)
{
    uint32_t empty = 0;

    for (unsigned w = 0; w < c->chip.ways; w++)
        empty |= (uint32_t)(s->tag[w] == EMPTY) << w;
    return policy_empty_way(&c->policy, empty);
}

static bool may_keep(const struct cache *c, const struct set *s)
{
    uint32_t kept = 0;

    for (unsigned w = 0; w < c->chip.ways; w++)
        kept += (s->state[w] & KEEP) != 0;
    return kept < c->keep_ways;
}

/* A way for a line that is not in the set. */
static unsigned fill(struct cache *c, const struct set *s, struct cache_ref r, unsigned flags,
                     struct cache_answer *a)
{
    unsigned ways = c->chip.ways, way;
    uint32_t keep = flags & CACHE_KEEP && c->keep_ways > 0 && may_keep(c, s) ? KEEP : 0;

    if (*s->held < ways) {
        way = empty_way(c, s);
        ++*s->held;
    } else {
        way = c->lru ? s->policy[ways - 1] : c->policy.victim(&c->policy, s->policy, ways, &c->rng);
        if (s->state[way] & KEEP)
            way = spare(c, s, way);
        evict(c, s, r.at, way, a);
    }
    s->tag[way] = r.line;
    s->state[way] = (uint16_t)keep;
    if (c->lru)
        policy_to_front(s->policy, way);
    else
        c->policy.fill(&c->policy, s->policy, ways, way, &c->rng);
    if (flags & CACHE_LOW)
        c->policy.low(&c->policy, s->policy, ways, way);
    return way;
}

/* Makes sectors of the home line valid; *hit says whether they were. The way, or `ways` with CACHE_QUIET. */
static unsigned read_home(struct cache *c, const struct set *s, struct cache_ref r,
                          uint32_t sectors, uint32_t fetch, unsigned flags, struct cache_answer *a,
                          bool *hit)
{
    unsigned ways = c->chip.ways, way = find(s->tag, ways, r.line);
    uint32_t get;

    if (way < ways) {
        touch(c, s, way);
        *hit = (s->state[way] & sectors) == sectors;
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
    get = fetched(c, sectors, fetch) & ~(uint32_t)s->state[way] & SECTORS;
    c->count.dram_read += sectors_in(get);
    s->state[way] = (uint16_t)((s->state[way] | get) & ~(get << PARTIAL));
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
        touch(c, &own, way);
        c->far_missed = (own.state[way] & sectors) != sectors;
        if (!c->far_missed)
            return;
        a->sector_miss = 1;
    }
    c->far_missed = true;
    at_home = read_home(c, &home, r, sectors, fetch, flags, a, &hit);
    a->level = hit ? CACHE_REMOTE : CACHE_DRAM_REMOTE;
    if (at_home == ways)
        return;
    get = fetched(c, sectors, fetch) & home.state[at_home] & SECTORS;
    touched = home.state[at_home] & TOUCHED;
    home.state[at_home] |= TOUCHED;
    /* The home's eviction may have dropped the copy that was found above. */
    way = way < ways && own.tag[way] == r.line ? way : ways;
    if (way == ways) {
        if (flags & CACHE_QUIET || (c->chip.copies == COPIES_SECOND && !touched))
            return;
        way = fill(c, &own, r, flags | (c->chip.copy_insert == INSERT_LRU ? CACHE_LOW : 0), a);
        own.state[way] |= COPY;
        c->count.copies++;
    }
    own.state[way] = (uint16_t)(own.state[way] | get);
}

struct cache_answer cache_load(struct cache *c, struct cache_ref r, unsigned side, uint32_t sectors,
                               uint32_t fetch, unsigned flags)
{
    struct cache_answer a = {CACHE_LOCAL, 0, 0};
    struct set home;
    bool hit;

    if (side != r.at.side && c->chip.copies != COPIES_NEVER) {
        load_far(c, r, side, sectors, fetch, flags, &a);
        return a;
    }
    home = set_at(c, r.at.side, r.at.set);
    read_home(c, &home, r, sectors, fetch, flags, &a, &hit);
    a.level = (uint8_t)((hit ? CACHE_LOCAL : CACHE_DRAM) + (side != r.at.side));
    return a;
}

static uint64_t byte_mask(uint32_t first, uint32_t bytes)
{
    return (bytes >= 64 ? ~0ull : (1ull << bytes) - 1) << first;
}

/* One sector of a store: bytes first .. first + bytes - 1 of sector k. */
static void store_sector(struct cache *c, const struct set *s, unsigned way, uint32_t k,
                         uint32_t first, uint32_t bytes)
{
    uint32_t bit = 1u << k, n = c->chip.line / c->chip.sector;
    uint64_t *mask;

    if (s->state[way] & bit)
        return;
    if (bytes < c->chip.sector && c->chip.partial_store == PARTIAL_MASK) {
        if (c->bytes == NULL)
            c->bytes = xcalloc(c->nset * c->chip.sides * c->chip.ways, n * sizeof *c->bytes);
        mask = &c->bytes[(s->number * c->chip.ways + way) * n + k];
        if (!(s->state[way] & bit << PARTIAL))
            *mask = 0;
        *mask |= byte_mask(first, bytes);
        s->state[way] = (uint16_t)(s->state[way] | bit << PARTIAL);
        if (*mask != byte_mask(0, c->chip.sector))
            return;
    } else if (bytes < c->chip.sector) {
        c->count.dram_read++;
    }
    s->state[way] = (uint16_t)((s->state[way] | bit) & ~(bit << PARTIAL));
}

/* Keeps the set's dirty lines within chip.dirty_ways: the one that the policy would part with first is written back. */
static void limit_dirty(struct cache *c, const struct set *s, unsigned newest)
{
    unsigned ways = c->chip.ways, dirty = 0, first = ways;

    for (unsigned k = 0; k < ways; k++) {
        unsigned w = c->policy.list ? s->policy[ways - 1 - k] : k;

        if (!(s->state[w] & DIRTY))
            continue;
        dirty++;
        first = first == ways && w != newest ? w : first;
    }
    if (dirty <= c->chip.dirty_ways || first == ways)
        return;
    clean(c, &s->state[first]);
    if (c->chip.dirty_excess == EXCESS_EVICT)
        take_out(c, s, first);
}

static void make_dirty(struct cache *c, const struct set *s, unsigned way, uint32_t sectors)
{
    if (!c->chip.write_back) {
        c->count.dram_write += sectors_in(sectors);
        return;
    }
    s->state[way] = (uint16_t)(s->state[way] | sectors << 4);
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
        touch(c, &s, way);
    } else if (c->chip.write_allocate == ALLOCATE_NONE) {
        c->count.dram_write += sectors_in(sectors);
        return a;
    } else if (c->chip.write_allocate == ALLOCATE_FETCH) {
        way = read_home(c, &s, r, sectors, 0, flags & ~(unsigned)CACHE_QUIET, &a, &hit);
    } else {
        way = fill(c, &s, r, flags, &a);
    }
    for (uint32_t k = first / sector; k * sector < end; k++) {
        uint32_t from = k * sector > first ? k * sector : first;
        uint32_t to = (k + 1) * sector < end ? (k + 1) * sector : end;

        store_sector(c, &s, way, k, from - k * sector, to - from);
    }
    make_dirty(c, &s, way, sectors);
    return a;
}

struct cache_answer cache_atomic(struct cache *c, struct cache_ref r, unsigned side,
                                 uint32_t sectors)
{
    struct set s = set_at(c, r.at.side, r.at.set);
    struct cache_answer a = {0, 0, 0};
    bool hit;
    unsigned way = read_home(c, &s, r, sectors, 0, 0, &a, &hit);

    a.level = (uint8_t)((hit ? CACHE_LOCAL : CACHE_DRAM) + (side != r.at.side));
    if (c->chip.sides > 1 && c->chip.copies != COPIES_NEVER)
        drop_copies(c, r.at, r.line);
    make_dirty(c, &s, way, sectors);
    return a;
}

void cache_discard(struct cache *c, struct cache_ref r)
{
    struct set s = set_at(c, r.at.side, r.at.set);
    unsigned way = find(s.tag, c->chip.ways, r.line);

    if (way < c->chip.ways)
        take_out(c, &s, way);
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
            s.state[w] &= (uint16_t)~KEEP;
    }
}

uint32_t cache_state(const struct cache *c, struct cache_ref r, unsigned side)
{
    struct set s = set_at(c, side, r.at.set);
    unsigned way = find(s.tag, c->chip.ways, r.line);

    return way < c->chip.ways ? s.state[way] & (SECTORS | DIRTY) : 0;
}
