#include "shift.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

static double z_of(double confidence)
{
    return gsl_cdf_ugaussian_Qinv((1 - confidence) / 2);
}

static double two_sided(double z)
{
    return fmin(1, 2 * gsl_cdf_ugaussian_Q(fabs(z)));
}

/* At most SHIFT_CELLS values with weights that add up to 1. */
static size_t thin(const struct dist *d, double *x, double *weight)
{
    double n = (double)dist_n(d);

    if (d->m <= SHIFT_CELLS) {
        for (size_t i = 0; i < d->m; i++) {
            x[i] = d->x[i];
            weight[i] = (double)dist_weight(d, i) / n;
        }
        return d->m;
    }
    for (size_t i = 0; i < SHIFT_CELLS; i++) {
        x[i] = dist_quantile(d, ((double)i + 0.5) / SHIFT_CELLS);
        weight[i] = 1.0 / SHIFT_CELLS;
    }
    return SHIFT_CELLS;
}

static int by_difference(const void *pa, const void *pb)
{
    double a = ((const struct shift_pair *)pa)->d, b = ((const struct shift_pair *)pb)->d;

    return (a > b) - (a < b);
}

/* The smallest difference with at least `part` of the weight at or below it; between two when it is met exactly. */
static double weighted_quantile(const struct shift_pair *pair, size_t n, double part)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += pair[i].weight;
        if (fabs(sum - part) < 1e-12 && i + 1 < n)
            return (pair[i].d + pair[i + 1].d) / 2;
        if (sum >= part)
            return pair[i].d;
    }
    return pair[n - 1].d;
}

/* Sum of t^3 - t over the ties, t being the share of both samples that are equal, in a sample of n. */
static double tie_share(const struct dist *a, double na, const struct dist *b, double nb)
{
    double sum = 0, n = na + nb, scale_a = na / (double)dist_n(a), scale_b = nb / (double)dist_n(b);

    for (size_t i = 0, j = 0; i < a->m || j < b->m;) {
        double v = j == b->m || (i < a->m && a->x[i] <= b->x[j]) ? a->x[i] : b->x[j], t = 0;

        if (i < a->m && a->x[i] == v)
            t += scale_a * (double)dist_weight(a, i++);
        if (j < b->m && b->x[j] == v)
            t += scale_b * (double)dist_weight(b, j++);
        sum += fmax(0, t * t * t - t);
    }
    return sum / (n * (n * n - 1));
}

/* The share of pairs with b > a, ties counting half. */
static double superiority(const struct dist *a, const struct dist *b)
{
    double u = 0;

    for (size_t j = 0, i = 0; j < b->m; j++) {
        double below, equal = 0;

        while (i < a->m && a->x[i] < b->x[j])
            i++;
        below = i > 0 ? (double)a->cum[i - 1] : 0;
        if (i < a->m && a->x[i] == b->x[j])
            equal = (double)dist_weight(a, i);
        u += (double)dist_weight(b, j) * (below + equal / 2);
    }
    return u / ((double)dist_n(a) * (double)dist_n(b));
}

int shift_ranks(const struct dist *a, double na, const struct dist *b, double nb, double confidence,
                struct shift_pair *work, struct shift *s)
{
    double xa[SHIFT_CELLS], wa[SHIFT_CELLS], xb[SHIFT_CELLS], wb[SHIFT_CELLS], half, sd;
    size_t ma = thin(a, xa, wa), mb = thin(b, xb, wb), n = 0;

    *s = (struct shift){NAN, NAN, NAN, NAN};
    if (na < 8 || nb < 8)
        return -1;
    for (size_t i = 0; i < ma; i++)
        for (size_t j = 0; j < mb; j++)
            work[n++] = (struct shift_pair){xb[j] - xa[i], wa[i] * wb[j]};
    qsort(work, n, sizeof *work, by_difference);
    half = z_of(confidence) * sqrt((na + nb + 1) / (12 * na * nb));
    s->shift = weighted_quantile(work, n, 0.5);
    s->lo = weighted_quantile(work, n, 0.5 - half);
    s->hi = weighted_quantile(work, n, 0.5 + half);
    sd = sqrt((na + nb + 1) / (12 * na * nb) * (1 - tie_share(a, na, b, nb)));
    s->p = sd > 0 ? two_sided((superiority(a, b) - 0.5) / sd) : 1;
    return 0;
}

