/* How far an address translation reaches, from latency over memory spanned. Pure: no I/O. */
#ifndef L2_REACH_H
#define L2_REACH_H

#include <stddef.h>

enum { REACH_INNER = 4 };

struct reach_level {
    double at, lo, hi; /* bytes, and their interval */
    double before,
        after; /* cycles: at the shelf before, and behind the step or at the last point */
};

struct reach {
    int found; /* the outermost level, with a rise of REACH_RISE or more */
    int step;  /* 1: a step (a table that keeps what was used last); 0: T + p max(0, 1 - R/x) */
    struct reach_level outer;              /* if found */
    struct reach_level inner[REACH_INNER]; /* smaller rises before it that stand out */
    size_t ninner;
};

#define REACH_RISE  0.05
#define REACH_SMALL 0.015

/* y over x, increasing, no two equal, both above 0. The law of law.h is fitted to the points from 1/16 of its place on; when
 * straight pieces fit them better and the largest rise ends in a shelf, it is a step with the interval of knee.h. Returns 0, or -1 when no curve can be
 * fitted. */
int reach_find(const double *x, const double *y, size_t n, struct reach *out);

#endif
