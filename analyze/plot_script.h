/* Writing gnuplot: every word that is not ours goes through plot_quote or plot_tic, every number through plot_number. */
#ifndef L2_PLOT_SCRIPT_H
#define L2_PLOT_SCRIPT_H

#include "plot.h"

/* The terminal (png, svg, pdf, dumb: share/gnuplot/TERM.gp), the look, the output file; then the headings, which are
 * the kind's to add. height is relative to the usual one. */
void plot_begin(struct plot *p, const char *term, const char *output, const char *name,
                double height);

/* 'text' for gnuplot: nothing in it can be executed, expanded or typeset; bytes that no text has become '?'. */
void plot_quote(FILE *to, const char *text);
/* The same where gnuplot takes a format with '%', as in labels of tics. */
void plot_tic(FILE *to, const char *text);
/* A number that gnuplot reads, NaN for one that is not finite. */
void plot_number(FILE *to, double v);

/* Title, the device's line, what was done (or NULL). Also the sign that it is simulated. Then more lines. */
void plot_heading(struct plot *p, const char *title, const char *conditions);
void plot_note(struct plot *p, const char *text);
/* Room for the headings above a single picture; several panels: "set multiplot layout" and its end. */
void plot_single(struct plot *p);
void plot_panels(struct plot *p, size_t rows, size_t columns);
void plot_panel_done(struct plot *p, size_t k);

/* "set Ntics" of bytes with KiB, MiB, GiB between lo and hi, logarithmic when they are far apart. Returns whether it is. */
bool plot_bytes_axis(struct plot *p, char axis, double lo, double hi);
/* A data block "$NAME << EOD"; the rows are written in between. */
void plot_block(struct plot *p, const char *name, size_t k);
void plot_block_end(struct plot *p);
/* "30.1 MiB". The caller frees it. */
char *plot_size(double bytes);

#endif
