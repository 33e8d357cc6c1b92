/* pitch: how many nodes of a chase fit into the cache, at strides below and above a line. While several nodes share a line
 * the cache holds the same bytes at every stride; when each has a line of its own, the same number of nodes.
 *
 * For each stride the number doubles until the mean hop is RISE times as long as at first, and PLATEAU times that shows
 * where it leads; bisection finds the middle; then points around it, and at PLATEAU times it, for l2sector to say where the
 * middle is. All nodes of a window are visited one after another, so that a line's nodes are used together at every
 * stride and the rises have the same shape. A point is the mean over several places in memory, as many as make up for few
 * nodes: those of one place fill the sets unevenly by chance. Strides are odd multiples of small powers of two: on a cache whose sets are
 * taken straight from the address other ones would use a part of the sets, and could not be told from a longer line. */
#include "access.h"
#include "chains.h"
#include "experiment.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST = 32,
    BISECTIONS = 3,
    LEAST_BUFFER = 8 << 20,
    L2_TIMES = 16,
    PLACES = 32,
    PLACE = 4096
};
#define RISE    1.1
#define PLATEAU 1.6
#define FROM    0.8 /* of the middle: the first point around it */
#define TO      1.3

struct scan {
    struct chains chains;
    struct chain chain;
    struct chase chase;
    uint64_t bytes, warm;
    size_t room; /* of chains.next */
    uint64_t sample;
    double mean; /* cycles of the last point */
};

static void write_rows(struct run *r, struct scan *s)
{
    uint64_t n = 0;

    s->mean = 0;
    for (size_t b = 0; b < CHASE_BINS; b++) {
        if (s->chase.bins[b] == 0)
            continue;
        out_str(r->out, "pitch");
        out_u64(r->out, s->chains.stride);
        out_u64(r->out, s->chains.nodes);
        out_u64(r->out, s->chains.window);
        out_i64(r->out, s->chain.sm);
        out_str(r->out, param_text(r, "op"));
        out_u64(r->out, b);
        out_u64(r->out, s->chase.bins[b]);
        out_row(r->out);
        s->mean += (double)b * s->chase.bins[b];
        n += s->chase.bins[b];
    }
    s->mean /= n > 0 ? (double)n : 1;
}

/* One chase through nodes that begin anywhere. */
static int one_place(struct run *r, struct scan *s)
{
    uint64_t room = s->bytes - s->chains.nodes * s->chains.stride;
    uint64_t at = rng_below(&r->rng, room / PLACE + 1) * PLACE;

    return chains_build(r, &s->chains, at) != 0 || chains_verify(r, &s->chains, &s->chase) != 0 ||
                   chains_walk(r, &s->chase, s->warm * s->chains.nodes) != 0 ||
                   r->dev->ops->chase(r->dev, &s->chase) != 0
               ? -1
               : 0;
}

static int one_point(struct run *r, struct scan *s, double nodes)
{
    uint64_t places;

    s->chains.nodes = (size_t)nodes;
    if (s->chains.nodes > s->room) {
        s->chains.next = xrealloc(s->chains.next, s->chains.nodes, sizeof *s->chains.next);
        s->room = s->chains.nodes;
    }
    memset(s->chase.bins, 0, CHASE_BINS * sizeof *s->chase.bins);
    places = s->sample / s->chains.nodes;
    places = places < 1 ? 1 : places > PLACES ? PLACES : places;
    for (uint64_t k = 0; k < places && !run_stopped(); k++)
        if (one_place(r, s) != 0)
            return -1;
    write_rows(r, s);
    return 0;
}

/* Nodes that are too many, and cycles half way up; 0: the buffer ends before the rise. -1: the device failed. */
static int find_rise(struct run *r, struct scan *s, double *many, double *half)
{
    double most = (double)(s->bytes / s->chains.stride), base = 0, n = FIRST;

    for (; n <= most && !run_stopped(); n *= 2) {
        if (one_point(r, s, n) != 0)
            return -1;
        base = base == 0 ? s->mean : base;
        if (s->mean > RISE * base)
            break;
    }
    if (n * PLATEAU > most || run_stopped())
        return 0;
    if (one_point(r, s, n * PLATEAU) != 0)
        return -1;
    *many = n;
    *half = (base + s->mean) / 2;
    return 1;
}

static int around(struct run *r, struct scan *s, double middle)
{
    static const double tail[] = {PLATEAU, 2};
    uint64_t points = param_u64(r, "points");
    double most = (double)(s->bytes / s->chains.stride);

    for (uint64_t i = 0; i < points && !run_stopped(); i++) {
        double n = middle * FROM * pow(TO / FROM, (double)i / (double)(points - 1));

        if (n <= most && one_point(r, s, n) != 0)
            return -1;
    }
    for (size_t i = 0; i < sizeof tail / sizeof *tail && !run_stopped(); i++)
        if (middle * tail[i] <= most && one_point(r, s, middle * tail[i]) != 0)
            return -1;
    return 0;
}

