/* A set of the cache model, for cache*.c alone.
 *
 * It is one block of memory that fits a few lines of the host's cache: tags of 32 bits (physical line number), states of 16
 * bits, the policy's bytes, how many lines it holds and how many are dirty: for 16 ways two lines of the host. Tags stay
 * where they are; the policy's bytes say which way goes next. */
#ifndef L2_CACHE_SET_H
#define L2_CACHE_SET_H

#include "cache.h"
#include "cache_find.h"

/* All that an access passes through is one function for the compiler, which makes two out of it: one that knows the shape of
 * most chips' sets, a third faster, and one for any shape. */
#define HOT inline __attribute__((always_inline))
struct shape {
    unsigned ways;
    bool lru, usual;
};
#define USUAL ((struct shape){16, true, true})

static inline struct shape shape_of(const struct cache *c)
{
    return (struct shape){c->chip.ways, c->lru, false};
}

struct set {
    struct shape is;
    uint32_t *tag; /* with room for the ways rounded up to eight */
    uint16_t *state;
    uint8_t *policy, *held, *dirty;
    uint64_t number; /* over all sides */
};

static inline size_t set_room(unsigned ways)
{
    return (ways + 7) / 8 * 8;
}

static inline size_t set_bytes(unsigned ways)
{
    return (7 * set_room(ways) + 2 + 63) / 64 * 64;
}

static HOT struct set set_numbered(const struct cache *c, struct shape is, uint64_t number)
{
    uint8_t *b = c->block + number * set_bytes(is.ways);
    size_t room = set_room(is.ways);

    return (struct set){.is = is,
                        .tag = (uint32_t *)(void *)b,
                        .state = (uint16_t *)(void *)(b + 4 * room),
                        .policy = b + 6 * room,
                        .held = b + 7 * room,
                        .dirty = b + 7 * room + 1,
                        .number = number};
}

static HOT struct set set_at(const struct cache *c, struct shape is, unsigned side, uint32_t set)
{
    return set_numbered(c, is, side * c->nset + set);
}

static inline unsigned set_way(struct set s, uint32_t line)
{
    return set_find(s.tag, s.is.ways, line);
}

#endif
