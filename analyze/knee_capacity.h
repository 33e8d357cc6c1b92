/* The capacity behind one rise of a latency curve. Pure: no I/O. */
#ifndef L2_KNEE_CAPACITY_H
#define L2_KNEE_CAPACITY_H

#include "law.h"
#include "shelf.h"

/* The curve from shelf a to shelf b, which lies higher, is fitted with the laws by which a cache overflows (law.h: sets of so many
 * ways, random, step, reach); sets stay unless another law leaves less than half of the residual sum. A law does not fit
 * when its residuals are above a tenth of the rise, it rises half as much again as the shelves differ, or its place
 * is outside of lo to hi by more than half of that. *law is the law, LAW_NONE when none fits.
 * Returns the capacity in units of x, nan without a law. */
struct capacity_rule {
    double before, after, lo, hi; /* of the knee */
    unsigned ways;
    double noise;
};
double knee_capacity(const struct curve *c, const struct shelf *a, const struct shelf *b,
                     const struct capacity_rule *rule, enum law *law);

#endif
