/* Keeps the rows as they come, then numbers the offsets and takes medians. */
#include "slicedata.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"
#include "../share/lib/split.h"

enum row_kind { ROW_MATRIX, ROW_PAIR, ROW_THREAD, KINDS };

struct row {
    uint64_t a, b; /* of matrix: offset and SM */
    float cycles;
    uint8_t op;
};

struct raw {
    struct row *row[KINDS];
    size_t n[KINDS], cap[KINDS];
    size_t op, sm, offset, a, b, cycles, test; /* columns of the table being read */
};

const char *slice_op_name(enum slice_op op)
{
    return op == OP_ATOM ? "atomics" : "loads";
}

void xslice_data_header(struct slice_data *d, const struct tsv *t)
{
    struct raw *r;

    if (d->raw == NULL)
        d->raw = xcalloc(1, sizeof *d->raw);
    r = d->raw;
    r->a = tsv_find(t, "a");
    r->test = tsv_find(t, "test");
    r->op = tsv_find(t, "op");
    r->cycles = xtsv_column(t, "cycles");
    if (r->a != TSV_NONE) {
        r->b = xtsv_column(t, "b");
    } else {
        r->sm = xtsv_column(t, "sm");
        r->offset = xtsv_column(t, "offset");
    }
}

void xslice_data_add(struct slice_data *d, const struct tsv *t)
{
    struct raw *r = d->raw;
    struct row row = {.cycles = (float)xtsv_double(t, r->cycles)};
    enum row_kind kind = r->a == TSV_NONE ? ROW_MATRIX : ROW_PAIR;

    if (!(row.cycles > 0))
        return; /* a reading that could not be timed */
    row.op = r->op != TSV_NONE && tsv_is(t, r->op, "atom") ? OP_ATOM : OP_LOAD;
    if (kind == ROW_MATRIX) {
        row.a = xtsv_u64(t, r->offset);
        row.b = xtsv_u64(t, r->sm);
    } else {
        uint64_t x = xtsv_u64(t, r->a), y = xtsv_u64(t, r->b);

        row.a = x < y ? x : y;
        row.b = x < y ? y : x;
        if (r->test != TSV_NONE && tsv_is(t, r->test, "thread"))
            kind = ROW_THREAD;
    }
    r->row[kind] = xgrow(r->row[kind], r->n[kind], &r->cap[kind], sizeof row);
    r->row[kind][r->n[kind]++] = row;
}

static int by_place(const void *x, const void *y)
{
    const struct row *a = x, *b = y;

    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return (a->cycles > b->cycles) - (a->cycles < b->cycles);
}

/* Sorts the rows and replaces those that differ only in cycles by their median. */
static size_t medians(struct row *row, size_t n)
{
    size_t to = 0;

    if (n > 0)
        qsort(row, n, sizeof *row, by_place);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1;
             j < n && row[j].op == row[i].op && row[j].a == row[i].a && row[j].b == row[i].b;)
            j++;
        row[to] = row[i];
        row[to++].cycles = (row[(i + j - 1) / 2].cycles + row[(i + j) / 2].cycles) / 2;
    }
    return to;
}

static int by_value(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

    return (a > b) - (a < b);
}

static size_t unique(uint64_t *v, size_t n)
{
    size_t to = 0;

    if (n > 0)
        qsort(v, n, sizeof *v, by_value);
    for (size_t i = 0; i < n; i++)
        if (to == 0 || v[i] != v[to - 1])
            v[to++] = v[i];
    return to;
}

static void number_lines(struct slice_data *d, const struct raw *r)
{
    size_t n = 0;

    d->offset = xmalloc((r->n[ROW_MATRIX] + 2 * (r->n[ROW_PAIR] + r->n[ROW_THREAD]) + 1) *
                        sizeof *d->offset);
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < r->n[kind]; i++) {
            d->offset[n++] = r->row[kind][i].a;
            if (kind != ROW_MATRIX)
                d->offset[n++] = r->row[kind][i].b;
        }
    d->lines = unique(d->offset, n);
}

size_t slice_data_find(const struct slice_data *d, uint64_t offset)
{
    const uint64_t *at =
        d->lines == 0 ? NULL : bsearch(&offset, d->offset, d->lines, sizeof offset, by_value);

    return at == NULL ? (size_t)-1 : (size_t)(at - d->offset);
}

/* Rows of one operator, sorted by line and SM, into a full table. */
static void fill_matrix(struct slice_data *d, struct slice_matrix *m, const struct row *row,
                        size_t n)
{
    uint64_t *sm = xmalloc((n + 1) * sizeof *sm);

    for (size_t i = 0; i < n; i++)
        sm[i] = row[i].b;
    m->sms = unique(sm, n);
    m->sm = xmalloc((m->sms + 1) * sizeof *m->sm);
    for (size_t k = 0; k < m->sms; k++)
        m->sm[k] = (uint32_t)sm[k];
    free(sm);
    m->line = xmalloc((n + 1) * sizeof *m->line);
    m->cycles = xmalloc((n + 1) * sizeof *m->cycles);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && row[j].a == row[i].a;)
            j++;
        if (j - i < m->sms) {
            m->dropped++;
            continue;
        }
        for (size_t k = 0; k < m->sms; k++)
            m->cycles[m->lines * m->sms + k] = row[i + k].cycles;
        m->line[m->lines++] = (uint32_t)slice_data_find(d, row[i].a);
    }
}

static void fill_pairs(struct slice_data *d, struct slice_pairs *p, const struct row *row, size_t n)
{
    p->pair = xmalloc((n + 1) * sizeof *p->pair);
    for (size_t i = 0; i < n; i++)
        p->pair[p->n++] =
            (struct contend_pair){(uint32_t)slice_data_find(d, row[i].a),
                                  (uint32_t)slice_data_find(d, row[i].b), row[i].cycles};
}

void slice_data_finish(struct slice_data *d)
{
    struct raw *r = d->raw;

    if (r == NULL)
        r = d->raw = xcalloc(1, sizeof *r);
    for (int kind = 0; kind < KINDS; kind++)
        r->n[kind] = medians(r->row[kind], r->n[kind]);
    number_lines(d, r);
    for (int op = 0; op < OPS; op++)
        for (int kind = 0; kind < ROW_THREAD; kind++) {
            size_t from = 0, to;

            while (from < r->n[kind] && r->row[kind][from].op < op)
                from++;
            for (to = from; to < r->n[kind] && r->row[kind][to].op == op;)
                to++;
            if (kind == ROW_MATRIX)
                fill_matrix(d, &d->matrix[op], r->row[kind] + from, to - from);
            else
                fill_pairs(d, &d->pairs[op], r->row[kind] + from, to - from);
        }
    fill_pairs(d, &d->thread, r->row[ROW_THREAD], r->n[ROW_THREAD]);
    for (int kind = 0; kind < KINDS; kind++)
        free(r->row[kind]);
    free(r);
    d->raw = NULL;
}

void slice_data_free(struct slice_data *d)
{
    for (int op = 0; op < OPS; op++) {
        free(d->matrix[op].line);
        free(d->matrix[op].sm);
        free(d->matrix[op].cycles);
        free(d->pairs[op].pair);
    }
    free(d->thread.pair);
    free(d->offset);
    memset(d, 0, sizeof *d);
}
