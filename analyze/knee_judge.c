/* Knees measured and judged. Onset, middle and end are where the points themselves, joined by straight lines, last leave 5 %,
 * first reach 50 % and then 95 % of the rise; where the ripple is a tenth of the rise or more the fitted ramp says it instead. */
#include "knee_judge.h"
#include "clean.h"
#include "knee_capacity.h"
#include "ramp.h"

#include <math.h>
#include <stdlib.h>

enum { ENOUGH = 3 }; /* points of a shelf for high confidence */
static const double above_ripple = 3, above_drift = 1.5, rough = 0.1, wide = 0.5, widest = 3,
                    slow = 0.15;

const struct knee_note knee_notes[] = {
    {KNEE_EDGE, "edge", 1},
    {KNEE_FEW, "few points", 1},
    {KNEE_DRIFT, "drift, not a step", 1},
    {KNEE_RAMP, "ramp", 0},
    {KNEE_WIDE, "wide ramp", 1},
    {KNEE_NOISY, "noisy", 1},
    {KNEE_AGAINST, "against the trend", 1},
    {KNEE_FALLS, "falls", 0},
    {0, NULL, 0},
};

/* x where the line from point i to i + 1 has done `part` of the rise. */
static double cross(const struct curve *c, size_t i, double level)
{
    double d = c->y[i + 1] - c->y[i], part = d != 0 ? (level - c->y[i]) / d : 0.5;

    return c->x[i] + fmin(fmax(part, 0), 1) * (c->x[i + 1] - c->x[i]);
}

/* Whether point i has done less than `part` of the rise. */
static int is_before(const struct curve *c, const struct knee *k, size_t i, double part)
{
    double level = k->before + part * (k->after - k->before);

    return k->after > k->before ? c->y[i] < level : c->y[i] > level;
}

static double level_of(const struct knee *k, double part)
{
    return k->before + part * (k->after - k->before);
}

/* Onset, middle, end by the points between `from` and `to`. */
static void cross_points(const struct curve *c, struct knee *k, size_t from, size_t to)
{
    size_t mid = from, onset, end;

    while (mid + 2 < c->n && mid + 1 < to && is_before(c, k, mid + 1, 0.5))
        mid++;
    for (onset = mid; onset > from && !is_before(c, k, onset, 0.05);)
        onset--;
    for (end = mid; end + 1 < to && is_before(c, k, end + 1, 0.95);)
        end++;
    k->onset = cross(c, onset, level_of(k, 0.05));
    k->mid = cross(c, mid, level_of(k, 0.5));
    k->end = cross(c, end, level_of(k, 0.95));
}

/* The grid cell around lo..hi: an interval is never narrower. */
static void widen_to_grid(const struct curve *c, struct knee *k)
{
    size_t a = 0, b = c->n - 1;

    while (a + 1 < c->n && c->x[a + 1] <= k->onset)
        a++;
    while (b > 0 && c->x[b - 1] >= k->mid)
        b--;
    k->lo = fmin(k->lo, c->x[a]);
    k->hi = fmax(k->hi, c->x[b]);
}

static double ripple_of(const struct judge *j, const struct shelf *s)
{
    size_t from = j->index[s->first], to = j->index[s->last];
    double r = shelf_ripple(j->c, s, j->x + from, j->y + from, to - from + 1, j->work);
    size_t n = s->last - s->first + 1;

    for (size_t i = 0; i < n; i++)
        j->work[i] = j->se[s->first + i];
    return fmax(r, clean_median(j->work, n));
}

static unsigned note_of_shape(const struct judge *j, const struct knee *k)
{
    double octaves = shelf_octaves(j->c, k->onset, k->end);
    double slope = shelf_height(k->before, k->after) / fmax(octaves, 1e-9);
    unsigned note = k->after < k->before ? KNEE_FALLS : 0;
    size_t inside = 0;

    for (size_t i = 0; i < j->c->n; i++)
        inside += j->c->x[i] > k->onset && j->c->x[i] < k->end;
    if (inside < 2)
        return note;
    if (octaves > wide && slope < slow)
        return note | KNEE_DRIFT;
    if (octaves > wide)
        note |= octaves > widest ? KNEE_WIDE : KNEE_RAMP;
    return note;
}

/* How far the shelf's own line goes. */
static double drift_of(const struct curve *c, const struct shelf *s)
{
    struct segment line = segment_line(c->x, c->y, c->w, s->first, s->last, 0);

    return fabs(line.slope * (c->x[s->last] - c->x[s->first]));
}

static void find_capacity(const struct judge *j, const struct shelf *a, const struct shelf *b,
                          struct knee *k)
{
    struct capacity_rule rule = {k->before, k->after, k->lo, k->hi, j->opt->ways, j->fit->noise};

    k->capacity = NAN;
    if (k->after > k->before && j->opt->ways > 0)
        k->capacity = knee_capacity(j->c, a, b, &rule, &k->law);
    if (k->law == LAW_NONE)
        return;
    k->lo = fmin(k->lo, k->capacity);
    k->hi = fmax(k->hi, k->capacity);
}