static int one_stride(struct run *r, struct scan *s)
{
    double many, few, half;
    int found = find_rise(r, s, &many, &half);

    if (found == 0 && !run_stopped())
        run_warn(r,
                 "stride=%" PRIu64 ": no rise, or not all of it, with %s of memory: a larger "
                 "buffer= reaches further",
                 s->chains.stride, cli_size(s->bytes));
    if (found <= 0)
        return found;
    many *= PLATEAU;
    few = many / 2 / PLATEAU;
    for (int i = 0; i < BISECTIONS && !run_stopped(); i++) {
        double n = sqrt(few * many);

        if (one_point(r, s, n) != 0)
            return -1;
        if (s->mean > half)
            many = n;
        else
            few = n;
    }
    return around(r, s, sqrt(few * many));
}

static uint64_t buffer_of(const struct run *r)
{
    const struct device_info *i = &r->dev->info;
    uint64_t want = i->l2_bytes > 0 ? L2_TIMES * i->l2_bytes : 1ull << 30;

    if (!param_auto(r, "buffer"))
        return param_u64(r, "buffer");
    want = want < LEAST_BUFFER ? LEAST_BUFFER : want;
    return i->mem_bytes > 0 && want > i->mem_bytes / 2 ? i->mem_bytes / 2 : want;
}

static int check(struct run *r, const uint64_t *stride, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (stride[i] % 8 != 0)
            return device_fail(r->dev, "stride=%" PRIu64 " is not a multiple of 8", stride[i]);
    if (param_u64(r, "sm") >= r->dev->info.sms)
        return device_fail(r->dev, "sm=%" PRIu64 ": the device has %u SMs", param_u64(r, "sm"),
                           r->dev->info.sms);
    return 0;
}

static int run_pitch(struct run *r)
{
    struct scan s = {
        .bytes = buffer_of(r), .warm = param_u64(r, "warm"), .sample = param_u64(r, "sample")};
    size_t n;
    const uint64_t *stride = param_sizes(r, "stride", &n);
    int rc = check(r, stride, n);

    s.chain.sm = (int)param_u64(r, "sm");
    s.chains = (struct chains){.chain = &s.chain, .n = 1, .window = param_u64(r, "window")};
    s.chase = (struct chase){.kind = (enum l2_kind)access_kind(param_text(r, "op")),
                             .chain = &s.chain,
                             .nchain = 1,
                             .hops = param_u64(r, "hops"),
                             .record = CHASE_EACH,
                             .carveout = -1,
                             .bins = xcalloc(CHASE_BINS, sizeof(uint32_t))};
    if (rc == 0)
        rc = r->dev->ops->alloc(r->dev, s.bytes);
    for (size_t i = 0; i < n && rc == 0 && !run_stopped(); i++) {
        s.chains.stride = stride[i];
        rc = one_stride(r, &s);
        run_progress(r, (double)(i + 1), (double)n);
    }
    free(s.chains.next);
    free(s.chase.bins);
    return rc;
}

static const struct param params[] = {
    {"stride", PARAM_SIZES, "48,80,112,160,288,544", "bytes",
     "from node to node: some below a line, some above; odd multiples of 16 or 32", 8, 65536},
    {"points", PARAM_U64, "6", "", "numbers of nodes around the middle of a rise", 2, 1000},
    {"window", PARAM_SIZE, "2K", "bytes", "all nodes of a window before the next one", 0, 1e9},
    {"hops", PARAM_U64, "4096", "", "timed hops a point", 1, 1e9},
    {"sample", PARAM_U64, "65536", "nodes", "a point rests on at least, up to 32 places", 1, 1e9},
    {"warm", PARAM_U64, "1", "", "walks all around before them, after the first", 0, 1000},
    {"buffer", PARAM_SIZE, "auto", "bytes", "memory for the nodes; auto: 16 times the L2", 65536,
     1e12},
    {"sm", PARAM_U64, "0", "", "the SM that walks", 0, 65535},
    {"op", PARAM_WORD, "cg", "cg|cv|no_allocate", "cache operator of the loads", 0, 0},
    {0},
};

const struct experiment exp_pitch = {
    "pitch",
    "how many nodes fit at each stride: the line, by bytes below it and nodes above",
    "exp stride nodes window sm op cycles n",
    params,
    run_pitch,
    false,
};
