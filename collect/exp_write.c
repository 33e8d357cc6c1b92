/* write: what a store does to one line. A block that is cold, or has just been read, is stored to; after a fence and a wait
 * one place in it is timed by a load.
 *
 * Cases: none (no store: the controls), load (8 bytes read instead, to compare), aligned (at +0), straddle (across a sector's border), fill (64 bytes, or
 * `fill`, by several stores of `bytes`), atom and red (8 bytes), evict (aligned, then the cache is flushed before the load).
 * Column first is the store's own time (of the last one of a fill), fence that of the fence after it. */
#include "access.h"
#include "blocks.h"
#include "experiment.h"
#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SPAN = 256, BASE = 256, MOST_STORES = 16, MOST_LIST = SPAN / 8 + MOST_STORES + 4 };

enum what { NONE, LOAD, ALIGNED, STRADDLE, FILL, ATOM, RED, EVICT };
static const char *const what_names[] = {"none", "load", "aligned", "straddle",
                                         "fill", "atom", "red",     "evict"};

struct trial {
    enum what what;
    uint32_t bytes, at, probe; /* relative to the base */
    bool resident;
    uint64_t rep, base;
    size_t from; /* in the list */
};

struct plan {
    struct trial *t;
    size_t n, cap;
    uint32_t step, fill;
    uint64_t reps, settle;
    l2_access *list; /* of all trials but EVICT's probes */
    uint32_t *cycles;
    size_t len;
};

static void put_row(struct run *r, const struct trial *t, double first, double fence, double cycles)
{
    struct out *o = r->out;

    out_str(o, "write");
    out_str(o, what_names[t->what]);
    out_u64(o, t->bytes);
    out_u64(o, t->at);
    out_u64(o, t->probe);
    out_str(o, t->resident ? "yes" : "no");
    out_u64(o, param_u64(r, "sm"));
    out_str(o, param_text(r, "lines"));
    out_u64(o, t->rep);
    out_u64(o, t->base);
    out_double(o, first);
    out_double(o, fence);
    out_double(o, cycles);
    out_row(o);
}

/* Every probe of one kind of store, on a cold and on a resident line. */
static void add(struct plan *p, enum what what, uint32_t bytes, uint32_t at)
{
    for (uint64_t rep = 0; rep < p->reps; rep++)
        for (uint32_t probe = 0; probe < SPAN; probe += p->step)
            for (int resident = 0; resident < (what == EVICT ? 1 : 2); resident++) {
                p->t = xgrow(p->t, p->n, &p->cap, sizeof *p->t);
                p->t[p->n++] = (struct trial){what, bytes, at, probe, resident, rep, 0, 0};
            }
}

/* Where a straddling store starts: with half of it before the border between two steps, or half a step late. */
static uint32_t straddling(uint32_t step, uint32_t bytes)
{
    return bytes <= step ? step - bytes / 2 : step / 2;
}

static int make_plan(struct run *r, struct plan *p)
{
    size_t n;
    const uint64_t *bytes = param_sizes(r, "bytes", &n);

    add(p, NONE, 0, 0);
    add(p, LOAD, 8, 0);
    for (size_t i = 0; i < n; i++) {
        uint32_t b = (uint32_t)bytes[i];

        if ((b & (b - 1)) != 0 || straddling(p->step, b) + b > SPAN)
            return run_misfit(r,
                              "bytes=%u: a store is a power of two, and with half a step=%u it "
                              "must end within %d bytes",
                              b, p->step, SPAN);
        add(p, ALIGNED, b, 0);
        if (b > 1)
            add(p, STRADDLE, b, straddling(p->step, b));
        if (b < p->fill && b * MOST_STORES >= p->fill)
            add(p, FILL, b, 0);
        if (b >= p->step)
            add(p, EVICT, b, 0);
    }
    add(p, ATOM, 8, 0);
    add(p, RED, 8, 0);
    return 0;
}

static void shuffle(struct rng *rng, struct plan *p)
{
    for (size_t left = p->n; p->t != NULL && left > 1; left--) {
        size_t j = rng_below(rng, left);
        struct trial t = p->t[left - 1];

        p->t[left - 1] = p->t[j];
        p->t[j] = t;
    }
}

/* The accesses of a trial: at the end store, fence, wait, probe (EVICT: without the probe). */
static void add_accesses(struct plan *p, struct trial *t)
{
    enum l2_kind kind = t->what == ATOM   ? L2_ATOM
                        : t->what == RED  ? L2_RED
                        : t->what == LOAD ? L2_LD_CG
                                          : L2_ST;
    uint32_t count = t->what == FILL ? p->fill / t->bytes : t->what == NONE ? 0 : 1;

    t->from = p->len;
    for (uint32_t at = 0; t->resident && at < SPAN; at += p->step)
        p->list[p->len++] = l2_access_of(L2_LD_CG, t->base + at, 0);
    for (uint32_t k = 0; k < count; k++)
        p->list[p->len++] = l2_access_of(kind, t->base + t->at + k * t->bytes, t->bytes);
    if (count == 0)
        p->list[p->len++] = l2_access_of(L2_NOP, 0, 0);
    p->list[p->len++] = l2_access_of(L2_FENCE, 0, 0);
    p->list[p->len++] = l2_access_of(L2_WAIT, p->settle, 0);
    if (t->what != EVICT)
        p->list[p->len++] = l2_access_of(L2_LD_CG, t->base + t->probe, 0);
}

