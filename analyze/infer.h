/* Intervals and tests that make no assumption about the distribution. No hidden allocation: the caller gives workspace.
 * Functions return 0, or -1 (and NaN in the results) when the input allows no answer. */
#ifndef L2_INFER_H
#define L2_INFER_H

#include <stddef.h>
#include <stdint.h>

/* Interval of a proportion, k of n. Wilson's (1927): short, right on average; see L. Brown, T. Cai, A. DasGupta, "Interval
 * estimation for a binomial proportion" (2001). Clopper and Pearson's (1934): never below its confidence, so wider. */
int proportion_wilson(uint64_t k, uint64_t n, double confidence, double *lo, double *hi);
int proportion_exact(uint64_t k, uint64_t n, double confidence, double *lo, double *hi);

/* Rank test of two samples, each sorted ascending: do values of b tend to be larger than those of a?
 * H. Mann, D. Whitney (1947), normal approximation with corrections for ties and continuity: from 8 samples each. */
struct rank_test {
    double u;           /* pairs with b > a, ties count half */
    double superiority; /* u / (na nb): the probability that a random b exceeds a random a */
    double z;           /* positive when b is larger */
    double p;           /* two-sided; 1 when all values are equal */
};

int rank_test(const double *a, size_t na, const double *b, size_t nb, struct rank_test *r);

/* By how much b is larger than a: the median of all na nb differences, with an interval from the Mann-Whitney law (normal
 * approximation). J. Hodges, E. Lehmann (1963); M. Hollander, D. Wolfe, "Nonparametric Statistical Methods" (1999), 4.2 and
 * 4.3. `work` holds na nb values. */
int shift_hodges_lehmann(const double *a, size_t na, const double *b, size_t nb, double confidence,
                         double *work, double *shift, double *lo, double *hi);

/* A statistic of the n things that `index` names (some twice, some not at all). */
typedef double (*boot_statistic)(const uint32_t *index, size_t n, void *data);

/* Percentile interval by the bootstrap: B. Efron, R. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13.
 * Draws n of n things with replacement `rounds` times (1000 or more for 95 %); rounds where the statistic is NaN do not
 * count. The same seed gives the same interval. index holds n entries, work holds `rounds`. */
int bootstrap(boot_statistic f, void *data, size_t n, size_t rounds, double confidence,
              uint64_t seed, uint32_t *index, double *work, double *lo, double *hi);

#endif
