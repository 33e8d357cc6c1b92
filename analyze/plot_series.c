/* Rows become curves: the row numbers are sorted by the columns that separate curves, then x, then y; one pass over them
 * makes the points. A parameter that follows from x (the number of lines of a working set) separates nothing. */
#include "plot_series.h"
#include "dist.h"

#include "../share/lib/cli.h"
#include "../share/lib/columns.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sorting {
    const struct series_spec *spec;
    size_t *column; /* that separate curves */
    size_t ncolumn;
};

static int compare_words(const struct frames *d, uint32_t a, uint32_t b)
{
    const struct word *u = &d->word[a], *v = &d->word[b];

    if (a == b)
        return 0;
    if (u->number && v->number && u->value != v->value)
        return u->value < v->value ? -1 : 1;
    return strcmp(u->text, v->text);
}

static int compare_curves(const struct sorting *s, size_t a, size_t b)
{
    const struct series_spec *spec = s->spec;
    int order = 0;

    for (size_t i = 0; i < s->ncolumn && order == 0; i++)
        order = compare_words(spec->data, frame_cell(spec->frame, a, s->column[i]),
                              frame_cell(spec->frame, b, s->column[i]));
    return order;
}

static int compare_cell(const struct series_spec *spec, size_t column, size_t a, size_t b)
{
    return compare_words(spec->data, frame_cell(spec->frame, a, column),
                         frame_cell(spec->frame, b, column));
}

static int compare_rows(const void *pa, const void *pb, void *context)
{
    const struct sorting *s = context;
    size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
    int order = compare_curves(s, a, b);

    if (order == 0)
        order = compare_cell(s->spec, s->spec->x, a, b);
    if (order == 0 && s->spec->y != TSV_NONE)
        order = compare_cell(s->spec, s->spec->y, a, b);
    return order != 0 ? order : (a > b) - (a < b);
}

static size_t *row_numbers(size_t n)
{
    size_t *row = xcalloc(n + 1, sizeof *row);

    for (size_t i = 0; i < n; i++)
        row[i] = i;
    return row;
}

/* Whether every x has one value of the column. */
static bool follows_from_x(const struct series_spec *spec, size_t column)
{
    size_t n = spec->frame->nrow, *row;
    struct series_spec by_x = *spec;
    struct sorting s = {&by_x, NULL, 0};
    bool follows = true;

    if (spec->values)
        return false;
    row = row_numbers(n);
    by_x.y = column;
    qsort_r(row, n, sizeof *row, compare_rows, &s);
    for (size_t i = 1; i < n && follows; i++)
        follows =
            compare_cell(spec, spec->x, row[i - 1], row[i]) != 0 ||
            frame_cell(spec->frame, row[i - 1], column) == frame_cell(spec->frame, row[i], column);
    free(row);
    return follows;
}

static bool is_condition(const struct series_spec *spec, size_t c)
{
    const struct column *known = column_find(spec->frame->column[c]);

    return known != NULL && known->role == ROLE_PARAM && c != spec->x && c != spec->y &&
           c != spec->weight && strcmp(known->name, "bytes") != 0;
}

static char *joined(char *so_far, const char *name, const char *value)
{
    char *longer = xprintf("%s%s%s=%.40s", so_far, *so_far ? " " : "", name, value);

    free(so_far);
    return longer;
}

static void choose_columns(struct sorting *s, struct series_set *set)
{
    const struct series_spec *spec = s->spec;
    const struct frame *f = spec->frame;

    s->column = xcalloc(f->ncolumn, sizeof *s->column);
    set->constants = xstrdup("");
    for (size_t c = 0; c < f->ncolumn; c++) {
        if (spec->group != NULL && strcmp(spec->group, f->column[c]) == 0)
            s->column[s->ncolumn++] = c;
        else if (!is_condition(spec, c))
            continue;
        else if (!frame_varies(f, c) && strcmp(f->column[c], "exp") != 0)
            set->constants = joined(set->constants, f->column[c], frame_text(spec->data, f, 0, c));
        else if (spec->group == NULL && frame_varies(f, c) && !follows_from_x(spec, c))
            s->column[s->ncolumn++] = c;
    }
    if (spec->group != NULL && s->ncolumn == 0)
        xframe_column(f, spec->group);
}

/* The point of samples v[0..n), sorted, standing w[i] times each. */
static struct point point_of_samples(double x, double *v, const double *w, size_t n)
{
    static const double p[POINT_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
    uint64_t *cum = xcalloc(n + 1, sizeof *cum);
    struct dist d = {v, cum, 0};
    struct point point = {.x = x};

    for (size_t i = 0; i < n; i++) {
        if (d.m == 0 || v[i] > v[d.m - 1]) {
            v[d.m] = v[i];
            cum[d.m] = d.m > 0 ? cum[d.m - 1] : 0;
            d.m++;
        }
        cum[d.m - 1] += (uint64_t)w[i];
    }
    if (d.m > 0 && dist_n(&d) > 0) {
        point.n = (double)dist_n(&d);
        point.mean = dist_mean(&d);
        for (size_t i = 0; i < POINT_QUANTILES; i++)
            point.q[i] = dist_quantile(&d, p[i]);
    }
    free(cum);
    return point;
}

static double number_or_nan(const struct series_spec *spec, size_t row, const char *name)
{
    size_t column = frame_find(spec->frame, name);

    return column == TSV_NONE ? NAN : xframe_number(spec->data, spec->frame, row, column);
}

static struct point point_of_statistics(const struct series_spec *spec, size_t row)
{
    static const char *const names[POINT_QUANTILES] = {"q05", "q25", "median", "q75", "q95"};
    struct point point = {.x = xframe_number(spec->data, spec->frame, row, spec->x)};

