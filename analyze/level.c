/* Names of levels by how their shares move with the size, and capacities by fits of those shares. */
#include "level.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>

const struct level_name level_names[LEVEL_KINDS] = {
    [LEVEL_L1] = {"l1", "hit the L1"},
    [LEVEL_LOCAL] = {"local", "hit the SM's own side"},
    [LEVEL_REMOTE] = {"remote", "hit the other side"},
    [LEVEL_DRAM] = {"dram", "go to memory"},
    [LEVEL_DRAM_REMOTE] = {"dram_remote", "go to memory through the other side"},
    [LEVEL_SHIFTED] = {"shifted", "go to memory and wait for address translation"},
};

const char *const capacity_law_names[] = {"sets", "random"};

static double share_at(const struct mixture *m, size_t s, size_t k)
{
    return m->share[s * m->nlevel + k];
}

static double most_share(const struct mixture *m, size_t nsize, size_t k)
{
    double most = 0;

    for (size_t s = 0; s < nsize; s++)
        most = fmax(most, share_at(m, s, k));
    return most;
}

/* A top level that takes over from all levels below at the largest sizes, after these had been steady for an octave,
 * and that no level ever shares the accesses with for long: the same memory, seen through a slower translation. */
static bool takes_all(const struct mixture *m, const double *size, size_t nsize, size_t k)
{
    double begin = 0;

    if (share_at(m, nsize - 1, k) < 0.6)
        return false;
    for (size_t s = 0; s < nsize && begin == 0; s++)
        if (share_at(m, s, k) > 0.1)
            begin = size[s];
    for (size_t s = 0; s < nsize; s++)
        if (size[s] < begin && size[s] > begin / 2 && share_at(m, s, 0) > 0.02)
            return false;
    return true;
}

/* A level that comes and goes as sizes grow; under some policies it never goes altogether. */
static bool passes(const struct mixture *m, size_t nsize, size_t k)
{
    double last = share_at(m, nsize - 1, k);

    return last < 0.1 || last < 0.6 * most_share(m, nsize, k);
}

void level_classify(const struct mixture *m, const double *size, size_t nsize, int through_l1,
                    enum level_kind *kind)
{
    size_t n = m->nlevel, first = 0;

    if (through_l1 && n > 1)
        kind[first++] = LEVEL_L1;
    while (n - first > 2 && takes_all(m, size, nsize, n - 1) && most_share(m, nsize, n - 2) > 0.75)
        kind[--n] = LEVEL_SHIFTED;
    for (size_t k = first; k < n; k++) {
        size_t above = n - 1 - k;

        if (k == first)
            kind[k] = LEVEL_LOCAL;
        else if (k == first + 1 && above > 0 && (n - first == 4 || passes(m, nsize, k)))
            kind[k] = LEVEL_REMOTE;
        else
            kind[k] = k > first + 1 && kind[k - 1] >= LEVEL_DRAM ? LEVEL_DRAM_REMOTE : LEVEL_DRAM;
    }
}

struct fit {
    const double *size, *share;
    size_t n;
    enum capacity_law law;
    double half; /* while the width is searched */
};

/* Share of hits under random replacement, r = S / C: 1 - m with m = 1 - exp(-m r), by bisection of the non-zero root. */
static double random_hits(double r)
{
    double lo = 1e-9, hi = 1;

    if (r <= 1)
        return 1;
    for (int i = 0; i < 60; i++) {
        double m = (lo + hi) / 2;

        if (m < 1 - exp(-m * r))
            lo = m;
        else
            hi = m;
    }
    return 1 - lo;
}

static double predicted(enum capacity_law law, double size, double half, double width)
{
    /* half of the accesses hit at r = 2 ln 2 under the random law */
    return law == CAPACITY_SETS ? gsl_cdf_ugaussian_Q((size / half - 1) / width)
                                : random_hits(size / half * 2 * M_LN2);
}

static double sum_squares(const struct fit *f, double half, double width)
{
    double sum = 0;

    for (size_t i = 0; i < f->n; i++) {
        double d = f->share[i] - predicted(f->law, f->size[i], half, width);

        sum += d * d;
    }
    return sum;
}

