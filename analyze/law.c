/* Two laws with one parameter that is not linear (and the sharpness of a bend, tried by steps): its residual sum is tabulated
 * on a geometric grid, and the grid is narrowed around the best until it is fine. The interval holds what the chi-square
 * quantile allows above the least sum. */
#include "law.h"

#include <float.h>
#include <math.h>

#include <gsl/gsl_cdf.h>

enum { GRID = 100, ROUNDS = 4, HALVINGS = 16 };
static const double sharpness[] = {1, 1.5, 2, 3, 4, 6, 8, 16};

struct data {
    enum law law;
    const double *x, *y;
    size_t n;
};

static double shape(enum law law, double x, double at, double q)
{
    if (law == LAW_REACH)
        return x > at ? 1 - at / x : 0;
    return x / at / pow(1 + pow(x / at, q), 1 / q);
}

/* The linear part, with weights 1/y^2; returns the relative residual sum. Means first, so that nothing cancels. */
static double linear(const struct data *d, double at, double q, double *base, double *rise)
{
    double w = 0, fm = 0, ym = 0, ff = 0, fy = 0, rss = 0;

    for (size_t i = 0; i < d->n && d->law == LAW_REACH; i++) {
        double v = 1 / (d->y[i] * d->y[i]);

        w += v;
        fm += v / w * (shape(d->law, d->x[i], at, q) - fm);
        ym += v / w * (d->y[i] - ym);
    }
    for (size_t i = 0; i < d->n; i++) {
        double v = 1 / (d->y[i] * d->y[i]), f = shape(d->law, d->x[i], at, q) - fm;

        ff += v * f * f;
        fy += v * f * (d->y[i] - ym);
    }
    *rise = ff > 0 ? fy / ff : 0;
    *base = ym - *rise * fm;
    for (size_t i = 0; i < d->n; i++) {
        double r = 1 - (*base + *rise * shape(d->law, d->x[i], at, q)) / d->y[i];

        rss += r * r;
    }
    return rss;
}

/* The best sharpness for one place. */
static double best_rss(const struct data *d, double at, struct law_fit *out)
{
    size_t steps = d->law == LAW_SATURATION ? sizeof sharpness / sizeof *sharpness : 1;
    double least = DBL_MAX;

    for (size_t s = 0; s < steps; s++) {
        double base, rise, rss = linear(d, at, sharpness[s], &base, &rise);

        if (rss >= least)
            continue;
        least = rss;
        *out = (struct law_fit){.at = at, .base = base, .rise = rise, .q = sharpness[s]};
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

int law_fit(enum law law, const double *x, const double *y, size_t n, double noise, double level,
            struct law_fit *out)
{
    struct data d = {law, x, y, n};
    double least, variance, last;

    if (n < 4)
        return -2;
    for (size_t i = 0; i < n; i++)
        if (!(x[i] > 0) || !(y[i] > 0))
            return -2;
    last = law == LAW_SATURATION ? 100 * x[n - 1] : x[n - 1];
    least = search(&d, x[0], last, out);
    variance = fmax(least / (double)(n > 4 ? n - 3 : 1), noise * noise);
    out->rms = sqrt(least / (double)n);
    least += gsl_cdf_chisq_Pinv(level, 1) * variance;
    out->lo = walk(&d, out->at, 1 / 1.05, least, x[0]);
    out->hi = walk(&d, out->at, 1.05, least, last);
    for (size_t i = 0; i < n; i++)
        out->beyond += x[i] > out->at;
    return 0;
}

double law_part(enum law law, const struct law_fit *fit, double part)
{
    if (law == LAW_REACH)
        return fit->at / (1 - part);
    return fit->at * part / pow(1 - pow(part, fit->q), 1 / fit->q);
}

double law_at(enum law law, const struct law_fit *fit, double x)
{
    return fit->base + fit->rise * shape(law, x, fit->at, fit->q);
}