    for (size_t i = 0; i < POINT_QUANTILES; i++)
        point.q[i] = number_or_nan(spec, row, names[i]);
    point.mean = number_or_nan(spec, row, "mean");
    if (isnan(point.mean))
        point.mean = point.q[POINT_MEDIAN];
    point.n = number_or_nan(spec, row, "n");
    return point;
}

/* The rows of one x of one curve: row[0..n). */
static struct point make_point(const struct series_spec *spec, const size_t *row, size_t n,
                               size_t *dropped)
{
    double x = xframe_number(spec->data, spec->frame, row[0], spec->x);
    double *v = xcalloc(2 * n, sizeof *v), *w = v + n;
    struct point point;
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        v[kept] = xframe_number(spec->data, spec->frame, row[i], spec->y);
        w[kept] = spec->weight == TSV_NONE
                      ? 1
                      : xframe_number(spec->data, spec->frame, row[i], spec->weight);
        if (isfinite(v[kept]) && w[kept] > 0)
            kept++;
    }
    *dropped += n - kept;
    point = point_of_samples(x, v, w, kept);
    free(v);
    return point;
}

static void add_point(struct series_set *set, struct series *s, struct point p)
{
    double lo = isnan(p.q[POINT_Q05]) ? p.mean : p.q[POINT_Q05];
    double hi = isnan(p.q[POINT_Q95]) ? p.mean : p.q[POINT_Q95];

    if (!isfinite(p.x) || !isfinite(p.mean) || p.n == 0) {
        set->dropped++;
        return;
    }
    s->point[s->n++] = p;
    set->x_min = fmin(set->x_min, p.x);
    set->x_max = fmax(set->x_max, p.x);
    set->y_min = fmin(set->y_min, fmin(lo, p.mean));
    set->y_max = fmax(set->y_max, fmax(hi, p.mean));
}

static void add_curve(const struct sorting *s, struct series_set *set, const size_t *row, size_t n)
{
    struct series *curve = &set->series[set->n];
    const struct series_spec *spec = s->spec;
    size_t end;

    *curve = (struct series){.label = xstrdup(""), .point = xcalloc(n, sizeof *curve->point)};
    for (size_t i = 0; i < s->ncolumn; i++)
        curve->label = joined(curve->label, spec->frame->column[s->column[i]],
                              frame_text(spec->data, spec->frame, row[0], s->column[i]));
    for (size_t at = 0; at < n; at = end) {
        for (end = at + 1; end < n && compare_cell(spec, spec->x, row[at], row[end]) == 0; end++)
            if (spec->y == TSV_NONE)
                break;
        add_point(set, curve,
                  spec->y == TSV_NONE ? point_of_statistics(spec, row[at])
                                      : make_point(spec, row + at, end - at, &set->dropped));
    }
    if (curve->n > 0) {
        set->n++;
        return;
    }
    free(curve->label);
    free(curve->point);
}

struct series_set *xseries_make(const struct series_spec *spec)
{
    struct series_set *set = xcalloc(1, sizeof *set);
    struct sorting s = {spec, NULL, 0};
    size_t n = spec->frame->nrow, *row = row_numbers(n), cap = 0, end;

    set->x_min = set->y_min = INFINITY;
    set->x_max = set->y_max = -INFINITY;
    if (n > 0)
        choose_columns(&s, set);
    qsort_r(row, n, sizeof *row, compare_rows, &s);
    for (size_t at = 0; at < n; at = end) {
        for (end = at + 1; end < n && compare_curves(&s, row[at], row[end]) == 0; end++)
            ;
        set->series = xgrow(set->series, set->n, &cap, sizeof *set->series);
        add_curve(&s, set, row + at, end - at);
    }
    free(row);
    free(s.column);
    if (set->n == 0)
        xdie(EXIT_FAILED, "%s: nothing to draw: no row with a finite %s%s%s", spec->frame->file,
             spec->frame->column[spec->x], spec->y == TSV_NONE ? " and mean or median" : " and ",
             spec->y == TSV_NONE ? "" : spec->frame->column[spec->y]);
    if (set->dropped > 0)
        cli_warn("%s: %zu values that are not finite are left out", spec->frame->file,
                 set->dropped);
    return set;
}

static double best_of(const struct series *s)
{
    double best = -INFINITY;

    for (size_t i = 0; i < s->n; i++)
        best = fmax(best, s->point[i].mean);
    return best;
}

static void remove_series(struct series_set *s, size_t at)
{
    free(s->series[at].label);
    free(s->series[at].point);
    memmove(s->series + at, s->series + at + 1, (s->n - at - 1) * sizeof *s->series);
    s->n--;
}

size_t series_keep_best(struct series_set *s, size_t most)
{
    size_t out = 0;

    for (; s->n > most; out++) {
        size_t worst = 0;

        for (size_t i = 1; i < s->n; i++)
            if (best_of(&s->series[i]) <= best_of(&s->series[worst]))
                worst = i;
        remove_series(s, worst);
    }
    return out;
}

void series_keep_first(struct series_set *s, size_t n)
{
    while (s->n > n)
        remove_series(s, s->n - 1);
}

void series_free(struct series_set *s)
{
    series_keep_first(s, 0);
    free(s->series);
    free(s->constants);
    free(s);
}
