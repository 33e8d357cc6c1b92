/* The modes of a distribution, its split in two, and bins for a histogram. */
#ifndef L2_MODES_H
#define L2_MODES_H

#include "dist.h"

/* A piece of the distribution between two valleys. */
struct mode {
    double lo, hi; /* its smallest and largest value */
    double centre; /* its median */
    double width;  /* its interquartile range */
    uint64_t n;    /* its samples */
};

/* Cuts the distribution at its valleys: windows of equal width are laid side by side, wide ones first, and a valley is a
 * window with at most half as many samples as the fullest one on each side, the difference being 5 standard errors of a
 * Poisson count. So a mode needs 25 samples and a gap as wide as a window; windows are at least two steps of the values'
 * grid and 1/32 of the middle 90 %, so that a comb of integers or the fine structure of a mode is one mode. Pieces with under `least` of all samples are left out (least 0.001: a few
 * stray samples are no mode). Writes at most max modes in ascending order and returns how many; a constant is one mode
 * of width 0. The window test in place of a kernel estimate follows the idea of J. Minnotte, "Nonparametric testing of
 * the existence of modes", Annals of Statistics 25 (1997): each valley is tested, from coarse to fine. */
size_t modes_find(const struct dist *d, double least, struct mode *out, size_t max);

/* Two modes: a sample belongs to the lower one if it is below the threshold. */
struct bimodal {
    double threshold;
    double mean[2], sd[2];
    uint64_t n[2];
    double
        eta; /* share of the variance that is between the modes: 0.64 for one normal, 0.75 for a uniform, up to 1 */
    double
        gap; /* the empty interval around the threshold, over the range: 0 when there is none to speak of */
    double
        d; /* Ashman's D, distance in units of sd: above 2 is a clean split (Ashman, Bird, Zepf 1994) */
};

/* N. Otsu, "A threshold selection method from gray-level histograms" (1979): the threshold that leaves the least variance
 * within both modes, half-way between neighbouring values. Returns -1 if there is only one value. */
int bimodal_otsu(const struct dist *d, struct bimodal *s);
/* The threshold in the middle of the widest gap between neighbouring values that has at least `least` of the samples on
 * each side. Returns -1 if there is none. */
int bimodal_gap(const struct dist *d, double least, struct bimodal *s);

/* Bins [origin + i width, origin + (i + 1) width). Width by D. Freedman, P. Diaconis, "On the histogram as a density
 * estimator" (1981), 2 IQR n^(-1/3), or the wish if it is above 0. If all values lie on a grid (integers, tenths) the width
 * becomes a multiple of its step and no value lies on an edge, so no bin holds more grid points than another. */
struct bins {
    double origin, width;
    double step; /* of the grid, 0 if there is none */
};

void bins_choose(const struct dist *d, double wish, struct bins *b);
/* The bin of a value. */
int64_t bins_of(const struct bins *b, double x);

#endif
