/* Runs every operation of a device once or a few times and prints what came out: the first thing to run on a new chip.
 *
 * usage: gpu_ops [DEVICE [NAME...]] - all of the table below, or only those named. A line "not ok NAME: why" for each one
 * that failed; the others go on. It also runs on a simulated device, which shows that it tells right from wrong. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collect/access.h"
#include "collect/device.h"
#include "collect/evset.h"
#include "ops.h"
#include "share/lib/cli.h"
#include "share/lib/mem.h"
#include "share/lib/rng.h"

struct device *dev;
struct rng rng;
char why[512];

double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int bad(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    return -1;
}

/* The device's own message becomes the reason. */
int failed(void)
{
    return bad("%s", dev->error);
}

int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

uint32_t median(uint32_t *v, size_t n)
{
    qsort(v, n, sizeof *v, ascending);
    return v[n / 2];
}

int need(uint64_t bytes)
{
    if (dev->bytes >= bytes)
        return 0;
    return dev->ops->alloc(dev, bytes) != 0 ? failed() : 0;
}

static int op_state(void)
{
    const struct device_info *i = &dev->info;
    struct device_state s;

    printf("  %s %s, driver %s, cc %u.%u, %u SMs, L2 %llu, memory %llu, bus %u bits\n", i->name,
           i->uuid, i->driver, i->cc_major, i->cc_minor, i->sms, (unsigned long long)i->l2_bytes,
           (unsigned long long)i->mem_bytes, i->bus_width);
    printf(
        "  persist max %llu, window max %llu, SM max %u MHz, memory max %u MHz, walk chunk %zu\n",
        (unsigned long long)i->persist_max, (unsigned long long)i->window_max, i->sm_mhz_max,
        i->mem_mhz_max, dev->walk_chunk);
    if (dev->ops->state(dev, &s) != 0)
        return failed();
    printf("  SM %d MHz, measured %.2f, memory %d MHz, locked %d, %d C, others %d, ecc %d, mig %d, "
           "persisting %lld, fetch %lld, throttle %s\n",
           s.sm_mhz, s.measured_mhz, s.mem_mhz, s.locked, s.temperature, s.processes, s.ecc, s.mig,
           (long long)s.persisting, (long long)s.fetch, s.throttle);
    return s.measured_mhz > 100 && s.measured_mhz < 10000 ? 0 : bad("measured clock");
}

static int op_ticks(void)
{
    for (unsigned sm = 0; sm < dev->info.sms; sm += dev->info.sms / 4 + 1) {
        uint64_t cycles, ns;

        if (dev->ops->ticks(dev, (int)sm, 2, &cycles, &ns) != 0)
            return failed();
        printf("  SM %u: %llu cycles in %llu ns: %.2f MHz\n", sm, (unsigned long long)cycles,
               (unsigned long long)ns, (double)cycles / (double)ns * 1000);
        if (ns < 1900000 || ns > 4000000)
            return bad("asked for 2 ms");
    }
    return 0;
}

/* Touches `bytes` from all SMs. */
static int flush(uint64_t from, uint64_t bytes)
{
    struct sweep s = {.sm = -1, .kind = L2_LD_CG, .start = from, .stride = 32, .n = bytes / 32};

    return dev->ops->sweep(dev, &s) != 0 ? failed() : 0;
}

/* Each line: the first access, then a load, waits between; medians of both. */
static int walk_pair(enum l2_kind first, uint32_t bytes, int sm)
{
    enum { N = 256, STEP = 6 };
    static l2_access list[N * STEP];
    static uint32_t cycles[N * STEP], a[N], b[N], f[N];

    for (uint32_t i = 0; i < N; i++) {
        uint64_t at = (uint64_t)i * 128 * 37;
        l2_access steps[STEP] = {l2_access_of(first, at, bytes), l2_access_of(L2_FENCE, 0, 0),
                                 l2_access_of(L2_WAIT, 2000, 0), l2_access_of(L2_LD_CG, at, 0),
                                 l2_access_of(L2_LD_CG, at, 0),  l2_access_of(L2_NOP, 0, 0)};
        memcpy(list + i * STEP, steps, sizeof steps);
    }
    if (flush(256 * MIB, 256 * MIB) != 0)
        return -1;
    if (dev->ops->walk(dev, sm, list, (size_t)N * STEP, cycles) != 0)
        return failed();
    for (uint32_t i = 0; i < N; i++) {
        a[i] = cycles[i * STEP];
        f[i] = cycles[i * STEP + 1];
        b[i] = cycles[i * STEP + 3];
    }
    printf("  cold %-14s %3u bytes: %4u cycles, fence after it %4u, then a load %4u, again %4u, "
           "nop %u\n",
           access_name(first), bytes, median(a, N), median(f, N), median(b, N),
           cycles[N * STEP - 2], cycles[N * STEP - 1]);
    return 0;
}

