/* Experiment latency: dependent loads along one random cycle over a working set, from one SM or several.
 *
 * Sizes come in random order, so that a drift is no knee; column seq keeps the order. A size is linked, walked
 * around, which proves its cycle, walked on until the cache has settled, then timed in passes that go on where the last one
 * ended. With
 * order=shuffle each node holds two pointers: one cycle warms the cache, another one, fresh each pass, is timed; the hops
 * then come back after random distances, not all after the same one. With order=back the walk turns round: it meets first
 * what it has just left, so that under LRU and its like it hits what is in the cache and nothing else, however unevenly
 * the sets fill. Cycles of the last bin mean "that or more". */
#include "access.h"
#include "chains.h"
#include "footprint.h"
#include "../share/lib/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct param params[] = {
    {"size", PARAM_SIZES, "auto", "bytes",
     "working set of all chains together; auto: 4K to 4 x L2, 8 an octave, 16 near L2, 4 beyond 2 "
     "x L2",
     16, 1e13},
    {"stride", PARAM_SIZE, "128", "bytes", "from node to node, a multiple of 8", 8, 1e12},
    {"op", PARAM_WORD, "cg", "cg|ca|cv|no_allocate", "cache operator of the loads", 0, 0},
    {"hops", PARAM_U64, "8192", "", "timed hops a pass", 1, 1e9},
    {"passes", PARAM_U64, "4", "", "timed passes a size", 1, 1e6},
    {"warm", PARAM_U64, "auto", "",
     "hops before the first pass, after one walk all around; auto: another, unless both make 2 x "
     "L2",
     0, 1e12},
    {"timing", PARAM_WORD, "each", "each|total", "time every hop, or whole passes", 0, 0},
    {"order", PARAM_WORDS, "auto", "cycle|shuffle|back",
     "one cycle for all passes, a fresh one each, or around and, timed, all the way back; auto: "
     "cycle, and at default sizes back from L2/8 to 2 x L2",
     0, 0},
    {"window", PARAM_SIZE, "0", "bytes",
     "all nodes of a window before the next one, such as 2M; 0: none", 0, 1e12},
    {"sm", PARAM_U64, "0", "", "SM of the first chain", 0, 65535},
    {"chains", PARAM_U64, "1", "",
     "chains at once, each on its own SM with its own part of the working set", 1, 65535},
    {"carveout", PARAM_U64, "0", "percent", "of L1 for shared memory, a hint; 0: the most L1", 0,
     100},
    {"fresh", PARAM_WORD, "no", "no|yes", "a new allocation for every size", 0, 0},
    {0},
};

#define L1_MOST (512 << 10) /* bytes, more than any L1 has */
enum { BACK_HOPS = 1 << 17, BACK_MOST = 256 };

struct latency {
    struct chains chains;
    struct chase chase;
    bool cycle, shuffle, fresh;
    uint64_t back_least, back_most; /* bytes of the sizes that are walked back, too */
    uint64_t passes, hops, warm;
    bool warm_auto;
    size_t seq;
    const char *order; /* of this pass */
    uint64_t pass;
    double done, total; /* hops, for the progress */
};

/* Besides the walk around: together twice around, or twice the L2 when that is less. */
static uint64_t warm_hops(const struct run *r, const struct latency *l, size_t nodes)
{
    uint64_t l2 = r->dev->info.l2_bytes / l->chains.stride;

    if (!l->warm_auto)
        return l->warm;
    if (l2 == 0 || l2 > nodes)
        return nodes;
    return 2 * l2 > nodes ? 2 * l2 - nodes : 0;
}

/* L1 is empty when a launch begins: loads that use it walk it full again before every pass. */
static uint64_t rewarm_hops(const struct latency *l)
{
    uint64_t most = L1_MOST / l->chains.stride;

    if (l->chase.kind == L2_LD_CG || l->chase.kind == L2_LD_CV)
        return 0;
    return l->chains.nodes < most ? l->chains.nodes : most;
}

