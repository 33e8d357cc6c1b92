/* Collects rows by (target, attempt), by kind of lines, by stride. Verdicts are made again from the cycles and the
 * threshold of each test; the device's own verdict is only compared. */
#include "assoc_rows.h"
#include "columns_of.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct one_test {
    uint32_t test;
    int skip;
    double cycles;
    bool over, check_all, check_one, other;
};

struct attempt_tests {
    struct one_test *t;
    size_t n, cap;
};

struct stride_raw {
    double stride, lines, cycles, n;
};

struct survive_raw {
    size_t curve;
    double n, cycles, rep;
};

enum { TAGS = 64, TAG_STEP = 32, FEW_LINES = 3 };

struct evict_columns {
    size_t target, attempt, sm, lines, line, positions, threshold, phase, test, skip, n, cycles,
        offset, status;
};

static void find_evict(const struct tsv *t, struct evict_columns *c)
{
    struct {
        const char *name;
        size_t *at;
    } const all[] = {{"target", &c->target},
                     {"attempt", &c->attempt},
                     {"sm", &c->sm},
                     {"lines", &c->lines},
                     {"line", &c->line},
                     {"positions", &c->positions},
                     {"threshold", &c->threshold},
                     {"phase", &c->phase},
                     {"test", &c->test},
                     {"skip", &c->skip},
                     {"n", &c->n},
                     {"cycles", &c->cycles},
                     {"offset", &c->offset},
                     {"status", &c->status}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i].at = xtsv_column(t, all[i].name);
}

static char *word(const struct tsv *t, size_t column)
{
    return xstrndup(t->field[column].ptr, t->field[column].len);
}

static struct attempt *attempt_of(struct assoc_rows *r, const struct tsv *t,
                                  const struct evict_columns *c)
{
    uint64_t target = xtsv_u64(t, c->target), attempt = xtsv_u64(t, c->attempt);
    int64_t sm = xtsv_i64(t, c->sm);
    struct attempt *a;

    for (size_t i = r->na; i-- > 0;) {
        a = &r->a[i];
        if (a->target == target && a->attempt == attempt && a->sm == sm &&
            tsv_is(t, c->lines, a->kind))
            return a;
    }
    r->a = xgrow(r->a, r->na, &r->a_cap, sizeof *r->a);
    a = &r->a[r->na++];
    *a =
        (struct attempt){.target = target, .attempt = attempt, .sm = sm, .kind = word(t, c->lines)};
    a->positions = xtsv_double(t, c->positions);
    a->threshold = xtsv_double(t, c->threshold);
    a->line = xtsv_double(t, c->line);
    a->status = word(t, c->status);
    a->tests = xcalloc(1, sizeof *a->tests);
    return a;
}

static void add_test(struct attempt *a, const struct tsv *t, const struct evict_columns *c)
{
    struct attempt_tests *ts = a->tests;

    ts->t = xgrow(ts->t, ts->n, &ts->cap, sizeof *ts->t);
    ts->t[ts->n] = (struct one_test){.test = (uint32_t)xtsv_u64(t, c->test),
                                     .skip = (int)xtsv_i64(t, c->skip),
                                     .cycles = xtsv_double(t, c->cycles),
                                     .over = xtsv_double(t, c->cycles) > a->threshold,
                                     .check_all = tsv_is(t, c->phase, "check_all"),
                                     .check_one = tsv_is(t, c->phase, "check_one")};
    ts->t[ts->n].other =
        !ts->t[ts->n].check_all && !ts->t[ts->n].check_one && !tsv_is(t, c->phase, "extra");
    ts->n++;
}

static void add_line(struct attempt *a, const struct tsv *t, const struct evict_columns *c,
                     bool more)
{
    a->set = xgrow(a->set, a->nline, &a->cap, sizeof *a->set);
    a->set[a->nline++] = (struct set_line){(uint32_t)xtsv_u64(t, c->test), xtsv_u64(t, c->n),
                                           xtsv_u64(t, c->offset), more};
    a->nset += !more;
}

static void add_tag(struct attempt *a, const struct tsv *t, const struct evict_columns *c)
{
    int64_t by = xtsv_i64(t, c->skip) / TAG_STEP + TAGS / 2;

    if (by < 0 || by >= TAGS)
        return;
    a->tag_n[by]++;
    a->tag_over[by] += xtsv_double(t, c->cycles) > a->threshold;
}

static void add_evict(struct assoc_rows *r, const struct tsv *t, const struct evict_columns *c)
{
    struct attempt *a = attempt_of(r, t, c);

    if (tsv_is(t, c->phase, "set") || tsv_is(t, c->phase, "more")) {
        add_line(a, t, c, tsv_is(t, c->phase, "more"));
    } else if (tsv_is(t, c->phase, "tag")) {
        add_tag(a, t, c);
    } else {
        a->offset = xtsv_u64(t, c->offset);
        if (tsv_is(t, c->phase, "end")) {
            a->first = xtsv_double(t, c->test);
            a->cycles = xtsv_double(t, c->cycles);
        } else {
            add_test(a, t, c);
        }
    }
}

