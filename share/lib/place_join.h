/* A place from the parts of its address, inline. */
#ifndef L2_PLACE_JOIN_H
#define L2_PLACE_JOIN_H

#include "place.h"

/* floor(x / n) by the inverse 2^64 / n + 1; exact while x < 2^32 (x * n < 2^64). */
static inline uint64_t place_over(uint64_t x, uint64_t inverse, uint32_t n)
{
    return n == 1 ? x : (uint64_t)((unsigned __int128)x * inverse >> 64);
}

/* A hash of 32 bits to [0, n). */
static inline uint32_t place_hash(uint64_t x, uint64_t seed, uint32_t n)
{
    x = (x ^ seed) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)((x >> 32) * n >> 32);
}

static inline uint32_t place_set(const struct placer *p, uint64_t i)
{
    uint64_t row = place_over(i, p->sets_inverse, p->sets);
    uint32_t set = (uint32_t)(i - row * p->sets), by;

    if (p->set_hash == SET_NONE)
        return set;
    if (p->set_hash == SET_MIX)
        return place_hash(i, p->seed, p->sets);
    by = place_hash(row, p->seed, p->sets);
    if ((p->sets & (p->sets - 1)) == 0)
        return set ^ by;
    set += by;
    return set >= p->sets ? set - p->sets : set;
}

/* The slice within its XOR class: rest, and row, which becomes the row within the slice. */
static inline uint32_t place_slice(const struct placer *p, uint32_t rest, uint64_t *row)
{
    uint32_t m = rest;

    if (p->mixed) {
        m += place_hash(*row, ~p->seed, p->modulo);
        m = m >= p->modulo ? m - p->modulo : m;
    }
    if (p->table_n != 0) {
        uint32_t at = m;

        m = p->table[at];
        *row = *row * p->count[m] + p->rank[at];
    }
    return m;
}

static inline struct place_part place_join(struct place_part a, struct place_part b)
{
    return (struct place_part){a.i + b.i, a.rest + b.rest, a.bits ^ b.bits};
}

/* Of up to three parts joined, whose rests may add up to three times the modulo. */
static inline struct place place_from(const struct placer *p, struct place_part all)
{
    uint64_t i = all.i, row = i >> p->inside.bits;
    uint32_t rest = all.rest, bits = all.bits, n = p->modulo, carry, slice;
    struct place at;

    /* Without branches, which often go the other way. */
    carry = (uint32_t)(rest >= n) + (uint32_t)(rest >= 2 * n);
    row += carry;
    rest -= carry * n;
    slice = place_slice(p, rest, &row) << p->slice_bits | bits >> PLACE_SIDE_BITS;
    i = row << p->inside.bits | (i & p->inside_mask);
    at.side = bits & ((1u << PLACE_SIDE_BITS) - 1);
    at.slice = (uint16_t)slice;
    at.set = slice * p->sets + place_set(p, i);
    at.sub = p->sub_slices == 1 ? 0 : (uint8_t)place_hash(i, p->seed + 1, p->sub_slices);
    return at;
}

#endif
