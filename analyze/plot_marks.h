/* What is marked on a curve over size: knees that another input holds, and the cache size that the driver tells. */
#ifndef L2_PLOT_MARKS_H
#define L2_PLOT_MARKS_H

#include "plot.h"

/* Columns that make a table one of knees. */
#define PLOT_KNEE_COLUMNS "x_onset x_mid x_end x_lo x_hi"
/* Columns that make a table one of fitted curves; x and y stand before them. */
#define PLOT_FIT_COLUMNS "fit part"

struct span {
    double lo, hi; /* of the x axis */
    bool logarithmic;
};

/* Marks the knees within the span. Returns them in words with their intervals, "" when there is none; to be freed. */
char *plot_mark_knees(struct plot *p, struct span span, bool bytes);
void plot_mark_l2(struct plot *p, struct span span);

#endif
