/* linger: what is still in the cache after a pause in which the program touches no memory.
 *
 * A working set as large as the L2 is walked around along a random cycle, one SM waits, then the walk goes back: it meets
 * first what it met last, so under LRU and its like it hits just what is left (latency order=back). What hits without a
 * pause and no longer with one, others have pushed out meanwhile. Every pass of every pause has a cycle of its own; pauses come
 * in random order. Cycles of the last bin mean "that or more". */
#include "chains.h"
#include "../share/lib/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct param params[] = {
    {"pause", PARAM_SIZES, "0,10,20,50,100,200,500", "ms",
     "milliseconds from the end of the walk to the way back", 0, 60000},
    {"size", PARAM_SIZE, "auto", "bytes", "working set; auto: the L2's size, or 64M", 4096, 1e12},
    {"stride", PARAM_SIZE, "128", "bytes", "from line to line, a multiple of 8", 16, 65536},
    {"passes", PARAM_U64, "5", "", "walks for each pause", 1, 1e6},
    {"sm", PARAM_U64, "0", "", "SM that walks and waits", 0, 65535},
    {0},
};

struct linger {
    struct chains chains;
    struct chase chase;
    struct chain chain;
    uint32_t bins[CHASE_BINS];
    uint64_t size;
};

static int one_walk(struct run *r, struct linger *l, uint64_t pause)
{
    uint64_t cycles, ns;

    memset(l->bins, 0, sizeof l->bins);
    if (chains_build(r, &l->chains, 0) != 0 || chains_verify(r, &l->chains, &l->chase) != 0)
        return -1;
    if (pause > 0 && r->dev->ops->ticks(r->dev, l->chain.sm, (double)pause, &cycles, &ns) != 0)
        return -1;
    chains_turn(&l->chains);
    return r->dev->ops->chase(r->dev, &l->chase);
}

static void put_rows(struct run *r, const struct linger *l, uint64_t pause, uint64_t pass,
                     uint64_t seq)
{
    for (size_t b = 0; b < CHASE_BINS; b++) {
        if (l->bins[b] == 0)
            continue;
        out_str(r->out, "linger");
        out_u64(r->out, seq);
        out_u64(r->out, l->chains.nodes * l->chains.stride);
        out_u64(r->out, l->chains.stride);
        out_i64(r->out, l->chain.sm);
        out_u64(r->out, pause);
        out_u64(r->out, pass);
        out_u64(r->out, b);
        out_u64(r->out, l->bins[b]);
        out_row(r->out);
    }
}

static int run_pauses(struct run *r, struct linger *l)
{
    uint64_t passes = param_u64(r, "passes"), seq = 0;
    size_t n;
    const uint64_t *pause = param_sizes(r, "pause", &n);
    uint32_t *order = xcalloc(n, sizeof *order);
    int rc = 0;

    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    for (uint64_t pass = 0; pass < passes && rc == 0; pass++) {
        rng_shuffle(&r->rng, order, n);
        for (size_t i = 0; i < n && rc == 0 && !run_stopped(); i++) {
            rc = one_walk(r, l, pause[order[i]]);
            if (rc == 0 && !run_stopped())
                put_rows(r, l, pause[order[i]], pass, seq++);
            run_progress(r, (double)seq, (double)(passes * n));
        }
    }
    free(order);
    return rc;
}

static int check(struct run *r, const struct linger *l)
{
    if (l->chains.stride % 8 != 0)
        return run_misfit(r, "stride=%" PRIu64 " is not a multiple of 8", l->chains.stride);
    if (param_u64(r, "sm") >= r->dev->info.sms)
        return device_fail(r->dev, "sm=%" PRIu64 ": the device has %u SMs", param_u64(r, "sm"),
                           r->dev->info.sms);
    if (l->size / l->chains.stride < 2 || l->size / l->chains.stride >= UINT32_MAX)
        return run_misfit(r, "size=%" PRIu64 " of stride=%" PRIu64 ": from 2 to 4294967294 lines",
                          l->size, l->chains.stride);
    return 0;
}

static int run_linger(struct run *r)
{
    struct linger *l = xcalloc(1, sizeof *l);
    uint64_t l2 = r->dev->info.l2_bytes;
    int rc;

    l->size = !param_auto(r, "size") ? param_u64(r, "size") : l2 > 0 ? l2 : 64 << 20;
    l->chain.sm = (int)param_u64(r, "sm");
    l->chains = (struct chains){.chain = &l->chain, .n = 1, .stride = param_u64(r, "stride")};
    rc = check(r, l) != 0 || r->dev->ops->alloc(r->dev, l->size) != 0;
    if (rc == 0) {
        l->chains.nodes = l->size / l->chains.stride;
        l->chains.next = xcalloc(l->chains.nodes, sizeof *l->chains.next);
        l->chains.before = xcalloc(l->chains.nodes, sizeof *l->chains.before);
        l->chase = (struct chase){.kind = L2_LD_CG,
                                  .chain = &l->chain,
                                  .nchain = 1,
                                  .hops = l->chains.nodes,
                                  .record = CHASE_EACH,
                                  .bins = l->bins};
        rc = run_pauses(r, l);
    }
    free(l->chains.next);
    free(l->chains.before);
    free(l);
    return rc == 0 ? 0 : -1;
}

const struct experiment exp_linger = {
    .name = "linger",
    .summary = "what is still in the cache after a pause: lines that others push out",
    .columns = "exp seq size stride sm pause pass cycles n",
    .params = params,
    .run = run_linger,
};
