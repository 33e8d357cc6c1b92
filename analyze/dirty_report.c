/* Written lines of one set, as findings: how many stay, who goes first, what it costs. */
#include "write_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"
#include "findings.h"
#include "infer.h"
#include "victim.h"

#define SURE 0.95

struct count {
    size_t k, n; /* rows with vote 1, rows */
};

/* Rows of one case and kind; stored 0: of any number of stored lines. */
static struct count votes(const struct write_rows *r, enum dirty_what what, enum dirty_kind kind,
                          uint64_t stored)
{
    struct count c = {0, 0};

    for (size_t i = 0; i < r->ndirty; i++) {
        const struct dirty_row *d = &r->dirty[i];

        if (d->what != what || d->kind != kind || (stored > 0 && d->stored != stored))
            continue;
        c.n++;
        c.k += d->vote;
    }
    return c;
}

static bool nearly_all(struct count c)
{
    return c.n > 0 && (double)c.k >= SURE * (double)c.n;
}

static bool nearly_none(struct count c)
{
    return c.n > 0 && (double)(c.n - c.k) >= SURE * (double)c.n;
}

/* Lines of one run (a set, a repeat) that voted 1, where all lines of the set but `less` were stored to. Sorted. */
static struct values per_run(const struct write_rows *r, enum dirty_what what, enum dirty_kind kind,
                             uint64_t less)
{
    struct values sum = {0};

    for (size_t i = 0; i < r->ndirty; i++) {
        const struct dirty_row *d = &r->dirty[i];
        size_t k = 0;

        if (d->what != what || d->kind != kind || d->line != 0 || d->stored + less != d->ways)
            continue;
        for (size_t j = 0; j < r->ndirty; j++) {
            const struct dirty_row *e = &r->dirty[j];

            k += e->what == what && e->kind == kind && e->stored == d->stored && e->set == d->set &&
                 e->rep == d->rep && e->vote;
        }
        values_add(&sum, (double)k);
    }
    values_sort(&sum);
    return sum;
}

/* The limit shows where all lines but one were stored to (and that one came last); or there is none, and all are dirty. */
static void put_lost(struct out *o, const struct write_rows *r, const char *write_back)
{
    struct values all = per_run(r, DIRTY_DISCARD, KIND_DISCARD, 0),
                  most = per_run(r, DIRTY_DISCARD, KIND_DISCARD, 1);
    double ways = 0;
    const struct values *v = &most;

    for (size_t i = 0; i < r->ndirty; i++)
        ways = (double)r->dirty[i].ways > ways ? (double)r->dirty[i].ways : ways;
    if (most.n == 0 || values_median(&most) >= ways - 1)
        v = &all;
    if (strcmp(write_back, "yes") != 0)
        finding_word(o, "dirty_ways", "not decided", "discard", v->n,
                     "no dirty line was seen, or the controls fail");
    else if (v->n > 0)
        finding_put(o, "dirty_ways", values_median(v), v->v[0], v->v[v->n - 1], "discard", v->n,
                    "lines of a set of %g that a discard loses when all but %d were stored to; "
                    "just after all were it loses %g",
                    ways, v == &most, values_median(&all));
    values_free(&all);
    values_free(&most);
}

static void put_discard(struct out *o, const struct write_rows *r)
{
    struct count none = votes(r, DIRTY_DISCARD, KIND_NONE, 0),
                 flushed = votes(r, DIRTY_DISCARD, KIND_FLUSHED, 0),
                 one = votes(r, DIRTY_DISCARD, KIND_DISCARD, 1),
                 drop = votes(r, DIRTY_DROP, KIND_DISCARD, 0);
    bool sound = nearly_none(none) && nearly_none(flushed) && nearly_all(drop);
    const char *word = !sound             ? "not decided"
                       : nearly_all(one)  ? "yes"
                       : nearly_none(one) ? "no"
                                          : "not decided";

    if (one.n == 0)
        return;
    finding_word(o, "write_back", word, "discard", one.n,
                 "a discard loses what was stored in %zu of %zu; controls: without it %zu of %zu, "
                 "written back before %zu of %zu; it takes a line out in %zu of %zu",
                 one.k, one.n, none.k, none.n, flushed.k, flushed.n, drop.k, drop.n);
    put_lost(o, r, word);
}

static void put_keep(struct out *o, const struct write_rows *r)
{
    struct count loaded = votes(r, DIRTY_KEEP, KIND_LOADED, 0);
    struct values gone = per_run(r, DIRTY_KEEP, KIND_STORED, 0);
    uint64_t ways = 0;

    for (size_t i = 0; i < r->ndirty; i++)
        ways = r->dirty[i].ways > ways ? r->dirty[i].ways : ways;
    if (loaded.n > 0 && !nearly_none(loaded))
        finding_word(o, "dirty_ways", "not decided", "keep", gone.n,
                     "of lines that are only loaded %zu of %zu are gone, too", loaded.k, loaded.n);
    else if (gone.n > 0 && values_median(&gone) > 0)
        finding_put(o, "dirty_ways", (double)ways - values_median(&gone),
                    (double)ways - gone.v[gone.n - 1], (double)ways - gone.v[0], "keep", gone.n,
                    "lines of a set, all stored to, that are still there");
    else if (gone.n > 0)
        finding_word(o, "dirty_ways", "not decided", "keep", gone.n,
                     "all %llu lines stay: none is evicted for being one too many, and whether "
                     "some were written back is not seen here",
                     (unsigned long long)ways);
    values_free(&gone);
}

