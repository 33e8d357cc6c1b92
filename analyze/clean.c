/* Noise, spikes and spread of a curve. All of it compares a point with its neighbours, so that a curve with steps has the
 * noise of its shelves. */
#include "clean.h"

#include <math.h>

#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

double clean_median(double *v, size_t n)
{
    gsl_sort(v, 1, n);
    return gsl_stats_median_from_sorted_data(v, 1, n);
}

double clean_spread(double *v, size_t n)
{
    if (n < 2)
        return 0;
    gsl_sort(v, 1, n);
    return (gsl_stats_quantile_from_sorted_data(v, 1, n, 0.9) -
            gsl_stats_quantile_from_sorted_data(v, 1, n, 0.1)) /
           2.563;
}

/* How far point i is from the line between its neighbours; *wider: how much wider that is spread than one point. */
static double off_line(const double *x, const double *y, size_t i, double *wider)
{
    double span = x[i + 1] - x[i - 1], a = span > 0 ? (x[i + 1] - x[i]) / span : 0.5;

    *wider = sqrt(1 + a * a + (1 - a) * (1 - a));
    return y[i] - a * y[i - 1] - (1 - a) * y[i + 1];
}

double clean_noise(const double *x, const double *y, size_t n, double *work)
{
    if (n < 5)
        return 0;
    for (size_t i = 1; i + 1 < n; i++) {
        double wider, off = off_line(x, y, i, &wider);

        work[i - 1] = y[i] != 0 ? fabs(off / (wider * y[i])) : fabs(off / wider);
    }
    gsl_sort(work, 1, n - 2);
    return gsl_stats_quantile_from_sorted_data(work, 1, n - 2, 0.25) / 0.31864;
}

size_t clean_spikes(const double *x, const double *y, size_t n, double noise, double limit,
                    unsigned char *spike)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        spike[i] = 0;
    for (size_t i = 1; i + 1 < n; i++) {
        double wider, off = fabs(off_line(x, y, i, &wider));
        double scale = fmin(fabs(y[i - 1]), fabs(y[i + 1]));

        if (spike[i - 1] || off <= limit * noise * scale)
            continue;
        if (off > 3 * fabs(y[i + 1] - y[i - 1])) {
            spike[i] = 1;
            found++;
        }
    }
    return found;
}
