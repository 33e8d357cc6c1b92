/* Shares of the levels behind replayed patterns. The levels come from latency rows, where they are told apart by sizes; a
 * pattern's histogram is then cut where the levels are. */
#include "played.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"
#include "../share/lib/trace.h"

bool played_header(struct playeds *l, const struct tsv *t)
{
    l->pattern = tsv_find(t, "pattern");
    l->side = tsv_find(t, "side");
    l->op = tsv_find(t, "op");
    if (l->pattern == TSV_NONE || l->side == TSV_NONE || l->op == TSV_NONE)
        return false;
    l->cycles = xtsv_column(t, "cycles");
    l->count = xtsv_column(t, "n");
    return true;
}

static struct played *find(struct playeds *l, const char *pattern, size_t len, const char *side,
                           size_t side_len)
{
    struct played *p;

    for (size_t i = l->n; i > 0; i--) {
        p = &l->p[i - 1];
        if (strlen(p->pattern) == len && strncmp(p->pattern, pattern, len) == 0 &&
            strlen(p->side) == side_len && strncmp(p->side, side, side_len) == 0)
            return p;
    }
    l->p = xgrow(l->p, l->n, &l->cap, sizeof *l->p);
    p = &l->p[l->n++];
    *p = (struct played){xstrndup(pattern, len), xstrndup(side, side_len),
                         xcalloc(PLAYED_BINS, sizeof(double)), 0};
    return p;
}

void xplayed_row(struct playeds *l, const struct tsv *t)
{
    const struct field *pattern = &t->field[l->pattern], *side = &t->field[l->side];
    uint64_t cycles = xtsv_u64(t, l->cycles), n = xtsv_u64(t, l->count);
    bool answers = false;

    for (int k = 0; k < TRACE_KINDS; k++)
        answers = answers || (tsv_is(t, l->op, trace_kinds[k]) && trace_answers((uint8_t)k));
    for (int all = 1; all >= 0; all--) {
        struct played *p =
            find(l, pattern->ptr, pattern->len, all ? "all" : side->ptr, all ? 3 : side->len);

        if (answers)
            p->hist[cycles < PLAYED_BINS ? cycles : PLAYED_BINS - 1] += (double)n;
        else
            p->stores += n;
    }
}

/* What is shifted as a whole is memory behind a translation. */
static void put_levels(struct out *o, const struct mixture *m, const enum level_kind *kind,
                       const struct memory *y, const double *hist)
{
    static const enum level_kind shown[] = {LEVEL_LOCAL, LEVEL_REMOTE, LEVEL_DRAM,
                                            LEVEL_DRAM_REMOTE};
    double share[MIXTURE_MAX], of[LEVEL_KINDS] = {0};

    mixture_share(m, hist, share);
    if (y != NULL)
        memory_share(y, hist, PLAYED_BINS, share);
    for (size_t k = 0; k < m->nlevel; k++)
        of[kind[k]] += share[k];
    of[LEVEL_LOCAL] += of[LEVEL_L1];
    of[LEVEL_DRAM] += of[LEVEL_SHIFTED];
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        out_round(o, of[shown[i]], 5);
    out_round(o, of[LEVEL_LOCAL] + of[LEVEL_REMOTE], 5);
}

static void put_row(const struct played *p, const struct mixture *m, const enum level_kind *kind,
                    const struct memory *y, struct out *o)
{
    double n = 0, sum = 0;

    for (size_t b = 0; b < PLAYED_BINS; b++) {
        n += p->hist[b];
        sum += p->hist[b] * (double)b;
    }
    if (n == 0)
        return;
    out_str(o, "replay");
    out_str(o, p->pattern);
    out_str(o, p->side);
    out_u64(o, (uint64_t)n);
    out_u64(o, p->stores);
    put_levels(o, m, kind, y, p->hist);
    out_round(o, sum / n, 5);
    out_row(o);
}

void played_print(const struct playeds *l, const struct mixture *m, const enum level_kind *kind,
                  const struct memory *y, struct out *o)
{
    for (size_t i = 0; i < l->n; i++)
        put_row(&l->p[i], m, kind, y, o);
}

void played_free(struct playeds *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->p[i].pattern);
        free(l->p[i].side);
        free(l->p[i].hist);
    }
    free(l->p);
    *l = (struct playeds){0};
}
