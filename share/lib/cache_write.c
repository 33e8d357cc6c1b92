/* Stores, atomics and discards on the cache model: at the line's home, copies dropped; or kept up to date, as chip.copy_store
 * says. */
#include "cache_set.h"

#include "mem.h"

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
    set_clean(c, &s->state[first]);
    if (c->chip.dirty_excess == EXCESS_EVICT)
        set_take_out(c, s, first);
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

static void store_sectors(struct cache *c, const struct set *s, unsigned way, uint32_t first,
                          uint32_t bytes)
{
    uint32_t sector = c->chip.sector, end = first + bytes;

    for (uint32_t k = first / sector; k * sector < end; k++) {
        uint32_t from = k * sector > first ? k * sector : first;
        uint32_t to = (k + 1) * sector < end ? (k + 1) * sector : end;

        store_sector(c, s, way, k, from - k * sector, to - from);
    }
}

/* STORE_KEEPS, from another side than the line's home: the copy takes the store, too, or is made. */
static void store_copy(struct cache *c, struct cache_ref r, unsigned side, uint32_t first,
                       uint32_t bytes, unsigned flags, struct cache_answer *a)
{
    struct set own = set_at(c, side, r.at.set);
    unsigned ways = c->chip.ways, way = set_find(own.tag, ways, r.line);

    if (way < ways) {
        set_touch(c, &own, way);
    } else if (c->chip.write_allocate != ALLOCATE_NONE) {
        way = set_fill(c, &own, r, flags, a);
        own.state[way] |= COPY;
        c->count.copies++;
    } else {
        return;
    }
    store_sectors(c, &own, way, first, bytes);
}

struct cache_answer cache_store(struct cache *c, struct cache_ref r, unsigned side, uint32_t first,
                                uint32_t bytes, unsigned flags)
{
    struct set s = set_at(c, r.at.side, r.at.set);
    uint32_t sectors = cache_sectors(c, first, bytes);
    unsigned ways = c->chip.ways, way = set_find(s.tag, ways, r.line), far = side != r.at.side;
    struct cache_answer a = {(uint8_t)((way < ways ? CACHE_LOCAL : CACHE_DRAM) + far), 0, 0};
    bool hit, copies = c->chip.sides > 1 && c->chip.copies != COPIES_NEVER;
    bool keeps = copies && far && c->chip.copy_store == STORE_KEEPS;

    if (copies)
        set_drop_copies(c, r.at, r.line, keeps ? side : r.at.side);
    if (keeps)
        store_copy(c, r, side, first, bytes, flags, &a);
    if (way < ways) {
        set_touch(c, &s, way);
    } else if (c->chip.write_allocate == ALLOCATE_NONE) {
        c->count.dram_write += sectors_in(sectors);
        return a;
    } else if (c->chip.write_allocate == ALLOCATE_FETCH) {
        way = set_read_home(c, &s, r, sectors, 0, flags & ~(unsigned)CACHE_QUIET, &a, &hit);
    } else {
        way = set_fill(c, &s, r, flags, &a);
    }
    store_sectors(c, &s, way, first, bytes);
    make_dirty(c, &s, way, sectors);
    return a;
}

struct cache_answer cache_atomic(struct cache *c, struct cache_ref r, unsigned side,
                                 uint32_t sectors)
{
    struct set s = set_at(c, r.at.side, r.at.set);
    struct cache_answer a = {0, 0, 0};
    bool hit;
    unsigned way = set_read_home(c, &s, r, sectors, 0, 0, &a, &hit);

    a.level = (uint8_t)((hit ? CACHE_LOCAL : CACHE_DRAM) + (side != r.at.side));
    if (c->chip.sides > 1 && c->chip.copies != COPIES_NEVER)
        set_drop_copies(c, r.at, r.line, r.at.side);
    make_dirty(c, &s, way, sectors);
    return a;
}

void cache_discard(struct cache *c, struct cache_ref r)
{
    struct set s = set_at(c, r.at.side, r.at.set);
    unsigned way = set_find(s.tag, c->chip.ways, r.line);

    if (way < c->chip.ways)
        set_take_out(c, &s, way);
    if (c->chip.sides > 1)
        set_drop_copies(c, r.at, r.line, r.at.side);
}
