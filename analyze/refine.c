/* Sizes worth measuring next: an equal share for each knee, where it happens. */
#include "refine.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    uint64_t u = *(const uint64_t *)a, v = *(const uint64_t *)b;

    return (u > v) - (u < v);
}

static uint64_t rounded(double x, uint64_t multiple)
{
    double times = round(x / (double)multiple);

    return times < 1 ? multiple : (uint64_t)times * multiple;
}

static void range_of(const struct knee *k, double x_lo, double x_hi, double *lo, double *hi)
{
    double a = fmin(k->lo, k->onset), b = fmax(k->hi, k->end), margin = (b - a) / 4;

    *lo = a - margin;
    *hi = b + margin;
    if ((k->note & KNEE_EDGE) && a <= x_lo)
        *lo = x_lo / 2;
    if ((k->note & KNEE_EDGE) && b >= x_hi)
        *hi = 2 * x_hi;
}

static size_t sort_unique(uint64_t *v, size_t n)
{
    size_t k = 0;

    qsort(v, n, sizeof *v, by_size);
    for (size_t i = 0; i < n; i++)
        if (k == 0 || v[k - 1] != v[i])
            v[k++] = v[i];
    return k;
}

size_t refine_sizes(const struct knee_fit *fit, size_t fits, double x_lo, double x_hi,
                    uint64_t multiple, size_t n, uint64_t *out)
{
    size_t knees = 0, at = 0, written = 0;

    for (size_t f = 0; f < fits; f++)
        knees += fit[f].count;
    if (knees == 0)
        for (; written < n; written++) {
            double part = n > 1 ? (double)written / (double)(n - 1) : 0.5;

            out[written] = rounded(x_lo * pow(2 * x_hi / x_lo, part), multiple);
        }
    for (size_t f = 0; f < fits; f++)
        for (size_t i = 0; i < fit[f].count; i++, at++) {
            size_t share = n * (at + 1) / knees - n * at / knees;
            double lo, hi;

            range_of(&fit[f].knee[i], x_lo, x_hi, &lo, &hi);
            for (size_t s = 0; s < share; s++)
                out[written++] =
                    rounded(lo + (hi - lo) * ((double)s + 0.5) / (double)share, multiple);
        }
    return sort_unique(out, written);
}