static void write_row(struct run *r, const struct latency *l, size_t k, double cycles, uint64_t n)
{
    struct out *o = r->out;

    out_str(o, r->exp->name);
    out_u64(o, l->seq);
    out_u64(o, l->chains.nodes * l->chains.n * l->chains.stride);
    out_u64(o, l->chains.stride);
    out_str(o, param_text(r, "op"));
    out_str(o, param_text(r, "timing"));
    out_str(o, l->order);
    out_u64(o, l->chains.window);
    out_i64(o, l->chains.chain[k].sm);
    out_u64(o, k);
    out_u64(o, l->chains.n);
    out_i64(o, l->chase.carveout);
    out_str(o, param_text(r, "fresh"));
    out_u64(o, l->pass);
    out_double(o, cycles);
    out_u64(o, n);
    out_row(o);
}

static void write_pass(struct run *r, const struct latency *l)
{
    for (size_t k = 0; k < l->chains.n; k++) {
        const uint32_t *bins = l->chase.bins + k * CHASE_BINS;

        if (l->chase.record == CHASE_TOTAL)
            write_row(r, l, k, (double)l->chase.total[k] / (double)l->chase.hops, l->chase.hops);
        else
            for (size_t b = 0; b < CHASE_BINS; b++)
                if (bins[b] > 0)
                    write_row(r, l, k, (double)b, bins[b]);
    }
}

static void made_hops(struct run *r, struct latency *l, double hops)
{
    l->done += hops;
    run_progress(r, l->done, l->total);
}

/* Builds a cycle at this place in the nodes, and walks it around. */
static int build(struct run *r, struct latency *l, uint64_t at)
{
    if (chains_build(r, &l->chains, at) != 0 || chains_verify(r, &l->chains, &l->chase) != 0)
        return -1;
    made_hops(r, l, (double)l->chains.nodes);
    return 0;
}

/* Before the passes of a size: a cycle, and hops until the cache has settled. */
static int build_and_warm(struct run *r, struct latency *l)
{
    uint64_t warm = warm_hops(r, l, l->chains.nodes);

    if (build(r, l, 0) != 0 || chains_walk(r, &l->chase, warm) != 0)
        return -1;
    made_hops(r, l, (double)warm);
    return 0;
}

/* Before a pass: one cycle to warm the cache, and another one through the same nodes for the pass. */
static int shuffle_and_warm(struct run *r, struct latency *l)
{
    struct chain *place = xcalloc(l->chains.n, sizeof *place);
    int failed = build(r, l, CHAINS_OTHER);

    memcpy(place, l->chains.chain, l->chains.n * sizeof *place);
    failed = failed || build_and_warm(r, l);
    memcpy(l->chains.chain, place, l->chains.n * sizeof *place);
    free(place);
    return failed ? -1 : 0;
}

static int chase_pass(struct run *r, struct latency *l, const char *order, uint64_t pass,
                      uint64_t hops)
{
    struct chase *c = &l->chase;

    l->order = order;
    l->pass = pass;
    c->hops = hops;
    if (r->dev->ops->chase(r->dev, c) != 0)
        return -1;
    made_hops(r, l, (double)hops);
    return 0;
}

static void clear_bins(struct latency *l)
{
    memset(l->chase.bins, 0, l->chains.n * CHASE_BINS * sizeof *l->chase.bins);
}

static int timed_pass(struct run *r, struct latency *l, const char *order, uint64_t pass)
{
    if (run_stopped())
        return 0;
    clear_bins(l);
    l->chase.warm = rewarm_hops(l);
    if (chase_pass(r, l, order, pass, l->hops) != 0)
        return -1;
    write_pass(r, l);
    return 0;
}

static int cycle_passes(struct run *r, struct latency *l)
{
    for (uint64_t pass = 0; pass < l->passes && !run_stopped(); pass++)
        if (timed_pass(r, l, "cycle", pass) != 0)
            return -1;
    return 0;
}

static int shuffle_passes(struct run *r, struct latency *l)
{
    for (uint64_t pass = 0; pass < l->passes && !run_stopped(); pass++)
        if (shuffle_and_warm(r, l) != 0 || timed_pass(r, l, "shuffle", pass) != 0)
            return -1;
    return 0;
}

