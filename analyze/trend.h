/* How a mean moves along time, in constant memory. */
#ifndef L2_TREND_H
#define L2_TREND_H

#include <stdint.h>

/* Sixteen sums along time, for "did it drift?": bin b holds times [b << shift, (b + 1) << shift). */
enum { TREND_BINS = 16 };
struct trend {
    uint64_t n[TREND_BINS];
    double sum[TREND_BINS];
    unsigned shift;
    uint64_t rows, up, down; /* up, down: steps from a sample to the next */
    double last;
};

void trend_add(struct trend *t, uint64_t time, double x, uint64_t n);
/* Mean of the last quarter of the time minus that of the first; 0 if there are under 4 bins of time or the samples are
 * in order of size (then the rows' order is not time). */
double trend_shift(const struct trend *t);

#endif
