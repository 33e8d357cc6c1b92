/* Binomial intervals, rank test and shift of two samples, bootstrap. */
#include "infer.h"
#include "../share/lib/rng.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

int proportion_wilson(uint64_t k, uint64_t n, double confidence, double *lo, double *hi)
{
    double z = gsl_cdf_ugaussian_Qinv((1 - confidence) / 2), m = (double)n, p = (double)k / m;
    double centre = (p + z * z / (2 * m)) / (1 + z * z / m);
    double half = z / (1 + z * z / m) * sqrt(p * (1 - p) / m + z * z / (4 * m * m));

    *lo = *hi = NAN;
    if (n == 0 || k > n)
        return -1;
    *lo = k == 0 ? 0 : centre - half;
    *hi = k == n ? 1 : centre + half;
    return 0;
}

int proportion_exact(uint64_t k, uint64_t n, double confidence, double *lo, double *hi)
{
    double tail = (1 - confidence) / 2, hits = (double)k, misses = (double)(n - k);

    *lo = *hi = NAN;
    if (n == 0 || k > n)
        return -1;
    *lo = k == 0 ? 0 : gsl_cdf_beta_Pinv(tail, hits, misses + 1);
    *hi = k == n ? 1 : gsl_cdf_beta_Qinv(tail, hits + 1, misses);
    return 0;
}

/* Sum over the ties of t^3 - t, t values being equal in both samples together. */
static double tie_sum(const double *a, size_t na, const double *b, size_t nb)
{
    double sum = 0;

    for (size_t i = 0, j = 0; i < na || j < nb;) {
        double v = j == nb || (i < na && a[i] <= b[j]) ? a[i] : b[j], t = 0;

        for (; i < na && a[i] == v; i++)
            t++;
        for (; j < nb && b[j] == v; j++)
            t++;
        sum += t * t * t - t;
    }
    return sum;
}

/* Pairs with b > a, ties counting half. */
static double count_pairs(const double *a, size_t na, const double *b, size_t nb)
{
    double u = 0;
    size_t less = 0, not_more = 0;

    for (size_t j = 0; j < nb; j++) {
        while (less < na && a[less] < b[j])
            less++;
        while (not_more < na && a[not_more] <= b[j])
            not_more++;
        u += ((double)less + (double)not_more) / 2;
    }
    return u;
}

static double rank_variance(double na, double nb, double ties)
{
    double n = na + nb;

    return na * nb / 12 * (n + 1 - ties / (n * (n - 1)));
}

int rank_test(const double *a, size_t na, const double *b, size_t nb, struct rank_test *r)
{
    double pairs = (double)na * (double)nb, variance, off;

    *r = (struct rank_test){NAN, NAN, NAN, NAN};
    if (na == 0 || nb == 0)
        return -1;
    variance = rank_variance((double)na, (double)nb, tie_sum(a, na, b, nb));
    r->u = count_pairs(a, na, b, nb);
    r->superiority = r->u / pairs;
    off = r->u - pairs / 2;
    off = copysign(fmax(0, fabs(off) - 0.5), off);
    r->z = variance > 0 ? off / sqrt(variance) : 0;
    r->p = fmin(1, 2 * gsl_cdf_ugaussian_Q(fabs(r->z)));
    return 0;
}

int shift_hodges_lehmann(const double *a, size_t na, const double *b, size_t nb, double confidence,
                         double *work, double *shift, double *lo, double *hi)
{
    size_t pairs = na * nb;
    double half, skip;

    *shift = *lo = *hi = NAN;
    if (pairs == 0)
        return -1;
    for (size_t i = 0; i < na; i++)
        for (size_t j = 0; j < nb; j++)
            work[i * nb + j] = b[j] - a[i];
    gsl_sort(work, 1, pairs);
    *shift = gsl_stats_median_from_sorted_data(work, 1, pairs);
    half = gsl_cdf_ugaussian_Qinv((1 - confidence) / 2) *
           sqrt(rank_variance((double)na, (double)nb, 0));
    skip = floor((double)pairs / 2 - half);
    if (skip < 1)
        return -1;
    *lo = work[(size_t)skip - 1];
    *hi = work[pairs - (size_t)skip];
    return 0;
}

int bootstrap(boot_statistic f, void *data, size_t n, size_t rounds, double confidence,
              uint64_t seed, uint32_t *index, double *work, double *lo, double *hi)
{
    struct rng rng;
    size_t got = 0;

    *lo = *hi = NAN;
    if (n == 0)
        return -1;
    rng_seed(&rng, seed);
    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < n; i++)
            index[i] = (uint32_t)rng_below(&rng, n);
        work[got] = f(index, n, data);
        if (!isnan(work[got]))
            got++;
    }
    if (got < 2)
        return -1;
    gsl_sort(work, 1, got);
    *lo = gsl_stats_quantile_from_sorted_data(work, 1, got, (1 - confidence) / 2);
    *hi = gsl_stats_quantile_from_sorted_data(work, 1, got, (1 + confidence) / 2);
    return 0;
}
