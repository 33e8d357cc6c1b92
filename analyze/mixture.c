/* Levels from histograms: cut at valleys, join what moves together, correct for tails. */
#include "mixture.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct mixture_options mixture_defaults = {
    .valley = 0.7, .ratio = 0.15, .least = 0.02, .most_tail = 0.25};

enum { MAX_PIECES = 256 };

struct pieces {
    size_t n;
    size_t cut[MAX_PIECES + 1];
    double *share; /* nsize x n */
};

/* The mean of the normalised histograms, smoothed by a Gaussian whose width grows with the latency. */
static double *pooled_density(const double *hist, size_t nsize, size_t nbin)
{
    double *mean = xcalloc(nbin, sizeof *mean), *smooth = xcalloc(nbin, sizeof *smooth);

    for (size_t s = 0; s < nsize; s++) {
        double sum = 0;

        for (size_t b = 0; b < nbin; b++)
            sum += hist[s * nbin + b];
        for (size_t b = 0; b < nbin; b++)
            mean[b] += hist[s * nbin + b] / (sum * (double)nsize);
    }
    for (size_t b = 0; b < nbin; b++) {
        double width = 2 + 0.015 * (double)b;
        size_t reach = (size_t)(4 * width), from = b > reach ? b - reach : 0;

        if (mean[b] == 0)
            continue;
        for (size_t c = from; c < nbin && c <= b + reach; c++) {
            double z = ((double)c - (double)b) / width;

            smooth[c] += mean[b] * exp(-z * z / 2) / width;
        }
    }
    free(mean);
    return smooth;
}

/* Cuts between peaks where the density falls to `valley` of the lower peak. */
static void cut_at_valleys(const double *density, size_t nbin, double valley, struct pieces *p)
{
    double peak = 0, low = INFINITY;
    size_t low_at = 0;

    p->n = 1;
    p->cut[0] = 0;
    for (size_t b = 0; b < nbin; b++) {
        if (density[b] < low) {
            low = density[b];
            low_at = b;
        }
        if (peak > 0 && low <= valley * peak && density[b] * valley >= low && density[b] > 0 &&
            p->n < MAX_PIECES) {
            p->cut[p->n++] = low_at;
            peak = density[b];
            low = INFINITY;
        }
        if (density[b] >= peak) {
            peak = density[b];
            low = INFINITY;
        }
    }
    p->cut[p->n] = nbin;
}

static void fill_shares(const double *hist, size_t nsize, size_t nbin, struct pieces *p)
{
    for (size_t s = 0; s < nsize; s++) {
        double sum = 0;

        for (size_t k = 0; k < p->n; k++) {
            double part = 0;

            for (size_t b = p->cut[k]; b < p->cut[k + 1]; b++)
                part += hist[s * nbin + b];
            p->share[s * p->n + k] = part;
            sum += part;
        }
        for (size_t k = 0; k < p->n; k++)
            p->share[s * p->n + k] /= sum;
    }
}

/* How far the ratio of pieces k and k + 1 moves over the sizes; 0 when one of them never matters. */
static double ratio_move(const struct pieces *p, size_t nsize, size_t k, double least)
{
    double lo = 1, hi = 0, most_a = 0, most_b = 0;

    for (size_t s = 0; s < nsize; s++) {
        double a = p->share[s * p->n + k], b = p->share[s * p->n + k + 1];

        most_a = fmax(most_a, a);
        most_b = fmax(most_b, b);
        if (a + b > 0.05) {
            lo = fmin(lo, a / (a + b));
            hi = fmax(hi, a / (a + b));
        }
    }
    return most_a < least || most_b < least ? 0 : fmax(0, hi - lo);
}

static void join(struct pieces *p, size_t nsize, size_t k)
{
    size_t n = p->n;

    for (size_t s = 0; s < nsize; s++) {
        const double *from = &p->share[s * n];
        double *to = &p->share[s * (n - 1)];
        double both = from[k] + from[k + 1];

        memmove(to, from, k * sizeof *to);
        memmove(to + k + 1, from + k + 2, (n - k - 2) * sizeof *to);
        to[k] = both;
    }
    memmove(&p->cut[k + 1], &p->cut[k + 2], (n - k - 1) * sizeof *p->cut);
    p->n--;
}

/* Joins the neighbours whose ratio moves least, until every ratio that is left moves. */
static void join_same(struct pieces *p, size_t nsize, const struct mixture_options *o)
{
    while (p->n > 1) {
        size_t best = 0;
        double least = INFINITY;

        for (size_t k = 0; k + 1 < p->n; k++) {
            double move = ratio_move(p, nsize, k, o->least);

            if (move < least) {
                least = move;
                best = k;
            }
        }
        if (least > o->ratio && p->n <= MIXTURE_MAX)
            return;
        join(p, nsize, best);
    }
}

/* Non-negative least squares of piece k's shares on those of the pieces below, each coefficient at most `most`, by
 * coordinate descent. Returns the largest residual over the sizes. */
