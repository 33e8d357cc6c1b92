/* Counting samples: an exact distribution in memory that depends on the different values, not on the samples. */
#ifndef L2_TALLY_H
#define L2_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "dist.h"

/* How often each value came: a hash table with open addressing, 2^bits slots, n = 0 in a free one. */
struct slot {
    double x;
    uint64_t n;
};

struct tally {
    struct slot *slot;
    size_t used;
    unsigned bits;
};

/* Counts n samples of a finite value (whole numbers are exact up to 2^53); n = 0 changes nothing. */
void tally_add(struct tally *t, double x, uint64_t n);
/* Says that the value will be counted soon: its slot starts to move into the cache. */
void tally_hint(const struct tally *t, double x);
void tally_free(struct tally *t);

/* Arrays for a tally's distribution; grows as needed, used again for the next one. Start with zeros. */
struct tally_work {
    double *x;
    uint64_t *cum;
    size_t cap;
};

/* The distribution of a tally that is not empty; it lives in the workspace. */
struct dist tally_dist(const struct tally *t, struct tally_work *w);
/* Keeps the samples in [lo, hi]; returns how many were dropped. d must be in the workspace. */
uint64_t tally_keep(struct dist *d, struct tally_work *w, double lo, double hi);
void tally_work_free(struct tally_work *w);

#endif
