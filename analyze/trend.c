/* Sums over bins of time that double in width when time runs past the last one. */
#include "trend.h"

#include <stdbool.h>
#include <stddef.h>

static void halve_bins(struct trend *t)
{
    for (size_t b = 0; b < TREND_BINS; b++) {
        size_t a = 2 * b;
        bool there = a < TREND_BINS;

        t->n[b] = there ? t->n[a] + t->n[a + 1] : 0;
        t->sum[b] = there ? t->sum[a] + t->sum[a + 1] : 0;
    }
    t->shift++;
}

void trend_add(struct trend *t, uint64_t time, double x, uint64_t n)
{
    while (time >> t->shift >= TREND_BINS)
        halve_bins(t);
    t->n[time >> t->shift] += n;
    t->sum[time >> t->shift] += x * (double)n;
    t->up += t->rows > 0 && x > t->last;
    t->down += t->rows > 0 && x < t->last;
    t->last = x;
    t->rows++;
}

double trend_shift(const struct trend *t)
{
    size_t first = 0, last = TREND_BINS, quarter;
    double sum[2] = {0, 0}, n[2] = {0, 0};

    while (first < TREND_BINS && t->n[first] == 0)
        first++;
    while (last > first && t->n[last - 1] == 0)
        last--;
    if (last - first < 4 || t->up == 0 || t->down == 0)
        return 0;
    quarter = (last - first) / 4;
    for (size_t i = 0; i < quarter; i++) {
        sum[0] += t->sum[first + i];
        n[0] += (double)t->n[first + i];
        sum[1] += t->sum[last - 1 - i];
        n[1] += (double)t->n[last - 1 - i];
    }
    return n[0] > 0 && n[1] > 0 ? sum[1] / n[1] - sum[0] / n[0] : 0;
}
