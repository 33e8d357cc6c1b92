/* Own memory and the other side's told apart in one latency histogram. Both have a long tail (refresh, banks) whose size
 * depends on the order of the accesses: linear ones have twice the tail of random ones, so a correction learnt from other
 * runs moves a part of one to the other. Here the tail is what the histogram itself says.
 *
 * Method: a part t of both levels' accesses leaves their bodies. With C1 counts in the body of own memory, C2 in that of
 * the other, M in all from C1's cut on, a part u of the own tail falling under the other's body and g the ratio of what stays in the
 * bodies: C1 = x (1 - t), C2 = (M - x) g (1 - t) + x t u; x is the smaller root of
 * u x^2 - (u C1 + C2 + g C1) x + g M C1 = 0. u and g are learnt from the latency rows. */
#ifndef L2_MEMORY_H
#define L2_MEMORY_H

#include "mixture.h"

struct memory {
    size_t
        level; /* own memory in the mixture; the other's is the next, and the last; nlevel: not told apart */
    size_t from, cut, to; /* bins: own body, other body, tail of both */
    double u, g;
};

/* From hist (nsize x nbin) and its fit m; `level` as in struct memory. 0, or -1: too little to learn from. */
int memory_fit(const double *hist, size_t nsize, size_t nbin, const struct mixture *m, size_t level,
               struct memory *y);
/* Moves share[] of the two levels, keeping their sum. */
void memory_share(const struct memory *y, const double *hist, size_t nbin, double *share);

#endif