/* The best width for a half-way size, over a grid and then finer. */
static double best_width(const struct fit *f, double half, double *sum)
{
    double best = 0.05, step = 1.3;

    *sum = INFINITY;
    if (f->law == CAPACITY_RANDOM) {
        *sum = sum_squares(f, half, 0);
        return 0;
    }
    for (double w = 0.001; w < 0.6; w *= step) {
        double s = sum_squares(f, half, w);

        if (s < *sum) {
            *sum = s;
            best = w;
        }
    }
    return best;
}

/* The least sum of squares over half-way sizes between `from` and `to`. */
static double best_half(const struct fit *f, double from, double to, double *width, double *sum)
{
    double best = from, step = (to - from) / 200;

    *sum = INFINITY;
    for (int round = 0; round < 3; round++) {
        for (double h = from; h <= to; h += step) {
            double s, w = best_width(f, h, &s);

            if (s < *sum) {
                *sum = s;
                *width = w;
                best = h;
            }
        }
        from = best - step;
        to = best + step;
        step /= 20;
    }
    return best;
}

/* Profile interval: half-way sizes whose sum of squares is within the F quantile of the least (Seber and Wild,
 * "Nonlinear regression", 1989, section 5.9). */
static void profile(const struct fit *f, double half, double sum, double step, double *lo,
                    double *hi)
{
    double dof = f->n > 3 ? (double)f->n - 2 : 1, bound;

    bound = fmax(sum, 1e-12) * (1 + gsl_cdf_fdist_Pinv(0.95, 1, dof) / dof);
    for (int side = -1; side <= 1; side += 2) {
        double h = half, s = sum;

        for (int i = 0; i < 4000 && s <= bound; i++) {
            h += side * step;
            best_width(f, h, &s);
        }
        *(side < 0 ? lo : hi) = h;
    }
}

/* The neighbours on the grid between which the share passes one half. */
static int bracket(const double *size, const double *share, size_t n, double *below, double *above)
{
    size_t i = 0;
    double most = 0, least = 1;

    for (size_t k = 0; k < n; k++) {
        most = fmax(most, share[k]);
        least = fmin(least, share[k]);
    }
    if (n < 3 || most < 0.9 || least > 0.1)
        return -1;
    while (i < n && share[i] >= 0.5)
        i++;
    if (i == 0 || i == n)
        return -1;
    *below = size[i - 1];
    *above = size[i];
    return 0;
}

int capacity_fit(const double *size, const double *share, size_t n, double ways, struct capacity *c)
{
    double below, above, sum[2], half[2], width[2] = {0, 0},
                                          shift = ways > 0 ? ways / (ways + 0.5) : 16 / 16.5;
    struct fit f = {.size = size, .share = share, .n = n};

    if (bracket(size, share, n, &below, &above) != 0)
        return -1;
    for (int law = CAPACITY_SETS; law <= CAPACITY_RANDOM; law++) {
        f.law = (enum capacity_law)law;
        half[law] = best_half(&f, below * 0.9, above * 1.1, &width[law], &sum[law]);
    }
    /* The random law has one parameter less; it must still fit clearly better. */
    c->law = sum[CAPACITY_RANDOM] < 0.5 * sum[CAPACITY_SETS] ? CAPACITY_RANDOM : CAPACITY_SETS;
    f.law = c->law;
    c->half = half[c->law];
    c->width = width[c->law];
    c->rms = sqrt(sum[c->law] / (double)n);
    profile(&f, c->half, sum[c->law], (above - below) / 400, &c->lo, &c->hi);
    c->lo = fmin(c->lo, c->half - (above - below) / 4);
    c->hi = fmax(c->hi, c->half + (above - below) / 4);
    if (c->law == CAPACITY_RANDOM) {
        shift = 1 / (2 * M_LN2);
        ways = 1;
    }
    c->bytes = c->half * shift;
    c->lo *= ways > 0 ? shift : 4 / 4.5;
    c->hi *= ways > 0 ? shift : 1;
    return 0;
}
