/* Sorting, median, interval of a plain array. */
#include "values.h"

#include <math.h>
#include <stdlib.h>

#include "../share/lib/mem.h"
#include "dist.h"

void values_add(struct values *s, double v)
{
    s->v = xgrow(s->v, s->n, &s->cap, sizeof *s->v);
    s->v[s->n++] = v;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void values_sort(struct values *s)
{
    if (s->n > 1)
        qsort(s->v, s->n, sizeof *s->v, by_value);
}

double values_median(const struct values *s)
{
    return s->n == 0 ? NAN : (s->v[(s->n - 1) / 2] + s->v[s->n / 2]) / 2;
}

void values_interval(const struct values *s, double confidence, double *lo, double *hi)
{
    double *x = xmalloc((s->n + 1) * sizeof *x);
    uint64_t *cum = xmalloc((s->n + 1) * sizeof *cum);
    struct dist d = {x, cum, 0};

    for (size_t i = 0; i < s->n; i++) {
        if (d.m == 0 || s->v[i] != x[d.m - 1])
            x[d.m++] = s->v[i];
        cum[d.m - 1] = i + 1;
    }
    *lo = *hi = NAN;
    if (d.m > 0)
        dist_median_interval(&d, confidence, lo, hi);
    free(x);
    free(cum);
}

void values_free(struct values *s)
{
    free(s->v);
    *s = (struct values){0};
}
