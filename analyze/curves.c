/* Rows into curves. While reading, a point is kept for every different combination of x and parameters, with its mean by
 * Welford's rule and its different values counted, so memory grows with those and not with rows. Which parameters tell curves
 * apart is known only at the end: then points are sorted, those that agree are merged, and curves are cut out. */
#include "curves.h"
#include "../share/lib/cli.h"
#include "../share/lib/columns.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Names that people give to x and y, the most telling first. */
static const char *const x_names[] = {"size",    "size_bytes", "working_set", "footprint",
                                      "size_kb", "size_kib",   "size_mb",     "size_mib",
                                      "bytes",   "pages",      "stride",      "stride_bytes",
                                      "lines",   "x",          NULL};
static const char *const y_names[] = {"mean",   "cycles_mean", "gbps",    "read_gbps",
                                      "cycles", "ns",          "latency", "median",
                                      "value",  "y",           NULL};

struct count {
    double value, n;
};

struct point {
    double x, n, mean, m2; /* n: weight; m2: centred sum */
    double error, median;  /* from the row's own columns, nan: none */
    struct count *count;
    size_t counts, cap;
    uint32_t *word; /* one a key column */
};

struct words {
    char **word;
    size_t n, cap;
};

struct reader {
    struct tsv *t;
    const struct curves_want *want;
    size_t x, y, weight, sd, lo, hi, median, spread, stride; /* columns */
    size_t *key;                                             /* key columns */
    size_t keys;
    uint32_t *word;      /* of this row */
    struct words *words; /* of each key column */
    struct point *point;
    size_t points, cap;
    size_t *slot; /* hash of points: number + 1 */
    size_t slots;
    size_t dropped;
    int repeats;
};

static size_t first_of(const struct tsv *t, const char *const *names)
{
    for (; *names != NULL; names++)
        if (tsv_find(t, *names) != TSV_NONE)
            return tsv_find(t, *names);
    return TSV_NONE;
}

static size_t choose(struct tsv *t, const char *name, const char *const *names, char letter)
{
    size_t column = name != NULL ? xtsv_column(t, name) : first_of(t, names);

    if (column == TSV_NONE)
        xtsv_bad_line(t, "no column of a known name for %c: name one with -%c", letter, letter);
    return column;
}

/* A summary's y is not weighted by n again: n becomes part of its error. */
static int is_summary(const struct tsv *t, size_t y)
{
    return strcmp(t->column[y], "mean") == 0 || strcmp(t->column[y], "median") == 0 ||
           strncmp(t->column[y], "q", 1) == 0;
}

static bool is_asked(const struct curves_want *want, const char *name)
{
    for (size_t g = 0; g < want->groups; g++)
        if (strcmp(want->group[g], name) == 0)
            return true;
    return false;
}

/* Walks back are told from those forwards whatever -g names. */
static void add_order(struct reader *r)
{
    size_t order = tsv_find(r->t, "order");

    if (order != TSV_NONE && order != r->x && order != r->y && !is_asked(r->want, "order"))
        r->key[r->keys++] = order;
}

static void find_columns(struct reader *r)
{
    struct tsv *t = r->t;
    int summary;

    r->x = choose(t, r->want->x, x_names, 'x');
    r->y = choose(t, r->want->y, y_names, 'y');
    summary = is_summary(t, r->y);
    r->weight = tsv_find(t, "n");
    r->sd = summary ? tsv_find(t, "sd") : TSV_NONE;
    r->lo = summary ? tsv_find(t, "ci_lo") : TSV_NONE;
    r->hi = summary ? tsv_find(t, "ci_hi") : TSV_NONE;
    r->median = tsv_find(t, "median");
    if (r->median == TSV_NONE)
        r->median = tsv_find(t, "cycles_median");
    r->spread = tsv_find(t, "spread_pct");
    r->stride = strcmp(t->column[r->x], "size") == 0 ? tsv_find(t, "stride") : TSV_NONE;
    r->key = xmalloc((t->ncolumn + r->want->groups + 1) * sizeof *r->key);
    r->keys = 0;
    for (size_t g = 0; g < r->want->groups; g++)
        r->key[r->keys++] = xtsv_column(t, r->want->group[g]);
    if (r->want->group != NULL)
        add_order(r);
    for (size_t k = 0; k < t->ncolumn && r->want->group == NULL; k++) {
        const struct column *c = column_find(t->column[k]);

        if (k != r->x && k != r->y && c != NULL && c->role == ROLE_PARAM)
            r->key[r->keys++] = k;
    }
    r->words = xcalloc(r->keys + 1, sizeof *r->words);
    r->word = xcalloc(r->keys + 1, sizeof *r->word);
}