/* Mean and variance (divisor n - 1 of the independent ones) with the tails cut back. */
static double cut_mean(const struct dist *d, double n, double *variance)
{
    double lo = dist_quantile(d, 0.001), hi = dist_quantile(d, 0.999), mean = 0, sum = 0;
    double all = (double)dist_n(d);

    for (size_t i = 0; i < d->m; i++)
        mean += fmax(lo, fmin(hi, d->x[i])) * ((double)dist_weight(d, i) / all);
    for (size_t i = 0; i < d->m; i++) {
        double off = fmax(lo, fmin(hi, d->x[i])) - mean;

        sum += off * off * ((double)dist_weight(d, i) / all);
    }
    *variance = n > 1 ? sum * n / (n - 1) : NAN;
    return mean;
}

double shift_mean_of(const struct dist *d)
{
    double variance;

    return cut_mean(d, 2, &variance);
}

int shift_means(const struct dist *a, double na, const struct dist *b, double nb, double confidence,
                struct shift *s)
{
    double va, vb, ma = cut_mean(a, na, &va), mb = cut_mean(b, nb, &vb), se, df, t;

    *s = (struct shift){NAN, NAN, NAN, NAN};
    if (na < 2 || nb < 2)
        return -1;
    va /= na;
    vb /= nb;
    se = sqrt(va + vb);
    s->shift = mb - ma;
    if (se <= 1e-12 * fabs(ma)) {
        s->lo = s->hi = s->shift;
        s->p = fabs(s->shift) <= 1e-12 * fabs(ma) ? 1 : 0;
        return 0;
    }
    df = (va + vb) * (va + vb) / (va * va / (na - 1) + vb * vb / (nb - 1));
    t = gsl_cdf_tdist_Qinv((1 - confidence) / 2, df);
    s->lo = s->shift - t * se;
    s->hi = s->shift + t * se;
    s->p = fmin(1, 2 * gsl_cdf_tdist_Q(fabs(s->shift / se), df));
    return 0;
}

static int by_size(const void *pa, const void *pb)
{
    double a = fabs(*(const double *)pa), b = fabs(*(const double *)pb);

    return (a > b) - (a < b);
}

/* z of the signed ranks of d, zeros left out; d is sorted by size. */
static double signed_rank_z(const double *d, size_t n)
{
    double plus = 0, count = 0, ties = 0, rank = 0, variance;

    for (size_t i = 0, end; i < n; i = end) {
        double t, middle;

        for (end = i + 1; end < n && fabs(d[end]) == fabs(d[i]); end++)
            ;
        if (d[i] == 0)
            continue;
        t = (double)(end - i);
        middle = rank + (t + 1) / 2;
        for (size_t k = i; k < end; k++)
            plus += d[k] > 0 ? middle : 0;
        rank += t;
        ties += t * t * t - t;
    }
    count = rank;
    variance = count * (count + 1) * (2 * count + 1) / 24 - ties / 48;
    return variance > 0 ? (plus - count * (count + 1) / 4) / sqrt(variance) : 0;
}

int shift_signed(const double *d, size_t n, double confidence, double *work, struct shift *s)
{
    double m = (double)n, half;
    size_t pairs = 0, skip;

    *s = (struct shift){NAN, NAN, NAN, NAN};
    if (n < 6)
        return -1;
    for (size_t i = 0; i < n; i++)
        work[i] = d[i];
    qsort(work, n, sizeof *work, by_size);
    s->p = two_sided(signed_rank_z(work, n));
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            work[pairs++] = (d[i] + d[j]) / 2;
    gsl_sort(work, 1, pairs);
    half = z_of(confidence) * sqrt(m * (m + 1) * (2 * m + 1) / 24);
    skip = (size_t)fmax(1, floor((double)pairs / 2 - half));
    s->shift = gsl_stats_median_from_sorted_data(work, 1, pairs);
    s->lo = work[skip - 1];
    s->hi = work[pairs - skip];
    return 0;
}

/* Positions of the p that are numbers, in ascending order of p. */
static size_t sort_p(const double *p, size_t n, size_t *order)
{
    size_t m = 0;

    for (size_t i = 0; i < n; i++)
        if (!isnan(p[i]))
            order[m++] = i;
    for (size_t gap = m / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < m; i++)
            for (size_t k = i; k >= gap && p[order[k - gap]] > p[order[k]]; k -= gap) {
                size_t swap = order[k];

                order[k] = order[k - gap];
                order[k - gap] = swap;
            }
    return m;
}

void adjust_holm(double *p, size_t n, size_t *order)
{
    size_t m = sort_p(p, n, order);
    double most = 0;

    for (size_t i = 0; i < m; i++)
        p[order[i]] = most = fmin(1, fmax(most, p[order[i]] * (double)(m - i)));
}

void adjust_benjamini_hochberg(double *p, size_t n, size_t *order)
{
    size_t m = sort_p(p, n, order);
    double least = 1;

    for (size_t i = m; i-- > 0;)
        p[order[i]] = least = fmin(least, p[order[i]] * (double)m / (double)(i + 1));
}
