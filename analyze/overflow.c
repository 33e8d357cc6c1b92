/* Shares of misses beyond the capacity. */
#include "overflow.h"

#include <math.h>

#include <gsl/gsl_sf_lambert.h>

/* The chance that a Poisson number is above k, `none` being that of 0; k is as small as a set has ways. */
static double poisson_above(int k, double mean, double none)
{
    double term = none, sum = 0;

    for (int i = 0; i <= k; i++, term *= mean / i)
        sum += term;
    return fmax(0, 1 - sum);
}

/* Lines expected in a set that overflows, 0 counted for one that does not: `even` of them certain, the rest Poisson.
 * E[Y; Y > a] = mean P(Y > a - 1). */
static double lost(int ways, int even, double mean, double none)
{
    int room = ways - even;

    return even * poisson_above(room, mean, none) + mean * poisson_above(room - 1, mean, none);
}

double overflow_sets(double ratio, unsigned ways, double v)
{
    double load = ratio * ways, even = (1 - v) * load, base = floor(even), part = even - base;
    double none = exp(-v * load);

    if (load <= 0)
        return 0;
    if (base > ways)
        return 1;
    return ((1 - part) * lost((int)ways, (int)base, v * load, none) +
            part * lost((int)ways, (int)base + 1, v * load, none)) /
           load;
}

double overflow_random(double ratio)
{
    return ratio > 1 ? 1 + gsl_sf_lambert_W0(-ratio * exp(-ratio)) / ratio : 0;
}

double overflow_keep(double ratio)
{
    return ratio > 1 ? 1 - 1 / ratio : 0;
}
