/* Laws with one parameter that is not linear (and the sharpness of a bend, tried by steps): its residual sum is tabulated
 * on a geometric grid, and the grid is narrowed around the best until it is fine. The interval holds what the chi-square
 * quantile allows above the least sum. */
#include "law.h"
#include "overflow.h"
#include "../share/lib/mem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

enum { GRID = 100, ROUNDS = 4, HALVINGS = 16 };

/* Values of q to try. */
static const double sharpness[] = {1, 1.5, 2, 3, 4, 6, 8, 16};
static const double uneven[] = {0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1};
static const double no_q[] = {0};
static const struct {
    const double *v;
    size_t n;
} steps[] = {
    [LAW_REACH] = {no_q, 1},
    [LAW_SATURATION] = {sharpness, sizeof sharpness / sizeof *sharpness},
    [LAW_SETS] = {uneven, sizeof uneven / sizeof *uneven},
    [LAW_RANDOM] = {no_q, 1},
    [LAW_STEP] = {no_q, 1},
};

struct data {
    enum law law;
    unsigned ways;
    double even;
    const double *x, *y;
    size_t n;
    double *f; /* the law at each x, while a place is tried */
};

static double shape(enum law law, unsigned ways, double ratio, double q)
{
    switch (law) {
    case LAW_REACH:
        return overflow_keep(ratio);
    case LAW_SETS:
        return overflow_sets(ratio, ways, q);
    case LAW_RANDOM:
        return overflow_random(ratio);
    case LAW_STEP:
        return ratio > 1;
    default:
        return ratio / pow(1 + pow(ratio, q), 1 / q);
    }
}

static double weight(const struct data *d, size_t i)
{
    double y = d->even > 0 ? d->even : d->y[i];

    return 1 / (y * y);
}

/* The linear part; returns the relative residual sum. Means first, so that nothing cancels. */
static double linear(const struct data *d, double at, double q, double *base, double *rise)
{
    double w = 0, fm = 0, ym = 0, ff = 0, fy = 0, rss = 0;

    for (size_t i = 0; i < d->n; i++)
        d->f[i] = shape(d->law, d->ways, d->x[i] / at, q);
    for (size_t i = 0; i < d->n && d->law != LAW_SATURATION; i++) {
        double v = weight(d, i);

        w += v;
        fm += v / w * (d->f[i] - fm);
        ym += v / w * (d->y[i] - ym);
    }
    for (size_t i = 0; i < d->n; i++) {
        double v = weight(d, i), f = d->f[i] - fm;

        ff += v * f * f;
        fy += v * f * (d->y[i] - ym);
    }
    *rise = ff > 0 ? fy / ff : 0;
    *base = ym - *rise * fm;
    for (size_t i = 0; i < d->n; i++) {
        double r = d->y[i] - *base - *rise * d->f[i];

        rss += weight(d, i) * r * r;
    }
    return rss;
}

/* The best sharpness for one place. */
static double best_rss(const struct data *d, double at, struct law_fit *out)
{
    double least = DBL_MAX;

    for (size_t s = 0; s < steps[d->law].n; s++) {
        double q = steps[d->law].v[s], base, rise, rss = linear(d, at, q, &base, &rise);

        if (rss >= least)
            continue;
        least = rss;
        *out = (struct law_fit){.at = at, .base = base, .rise = rise, .q = q, .ways = d->ways};
    }
    return least;
}

static double search(const struct data *d, double lo, double hi, struct law_fit *best)
{
    double least = DBL_MAX;

    for (int round = 0; round < ROUNDS; round++) {
        double step = pow(hi / lo, 1.0 / GRID);

        for (int i = 0; i <= GRID; i++) {
            struct law_fit fit;
            double rss = best_rss(d, lo * pow(step, i), &fit);

            if (rss < least) {
                least = rss;
                *best = fit;
            }
        }
        lo = best->at / step / step;
        hi = best->at * step * step;
    }
    return least;
}

/* From the best place outwards by a factor until the residual sum is above what is allowed, then halving the last step. */
static double walk(const struct data *d, double at, double factor, double allowed, double bound)
{
    double inside = at, outside = at;
    struct law_fit fit;

    do {
        inside = outside;
        outside = factor > 1 ? fmin(outside * factor, bound) : fmax(outside * factor, bound);
        if (outside == inside)
            return bound;
    } while (best_rss(d, outside, &fit) <= allowed);
    for (int i = 0; i < HALVINGS; i++) {
        double mid = sqrt(inside * outside);

        if (best_rss(d, mid, &fit) <= allowed)
            inside = mid;
        else
            outside = mid;
    }
    return outside;
}

/* The middle of the places that are within `allowed`. */
static double settle(const struct data *d, double allowed, double first, double last,
                     struct law_fit *out)
{
    double a = walk(d, out->at, 1 / 1.05, allowed, first);
    double b = walk(d, out->at, 1.05, allowed, last);

    return best_rss(d, sqrt(a * b), out);
}

int law_fit(const struct law_rule *rule, const double *x, const double *y, size_t n,
            struct law_fit *out)
{
    struct data d = {rule->law, rule->ways, rule->even, x, y, n, NULL};
    double least, variance, last, noise = rule->noise * rule->noise;

    if (n < 4)
        return -2;
    for (size_t i = 0; i < n; i++)
        if (!(x[i] > 0) || !(y[i] > 0))
            return -2;
    d.f = xmalloc(n * sizeof *d.f);
    last = d.law == LAW_SATURATION ? 100 * x[n - 1] : x[n - 1];
    least = search(&d, x[0], last, out);
    if (d.law >= LAW_SETS)
        least = settle(&d, least + noise, x[0], last, out);
    variance = fmax(least / (double)(n > 4 ? n - 3 : 1), noise);
    out->rms = sqrt(least / (double)n);
    least += gsl_cdf_chisq_Pinv(rule->level, 1) * variance;
    out->lo = walk(&d, out->at, 1 / 1.05, least, x[0]);
    out->hi = walk(&d, out->at, 1.05, least, last);
    for (size_t i = 0; i < n; i++)
        out->beyond += x[i] > out->at;
    free(d.f);
    return 0;
}

double law_at(enum law law, const struct law_fit *fit, double x)
{
    return fit->base + fit->rise * shape(law, fit->ways, x / fit->at, fit->q);
}

double law_part(enum law law, const struct law_fit *fit, double part)
{
    double lo = 0, hi = 64;

    if (law == LAW_REACH)
        return fit->at / (1 - part);
    if (law == LAW_SATURATION)
        return fit->at * part / pow(1 - pow(part, fit->q), 1 / fit->q);
    for (int i = 0; i < 60; i++) {
        double mid = (lo + hi) / 2;

        if (shape(law, fit->ways, mid, fit->q) < part)
            lo = mid;
        else
            hi = mid;
    }
    return fit->at * hi;
}
