/* Curves that follow a law instead of leaving a shelf by a ramp. Pure: no I/O. */
#ifndef L2_LAW_H
#define L2_LAW_H

#include <stddef.h>

/* reach:      y = T + p max(0, 1 - R/x), the mean of a table of R entries under a random chase: the share of accesses that miss
 *             grows as 1 - R/x. at is R.
 * saturation: y = P u / (1 + u^q)^(1/q), u = x/K: linear while accesses are few, level when the device is full; K is where the two
 *             straight lines meet, which by Little's law (Operations Research 9, 1961) is P x latency. q, from 1 to 16,
 *             says how sharp the bend is. at is K. */
enum law { LAW_NONE, LAW_REACH, LAW_SATURATION };

struct law_fit {
    double at, lo, hi; /* R or K and its profile interval */
    double base, rise; /* T and p, or 0 and P */
    double q;          /* of a saturation */
    double rms;        /* relative residuals, root mean square */
    size_t beyond;     /* points with x above `at` */
};

/* Least relative squares over n points, x > 0 and y > 0 (others: -2); at is searched over the range of x, the rest is linear (q by
 * steps). noise: least relative noise of a point; level: coverage of the interval.
 * Returns 0, -2 for data that no such law fits (fewer than 4 points, x or y not positive). */
int law_fit(enum law law, const double *x, const double *y, size_t n, double noise, double level,
            struct law_fit *out);

/* x where `part` (0 to 1) of the rise is done. */
double law_part(enum law law, const struct law_fit *fit, double part);
double law_at(enum law law, const struct law_fit *fit, double x);

#endif