static void add_survive(struct assoc_rows *r, const struct tsv *t, const size_t *col)
{
    size_t k = 0, loader = tsv_find(t, "loader"), between = tsv_find(t, "between");

    if (between != TSV_NONE && !tsv_is(t, between, "same"))
        return; /* lines of two kinds: another question than ways and sets */

    while (k < r->nc && !(tsv_is(t, col[0], r->c[k].kind) && tsv_is(t, col[1], r->c[k].order) &&
                          (loader == TSV_NONE || tsv_is(t, loader, r->c[k].loader))))
        k++;
    if (k == r->nc) {
        r->c = xgrow(r->c, r->nc, &r->c_cap, sizeof *r->c);
        r->c[r->nc++] = (struct survival_curve){.kind = word(t, col[0]),
                                                .order = word(t, col[1]),
                                                .loader = loader == TSV_NONE ? xstrdup("block")
                                                                             : word(t, loader),
                                                .positions = xtsv_double(t, col[2]),
                                                .line = xtsv_double(t, col[3])};
    }
    r->sraw = xgrow(r->sraw, r->nsraw, &r->sraw_cap, sizeof *r->sraw);
    r->sraw[r->nsraw++] = (struct survive_raw){k, xtsv_double(t, col[4]), xtsv_double(t, col[5]),
                                               xtsv_double(t, col[6])};
}

static void add_stride(struct assoc_rows *r, const struct tsv *t, const size_t *col)
{
    r->raw = xgrow(r->raw, r->nraw, &r->raw_cap, sizeof *r->raw);
    r->raw[r->nraw++] = (struct stride_raw){xtsv_double(t, col[0]), xtsv_double(t, col[1]),
                                            xtsv_double(t, col[2]), xtsv_double(t, col[3])};
}

static int by_test(const void *x, const void *y)
{
    const struct one_test *a = x, *b = y;

    return (a->test > b->test) - (a->test < b->test);
}

/* The median of the probes that missed, or of those that hit; nan when there are none. */
static double median_probe(const struct attempt_tests *ts, bool over)
{
    double *cycles = xmalloc((ts->n + 1) * sizeof *cycles), median;
    size_t n = 0;

    for (size_t i = 0; i < ts->n; i++)
        if (ts->t[i].over == over)
            cycles[n++] = ts->t[i].cycles;
    median = n > 0 ? split_median(cycles, n) : NAN;
    free(cycles);
    return median;
}

/* Only the checks after the last other test count: a set that was repaired is checked again. */
static void verify(struct attempt *a)
{
    struct attempt_tests *ts = a->tests;
    uint64_t over[256] = {0}, n[256] = {0};
    size_t from = 0;

    if (ts->n > 0)
        qsort(ts->t, ts->n, sizeof *ts->t, by_test);
    for (size_t i = 0; i < ts->n; i++)
        from = ts->t[i].other ? i + 1 : from;
    for (size_t i = from; i < ts->n; i++) {
        const struct one_test *t = &ts->t[i];

        a->all_n += t->check_all;
        a->all_over += t->check_all && t->over;
        if (t->check_one && t->skip >= 0 && t->skip < 256) {
            n[t->skip]++;
            over[t->skip] += t->over;
        }
    }
    a->verified = a->nset > 0 && a->all_n >= 10 && a->all_over * 20 >= a->all_n * 19;
    for (size_t k = 0; k < a->nset; k++) {
        if (n[k] < 5 || over[k] * 20 > n[k])
            a->verified = false;
        if (a->worst_n == 0 || over[k] * a->worst_n > a->worst_over * n[k]) {
            a->worst_over = over[k];
            a->worst_n = n[k];
        }
    }
    a->hit = median_probe(ts, false);
    a->miss = median_probe(ts, true);
    free(ts->t);
    free(ts);
    a->tests = NULL;
}

/* The cut between hits and misses of one experiment's readings. */
static double cut_of(double *cycles, size_t n)
{
    struct split sp;

    qsort(cycles, n, sizeof *cycles, split_order);
    split_variance(cycles, n, &sp);
    return sp.at;
}

static int by_n(const void *x, const void *y)
{
    double a = ((const struct survival *)x)->n, b = ((const struct survival *)y)->n;

    return (a > b) - (a < b);
}

/* Targets of a trial: rows of the first count and repeat. */
static double targets_of(const struct assoc_rows *r, size_t k)
{
    const struct survive_raw *first = NULL;
    double n = 0;

    for (size_t i = 0; i < r->nsraw; i++) {
        const struct survive_raw *x = &r->sraw[i];

        if (x->curve != k)
            continue;
        first = first == NULL ? x : first;
        n += x->n == first->n && x->rep == first->rep;
    }
    return n;
}

/* The other targets of a trial lie between, too: half of them were loaded after a target, and those of the other half
 * that are gone come in again before it is probed. */
static void count_targets(struct survival_curve *c, double targets)
{
    for (size_t i = 0; i < c->n; i++)
        c->s[i].n += (targets - 1) / 2 * (2 - c->s[i].hits / c->s[i].trials);
}

