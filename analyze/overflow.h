/* What share of a cyclic random chase misses in a cache that it no longer fits. Pure: no I/O. */
#ifndef L2_OVERFLOW_H
#define L2_OVERFLOW_H

/* ratio: working set over capacity. All return 0 to 1.
 *
 * Sets of `ways` lines under LRU (and its like): in a cycle a set that has to hold ways + 1 lines or more misses every time,
 * another one never. A set is given ways x ratio lines on average; of these the part 1 - v comes evenly (pages that
 * lie over the sets like a comb), the part v at random (Poisson), so that v is the variance of a set's load over its mean.
 * The share counts lines, not sets. Even sets miss from a ratio of 1 on and altogether at 1 + 1/ways. */
double overflow_sets(double ratio, unsigned ways, double v);
/* Replacement at random, even sets: m solves m = 1 - exp(-m ratio), the chance that one of the m x ratio x ways misses of
 * the set between two uses of a line takes its way: m = 1 + W(-ratio exp(-ratio)) / ratio. */
double overflow_random(double ratio);
/* What stays is never replaced: 1 - 1/ratio. */
double overflow_keep(double ratio);

#endif
