/* Collects rows of bandwidth by shape, of tlb by stride and pages, of persist by set-aside and window. */
#include "band_rows.h"

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "columns_of.h"
#include "findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 12, MOST_REPEATS = 65536 };
enum shape_column { S_OP, S_SIZE, S_BLOCKS, S_THREADS, S_WIDTH, S_UNROLL, S_TAKE, S_SET, S_GBPS };

static char *word_or(const struct tsv *t, const char *name, const char *missing)
{
    size_t c = tsv_find(t, name);

    return c == TSV_NONE ? xstrdup(missing) : xword_of(t, c);
}

static int same_shape(const struct band_shape *a, const struct band_shape *b)
{
    return a->size == b->size && a->blocks == b->blocks && a->threads == b->threads &&
           a->width == b->width && a->unroll == b->unroll && a->same == b->same &&
           a->take == b->take && strcmp(a->op, b->op) == 0 && strcmp(a->kind, b->kind) == 0 &&
           strcmp(a->set, b->set) == 0;
}

static void free_shape(struct band_shape *s)
{
    free(s->op);
    free(s->kind);
    free(s->set);
    values_free(&s->gbps);
    values_free(&s->bpc);
}

/* Archives of the first format have no columns kind and same. */
static void add_shape(struct band_rows *r, const struct tsv *t, const size_t *c)
{
    size_t same = tsv_find(t, "same"), bpc = tsv_find(t, "bpc"), i = r->nshape;
    double gbps = xtsv_double(t, c[S_GBPS]);
    struct band_shape s = {.op = xword_of(t, c[S_OP]),
                           .kind = word_or(t, "kind", "-"),
                           .set = xword_of(t, c[S_SET]),
                           .size = xtsv_double(t, c[S_SIZE]),
                           .blocks = xtsv_double(t, c[S_BLOCKS]),
                           .threads = xtsv_double(t, c[S_THREADS]),
                           .width = xtsv_double(t, c[S_WIDTH]),
                           .unroll = xtsv_double(t, c[S_UNROLL]),
                           .take = xtsv_double(t, c[S_TAKE]),
                           .same = same == TSV_NONE ? 1 : xtsv_double(t, same)};

    if (!(gbps > 0))
        xtsv_bad(t, c[S_GBPS], "not above 0");
    while (i > 0 && !same_shape(&r->shape[i - 1], &s))
        i--;
    if (i > 0) {
        free_shape(&s);
    } else {
        r->shape = xgrow(r->shape, r->nshape, &r->shape_cap, sizeof *r->shape);
        r->shape[r->nshape++] = s;
        i = r->nshape;
    }
    values_add(&r->shape[i - 1].gbps, gbps);
    if (bpc != TSV_NONE)
        values_add(&r->shape[i - 1].bpc, xtsv_double(t, bpc));
}

/* Rows of one point follow each other in the table. */
static void add_page(struct band_rows *r, const struct tsv *t, const size_t *c)
{
    double stride = xtsv_double(t, c[0]), size = xtsv_double(t, c[1]),
           cycles = xtsv_double(t, c[2]), n = (double)xtsv_u64(t, c[3]);
    size_t i = r->npage;
    struct band_page *p;

    if (!(cycles > 0) || !(size > 0))
        xtsv_bad(t, c[2], "size and cycles must be above 0");
    while (i > 0 && !(r->page[i - 1].stride == stride && r->page[i - 1].size == size))
        i--;
    if (i == 0) {
        r->page = xgrow(r->page, r->npage, &r->page_cap, sizeof *r->page);
        r->page[r->npage++] = (struct band_page){stride, size, 0, 0};
        i = r->npage;
    }
    p = &r->page[i - 1];
    p->n += n;
    if (n > 0)
        p->cycles += n / p->n * (cycles - p->cycles);
}

