/* The ramp between two shelves. Given its two ends the model is linear in the two levels, so the residual sum is a function
 * of the ends alone; it is tabulated, and the table gives the best ends and their intervals. Positions are fractions of the
 * point number, so that the grid is as uneven as the points. */
#include "ramp.h"

#include <float.h>
#include <math.h>

#include <gsl/gsl_cdf.h>

enum { PLACES = 61, WINDOW = 160 };

struct window {
    double x[WINDOW], y[WINDOW], w[WINDOW];
    size_t n;
};

struct table {
    double place[PLACES];       /* x of the candidates */
    double rss[PLACES][PLACES]; /* [start][end], only start <= end */
    double least;
    size_t start, end;
};

static double x_at(const struct curve *c, double index)
{
    size_t i = (size_t)index;
    double part = index - (double)i;

    return part > 0 ? c->x[i] + part * (c->x[i + 1] - c->x[i]) : c->x[i];
}

/* Points first..last, every second or third of those inside when they are too many. */
static void fill_window(const struct curve *c, size_t first, size_t last, struct window *v)
{
    size_t have = last - first + 1, step = (have + WINDOW - 1) / WINDOW;

    v->n = 0;
    for (size_t i = first; i <= last; i += step) {
        v->x[v->n] = c->x[i];
        v->y[v->n] = c->y[i];
        v->w[v->n++] = c->w[i];
    }
}

/* How much of the rise is done at x. */
static double done(double x, double from, double to)
{
    if (x <= from)
        return 0;
    return x >= to ? 1 : (x - from) / (to - from);
}

/* Weighted least squares for the two levels, normal equations of the basis (1 - t, t). */
static double levels(const struct window *v, double from, double to, double *before, double *after)
{
    double aa = 0, ab = 0, bb = 0, ay = 0, by = 0, rss = 0, det;

    for (size_t i = 0; i < v->n; i++) {
        double t = done(v->x[i], from, to), u = 1 - t, w = v->w[i];

        aa += w * u * u;
        ab += w * u * t;
        bb += w * t * t;
        ay += w * u * v->y[i];
        by += w * t * v->y[i];
    }
    det = aa * bb - ab * ab;
    if (!(det > 1e-12 * aa * bb))
        return DBL_MAX;
    *before = (bb * ay - ab * by) / det;
    *after = (aa * by - ab * ay) / det;
    for (size_t i = 0; i < v->n; i++) {
        double t = done(v->x[i], from, to);
        double r = v->y[i] - *before * (1 - t) - *after * t;

        rss += v->w[i] * r * r;
    }
    return rss;
}

static void tabulate(const struct window *v, struct table *t)
{
    double a, b;

    t->least = DBL_MAX;
    t->start = t->end = 0;
    for (size_t i = 0; i < PLACES; i++)
        for (size_t j = i; j < PLACES; j++) {
            t->rss[i][j] = levels(v, t->place[i], t->place[j], &a, &b);
            if (t->rss[i][j] < t->least) {
                t->least = t->rss[i][j];
                t->start = i;
                t->end = j;
            }
        }
}

static void widen(double value, double *lo, double *hi)
{
    *lo = fmin(*lo, value);
    *hi = fmax(*hi, value);
}

static void intervals(const struct table *t, double allowed, struct ramp *out)
{
    out->onset_lo = out->mid_lo = DBL_MAX;
    out->onset_hi = out->mid_hi = -DBL_MAX;
    for (size_t i = 0; i < PLACES; i++)
        for (size_t j = i; j < PLACES; j++) {
            double a = t->place[i], b = t->place[j];

            if (t->rss[i][j] > allowed)
                continue;
            widen(a + 0.05 * (b - a), &out->onset_lo, &out->onset_hi);
            widen((a + b) / 2, &out->mid_lo, &out->mid_hi);
        }
}

int ramp_fit(const struct curve *c, const struct shelf *before, const struct shelf *after,
             double level, struct ramp *out)
{
    size_t left = before->last - before->first + 1, right = after->last - after->first + 1;
    size_t first = before->last + 1 - (left < RAMP_SIDE ? left : RAMP_SIDE);
    size_t last = after->first - 1 + (right < RAMP_SIDE ? right : RAMP_SIDE);
    /* The ends may lie inside the shelves by a third of what the window holds of them. */
    double lo = (double)before->last - (double)(before->last - first) / 3;
    double hi = (double)after->first + (double)(last - after->first) / 3;
    struct window v;
    struct table t;
    double scale = 1;

    if (left < 2 || right < 2)
        return -1;
    fill_window(c, first, last, &v);
    for (size_t i = 0; i < PLACES; i++)
        t.place[i] = x_at(c, lo + (hi - lo) * (double)i / (PLACES - 1));
    tabulate(&v, &t);
    if (t.least == DBL_MAX)
        return -1;
    if (v.n > 4)
        scale = fmax(1, t.least / (double)(v.n - 4));
    intervals(&t, t.least + gsl_cdf_chisq_Pinv(level, 1) * scale, out);
    out->from = t.place[t.start];
    out->to = t.place[t.end];
    levels(&v, out->from, out->to, &out->before, &out->after);
    return 0;
}
