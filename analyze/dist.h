/* A weighted sample, and what is computed from it exactly as if each value stood there as often as its weight says. */
#ifndef L2_DIST_H
#define L2_DIST_H

#include <stddef.h>
#include <stdint.h>

/* m > 0 different finite values in ascending order; cum[i] samples are <= x[i], so cum[m - 1] is their number. */
struct dist {
    const double *x;
    const uint64_t *cum;
    size_t m;
};

uint64_t dist_n(const struct dist *d);
/* Samples that took x[i]. */
uint64_t dist_weight(const struct dist *d, size_t i);
/* The k-th smallest sample, k from 0 to n - 1. */
double dist_at(const struct dist *d, uint64_t k);
/* Samples below v. */
uint64_t dist_below(const struct dist *d, double v);

/* Quantile q in [0, 1], type 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American
 * Statistician 50 (1996): linear between the samples around (n - 1) q. R's default and GSL's definition. */
double dist_quantile(const struct dist *d, double q);
double dist_mean(const struct dist *d);
/* Standard deviation, divisor n - 1, in two passes; NaN for one sample. */
double dist_sd(const struct dist *d, double mean);
/* 1.4826 times the median distance from the median: estimates sd where the data are normal (R's mad, gsl_stats_mad). */
double dist_mad(const struct dist *d, double median);

/* Interval of the median from order statistics, with at least this confidence whatever the distribution, if the samples
 * are independent: H. A. David, H. N. Nagaraja, "Order Statistics" (2003), section 7.1. The ranks come from the binomial
 * law up to 1000 samples, from its normal limit (less than one rank off) above. Returns -1, and NaN in both, when there
 * are too few samples: below 6 for 95 %. */
int dist_median_interval(const struct dist *d, double confidence, double *lo, double *hi);

#endif
