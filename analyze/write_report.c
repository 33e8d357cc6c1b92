/* What one store does to one line, and write bandwidth over footprint, as findings. Every probe is judged by a threshold
 * between controls of the same run; where they fail nothing is decided. */
#include "write_report.h"

#include <math.h>
#include <stdlib.h>

#include "../share/lib/mem.h"
#include "block.h"
#include "controls.h"
#include "findings.h"
#include "infer.h"
#include "storefit.h"

#define SURE 0.95
enum { MOST_BLOCK = 256 };

/* A count of probes with its interval, as a note tells it. */
static char *counted(const char *what, size_t k, size_t n)
{
    double lo, hi;

    if (proportion_exact(k, n, 0.95, &lo, &hi) != 0)
        return xprintf("no %s", what);
    return xprintf("%s: %zu of %zu (%.3g to %.3g %%)", what, k, n, 100 * lo, 100 * hi);
}

static int split(const struct write_rows *r, struct controls *c)
{
    struct values hit = {0}, miss = {0};

    for (size_t i = 0; i < r->nwrite; i++)
        if (r->write[i].what == WRITE_NONE)
            values_add(r->write[i].resident ? &hit : &miss, r->write[i].cycles);
    return controls_of(&hit, &miss, c);
}

/* The bytes that a plain load, or an atomic, brings to a cold line; 0 when the probes do not say. */
static uint64_t brought(const struct write_rows *r, const struct controls *c, enum write_what a,
                        enum write_what b, struct block_fit *f)
{
    struct touch_probe *p = xmalloc((r->nwrite + 1) * sizeof *p);
    uint64_t step = MOST_BLOCK;
    size_t n = 0;
    int rc;

    for (size_t i = 0; i < r->nwrite; i++) {
        const struct write_row *w = &r->write[i];

        if (w->resident || (w->what != a && w->what != b))
            continue;
        p[n++] = (struct touch_probe){0, w->probe, w->cycles <= c->threshold};
        step = w->probe > 0 && w->probe < step ? w->probe : step;
    }
    rc = block_from_touches(p, n, step, MOST_BLOCK, f);
    free(p);
    return rc == 0 ? f->size : 0;
}

static void put_allocate(struct out *o, const struct store_fit *f, uint64_t load, int rc)
{
    static const char *const meaning[] = {"nothing is readable after a store",
                                          "a sector is readable if all of it was stored",
                                          "what was stored to is fetched"};
    const char *word = rc != 0                                       ? "not decided"
                       : f->rule == STORE_NOTHING                    ? "no"
                       : f->rule == STORE_TOUCHED && f->size >= load ? "fetch"
                                                                     : "sector";

    finding_word(o, "write_allocate", word, "store_probe", f->n,
                 "%s; blocks of %llu bytes; %zu of %zu probes contradict it, %zu the next best",
                 meaning[f->rule], (unsigned long long)f->size, f->wrong, f->n, f->rival_wrong);
    if (rc == 0 && f->rule == STORE_WHOLE)
        finding_put(o, "sector", (double)f->size, (double)f->size, (double)f->size, "store_probe",
                    f->n, "the least aligned store that can be read back at once");
    if (rc == 0 && f->rule != STORE_NOTHING)
        finding_word(o, "partial_fetch", f->rule == STORE_TOUCHED ? "yes" : "no", "store_probe",
                     f->n, "%zu of %zu probes contradict it", f->wrong, f->n);
}

/* Stores to lines that were not there. */
static int fit_stores(const struct write_rows *r, const struct controls *c, struct store_fit *f)
{
    struct store_probe *p = xmalloc((r->nwrite + 1) * sizeof *p);
    size_t n = 0;
    int rc;

    for (size_t i = 0; i < r->nwrite; i++) {
        const struct write_row *w = &r->write[i];

        if (!w->resident && (w->what == WRITE_ALIGNED || w->what == WRITE_STRADDLE))
            p[n++] =
                (struct store_probe){w->at, w->at + w->bytes, w->probe, w->cycles <= c->threshold};
    }
    rc = store_fit(p, n, f);
    free(p);
    return rc;
}

/* Where a sector was filled by stores that are each a part of it. */
static void put_mask(struct out *o, const struct write_rows *r, const struct controls *c,
                     const struct store_fit *f)
{
    size_t n = 0, hits = 0;
    char *text;

    for (size_t i = 0; i < r->nwrite; i++) {
        const struct write_row *w = &r->write[i];

        if (w->what != WRITE_FILL || w->resident || w->bytes >= f->size || w->probe >= f->size)
            continue;
        n++;
        hits += w->cycles <= c->threshold;
    }
    text = counted("filled sectors that can be read at once", hits, n);
    finding_word(o, "byte_mask",
                 (double)hits >= SURE * (double)n && n > 0         ? "yes"
                 : (double)(n - hits) >= SURE * (double)n && n > 0 ? "no"
                                                                   : "not decided",
                 "fill", n, "%s", text);
    free(text);
}

