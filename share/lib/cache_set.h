/* A set of the cache model, for cache*.c alone.
 *
 * It is one block of memory that fits a few lines of the host's cache: tags of 32 bits (physical line number), the policy's
 * bytes, the number of lines held, states of 16 bits: for 16 ways two lines of the host. Tags stay where they are; the
 * policy's bytes say which way goes next. */
#ifndef L2_CACHE_SET_H
#define L2_CACHE_SET_H

#include <string.h>

#include "cache.h"
#include "cache_find.h"

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

static inline void set_touch(struct cache *c, const struct set *s, unsigned way)
{
    if (c->lru)
        policy_to_front(s->policy, way);
    else
        c->policy.hit(&c->policy, s->policy, c->chip.ways, way, &c->rng);
}

static inline uint32_t sectors_in(uint32_t bits)
{
    static const uint8_t ones[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

    return ones[bits & SECTORS];
}

/* Writes back what is dirty; true if something was. */
static inline bool set_clean(struct cache *c, uint16_t *state)
{
    uint32_t dirty = *state >> 4 & SECTORS;

    c->count.dram_write += sectors_in(dirty);
    *state &= (uint16_t)~DIRTY;
    return dirty != 0;
}
void set_take_out(struct cache *c, const struct set *s, unsigned way);
/* Takes the line out on every side but its home and `spared`. */
void set_drop_copies(struct cache *c, struct place at, uint32_t line, unsigned spared);
/* A way for a line that is not in the set. */
unsigned set_fill(struct cache *c, const struct set *s, struct cache_ref r, unsigned flags,
                  struct cache_answer *a);
/* Makes sectors of the home line valid; *hit says whether they were. The way, or `ways` with CACHE_QUIET. */
unsigned set_read_home(struct cache *c, const struct set *s, struct cache_ref r, uint32_t sectors,
                       uint32_t fetch, unsigned flags, struct cache_answer *a, bool *hit);

#endif
