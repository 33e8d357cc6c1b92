/* tlb: dependent loads, one line a page, along a random cycle over ever more pages: how far the address translation reaches.
 *
 * All lines together fill a small part of the cache, so what rises with the number of pages is the translation alone. The
 * line moves on within the page from page to page (SPREAD bytes more than the stride), or all lines would meet in a few
 * sets. Two strides tell a table that counts pages (they rise at the same number of pages) from one whose entries hold more
 * than a page (they rise at the same size). */
#include "access.h"
#include "chains.h"
#include "sizes.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 128, PART = 4, SPREAD = 17 * LINE, LEAST_PAGES = 4, OCTAVE = 8 };

struct point {
    uint64_t stride, pages;
};

struct plan {
    struct point *v;
    size_t n, cap;
    struct chains chains;
    struct chase chase;
    uint64_t most; /* pages */
};

static const struct param params[] = {
    {"stride", PARAM_SIZES, "2M,32M", "bytes", "from page to page; a page is 2M", 4096, 1e12},
    {"pages", PARAM_SIZES, "auto", "", "pages used; auto: 4 to all of `memory`, 8 an octave", 2,
     1e9},
    {"memory", PARAM_SIZE, "auto", "bytes", "memory to use; auto: 15/16 of all, or what is free",
     65536, 1e15},
    {"hops", PARAM_U64, "4096", "", "timed hops a pass", 1, 1e9},
    {"passes", PARAM_U64, "3", "", "timed passes", 1, 1e6},
    {"op", PARAM_WORD, "cg", "cg|ca|cv", "cache operator of the loads", 0, 0},
    {"sm", PARAM_U64, "0", "", "the SM that walks", 0, 1e4},
    {0},
};

/* All the memory that can be had, in steps: other programs may hold some. */
static int allocate(struct run *r)
{
    static const unsigned sixteenths[] = {15, 14, 12, 8, 4};
    const struct device *d = r->dev;

    if (!param_auto(r, "memory"))
        return d->ops->alloc(r->dev, param_u64(r, "memory"));
    for (size_t i = 0; i < sizeof sixteenths / sizeof *sixteenths; i++)
        if (d->ops->alloc(r->dev, d->info.mem_bytes / 16 * sixteenths[i]) == 0) {
            if (i > 1)
                run_warn(r,
                         "only %s of %s of memory could be had: other programs hold the rest, "
                         "and the reach may lie beyond; stop them, or take another device (-d)",
                         cli_size(d->bytes), cli_size(d->info.mem_bytes));
            return 0;
        }
    return -1;
}

/* The numbers of pages at one stride. */
static int add_stride(struct run *r, struct plan *plan, uint64_t stride)
{
    uint64_t fit = r->dev->bytes / (stride + SPREAD);
    struct sizes list = {0};
    char word[64], why[160];
    size_t n;
    const uint64_t *given = param_sizes(r, "pages", &n);

    if (stride % 8 != 0)
        return run_misfit(r, "stride=%" PRIu64 " is not a multiple of 8", stride);
    if (param_auto(r, "pages") && fit >= LEAST_PAGES) {
        snprintf(word, sizeof word, "%d:%" PRIu64 ":%d", LEAST_PAGES, fit, OCTAVE);
        sizes_parse(&list, word, why, sizeof why);
    }
    for (size_t i = 0; !param_auto(r, "pages") && i < n; i++) {
        if (given[i] > fit)
            return device_fail(r->dev, "pages=%" PRIu64 " of %s: the buffer of %s has %" PRIu64,
                               given[i], cli_size(stride), cli_size(r->dev->bytes), fit);
        sizes_add(&list, given[i]);
    }
    for (size_t i = 0; i < list.n; i++) {
        plan->v = xgrow(plan->v, plan->n, &plan->cap, sizeof *plan->v);
        plan->v[plan->n++] = (struct point){stride, list.v[i]};
        plan->most = list.v[i] > plan->most ? list.v[i] : plan->most;
    }
    sizes_free(&list);
    return 0;
}

