/* Experiment clock: what the clocks and the timer do to every other measurement.
 *
 * warmup: the SM clock, one row a step from idle on. mhz: the same of every SM, clock64 against globaltimer.
 * timer: two clock reads with nothing between (per SM): what every timed access includes. noise: one line, hit again and
 * again, so that what leaves the mode is noise. chase_each and chase_total: the same chase with every hop timed, and
 * timed as a whole: their difference is the timer's share, and why tools disagree on a latency. Needs no other state. */
#include "chains.h"
#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct param params[] = {
    {"what", PARAM_WORDS, "warmup,mhz,timer,noise,chase", "warmup|mhz|timer|noise|chase",
     "what to measure", 0, 0},
    {"sm", PARAM_U64, "0", "", "SM of warmup, noise and chase", 0, 65535},
    {"steps", PARAM_U64, "200", "", "steps of the warm-up", 1, 1e6},
    {"ms", PARAM_DOUBLE, "2", "ms", "length of a step, and of the reading of each SM's clock", 0.01,
     1000},
    {"n", PARAM_U64, "65536", "", "accesses of noise and hops of each chase", 16, 1e7},
    {"passes", PARAM_U64, "4", "", "passes of each chase", 1, 1000},
    {0},
};

#define TIMER_READS  256
#define CHASE_BYTES  65536 /* inside any L2, outside the first lines */
#define CHASE_STRIDE 128

static void write_row(struct run *r, const char *what, int sm, uint64_t step, double value,
                      uint64_t n)
{
    out_str(r->out, r->exp->name);
    out_str(r->out, what);
    out_i64(r->out, sm);
    out_u64(r->out, step);
    out_double(r->out, value);
    out_u64(r->out, n);
    out_row(r->out);
}

static void write_bins(struct run *r, const char *what, int sm, uint64_t step, const uint32_t *bins)
{
    for (size_t b = 0; b < CHASE_BINS; b++)
        if (bins[b] > 0)
            write_row(r, what, sm, step, (double)b, bins[b]);
}

static int mhz_row(struct run *r, const char *what, int sm, uint64_t step)
{
    uint64_t cycles, ns;

    if (r->dev->ops->ticks(r->dev, sm, param_double(r, "ms"), &cycles, &ns) != 0)
        return -1;
    write_row(r, what, sm, step, 1e3 * (double)cycles / (double)(ns == 0 ? 1 : ns), 1);
    return 0;
}

static int run_warmup(struct run *r)
{
    uint64_t steps = param_u64(r, "steps");

    for (uint64_t i = 0; i < steps && !run_stopped(); i++) {
        if (mhz_row(r, "warmup", (int)param_u64(r, "sm"), i) != 0)
            return -1;
        run_progress(r, (double)(i + 1), (double)steps);
    }
    return 0;
}

static int run_mhz(struct run *r)
{
    for (unsigned sm = 0; sm < r->dev->info.sms && !run_stopped(); sm++)
        if (mhz_row(r, "mhz", (int)sm, 0) != 0)
            return -1;
    return 0;
}

/* The same access n times from an SM; the distribution of its cycles, without the first one. */
static int repeat(struct run *r, const char *what, int sm, enum l2_kind kind, size_t n)
{
    l2_access *list = xcalloc(n, sizeof *list);
    uint32_t *cycles = xcalloc(n, sizeof *cycles), *bins = xcalloc(CHASE_BINS, sizeof *bins);
    int failed;

    for (size_t i = 0; i < n; i++)
        list[i] = l2_access_of((uint32_t)kind, 0, 8);
    failed = r->dev->ops->walk(r->dev, sm, list, n, cycles);
    for (size_t i = 1; i < n; i++)
        bins[cycles[i] < CHASE_BINS ? cycles[i] : CHASE_BINS - 1]++;
    if (!failed)
        write_bins(r, what, sm, 0, bins);
    free(list);
    free(cycles);
    free(bins);
    return failed;
}

static int run_timer(struct run *r)
{
    for (unsigned sm = 0; sm < r->dev->info.sms && !run_stopped(); sm++)
        if (repeat(r, "timer", (int)sm, L2_NOP, TIMER_READS) != 0)
            return -1;
    return 0;
}

static int run_noise(struct run *r)
{
    return repeat(r, "noise", (int)param_u64(r, "sm"), L2_LD_CG, param_u64(r, "n"));
}

/* One pass with every hop timed and one timed as a whole. */
static int chase_pass(struct run *r, struct chase *c, uint64_t pass)
{
    int sm = c->chain->sm;

    c->record = CHASE_EACH;
    memset(c->bins, 0, CHASE_BINS * sizeof *c->bins);
    if (r->dev->ops->chase(r->dev, c) != 0)
        return -1;
    write_bins(r, "chase_each", sm, pass, c->bins);
    c->record = CHASE_TOTAL;
    if (r->dev->ops->chase(r->dev, c) != 0)
        return -1;
    write_row(r, "chase_total", sm, pass, (double)*c->total / (double)c->hops, c->hops);
    return 0;
}

static int run_chase(struct run *r)
{
    struct chain chain = {.sm = (int)param_u64(r, "sm")};
    struct chains chains = {
        .chain = &chain, .n = 1, .nodes = CHASE_BYTES / CHASE_STRIDE, .stride = CHASE_STRIDE};
    uint64_t total;
    struct chase c = {
        .kind = L2_LD_CG, .chain = &chain, .nchain = 1, .carveout = -1, .total = &total};
    int failed;

    chains.next = xcalloc(chains.nodes, sizeof *chains.next);
    c.bins = xcalloc(CHASE_BINS, sizeof *c.bins);
    c.warm = 2 * chains.nodes;
    c.hops = param_u64(r, "n");
    failed = chains_build(r, &chains, 0) != 0 || chains_verify(r, &chains, &c) != 0;
    for (uint64_t pass = 0; !failed && pass < param_u64(r, "passes") && !run_stopped(); pass++)
        failed = chase_pass(r, &c, pass);
    free(chains.next);
    free(c.bins);
    return failed ? -1 : 0;
}

static int run_clock(struct run *r)
{
    static const struct {
        const char *what;
        int (*run)(struct run *r);
    } parts[] = {{"warmup", run_warmup},
                 {"mhz", run_mhz},
                 {"timer", run_timer},
                 {"noise", run_noise},
                 {"chase", run_chase}};

    if (param_u64(r, "sm") >= r->dev->info.sms)
        return device_fail(r->dev, "sm=%d: the device has %u SMs", (int)param_u64(r, "sm"),
                           r->dev->info.sms);
    if (r->dev->ops->alloc(r->dev, CHASE_BYTES) != 0)
        return -1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !run_stopped(); i++)
        if (param_has(r, "what", parts[i].what) && parts[i].run(r) != 0)
            return -1;
    return 0;
}

const struct experiment exp_clock = {
    .name = "clock",
    .summary = "timer cost, SM clocks, warm-up, noise floor, chase timed by hop and whole",
    .columns = "exp what sm step value n",
    .params = params,
    .run = run_clock,
    .cold = true,
};
