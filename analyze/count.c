/* Lines through the cycles of whole walks, and where they meet. */
#include "count.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <gsl/gsl_fit.h>

enum { LEAST = 3 };

/* The line through the points with lo <= x < hi; -1 where they are too few. */
static int line(const double *x, const double *total, size_t n, double lo, double hi, double *c,
                double *slope)
{
    double cov00, cov01, cov11, rss;
    size_t first = 0, end;

    while (first < n && x[first] < lo)
        first++;
    for (end = first; end < n && x[end] < hi;)
        end++;
    if (end < first + LEAST)
        return -1;
    return gsl_fit_linear(x + first, 1, total + first, 1, end - first, c, slope, &cov00, &cov01,
                          &cov11, &rss);
}

/* Where the lines before and after rise i meet, nan when they do not. */
static double bend(const double *x, const double *total, size_t n, const struct knee_fit *fit,
                   size_t i)
{
    const struct knee *k = &fit->knee[i];
    double from = i > 0 ? k[-1].end : 0, to = i + 1 < fit->count ? k[1].lo : INFINITY;
    double c[2], slope[2], at;

    if (line(x, total, n, from, k->lo, &c[0], &slope[0]) != 0 ||
        line(x, total, n, k->end, to, &c[1], &slope[1]) != 0)
        return NAN;
    at = (c[0] - c[1]) / (slope[1] - slope[0]);
    return at > k->onset / 2 && at < k->end ? at : NAN;
}

void count_capacities(const double *x, const double *y, size_t n, struct knee_fit *fit)
{
    double *total = malloc((n + 1) * sizeof *total);

    for (size_t i = 0; i < n && total != NULL; i++)
        total[i] = x[i] * y[i];
    for (size_t i = 0; i < fit->count && total != NULL; i++) {
        struct knee *k = &fit->knee[i];
        bool other = (k->note & KNEE_EDGE) || k->after < k->before || k->law == LAW_RANDOM ||
                     k->law == LAW_REACH;
        double at = other ? NAN : bend(x, total, n, fit, i);

        if (isnan(at))
            continue;
        k->capacity = at;
        k->law = LAW_COUNT;
        k->lo = fmin(k->lo, at);
        k->hi = fmax(k->hi, at);
    }
    free(total);
}
