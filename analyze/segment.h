/* The best way to cut a curve into straight pieces, by dynamic programming. Pure: no I/O. */
#ifndef L2_SEGMENT_H
#define L2_SEGMENT_H

#include <stddef.h>

/* One piece, points first..last inclusive: y = level + slope * (x - x_mean). */
struct segment {
    size_t first, last;
    double x_mean, level, slope; /* slope 0: a constant piece */
    double rss;                  /* weighted sum of squared residuals */
};

struct segment_work; /* room for n points */

struct segment_work *segment_alloc(size_t n);
void segment_free(struct segment_work *w);

/* Minimises  sum of w (y - f(x))^2 + penalty * (2 per constant piece, 3 per sloped piece)  over all partitions into pieces
 * that are constant or straight and need not meet (jumps). x must not decrease; w > 0 is 1/variance of each y. With
 * penalty = log(n) this is the Bayesian criterion of Yao (Statist. Probab. Lett. 6, 1988) for a known variance: every
 * piece costs its own level (and slope) and its place. Optimal partitioning (Jackson et al., IEEE Signal Proc. Lett. 12, 2005;
 * for regressions Bai and Perron, J. Appl. Econometrics 18, 2003) with the pruning of Killick, Fearnhead and Eckley
 * (J. Am. Stat. Assoc. 107, 2012). At worst n^2/2 steps; sums are updated by Welford's rule, never as differences of squares.
 *
 * Writes the pieces to out (room for n) and their number to *count, the criterion to *cost.
 * Returns 0, or -1 when n is 0, larger than the work space, or a weight is not positive. */
int segment_fit(struct segment_work *work, const double *x, const double *y, const double *w,
                size_t n, double penalty, struct segment *out, size_t *count, double *cost);

/* The piece's value at x. */
double segment_at(const struct segment *s, double x);

/* One straight line through points first..last (constant when `flat` or when x does not vary). */
struct segment segment_line(const double *x, const double *y, const double *w, size_t first,
                            size_t last, int flat);

#endif
