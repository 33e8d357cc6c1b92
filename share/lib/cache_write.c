/* Stores, atomics and discards on the cache model: at the line's home, copies dropped; or kept up to date, as chip.copy_store
 * says. */
#include "cache_fill.h"

#include "mem.h"

static uint64_t byte_mask(uint32_t first, uint32_t bytes)
{
    return (bytes >= 64 ? ~0ull : (1ull << bytes) - 1) << first;
}

/* A sector that was not valid: bytes first .. first + bytes - 1 of it are stored. */
static void store_part(struct cache *c, struct set s, unsigned way, uint32_t k, uint32_t first,
                       uint32_t bytes)
{
    uint32_t bit = 1u << k, n = c->chip.line / c->chip.sector;
    uint64_t *mask;

    if (c->chip.partial_store == PARTIAL_MASK) {
        if (c->bytes == NULL)
            c->bytes = xcalloc(c->nset * c->chip.sides * c->chip.ways, n * sizeof *c->bytes);
        mask = &c->bytes[(s.number * c->chip.ways + way) * n + k];
        if (!(s.state[way] & bit << PARTIAL))
            *mask = 0;
        *mask |= byte_mask(first, bytes);
        s.state[way] = (uint16_t)(s.state[way] | bit << PARTIAL);
        if (*mask != byte_mask(0, c->chip.sector))
            return;
    } else {
        c->count.dram_read++;
    }
    s.state[way] = (uint16_t)((s.state[way] | bit) & ~(bit << PARTIAL));
}

/* Makes what is stored valid: whole sectors at once, parts of the first and the last one by themselves. */
static HOT void store_sectors(struct cache *c, struct set s, unsigned way, uint32_t first,
                              uint32_t bytes)
{
    uint32_t sector = c->chip.sector, end = first + bytes;
    uint32_t from = (first + sector - 1) >> c->sector_shift, to = end >> c->sector_shift;
    uint32_t invalid = ~(uint32_t)s.state[way], whole = to > from ? (1u << to) - (1u << from) : 0;
    uint32_t parts = cache_sectors(c, first, bytes) & ~whole & invalid;

    whole &= invalid;
    s.state[way] = (uint16_t)((s.state[way] | whole) & ~(whole << PARTIAL));
    for (; parts != 0; parts &= parts - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(parts), at = k * sector;
        uint32_t low = at > first ? at : first, high = at + sector < end ? at + sector : end;

        store_part(c, s, way, k, low - at, high - low);
    }
}

/* Keeps the set's dirty lines within chip.dirty_ways: the one that the policy would part with first is written back. */
static HOT void limit_dirty(struct cache *c, struct set s, unsigned newest)
{
    unsigned ways = s.is.ways;

    if (*s.dirty <= c->chip.dirty_ways)
        return;
    for (unsigned k = 0; k < ways; k++) {
        unsigned w = c->policy.list ? s.policy[ways - 1 - k] : k;

        if (w == newest || !set_clean(c, s, w))
            continue;
        if (c->chip.dirty_excess == EXCESS_EVICT)
            set_take_out(c, s.number, w);
        return;
    }
}

static HOT void make_dirty(struct cache *c, struct set s, unsigned way, uint32_t sectors)
{
    if (!c->chip.write_back) {
        c->count.dram_write += sectors_in(sectors);
        return;
    }
    *s.dirty = (uint8_t)(*s.dirty + !(s.state[way] & DIRTY));
    s.state[way] = (uint16_t)(s.state[way] | sectors << 4);
    if (c->chip.dirty_ways > 0)
        limit_dirty(c, s, way);
}

/* STORE_KEEPS, from another side than the line's home: the copy takes the store, too, or is made. */
static HOT void store_copy(struct cache *c, struct set own, struct cache_ref r, uint32_t first,
                           uint32_t bytes, unsigned flags, struct cache_answer *a)
{
    unsigned way = set_way(own, r.line);

    if (way < own.is.ways) {
        set_touch(c, own, way);
    } else if (c->chip.write_allocate != ALLOCATE_NONE) {
        way = set_fill(c, own, r, flags, a);
        own.state[way] |= COPY;
        c->count.copies++;
    } else {
        return;
    }
    store_sectors(c, own, way, first, bytes);
}

static HOT struct cache_answer store(struct cache *c, struct shape is, struct cache_ref r,
                                     unsigned side, uint32_t first, uint32_t bytes, unsigned flags)
{
    struct set s = set_at(c, is, r.at.side, r.at.set);
    uint32_t sectors = cache_sectors(c, first, bytes);
    unsigned way = set_way(s, r.line), far = side != r.at.side;
    struct cache_answer a = {(way < is.ways ? CACHE_LOCAL : CACHE_DRAM) + far, 0};
    bool hit, keeps = c->copies && far && c->chip.copy_store == STORE_KEEPS;

    if (c->copies)
        drop_copies(c, is, r.at, r.line, keeps ? side : r.at.side);
    if (keeps)
        store_copy(c, set_at(c, is, side, r.at.set), r, first, bytes, flags, &a);
    if (way < is.ways) {
        set_touch(c, s, way);
    } else if (c->chip.write_allocate == ALLOCATE_NONE) {
        c->count.dram_write += sectors_in(sectors);
        return a;
    } else if (c->chip.write_allocate == ALLOCATE_FETCH) {
        way = set_read_home(c, s, r, way, sectors, 0, flags & ~(unsigned)CACHE_QUIET, &a, &hit);
    } else {
        way = set_fill(c, s, r, flags, &a);
    }
    store_sectors(c, s, way, first, bytes);
    make_dirty(c, s, way, sectors);
    return a;
}

struct cache_answer cache_store(struct cache *c, struct cache_ref r, unsigned side, uint32_t first,
                                uint32_t bytes, unsigned flags)
{
    return c->usual ? store(c, USUAL, r, side, first, bytes, flags)
                    : store(c, shape_of(c), r, side, first, bytes, flags);
}

struct cache_answer cache_atomic(struct cache *c, struct cache_ref r, unsigned side,
                                 uint32_t sectors)
{
    struct set s = set_at(c, shape_of(c), r.at.side, r.at.set);
    struct cache_answer a = {0, 0};
    bool hit;
    unsigned way = set_read_home(c, s, r, set_way(s, r.line), sectors, 0, 0, &a, &hit);

    a.level = (uint64_t)((hit ? CACHE_LOCAL : CACHE_DRAM) + (side != r.at.side));
    if (c->copies)
        set_drop_copies(c, r.at, r.line, r.at.side);
    make_dirty(c, s, way, sectors);
    return a;
}

void cache_discard(struct cache *c, struct cache_ref r)
{
    struct set s = set_at(c, shape_of(c), r.at.side, r.at.set);
    unsigned way = set_way(s, r.line);

    if (way < s.is.ways)
        set_take_out(c, s.number, way);
    if (c->chip.sides > 1)
        set_drop_copies(c, r.at, r.line, r.at.side);
}
