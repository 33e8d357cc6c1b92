/* The largest rise is a knee with a shelf behind it, or the onset of a hyperbola; smaller knees before it are inner levels. */
#include "reach.h"

#include "knee.h"
#include "law.h"

#include <math.h>

#define NOISE       0.003
#define PIECES_FREE 1.3 /* straight pieces follow a curve and its noise better, for they are many */

static struct reach_level of_knee(const struct knee *k)
{
    return (struct reach_level){k->mid, k->lo, k->hi, k->before, k->after};
}

/* The highest sure knee that rises to a shelf, or NULL. */
static const struct knee *highest(const struct knee_fit *fit)
{
    const struct knee *best = NULL;

    for (size_t i = 0; i < fit->count; i++) {
        const struct knee *k = &fit->knee[i];

        if (k->high && !(k->note & (KNEE_EDGE | KNEE_FALLS)) && k->height >= REACH_RISE &&
            (best == NULL || k->height > best->height))
            best = k;
    }
    return best;
}

/* The hyperbola, twice: the second time from 1/16 of its place on, so that inner levels do not count as its shelf. *from is
 * the first point that counts. */
static int by_law(const double *x, const double *y, size_t n, struct law_fit *fit, size_t *from)
{
    const struct law_rule rule = {LAW_REACH, 0, NOISE, 0.95, 0};

    *from = 0;
    for (int round = 0; round < 2; round++) {
        if (law_fit(&rule, x + *from, y + *from, n - *from, fit) != 0)
            return 0;
        while (round == 0 && n - *from > 8 && x[*from] < fit->at / 16)
            ++*from;
    }
    return fit->beyond >= 2 && fit->hi < x[n - 1] &&
           law_at(LAW_REACH, fit, x[n - 1]) >= (1 + REACH_RISE) * fit->base;
}

/* Relative residuals of the pieces that the knees lie between, root mean square from a point on. */
static double piece_rms(const struct knee_fit *fit, const double *y, size_t from, size_t n)
{
    double sum = 0;

    for (size_t i = from; i < n; i++)
        sum += (1 - fit->fitted[i] / y[i]) * (1 - fit->fitted[i] / y[i]);
    return sqrt(sum / (double)(n - from));
}

int reach_find(const double *x, const double *y, size_t n, struct reach *out)
{
    struct knee_options opt = knee_defaults;
    struct knee_fit fit;
    struct law_fit law;
    const struct knee *k;
    size_t from;
    int smooth;

    *out = (struct reach){0};
    opt.least = REACH_SMALL;
    if (n < 4 || knee_find(x, y, NULL, n, &opt, &fit) != 0)
        return -1;
    k = highest(&fit);
    smooth = by_law(x, y, n, &law, &from) &&
             (k == NULL || law.rms < PIECES_FREE * piece_rms(&fit, y, from, n));
    out->found = smooth || k != NULL;
    out->step = !smooth && k != NULL;
    if (smooth)
        out->outer = (struct reach_level){law.at, law.lo, law.hi, law.base,
                                          law_at(LAW_REACH, &law, x[n - 1])};
    else if (k != NULL)
        out->outer = of_knee(k);
    for (size_t i = 0; i < fit.count && out->ninner < REACH_INNER; i++)
        if (fit.knee[i].high && !(fit.knee[i].note & KNEE_FALLS) &&
            (!out->found || fit.knee[i].hi < out->outer.lo))
            out->inner[out->ninner++] = of_knee(&fit.knee[i]);
    knee_free(&fit);
    return 0;
}
