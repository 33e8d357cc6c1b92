/* How far one sample lies above another, with an interval and a test; and what many tests at once do to their p values.
 * Pure: no I/O. Functions return 0, or -1 (and NaN in the results) when the samples are too small for an answer. */
#ifndef L2_SHIFT_H
#define L2_SHIFT_H

#include <stddef.h>

#include "dist.h"

/* b less a. */
struct shift {
    double shift, lo, hi; /* in the unit of the samples */
    double p;             /* two-sided, of "no shift" */
};

enum { SHIFT_CELLS = 128, SHIFT_PAIRS = SHIFT_CELLS * SHIFT_CELLS };
struct shift_pair {
    double d, weight;
};

/* The median of all differences (Hodges and Lehmann, 1963) and the rank test (Mann and Whitney, 1947) of two weighted
 * samples, for distributions of one mode. na and nb are how many of the observations are independent, at most the
 * samples; 8 or more each, for the normal approximation. A distribution of more than SHIFT_CELLS different values is
 * taken at as many of its quantiles. `work` holds SHIFT_PAIRS. */
int shift_ranks(const struct dist *a, double na, const struct dist *b, double nb, double confidence,
                struct shift_pair *work, struct shift *s);

/* Difference of the means, each beyond the quantiles 0.001 and 0.999 of its sample cut back to them; interval and test by
 * B. Welch, "The generalization of Student's problem", Biometrika 34 (1947). Sees what moves between two modes, which the
 * median of differences does not. 2 independent observations or more each. */
int shift_means(const struct dist *a, double na, const struct dist *b, double nb, double confidence,
                struct shift *s);
double shift_mean_of(const struct dist *d);

/* One sample of n differences: the median of the means of all pairs of them and the signed-rank test (F. Wilcoxon, 1945;
 * M. Hollander, D. Wolfe, "Nonparametric Statistical Methods" (1999), 3.1 to 3.3; normal approximation, ties corrected).
 * 6 or more differences. `work` holds n (n + 1) / 2. */
int shift_signed(const double *d, size_t n, double confidence, double *work, struct shift *s);

/* p values of n tests made at once -> what they are worth together; NaN stays and does not count. `order` holds n.
 * Holm: the chance that any of them is wrong (S. Holm, "A simple sequentially rejective multiple test procedure", 1979).
 * Benjamini and Hochberg: the expected share of wrong ones ("Controlling the false discovery rate", 1995). */
void adjust_holm(double *p, size_t n, size_t *order);
void adjust_benjamini_hochberg(double *p, size_t n, size_t *order);

#endif
