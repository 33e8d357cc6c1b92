/* The samples of two archives, point by point: points are matched by all conditions that both archives have and that are
 * not one constant here and another there. Where a latency curve is steep, at the end of a cache, two runs on one chip
 * differ by much, since other lines go first: a point there is no difference when its value lies in the range that the
 * other curve has within two steps. */
#include "diffrows.h"

#include "../share/lib/columns.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST = 5, /* values of a condition that make a curve */
    STEPS = 2  /* a curve may be off by so many where it is steep */
};

struct point {
    char *label; /* "size=65536 op=cg": all matched conditions */
    char *rest;  /* the same without the one that the curve runs over */
    char *shown; /* the ones that vary */
    double x;
    const struct group *a, *b;
    double mean_a, mean_b;
};

struct pairing {
    const struct diff_archive *a, *b;
    bool *matched, *varies; /* columns of a */
    size_t *column;         /* of b, for each of a */
    size_t x;               /* column that the curve runs over, or ncolumn */
    struct point *point;
    size_t n;
};

static struct field key_field(const struct group *g, size_t column)
{
    const char *at = g->key;

    for (; column > 0; column--)
        at += strcspn(at, "\t") + 1;
    return (struct field){at, strcspn(at, "\t")};
}

static bool equal(struct field a, struct field b)
{
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static size_t find_column(const struct diff_archive *a, const char *name)
{
    size_t i = 0;

    while (i < a->ncolumn && strcmp(a->column[i], name) != 0)
        i++;
    return i;
}

/* Different values of a column, as far as they follow one another in the sorted groups; 1: constant. */
static size_t different(const struct diff_archive *a, size_t column)
{
    size_t n = a->groups.n > 0;

    for (size_t i = 1; i < a->groups.n; i++)
        n += !equal(key_field(a->groups.group[i], column),
                    key_field(a->groups.group[i - 1], column));
    return n;
}

static bool numeric(const struct diff_archive *a, size_t column)
{
    for (size_t i = 0; i < a->groups.n; i++) {
        struct field f = key_field(a->groups.group[i], column);
        char *end;

        (void)strtod(f.ptr, &end);
        if (f.len == 0 || end != f.ptr + f.len)
            return false;
    }
    return true;
}

/* Which columns match, and over which the curve runs: the one of this kind of archive, else of those in bytes the one
 * that has the most values. */
static void choose_columns(struct pairing *p)
{
    size_t most = LEAST - 1;

    p->matched = xcalloc(p->a->ncolumn + 1, sizeof *p->matched);
    p->varies = xcalloc(p->a->ncolumn + 1, sizeof *p->varies);
    p->column = xcalloc(p->a->ncolumn + 1, sizeof *p->column);
    p->x = p->a->ncolumn;
    for (size_t i = 0; i < p->a->ncolumn; i++) {
        size_t j = p->column[i] = find_column(p->b, p->a->column[i]), n;
        const struct column *known = column_find(p->a->column[i]);

        if (j == p->b->ncolumn)
            continue;
        n = different(p->a, i);
        p->varies[i] = n > 1 || different(p->b, j) > 1;
        p->matched[i] = p->varies[i] || equal(key_field(p->a->groups.group[0], i),
                                              key_field(p->b->groups.group[0], j));
        if (p->a->kind->over != NULL && strcmp(p->a->column[i], p->a->kind->over) == 0) {
            most = SIZE_MAX;
            p->x = i;
        } else if (n > most && known != NULL && strcmp(known->unit, "bytes") == 0 &&
                   numeric(p->a, i)) {
            most = n;
            p->x = i;
        }
    }
}

/* "size=65536 op=cg" of the matched columns; without `skip`; only those that vary if `varying`. */
static char *label_of(const struct pairing *p, const struct group *g, bool of_b, size_t skip,
                      bool varying)
{
    char *label = xstrdup(""), *longer;

    for (size_t i = 0; i < p->a->ncolumn; i++) {
        struct field f;

        if (!p->matched[i] || i == skip || (varying && !p->varies[i]))
            continue;
        f = key_field(g, of_b ? p->column[i] : i);
        longer = xprintf("%s%s%s=%.*s", label, *label != '\0' ? " " : "", p->a->column[i],
                         (int)f.len, f.ptr);
        free(label);
        label = longer;
    }
    return label;
}

static double mean_of(const struct group *g, struct tally_work *w)
{
    struct dist d = tally_dist(&g->tally, w);

    return shift_mean_of(&d);
}

static int by_label(const void *a, const void *b)
{
    return strcmp(((const struct point *)a)->label, ((const struct point *)b)->label);
}

static int by_curve(const void *pa, const void *pb)
{
    const struct point *a = pa, *b = pb;
    int order = strcmp(a->rest, b->rest);

    return order != 0 ? order : (a->x > b->x) - (a->x < b->x);
}

static size_t collect(const struct pairing *p, const struct diff_archive *from, bool of_b,
                      struct point *point)
{
    size_t n = 0;

    for (size_t i = 0; i < from->groups.n; i++)
        if (from->groups.group[i]->tally.used > 0)
            point[n++] = (struct point){
                .label = label_of(p, from->groups.group[i], of_b, from->ncolumn + 1, false),
                .a = from->groups.group[i]};
    qsort(point, n, sizeof *point, by_label);
    return n;
}

static void finish_point(struct pairing *p, struct point *at, const struct group *a,
                         const struct group *b, struct tally_work *w)
{
    at->a = a;
    at->b = b;
    at->rest = label_of(p, a, false, p->x, false);
    at->shown = label_of(p, a, false, p->a->ncolumn, true);
    at->x = p->x < p->a->ncolumn ? strtod(key_field(a, p->x).ptr, NULL) : 0;
    at->mean_a = mean_of(a, w);
    at->mean_b = mean_of(b, w);
}

/* The points that both have, in the order of the curves; left out: how many only one has. */
static void match(struct pairing *p, size_t *only_a, size_t *only_b)
{
    struct point *a = xcalloc(p->a->groups.n + 1, sizeof *a),
                 *b = xcalloc(p->b->groups.n + 1, sizeof *b);
    size_t na = collect(p, p->a, false, a), nb = collect(p, p->b, true, b), i = 0, j = 0;
    struct tally_work w = {0};

    while (i < na && j < nb) {
        int order = strcmp(a[i].label, b[j].label);

        if (order == 0) {
            finish_point(p, &a[p->n], a[i].a, b[j].a, &w);
            p->n++;
        }
        i += order <= 0;
        j += order >= 0;
    }
    *only_a = na - p->n;
    *only_b = nb - p->n;
    for (size_t k = 0; k < na; k++)
        free(a[k].label);
    for (size_t k = 0; k < nb; k++)
        free(b[k].label);
    free(b);
    qsort(a, p->n, sizeof *a, by_curve);
    p->point = a;
    tally_work_free(&w);
}

/* Whether v lies in the range of the curve of b (else a) from STEPS points before `at` to STEPS after, where that is more
 * than the margin. The point itself does not count: one that stands out alone makes no steep curve. */
static bool within_steps(const struct pairing *p, size_t at, bool of_b, double v, double margin)
{
    double lo = INFINITY, hi = -INFINITY;

    for (size_t i = at > STEPS ? at - STEPS : 0; i <= at + STEPS && i < p->n; i++) {
        double y = of_b ? p->point[i].mean_b : p->point[i].mean_a;

        if (i == at || strcmp(p->point[i].rest, p->point[at].rest) != 0)
            continue;
        lo = fmin(lo, y);
        hi = fmax(hi, y);
    }
    return hi - lo > 2 * margin && v >= lo - margin && v <= hi + margin;
}

static bool is_steep(const struct pairing *p, size_t k, double margin)
{
    return p->x < p->a->ncolumn && p->a->kind->over != NULL &&
           (within_steps(p, k, true, p->point[k].mean_a, margin) ||
            within_steps(p, k, false, p->point[k].mean_b, margin));
}

struct bench {
    struct tally_work a, b;
    struct shift_pair *pairs;
};

/* By ranks and by means; the one that moves more counts, and both are tests. */
static struct shift compare(const struct pairing *p, const struct point *at, struct bench *w,
                            double confidence)
{
    struct dist a = tally_dist(&at->a->tally, &w->a), b = tally_dist(&at->b->tally, &w->b);
    double na = diff_independent(p->a, at->a, (double)dist_n(&a));
    double nb = diff_independent(p->b, at->b, (double)dist_n(&b));
    struct shift ranks, means;

    if (shift_means(&a, na, &b, nb, confidence, &means) != 0 ||
        shift_ranks(&a, na, &b, nb, confidence, w->pairs, &ranks) != 0)
        return means;
    ranks.p = means.p = fmin(1, 2 * fmin(ranks.p, means.p));
    return fabs(means.shift) > fabs(ranks.shift) ? means : ranks;
}

static void add_point(struct diff_rows *rows, const struct pairing *p, size_t k, size_t one,
                      size_t other, struct bench *w, const struct diff_rules *rules)
{
    const struct point *at = &p->point[k];
    const struct column *known = column_find(p->a->value);
    double margin = rules->within * fabs(at->mean_a);

    diff_add(rows, (struct diff_row){
                       .one = one,
                       .other = other,
                       .about = DIFF_POINT,
                       .archive = p->a->name,
                       .param = xstrdup(p->a->value),
                       .point = xstrdup(*at->shown != '\0' ? at->shown : "all rows"),
                       .left = xprintf("%.6g", at->mean_a),
                       .right = xprintf("%.6g", at->mean_b),
                       .unit = xstrdup(known != NULL && known->unit[0] != '\0' ? known->unit : "-"),
                       .base = fabs(at->mean_a),
                       .margin = margin,
                       .steep = is_steep(p, k, margin),
                       .shift = compare(p, at, w, rules->confidence)});
}

/* One row for all points of an archive: the shift in percent that is typical of them. */
static void add_curve(struct diff_rows *rows, const struct pairing *p, size_t one, size_t other,
                      const struct diff_rules *rules)
{
    double *d = xmalloc((p->n + 1) * sizeof *d), *work = xmalloc(p->n * (p->n + 1) / 2 * sizeof *d);
    size_t n = 0;
    struct shift s;

    for (size_t i = 0; i < p->n; i++)
        if (p->point[i].mean_a > 0)
            d[n++] = 100 * (p->point[i].mean_b / p->point[i].mean_a - 1);
    if (shift_signed(d, n, rules->confidence, work, &s) == 0)
        diff_add(rows, (struct diff_row){.one = one,
                                         .other = other,
                                         .about = DIFF_CURVE,
                                         .archive = p->a->name,
                                         .param = xstrdup(p->a->value),
                                         .point = xprintf("%zu points", n),
                                         .left = xstrdup("-"),
                                         .right = xstrdup("-"),
                                         .unit = xstrdup("%"),
                                         .base = 100,
                                         .margin = 100 * rules->within,
                                         .shift = s});
    free(d);
    free(work);
}

static void add_unmatched(struct diff_rows *rows, const struct diff_input *in, size_t one,
                          size_t other, const char *archive, size_t points, bool left)
{
    if (points > 0)
        diff_add(rows,
                 (struct diff_row){.one = one,
                                   .other = other,
                                   .about = DIFF_CURVE,
                                   .archive = archive,
                                   .param = xstrdup("points"),
                                   .point = xprintf("%zu points", points),
                                   .left = xstrdup(left ? "yes" : "no"),
                                   .right = xstrdup(left ? "no" : "yes"),
                                   .base = NAN,
                                   .shift = {NAN, NAN, NAN, NAN},
                                   .result = DIFF_MISSING,
                                   .says = xprintf("only in %s", in[left ? one : other].name)});
}

static void compare_archives(struct diff_rows *rows, const struct diff_input *in, size_t one,
                             size_t other, struct pairing *p, const struct diff_rules *rules)
{
    struct bench w = {.pairs = xmalloc(SHIFT_PAIRS * sizeof *w.pairs)};
    size_t only_a, only_b;

    choose_columns(p);
    match(p, &only_a, &only_b);
    add_curve(rows, p, one, other, rules);
    add_unmatched(rows, in, one, other, p->a->name, only_a, true);
    add_unmatched(rows, in, one, other, p->a->name, only_b, false);
    for (size_t k = 0; k < p->n; k++)
        add_point(rows, p, k, one, other, &w, rules);
    for (size_t k = 0; k < p->n; k++) {
        free(p->point[k].rest);
        free(p->point[k].shown);
    }
    free(p->point);
    free(p->matched);
    free(p->varies);
    free(p->column);
    free(w.pairs);
    tally_work_free(&w.a);
    tally_work_free(&w.b);
}

void diff_points(struct diff_rows *rows, const struct diff_input *in, size_t one, size_t other,
                 const struct diff_rules *rules)
{
    for (size_t i = 0; i < in[one].narchive; i++) {
        const struct diff_archive *a = &in[one].archive[i];
        const struct diff_archive *b = diff_archive_find(&in[other], a->name);
        struct pairing p = {.a = a, .b = b};

        if (b != NULL && a->kind == b->kind && a->groups.n > 0 && b->groups.n > 0 &&
            strcmp(a->value, b->value) == 0)
            compare_archives(rows, in, one, other, &p, rules);
    }
}
