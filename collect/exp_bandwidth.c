/* Experiment bandwidth: bytes a second and a clock, over working set, blocks, threads and bytes a load.
 *
 * The time is the device's, of one launch that passes over the working set as often as `bytes` asks (a short one would
 * measure how SMs start and end), after one untimed pass. Combinations come in random order; column seq keeps it. */
#include "footprint.h"
#include "../share/lib/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct param params[] = {
    {"op", PARAM_WORDS, "read,write,copy", "read|write|copy", "what the threads do", 0, 0},
    {"size", PARAM_SIZES, "auto", "bytes", "working set; auto: 1M to 4 x L2, 3 an octave", 4096,
     1e13},
    {"blocks", PARAM_SIZES, "auto", "",
     "thread blocks; auto: as many as fill every SM with 2048 threads", 1, 1e6},
    {"threads", PARAM_SIZES, "1024", "", "threads a block", 32, 1024},
    {"width", PARAM_SIZES, "16", "bytes", "of one load: 4, 8 or 16", 4, 16},
    {"unroll", PARAM_SIZES, "2", "", "loads in flight in each thread: 1, 2, 4 or 8", 1, 8},
    {"take", PARAM_SIZE, "0", "bytes", "read only so many of every `every` bytes; 0: all", 0, 4096},
    {"every", PARAM_SIZE, "0", "bytes", "the period of `take`", 0, 65536},
    {"bytes", PARAM_SIZE, "1G", "bytes", "moved in a timed launch at least, by whole passes", 1,
     1e13},
    {"passes", PARAM_U64, "3", "", "timed launches", 1, 1e6},
    {0},
};

static const char *const op_names[] = {
    [STREAM_READ] = "read", [STREAM_WRITE] = "write", [STREAM_COPY] = "copy"};

struct plan {
    struct stream *v;
    size_t n, cap;
};

static void write_row(struct run *r, size_t seq, uint64_t pass, const struct stream *s,
                      const struct stream_result *got)
{
    struct out *o = r->out;

    out_str(o, r->exp->name);
    out_u64(o, seq);
    out_str(o, op_names[s->op]);
    out_u64(o, s->bytes);
    out_u64(o, s->blocks);
    out_u64(o, s->threads);
    out_u64(o, s->width);
    out_u64(o, s->unroll);
    out_u64(o, s->take);
    out_u64(o, s->every);
    out_str(o, "all");
    out_u64(o, pass);
    out_double(o, got->ns);
    out_double(o, got->cycles);
    out_u64(o, got->moved);
    out_round(o, (double)got->moved / got->ns, 6);
    out_round(o, (double)got->moved / got->cycles, 6);
    out_row(o);
}

/* One number of blocks or all that were asked for. */
static void add_blocks(const struct run *r, struct plan *plan, struct stream s)
{
    uint64_t fill = r->dev->info.sms * (uint64_t)(2048.0 / s.threads),
             bytes = param_u64(r, "bytes");
    size_t n;
    const uint64_t *blocks = param_sizes(r, "blocks", &n);

    if (param_auto(r, "blocks")) {
        blocks = &fill;
        n = 1;
    }
    s.passes = (uint32_t)ceil((double)bytes / (double)s.bytes);
    for (size_t i = 0; i < n; i++) {
        s.blocks = (uint32_t)blocks[i];
        plan->v = xgrow(plan->v, plan->n, &plan->cap, sizeof *plan->v);
        plan->v[plan->n++] = s;
    }
}

/* All widths x threads x unroll of one operation and size. */
static void add_shapes(const struct run *r, struct plan *plan, struct stream s)
{
    size_t nwidth, nthreads, nunroll;
    const uint64_t *width = param_sizes(r, "width", &nwidth);
    const uint64_t *threads = param_sizes(r, "threads", &nthreads);
    const uint64_t *unroll = param_sizes(r, "unroll", &nunroll);

    for (size_t i = 0; i < nwidth * nthreads * nunroll; i++) {
        s.width = (uint32_t)width[i % nwidth];
        s.threads = (uint32_t)threads[i / nwidth % nthreads];
        s.unroll = (uint32_t)unroll[i / nwidth / nthreads];
        add_blocks(r, plan, s);
    }
}

/* Working sets are whole multiples of 4 KiB, so that every width and `every` up to it divides them. */
static uint64_t make_plan(struct run *r, struct plan *plan)
{
    struct sizes list = {0};
    uint64_t most = 0;

    footprint_sizes(r, 1 << 20, 3, &list);
    for (size_t i = 0; i < list.n; i++) {
        struct stream s = {.bytes = (list.v[i] + 4095) / 4096 * 4096,
                           .kind = L2_LD_CG,
                           .take = (uint32_t)param_u64(r, "take"),
                           .every = (uint32_t)param_u64(r, "every")};

        most = s.bytes > most ? s.bytes : most;
        for (int op = STREAM_READ; op <= STREAM_COPY; op++) {
            s.op = (enum stream_op)op;
            if (param_has(r, "op", op_names[op]))
                add_shapes(r, plan, s);
        }
    }
    sizes_free(&list);
    return most;
}

static void shuffle_plan(struct rng *rng, struct plan *plan)
{
    for (size_t left = plan->n; plan->v != NULL && left > 1; left--) {
        size_t j = rng_below(rng, left);
        struct stream s = plan->v[left - 1];

        plan->v[left - 1] = plan->v[j];
        plan->v[j] = s;
    }
}

static int check(struct run *r, const struct plan *plan)
{
    for (size_t i = 0; i < plan->n; i++) {
        const struct stream *s = &plan->v[i];

        if (s->width != 4 && s->width != 8 && s->width != 16)
            return device_fail(r->dev, "width=%" PRIu32 " is not 4, 8 or 16", s->width);
        if (s->unroll != 1 && s->unroll != 2 && s->unroll != 4 && s->unroll != 8)
            return device_fail(r->dev, "unroll=%" PRIu32 " is not 1, 2, 4 or 8", s->unroll);
        if ((s->take == 0) != (s->every == 0) || s->take > s->every || s->take % s->width != 0)
            return device_fail(r->dev,
                               "take=%" PRIu32 " every=%" PRIu32
                               ": give both, take a multiple of width=%" PRIu32
                               " and not above every",
                               s->take, s->every, s->width);
    }
    return 0;
}

static int run_plan(struct run *r, const struct plan *plan)
{
    uint64_t passes = param_u64(r, "passes");

    for (size_t i = 0; i < plan->n; i++)
        for (uint64_t pass = 0; pass < passes && !run_stopped(); pass++) {
            struct stream_result got;

            if (r->dev->ops->stream(r->dev, &plan->v[i], &got) != 0)
                return -1;
            write_row(r, i, pass, &plan->v[i], &got);
            run_progress(r, (double)(i * passes + pass + 1), (double)(plan->n * passes));
        }
    return 0;
}

static int run_bandwidth(struct run *r)
{
    struct plan plan = {0};
    uint64_t most = make_plan(r, &plan);
    int failed = check(r, &plan);

    shuffle_plan(&r->rng, &plan);
    footprint_warn(r, most);
    failed = failed || r->dev->ops->alloc(r->dev, most) != 0 || run_plan(r, &plan) != 0;
    free(plan.v);
    return failed ? -1 : 0;
}

const struct experiment exp_bandwidth = {
    .name = "bandwidth",
    .summary = "read, write and copy: bytes a second and a clock",
    .columns =
        "exp seq op size blocks threads width unroll take every set pass ns cycles bytes gbps bpc",
    .params = params,
    .run = run_bandwidth,
};
