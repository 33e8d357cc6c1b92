/* From rows to groups: which column is what, and the distribution of each group. */
#include "../share/lib/cli.h"
#include "../share/lib/columns.h"
#include "../share/lib/mem.h"
#include "stat.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t value_column(const struct tsv *t, const char *name)
{
    static const char *const usual[] = {"gbps", "cycles", "ns", "value"};

    if (name != NULL)
        return xtsv_column(t, name);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (tsv_find(t, usual[i]) != TSV_NONE)
            return tsv_find(t, usual[i]);
    xdie(EXIT_FAILED,
         "%s:%" PRIu64 ": no column gbps, cycles, ns or value: name the values with -y", t->file,
         t->line);
}

/* What the column is for; of other people's columns only "sample" is known to number repeats. */
static enum column_role role_of(const char *name)
{
    const struct column *c = column_find(name);

    if (c != NULL)
        return c->role;
    return strcmp(name, "sample") == 0 ? ROLE_ORDER : ROLE_PARAM;
}

static void choose_groups(const struct request *r, const struct tsv *t, struct layout *at)
{
    at->by = xcalloc(t->ncolumn + r->nby, sizeof *at->by);
    if (r->any_by)
        for (size_t i = 0; i < r->nby; i++)
            at->by[at->nby++] = xtsv_column(t, r->by[i]);
    else
        for (size_t i = 0; i < t->ncolumn; i++)
            if (i != at->value && i != at->weight && role_of(t->column[i]) == ROLE_PARAM)
                at->by[at->nby++] = i;
    at->first = xcalloc(at->nby + 1, sizeof *at->first);
    at->last = xcalloc(at->nby + 1, sizeof *at->last);
    at->run = xcalloc(at->nby + 1, sizeof *at->run);
    for (size_t i = 0; i < at->nby; i++) {
        if (i == 0 || at->by[i] != at->by[i - 1] + 1)
            at->first[at->nrun++] = at->by[i];
        at->last[at->nrun - 1] = at->by[i];
    }
}

void stat_look_up(const struct request *r, const struct tsv *t, struct layout *at)
{
    at->value = value_column(t, r->value);
    at->weight = tsv_find(t, r->weight);
    at->time = TSV_NONE;
    for (size_t i = 0; i < t->ncolumn; i++)
        if (role_of(t->column[i]) == ROLE_ORDER && i != at->value && i != at->weight)
            at->time = i;
    at->timed = at->time != TSV_NONE || at->weight == TSV_NONE;
    choose_groups(r, t, at);
}

/* A whole number below 2^63, else 0: times are only used for a warning. */
static uint64_t time_of(const struct field *f)
{
    uint64_t v = 0;

    for (size_t i = 0; i < f->len && i < 18; i++) {
        if (f->ptr[i] < '0' || f->ptr[i] > '9')
            return 0;
        v = v * 10 + (uint64_t)(f->ptr[i] - '0');
    }
    return v;
}

/* Counts the sample that has waited longest, and puts this one into its place; n = 0 only does the former. */
static void count_later(struct stat *s, struct tally *tally, double x, uint64_t n)
{
    struct pending *p = &s->pending[s->next++ % AHEAD];

    if (p->n > 0)
        tally_add(p->tally, p->x, p->n);
    *p = (struct pending){tally, x, n};
    if (n > 0)
        tally_hint(tally, x);
}

void stat_add_row(struct stat *s, const struct tsv *t)
{
    struct layout *at = &s->at;
    double x = xtsv_double(t, at->value);
    uint64_t n = at->weight != TSV_NONE ? xtsv_u64(t, at->weight) : 1;
    struct group *g;

    s->rows++;
    if (!isfinite(x)) {
        s->not_finite++;
        return;
    }
    for (size_t i = 0; i < at->nrun; i++) {
        const struct field *first = &t->field[at->first[i]], *last = &t->field[at->last[i]];

        at->run[i] = (struct field){first->ptr, (size_t)(last->ptr + last->len - first->ptr)};
    }
    g = groups_find(&s->groups, at->run, at->nrun);
    count_later(s, &g->tally, x, n);
    if (at->timed && n > 0)
        trend_add(&g->trend, at->time != TSV_NONE ? time_of(&t->field[at->time]) : g->trend.rows, x,
                  n);
}

struct dist stat_load(struct stat *s, size_t group, uint64_t *dropped)
{
    struct dist d = tally_dist(&s->groups.group[group]->tally, &s->work);
    double lo, hi;

    *dropped = 0;
    if (s->want.rule != NULL) {
        s->want.rule->limits(&d, s->want.factor, &lo, &hi);
        *dropped = tally_keep(&d, &s->work, lo, hi);
    }
    return d;
}

/* Groups that got no sample (weights of 0, all NaN) are no result. */
static void drop_empty(struct groups *g)
{
    size_t kept = 0;

    for (size_t i = 0; i < g->n; i++)
        if (g->group[i]->tally.used > 0) {
            struct group *other = g->group[kept];

            g->group[kept++] = g->group[i];
            g->group[i] = other;
        }
    for (size_t i = kept; i < g->n; i++) {
        tally_free(&g->group[i]->tally);
        free(g->group[i]);
    }
    g->n = kept;
}

void stat_finish(struct stat *s)
{
    for (int i = 0; i < AHEAD; i++)
        count_later(s, NULL, 0, 0);
    drop_empty(&s->groups);
    groups_sort(&s->groups);
    s->summary = xcalloc(s->groups.n + 1, sizeof *s->summary);
    for (size_t i = 0; i < s->groups.n; i++) {
        uint64_t dropped;
        struct dist d = stat_load(s, i, &dropped);

        s->dropped += dropped;
        summarize(&d, trend_shift(&s->groups.group[i]->trend), s->want.confidence, &s->summary[i]);
    }
}

void stat_free(struct stat *s)
{
    groups_free(&s->groups);
    tally_work_free(&s->work);
    free(s->summary);
    free(s->want.by);
    free(s->at.by);
    free(s->at.first);
    free(s->at.last);
    free(s->at.run);
}