/* The rise from shelf a to shelf b. */
static void inner_knee(struct judge *j, const struct shelf *a, const struct shelf *b)
{
    struct knee *k = &j->fit->knee[j->fit->count++];
    double ripple = fmax(ripple_of(j, a), ripple_of(j, b)), rise;
    struct ramp ramp;

    k->first = a->last;
    k->last = b->first;
    k->before = shelf_level(j->c, a, 0, j->work);
    k->after = shelf_level(j->c, b, 1, j->work);
    rise = fabs(k->after - k->before);
    cross_points(j->c, k, a->last, b->first);
    k->lo = k->onset;
    k->hi = k->mid;
    if (ramp_fit(j->c, a, b, j->opt->level, &ramp) == 0) {
        if (ripple > rough * rise) {
            k->onset = ramp.from + 0.05 * (ramp.to - ramp.from);
            k->mid = (ramp.from + ramp.to) / 2;
            k->end = ramp.to - 0.05 * (ramp.to - ramp.from);
        }
        k->lo = fmin(k->onset, ramp.onset_lo);
        k->hi = fmax(k->mid, ramp.mid_hi);
    }
    widen_to_grid(j->c, k);
    find_capacity(j, a, b, k);
    k->note = note_of_shape(j, k);
    if (a->last - a->first + 1 < ENOUGH || b->last - b->first + 1 < ENOUGH)
        k->note |= KNEE_FEW;
    if (rise < above_ripple * ripple)
        k->note |= KNEE_NOISY;
    if (rise < above_drift * fmax(drift_of(j->c, a), drift_of(j->c, b)))
        k->note |= KNEE_DRIFT;
}

/* A rise of points first..last at an edge of the data. */
static void edge_knee(struct judge *j, size_t first, size_t last, double before, double after)
{
    struct knee *k;

    if (last <= first || shelf_height(before, after) < j->opt->least)
        return;
    k = &j->fit->knee[j->fit->count++];
    *k = (struct knee){
        .before = before, .after = after, .first = first, .last = last, .capacity = NAN};
    cross_points(j->c, k, first, last);
    k->lo = k->onset;
    k->hi = k->mid;
    widen_to_grid(j->c, k);
    k->note = KNEE_EDGE | note_of_shape(j, k);
}

/* Before the first shelf every steep piece is a knee of its own: its end is where a slope ends. So is the jump from the last
 * of them to the shelf. */
static void left_edge(struct judge *j, const struct segment *piece, size_t pieces,
                      const struct shelf *shelf, size_t shelves)
{
    size_t stop = shelves > 0 ? shelf[0].first : j->c->n, end = 0;

    for (size_t p = 0; p < pieces && piece[p].first < stop; p++) {
        size_t last = piece[p].last < stop ? piece[p].last : stop - 1;

        if (last < piece[p].first + 2)
            continue;
        edge_knee(j, piece[p].first, last, j->c->y[piece[p].first], j->c->y[last]);
        end = last;
    }
    if (end > 0 && shelves > 0)
        edge_knee(j, end, stop, j->c->y[end], shelf_level(j->c, &shelf[0], 1, j->work));
}

static void right_edge(struct judge *j, const struct shelf *last)
{
    if (last->last + 2 < j->c->n)
        edge_knee(j, last->last, j->c->n - 1, shelf_level(j->c, last, 0, j->work),
                  j->c->y[j->c->n - 1]);
}

/* +1 when the curve's largest knee rises, -1 when it falls, 0 when there is one nearly as large the other way. Knees at the edge
 * count when there are no others. */
static int direction(const struct knee_fit *fit)
{
    double up = 0, down = 0;

    for (int edges = 0; edges <= 1 && up + down == 0; edges++)
        for (size_t i = 0; i < fit->count; i++) {
            const struct knee *k = &fit->knee[i];
            double h = shelf_height(k->before, k->after);

            if (!edges && (k->note & KNEE_EDGE))
                continue;
            if (k->after > k->before)
                up = fmax(up, h);
            else
                down = fmax(down, h);
        }
    if (fmin(up, down) > 0.9 * fmax(up, down))
        return 0;
    return up > down ? 1 : -1;
}

static void decide(struct knee_fit *fit)
{
    int main_way = direction(fit);

    for (size_t i = 0; i < fit->count; i++) {
        struct knee *k = &fit->knee[i];
        int way = k->after > k->before ? 1 : -1;

        if (way != main_way)
            k->note |= KNEE_AGAINST;
        k->height = k->before != 0 ? k->after / k->before - 1 : INFINITY;
        k->high = 1;
        for (const struct knee_note *n = knee_notes; n->bit != 0; n++)
            if (n->lowers && (k->note & n->bit))
                k->high = 0;
    }
}

int knee_judge(struct judge *j, const struct segment *piece, size_t pieces,
               const struct shelf *shelf, size_t shelves)
{
    j->fit->count = 0;
    j->fit->knee = calloc(pieces + shelves + 2, sizeof *j->fit->knee);
    if (j->fit->knee == NULL)
        return -1;
    left_edge(j, piece, pieces, shelf, shelves);
    for (size_t s = 0; s + 1 < shelves; s++)
        inner_knee(j, &shelf[s], &shelf[s + 1]);
    if (shelves > 0)
        right_edge(j, &shelf[shelves - 1]);
    decide(j->fit);
    return 0;
}
