/* Knees: clean the curve, cut it into pieces, find the shelves, then measure and judge each rise between two shelves
 * (knee_judge.c). A steep piece before the first shelf or after the last one is a knee at the edge. */
#include "knee.h"
#include "clean.h"
#include "knee_judge.h"

#include <math.h>
#include <stdlib.h>

const struct knee_options knee_defaults = {0.002, 0.01, 1, 0.04, 0.25, 0.95, 16, KNEE_AUTO};

enum { SPIKE_LIMIT = 8 };

/* The curve without its spikes, and room to work. */
struct room {
    struct knee_options opt;
    struct curve c;
    double *x, *logx, *y, *w, *se, *work;
    size_t *index; /* of each point that was kept, in the curve as given */
    struct segment *piece;
    size_t pieces;
    struct shelf *shelf;
    size_t shelves;
};

static int check(const double *x, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]) || !isfinite(y[i]) || (i > 0 && x[i] <= x[i - 1]))
            return -2;
    return 0;
}

static void room_free(struct room *r)
{
    double **all[] = {&r->x, &r->logx, &r->y, &r->w, &r->se, &r->work};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(*all[k]);
    free(r->index);
    free(r->piece);
    free(r->shelf);
}

static int room_alloc(struct room *r, size_t n)
{
    double **all[] = {&r->x, &r->logx, &r->y, &r->w, &r->se, &r->work};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if ((*all[k] = malloc((n + 64) * sizeof(double))) == NULL)
            return -1;
    r->index = malloc((n + 1) * sizeof *r->index);
    r->piece = malloc((n + 1) * sizeof *r->piece);
    r->shelf = malloc((n + 1) * sizeof *r->shelf);
    return r->index == NULL || r->piece == NULL || r->shelf == NULL ? -1 : 0;
}

/* Copies the points that are no spikes. */
static void keep(struct room *r, const double *x, const double *y, const double *spread, size_t n,
                 struct knee_fit *fit)
{
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        if (fit->part[i] == 'x')
            continue;
        r->x[k] = x[i];
        r->logx[k] = x[i] > 0 ? log2(x[i]) : 0;
        r->y[k] = y[i];
        r->se[k] = spread != NULL && spread[i] > 0 ? spread[i] : 0;
        r->index[k++] = i;
    }
    r->c = (struct curve){r->x, r->y, r->w, k};
}

/* The middle of the known relative errors, 0 when none is known. */
static double usual_error(struct room *r)
{
    size_t k = 0;

    for (size_t i = 0; i < r->c.n; i++)
        if (r->se[i] > 0 && r->y[i] != 0)
            r->work[k++] = r->se[i] / fabs(r->y[i]);
    return k > 0 ? clean_median(r->work, k) : 0;
}

/* Weights for relative residuals. The scatter of the curve says how large the noise is, the points' own errors which of them
 * are worse than usual. */
static void weigh(struct room *r, double noise)
{
    double top = 0, usual = usual_error(r);

    for (size_t i = 0; i < r->c.n; i++)
        top = fmax(top, fabs(r->y[i]));
    for (size_t i = 0; i < r->c.n; i++) {
        double y = fmax(fabs(r->y[i]), 1e-4 * top), worse = usual > 0 ? r->se[i] / y / usual : 1;
        double sd = noise * y * fmax(worse, 1);

        r->w[i] = top > 0 ? 1 / (sd * sd) : 1;
    }
}