static void add_window(struct band_rows *r, const struct tsv *t, const size_t *c)
{
    static const char *const names[BAND_CASES] = {"kept", "loaded", "plain"};
    double persist = xtsv_double(t, c[0]), size = xtsv_double(t, c[1]),
           cycles = xtsv_double(t, c[3]);
    uint64_t n = xtsv_u64(t, c[4]);
    size_t i = r->nwindow;
    int what = 0;

    while (what < BAND_CASES && !tsv_is(t, c[2], names[what]))
        what++;
    if (what == BAND_CASES)
        xtsv_bad(t, c[2], "no case of persist");
    if (n > MOST_REPEATS)
        xtsv_bad(t, c[4], "too many");
    while (i > 0 && !(r->window[i - 1].persist == persist && r->window[i - 1].size == size))
        i--;
    if (i == 0) {
        r->window = xgrow(r->window, r->nwindow, &r->window_cap, sizeof *r->window);
        r->window[r->nwindow++] = (struct band_window){.persist = persist, .size = size};
        i = r->nwindow;
    }
    for (uint64_t k = 0; k < n; k++)
        values_add(&r->window[i - 1].cycles[what], cycles);
}

/* The experiments, in the order of what tells their headers apart. */
static const struct kind {
    const char *exp, *tells; /* a column that only its table has */
    const char *columns[MOST_COLUMNS];
    size_t ncolumn;
    void (*add)(struct band_rows *r, const struct tsv *t, const size_t *column);
} kinds[] = {
    {"bandwidth",
     "gbps",
     {"op", "size", "blocks", "threads", "width", "unroll", "take", "set", "gbps"},
     9,
     add_shape},
    {"tlb", "pages", {"stride", "size", "cycles", "n"}, 4, add_page},
    {"persist", "ratio", {"persist", "size", "case", "cycles", "n"}, 5, add_window},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void add_finding(struct band_rows *r, struct findings *fs, const struct tsv *t)
{
    const struct finding *f;

    xfindings_add(fs, t);
    f = &fs->f[fs->n - 1];
    if (strcmp(f->param, "slices") == 0 && f->value > 0)
        r->slices = f->value;
}

static int by_place(const void *pa, const void *pb)
{
    const struct band_page *a = pa, *b = pb;

    if (a->stride != b->stride)
        return a->stride < b->stride ? -1 : 1;
    return (a->size > b->size) - (a->size < b->size);
}

static void finish(struct band_rows *r, const struct tsv *t)
{
    for (size_t i = 0; i < r->nshape; i++) {
        values_sort(&r->shape[i].gbps);
        values_sort(&r->shape[i].bpc);
    }
    for (size_t i = 0; i < r->nwindow; i++)
        for (int c = 0; c < BAND_CASES; c++)
            values_sort(&r->window[i].cycles[c]);
    if (r->npage > 1)
        qsort(r->page, r->npage, sizeof *r->page, by_place);
    r->l2_bytes = fmax(0, prov_number(&t->prov, "l2_bytes"));
    r->mhz = fmax(0, prov_number(&t->prov, "clock_measured_after"));
    r->sms = fmax(0, prov_number(&t->prov, "sms"));
}

void xband_read(struct tsv *t, struct band_rows *r)
{
    size_t column[MOST_COLUMNS] = {0}, exp = 0;
    const struct kind *k = NULL;
    struct findings fs = {0};
    enum tsv_event ev;

    t->many_tables = true;
    while ((ev = xtsv_next(t)) != TSV_END) {
        if (ev == TSV_HEADER && findings_is(t)) {
            k = NULL;
        } else if (ev == TSV_HEADER) {
            exp = xtsv_column(t, "exp");
            for (k = kinds; k < kinds + KINDS && tsv_find(t, k->tells) == TSV_NONE;)
                k++;
            if (k < kinds + KINDS)
                xcolumns_of(t, k->columns, k->ncolumn, column);
        } else if (k == NULL) {
            add_finding(r, &fs, t);
        } else if (k < kinds + KINDS && tsv_is(t, exp, k->exp)) {
            k->add(r, t, column);
        } else {
            xtsv_bad(t, exp, "not a row of bandwidth, tlb or persist");
        }
    }
    xone_device(t);
    findings_free(&fs);
    finish(r, t);
}

void band_rows_free(struct band_rows *r)
{
    for (size_t i = 0; i < r->nshape; i++)
        free_shape(&r->shape[i]);
    for (size_t i = 0; i < r->nwindow; i++)
        for (int c = 0; c < BAND_CASES; c++)
            values_free(&r->window[i].cycles[c]);
    free(r->shape);
    free(r->page);
    free(r->window);
    *r = (struct band_rows){0};
}
