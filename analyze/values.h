/* A growing array of numbers. */
#ifndef L2_VALUES_H
#define L2_VALUES_H

#include <stddef.h>

struct values {
    double *v;
    size_t n, cap;
};

void values_add(struct values *s, double v);
void values_sort(struct values *s);
/* Median of sorted values (R type 7); nan when there are none. */
double values_median(const struct values *s);
/* Interval of the median of sorted values from order statistics (dist.h); nan in both when there are too few. */
void values_interval(const struct values *s, double confidence, double *lo, double *hi);
void values_free(struct values *s);

#endif