/* Passes all the way back: as many as make BACK_HOPS, but no more than BACK_MOST. */
static uint64_t ways_back(size_t nodes)
{
    uint64_t passes = (BACK_HOPS + nodes - 1) / nodes;

    return passes < BACK_MOST ? passes : BACK_MOST;
}

/* A place in the buffer for the working set, at random. */
static uint64_t somewhere(struct run *r, const struct latency *l)
{
    uint64_t size = l->chains.nodes * l->chains.n * l->chains.stride;
    uint64_t room = (r->dev->bytes - size) / l->chains.stride;

    return rng_below(&r->rng, room + 1) * l->chains.stride;
}

/* Each pass has a cycle and a place of its own: which lines were met last, and on which side they are, is chance, too. Timed by
 * hop they are one distribution, since small sizes have hundreds of them. */
static int back_passes(struct run *r, struct latency *l)
{
    size_t nodes = l->chains.nodes;
    bool each = l->chase.record == CHASE_EACH;

    clear_bins(l);
    l->chase.warm = 0; /* L1 stays cold: what hits is L2's */
    for (uint64_t pass = 0; pass < ways_back(nodes) && !run_stopped(); pass++) {
        if (pass > 0 && build(r, l, somewhere(r, l)) != 0)
            return -1;
        if (run_stopped())
            break;
        chains_turn(&l->chains);
        if (chase_pass(r, l, "back", each ? 0 : pass, nodes) != 0)
            return -1;
        if (!each)
            write_pass(r, l);
    }
    if (each)
        write_pass(r, l);
    return 0;
}

static bool goes_back(const struct latency *l, size_t nodes)
{
    uint64_t size = nodes * l->chains.n * l->chains.stride;

    return l->back_least <= size && size <= l->back_most;
}

/* One cycle for both: the walk back begins where the passes forwards end. */
static int cycle_and_back(struct run *r, struct latency *l)
{
    struct chains *c = &l->chains;
    bool back = goes_back(l, c->nodes);
    int failed;

    if (back)
        c->before = xcalloc(c->nodes * c->n, sizeof *c->before);
    failed = build_and_warm(r, l) != 0 || (l->cycle && cycle_passes(r, l) != 0) ||
             (back && back_passes(r, l) != 0);
    free(c->before);
    c->before = NULL;
    return failed ? -1 : 0;
}

static int run_size(struct run *r, struct latency *l, size_t nodes)
{
    l->chains.nodes = nodes;
    if (l->fresh && r->dev->ops->alloc(r->dev, nodes * l->chains.n * l->chains.stride) != 0)
        return -1;
    if ((l->cycle || goes_back(l, nodes)) && cycle_and_back(r, l) != 0)
        return -1;
    return l->shuffle ? shuffle_passes(r, l) : 0;
}

/* Nodes a chain of every size, each number once, in random order; the largest is returned. */
static uint64_t choose_nodes(struct run *r, const struct latency *l, struct sizes *nodes)
{
    uint64_t step = l->chains.stride * l->chains.n, most;

    footprint_sizes(r, 4096, 8, true, nodes);
    for (size_t i = 0; i < nodes->n; i++) {
        uint64_t n = (uint64_t)llround((double)nodes->v[i] / (double)step);

        nodes->v[i] = n < 2 ? 2 : n;
    }
    sizes_sort(nodes);
    most = nodes->v[nodes->n - 1];
    footprint_warn(r, most * step);
    sizes_shuffle(nodes, &r->rng);
    return most;
}

static int check(struct run *r, const struct latency *l, uint64_t most)
{
    struct device *d = r->dev;

    if (l->chains.stride % 8 != 0)
        return run_misfit(r, "stride=%" PRIu64 " is not a multiple of 8", l->chains.stride);
    if ((l->shuffle || l->back_most > 0) && l->chains.stride < 16)
        return run_misfit(r, "order=%s needs two pointers in a node: stride=16 or more",
                          l->shuffle ? "shuffle" : "back");
    if (param_u64(r, "sm") >= d->info.sms || l->chains.n > d->info.sms)
        return device_fail(d, "sm=%" PRIu64 " chains=%zu: the device has %u SMs",
                           param_u64(r, "sm"), l->chains.n, d->info.sms);
    if (most >= UINT32_MAX)
        return device_fail(d, "%" PRIu64 " nodes a chain: at most %u", most, UINT32_MAX - 1);
    return 0;
}

