/* Collects the rows of replace by (set, sequence, repeat). */
#include "traces.h"
#include "columns_of.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEQUENCES = 99999 };

struct columns {
    size_t exp, set, side, ways, threshold, seq, rep, step, line, kind, report, cycles;
};

static void find_columns(const struct tsv *t, struct columns *c)
{
    c->exp = xtsv_column(t, "exp");
    c->set = xtsv_column(t, "set");
    c->side = xtsv_column(t, "side");
    c->ways = xtsv_column(t, "ways");
    c->threshold = xtsv_column(t, "threshold");
    c->seq = xtsv_column(t, "seq");
    c->rep = xtsv_column(t, "rep");
    c->step = xtsv_column(t, "step");
    c->line = xtsv_column(t, "line");
    c->kind = xtsv_column(t, "kind");
    c->report = xtsv_column(t, "report");
    c->cycles = xtsv_column(t, "cycles");
}

static struct trace *find(const struct traces *all, uint64_t set, uint64_t seq, uint64_t rep)
{
    for (size_t i = all->n; i-- > 0;)
        if (all->t[i].set == set && all->t[i].seq == seq && all->t[i].rep == rep)
            return &all->t[i];
    return NULL;
}

/* A trace that begins again belongs to another run: its sets and sequences are others than those before. */
static struct trace *trace_of(struct traces *all, const struct tsv *t, const struct columns *c)
{
    uint64_t set = xtsv_u64(t, c->set), seq = xtsv_u64(t, c->seq), rep = xtsv_u64(t, c->rep);
    struct trace *tr = find(all, all->set_base + set, all->seq_base + seq, rep);

    if (seq > MOST_SEQUENCES)
        xtsv_bad(t, c->seq, "sequence number over 99999");
    if (tr != NULL && tr->n > 0 && xtsv_u64(t, c->step) == 0) {
        all->set_base = all->set_next;
        all->seq_base = all->seq_next;
        tr = NULL;
    }
    if (tr != NULL)
        return tr;
    set += all->set_base;
    seq += all->seq_base;
    all->set_next = set >= all->set_next ? set + 1 : all->set_next;
    all->seq_next = seq >= all->seq_next ? seq + 1 : all->seq_next;
    all->t = xgrow(all->t, all->n, &all->cap, sizeof *all->t);
    all->t[all->n] =
        (struct trace){.set = set, .seq = seq, .rep = rep, .side = xtsv_u64(t, c->side)};
    return &all->t[all->n++];
}

static void check_ways(struct traces *all, const struct tsv *t, size_t column)
{
    uint64_t ways = xtsv_u64(t, column);

    if (ways == 0 || ways > POLICY_WAYS)
        xtsv_bad(t, column, "ways that no set has (1 to 32)");
    if (all->ways == 0)
        all->ways = (unsigned)ways;
    if (ways != all->ways)
        xtsv_bad_line(t,
                      "a set of %" PRIu64 " ways, after or instead of %u: sets of one size at a "
                      "time (l2body awk), and no -w that does not fit",
                      ways, all->ways);
}

static void add_row(struct traces *all, const struct tsv *t, const struct columns *c)
{
    struct trace *tr = trace_of(all, t, c);
    uint64_t step = xtsv_u64(t, c->step), line = xtsv_u64(t, c->line);
    bool store = t->field[c->kind].len >= 2 && memcmp(t->field[c->kind].ptr, "st", 2) == 0;

    if (step != tr->n)
        xtsv_bad_line(
            t,
            "step %" PRIu64 " of set %" PRIu64 " sequence %" PRIu64 " repeat %" PRIu64
            " where step %zu should be: rows are lost, doubled or not in order (l2body sort)",
            step, tr->set, tr->seq, tr->rep, tr->n);
    if (line >= 4096)
        xtsv_bad(t, c->line, "line number over 4095");
    tr->a = xgrow(tr->a, tr->n, &tr->cap, sizeof *tr->a);
    tr->a[tr->n++] =
        (struct answer){.line = (uint32_t)line,
                        .hit = xtsv_double(t, c->cycles) <= xtsv_double(t, c->threshold),
                        .counts = !store && xtsv_u64(t, c->report) != 0,
                        .store = store};
    all->answers += tr->a[tr->n - 1].counts;
    tr->stores = tr->stores || store;
    tr->ways = all->ways;
    all->lines = line >= all->lines ? (unsigned)line + 1 : all->lines;
}

static int by_run(const void *x, const void *y)
{
    const struct trace *a = x, *b = y;

    if (a->set != b->set)
        return a->set < b->set ? -1 : 1;
    if (a->seq != b->seq)
        return a->seq < b->seq ? -1 : 1;
    return (a->rep > b->rep) - (a->rep < b->rep);
}

size_t traces_of_set(const struct traces *all, size_t i)
{
    size_t n = 1;

    while (i + n < all->n && all->t[i + n].set == all->t[i].set)
        n++;
    return n;
}

static unsigned lines_of_set(const struct traces *all, size_t i)
{
    size_t n = traces_of_set(all, i);
    uint32_t most = 0;

    for (size_t k = i; k < i + n; k++)
        for (size_t x = 0; x < all->t[k].n; x++)
            most = all->t[k].a[x].line > most ? all->t[k].a[x].line : most;
    return most + 1;
}

void xtraces_read(struct tsv *t, struct traces *all)
{
    struct columns c = {0};
    enum tsv_event ev;

    while ((ev = xtsv_next(t)) != TSV_END) {
        if (ev == TSV_HEADER) {
            find_columns(t, &c);
        } else {
            if (!tsv_is(t, c.exp, "replace"))
                xtsv_bad(t, c.exp, "not a row of replace");
            check_ways(all, t, c.ways);
            add_row(all, t, &c);
        }
    }
    xone_device(t);
    if (all->n == 0)
        xdie(EXIT_FAILED, "%s: no rows of replace", t->file);
    if (all->answers == 0)
        xdie(EXIT_FAILED, "%s: no load is reported: a sequence marks its answers with '?'",
             t->file);
    if (all->lines <= all->ways)
        xdie(EXIT_FAILED,
             "%s: %u lines in sets of %u ways: no line is ever evicted; sequences need more lines "
             "(extra=)",
             t->file, all->lines, all->ways);
    qsort(all->t, all->n, sizeof *all->t, by_run);
    all->known = all->lines;
    for (size_t i = 0; i < all->n; i += traces_of_set(all, i)) {
        unsigned lines = lines_of_set(all, i);

        all->sets++;
        all->known = lines < all->known ? lines : all->known;
    }
}

void traces_free(struct traces *all)
{
    for (size_t i = 0; i < all->n; i++)
        free(all->t[i].a);
    free(all->t);
}
