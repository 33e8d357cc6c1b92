/* Collects rows of write, dirty, inclusion and bandwidth. */
#include "write_rows.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "columns_of.h"

#include <math.h>
#include <stdlib.h>

enum write_column { W_CASE, W_BYTES, W_AT, W_PROBE, W_RESIDENT, W_FIRST, W_FENCE, W_CYCLES };
enum dirty_column {
    D_CASE,
    D_KIND,
    D_SET,
    D_WAYS,
    D_STORED,
    D_LOADED,
    D_LINE,
    D_REP,
    D_CYCLES,
    D_VOTE
};
enum stream_column { S_OP, S_SIZE, S_GBPS };

static const char *const write_whats[] = {"none", "load", "aligned", "straddle",
                                          "fill", "atom", "red",     "evict"};
static const char *const dirty_whats[] = {"keep", "order", "outlive", "cost", "drop", "discard"};
static const char *const dirty_kinds[] = {"cg",      "st",   "st_old", "st_new",
                                          "discard", "none", "flushed"};

/* The number of the field's word in a table; exits when it is not there. */
static unsigned xchoice(const struct tsv *t, size_t column, const char *const *words, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (tsv_is(t, column, words[i]))
            return i;
    xtsv_bad(t, column, "not a known word");
}

static void add_write(void *rows, const struct tsv *t, const size_t *c)
{
    struct write_rows *r = rows;
    r->write = xgrow(r->write, r->nwrite, &r->write_cap, sizeof *r->write);
    r->write[r->nwrite++] =
        (struct write_row){.what = xchoice(t, c[W_CASE], write_whats, WRITE_WHATS),
                           .resident = tsv_is(t, c[W_RESIDENT], "yes"),
                           .bytes = xtsv_u64(t, c[W_BYTES]),
                           .at = xtsv_u64(t, c[W_AT]),
                           .probe = xtsv_u64(t, c[W_PROBE]),
                           .first = xtsv_double(t, c[W_FIRST]),
                           .fence = xtsv_double(t, c[W_FENCE]),
                           .cycles = xtsv_double(t, c[W_CYCLES])};
}

static void add_dirty(void *rows, const struct tsv *t, const size_t *c)
{
    struct write_rows *r = rows;
    r->dirty = xgrow(r->dirty, r->ndirty, &r->dirty_cap, sizeof *r->dirty);
    r->dirty[r->ndirty++] =
        (struct dirty_row){.what = xchoice(t, c[D_CASE], dirty_whats, DIRTY_WHATS),
                           .kind = xchoice(t, c[D_KIND], dirty_kinds, DIRTY_KINDS),
                           .set = xtsv_u64(t, c[D_SET]),
                           .ways = xtsv_u64(t, c[D_WAYS]),
                           .stored = xtsv_u64(t, c[D_STORED]),
                           .loaded = xtsv_u64(t, c[D_LOADED]),
                           .line = xtsv_u64(t, c[D_LINE]),
                           .rep = xtsv_u64(t, c[D_REP]),
                           .cycles = xtsv_double(t, c[D_CYCLES]),
                           .vote = xtsv_u64(t, c[D_VOTE]) != 0};
    if (r->dirty[r->ndirty - 1].line > r->dirty[r->ndirty - 1].ways + 64)
        xtsv_bad(t, c[D_LINE], "more lines than a set search finds");
}

/* Copies and atomics say nothing here. */
static void add_stream(void *rows, const struct tsv *t, const size_t *c)
{
    struct write_rows *r = rows;
    if (!tsv_is(t, c[S_OP], "read") && !tsv_is(t, c[S_OP], "write"))
        return;
    r->stream = xgrow(r->stream, r->nstream, &r->stream_cap, sizeof *r->stream);
    r->stream[r->nstream++] = (struct stream_row){
        tsv_is(t, c[S_OP], "write"), xtsv_double(t, c[S_SIZE]), xtsv_double(t, c[S_GBPS])};
}

static void add_inclusion(void *rows, const struct tsv *t, const size_t *c)
{
    struct write_rows *r = rows;
    xinclusion_add(&r->inclusion, t, c);
}

/* The experiments, in the order of what tells their headers apart. */
static const struct row_kind kinds[] = {
    {"write",
     "resident",
     {"case", "bytes", "at", "probe", "resident", "first", "fence", "cycles"},
     8,
     add_write},
    {"dirty",
     "stored",
     {"case", "kind", "set", "ways", "stored", "loaded", "line", "rep", "cycles", "vote"},
     10,
     add_dirty},
    {"inclusion", "target", {"case", "op", "cycles"}, 3, add_inclusion},
    {"bandwidth", "gbps", {"op", "size", "gbps"}, 3, add_stream},
    {NULL, NULL, {NULL}, 0, NULL},
};

void xwrite_read(struct tsv *t, struct write_rows *r)
{
    xrows_read(t, kinds, "write, dirty, inclusion or bandwidth", r);
    r->l2_bytes = fmax(0, prov_number(&t->prov, "l2_bytes"));
}

void write_rows_free(struct write_rows *r)
{
    free(r->write);
    free(r->dirty);
    free(r->stream);
    inclusion_free(&r->inclusion);
    *r = (struct write_rows){0};
}
