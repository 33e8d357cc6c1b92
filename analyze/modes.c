/* Valleys by counting in windows, from wide to narrow; splits and bins over sorted values. */
#include "modes.h"

#include <math.h>
#include <stdbool.h>

/* A valley holds at most 1 / DEPTH of the lower peak's count, and is Z standard errors below it. */
static const double Z = 5, DEPTH = 2;
/* Windows narrower than this part of the middle 90 % of all samples are not tried: what is finer is structure of a mode. */
static const double FINEST = 1.0 / 32;

/* Values first..last - 1. */
struct piece {
    size_t first, last;
};

struct search {
    const struct dist *d;
    double finest; /* width of a window */
    double
        grid; /* step of the values' grid: windows hold whole steps, so that all hold equally many */
    double least;
    struct mode *out;
    size_t n, max;
};

struct valley {
    double score, lo, hi; /* the window */
};

/* The smallest distance of two values that is not rounding. */
static double smallest_gap(const struct dist *d)
{
    double range = d->x[d->m - 1] - d->x[0], least = range;

    for (size_t i = 1; i < d->m; i++) {
        double gap = d->x[i] - d->x[i - 1];

        if (gap < least && gap > 1e-9 * range)
            least = gap;
    }
    return least;
}

/* The step of the grid that all values lie on, 0 if they lie on none. */
static double grid_step(const struct dist *d)
{
    double step = smallest_gap(d);

    for (size_t i = 1; i < d->m; i++) {
        double k = (d->x[i] - d->x[0]) / step;

        if (fabs(k - rint(k)) > 1e-4 * fmax(1, 1e-3 * k))
            return 0;
    }
    return d->m > 1 ? (d->x[d->m - 1] - d->x[0]) / rint((d->x[d->m - 1] - d->x[0]) / step) : 0;
}

static uint64_t count(const struct dist *d, size_t first, size_t last)
{
    return d->cum[last - 1] - (first > 0 ? d->cum[first - 1] : 0);
}

/* The last valley's depth against the highest peak before it and this window's count. */
static void score_peak(struct valley *best, double before, double low, double at, double count_here)
{
    double peak = fmin(before, count_here), score;

    if (peak < DEPTH * low || peak == 0)
        return;
    score = (peak - low) / sqrt(peak + low);
    if (score > best->score) {
        best->score = score;
        best->lo = at;
    }
}

/* The deepest valley for windows of this width, the first beginning at `origin`. One pass is enough: after a peak the
 * lowest window since then is the best valley for it, and a higher peak ends the matter. */
static struct valley deepest(const struct dist *d, struct piece p, double origin, double width)
{
    struct valley best = {0, 0, 0};
    double peak = 0, low = 0, low_at = 0, next = 0;

    for (size_t i = p.first; i < p.last;) {
        double k = floor((d->x[i] - origin) / width), n = 0;
        size_t end = i;

        while (end < p.last && floor((d->x[end] - origin) / width) <= k)
            end++;
        n = (double)count(d, i, end);
        if (i > p.first && k > next && low > 0) {
            low = 0; /* an empty window */
            low_at = next;
        }
        score_peak(&best, peak, low, low_at, n);
        if (n > peak)
            peak = n;
        if (n >= peak || n < low) {
            low = n;
            low_at = k;
        }
        next = k + 1;
        i = end;
    }
    best.lo = origin + best.lo * width;
    best.hi = best.lo + width;
    return best;
}

/* Where to cut: the widest gap between neighbouring values in or beside the window. */
static size_t cut_at(const struct dist *d, struct piece p, const struct valley *v)
{
    size_t best = p.first + 1;
    double widest = -1;

    for (size_t i = p.first + 1; i < p.last; i++) {
        double gap = d->x[i] - d->x[i - 1];

        if (d->x[i] >= v->lo && d->x[i - 1] < v->hi && gap > widest) {
            widest = gap;
            best = i;
        }
    }
    return best;
}

static double whole_steps(double grid, double width)
{
    return grid > 0 ? grid * ceil(width / grid - 1e-6) : width;
}

/* Whether the piece has a valley, and where it is cut. */
static bool find_cut(const struct search *s, struct piece p, size_t *cut)
{
    const struct dist *d = s->d;
    double range = d->x[p.last - 1] - d->x[p.first];

    for (double width = range / 4; width >= s->finest; width /= 2)
        for (int shift = 0; shift < 2; shift++) {
            double w = whole_steps(s->grid, width), start = d->x[p.first] - s->grid / 2;
            struct valley v = deepest(d, p, start - shift * whole_steps(s->grid, w / 2), w);

            if (v.score >= Z) {
                *cut = cut_at(d, p, &v);
                return true;
            }
        }
    return false;
}

