/* Latencies of lines x SMs from raw rows of the experiment matrix, in an order that shows what is alike. */
#ifndef L2_PLOT_GRID_H
#define L2_PLOT_GRID_H

#include "plot.h"

struct grid_line {
    double offset;
    int side, slice, location; /* -1: not known */
    size_t at;                 /* row of cycles[] */
};

struct grid_sm {
    double id;
    int side, group;
    size_t at;
};

struct grid {
    size_t lines, sms;
    struct grid_line *line;
    struct grid_sm *sm;
    float *cycles; /* lines x sms, means of the repeats; nan where not measured */
    bool mapped;   /* the order of the lines comes from l2slice */
};

/* The rows whose op is `op` (NULL: all). Lines in the order of side, slice and location, SMs of side and group, as far as
 * other inputs tell (l2slice -m and -s); else lines by offset and SMs by number. */
struct grid plot_grid_make(const struct plot *p, const struct frame *f, const char *op);
void plot_grid_free(struct grid *g);
float plot_grid_cycles(const struct grid *g, size_t line, size_t sm);

#endif
