/* The state of a line in a set of the cache model, and what changes it. For cache*.c alone. */
#ifndef L2_CACHE_STATE_H
#define L2_CACHE_STATE_H

#include "cache_set.h"

/* A way's state: valid sectors in bits 0-3, dirty in 4-7, partly written in 8-11, and */
#define SECTORS 0xfu
#define DIRTY   0xf0u
#define PARTIAL 8
#define COPY    (1u << 12)
#define KEEP    (1u << 13)
#define TOUCHED (1u << 14) /* a home line that another side has read */

static inline void set_touch(struct cache *c, struct set s, unsigned way)
{
    if (s.is.lru)
        policy_to_front(s.policy, way);
    else
        c->policy.hit(&c->policy, s.policy, s.is.ways, way, &c->rng);
}

static inline uint32_t sectors_in(uint32_t bits)
{
    static const uint8_t ones[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

    return ones[bits & SECTORS];
}

/* Writes back what is dirty; true if something was. */
static inline bool set_clean(struct cache *c, struct set s, unsigned way)
{
    uint32_t dirty = s.state[way] >> 4 & SECTORS;

    if (dirty == 0)
        return false;
    c->count.dram_write += sectors_in(dirty);
    s.state[way] &= (uint16_t)~DIRTY;
    --*s.dirty;
    return true;
}

/* The empty way that is filled first. */
static HOT unsigned set_empty_way(const struct cache *c, struct set s)
{
    uint32_t all = (uint32_t)((1ull << s.is.ways) - 1);

    return policy_empty_way(&c->policy, set_ways_of(s.tag, s.is.ways, EMPTY) & all);
}

/* What few accesses need is a function that takes a set by its number, so that the others need no set in memory. */
void set_take_out(struct cache *c, uint64_t number, unsigned way);
void set_drop_copies(struct cache *c, struct place at, uint32_t line, unsigned spared);

/* Takes the line out on every side but its home and `spared`. */
static HOT void drop_copies(struct cache *c, struct shape is, struct place at, uint32_t line,
                            unsigned spared)
{
    for (unsigned side = 0; side < c->chip.sides; side++) {
        struct set s = set_at(c, is, side, at.set);
        unsigned w;

        if (side == at.side || side == spared || (w = set_way(s, line)) == is.ways)
            continue;
        set_take_out(c, s.number, w);
        c->count.dropped++;
    }
}

#endif
