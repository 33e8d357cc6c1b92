/* Lines through the cycles of whole walks, and where they meet. */
#include "count.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <gsl/gsl_fit.h>

enum { LEAST = 3 };
/* Standard error of a capacity, relative: where the cache keeps other lines than the last ones, points lie beside their line. */
static const double certain = 0.015;
/* Part of the cache that may be empty at the bend: 16 ways filled at random leave a tenth, two rises taken for one leave more. */
static const double uneven = 0.12;
/* The bend over the middle of the rise: when sets fill evenly half of the hits are lost just above the capacity, else below. */
static const double farthest = 1.2;

struct line {
    double c, slope, cov00, cov01, cov11; /* with its covariance */
};

/* The line through the points with lo <= x < hi; -1 where they are too few. */
static int line_fit(const double *x, const double *total, size_t n, double lo, double hi,
                    struct line *l)
{
    double rss;
    size_t first = 0, end;

    while (first < n && x[first] < lo)
        first++;
    for (end = first; end < n && x[end] < hi;)
        end++;
    if (end < first + LEAST)
        return -1;
    return gsl_fit_linear(x + first, 1, total + first, 1, end - first, &l->c, &l->slope, &l->cov00,
                          &l->cov01, &l->cov11, &rss);
}

static double at(const struct line *l, double x)
{
    return l->c + l->slope * x;
}

static double variance(const struct line *l, double x)
{
    return l->cov00 + 2 * x * l->cov01 + x * x * l->cov11;
}

/* How far the points from lo to hi are above the bent line, at most, in cycles that one more line costs after the bend and
 * parts of the place of the bend: the part of the cache that is empty while other sets are too full, or the work of another bend. */
static double above(const double *x, const double *total, size_t n, const struct line *a,
                    const struct line *b, double bend, double lo, double hi)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        if (x[i] >= lo && x[i] < hi)
            most = fmax(most, total[i] - at(x[i] < bend ? a : b, x[i]));
    return most / (b->slope - a->slope) / bend;
}

/* The capacity of rise i: where the lines before and after it meet. nan: they don't meet at one place. -1: they do not tell. */
static double meet(const double *x, const double *total, size_t n, const struct knee_fit *fit,
                   size_t i)
{
    const struct knee *k = &fit->knee[i];
    double from = i > 0 ? k[-1].end : 0, to = i + 1 < fit->count ? k[1].lo : INFINITY;
    struct line a, b;
    double bend, error;

    if (line_fit(x, total, n, from, k->lo, &a) != 0 || line_fit(x, total, n, k->end, to, &b) != 0)
        return -1;
    bend = (a.c - b.c) / (b.slope - a.slope);
    error = sqrt(variance(&a, bend) + variance(&b, bend)) / (b.slope - a.slope);
    if (above(x, total, n, &a, &b, bend, k->lo, k->end) > uneven)
        return NAN;
    return error >= 0 && error < certain * bend && bend < farthest * k->mid ? bend : -1;
}

void count_capacities(const double *x, const double *y, size_t n, struct knee_fit *fit)
{
    double *total = xmalloc((n + 1) * sizeof *total);

    for (size_t i = 0; i < n; i++)
        total[i] = x[i] * y[i];
    for (size_t i = 0; i < fit->count; i++) {
        struct knee *k = &fit->knee[i];
        bool other = (k->note & KNEE_EDGE) || k->after < k->before || k->law == LAW_RANDOM ||
                     k->law == LAW_REACH;
        double bend = other ? -1 : meet(x, total, n, fit, i);

        if (bend < 0)
            continue;
        k->capacity = bend;
        k->law = isnan(bend) ? LAW_NONE : LAW_COUNT;
        k->lo = fmin(k->lo, bend);
        k->hi = fmax(k->hi, bend);
    }
    free(total);
}
