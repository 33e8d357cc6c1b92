/* Which side of the cache a line of the buffer lives on, found by atomics, which are served at the line's home: near the
 * probing SM they take one latency, far from it another. */
#ifndef L2_SIDES_H
#define L2_SIDES_H

#include <stddef.h>
#include <stdint.h>

#include "../share/lib/rng.h"
#include "device.h"

enum sides_kind {
    SIDES_ONE,    /* one latency only: one side (or atomics do not tell) */
    SIDES_LINEAR, /* two, and mask and page constants predict them */
    SIDES_TABLE,  /* two, but not an XOR of address bits */
    SIDES_MORE    /* SMs see patterns that are neither equal nor opposite: more than two sides */
};

struct sides {
    enum sides_kind kind;
    int sm;         /* side 0 is the side that this SM is near to */
    uint64_t mask;  /* side of an offset: parity(offset & mask), xor the constant of its page */
    uint64_t mixed; /* bits that change the side of some lines only: no XOR */
    unsigned flip;  /* the lowest bit of mask */
    unsigned page_shift; /* pages of 1 << page_shift bytes */
    uint64_t bytes;      /* of the buffer, from offset 0 */
    size_t npage;
    uint32_t *page_side; /* bit k: the constant of page k */
    double near, far;    /* median cycles of the two modes; equal when there is one */
    double threshold;    /* an atomic from `sm` that takes more went to the far side */
    double right;        /* share of random lines, probed afterwards, that were predicted right */
    size_t checked;
};

/* Finds the sides of the first `bytes` of the buffer from an SM; about 60 ms for 1 GiB. 0, or -1 and dev->error. Fields
 * other than kind, near and far mean something only when kind is SIDES_LINEAR (mask also when SIDES_TABLE). */
int sides_find(struct device *d, int sm, uint64_t bytes, struct rng *r, struct sides *s);
/* Side of an offset: 0 near s->sm, 1 far. Of kind SIDES_LINEAR only. */
unsigned sides_of(const struct sides *s, uint64_t offset);
/* The side that another SM is near to. */
int sides_sm(struct device *d, const struct sides *s, int sm, struct rng *r, unsigned *side);
/* The first SM of another side than `sm`, -1 when there is none, or no XOR tells. Allocates a buffer of its own. */
int sides_other_sm(struct device *d, int sm, struct rng *r, int *other);
/* Fills side_mask, flip, want, page_shift and page_side of a pool whose base, log2_lines and stride are set. Of kind
 * SIDES_ONE it leaves side_mask 0. -1 when the pool is outside of what was measured, has too many pages, or no bit can
 * serve as flip. */
int sides_pool(const struct sides *s, unsigned want, struct l2_pool *p);
void sides_free(struct sides *s);

/* Median cycles of `reps` timed atomics (or another kind of access) to each of n offsets, each warmed by one access. */
int sides_probe(struct device *d, int sm, enum l2_kind kind, const uint64_t *offset, size_t n,
                unsigned reps, double *cycles);

#endif