static int make_plan(struct run *r, struct plan *plan)
{
    size_t n;
    const uint64_t *stride = param_sizes(r, "stride", &n);

    for (size_t i = 0; i < n; i++)
        if (add_stride(r, plan, stride[i]) != 0)
            return -1;
    for (size_t left = plan->n; plan->v != NULL && left > 1; left--) {
        size_t j = rng_below(&r->rng, left);
        struct point p = plan->v[left - 1];

        plan->v[left - 1] = plan->v[j];
        plan->v[j] = p;
    }
    return plan->most < UINT32_MAX ? 0 : device_fail(r->dev, "more than 2^32 pages");
}

static void write_rows(struct run *r, const struct plan *plan, size_t seq, uint64_t pass)
{
    const struct point *p = &plan->v[seq];
    struct out *o = r->out;

    for (size_t b = 0; b < CHASE_BINS; b++) {
        if (plan->chase.bins[b] == 0)
            continue;
        out_str(o, "tlb");
        out_u64(o, seq);
        out_u64(o, p->stride);
        out_u64(o, p->pages);
        out_u64(o, p->stride * p->pages);
        out_str(o, param_text(r, "op"));
        out_i64(o, plan->chains.chain->sm);
        out_u64(o, pass);
        out_u64(o, b);
        out_u64(o, plan->chase.bins[b]);
        out_row(o);
    }
}

static int one_point(struct run *r, struct plan *plan, size_t seq)
{
    const struct point *p = &plan->v[seq];

    plan->chains.nodes = p->pages;
    plan->chains.stride = p->stride + SPREAD;
    if (chains_build(r, &plan->chains, 0) != 0 ||
        chains_verify(r, &plan->chains, &plan->chase) != 0 ||
        chains_walk(r, &plan->chase, p->pages) != 0)
        return -1;
    for (uint64_t pass = 0; pass < param_u64(r, "passes") && !run_stopped(); pass++) {
        memset(plan->chase.bins, 0, CHASE_BINS * sizeof *plan->chase.bins);
        if (r->dev->ops->chase(r->dev, &plan->chase) != 0)
            return -1;
        write_rows(r, plan, seq, pass);
    }
    return 0;
}

static int run_tlb(struct run *r)
{
    struct chain chain = {.sm = (int)param_u64(r, "sm")};
    struct plan plan = {.chains = {.chain = &chain, .n = 1}};
    int rc = allocate(r);

    rc = rc != 0 ? -1 : make_plan(r, &plan);
    plan.chains.next = xmalloc((plan.most + 1) * sizeof *plan.chains.next);
    plan.chase = (struct chase){.kind = (enum l2_kind)access_kind(param_text(r, "op")),
                                .chain = &chain,
                                .nchain = 1,
                                .hops = param_u64(r, "hops"),
                                .record = CHASE_EACH,
                                .carveout = -1,
                                .bins = xcalloc(CHASE_BINS, sizeof(uint32_t))};
    if (rc == 0 && r->dev->info.l2_bytes > 0 && plan.most * LINE * PART > r->dev->info.l2_bytes)
        run_warn(r,
                 "%" PRIu64 " lines fill a large part of the L2: a rise there may be the cache's; "
                 "give fewer pages= or a larger stride=",
                 plan.most);
    for (size_t i = 0; i < plan.n && rc == 0 && !run_stopped(); i++) {
        rc = one_point(r, &plan, i);
        run_progress(r, (double)i + 1, (double)plan.n);
    }
    free(plan.chains.next);
    free(plan.chase.bins);
    free(plan.v);
    return rc;
}

const struct experiment exp_tlb = {
    .name = "tlb",
    .summary = "one line a page over ever more pages: how far the address translation reaches",
    .columns = "exp seq stride pages size op sm pass cycles n",
    .params = params,
    .run = run_tlb,
};
