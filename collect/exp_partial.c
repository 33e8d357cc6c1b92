/* partial: how long it takes when only `take` bytes of every `every` are read, from a working set that stays in the L2
 * and from one that does not. What is fetched in vain shows as time: from memory the fetch granularity, from the L2 the
 * sector.
 *
 * Each pair is a launch of the bandwidth kernel over `bytes` bytes of address space at least. From memory it is measured
 * as found and under other fetch granularities, from 32 bytes on (no memory of a GPU moves less); the limit is put back. */
#include "experiment.h"
#include "fetch.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    COMMON_LINE = 128,
    MEMORY_LEAST = 32,
    WIDTH = 16,
    THREADS = 512,
    UNROLL = 4,
    SM_THREADS = 2048
};

struct level {
    const char *name;
    uint64_t size;
};

static void put_row(struct run *r, const struct level *l, uint64_t fetch, bool found,
                    const struct stream *s, uint64_t rep, const struct stream_result *got)
{
    struct out *o = r->out;
    uint64_t units = got->moved / s->take;

    out_str(o, "partial");
    out_str(o, l->name);
    out_u64(o, s->bytes);
    out_u64(o, fetch);
    out_str(o, found ? "default" : "set");
    out_u64(o, s->take);
    out_u64(o, s->every);
    out_u64(o, rep);
    out_round(o, got->ns, 9);
    out_u64(o, got->moved);
    out_round(o, (double)got->moved / got->ns, 6);
    out_round(o, got->ns / (double)units, 6);
    out_row(o);
}

/* Beyond a line's size a part of the lines is left out: the more room is passed over, so that as many are touched. */
static uint64_t stretched(uint64_t size, uint64_t every)
{
    return every > COMMON_LINE ? size / COMMON_LINE * every : size;
}

static int one_pair(struct run *r, const struct level *l, uint64_t fetch, bool found, uint64_t take,
                    uint64_t every)
{
    uint64_t bytes = stretched(l->size, every) / every * every, reps = param_u64(r, "reps");
    struct stream s = {.op = STREAM_READ,
                       .kind = L2_LD_CG,
                       .bytes = bytes,
                       .width = WIDTH,
                       .take = (uint32_t)take,
                       .every = (uint32_t)every,
                       .threads = THREADS,
                       .unroll = UNROLL,
                       .blocks = r->dev->info.sms * (SM_THREADS / THREADS)};

    s.passes = (uint32_t)((param_u64(r, "bytes") + bytes - 1) / bytes);
    for (uint64_t rep = 0; rep < reps && !run_stopped(); rep++) {
        struct stream_result got;

        if (r->dev->ops->stream(r->dev, &s, &got) != 0)
            return -1;
        put_row(r, l, fetch, found, &s, rep, &got);
    }
    return 0;
}

/* Every take that fits, and all of `every` to compare with. */
static int one_every(struct run *r, const struct level *l, uint64_t fetch, bool found,
                     uint64_t every)
{
    size_t n;
    const uint64_t *take = param_sizes(r, "take", &n);
    bool memory = strcmp(l->name, "memory") == 0;

    for (size_t i = 0; i < n && !run_stopped(); i++)
        if (take[i] < every && (!memory || take[i] >= MEMORY_LEAST) &&
            one_pair(r, l, fetch, found, take[i], every) != 0)
            return -1;
    return one_pair(r, l, fetch, found, every, every);
}

static int one_level(struct run *r, const struct level *l, uint64_t fetch, bool found)
{
    size_t n;
    const uint64_t *every = param_sizes(r, "every", &n);

    for (size_t i = 0; i < n && !run_stopped(); i++) {
        if (one_every(r, l, fetch, found, every[i]) != 0)
            return -1;
        run_progress(r, (double)i + 1, (double)n);
    }
    return 0;
}

static int levels(struct run *r, uint64_t fetch, bool found, void *data)
{
    const struct level *l = data;

    if (found && one_level(r, &l[0], fetch, found) != 0)
        return -1;
    return one_level(r, &l[1], fetch, found);
}

static int check(struct run *r, const char *name)
{
    size_t n;
    const uint64_t *v = param_sizes(r, name, &n);

    for (size_t i = 0; i < n; i++)
        if (v[i] % WIDTH != 0)
            return run_misfit(r, "%s=%llu is not a multiple of %d", name, (unsigned long long)v[i],
                              WIDTH);
    return 0;
}

static int run_partial(struct run *r)
{
    uint64_t l2 = r->dev->info.l2_bytes > 0 ? r->dev->info.l2_bytes : 32u << 20, most = 0;
    size_t n;
    const uint64_t *every = param_sizes(r, "every", &n);
    struct level l[] = {
        {"l2", param_auto(r, "small") ? l2 / 4 / 4096 * 4096 : param_u64(r, "small")},
        {"memory", param_auto(r, "large") ? 2 * l2 : param_u64(r, "large")}};

    if (check(r, "take") != 0 || check(r, "every") != 0)
        return -1;
    if (l[0].size >= l[1].size)
        return run_misfit(r, "small=%s is not below large=%s", cli_size(l[0].size),
                          cli_size(l[1].size));
    for (size_t i = 0; i < n; i++)
        most = stretched(l[1].size, every[i]) > most ? stretched(l[1].size, every[i]) : most;
    if (r->dev->ops->alloc(r->dev, most) != 0)
        return -1;
    return fetch_each(r, "fetch", levels, l);
}

static const struct param params[] = {
    {"take", PARAM_SIZES, "16,32,64,128", "bytes", "bytes read of every `every`", 16, 65536},
    {"every", PARAM_SIZES, "64,128,256", "bytes", "periods of `take`", 16, 65536},
    {"small", PARAM_SIZE, "auto", "bytes", "working set in the L2; auto: a quarter of it", 4096,
     1e13},
    {"large", PARAM_SIZE, "auto", "bytes", "working set in memory; auto: twice the L2", 4096, 1e13},
    {"fetch", PARAM_SIZES, "32", "bytes", "fetch granularities to set, after the one that is found",
     1, 65536},
    {"bytes", PARAM_SIZE, "512M", "bytes", "address space that a timed launch passes over at least",
     1, 1e13},
    {"reps", PARAM_U64, "2", "", "launches of each pair", 1, 1e6},
    {0},
};

const struct experiment exp_partial = {
    "partial",
    "bandwidth when only part of a block is read: what is fetched in vain",
    "exp level size fetch case take every rep ns bytes gbps ns_unit",
    params,
    run_partial,
    false,
};