static void finish_curve(struct assoc_rows *r, size_t k)
{
    struct survival_curve *c = &r->c[k];
    double *cycles = xcalloc(r->nsraw + 1, sizeof *cycles), cut;
    size_t n = 0;

    for (size_t i = 0; i < r->nsraw; i++)
        if (r->sraw[i].curve == k)
            cycles[n++] = r->sraw[i].cycles;
    cut = n > 1 ? cut_of(cycles, n) : 0;
    for (size_t i = 0; i < r->nsraw; i++) {
        size_t at = 0;

        if (r->sraw[i].curve != k)
            continue;
        while (at < c->n && c->s[at].n != r->sraw[i].n)
            at++;
        if (at == c->n) {
            c->s = xgrow(c->s, c->n, &c->cap, sizeof *c->s);
            c->s[c->n++] = (struct survival){.n = r->sraw[i].n};
        }
        c->s[at].trials++;
        c->s[at].hits += r->sraw[i].cycles <= cut;
    }
    qsort(c->s, c->n, sizeof *c->s, by_n);
    count_targets(c, targets_of(r, k));
    free(cycles);
}

static int by_stride(const void *x, const void *y)
{
    const struct stride_raw *a = x, *b = y;

    if (a->stride != b->stride)
        return a->stride < b->stride ? -1 : 1;
    return (a->lines > b->lines) - (a->lines < b->lines);
}

/* Slower than any hit: a fifth over the 99 % quantile of the accesses to few lines, which all hit. Where nothing ever
 * misses there is no second mode to look for. */
static double hit_limit(const struct stride_raw *raw, size_t n)
{
    double below = 0, all = 0, limit = 0;

    for (size_t i = 0; i < n; i++)
        all += raw[i].lines <= FEW_LINES ? raw[i].n : 0;
    while (below < 0.99 * all) {
        double next = INFINITY;

        for (size_t i = 0; i < n; i++)
            if (raw[i].lines <= FEW_LINES && raw[i].cycles > limit)
                next = fmin(next, raw[i].cycles);
        for (size_t i = 0; i < n; i++)
            below += raw[i].lines <= FEW_LINES && raw[i].cycles == next ? raw[i].n : 0;
        limit = next;
    }
    return limit * 1.2;
}

static void finish_strides(struct assoc_rows *r)
{
    double all = 0;

    if (r->nraw > 0)
        qsort(r->raw, r->nraw, sizeof *r->raw, by_stride);
    r->stride_cut = hit_limit(r->raw, r->nraw);
    for (size_t i = 0; i < r->nraw; i++) {
        const struct stride_raw *x = &r->raw[i];

        if (i == 0 || by_stride(x, x - 1) != 0) {
            r->p = xgrow(r->p, r->np, &r->p_cap, sizeof *r->p);
            r->p[r->np++] = (struct stride_point){x->stride, x->lines, 0};
            all = 0;
        }
        r->p[r->np - 1].miss =
            (r->p[r->np - 1].miss * all + (x->cycles > r->stride_cut ? x->n : 0)) / (all + x->n);
        all += x->n;
    }
}

void xassoc_read(struct tsv *t, struct assoc_rows *r)
{
    static const char *const survive[] = {"lines", "order",  "positions", "line",
                                          "n",     "cycles", "rep"};
    static const char *const stride[] = {"stride", "lines", "cycles", "n"};
    struct evict_columns evict = {0};
    size_t col[7] = {0}, exp = 0;
    enum tsv_event ev;

    t->many_tables = true;
    while ((ev = xtsv_next(t)) != TSV_END) {
        bool is_evict = tsv_find(t, "phase") != TSV_NONE,
             is_survive = tsv_find(t, "order") != TSV_NONE;

        if (ev == TSV_HEADER) {
            xone_device(t);
            exp = xtsv_column(t, "exp");
            if (is_evict)
                find_evict(t, &evict);
            for (size_t i = 0; i < 7 && !is_evict && is_survive; i++)
                col[i] = xtsv_column(t, survive[i]);
            for (size_t i = 0; i < 4 && !is_evict && !is_survive; i++)
                col[i] = xtsv_column(t, stride[i]);
        } else if (tsv_is(t, exp, "evict")) {
            add_evict(r, t, &evict);
        } else if (tsv_is(t, exp, "survive")) {
            add_survive(r, t, col);
        } else if (tsv_is(t, exp, "stride")) {
            add_stride(r, t, col);
        } else {
            xtsv_bad(t, exp, "not a row of evict, survive or stride");
        }
    }
    xone_device(t);
    for (size_t i = 0; i < r->na; i++)
        verify(&r->a[i]);
    for (size_t k = 0; k < r->nc; k++)
        finish_curve(r, k);
    finish_strides(r);
}

void assoc_rows_free(struct assoc_rows *r)
{
    for (size_t i = 0; i < r->na; i++) {
        free(r->a[i].kind);
        free(r->a[i].status);
        free(r->a[i].set);
    }
    for (size_t i = 0; i < r->nc; i++) {
        free(r->c[i].kind);
        free(r->c[i].order);
        free(r->c[i].loader);
        free(r->c[i].s);
    }
    free(r->a);
    free(r->c);
    free(r->p);
    free(r->raw);
    free(r->sraw);
}