static uint32_t word_number(struct words *w, const struct field *f)
{
    for (size_t i = w->n; i > 0; i--)
        if (strncmp(w->word[i - 1], f->ptr, f->len) == 0 && w->word[i - 1][f->len] == '\0')
            return (uint32_t)(i - 1);
    w->word = xgrow(w->word, w->n, &w->cap, sizeof *w->word);
    w->word[w->n] = xstrndup(f->ptr, f->len);
    return (uint32_t)w->n++;
}

static uint64_t hash_of(double x, const uint32_t *word, size_t keys)
{
    uint64_t h, bits;

    memcpy(&bits, &x, sizeof bits);
    h = bits * 0x9E3779B97F4A7C15u;
    for (size_t k = 0; k < keys; k++)
        h = ((h ^ (h >> 29)) + word[k]) * 0xBF58476D1CE4E5B9u;
    return h ^ (h >> 32);
}

static void rehash(struct reader *r)
{
    r->slots = r->slots ? r->slots * 2 : 1024;
    free(r->slot);
    r->slot = xcalloc(r->slots, sizeof *r->slot);
    for (size_t i = 0; i < r->points; i++) {
        size_t at = hash_of(r->point[i].x, r->point[i].word, r->keys) % r->slots;

        while (r->slot[at] != 0)
            at = (at + 1) % r->slots;
        r->slot[at] = i + 1;
    }
}

static struct point *point_of(struct reader *r, double x, const uint32_t *word)
{
    size_t at, bytes = r->keys * sizeof *word;
    struct point *p;

    if (2 * (r->points + 1) > r->slots)
        rehash(r);
    at = hash_of(x, word, r->keys) % r->slots;
    for (; r->slot[at] != 0; at = (at + 1) % r->slots) {
        p = &r->point[r->slot[at] - 1];
        if (p->x == x && (bytes == 0 || memcmp(p->word, word, bytes) == 0)) {
            r->repeats = 1;
            return p;
        }
    }
    r->point = xgrow(r->point, r->points, &r->cap, sizeof *r->point);
    p = &r->point[r->points++];
    *p = (struct point){.x = x, .error = NAN, .median = NAN, .word = xmalloc(bytes + 1)};
    if (bytes > 0)
        memcpy(p->word, word, bytes);
    r->slot[at] = r->points;
    return p;
}

static int by_value(const void *a, const void *b)
{
    double u = ((const struct count *)a)->value, v = ((const struct count *)b)->value;

    return (u > v) - (u < v);
}

/* Sorts the values of a point and adds up equal ones. */
static void compact(struct point *p)
{
    size_t k = 0;

    qsort(p->count, p->counts, sizeof *p->count, by_value);
    for (size_t i = 1; i < p->counts; i++)
        if (p->count[i].value == p->count[k].value)
            p->count[k].n += p->count[i].n;
        else
            p->count[++k] = p->count[i];
    p->counts = p->counts > 0 ? k + 1 : 0;
}

static void point_add(struct point *p, double y, double n)
{
    double d = y - p->mean;

    p->n += n;
    p->mean += n / p->n * d;
    p->m2 += n * d * (y - p->mean);
    if (p->counts > 0 && p->count[p->counts - 1].value == y) {
        p->count[p->counts - 1].n += n;
        return;
    }
    if (p->counts == p->cap && p->counts > 16)
        compact(p);
    if (2 * p->counts >= p->cap)
        p->count = xrealloc(p->count, p->cap = p->cap ? 2 * p->cap : 4, sizeof *p->count);
    p->count[p->counts++] = (struct count){y, n};
}

static double number_or_nan(const struct reader *r, size_t column)
{
    return column == TSV_NONE ? NAN : xtsv_double(r->t, column);
}

/* Of n samples of a working set of x bytes as many are independent as there are lines: each has its own place on the
 * chip, and meeting it again tells nothing new of the others. */
