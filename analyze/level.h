/* What the levels of a mixture are called, and the capacities that their shares give. Pure. */
#ifndef L2_LEVEL_H
#define L2_LEVEL_H

#include <stddef.h>

#include "mixture.h"

enum level_kind {
    LEVEL_L1,          /* only where loads go through L1 */
    LEVEL_LOCAL,       /* hit in the SM's own side (or in the only one) */
    LEVEL_REMOTE,      /* hit in another side */
    LEVEL_DRAM,        /* memory, through the own side */
    LEVEL_DRAM_REMOTE, /* memory, through another side */
    LEVEL_SHIFTED, /* levels above moved as a whole: address translation (TLB), no level of the cache */
    LEVEL_KINDS
};

/* {name for tables, words for sentences}. */
struct level_name {
    const char *name, *words;
};
extern const struct level_name level_names[LEVEL_KINDS];

/* Names the levels of m, sizes ascending. through_l1: whether the loads may hit L1. */
void level_classify(const struct mixture *m, const double *size, size_t nsize, int through_l1,
                    enum level_kind *kind);

/* How a share of hits falls with the working set under a cyclic random chase.
 * "sets": LRU and its like; a set of W ways misses from W + 1 lines on, and the lines of a set vary around their mean, so
 *   the share is a normal distribution function of the size; half of it is at (W + 1/2) / W of the capacity.
 * "random": replacement at random; the miss share m solves m = 1 - exp(-m S / C) (S size, C capacity; from the chance
 *   that none of the m S / line misses between two uses hits the line's way). */
enum capacity_law { CAPACITY_SETS, CAPACITY_RANDOM };
extern const char *const capacity_law_names[];

struct capacity {
    enum capacity_law law;
    double bytes, lo,
        hi;       /* 95 %, from the fit's residuals, never narrower than the grid around the fall */
    double half;  /* size at which half of the accesses hit */
    double width; /* "sets": standard deviation / half */
    double rms;   /* of the residuals */
};

/* share[] of accesses that hit, at n sizes, ascending. ways 0: unknown, then the half-way size is corrected for 16 ways and
 * the interval holds the correction for 4 ways and none. Returns 0, -1 when the share does not fall from above 0.9 to below
 * 0.1 (out of range) or fewer than three sizes are given. */
int capacity_fit(const double *size, const double *share, size_t n, double ways,
                 struct capacity *c);

#endif
