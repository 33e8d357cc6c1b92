/* Shelves of a curve. Every piece that is not steep begins as a shelf; then the least certain of them goes, again and again,
 * by four rules (see the header), until all that remain keep all rules. The order matters little: what a rule joins is judged
 * again. */
#include "shelf.h"
#include "clean.h"

#include <math.h>
#include <string.h>

enum { FEW = 3, NEAREST = 50 };

double shelf_height(double a, double b)
{
    double low = fmin(fabs(a), fabs(b)), high = fmax(fabs(a), fabs(b));

    if (high == 0)
        return 0;
    return fabs(a - b) / (low > 1e-6 * high ? low : high);
}

double shelf_octaves(const struct curve *c, double a, double b)
{
    double least = a;

    if (a > 0)
        return b > a ? log2(b / a) : 0;
    for (size_t i = 0; i < c->n && least <= 0; i++)
        least = c->x[i];
    return least > 0 && b > a ? log2(1 + (b - a) / least) : b > a ? 1 : 0;
}

double shelf_level(const struct curve *c, const struct shelf *s, int left, double *work)
{
    size_t have = s->last - s->first + 1, take = have / 3;
    const double *from;

    take = take < 5 ? 5 : take > NEAREST ? NEAREST : take;
    if (take > have)
        take = have;
    from = left ? c->y + s->first : c->y + s->last + 1 - take;
    memcpy(work, from, take * sizeof *work);
    return clean_median(work, take);
}

double shelf_ripple(const struct curve *c, const struct shelf *s, const double *x, const double *y,
                    size_t n, double *work)
{
    struct segment line = segment_line(c->x, c->y, c->w, s->first, s->last, 0);

    if (s->last - s->first < FEW)
        line.slope = 0;
    for (size_t i = 0; i < n; i++)
        work[i] = y[i] - segment_at(&line, x[i]);
    return clean_spread(work, n);
}

int piece_is_steep(const struct curve *c, const struct segment *p, const double *piece_x,
                   const struct shelf_rule *rule)
{
    double y0 = segment_at(p, piece_x[p->first]), y1 = segment_at(p, piece_x[p->last]);
    double height = shelf_height(y0, y1);

    if (p->slope == 0 || height < rule->least)
        return 0;
    return height > rule->drift * shelf_octaves(c, c->x[p->first], c->x[p->last]);
}

/* The height of the rise (positive) or fall between shelf k and k + 1. */
static double rise_after(const struct curve *c, const struct shelf *s, size_t k, double *work)
{
    double a = shelf_level(c, &s[k], 0, work), b = shelf_level(c, &s[k + 1], 1, work);

    return b >= a ? shelf_height(a, b) : -shelf_height(a, b);
}

static size_t points(const struct shelf *s)
{
    return s->last - s->first + 1;
}

static void drop(struct shelf *s, size_t *n, size_t k)
{
    memmove(s + k, s + k + 1, (*n - k - 1) * sizeof *s);
    --*n;
}

/* Joins shelves k and k + 1. */
static void join(struct shelf *s, size_t *n, size_t k)
{
    s[k].last = s[k + 1].last;
    drop(s, n, k + 1);
}

/* Whether rise k is a small part of a rise beside it that goes the same way and is less than a doubling of x away. */
static int is_tail(const struct curve *c, const struct shelf *s, size_t n, size_t k, double part,
                   double *work)
{
    double h = rise_after(c, s, k, work), scale;

    for (int side = -1; side <= 1; side += 2) {
        size_t other = side < 0 ? k - 1 : k + 1, tread = side < 0 ? k : k + 1;

        if ((side < 0 && k == 0) || other + 1 >= n)
            continue;
        scale = rise_after(c, s, other, work);
        if (h * scale > 0 && fabs(h) < part * fabs(scale) &&
            shelf_octaves(c, c->x[s[tread].first], c->x[s[tread].last]) < 1)
            return 1;
    }
    return 0;
}