/* The partition over x and over log x; the one that costs less stays. */
static int partition(struct room *r, struct knee_fit *fit)
{
    struct segment_work *work = segment_alloc(r->c.n);
    struct segment *other = malloc((r->c.n + 1) * sizeof *other);
    double price = r->opt.penalty * log((double)(r->c.n > 2 ? r->c.n : 2)), cost = INFINITY, cost2;
    int may_log = r->opt.scale != KNEE_LINEAR && r->x[0] > 0, bad = work == NULL || other == NULL;
    size_t count;

    fit->scale = KNEE_LOG;
    if (!bad && may_log)
        bad = segment_fit(work, r->logx, r->y, r->w, r->c.n, price, r->piece, &r->pieces, &cost);
    if (!bad && (!may_log || r->opt.scale == KNEE_AUTO)) {
        bad = segment_fit(work, r->x, r->y, r->w, r->c.n, price, other, &count, &cost2);
        if (!bad && cost2 < cost * (1 - 1e-9)) {
            for (size_t k = 0; k < count; k++)
                r->piece[k] = other[k];
            r->pieces = count;
            fit->scale = KNEE_LINEAR;
        }
    }
    segment_free(work);
    free(other);
    return bad ? -1 : 0;
}

/* The fitted value of every point, and whether it lies on a shelf. */
static void draw(const struct room *r, const double *x, size_t n, struct knee_fit *fit)
{
    size_t k = 0, s = 0;

    for (size_t i = 0, at = 0; i < n; i++) {
        while (at + 1 < r->c.n && r->index[at] < i)
            at++;
        while (k + 1 < r->pieces && at > r->piece[k].last)
            k++;
        while (s < r->shelves && at > r->shelf[s].last)
            s++;
        fit->fitted[i] = segment_at(&r->piece[k], fit->scale == KNEE_LOG ? log2(x[i]) : x[i]);
        if (fit->part[i] != 'x')
            fit->part[i] = s < r->shelves && at >= r->shelf[s].first ? 's' : 'r';
    }
}

static void find_spikes(const double *x, const double *y, size_t n, struct room *r,
                        struct knee_fit *fit)
{
    double noise = fmax(clean_noise(x, y, n, r->work), r->opt.noise);

    fit->spikes = clean_spikes(x, y, n, noise, SPIKE_LIMIT, fit->part);
    for (size_t i = 0; i < n; i++)
        fit->part[i] = fit->part[i] ? 'x' : 'r';
}

static int find(const double *x, const double *y, const double *spread, size_t n, struct room *r,
                struct knee_fit *fit)
{
    struct shelf_rule rule = {r->opt.least, r->opt.drift, 0.05, r->opt.tread, 0.12};

    find_spikes(x, y, n, r, fit);
    keep(r, x, y, spread, n, fit);
    fit->noise = fmax(clean_noise(r->x, r->y, r->c.n, r->work), r->opt.noise);
    weigh(r, fit->noise);
    if (partition(r, fit) != 0)
        return -1;
    /* The pieces may be lines over log x; the shelves ask them only for their ends. */
    r->shelves = shelves_find(&r->c, r->piece, r->pieces, fit->scale == KNEE_LOG ? r->logx : r->x,
                              &rule, r->shelf, r->work);
    draw(r, x, n, fit);
    return knee_judge(&(struct judge){&r->c, x, y, r->index, r->se, &r->opt, r->work, fit},
                      r->piece, r->pieces, r->shelf, r->shelves);
}

int knee_find(const double *x, const double *y, const double *spread, size_t n,
              const struct knee_options *opt, struct knee_fit *fit)
{
    struct room r = {.opt = *opt};
    int bad = check(x, y, n);

    *fit = (struct knee_fit){.noise = opt->noise, .scale = opt->scale};
    if (bad || n == 0)
        return bad;
    fit->fitted = malloc(n * sizeof *fit->fitted);
    fit->part = malloc(n);
    bad = room_alloc(&r, n);
    if (!bad && fit->fitted != NULL && fit->part != NULL)
        bad = find(x, y, spread, n, &r, fit);
    else
        bad = -1;
    room_free(&r);
    if (bad)
        knee_free(fit);
    return bad;
}

void knee_free(struct knee_fit *fit)
{
    free(fit->knee);
    free(fit->fitted);
    free(fit->part);
    *fit = (struct knee_fit){0};
}
