/* Reading traces. Columns sm, bytes and kind may be missing: SM 0, 4 bytes, a load. */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "tsv.h"

const char *const trace_kinds[] = {
    "cg",   "evict_first", "evict_last", "st", "st_evict_first", "st_evict_last",
    "atom", "red",         NULL};

enum { STEP, SM, OFFSET, BYTES, KIND, COLUMNS };

static uint64_t number(const struct tsv *t, size_t column, uint64_t missing, uint64_t lo,
                       uint64_t hi, const char *message)
{
    uint64_t v = column == TSV_NONE ? missing : xtsv_u64(t, column);

    if (v < lo || v > hi)
        xtsv_bad(t, column, message);
    return v;
}

static uint8_t kind_of(const struct tsv *t, size_t column)
{
    uint8_t kind = 0;

    if (column == TSV_NONE)
        return TRACE_LOAD;
    while (trace_kinds[kind] != NULL && !tsv_is(t, column, trace_kinds[kind]))
        kind++;
    if (trace_kinds[kind] == NULL)
        xtsv_bad(t, column,
                 "not one of cg, evict_first, evict_last, st, st_evict_first, "
                 "st_evict_last, atom, red");
    return kind;
}

static void add_row(struct trace *tr, const struct tsv *t, const size_t *at)
{
    struct access a;

    a.offset = number(t, at[OFFSET], 0, 0, 1ull << 40, "beyond 1T");
    a.bytes = (uint32_t)number(t, at[BYTES], 4, 1, TRACE_BYTES, "not between 1 and 128");
    a.sm = (uint16_t)number(t, at[SM], 0, 0, 65534, "no such SM");
    a.kind = kind_of(t, at[KIND]);
    if ((a.kind == TRACE_ATOM || a.kind == TRACE_RED) && (a.bytes != 8 || a.offset % 8 != 0))
        xtsv_bad(t, at[OFFSET], "an atomic is 8 bytes at a multiple of 8");
    tr->a = xgrow(tr->a, tr->n, &tr->cap, sizeof *tr->a);
    tr->a[tr->n++] = a;
    tr->bytes = a.offset + a.bytes > tr->bytes ? a.offset + a.bytes : tr->bytes;
    tr->sms = a.sm + 1u > tr->sms ? a.sm + 1u : tr->sms;
}

void xtrace_read(struct trace *tr, const char *file)
{
    static const char *const names[COLUMNS] = {"step", "sm", "offset", "bytes", "kind"};
    char *files[] = {xstrdup(file), NULL};
    struct tsv *t = xtsv_open(files);
    size_t at[COLUMNS] = {0};
    uint64_t last = 0;
    enum tsv_event ev;

    *tr = (struct trace){0};
    while ((ev = xtsv_next(t)) != TSV_END) {
        if (ev == TSV_HEADER) {
            for (int i = 0; i < COLUMNS; i++)
                at[i] = i == OFFSET ? xtsv_column(t, names[i]) : tsv_find(t, names[i]);
            continue;
        }
        if (at[STEP] != TSV_NONE) {
            uint64_t step = xtsv_u64(t, at[STEP]);

            if (tr->n > 0 && step <= last)
                xtsv_bad(t, at[STEP], "steps must rise");
            last = step;
        }
        add_row(tr, t, at);
    }
    if (tr->n == 0)
        xtsv_bad_line(t, "a trace without accesses");
    tsv_close(t);
    free(files[0]);
}

void trace_free(struct trace *t)
{
    free(t->a);
    *t = (struct trace){0};
}
