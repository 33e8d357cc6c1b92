/* Curves from rows: one series for each combination of the parameters that vary, one point for each x, with the
 * distribution of y there. */
#ifndef L2_PLOT_SERIES_H
#define L2_PLOT_SERIES_H

#include "plot_frame.h"

enum { POINT_Q05, POINT_Q25, POINT_MEDIAN, POINT_Q75, POINT_Q95, POINT_QUANTILES };

struct point {
    double x, mean, n;
    double q[POINT_QUANTILES]; /* nan where not known */
};

struct series {
    char *label; /* "op=cg stride=128", or "" when there is only one */
    struct point *point;
    size_t n;
};

struct series_set {
    struct series *series;
    size_t n;
    char *constants; /* "op=cg sm=0 ...": parameters that are the same everywhere */
    size_t dropped;  /* rows whose x or y is not finite */
    double x_min, x_max, y_min, y_max;
};

/* Which columns make the curves; SIZE_MAX-like TSV_NONE for a column that is not used. */
struct series_spec {
    const struct frames *data;
    const struct frame *frame;
    size_t x, y;       /* y: the samples, or TSV_NONE when the table has statistics already */
    size_t weight;     /* or TSV_NONE */
    const char *group; /* column that separates the curves, NULL: all parameters that vary */
    bool values;       /* x is no condition but what was measured: no parameter follows from it */
};

/* Exits 1 when no row is left to draw. */
struct series_set *xseries_make(const struct series_spec *spec);
/* Keeps the `most` series with the greatest median somewhere, in their order. Returns how many were left out. */
size_t series_keep_best(struct series_set *s, size_t most);
void series_keep_first(struct series_set *s, size_t n);
void series_free(struct series_set *s);

#endif
