/* stride: the textbook scan. Chases over `lines` nodes at ever larger strides, 2^k and 3 x 2^k bytes: on a cache whose set
 * index is taken straight from the address, strides near a multiple of sets x line leave few sets, and far fewer lines
 * than the cache holds already miss. Under a hashed index every stride holds as many lines as the first: then the scan
 * goes on to larger strides until the buffer ends, and finds nothing. */
#include "access.h"
#include "chains.h"
#include "experiment.h"
#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_LINES = 2, LEAST_HOPS = 256 };

struct scan {
    uint64_t stride, lines, most_lines, bytes;
    double mean; /* cycles of the last point */
    struct chains chains;
    struct chase chase;
};

static void write_rows(struct run *r, struct scan *s)
{
    s->mean = 0;
    for (size_t b = 0; b < CHASE_BINS; b++) {
        if (s->chase.bins[b] == 0)
            continue;
        out_str(r->out, "stride");
        out_u64(r->out, s->stride);
        out_u64(r->out, s->lines);
        out_i64(r->out, s->chains.chain->sm);
        out_str(r->out, param_text(r, "op"));
        out_u64(r->out, b);
        out_u64(r->out, s->chase.bins[b]);
        out_row(r->out);
        s->mean += (double)b * s->chase.bins[b] / (double)s->chase.hops;
    }
}

static int one_point(struct run *r, struct scan *s)
{
    s->chains.nodes = s->lines;
    s->chains.stride = s->stride;
    if (chains_build(r, &s->chains, 0) != 0 || chains_verify(r, &s->chains, &s->chase) != 0)
        return -1;
    s->chase.warm = 2 * s->lines;
    s->chase.hops = s->lines > LEAST_HOPS ? s->lines : LEAST_HOPS;
    if (s->chase.hops > 4096)
        s->chase.hops = 4096;
    memset(s->chase.bins, 0, CHASE_BINS * sizeof *s->chase.bins);
    if (r->dev->ops->chase(r->dev, &s->chase) != 0)
        return -1;
    write_rows(r, s);
    return 0;
}

/* The next line count, a quarter more, at least one. */
static uint64_t next_lines(uint64_t lines)
{
    return lines < 40 ? lines + 1 : lines + lines / 4;
}

/* Counts between one that hits and one that misses, down to neighbours: the exact number of lines that fit. */
static int refine(struct run *r, struct scan *s, uint64_t lo, uint64_t hi, double limit)
{
    while (hi - lo > 1 && !run_stopped()) {
        s->lines = lo + (hi - lo) / 2;
        if (one_point(r, s) != 0)
            return -1;
        if (s->mean > limit)
            hi = s->lines;
        else
            lo = s->lines;
    }
    return 0;
}

static int one_stride(struct run *r, struct scan *s)
{
    uint64_t most = s->bytes / s->stride, lines = MIN_LINES, before = MIN_LINES;
    double limit = 0;

    if (most > s->most_lines)
        most = s->most_lines;
    for (; lines <= most && !run_stopped(); before = lines, lines = next_lines(lines)) {
        s->lines = lines;
        if (one_point(r, s) != 0)
            return -1;
        if (limit == 0)
            limit = s->mean * 1.08;
        else if (s->mean > limit)
            return refine(r, s, before, lines, limit);
    }
    return 0;
}

/* Strides 128, 192 (as 3 x 64), 256, 384, ...: the next one after `stride`. */
static uint64_t next_stride(uint64_t stride)
{
    return stride % 3 == 0 ? stride / 3 * 4 : stride / 2 * 3;
}

/* Half of the lines that the L2 (by the API, or the buffer's sixteenth) holds: all of them should hit. */
static uint64_t just_under(const struct run *r, uint64_t line, uint64_t bytes)
{
    uint64_t l2 = r->dev->info.l2_bytes > 0 ? r->dev->info.l2_bytes : bytes / 16;

    return l2 / line * 4 / 10;
}

static int run_stride(struct run *r)
{
    struct scan s = {.bytes = param_u64(r, "buffer")};
    struct chain chain = {.sm = (int)param_u64(r, "sm")};
    uint64_t line = param_u64(r, "from"), last = param_u64(r, "to");
    int rc;

    s.most_lines = param_auto(r, "lines") ? just_under(r, line, s.bytes) : param_u64(r, "lines");
    if (s.most_lines > 32768 && param_auto(r, "lines"))
        s.most_lines = 32768;
    s.chains = (struct chains){.chain = &chain, .n = 1};
    s.chains.next = xmalloc(s.most_lines * sizeof *s.chains.next);
    s.chase = (struct chase){.kind = (enum l2_kind)access_kind(param_text(r, "op")),
                             .chain = &chain,
                             .nchain = 1,
                             .record = CHASE_EACH,
                             .carveout = -1,
                             .bins = xcalloc(CHASE_BINS, sizeof(uint32_t))};
    rc = r->dev->ops->alloc(r->dev, s.bytes);
    for (s.stride = line;
         s.stride <= last && s.bytes / s.stride > MIN_LINES && rc == 0 && !run_stopped();
         s.stride = next_stride(s.stride)) {
        rc = one_stride(r, &s);
        run_progress(r, (double)s.stride, (double)last);
    }
    free(s.chains.next);
    free(s.chase.bins);
    return rc;
}

static const struct param params[] = {
    {"from", PARAM_SIZE, "128", "bytes", "first stride: the line", 64, 1e9},
    {"to", PARAM_SIZE, "64M", "bytes", "last stride", 64, 1e12},
    {"lines", PARAM_U64, "auto", "lines",
     "most lines of a stride; auto: just under the capacity, 32768 at most", 4, 1e8},
    {"buffer", PARAM_SIZE, "4G", "bytes", "memory to stride over: lines x stride stays below", 4096,
     1e12},
    {"sm", PARAM_U64, "0", "", "the SM that walks", 0, 1e4},
    {"op", PARAM_WORD, "cg", "cg|ca|cv", "cache operator of the loads", 0, 0},
    {0},
};

const struct experiment exp_stride = {
    "stride",
    "the textbook stride scan: sets and ways where the index is not hashed",
    "exp stride lines sm op cycles n",
    params,
    run_stride,
    false,
};