static void put_order(struct out *o, const struct write_rows *r)
{
    static const char *const words[] = {"oldest", "clean", "dirty"};
    struct victim_probe *p = xmalloc((r->ndirty + 1) * sizeof *p);
    struct victim_fit f;
    size_t n = 0;
    int rc;

    for (size_t i = 0; i < r->ndirty; i++) {
        const struct dirty_row *d = &r->dirty[i];

        if (d->what == DIRTY_ORDER)
            p[n++] =
                (struct victim_probe){d->ways, d->stored, d->line, d->kind == KIND_NEW, d->vote};
    }
    rc = victim_fit(p, n, &f);
    if (n > 0)
        finding_word(o, "evicted_first", rc == 0 ? words[f.rule] : "not decided", "order", n,
                     "%zu of %zu probes contradict it, %zu the next best", f.wrong, f.n,
                     f.other_wrong);
    if (rc == 0 && f.rule == VICTIM_CLEAN && n > 0)
        finding_word(o, "write_back", "yes", "order", n,
                     "written lines outlive loaded ones, so they are not as in memory: %zu of %zu "
                     "probes contradict it",
                     f.wrong, f.n);
    if (rc == 0 && f.limit > 0 && n > 0)
        finding_put(o, "dirty_ways", (double)f.limit, (double)f.limit, (double)f.limit, "order", n,
                    "the oldest dirty lines beyond that are %s",
                    f.evicted ? "evicted" : "clean again at the next miss");
    free(p);
}

/* The most loads after which line 0 is mostly there; nan when it never is; *most is the most that were tried. */
static double outlives(const struct write_rows *r, enum dirty_kind kind, uint64_t *most, size_t *n)
{
    double best = NAN;

    *most = *n = 0;
    for (size_t i = 0; i < r->ndirty; i++) {
        const struct dirty_row *d = &r->dirty[i];
        size_t there = 0, all = 0;

        if (d->what != DIRTY_OUTLIVE || d->kind != kind)
            continue;
        ++*n;
        *most = d->loaded > *most ? d->loaded : *most;
        for (size_t j = 0; j < r->ndirty; j++)
            if (r->dirty[j].what == DIRTY_OUTLIVE && r->dirty[j].kind == kind &&
                r->dirty[j].loaded == d->loaded) {
                all++;
                there += !r->dirty[j].vote;
            }
        if (there * 2 > all && !(best >= (double)d->loaded))
            best = (double)d->loaded;
    }
    return best;
}

/* After one miss of the set the oldest line, only loaded, is gone; is it still there when it was stored to? That it is gone,
 * too, would not tell dirty lines that leave first from the oldest ones. */
static void put_spared(struct out *o, const struct write_rows *r)
{
    struct count clean = {0, 0}, dirty = {0, 0};

    for (size_t i = 0; i < r->ndirty; i++) {
        const struct dirty_row *d = &r->dirty[i];
        struct count *c = d->kind == KIND_LOADED ? &clean : &dirty;

        if (d->what == DIRTY_OUTLIVE && d->loaded == 1) {
            c->n++;
            c->k += d->vote;
        }
    }
    if (dirty.n > 0)
        finding_word(o, "evicted_first",
                     nearly_all(clean) && nearly_none(dirty) ? "clean" : "not decided", "outlive",
                     dirty.n,
                     "after one miss the oldest line is gone in %zu of %zu when it was stored to, "
                     "in %zu of %zu when it was only loaded",
                     dirty.k, dirty.n, clean.k, clean.n);
}

static void put_outlive(struct out *o, const struct write_rows *r)
{
    uint64_t most;
    size_t n, loaded;
    double clean = outlives(r, KIND_LOADED, &most, &loaded), dirty;

    dirty = outlives(r, KIND_STORED, &most, &n);
    put_spared(o, r);
    clean = isnan(clean) ? 0 : clean;
    dirty = isnan(dirty) ? 0 : dirty;
    if (n > 0 && loaded > 0)
        finding_put(o, "dirty_outlives", dirty - clean, dirty - clean,
                    dirty >= (double)most ? NAN : dirty - clean, "outlive", n,
                    "%s%g misses; a clean one stays for %g",
                    dirty >= (double)most ? "at least " : "", dirty, clean);
}

/* Differences of the same line's miss in the same set and repeat. */
static void put_cost(struct out *o, const struct write_rows *r)
{
    struct values v = {0};
    double lo, hi;

    for (size_t i = 0; i < r->ndirty; i++) {
        const struct dirty_row *d = &r->dirty[i];

        if (d->what != DIRTY_COST || d->kind != KIND_STORED || !d->vote)
            continue;
        for (size_t j = 0; j < r->ndirty; j++) {
            const struct dirty_row *e = &r->dirty[j];

            if (e->what == DIRTY_COST && e->kind == KIND_LOADED && e->set == d->set &&
                e->rep == d->rep && e->line == d->line && e->vote)
                values_add(&v, d->cycles - e->cycles);
        }
    }
    values_sort(&v);
    values_interval(&v, 0.95, &lo, &hi);
    if (v.n > 0)
        finding_put(o, "dirty_evict_cost", values_median(&v), lo, hi, "paired", v.n,
                    "median difference of misses in a set whose lines were all stored to, or only "
                    "loaded");
    values_free(&v);
}

void dirty_report(struct out *o, const struct write_rows *r)
{
    put_discard(o, r);
    put_order(o, r);
    put_keep(o, r);
    put_outlive(o, r);
    put_cost(o, r);
}
