/* Where sets begin to overflow is before the middle of a rise by an amount that the law of the overflow tells: an even cache of
 * 16 ways is half lost at 33/32 of its capacity, one filled at random long before it is full loses some sets. So the
 * capacity is what the law that fits the rise says, not a point of the rise. */
#include "knee_capacity.h"

#include <math.h>

enum { LEAST = 4, SIDE = 12, INSIDE = 64, ROOM = 2 * SIDE + INSIDE };
static const double better = 0.5, most = 1.5;
/* Root mean square of what a law leaves, in rises: a wide law could stand for two rises that are one ramp of few points. */
static const double worst[] = {
    [LAW_SETS] = 0.1, [LAW_STEP] = 0.1, [LAW_RANDOM] = 0.03, [LAW_REACH] = 0.03};

/* The points of both shelves within half a doubling of the rise, four at least where there are, and at most INSIDE of those
 * between. */
static size_t take(const struct curve *c, const struct shelf *a, const struct shelf *b, double *x,
                   double *y)
{
    size_t from = a->last, to = b->first;
    size_t inside = b->first - a->last - 1, step = (inside + INSIDE - 1) / INSIDE, n = 0;

    for (size_t k = 1; k < SIDE && from > a->first; k++, from--)
        if (k >= LEAST && c->x[from - 1] * M_SQRT2 < c->x[a->last])
            break;
    for (size_t k = 1; k < SIDE && to < b->last; k++, to++)
        if (k >= LEAST && c->x[to + 1] > c->x[b->first] * M_SQRT2)
            break;
    for (size_t i = from; i <= to; i++) {
        if (i > a->last && i < b->first && (i - a->last - 1) % step != 0)
            continue;
        x[n] = c->x[i];
        y[n++] = c->y[i];
    }
    return n;
}

static int fits(enum law law, const struct law_fit *f, const struct capacity_rule *r)
{
    double rise = r->after - r->before, margin = (r->hi - r->lo) / 2;

    return f->rise > 0 && f->rise < most * rise && f->at >= r->lo - margin &&
           f->at <= r->hi + margin && f->rms * (r->before + r->after) / 2 < worst[law] * rise;
}

double knee_capacity(const struct curve *c, const struct shelf *a, const struct shelf *b,
                     const struct capacity_rule *r, enum law *law)
{
    static const enum law laws[] = {LAW_SETS, LAW_RANDOM, LAW_STEP, LAW_REACH};
    double x[ROOM], y[ROOM], best = INFINITY, at = NAN;
    size_t n = take(c, a, b, x, y);

    *law = LAW_NONE;
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        struct law_rule rule = {laws[k], r->ways, r->noise, 0.95, (r->before + r->after) / 2};
        struct law_fit fit;

        if (law_fit(&rule, x, y, n, &fit) != 0 || !fits(laws[k], &fit, r) ||
            fit.rms * fit.rms > better * best)
            continue;
        best = fit.rms * fit.rms;
        at = fit.at;
        *law = laws[k];
    }
    return at;
}
