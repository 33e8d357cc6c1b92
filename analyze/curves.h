/* Rows of a table gathered into curves: y against x, one curve a group, one point an x, repeats averaged. */
#ifndef L2_CURVES_H
#define L2_CURVES_H

#include <stddef.h>

#include "../share/lib/tsv.h"

struct curves_want {
    const char *x, *y; /* column names, NULL: by the tables in curves.c */
    char **group;      /* columns of -g; NULL: known parameters that vary */
    size_t groups;
    double from, to; /* rows outside are left out */
};

struct one_curve {
    char **label; /* one word a group column */
    double *x, *y, *error,
        *median; /* error: standard error of y, median: of the samples or the median column; nan: unknown */
    size_t n;
    double samples;         /* rows or weights averaged */
    struct one_curve *back; /* the same cycles walked backwards (count.h), or NULL */
};

struct curves {
    char *x_name, *y_name;
    char **group; /* columns that tell the curves apart */
    size_t groups;
    struct one_curve *curve;
    size_t n;
    size_t dropped; /* rows whose y was nan or infinite */
    double stride;  /* the table's stride when it has only one, else 0 */
    int averaged;   /* some x had several rows */
};

/* Reads all rows. y is the mean of rows with equal x, weighted by the column n when y is no summary itself; its error is
 * sd/sqrt(n) of the samples (n: at most the lines of the working set, where x is `size` and `stride` is known), or comes from columns sd and n, ci_lo and ci_hi, or spread_pct. Columns that are parameters
 * (columns.h) and vary tell curves apart, but not one that has another value at every x. Exits when a column is missing. */
struct curves *xcurves_read(struct tsv *t, const struct curves_want *want);
/* Walks back are no curves of their own where the walks forwards are there: they become their `back`, and column order goes unless
 * it tells other curves apart or `keep`. xcurves_read does it. */
void curves_pair(struct curves *c, bool keep);
void curves_free(struct curves *c);

#endif
