/* A picture of tables: what every kind of plot gets, and the table of kinds. A new kind is one function and one row. */
#ifndef L2_PLOT_H
#define L2_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "plot_frame.h"

enum { PLOT_COLORS = 7, PLOT_SERIES = 7 }; /* colours of the palette; most curves of one picture */

struct plot {
    FILE *to; /* the gnuplot script */
    const struct frames *data;
    const char *x, *y, *z, *group; /* columns named by the caller, or NULL */
    const char *title;             /* given by the caller, or NULL: the kind's own */
    bool text;                     /* the picture is made of letters: no bands, no colours */
    int nheading;                  /* lines above the picture so far */
};

struct plot_kind {
    const char *name;
    const char *exp;     /* value of the column exp, if the table has one; NULL: any */
    const char *columns; /* needed, with one blank between */
    const char *summary;
    void (*draw)(struct plot *p, const struct frame *f); /* exits 1 when there is nothing to draw */
};

extern const struct plot_kind
    plot_kinds[]; /* ends with name NULL; a table is drawn by the first that fits */

/* The first table among the inputs that has all these columns, or NULL. */
const struct frame *plot_frame_with(const struct plot *p, const char *columns);

void plot_latency_raw(struct plot *p, const struct frame *f);
void plot_latency_stat(struct plot *p, const struct frame *f);
void plot_bandwidth_raw(struct plot *p, const struct frame *f);
void plot_bandwidth_stat(struct plot *p, const struct frame *f);
void plot_tlb(struct plot *p, const struct frame *f);
void plot_surface(struct plot *p, const struct frame *f);
void plot_roofline(struct plot *p, const struct frame *f);
void plot_fit(struct plot *p, const struct frame *f);
void plot_curve(struct plot *p, const struct frame *f);
void plot_histogram_raw(struct plot *p, const struct frame *f);
void plot_histogram(struct plot *p, const struct frame *f);
void plot_modes(struct plot *p, const struct frame *f);
void plot_density(struct plot *p, const struct frame *f);
void plot_heat(struct plot *p, const struct frame *f);
void plot_sector(struct plot *p, const struct frame *f);
void plot_store(struct plot *p, const struct frame *f);
void plot_dirty(struct plot *p, const struct frame *f);
void plot_tips(struct plot *p, const struct frame *f);
void plot_survival(struct plot *p, const struct frame *f);
void plot_agreement(struct plot *p, const struct frame *f);
void plot_levels(struct plot *p, const struct frame *f);
void plot_clock(struct plot *p, const struct frame *f);
void plot_matrix(struct plot *p, const struct frame *f);
void plot_fingerprints(struct plot *p, const struct frame *f);
void plot_sms(struct plot *p, const struct frame *f);
void plot_contend(struct plot *p, const struct frame *f);
void plot_diff(struct plot *p, const struct frame *f);

#endif