static double explain(const struct pieces *p, size_t nsize, size_t k, double most)
{
    double coef[MAX_PIECES] = {0}, worst = 0;

    for (int round = 0; round < 200; round++)
        for (size_t j = 0; j < k; j++) {
            double up = 0, down = 0;

            for (size_t s = 0; s < nsize; s++) {
                const double *row = &p->share[s * p->n];
                double rest = row[k];

                for (size_t i = 0; i < k; i++)
                    rest -= i == j ? 0 : coef[i] * row[i];
                up += rest * row[j];
                down += row[j] * row[j];
            }
            coef[j] = down > 0 ? fmin(most, fmax(0, up / down)) : 0;
        }
    for (size_t s = 0; s < nsize; s++) {
        const double *row = &p->share[s * p->n];
        double rest = row[k];

        for (size_t i = 0; i < k; i++)
            rest -= coef[i] * row[i];
        worst = fmax(worst, fabs(rest));
    }
    return worst;
}

/* A piece that is everywhere a fixed small part of the levels below it is their tail, not a level. */
static void join_tails(struct pieces *p, size_t nsize, const struct mixture_options *o)
{
    for (size_t k = p->n - 1; k > 0; k--)
        if (explain(p, nsize, k, o->most_tail) < 2 * o->least)
            join(p, nsize, k - 1);
}

/* The least ratio of the piece above to this one: what this level itself sends there. */
static double tail_of(const struct pieces *p, size_t nsize, size_t k, double most)
{
    double least = INFINITY;

    for (size_t s = 0; s < nsize; s++) {
        double a = p->share[s * p->n + k], b = p->share[s * p->n + k + 1];

        if (a > 0.05)
            least = fmin(least, b / a);
    }
    return least <= most ? least / (1 + least) : 0;
}

/* Takes from every piece what the level below sends there. */
static void correct_share(const struct mixture *m, const double *piece, double *share)
{
    double spill = 0, sum = 0;

    for (size_t k = 0; k < m->nlevel; k++) {
        share[k] = fmax(0, piece[k] - spill) / (1 - m->tail[k]);
        spill = share[k] * m->tail[k];
        sum += share[k];
    }
    for (size_t k = 0; k < m->nlevel; k++)
        share[k] /= sum;
}

void mixture_share(const struct mixture *m, const double *hist, double *share)
{
    double piece[MIXTURE_MAX] = {0}, sum = 0;

    for (size_t k = 0; k < m->nlevel; k++) {
        for (size_t b = m->cut[k]; b < m->cut[k + 1]; b++)
            piece[k] += hist[b];
        sum += piece[k];
    }
    for (size_t k = 0; k < m->nlevel; k++)
        piece[k] /= sum;
    correct_share(m, piece, share);
}

static void fill_shapes(const double *hist, size_t nsize, size_t nbin, struct mixture *m)
{
    for (size_t k = 0; k < m->nlevel; k++) {
        double *shape = &m->shape[k * nbin], sum = 0;

        for (size_t s = 0; s < nsize; s++)
            for (size_t b = m->cut[k]; b < m->cut[k + 1]; b++)
                shape[b] += hist[s * nbin + b];
        for (size_t b = m->cut[k]; b < m->cut[k + 1]; b++)
            sum += shape[b];
        for (size_t b = m->cut[k]; b < m->cut[k + 1] && sum > 0; b++)
            shape[b] /= sum;
    }
}

static int check_rows(const double *hist, size_t nsize, size_t nbin)
{
    for (size_t s = 0; s < nsize; s++) {
        double sum = 0;

        for (size_t b = 0; b < nbin; b++)
            sum += hist[s * nbin + b];
        if (!(sum > 0))
            return -1;
    }
    return nsize == 0 || nbin == 0 ? -1 : 0;
}

int mixture_fit(const double *hist, size_t nsize, size_t nbin, const struct mixture_options *o,
                struct mixture *m)
{
    struct pieces p = {0};
    double *density;

    *m = (struct mixture){0};
    if (check_rows(hist, nsize, nbin) != 0)
        return -1;
    density = pooled_density(hist, nsize, nbin);
    cut_at_valleys(density, nbin, o->valley, &p);
    p.share = xcalloc(nsize * p.n, sizeof *p.share);
    fill_shares(hist, nsize, nbin, &p);
    join_same(&p, nsize, o);
    join_tails(&p, nsize, o);
    m->nlevel = p.n;
    memcpy(m->cut, p.cut, (p.n + 1) * sizeof *m->cut);
    for (size_t k = 0; k + 1 < p.n; k++)
        m->tail[k] = tail_of(&p, nsize, k, o->most_tail);
    m->share = xcalloc(nsize * p.n, sizeof *m->share);
    m->shape = xcalloc(p.n * nbin, sizeof *m->shape);
    for (size_t i = 0; i < nsize; i++)
        correct_share(m, &p.share[i * p.n], &m->share[i * p.n]);
    fill_shapes(hist, nsize, nbin, m);
    free(p.share);
    free(density);
    return 0;
}

void mixture_free(struct mixture *m)
{
    free(m->share);
    free(m->shape);
    *m = (struct mixture){0};
}

double mixture_quantile(const double *shape, size_t nbin, double q)
{
    double before = 0;

    for (size_t b = 0; b < nbin; b++) {
        if (shape[b] > 0 && before + shape[b] >= q)
            return (double)b - 0.5 + (q - before) / shape[b];
        before += shape[b];
    }
    return NAN;
}
