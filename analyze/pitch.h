/* The line's size from how many nodes of a chase fit at each stride. Pure: no I/O. */
#ifndef L2_PITCH_H
#define L2_PITCH_H

#include <stddef.h>

/* Points of one stride, by rising nodes. */
struct pitch_point {
    double nodes, cycles; /* mean of a hop */
};

#define PITCH_PLATEAU 1.6 /* times the middle: there the rise is over */

/* How many nodes fit at one stride. */
struct pitch_fill {
    double stride;
    double
        nodes; /* where the mean is half way between that of few nodes and that of PITCH_PLATEAU times as many */
    double width; /* logarithm of where it is 80 % of the way over where it is 20 % */
};

/* Finds nodes and width in points by rising nodes. 0, or -1 when there is no such rise. */
int pitch_middle(const struct pitch_point *p, size_t n, struct pitch_fill *f);

struct pitch_fit {
    double line, lo, hi; /* bytes */
    double spread;       /* standard deviation of what fits, relative to the law */
    size_t below, above; /* strides that share lines, and that do not */
};

/* The law nodes = capacity / min(stride, line), fitted to logarithms by least squares for every place of the line among the
 * strides, which must rise. The interval is one of 95 % by Student's t and the spread (PITCH_LEAST at least),
 * and an eighth of the mean width wider on either side: where sets fill unevenly, lines that lie densely fit worse than
 * others. 0; -1 when fewer than four strides are there, none or all are below the line, the line is
 * within 10 % of the first or last, or the spread is above
 * PITCH_SPREAD. */
#define PITCH_SPREAD 0.05
#define PITCH_LEAST  0.02
int pitch_line(const struct pitch_fill *f, size_t n, struct pitch_fit *fit);

#endif
