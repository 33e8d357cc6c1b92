/* From the pieces of a partition to shelves and the rises between them. Pure: no I/O. */
#ifndef L2_SHELF_H
#define L2_SHELF_H

#include <stddef.h>

#include "segment.h"

struct curve {
    const double *x, *y, *w; /* x increases; w is 1/variance */
    size_t n;
};

/* A stretch of points where y stays, but for noise, ripple and a slow drift. */
struct shelf {
    size_t first, last;
};

struct shelf_rule {
    double least; /* least height of a rise, relative to the lower level */
    double drift; /* slope, relative to y, for a doubling of x, that still is a shelf */
    double tail;  /* a rise less than this part of its neighbour's, close to it, belongs to it */
    double tread; /* in doublings of x: a narrower shelf between two rises belongs to them */
    double
        dent; /* a rise undone by a fall (or the other way) is ripple when the smaller is below this */
};

/* Collects shelves from the pieces and drops those that are none: too small a rise between two of them joins them; a dent
 * joins the side that is nearer; a shelf of one or two points, or one narrower than a tread, belongs to the rise. A
 * tread is rule->tread wide or a sixteenth of the curve, whichever is less. What is left
 * are shelves, in order, with a rise or fall between each two. Writes them to out (room for count) and returns how many.
 * piece_x: the x that the pieces were fitted over (x or log x). */
size_t shelves_find(const struct curve *c, const struct segment *piece, size_t count,
                    const double *piece_x, const struct shelf_rule *rule, struct shelf *out,
                    double *work);

/* The level at the end of a shelf (left = 0) or at its start (left = 1): median of the nearest third of its points, at least 5 if
 * there are, at most 50. work has room for 50. */
double shelf_level(const struct curve *c, const struct shelf *s, int left, double *work);

/* Spread of n points x, y about the shelf's own straight line; work has room for n. (The points are the shelf's, those that were
 * left out as spikes among them.) */
double shelf_ripple(const struct curve *c, const struct shelf *s, const double *x, const double *y,
                    size_t n, double *work);

/* |a - b| relative to the smaller of |a| and |b| (the larger when that is 0). */
double shelf_height(double a, double b);

/* log2(b/a), or a multiple of the smallest positive x where a is not positive. */
double shelf_octaves(const struct curve *c, double a, double b);

/* Whether a piece is too steep for a shelf. */
int piece_is_steep(const struct curve *c, const struct segment *p, const double *piece_x,
                   const struct shelf_rule *rule);

#endif
