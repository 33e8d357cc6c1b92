/* Contention of two lines: the limit, and the lines of one slice. */
#include "contention.h"

#include "../share/lib/mem.h"
#include "../share/lib/split.h"

#include <stdlib.h>
#include <string.h>

enum { ACCESSES = 32, WARPS = 32, CONFIRM = 4 };

double contention_limit(const double *cycles, size_t n, double *other)
{
    double self = cycles[0], *v = xmalloc((n + 1) * sizeof *v), top = self, limit;
    size_t i = n;

    memcpy(v, cycles, n * sizeof *v);
    qsort(v, n, sizeof *v, split_order);
    if (*other == 0 || v[n / 20] < *other)
        *other = v[n / 20];
    limit = *other + (self - *other) / 2;
    while (i > 0 && v[i - 1] >= self)
        i--;
    while (i > 0 && v[i - 1] > limit && top - v[i - 1] < (self - *other) / 10)
        top = v[--i];
    if (i > 0 && v[i - 1] > limit)
        limit = (top + v[i - 1]) / 2;
    free(v);
    return self > CONTENTION_SEEN * *other ? limit : self + *other;
}

/* Hammers n lines with the first of them; keeps those above the limit and at `least`, in order. -1: the device failed. */
static int sift(struct device *d, uint64_t *line, double *cycles, size_t *n, double *other,
                double *limit)
{
    struct hammer h = {.kind = L2_ATOM, .npair = *n, .accesses = ACCESSES, .warps = WARPS};
    uint64_t *pivot = xmalloc(*n * sizeof *pivot);
    size_t kept = 1;
    int rc;

    for (size_t i = 0; i < *n; i++)
        pivot[i] = line[0];
    h.a = pivot;
    h.b = line;
    rc = d->ops->hammer(d, &h, cycles);
    free(pivot);
    if (rc != 0)
        return -1;
    if (*limit == 0)
        *limit = contention_limit(cycles, *n, other);
    for (size_t i = 1; i < *n; i++)
        if (cycles[i] > *limit)
            line[kept++] = line[i];
    *n = kept;
    return 0;
}

int contention_slice(struct device *d, struct rng *r, uint64_t bytes, uint64_t line, size_t tries,
                     uint64_t *list, size_t *n)
{
    double *cycles = xmalloc((tries + 1) * sizeof *cycles), other = 0, limit = 0;
    int rc = 0;

    *n = tries + 1;
    for (size_t i = 0; i < *n; i++)
        list[i] = rng_below(r, bytes / line) * line;
    for (int k = 0; k <= CONFIRM && rc == 0; k++)
        rc = sift(d, list, cycles, n, &other, &limit);
    free(cycles);
    if (rc == 0 && *n < 2)
        return device_fail(d,
                           "no other line of %zu shares a slice with line %llu: contention of "
                           "atomics shows nothing here",
                           tries, (unsigned long long)list[0]);
    return rc;
}