static void put_resident(struct out *o, const struct write_rows *r, const struct controls *c)
{
    size_t n = 0, hits = 0;
    char *text;

    for (size_t i = 0; i < r->nwrite; i++)
        if (r->write[i].resident && r->write[i].what >= WRITE_ALIGNED &&
            r->write[i].what <= WRITE_FILL) {
            n++;
            hits += r->write[i].cycles <= c->threshold;
        }
    text = counted("hits after a store", hits, n);
    finding_word(o, "write_resident",
                 (double)hits >= SURE * (double)n ? "yes"
                 : (double)hits < 0.5 * (double)n ? "no"
                                                  : "not decided",
                 "store_probe", n, "%s", text);
    free(text);
}

/* Issue time of stores; what they add to the fence behind them. */
static void put_latency(struct out *o, const struct write_rows *r)
{
    struct values issue = {0}, fence = {0}, alone = {0};
    double lo, hi, shift, *work;

    for (size_t i = 0; i < r->nwrite; i++) {
        const struct write_row *w = &r->write[i];

        if (w->what == WRITE_NONE)
            values_add(&alone, w->fence);
        if (w->what != WRITE_ALIGNED)
            continue;
        values_add(&issue, w->first);
        values_add(&fence, w->fence);
    }
    values_sort(&issue);
    values_sort(&fence);
    values_sort(&alone);
    values_interval(&issue, 0.95, &lo, &hi);
    if (issue.n > 0)
        finding_put(o, "store_latency", values_median(&issue), lo, hi, "issue", issue.n,
                    "what the timer costs is in it; a store is not waited for");
    work = xmalloc((alone.n * fence.n + 1) * sizeof *work);
    if (shift_hodges_lehmann(alone.v, alone.n, fence.v, fence.n, 0.95, work, &shift, &lo, &hi) == 0)
        finding_put(o, "store_fence", shift, lo, hi, "fence", fence.n,
                    "beyond a fence alone, which takes %g", values_median(&alone));
    free(work);
    values_free(&issue);
    values_free(&fence);
    values_free(&alone);
}

/* Stored lines must be gone after a flush, or nothing was cold. */
static bool flushed(const struct write_rows *r, const struct controls *c, size_t *k, size_t *n)
{
    *k = *n = 0;
    for (size_t i = 0; i < r->nwrite; i++)
        if (r->write[i].what == WRITE_EVICT) {
            ++*n;
            *k += r->write[i].cycles > c->threshold;
        }
    return *n == 0 || (double)*k >= SURE * (double)*n;
}

void write_report(struct out *o, const struct write_rows *r)
{
    struct controls c;
    struct store_fit f;
    struct block_fit atom, load;
    uint64_t by_load, by_atom;
    size_t gone, stored;
    int rc;

    if (r->nwrite == 0)
        return;
    if (split(r, &c) != 0) {
        finding_word(o, "write_allocate", "not decided", "store_probe", r->nwrite,
                     "the controls do not part hits from misses: %zu of %zu hits are slow, %zu of "
                     "%zu misses fast",
                     c.slow, c.nhit, c.fast, c.nmiss);
    } else if (!flushed(r, &c, &gone, &stored)) {
        finding_word(o, "write_allocate", "not decided", "store_probe", r->nwrite,
                     "only %zu of %zu stored lines left the cache in a flush", gone, stored);
    } else {
        by_load = brought(r, &c, WRITE_LOAD, WRITE_LOAD, &load);
        by_atom = brought(r, &c, WRITE_ATOM, WRITE_RED, &atom);
        rc = fit_stores(r, &c, &f);
        put_allocate(o, &f, by_load, rc);
        if (rc == 0 && f.rule == STORE_WHOLE)
            put_mask(o, r, &c, &f);
        put_resident(o, r, &c);
        if (by_atom > 0)
            finding_put(o, "atomic_fetch", (double)by_atom, (double)by_atom, (double)by_atom,
                        "store_probe", atom.n,
                        "%zu of %zu probes contradict it; a load brings %llu", atom.wrong, atom.n,
                        (unsigned long long)by_load);
    }
    put_latency(o, r);
}

/* Median of the GB/s of one operation between two sizes; *n launches. */
static double rate(const struct write_rows *r, bool write, double from, double to, size_t *n)
{
    struct values v = {0};
    double median;

    for (size_t i = 0; i < r->nstream; i++)
        if (r->stream[i].write == write && r->stream[i].size >= from && r->stream[i].size <= to)
            values_add(&v, r->stream[i].gbps);
    values_sort(&v);
    median = values_median(&v);
    *n = v.n;
    values_free(&v);
    return median;
}

/* Written again and again, a footprint within the cache costs memory bandwidth only if every store goes through. */
void stream_report(struct out *o, const struct write_rows *r)
{
    size_t few, many, reads;
    double small = rate(r, true, r->l2_bytes / 16, r->l2_bytes / 3, &few),
           large = rate(r, true, 2 * r->l2_bytes, INFINITY, &many),
           read = rate(r, false, r->l2_bytes / 16, r->l2_bytes / 3, &reads);

    if (few == 0 || many == 0 || r->l2_bytes == 0)
        return;
    finding_word(
        o, "write_back", small > 1.3 * large ? "yes" : "not decided", "footprint", few + many,
        "%.5g GB/s of stores to L2 / 16 to L2 / 3, %.5g from 2 x L2 on, reading %.5g%s", small,
        large, read, small > 1.3 * large ? "" : ": the L2 may write through, or be no faster");
}
