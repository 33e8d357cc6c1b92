/* Two modes of a sample, by least variance or by the widest gap. It always finds a place to split: whether there are
 * two modes at all is for the caller to judge, from gap and width. */
#include "split.h"

#include <stdlib.h>

int split_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double middle(const double *sorted, size_t n)
{
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

double split_median(double *a, size_t n)
{
    qsort(a, n, sizeof *a, split_order);
    return middle(a, n);
}

static void describe(const double *v, size_t n, size_t below, struct split *s)
{
    const double *up = v + below;
    size_t above = n - below, cut_low = below / 50, cut_high = above / 50;
    double wide_low = v[below - 1 - cut_low] - v[cut_low];
    double wide_high = up[above - 1 - cut_high] - up[cut_high];

    s->below = below;
    s->low = middle(v, below);
    s->high = middle(up, above);
    s->width = wide_low > wide_high ? wide_low : wide_high;
    s->gap = up[cut_high] - v[below - 1 - cut_low];
    s->at = (up[cut_high] + v[below - 1 - cut_low]) / 2;
}

void split_variance(const double *sorted, size_t n, struct split *s)
{
    double total = 0, sum = 0, best = -1;
    size_t below = 1;

    for (size_t i = 0; i < n; i++)
        total += sorted[i] - sorted[0];
    for (size_t k = 1; k < n; k++) {
        double low, high, between;

        sum += sorted[k - 1] - sorted[0];
        low = sum / (double)k;
        high = (total - sum) / (double)(n - k);
        between = (double)k * (double)(n - k) * (high - low) * (high - low);
        if (between > best) {
            best = between;
            below = k;
        }
    }
    describe(sorted, n, below, s);
}

void split_gap(const double *sorted, size_t n, struct split *s)
{
    size_t below = 1;

    for (size_t k = 2; k < n; k++)
        if (sorted[k] - sorted[k - 1] > sorted[below] - sorted[below - 1])
            below = k;
    describe(sorted, n, below, s);
}

/* The first of the largest part of the n values that holds no gap wider than this; n >= 1. */
static size_t main_part(const double *sorted, size_t n, double gap)
{
    size_t main_from = 0, main_n = 0;

    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && sorted[j] - sorted[j - 1] <= gap;)
            j++;
        if (j - i > main_n) {
            main_from = i;
            main_n = j - i;
        }
    }
    return main_from;
}

double split_bulk(const double *sorted, size_t n, double gap, double none)
{
    size_t k = main_part(sorted, n, gap);

    return k > 0 ? (sorted[k] + sorted[k - 1]) / 2 : none;
}