static void add_mode(struct search *s, struct piece p)
{
    const struct dist *d = s->d;
    uint64_t before = p.first > 0 ? d->cum[p.first - 1] : 0, n = count(d, p.first, p.last);
    struct mode *m = &s->out[s->n];

    if ((double)n < s->least * (double)dist_n(d) || s->n == s->max)
        return;
    m->lo = d->x[p.first];
    m->hi = d->x[p.last - 1];
    m->n = n;
    m->centre = (dist_at(d, before + (n - 1) / 2) + dist_at(d, before + n / 2)) / 2;
    m->width = dist_at(d, before + (n - 1) * 3 / 4) - dist_at(d, before + (n - 1) / 4);
    s->n++;
}

/* A cut leaves fewer values on each side; the depth is bounded for the sake of the stack. */
static void search(struct search *s, struct piece p, int depth)
{
    size_t cut;

    if (p.last - p.first < 2 || depth == 0 || !find_cut(s, p, &cut)) {
        add_mode(s, p);
        return;
    }
    search(s, (struct piece){p.first, cut}, depth - 1);
    search(s, (struct piece){cut, p.last}, depth - 1);
}

size_t modes_find(const struct dist *d, double least, struct mode *out, size_t max)
{
    uint64_t n = dist_n(d);
    double core = dist_at(d, n - 1 - n / 20) - dist_at(d, n / 20);
    struct search s = {d,  fmax(2 * smallest_gap(d), FINEST * core), grid_step(d), least, out, 0,
                       max};

    search(&s, (struct piece){0, d->m}, 100);
    return s.n;
}

/* Fills in everything for a cut before value number `cut`. */
static void describe(const struct dist *d, size_t cut, struct bimodal *s)
{
    long double sum[2] = {0, 0}, square[2] = {0, 0};
    double range = d->x[d->m - 1] - d->x[0], within, all, mean = dist_mean(d),
           sd = dist_sd(d, mean);

    s->threshold = d->x[cut - 1] + (d->x[cut] - d->x[cut - 1]) / 2;
    s->gap = (d->x[cut] - d->x[cut - 1]) / range;
    s->n[0] = d->cum[cut - 1];
    s->n[1] = dist_n(d) - s->n[0];
    for (size_t i = 0; i < d->m; i++)
        sum[i >= cut] += (long double)(d->x[i] - mean) * (long double)dist_weight(d, i);
    for (int k = 0; k < 2; k++)
        s->mean[k] = mean + (double)(sum[k] / (long double)s->n[k]);
    for (size_t i = 0; i < d->m; i++) {
        long double off = d->x[i] - s->mean[i >= cut];

        square[i >= cut] += off * off * (long double)dist_weight(d, i);
    }
    for (int k = 0; k < 2; k++)
        s->sd[k] = sqrt((double)(square[k] / (long double)s->n[k]));
    within = (double)(square[0] + square[1]);
    all = sd * sd * (double)(dist_n(d) - 1);
    s->eta = 1 - within / all;
    s->d = M_SQRT2 * (s->mean[1] - s->mean[0]) / hypot(s->sd[0], s->sd[1]);
}

int bimodal_otsu(const struct dist *d, struct bimodal *s)
{
    long double sum = 0, best = -1;
    double mean = dist_mean(d), n = (double)dist_n(d);
    size_t cut = 0;

    if (d->m < 2)
        return -1;
    for (size_t i = 0; i + 1 < d->m; i++) {
        long double below = (long double)d->cum[i] / n, between;

        sum += (long double)(d->x[i] - mean) * (long double)dist_weight(d, i) / n;
        between = sum * sum / (below * (1 - below)); /* the mean of all is 0 here */
        if (between > best) {
            best = between;
            cut = i + 1;
        }
    }
    describe(d, cut, s);
    return 0;
}

int bimodal_gap(const struct dist *d, double least, struct bimodal *s)
{
    double widest = 0, n = (double)dist_n(d);
    size_t cut = 0;

    for (size_t i = 1; i < d->m; i++) {
        double below = (double)d->cum[i - 1] / n, gap = d->x[i] - d->x[i - 1];

        if (below >= least && 1 - below >= least && gap > widest) {
            widest = gap;
            cut = i;
        }
    }
    if (cut == 0)
        return -1;
    describe(d, cut, s);
    return 0;
}

void bins_choose(const struct dist *d, double wish, struct bins *b)
{
    double iqr = dist_quantile(d, 0.75) - dist_quantile(d, 0.25);
    double range = d->x[d->m - 1] - d->x[0];
    double width = wish > 0 ? wish : 2 * iqr / cbrt((double)dist_n(d));

    b->step = grid_step(d);
    if (!(width > 0))
        width = b->step > 0 ? b->step : range > 0 ? range / 64 : 1;
    if (b->step > 0)
        width = b->step * fmax(1, rint(width / b->step));
    b->width = width;
    b->origin = d->x[0] - (b->step > 0 ? b->step : width) / 2;
}

int64_t bins_of(const struct bins *b, double x)
{
    return (int64_t)floor((x - b->origin) / b->width);
}
