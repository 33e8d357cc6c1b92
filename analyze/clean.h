/* What a curve is like from one point to the next: its noise, its spikes, a robust spread. Pure: no I/O. */
#ifndef L2_CLEAN_H
#define L2_CLEAN_H

#include <stddef.h>

/* Relative noise of one point: the lower quartile of the deviations of each point from the straight line between its two
 * neighbours, divided by the quartile of |normal| (0.3186), divided by |y| and by the factor by which that difference is wider than one point (Gasser, Sroka and
 * Jennen-Steinmetz, Biometrika 73, 1986, made robust). Steps and spikes do not widen it while they are fewer than half of the points. Zero for
 * fewer than 5 points. work has room for n. */
double clean_noise(const double *x, const double *y, size_t n, double *work);

/* Marks lone points: spike[i] = 1 when y[i] leaves the line between its neighbours by more than `limit` x `noise` and by
 * more than three times what those two differ. The first and last point are never marked. Returns how many. */
size_t clean_spikes(const double *x, const double *y, size_t n, double noise, double limit,
                    unsigned char *spike);

/* The middle of n values, which are reordered. n > 0. */
double clean_median(double *v, size_t n);

/* (q90 - q10) / 2.563, the standard deviation of normal values without their tails; values are reordered. 0 for n < 2. */
double clean_spread(double *v, size_t n);

#endif
