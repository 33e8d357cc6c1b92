/* Order statistics, coincidences, likelihoods: from raw evidence to ways and sets. */
#include "assoc.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

enum { MOST_WAYS = 64 };

size_t tips_different(double *first, size_t n)
{
    size_t k = n > 0;

    gsl_sort(first, 1, n);
    for (size_t i = 1; i < n; i++)
        k += first[i] != first[i - 1];
    return k;
}

/* mean = W (N + 1) / (N / S + even), solved for S. */
static double sets_of_mean(double mean, double positions, double ways, double even)
{
    return mean * positions / (ways * (positions + 1) - even * mean);
}

int sets_from_tips(const double *first, size_t n, size_t k, double positions, double ways,
                   double lost, struct estimate *sets, double *spread)
{
    double mean, sd, half;

    if (k < 3)
        return -1;
    mean = gsl_stats_mean(first, 1, n);
    sd = gsl_stats_sd(first, 1, n);
    half = gsl_cdf_tdist_Pinv(0.975, (double)k - 1) * sd / sqrt((double)k) + lost * sd;
    *spread = sd / mean;
    sets->value = sets_of_mean(mean, positions, ways, 0.5);
    sets->lo = sets_of_mean(mean - half, positions, ways, 0);
    sets->hi = sets_of_mean(mean + half, positions, ways, 1);
    return 0;
}

void sets_from_pairs(double all, size_t pairs, struct estimate *sets)
{
    double k = (double)pairs;

    sets->value = pairs > 0 ? all / k : INFINITY;
    sets->lo = all / (gsl_cdf_chisq_Pinv(0.975, 2 * k + 2) / 2);
    sets->hi = pairs > 0 ? all / (gsl_cdf_chisq_Pinv(0.025, 2 * k) / 2) : INFINITY;
}

/* P(fewer than `ways` of n lines drawn fall into a set that holds `mine` of the pool's lines). */
static double fewer(double n, double positions, double mine, double ways)
{
    double others = positions - mine;

    if (n >= positions)
        return mine < ways;
    return gsl_cdf_hypergeometric_P((unsigned)ways - 1, (unsigned)mine, (unsigned)others,
                                    (unsigned)n);
}

double survival_lru(double n, double positions, double sets, double ways)
{
    double mine = positions / sets, low = floor(mine), part = mine - low;

    if (n < ways)
        return 1;
    /* Far from the end of the pool draws are independent; GSL's hypergeometric sum is slow and exact near it. */
    if (n < positions / 200)
        return gsl_cdf_poisson_P((unsigned)ways - 1, n / sets);
    return (1 - part) * fewer(n, positions, low, ways) + part * fewer(n, positions, low + 1, ways);
}

struct fit_input {
    const struct survival *s;
    size_t n;
    double positions;
};

/* A reading in a thousand lies on the wrong side of the threshold: no point may decide alone. */
static double log_likelihood(const struct fit_input *in, enum survival_law law, double sets,
                             double ways)
{
    double sum = 0;

    for (size_t i = 0; i < in->n; i++) {
        const struct survival *s = &in->s[i];
        double p =
            law == SURVIVAL_LRU ? survival_lru(s->n, in->positions, sets, ways) : exp(-s->n / sets);

        p = 0.001 + 0.998 * p;
        sum += s->hits * log(p) + (s->trials - s->hits) * log1p(-p);
    }
    return sum;
}

/* The most likely number of sets between lo and hi by golden section on its logarithm. */
static double best_sets(const struct fit_input *in, enum survival_law law, double ways, double lo,
                        double hi, double *best)
{
    double a = log(lo), b = log(hi), g = (sqrt(5) - 1) / 2;
    double x = b - g * (b - a), y = a + g * (b - a);
    double fx = log_likelihood(in, law, exp(x), ways), fy = log_likelihood(in, law, exp(y), ways);

    while (b - a > 1e-5) {
        if (fx > fy) {
            b = y;
            y = x;
            fy = fx;
            x = b - g * (b - a);
            fx = log_likelihood(in, law, exp(x), ways);
        } else {
            a = x;
            x = y;
            fx = fy;
            y = a + g * (b - a);
            fy = log_likelihood(in, law, exp(y), ways);
        }
    }
    *best = fmax(fx, fy);
    return exp((a + b) / 2);
}