static int op_walk(void)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 16, 32, 64, 128};

    if (need(512 * MIB) != 0)
        return -1;
    for (int k = L2_LD_CG; k < L2_FENCE; k++)
        if (k == L2_ST) {
            for (size_t w = 0; w < 8; w++)
                if (walk_pair(L2_ST, widths[w], 3) != 0)
                    return -1;
        } else if (walk_pair((enum l2_kind)k, 8, 3) != 0) {
            printf("  %s: %s\n", access_name((enum l2_kind)k), why);
            if (dev->info.cc_major >= 8)
                return -1;
        }
    return 0;
}

/* More accesses than a chunk; time of a call; every SM. */
static int op_pin(void)
{
    size_t n = 3 * dev->walk_chunk / 2 + 1000;
    l2_access *list = xmalloc(n * sizeof *list);
    uint32_t *cycles = xcalloc(n, sizeof *cycles), v[64], *by_sm = xcalloc(dev->info.sms, 4);
    double start;
    size_t zero = 0;
    int status = 0;

    if (need(64 * MIB) != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        list[i] = l2_access_of(L2_LD_CG, i % 1000 * 4096, 0);
    start = now();
    status = dev->ops->walk(dev, 0, list, n, cycles);
    for (size_t i = 0; i < n; i++)
        zero += cycles[i] == 0;
    printf("  walk of %zu accesses: %.2f ms, %zu without a time, median %u\n", n,
           (now() - start) * 1e3, zero, median(cycles, n));
    start = now();
    for (unsigned sm = 0; sm < dev->info.sms && status == 0; sm++) {
        for (size_t i = 0; i < 64; i++)
            list[i] = l2_access_of(L2_LD_CG, 0, 0);
        status = dev->ops->walk(dev, (int)sm, list, 64, v);
        by_sm[sm] = median(v, 64);
    }
    printf("  one line from every SM: %.3f ms a call;", (now() - start) * 1e3 / dev->info.sms);
    for (unsigned sm = 0; sm < dev->info.sms; sm++)
        printf(" %u", by_sm[sm]);
    printf("\n");
    free(list);
    free(cycles);
    free(by_sm);
    return status != 0 ? failed() : zero > 0 ? bad("accesses without a time") : 0;
}

static int probe(uint64_t offset, uint32_t *cycles)
{
    l2_access a = l2_access_of(L2_LD_CG, offset, 0);

    return dev->ops->walk(dev, 7 % (int)dev->info.sms, &a, 1, cycles) != 0 ? failed() : 0;
}

static int op_sweep(void)
{
    struct l2_pool pool = {.base = 0, .seed = 99, .log2_lines = 22, .stride = 128};
    uint64_t list[1000], target = 640 * MIB;
    struct sweep few = {.sm = 7 % (int)dev->info.sms, .kind = L2_LD_CG, .pool = &pool, .n = 1000};
    struct sweep many = {.sm = few.sm, .kind = L2_LD_CG, .pool = &pool, .n = 2000000};
    struct sweep listed = {.sm = -1, .kind = L2_ST, .list = list, .n = 1000};
    uint32_t hit, miss;
    double start;

    if (need(641 * MIB) != 0 || probe(target, &hit) != 0)
        return -1;
    if (dev->ops->sweep(dev, &few) != 0)
        return failed();
    if (probe(target, &hit) != 0)
        return -1;
    start = now();
    if (dev->ops->sweep(dev, &many) != 0)
        return failed();
    start = (now() - start) * 1e3;
    if (probe(target, &miss) != 0)
        return -1;
    printf("  after 1000 lines a probe takes %u, after 2000000 %u; those took %.2f ms\n", hit, miss,
           start);
    for (uint64_t i = 0; i < 1000; i++)
        list[i] = target + i * 256;
    for (int k = L2_LD_CG; k < L2_FENCE; k++) {
        listed.kind = (enum l2_kind)k;
        if (dev->ops->sweep(dev, &listed) != 0 && dev->info.cc_major >= 8)
            return failed();
    }
    return miss > hit + 50 ? 0 : bad("no miss");
}

static int op_tip(void)
{
    enum { TARGETS = 100 };
    struct evset_plan plan = {.d = dev,
                              .sm = 11 % (int)dev->info.sms,
                              .kind = L2_LD_CG,
                              .pool_bytes = evset_pool_bytes(dev),
                              .line = 128,
                              .votes = 2,
                              .check_all = 20,
                              .check_one = 10,
                              .extra = 4};
    struct l2_tip_in in;
    struct l2_tip_out *out = xmalloc(sizeof *out);
    uint32_t ms[TARGETS], status[8] = {0}, ok = 0, tries = 0, threshold;
    double start = now(), first = 0, cycles = 0;

    if (evset_plan(&plan, &rng) != 0)
        return failed();
    printf("  plan: %.2f s, sides kind %d, mask %llx, near %.0f far %.0f, miss %.0f, rounds %u\n",
           now() - start, (int)plan.sides.kind, (unsigned long long)plan.sides.mask,
           plan.sides.near, plan.sides.far, plan.miss, plan.rounds);
    for (int t = 0; t < TARGETS; t++) {
        uint64_t target = evset_target(&plan, &rng);

        start = now();
        out->status = 7;
        if (evset_threshold(&plan, target, &threshold) != 0)
            return failed();
        for (uint32_t k = 0; k < 4 && out->status != L2_TIP_OK; k++, tries++) {
            if (evset_try(&plan, target, threshold, k, &in, out) != 0)
                return failed();
            status[out->status]++;
            cycles += (double)out->cycles;
        }
        ms[t] = (uint32_t)((now() - start) * 1e6);
        ok += out->status == L2_TIP_OK;
        first += out->first;
        if (t < 5 || out->status != L2_TIP_OK)
            printf("  target %d: status %u, %u lines + %u, first %u, %u tests, threshold %u, %.1f "
                   "ms\n",
                   t, out->status, out->nset, out->nfound - out->nset, out->first, out->ntests,
                   threshold, ms[t] / 1e3);
    }
    printf("  %u of %d verified in %u tries; status counts", ok, TARGETS, tries);
    for (int i = 0; i < 8; i++)
        printf(" %u", status[i]);
    printf("; median %.1f ms a target; mean first %.0f; %.1f Mcycles a try\n",
           median(ms, TARGETS) / 1e3, first / TARGETS, cycles / tries / 1e6);
    evset_plan_free(&plan);
    free(out);
    return ok >= TARGETS - 1 ? 0 : bad("%u of %d verified", ok, TARGETS);
}

static int op_limits(void)
{
    struct device_state before, after;
    char spec[96];
    uint64_t got;

    snprintf(spec, sizeof spec, "%s", dev->spec);
    if (need(64 * MIB) != 0)
        return -1;
    if (dev->ops->state(dev, &before) != 0)
        return failed();
    for (uint64_t want = 32; want <= 128; want *= 2) {
        if (dev->ops->limit(dev, LIMIT_FETCH, want, &got) != 0)
            return failed();
        printf("  fetch %llu: reads back %llu\n", (unsigned long long)want,
               (unsigned long long)got);
    }
    if (dev->info.persist_max > 0) {
        if (dev->ops->limit(dev, LIMIT_PERSIST, dev->info.persist_max, &got) != 0 ||
            dev->ops->window(dev, 0, 16 * MIB, 1) != 0 || flush(0, 32 * MIB) != 0 ||
            dev->ops->window(dev, 0, 0, 1) != 0 || dev->ops->reset_persisting(dev) != 0)
            return failed();
        printf("  set aside %llu of %llu\n", (unsigned long long)got,
               (unsigned long long)dev->info.persist_max);
    }
    dev->ops->close(dev);
    dev = xdevice_open(spec, 1);
    if (dev->ops->state(dev, &after) != 0)
        return failed();
    printf("  before %lld %lld, after reopening %lld %lld\n", (long long)before.fetch,
           (long long)before.persisting, (long long)after.fetch, (long long)after.persisting);
    return before.fetch == after.fetch && before.persisting == after.persisting
               ? 0
               : bad("limits not put back");
}

/* What must be refused, and is said in one line. */
static int op_refuse(void)
{
    l2_access beyond, odd = l2_access_of(L2_ATOM, 4, 0);
    struct sweep s = {.sm = -1, .kind = L2_LD_CG, .stride = 128, .n = 1ull << 40};
    uint32_t cycles;

    if (need(MIB) != 0)
        return -1;
    beyond = l2_access_of(L2_LD_CG, dev->bytes, 0);
    if (dev->ops->walk(dev, 0, &beyond, 1, &cycles) == 0)
        return bad("a walk beyond the buffer");
    printf("  %s\n", dev->error);
    if (!dev->simulated && dev->ops->walk(dev, 0, &odd, 1, &cycles) == 0)
        return bad("an odd atomic");
    printf("  %s\n", dev->error);
    if (dev->ops->walk(dev, 100000, &odd, 1, &cycles) == 0)
        return bad("SM 100000");
    printf("  %s\n", dev->error);
    if (dev->ops->sweep(dev, &s) == 0)
        return bad("a sweep beyond the buffer");
    printf("  %s\n", dev->error);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} table[] = {
    {"state", op_state},   {"ticks", op_ticks},   {"link", op_link},     {"refuse", op_refuse},
    {"chase", op_chase},   {"chains", op_chains}, {"pin", op_pin},       {"walk", op_walk},
    {"sweep", op_sweep},   {"hammer", op_hammer}, {"stream", op_stream}, {"tip", op_tip},
    {"limits", op_limits},
};

static int wanted(int argc, char **argv, const char *name)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return 1;
    return argc <= 2;
}

int main(int argc, char **argv)
{
    double start = now();
    int wrong = 0;

    cli_start("gpu_ops");
    setvbuf(stdout, NULL, _IOLBF, 0);
    rng_seed(&rng, 1);
    dev = xdevice_open(argc > 1 ? argv[1] : "cuda", 1);
    printf("opened %s in %.2f s\n", dev->spec, now() - start);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (!wanted(argc, argv, table[i].name))
            continue;
        start = now();
        printf("%s:\n", table[i].name);
        int status = table[i].run();
        if (status != 0)
            printf("not ok %s: %s (%.2f s)\n", table[i].name, why, now() - start);
        else
            printf("ok %s (%.2f s)\n", table[i].name, now() - start);
        wrong += status != 0;
    }
    dev->ops->close(dev);
    return wrong > 0;
}
