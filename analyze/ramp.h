/* One rise between two shelves: level, straight ramp, level; fit and profile likelihood. Pure: no I/O. */
#ifndef L2_RAMP_H
#define L2_RAMP_H

#include <stddef.h>

#include "shelf.h"

struct ramp {
    double from, to;      /* where the ramp starts and ends; equal for a jump */
    double before, after; /* levels */
    double onset_lo, onset_hi, mid_lo,
        mid_hi; /* profile intervals of the 5 % point and of the middle */
};

/* Least squares over the points around the rise from shelf `before` to shelf `after`: at most RAMP_SIDE points of each shelf and
 * the points between. Both ends of the ramp are tried on a grid finer than the points (two levels solved for each pair); an
 * interval holds all pairs whose residual sum exceeds the least by less than the `level` quantile of chi-square with one degree
 * of freedom x the residual variance (profile likelihood; Venzon and Moolgavkar, Appl. Statist. 37, 1988), the variance
 * being at least what the weights say.
 * Returns 0, or -1 when there are fewer than two points a side. */
enum { RAMP_SIDE = 24 };
int ramp_fit(const struct curve *c, const struct shelf *before, const struct shelf *after,
             double level, struct ramp *out);

#endif