/* The smallest rise that is below the least height, or the tail of a large one, goes. */
static int join_level(const struct curve *c, struct shelf *s, size_t *n,
                      const struct shelf_rule *rule, double *work)
{
    size_t at = 0;
    double smallest = INFINITY;

    for (size_t k = 0; k + 1 < *n; k++) {
        double h = fabs(rise_after(c, s, k, work));

        if (h < smallest && (h < rule->least || is_tail(c, s, *n, k, rule->tail, work))) {
            smallest = h;
            at = k;
        }
    }
    if (smallest == INFINITY)
        return 0;
    join(s, n, at);
    return 1;
}

/* The shallowest dent or bump goes: a shelf between a rise and a fall, short or low, joins the side that is nearer in y. */
static int join_dent(const struct curve *c, struct shelf *s, size_t *n, double dent, double *work)
{
    size_t at = 0;
    double shallow = INFINITY;

    for (size_t k = 1; k + 1 < *n; k++) {
        double a = rise_after(c, s, k - 1, work), b = rise_after(c, s, k, work);
        double depth = fmin(fabs(a), fabs(b));

        if (a * b < 0 && (depth < dent || points(&s[k]) < FEW) && depth < shallow) {
            shallow = depth;
            at = fabs(a) < fabs(b) ? k - 1 : k;
        }
    }
    if (shallow == INFINITY)
        return 0;
    join(s, n, at);
    return 1;
}

/* A shelf inside a rise, of few points or narrow, is a tread of one staircase and belongs to the rise: the narrowest first. */
static int drop_tread(const struct curve *c, struct shelf *s, size_t *n, double tread)
{
    size_t at = 0;
    double narrow = INFINITY;

    for (size_t k = 1; k + 1 < *n; k++) {
        double width = shelf_octaves(c, c->x[s[k].first], c->x[s[k].last]);

        if ((points(&s[k]) < FEW || width < tread) && width < narrow) {
            narrow = width;
            at = k;
        }
    }
    if (at == 0)
        return 0;
    drop(s, n, at);
    return 1;
}

/* Relative height of a piece from its first to its last point, with its sign. */
static double piece_rise(const struct segment *p, const double *piece_x)
{
    double y0 = segment_at(p, piece_x[p->first]), y1 = segment_at(p, piece_x[p->last]);

    return y1 >= y0 ? shelf_height(y0, y1) : -shelf_height(y0, y1);
}

/* A steep piece next to one that goes back the other way is ripple on a shelf when both are low. */
static int is_ripple(const struct segment *piece, size_t count, size_t k, const double *piece_x,
                     double dent)
{
    double h = piece_rise(&piece[k], piece_x), other;

    if (fabs(h) >= dent)
        return 0;
    for (size_t i = k > 0 ? k - 1 : k; i <= k + 1 && i < count; i++) {
        other = piece_rise(&piece[i], piece_x);
        if (other * h < 0 && fabs(other) < dent && fabs(other) > fabs(h) / 4)
            return 1;
    }
    return 0;
}

size_t shelves_find(const struct curve *c, const struct segment *piece, size_t count,
                    const double *piece_x, const struct shelf_rule *rule, struct shelf *out,
                    double *work)
{
    double tread = fmin(rule->tread, shelf_octaves(c, c->x[0], c->x[c->n - 1]) / 16);
    size_t n = 0;

    for (size_t k = 0; k < count; k++)
        if (!piece_is_steep(c, &piece[k], piece_x, rule) ||
            is_ripple(piece, count, k, piece_x, rule->dent))
            out[n++] = (struct shelf){piece[k].first, piece[k].last};
    while (n > 1 && points(&out[0]) == 1)
        drop(out, &n, 0);
    while (n > 1 && points(&out[n - 1]) == 1)
        n--;
    while (join_level(c, out, &n, rule, work) || join_dent(c, out, &n, rule->dent, work) ||
           drop_tread(c, out, &n, tread))
        ;
    return n;
}
