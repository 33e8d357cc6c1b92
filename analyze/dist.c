/* Order statistics by binary search in cumulative weights; moments in two passes over the different values. */
#include "dist.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

enum { EXACT_BINOMIAL = 1000 };

uint64_t dist_n(const struct dist *d)
{
    return d->cum[d->m - 1];
}

uint64_t dist_weight(const struct dist *d, size_t i)
{
    return d->cum[i] - (i > 0 ? d->cum[i - 1] : 0);
}

/* The first i with cum[i] > k. */
static size_t index_at(const struct dist *d, uint64_t k)
{
    size_t lo = 0, hi = d->m - 1;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (d->cum[mid] > k)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

double dist_at(const struct dist *d, uint64_t k)
{
    return d->x[index_at(d, k)];
}

uint64_t dist_below(const struct dist *d, double v)
{
    size_t lo = 0, hi = d->m;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (d->x[mid] < v)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo > 0 ? d->cum[lo - 1] : 0;
}

/* Between two neighbouring samples; equal ones are returned as they are, without rounding. */
static double between(double a, double b, double part)
{
    return a == b || part == 0 ? a : (1 - part) * a + part * b;
}

double dist_quantile(const struct dist *d, double q)
{
    uint64_t n = dist_n(d);
    double h = q * (double)(n - 1), whole = floor(h);
    uint64_t k = (uint64_t)whole;
    size_t i;

    if (k >= n - 1)
        return d->x[d->m - 1];
    i = index_at(d, k);
    return between(d->x[i], d->cum[i] > k + 1 ? d->x[i] : d->x[i + 1], h - whole);
}

double dist_mean(const struct dist *d)
{
    double origin = d->x[d->m / 2];
    long double sum = 0;

    for (size_t i = 0; i < d->m; i++)
        sum += (long double)(d->x[i] - origin) * (long double)dist_weight(d, i);
    return origin + (double)(sum / (long double)dist_n(d));
}

double dist_sd(const struct dist *d, double mean)
{
    uint64_t n = dist_n(d);
    long double sum = 0;

    if (n < 2)
        return NAN;
    for (size_t i = 0; i < d->m; i++) {
        long double off = (long double)d->x[i] - (long double)mean;

        sum += off * off * (long double)dist_weight(d, i);
    }
    return sqrt((double)(sum / (long double)(n - 1)));
}

/* Walks away from the median on both sides at once, so the distances come in ascending order. */
double dist_mad(const struct dist *d, double median)
{
    uint64_t n = dist_n(d), k = (n - 1) / 2, seen = 0;
    uint64_t below = dist_below(d, median);
    size_t right = below > 0 ? index_at(d, below - 1) + 1 : 0, left = right;
    double first = NAN, off = 0;

    while (seen <= k || (n % 2 == 0 && seen <= k + 1)) {
        double l = left > 0 ? median - d->x[left - 1] : INFINITY;
        double r = right < d->m ? d->x[right] - median : INFINITY;

        off = fmin(l, r);
        seen += l <= r ? dist_weight(d, --left) : dist_weight(d, right++);
        if (isnan(first) && seen > k)
            first = off;
    }
    return 1.482602218505602 * (n % 2 == 0 ? (first + off) / 2 : first);
}

/* The largest r with P(B < r) <= tail, B binomial with n trials of probability 1/2. */
static uint64_t low_rank(uint64_t n, double tail)
{
    uint64_t r = 0;
    double h;

    if (n > EXACT_BINOMIAL) {
        h = (double)n / 2 + 0.5 - gsl_cdf_ugaussian_Qinv(tail) * sqrt((double)n) / 2;
        return h < 1 ? 0 : (uint64_t)h;
    }
    while (r < n / 2 && gsl_cdf_binomial_P((unsigned)r, 0.5, (unsigned)n) <= tail)
        r++;
    return r;
}

int dist_median_interval(const struct dist *d, double confidence, double *lo, double *hi)
{
    uint64_t n = dist_n(d), r = low_rank(n, (1 - confidence) / 2);

    *lo = *hi = NAN;
    if (r == 0)
        return -1;
    *lo = dist_at(d, r - 1);
    *hi = dist_at(d, n - r);
    return 0;
}