static double independent(double n, double x, double stride)
{
    return stride > 0 ? fmin(n, fmax(2, x / stride)) : n;
}

/* The error that a row of a summary states, nan for none. */
static double stated_error(const struct reader *r, double x, double y, double n)
{
    double sd = number_or_nan(r, r->sd), lo = number_or_nan(r, r->lo);
    double hi = number_or_nan(r, r->hi), spread = number_or_nan(r, r->spread);

    if (strcmp(r->t->column[r->y], "median") == 0 && hi >= lo)
        return (hi - lo) / 3.92;
    if (sd >= 0 && n > 1)
        return sd /
               sqrt(independent(n, x, r->stride == TSV_NONE ? 0 : number_or_nan(r, r->stride)));
    return spread >= 0 ? fabs(y) * spread / 400 : NAN;
}

static void add_row(struct reader *r)
{
    double x = xtsv_double(r->t, r->x), y = xtsv_double(r->t, r->y);
    double n = r->weight == TSV_NONE || r->weight == r->x ? 1 : xtsv_double(r->t, r->weight);
    struct point *p;

    if (!isfinite(x))
        xtsv_bad(r->t, r->x, "not a finite number");
    if (x < r->want->from || x > r->want->to)
        return;
    if (!isfinite(y)) {
        r->dropped++;
        return;
    }
    if (!(n > 0))
        xtsv_bad(r->t, r->weight, "a count must be above 0");
    for (size_t k = 0; k < r->keys; k++)
        r->word[k] = word_number(&r->words[k], &r->t->field[r->key[k]]);
    p = point_of(r, x, r->word);
    p->error = stated_error(r, x, y, n);
    p->median = number_or_nan(r, r->median);
    point_add(p, y, is_summary(r->t, r->y) ? 1 : n);
}

/* Whether key column k has another value at every x: then it is no condition but goes with x. */
static int follows_x(const struct reader *r, size_t k)
{
    double *x_of = xmalloc((r->words[k].n + 1) * sizeof *x_of);
    size_t n = r->words[k].n;
    int follows = n > 2;

    for (size_t i = 0; i < n; i++)
        x_of[i] = NAN;
    for (size_t i = 0; i < r->points && follows; i++) {
        double *seen = &x_of[r->point[i].word[k]];

        if (isnan(*seen))
            *seen = r->point[i].x;
        else if (*seen != r->point[i].x)
            follows = 0;
    }
    free(x_of);
    return follows;
}

/* Keeps the key columns that tell curves apart: all of -g, else those that vary. */
static void keep_keys(struct reader *r, struct curves *c)
{
    size_t kept = 0;

    for (size_t k = 0; k < r->keys; k++) {
        bool asked = k < r->want->groups;

        if (!asked && (r->words[k].n < 2 || follows_x(r, k)))
            continue;
        for (size_t i = 0; i < r->points; i++)
            r->point[i].word[kept] = r->point[i].word[k];
        if (kept != k) {
            struct words swap = r->words[kept];

            r->words[kept] = r->words[k];
            r->words[k] = swap;
            r->key[kept] = r->key[k];
        }
        c->group[kept] = xstrdup(r->t->column[r->key[kept]]);
        kept++;
    }
    c->groups = kept;
}

static size_t sort_keys;

