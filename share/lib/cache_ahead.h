/* What is done ahead of an access: looking its line up, and asking the host's own caches for its sets.
 *
 * What only prefetches is always inline: gcc takes a call of it for one without effect, and drops it. */
#ifndef L2_CACHE_AHEAD_H
#define L2_CACHE_AHEAD_H

#include "cache.h"
#include "place_join.h"

/* The line of an offset into the buffer (which must be mapped). */
static inline struct cache_ref cache_ref(const struct cache *c, uint64_t offset)
{
    uint64_t line = offset >> c->line_shift, page = line >> c->in_page;
    uint32_t in_page = (uint32_t)(line - (page << c->in_page));
    struct place_part within =
        place_join(c->high[in_page >> c->low_bits], c->low[in_page & c->low_mask]);

    return (struct cache_ref){place_from(&c->placer, place_join(c->page[page], within)),
                              c->first[page] + in_page};
}

/* Asks for a set of a side. */
static inline __attribute__((always_inline)) void cache_prefetch_set(const struct cache *c,
                                                                     unsigned side, uint32_t set)
{
    const uint8_t *b = c->block + (side * c->nset + set) * c->stride;

    __builtin_prefetch(b, 1);
    __builtin_prefetch(b + 64, 1);
    if (c->stride > 128)
        __builtin_prefetch(b + 128, 1);
}

/* Asks for the sets that a load by this side will need. */
static inline __attribute__((always_inline)) void cache_prefetch(const struct cache *c,
                                                                 struct cache_ref r, unsigned side)
{
    cache_prefetch_set(c, c->copies ? side : r.at.side, r.at.set);
    if (c->copies && c->far_missed)
        cache_prefetch_set(c, r.at.side, r.at.set);
}

#endif
