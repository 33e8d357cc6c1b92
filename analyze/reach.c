/* The largest rise is a knee with a shelf behind it, or the onset of a hyperbola; smaller knees before it are inner levels. */
#include "reach.h"

#include "knee.h"
#include "law.h"

#define NOISE 0.003

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

/* The hyperbola, twice: the second time from 1/16 of its place on, so that inner levels do not count as its shelf. */
static int by_law(const double *x, const double *y, size_t n, struct reach *out)
{
    struct law_fit fit;
    double last;
    size_t from = 0;

    for (int round = 0; round < 2; round++) {
        if (law_fit(LAW_REACH, x + from, y + from, n - from, NOISE, 0.95, &fit) != 0)
            return 0;
        while (round == 0 && n - from > 8 && x[from] < fit.at / 16)
            from++;
    }
    last = law_at(LAW_REACH, &fit, x[n - 1]);
    if (fit.beyond < 2 || last < (1 + REACH_RISE) * fit.base || fit.hi >= x[n - 1])
        return 0;
    out->outer = (struct reach_level){fit.at, fit.lo, fit.hi, fit.base, last};
    return 1;
}

int reach_find(const double *x, const double *y, size_t n, struct reach *out)
{
    struct knee_options opt = knee_defaults;
    struct knee_fit fit;
    const struct knee *k;

    *out = (struct reach){0};
    opt.least = REACH_SMALL;
    if (n < 4 || knee_find(x, y, NULL, n, &opt, &fit) != 0)
        return -1;
    k = highest(&fit);
    out->found = out->step = k != NULL;
    if (k != NULL)
        out->outer = of_knee(k);
    else
        out->found = by_law(x, y, n, out);
    for (size_t i = 0; i < fit.count && out->ninner < REACH_INNER; i++)
        if (fit.knee[i].high && &fit.knee[i] != k && !(fit.knee[i].note & KNEE_FALLS) &&
            (!out->found || fit.knee[i].hi < out->outer.lo))
            out->inner[out->ninner++] = of_knee(&fit.knee[i]);
    knee_free(&fit);
    return 0;
}
