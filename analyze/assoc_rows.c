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

/* Tests of the prefix of n lines, and how many of them evicted. */
struct tip_votes {
    double n;
    unsigned over, all;
};

/* Where the arrays ended before a table, and a sum over its rows. */
struct table_mark {
    size_t na, ntip, nsraw, nraw;
    uint64_t rows, sum;
};

enum { TAGS = 64, TAG_STEP = 32 };

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
                                  const struct evict_columns *c, size_t run)
{
    uint64_t target = xtsv_u64(t, c->target), attempt = xtsv_u64(t, c->attempt);
    int64_t sm = xtsv_i64(t, c->sm);
    struct attempt *a;

    for (size_t i = r->na; i-- > 0 && r->a[i].run == run;) {
        a = &r->a[i];
        if (a->target == target && a->attempt == attempt && a->sm == sm &&
            tsv_is(t, c->lines, a->kind))
            return a;
    }
    r->a = xgrow(r->a, r->na, &r->a_cap, sizeof *r->a);
    a = &r->a[r->na++];
    *a = (struct attempt){
        .target = target, .attempt = attempt, .run = run, .sm = sm, .kind = word(t, c->lines)};
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

static struct tip_alone *tip_alone_of(struct assoc_rows *r, const struct tsv *t,
                                      const struct evict_columns *c, size_t run)
{
    uint64_t target = xtsv_u64(t, c->target);
    int64_t sm = xtsv_i64(t, c->sm);
    struct tip_alone *p = r->ntip > 0 ? &r->tip[r->ntip - 1] : NULL;

    if (p != NULL && p->run == run && p->target == target && p->sm == sm &&
        tsv_is(t, c->lines, p->kind))
        return p;
    r->tip = xgrow(r->tip, r->ntip, &r->tip_cap, sizeof *r->tip);
    p = &r->tip[r->ntip++];
    *p = (struct tip_alone){.target = target,
                            .run = run,
                            .sm = sm,
                            .kind = word(t, c->lines),
                            .positions = xtsv_double(t, c->positions)};
    return p;
}

static void add_tip_alone(struct assoc_rows *r, const struct tsv *t, const struct evict_columns *c,
                          size_t run)
{
    struct tip_alone *p = tip_alone_of(r, t, c, run);
    double n = xtsv_double(t, c->n);
    size_t k = 0;

    while (k < p->nvote && p->vote[k].n != n)
        k++;
    if (k == p->nvote) {
        p->vote = xgrow(p->vote, p->nvote, &p->cap, sizeof *p->vote);
        p->vote[p->nvote++] = (struct tip_votes){.n = n};
    }
    p->vote[k].all++;
    p->vote[k].over += xtsv_double(t, c->cycles) > xtsv_double(t, c->threshold);
}

/* Between the longest prefix that kept the target and the shortest that evicted it, by the majority of the tests. */
static void finish_tip(struct tip_alone *p)
{
    double lo = -1, hi = INFINITY;

    for (size_t k = 0; k < p->nvote; k++) {
        const struct tip_votes *v = &p->vote[k];

        if (v->over * 2 > v->all)
            hi = fmin(hi, v->n);
        else
            lo = fmax(lo, v->n);
    }
    p->tip = lo >= 0 && lo < hi && isfinite(hi) ? (lo + 1 + hi) / 2 : NAN;
}

static void add_evict(struct assoc_rows *r, const struct tsv *t, const struct evict_columns *c,
                      size_t run)
{
    struct attempt *a;

    if (tsv_is(t, c->phase, "first")) {
        add_tip_alone(r, t, c, run);
        return;
    }
    a = attempt_of(r, t, c, run);
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

static void free_attempt(struct attempt *a)
{
    free(a->kind);
    free(a->status);
    free(a->set);
    if (a->tests != NULL)
        free(a->tests->t);
    free(a->tests);
}

static void free_tip(struct tip_alone *p)
{
    free(p->kind);
    free(p->vote);
}

static struct table_mark mark_of(const struct assoc_rows *r)
{
    return (struct table_mark){.na = r->na, .ntip = r->ntip, .nsraw = r->nsraw, .nraw = r->nraw};
}

/* FNV-1a over the fields of a row. */
static void sum_row(struct table_mark *m, const struct tsv *t)
{
    uint64_t sum = m->rows > 0 ? m->sum : 14695981039346656037u;

    for (size_t i = 0; i < t->ncolumn; i++) {
        for (size_t k = 0; k < t->field[i].len; k++)
            sum = (sum ^ (unsigned char)t->field[i].ptr[k]) * 1099511628211u;
        sum = (sum ^ '\t') * 1099511628211u;
    }
    m->sum = sum;
    m->rows++;
}

/* Takes the last table's rows out again when an earlier table has the same. */
static void drop_twice(struct assoc_rows *r, const struct table_mark *mark, size_t tables)
{
    const struct table_mark *last;
    size_t k = 0;

    if (tables < 2)
        return;
    last = &mark[tables - 1];
    while (k + 1 < tables && !(mark[k].rows == last->rows && mark[k].sum == last->sum))
        k++;
    if (k + 1 == tables)
        return;
    cli_warn("the same run twice (its %llu rows are those of table %zu): it is counted once",
             (unsigned long long)last->rows, k + 1);
    while (r->na > last->na)
        free_attempt(&r->a[--r->na]);
    while (r->ntip > last->ntip)
        free_tip(&r->tip[--r->ntip]);
    r->nsraw = last->nsraw;
    r->nraw = last->nraw;
}

static void finish_rows(struct assoc_rows *r)
{
    for (size_t i = 0; i < r->na; i++)
        verify(&r->a[i]);
    for (size_t i = 0; i < r->ntip; i++)
        finish_tip(&r->tip[i]);
    for (size_t k = 0; k < r->nc; k++)
        assoc_finish_curve(r, k);
    assoc_finish_strides(r);
}

/* Where the columns are, and the tables so far. */
struct reading {
    struct evict_columns evict;
    size_t exp, survive[7], stride[4];
    struct table_mark *mark;
    size_t tables, cap, at; /* at: the reader's number of the last table with rows */
};

static void find_columns(struct reading *in, const struct tsv *t)
{
    static const char *const survive[] = {"lines", "order",  "positions", "line",
                                          "n",     "cycles", "rep"};
    static const char *const stride[] = {"stride", "lines", "cycles", "n"};
    bool is_evict = tsv_find(t, "phase") != TSV_NONE,
         is_survive = !is_evict && tsv_find(t, "order") != TSV_NONE;

    in->exp = xtsv_column(t, "exp");
    if (is_evict)
        find_evict(t, &in->evict);
    for (size_t i = 0; i < 7 && is_survive; i++)
        in->survive[i] = xtsv_column(t, survive[i]);
    for (size_t i = 0; i < 4 && !is_evict && !is_survive; i++)
        in->stride[i] = xtsv_column(t, stride[i]);
}

static void add_row(struct assoc_rows *r, const struct tsv *t, struct reading *in)
{
    if (in->tables == 0 || in->at != t->table) {
        drop_twice(r, in->mark, in->tables);
        in->mark = xgrow(in->mark, in->tables, &in->cap, sizeof *in->mark);
        in->mark[in->tables++] = mark_of(r);
        in->at = t->table;
    }
    sum_row(&in->mark[in->tables - 1], t);
    if (tsv_is(t, in->exp, "evict"))
        add_evict(r, t, &in->evict, in->tables);
    else if (tsv_is(t, in->exp, "survive"))
        add_survive(r, t, in->survive);
    else if (tsv_is(t, in->exp, "stride"))
        add_stride(r, t, in->stride);
    else
        xtsv_bad(t, in->exp, "not a row of evict, survive or stride");
}

void xassoc_read(struct tsv *t, struct assoc_rows *r)
{
    struct reading in = {0};

    t->many_tables = true;
    for (enum tsv_event ev; (ev = xtsv_next(t)) != TSV_END;) {
        if (ev == TSV_ROW) {
            add_row(r, t, &in);
        } else {
            xone_device(t);
            find_columns(&in, t);
        }
    }
    xone_device(t);
    drop_twice(r, in.mark, in.tables);
    free(in.mark);
    finish_rows(r);
}

void assoc_rows_free(struct assoc_rows *r)
{
    for (size_t i = 0; i < r->na; i++)
        free_attempt(&r->a[i]);
    for (size_t i = 0; i < r->ntip; i++)
        free_tip(&r->tip[i]);
    for (size_t i = 0; i < r->nc; i++) {
        free(r->c[i].kind);
        free(r->c[i].order);
        free(r->c[i].loader);
        free(r->c[i].s);
    }
    free(r->a);
    free(r->tip);
    free(r->c);
    free(r->p);
    free(r->raw);
    free(r->sraw);
}
