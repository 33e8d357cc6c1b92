/* Optimal partition of a curve into constant or straight pieces. From each start the piece grows by one point at a time,
 * with means and centred sums kept up to date, and relaxes the best cost of every end: start i is done before any later
 * start, so its best cost is final. A start is dropped as soon as even its own residuals cost more than the best way to
 * the same end, for then that end is the better start for whatever follows. */
#include "segment.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

struct segment_work {
    size_t n;
    double *best;  /* best[j]: least cost of the first j points */
    size_t *start; /* where the last piece of that best way begins */
};

struct sums {
    double w, x, y, xx, xy, yy; /* weight, means, centred sums */
};

struct segment_work *segment_alloc(size_t n)
{
    struct segment_work *w = malloc(sizeof *w);

    if (w == NULL)
        return NULL;
    w->n = n;
    w->best = malloc((n + 1) * sizeof *w->best);
    w->start = malloc((n + 1) * sizeof *w->start);
    if (w->best == NULL || w->start == NULL) {
        segment_free(w);
        return NULL;
    }
    return w;
}

void segment_free(struct segment_work *w)
{
    if (w == NULL)
        return;
    free(w->best);
    free(w->start);
    free(w);
}

static inline void sums_add(struct sums *s, double x, double y, double w)
{
    double dx = x - s->x, dy = y - s->y, share;

    s->w += w;
    share = w / s->w;
    s->x += share * dx;
    s->y += share * dy;
    s->xx += w * dx * (x - s->x);
    s->xy += w * dx * (y - s->y);
    s->yy += w * dy * (y - s->y);
}

static inline double rss_line(const struct sums *s)
{
    double rss = s->xx > 0 ? s->yy - s->xy * s->xy / s->xx : s->yy;

    return rss > 0 ? rss : 0;
}

/* Two points on a line and one alone cost the same as one alone and two on a line: rounding must not choose. */
static const double TIE = 1 - 1e-9;

static void grow_from(struct segment_work *work, size_t i, const double *x, const double *y,
                      const double *w, size_t n, double penalty)
{
    struct sums s = {0};
    double before = work->best[i];

    for (size_t j = i; j < n; j++) {
        double line, cost;

        sums_add(&s, x[j], y[j], w[j]);
        line = rss_line(&s);
        cost = fmin(s.yy + 2 * penalty, line + 3 * penalty);
        if (before + cost < work->best[j + 1] * TIE) {
            work->best[j + 1] = before + cost;
            work->start[j + 1] = i;
        }
        if (before + line > work->best[j + 1])
            return;
    }
}

double segment_at(const struct segment *s, double x)
{
    return s->level + s->slope * (x - s->x_mean);
}

struct segment segment_line(const double *x, const double *y, const double *w, size_t first,
                            size_t last, int flat)
{
    struct sums s = {0};
    struct segment g;

    for (size_t i = first; i <= last; i++)
        sums_add(&s, x[i], y[i], w[i]);
    g = (struct segment){first, last, s.x, s.y, 0, s.yy};
    if (!flat && s.xx > 0) {
        g.slope = s.xy / s.xx;
        g.rss = rss_line(&s);
    }
    return g;
}

static struct segment better_piece(const double *x, const double *y, const double *w, size_t first,
                                   size_t last, double penalty)
{
    struct segment flat = segment_line(x, y, w, first, last, 1);
    struct segment line = segment_line(x, y, w, first, last, 0);

    return line.rss + penalty < flat.rss ? line : flat;
}

int segment_fit(struct segment_work *work, const double *x, const double *y, const double *w,
                size_t n, double penalty, struct segment *out, size_t *count, double *cost)
{
    size_t k = 0;

    if (n == 0 || n > work->n)
        return -1;
    work->best[0] = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(w[i] > 0))
            return -1;
        work->best[i + 1] = DBL_MAX;
    }
    for (size_t i = 0; i < n; i++)
        grow_from(work, i, x, y, w, n, penalty);
    for (size_t end = n; end > 0; end = work->start[end])
        out[k++] = better_piece(x, y, w, work->start[end], end - 1, penalty);
    for (size_t i = 0; i < k / 2; i++) {
        struct segment swap = out[i];

        out[i] = out[k - 1 - i];
        out[k - 1 - i] = swap;
    }
    *count = k;
    *cost = work->best[n];
    return 0;
}