/* Where the likelihood has fallen by 1.92 from its peak (half the 95 % quantile of chi-square with one degree). */
static void sets_interval(const struct fit_input *in, enum survival_law law, double ways,
                          double peak, struct estimate *e)
{
    double step = 1.0005;

    e->lo = e->hi = e->value;
    while (e->lo > e->value / 4 && log_likelihood(in, law, e->lo, ways) > peak - 1.92)
        e->lo /= step;
    while (e->hi < e->value * 4 && log_likelihood(in, law, e->hi, ways) > peak - 1.92)
        e->hi *= step;
}

static double half_way(const struct survival *s, size_t n)
{
    double most = 0, least = 1, half = 0;

    for (size_t i = 0; i < n; i++) {
        double share = s[i].hits / s[i].trials;

        most = fmax(most, share);
        least = fmin(least, share);
        if (share >= 0.5)
            half = fmax(half, s[i].n);
    }
    return most > 0.9 && least < 0.1 ? fmax(half, s[0].n) : 0;
}

int survival_fit(const struct survival *s, size_t n, double positions, struct survival_fit *f)
{
    struct fit_input in = {s, n, positions};
    double half = n > 2 ? half_way(s, n) : 0, like[MOST_WAYS + 1], peak = -INFINITY, random;
    unsigned best = 1;

    if (half <= 0)
        return -1;
    for (unsigned w = 1; w <= MOST_WAYS; w++) {
        double sets = best_sets(&in, SURVIVAL_LRU, w, half / w / 2, half / w * 2, &like[w]);

        if (like[w] > peak) {
            peak = like[w];
            best = w;
            f->sets.value = sets;
        }
    }
    f->ways = (struct estimate){best, best, best};
    for (unsigned w = 1; w <= MOST_WAYS; w++)
        if (like[w] > peak - 1.92) {
            f->ways.lo = fmin(f->ways.lo, w);
            f->ways.hi = fmax(f->ways.hi, w);
        }
    f->law = SURVIVAL_LRU;
    sets_interval(&in, SURVIVAL_LRU, best, peak, &f->sets);
    half = best_sets(&in, SURVIVAL_RANDOM, 1, half / 4, half * 8, &random);
    f->log_ratio = peak - random;
    if (random > peak - 0.5) { /* one way under LRU is the same law */
        *f = (struct survival_fit){
            SURVIVAL_RANDOM, {1, 1, MOST_WAYS}, {half, half, half}, random - peak};
        sets_interval(&in, SURVIVAL_RANDOM, 1, random, &f->sets);
    }
    return 0;
}

/* Most lines of the stride that begins at p[i] before misses begin, and the share that misses with the next count;
 * returns where the next stride begins. */
static size_t one_stride(const struct stride_point *p, size_t n, size_t i, double *lines,
                         double *share)
{
    double stride = p[i].stride;

    *lines = 0;
    *share = 0;
    for (; i < n && p[i].stride == stride; i++)
        if (*share == 0 && p[i].miss < 0.04)
            *lines = p[i].lines;
        else if (*share == 0)
            *share = p[i].miss;
    return i;
}

int stride_fit(const struct stride_point *p, size_t n, double line, struct stride_fit *f)
{
    double least = INFINITY, first = 0, lines, share;

    *f = (struct stride_fit){0};
    for (size_t i = 0; i < n;) {
        double stride = p[i].stride;

        i = one_stride(p, n, i, &lines, &share);
        if (lines == 0)
            continue;
        if (first == 0)
            first = lines;
        if (p[i - 1].lines > MOST_WAYS)
            f->widest = stride;
        /* Missing before the last count that fits the buffer, and clearly fewer lines than without a stride. */
        if (share > 0 && lines < least && lines * 4 < first) {
            least = lines;
            f->spike = true;
            f->stride = stride;
            f->lines = lines;
            f->nset = fmax(1, round(1 / share));
        }
    }
    if (first == 0)
        return -1;
    if (f->spike) {
        f->ways = f->lines / f->nset;
        f->sets = f->stride / line * f->nset;
    }
    return 0;
}