/* All hops of a size, for the progress. */
static double hops_of(const struct run *r, const struct latency *l, size_t nodes)
{
    double around = (double)nodes, settle = around + (double)warm_hops(r, l, nodes),
           pass = (double)l->hops, passes = (double)l->passes, hops = 0;

    if (l->cycle || goes_back(l, nodes))
        hops += settle;
    if (l->cycle)
        hops += passes * pass;
    if (goes_back(l, nodes))
        hops += (2 * (double)ways_back(nodes) - 1) * around;
    if (l->shuffle)
        hops += passes * (around + settle + pass);
    return hops;
}

static int run_sizes(struct run *r, struct latency *l, const struct sizes *nodes)
{
    for (size_t i = 0; i < nodes->n; i++)
        l->total += hops_of(r, l, nodes->v[i]);
    for (size_t i = 0; i < nodes->n && !run_stopped(); i++) {
        l->seq = i;
        if (run_size(r, l, nodes->v[i]) != 0)
            return -1;
    }
    return 0;
}

static void choose_orders(const struct run *r, struct latency *l)
{
    bool automatic = param_auto(r, "order");
    uint64_t l2 = r->dev->info.l2_bytes;

    l->cycle = automatic || param_has(r, "order", "cycle");
    l->shuffle = !automatic && param_has(r, "order", "shuffle");
    if (!automatic && param_has(r, "order", "back"))
        l->back_most = UINT64_MAX;
    if (automatic && param_auto(r, "size") && l->chains.stride >= 16) {
        l->back_least = l2 / 8;
        l->back_most = 2 * l2;
    }
}

static void set_up(struct run *r, struct latency *l)
{
    size_t n = param_u64(r, "chains");

    l->chains.n = n;
    l->chains.stride = param_u64(r, "stride");
    l->chains.window = param_u64(r, "window");
    choose_orders(r, l);
    l->fresh = strcmp(param_text(r, "fresh"), "yes") == 0;
    l->passes = param_u64(r, "passes");
    l->hops = param_u64(r, "hops");
    l->warm_auto = param_auto(r, "warm");
    l->warm = param_u64(r, "warm");
    l->chains.chain = xcalloc(n, sizeof *l->chains.chain);
    for (size_t k = 0; k < n; k++)
        l->chains.chain[k].sm = chains_sm((int)param_u64(r, "sm"), k, n, r->dev->info.sms);
    l->chase = (struct chase){
        .kind = (enum l2_kind)access_kind(param_text(r, "op")),
        .chain = l->chains.chain,
        .nchain = n,
        .record = strcmp(param_text(r, "timing"), "each") == 0 ? CHASE_EACH : CHASE_TOTAL,
        .carveout = (int)param_u64(r, "carveout"),
        .bins = xcalloc(n * CHASE_BINS, sizeof(uint32_t)),
        .total = xcalloc(n, sizeof(uint64_t)),
    };
}

static int run_latency(struct run *r)
{
    struct latency l = {0};
    struct sizes nodes = {0};
    uint64_t most;
    int failed;

    set_up(r, &l);
    most = choose_nodes(r, &l, &nodes);
    failed = check(r, &l, most);
    if (!failed && !l.fresh)
        failed = r->dev->ops->alloc(r->dev, most * l.chains.n * l.chains.stride);
    if (!failed) {
        l.chains.next = xcalloc(most, sizeof *l.chains.next);
        failed = run_sizes(r, &l, &nodes);
    }
    if (!failed && !run_stopped())
        run_note(r, "cycles_verified every chain of every size was walked around: one cycle over "
                    "all its nodes");
    free(l.chains.next);
    free(l.chains.chain);
    free(l.chase.bins);
    free(l.chase.total);
    sizes_free(&nodes);
    return failed;
}

const struct experiment exp_latency = {
    .name = "latency",
    .summary = "pointer chase over working sets: how long a load takes",
    .columns =
        "exp seq size stride op timing order window sm chain chains carveout fresh pass cycles n",
    .params = params,
    .run = run_latency,
};