static int by_curve(const void *a, const void *b)
{
    const struct point *p = a, *q = b;

    for (size_t k = 0; k < sort_keys; k++)
        if (p->word[k] != q->word[k])
            return p->word[k] < q->word[k] ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

static int same_curve(const struct point *p, const struct point *q)
{
    return sort_keys == 0 || memcmp(p->word, q->word, sort_keys * sizeof *p->word) == 0;
}

/* The second point's samples join the first's. */
static void merge(struct point *p, struct point *q)
{
    for (size_t i = 0; i < q->counts; i++)
        point_add(p, q->count[i].value, q->count[i].n);
    p->error = NAN;
    p->median = NAN;
}

static double median_of(struct point *p)
{
    double sum = 0;

    if (!isnan(p->median) || p->n < 3)
        return p->median;
    compact(p);
    for (size_t i = 0; i < p->counts; i++) {
        sum += p->count[i].n;
        if (2 * sum == p->n && i + 1 < p->counts)
            return (p->count[i].value + p->count[i + 1].value) / 2;
        if (2 * sum >= p->n)
            return p->count[i].value;
    }
    return NAN;
}

static double error_of(const struct point *p, double stride)
{
    if (!isnan(p->error) || !(p->n > 1))
        return p->error;
    return sqrt(p->m2 / (p->n - 1) / independent(p->n, p->x, stride));
}

static void cut_curve(struct reader *r, struct curves *c, size_t first, size_t last)
{
    struct one_curve *o = &c->curve[c->n++];
    size_t room = last - first + 1;

    *o = (struct one_curve){.label = xcalloc(c->groups + 1, sizeof *o->label)};
    for (size_t k = 0; k < c->groups; k++)
        o->label[k] = xstrdup(r->words[k].word[r->point[first].word[k]]);
    o->x = xcalloc(room, sizeof *o->x);
    o->y = xcalloc(room, sizeof *o->y);
    o->error = xcalloc(room, sizeof *o->error);
    o->median = xcalloc(room, sizeof *o->median);
    for (size_t i = first; i <= last;) {
        struct point *p = &r->point[i++];

        for (; i <= last && r->point[i].x == p->x; i++)
            merge(p, &r->point[i]);
        o->x[o->n] = p->x;
        o->y[o->n] = p->mean;
        o->error[o->n] = error_of(p, r->stride == TSV_NONE ? 0 : c->stride);
        o->median[o->n++] = median_of(p);
        o->samples += p->n;
    }
}

static void cut_all(struct reader *r, struct curves *c)
{
    sort_keys = c->groups;
    if (r->points > 0)
        qsort(r->point, r->points, sizeof *r->point, by_curve);
    c->curve = xcalloc(r->points + 1, sizeof *c->curve);
    for (size_t i = 0, j; i < r->points; i = j) {
        for (j = i + 1; j < r->points && same_curve(&r->point[i], &r->point[j]);)
            j++;
        cut_curve(r, c, i, j - 1);
    }
}

static double only_stride(const struct reader *r)
{
    double stride;

    for (size_t k = 0; k < r->keys; k++)
        if (strcmp(r->t->column[r->key[k]], "stride") == 0 && r->words[k].n == 1 &&
            parse_double(r->words[k].word[0], &stride) == 0)
            return stride;
    return 0;
}

static void reader_free(struct reader *r)
{
    for (size_t i = 0; i < r->points; i++) {
        free(r->point[i].count);
        free(r->point[i].word);
    }
    for (size_t k = 0; k < r->keys; k++) {
        for (size_t i = 0; i < r->words[k].n; i++)
            free(r->words[k].word[i]);
        free(r->words[k].word);
    }
    free(r->words);
    free(r->word);
    free(r->key);
    free(r->point);
    free(r->slot);
}

struct curves *xcurves_read(struct tsv *t, const struct curves_want *want)
{
    struct reader r = {.t = t, .want = want};
    struct curves *c = xcalloc(1, sizeof *c);
    enum tsv_event ev;

    while ((ev = xtsv_next(t)) != TSV_END)
        if (ev == TSV_HEADER)
            find_columns(&r);
        else
            add_row(&r);
    c->x_name = xstrdup(t->column[r.x]);
    c->y_name = xstrdup(t->column[r.y]);
    c->group = xcalloc(r.keys + 1, sizeof *c->group);
    c->stride = only_stride(&r);
    keep_keys(&r, c);
    cut_all(&r, c);
    curves_pair(c, is_asked(want, "order"));
    c->dropped = r.dropped;
    c->averaged = r.repeats;
    reader_free(&r);
    return c;
}

static void curve_free(struct one_curve *o, size_t groups)
{
    if (o->back != NULL)
        curve_free(o->back, groups);
    free(o->back);
    for (size_t k = 0; k < groups; k++)
        free(o->label[k]);
    free(o->label);
    free(o->x);
    free(o->y);
    free(o->error);
    free(o->median);
}

void curves_free(struct curves *c)
{
    for (size_t i = 0; i < c->n; i++)
        curve_free(&c->curve[i], c->groups);
    for (size_t k = 0; k < c->groups; k++)
        free(c->group[k]);
    free(c->group);
    free(c->curve);
    free(c->x_name);
    free(c->y_name);
    free(c);
}
