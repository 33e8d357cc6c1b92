/* The knees of a curve: where y leaves one level for another. Pure: no I/O. */
#ifndef L2_KNEE_H
#define L2_KNEE_H

#include <stddef.h>

#include "law.h"

enum knee_scale { KNEE_AUTO, KNEE_LINEAR, KNEE_LOG };

struct knee_options {
    double noise;   /* least relative noise of a point */
    double least;   /* least height of a knee, relative to the lower level */
    double penalty; /* times log(n): the price of a parameter; 1 is the Bayesian criterion */
    double drift;   /* a slope, relative to y, for a doubling of x, that is still a shelf */
    double
        tread; /* shelves narrower than this, in doublings of x, are treads of one knee's staircase */
    double level;  /* of the intervals, such as 0.95 */
    unsigned ways; /* of a set, for the capacity; 0: no capacity is asked for */
    enum knee_scale scale;
};

extern const struct knee_options knee_defaults;

/* Why a knee is not certain, or what kind it is: bits, named in knee_notes[]. */
enum {
    KNEE_EDGE = 1,   /* there is no shelf on one side: it may begin before or end after the data */
    KNEE_FEW = 2,    /* a shelf beside it has fewer than 3 points */
    KNEE_DRIFT = 4,  /* so slow that it is a drift, not a step */
    KNEE_RAMP = 8,   /* a ramp wider than half a doubling of x */
    KNEE_NOISY = 16, /* not far above the ripple or spread beside it */
    KNEE_AGAINST = 32, /* goes against the direction of the curve's largest knee */
    KNEE_FALLS = 64,   /* y falls */
    KNEE_WIDE = 128    /* a ramp wider than three doublings */
};
struct knee_note {
    unsigned bit;
    const char *text;
    int lowers; /* 1: a knee with this note has low confidence */
};
extern const struct knee_note knee_notes[]; /* ends with bit 0 */

struct knee {
    double onset, mid, end; /* x where 5 %, 50 %, 95 % of the rise are done */
    double lo, hi; /* interval: from the least onset to the greatest middle that the data allow */
    double before, after; /* levels */
    double height;        /* after / before - 1 */
    double capacity;      /* knee_capacity.h; nan of a fall, at an edge, or when no law fits */
    enum law law;         /* that gives the capacity, or LAW_NONE */
    unsigned note;
    int high;           /* confidence */
    size_t first, last; /* last point of the shelf before, first point of the shelf after */
};

/* Everything known of a curve after knee_find. Arrays have one element a point. */
struct knee_fit {
    struct knee *knee;
    size_t count;
    double *fitted;      /* the piecewise curve */
    unsigned char *part; /* 's' on a shelf, 'r' on a rise, 'x' a spike that was left out */
    size_t spikes;
    double noise;          /* relative noise of a point that was used */
    enum knee_scale scale; /* that was chosen */
};

/* Finds the knees of y over x (increasing, no two equal). spread is NULL or the standard error of each y (nan: unknown). Steps:
 * noise from neighbours; lone spikes left out; optimal partition with relative residuals over x and over log x, the better
 * one is kept (segment.h); shelves (shelf.h); for each rise the 5, 50 and 95 % points, the profile interval (ramp.h), which is
 * never narrower than the points on both sides, and the confidence.
 * Returns 0, -1 without memory, -2 when x does not increase or a number is not finite. */
int knee_find(const double *x, const double *y, const double *spread, size_t n,
              const struct knee_options *opt, struct knee_fit *fit);
void knee_free(struct knee_fit *fit);

#endif
