/* Bins of a distribution, for pictures: the points of a series are (value, n). */
#ifndef L2_PLOT_BINS_H
#define L2_PLOT_BINS_H

#include "plot_series.h"

struct plot_bins {
    double lo, width;
    size_t n;
    double *share; /* of all samples, in [lo + i width, lo + (i + 1) width) */
    double beyond; /* share of the samples outside all bins */
};

/* The value below which the share p of a series' samples lies. */
double plot_bins_quantile(const struct series *s, double p);
/* At most `most` bins from lo to hi; whole numbers get bins of whole width, so that no bin holds more of them. */
struct plot_bins plot_bins_make(const struct series *s, double lo, double hi, size_t most);
void plot_bins_free(struct plot_bins *b);

#endif
