/* Where a sample falls apart into two modes: pure, no allocation. */
#ifndef L2_SPLIT_H
#define L2_SPLIT_H

#include <stddef.h>

struct split {
    size_t below;     /* values in the lower mode */
    double at;        /* the threshold: the middle of the gap */
    double low, high; /* medians of the modes */
    double width;     /* the wider mode, from its 2nd to its 98th percentile */
    double
        gap; /* from the 98th percentile of the lower to the 2nd of the upper mode; negative: they overlap */
};

/* Both need n >= 2 values in ascending order. The split that leaves the least variance within the modes (Otsu, "A
 * threshold selection method from gray-level histograms", 1979): for modes that each hold a good share. */
void split_variance(const double *sorted, size_t n, struct split *s);
/* The split at the widest gap: for clean samples in which one mode may be a single value. */
void split_gap(const double *sorted, size_t n, struct split *s);

/* Where the largest part of the n values, whose neighbours lie no farther apart than gap, begins: the middle of the gap before
 * it; `none` when nothing is below it. */
double split_bulk(const double *sorted, size_t n, double gap, double none);

/* For qsort. */
int split_order(const void *a, const void *b);
/* Sorts a[] and gives its median; n >= 1. */
double split_median(double *a, size_t n);

#endif