/* Flushes, and times what was stored before. */
static int probe_evicted(struct run *r, const struct plan *p, const struct blocks *b)
{
    l2_access *list = xmalloc((p->n + 1) * sizeof *list);
    uint32_t *cycles = xmalloc((p->n + 1) * sizeof *cycles);
    size_t n = 0;
    int rc = blocks_flush(r, b);

    for (size_t i = 0; i < p->n; i++)
        if (p->t[i].what == EVICT)
            list[n++] = l2_access_of(L2_LD_CG, p->t[i].base + p->t[i].probe, 0);
    if (rc == 0 && n > 0)
        rc = r->dev->ops->walk(r->dev, b->sm, list, n, cycles);
    n = 0;
    for (size_t i = 0; i < p->n && rc == 0; i++) {
        const struct trial *t = &p->t[i];
        size_t end = i + 1 < p->n ? p->t[i + 1].from : p->len;

        if (t->what == EVICT)
            put_row(r, t, p->cycles[end - 3], p->cycles[end - 2], cycles[n++]);
    }
    free(list);
    free(cycles);
    return rc;
}

static int measure(struct run *r, struct plan *p, struct blocks *b)
{
    int rc;

    p->list = xmalloc(p->n * MOST_LIST * sizeof *p->list);
    p->cycles = xmalloc(p->n * MOST_LIST * sizeof *p->cycles);
    for (size_t i = 0; i < p->n; i++) {
        p->t[i].base = blocks_next(b) + BASE;
        add_accesses(p, &p->t[i]);
    }
    rc = r->dev->ops->walk(r->dev, b->sm, p->list, p->len, p->cycles);
    for (size_t i = 0; i < p->n && rc == 0; i++) {
        const uint32_t *end = p->cycles + (i + 1 < p->n ? p->t[i + 1].from : p->len);

        if (p->t[i].what != EVICT)
            put_row(r, &p->t[i], end[-4], end[-3], end[-1]);
    }
    run_progress(r, 1, 2);
    if (rc == 0)
        rc = probe_evicted(r, p, b);
    free(p->list);
    free(p->cycles);
    return rc;
}

static int run_write(struct run *r)
{
    struct plan p = {.step = (uint32_t)param_u64(r, "step"),
                     .fill = (uint32_t)param_u64(r, "fill"),
                     .reps = param_u64(r, "reps"),
                     .settle = param_u64(r, "settle")};
    struct blocks b = {.sm = (int)param_u64(r, "sm"),
                       .home = strcmp(param_text(r, "lines"), "home") == 0,
                       .bytes = 1024,
                       .line = param_u64(r, "line")};
    int rc;

    if ((p.step & (p.step - 1)) != 0 || 1024 % b.line != 0)
        return run_misfit(r, "step=%u is no power of two, or line=%llu does not divide 1024",
                          p.step, (unsigned long long)b.line);
    rc = make_plan(r, &p);
    shuffle(&r->rng, &p);
    b.n = p.n;
    if (rc == 0 && blocks_make(r, &b) == 0)
        rc = measure(r, &p, &b);
    else
        rc = -1;
    blocks_free(&b);
    free(p.t);
    return rc;
}

static const struct param params[] = {
    {"bytes", PARAM_SIZES, "1,2,4,8,16,32,64,128", "bytes", "widths of a store", 1, 128},
    {"step", PARAM_SIZE, "32", "bytes", "from probe to probe; stores straddle its multiples", 8,
     128},
    {"reps", PARAM_U64, "4", "", "repeats of each, in random order on new blocks", 1, 1000},
    {"fill", PARAM_SIZE, "64", "bytes", "bytes that several narrow stores fill together", 8, 128},
    {"settle", PARAM_U64, "500", "ns", "wait between the fence and the load", 0, 1e6},
    {"sm", PARAM_U64, "0", "", "the SM that walks", 0, 1e4},
    {"lines", PARAM_WORD, "home", "home|all", "lines of the SM's own side, or any", 0, 0},
    {"line", PARAM_SIZE, "128", "bytes", "bytes from load to load of a flush: at most a line", 8,
     65536},
    {0},
};

const struct experiment exp_write = {
    "write",
    "store to a cold or resident line, then time each sector: what a store does",
    "exp case bytes at probe resident sm lines rep offset first fence cycles",
    params,
    run_write,
    false,
};
