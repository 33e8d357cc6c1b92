/* The rules that look at latency rows. Sizes up to an eighth of the driver's L2 are those that should all hit on the own
 * side; without the driver's number, the smallest third. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "knee.h"

#define L1_CYCLES 120  /* no L2 of a GPU is known to answer sooner than about 190 */
#define SPREAD    0.3  /* q05 to q95 of what should be one level, relative to its median */
#define COLD      0.15 /* the first pass above the others */
#define DRIFT     0.02 /* change over the run */
#define RISE      0.1  /* the least knee that may end a cache */

static size_t small_sizes(const struct check_facts *f)
{
    size_t n = 0;

    if (isnan(f->l2))
        return f->nsize / 3;
    while (n < f->nsize && f->size[n].size <= f->l2 / 8)
        n++;
    return n;
}

bool check_l1(const struct check_facts *f, char *sight, const char **cause)
{
    size_t n = 0;
    double fastest = INFINITY;

    (void)cause;
    for (size_t i = 0; i < f->nsize; i++) {
        double median = check_quantile(&f->size[i], 0.5);

        n += median < L1_CYCLES;
        fastest = fmin(fastest, median);
    }
    if (n == 0)
        return false;
    snprintf(sight, CHECK_SIGHT, "the median of %zu of %zu sizes is below %d cycles, the least %g",
             n, f->nsize, L1_CYCLES, fastest);
    return true;
}

bool check_spread(const struct check_facts *f, char *sight, const char **cause)
{
    size_t n = small_sizes(f), wide = 0;
    double most = 0;

    (void)cause;
    for (size_t i = 0; i < n; i++) {
        const struct check_size *s = &f->size[i];
        double median = check_quantile(s, 0.5),
               spread = (check_quantile(s, 0.95) - check_quantile(s, 0.05)) / median;

        if (median < L1_CYCLES)
            continue;
        wide += spread > SPREAD;
        most = fmax(most, spread);
    }
    if (wide == 0 || wide * 2 < n)
        return false;
    snprintf(sight, CHECK_SIGHT,
             "q05 to q95 of hits spans over 30 %% of the median in %zu of %zu small sizes, %.0f %% "
             "at most",
             wide, n, 100 * most);
    return true;
}

bool check_cold(const struct check_facts *f, char *sight, const char **cause)
{
    size_t sizes = 0, cold = 0;
    double most = 0;

    (void)cause;
    for (size_t i = 0; i < f->nsize && f->several_passes; i++) {
        const struct check_size *s = &f->size[i];
        double later = (s->sum - s->first_sum) / (s->n - s->first_n),
               above = s->first_sum / s->first_n / later - 1;

        if ((!isnan(f->l2) && s->size > f->l2 / 4) || !(s->n > s->first_n))
            continue;
        sizes++;
        cold += above > COLD;
        most = fmax(most, above);
    }
    if (cold == 0 || cold * 2 < sizes)
        return false;
    snprintf(sight, CHECK_SIGHT,
             "the first pass is slower than the later ones in %zu of %zu sizes, by up to %.0f %%",
             cold, sizes, 100 * most);
    return true;
}

/* Mean of the middle half of the accesses. */
static double middle(const struct check_size *s)
{
    double from = check_quantile(s, 0.25), to = check_quantile(s, 0.75), n = 0, sum = 0;

    for (size_t b = (size_t)from; b <= (size_t)to; b++) {
        n += s->bins[b];
        sum += (double)b * s->bins[b];
    }
    return sum / n;
}

/* A straight line through the hits of small sizes, over the order in which the sizes were measured. */
bool check_drift(const struct check_facts *f, char *sight, const char **cause)
{
    size_t n = small_sizes(f);
    double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0, change, r2, first = INFINITY, last = 0;

    (void)cause;
    for (size_t i = 0; i < n; i++) {
        double x = f->size[i].seq, y = middle(&f->size[i]);

        sx += x / (double)n;
        sy += y / (double)n;
        first = fmin(first, x);
        last = fmax(last, x);
    }
    for (size_t i = 0; i < n; i++) {
        double x = f->size[i].seq - sx, y = middle(&f->size[i]) - sy;

        sxx += x * x;
        sxy += x * y;
        syy += y * y;
    }
    change = sxy / sxx * (last - first) / sy;
    r2 = sxy * sxy / (sxx * syy);
    if (n < 6 || !(fabs(change) > DRIFT) || !(r2 > 0.5))
        return false;
    snprintf(sight, CHECK_SIGHT,
             "hits of small sizes went %s by %.1f %% from the first to the last",
             change > 0 ? "up" : "down", 100 * fabs(change));
    return true;
}

/* The knees of the mean over the size; n 0 when there are too few sizes. */
static void find_knees(const struct check_facts *f, struct knee_fit *fit)
{
    double *x = xcalloc(f->nsize + 1, sizeof *x), *y = xcalloc(f->nsize + 1, sizeof *y);

    for (size_t i = 0; i < f->nsize; i++) {
        x[i] = f->size[i].size;
        y[i] = f->size[i].sum / f->size[i].n;
    }
    *fit = (struct knee_fit){0};
    if (f->nsize >= 4 && knee_find(x, y, NULL, f->nsize, &knee_defaults, fit) != 0)
        fit->count = 0;
    free(x);
    free(y);
}

static const char *why_no_knee(const struct check_facts *f)
{
    double least = f->size[0].size, most = f->size[f->nsize - 1].size;
    double rise =
        f->size[f->nsize - 1].sum / f->size[f->nsize - 1].n / (f->size[0].sum / f->size[0].n);

    if (most < 1.5 * f->l2)
        return "the range ends before the cache does";
    if (!isnan(f->l2) && least > f->l2)
        return "the range begins beyond the cache";
    if (f->nsize < 4 || (double)f->nsize < 2 * log2(most / least))
        return "the sizes are too coarse";
    if (rise < 1.1)
        return "all loads are answered by one level: L1, or a chain that closes early";
    return "noise hides it, or address translation (TLB) and not the cache makes the curve rise";
}

bool check_no_knee(const struct check_facts *f, char *sight, const char **cause)
{
    struct knee_fit fit;
    size_t high = 0;

    if (f->nsize < 2)
        return false;
    find_knees(f, &fit);
    for (size_t i = 0; i < fit.count; i++)
        high += fit.knee[i].high && fit.knee[i].height > RISE;
    if (f->nsize >= 4)
        knee_free(&fit);
    if (high > 0)
        return false;
    *cause = why_no_knee(f);
    snprintf(sight, CHECK_SIGHT, "no knee in the mean of %zu sizes from %s to %s", f->nsize,
             cli_size((uint64_t)f->size[0].size), cli_size((uint64_t)f->size[f->nsize - 1].size));
    return true;
}

bool check_translation(const struct check_facts *f, char *sight, const char **cause)
{
    struct knee_fit fit;
    double at = 0, height = 0;

    (void)cause;
    if (f->nsize < 4 || isnan(f->l2))
        return false;
    find_knees(f, &fit);
    for (size_t i = 0; i < fit.count; i++)
        if (fit.knee[i].onset > 2 * f->l2 && fit.knee[i].height > 0.02 &&
            !(fit.knee[i].note & (KNEE_DRIFT | KNEE_FALLS))) {
            at = fit.knee[i].mid;
            height = fit.knee[i].height;
        }
    knee_free(&fit);
    if (at == 0)
        return false;
    snprintf(sight, CHECK_SIGHT, "a rise of %.0f %% at %s, beyond twice the L2 of %s", 100 * height,
             cli_size((uint64_t)at), cli_size((uint64_t)f->l2));
    return true;
}
