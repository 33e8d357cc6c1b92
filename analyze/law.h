/* Curves that follow a law instead of leaving a shelf by a ramp. Pure: no I/O. */
#ifndef L2_LAW_H
#define L2_LAW_H

#include <stddef.h>

/* reach:      y = T + p max(0, 1 - R/x), the mean of a table of R entries under a random chase: the share of accesses that miss
 *             grows as 1 - R/x. at is R.
 * saturation: y = P u / (1 + u^q)^(1/q), u = x/K: linear while accesses are few, level when the device is full; K is where the two
 *             straight lines meet, which by Little's law (Operations Research 9, 1961) is P x latency. q, from 1 to 16,
 *             says how sharp the bend is. at is K.
 * sets:       y = T + p overflow_sets(x/C, ways, q): a cache of sets under LRU; q, 0 to 1, is how unevenly they fill. at is C.
 * random:     y = T + p overflow_random(x/C). at is C.
 * step:       T up to C, T + p beyond: sets of more ways than can be told, as of a TLB that is one set. at is C.
 * count:      no law of a chase in a cycle, and not fitted here: count.h. */
enum law { LAW_NONE, LAW_REACH, LAW_SATURATION, LAW_SETS, LAW_RANDOM, LAW_STEP, LAW_COUNT };

struct law_rule {
    enum law law;
    unsigned ways; /* of LAW_SETS */
    double noise;  /* least relative noise of a point */
    double level;  /* coverage of the interval */
    double even;   /* above 0: residuals relative to this instead of to each y */
};

struct law_fit {
    double at, lo, hi; /* R, K or C and its profile interval */
    double base, rise; /* T and p, or 0 and P */
    double q;          /* of a saturation, or of sets */
    unsigned ways;
    double rms;    /* relative residuals, root mean square */
    size_t beyond; /* points with x above `at` */
};

/* Least relative squares over n points, x > 0 and y > 0 (others: -2); at is searched over the range of x, the rest is linear (q by
 * steps). Of sets, random and step, at is the middle of
 * the places that are as good within the noise of one point: between two points of a coarse grid there are many.
 * Returns 0, -2 for data that no such law fits (fewer than 4 points, x or y not positive). */
int law_fit(const struct law_rule *rule, const double *x, const double *y, size_t n,
            struct law_fit *out);

/* x where `part` (0 to 1) of the rise is done. */
double law_part(enum law law, const struct law_fit *fit, double part);
double law_at(enum law law, const struct law_fit *fit, double x);

#endif
