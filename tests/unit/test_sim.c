/* The simulated device, operation by operation, on drawn chips and on presets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/device.h"
#include "collect/sim.h"
#include "share/lib/mem.h"

static struct device *must_open(const char *spec, uint64_t bytes)
{
    char why[512] = "";
    struct device *d = sim_device.open(spec, 1, why, sizeof why);

    if (d == NULL)
        fail_msg("%s: %s", spec, why);
    if (bytes > 0 && d->ops->alloc(d, bytes) != 0)
        fail_msg("%s", d->error);
    return d;
}

static void must(struct device *d, int status)
{
    if (status != 0)
        fail_msg("%s", d->error);
}

/* Fails, and says `what`. */
static void must_fail(struct device *d, int status, const char *what)
{
    assert_int_equal(status, -1);
    if (strstr(d->error, what) == NULL)
        fail_msg("'%s', not '%s'", d->error, what);
    d->error[0] = '\0';
}

static void link_cycle(struct device *d, uint64_t base, uint64_t stride, size_t n, uint64_t seed)
{
    uint32_t *next = xmalloc(n * sizeof *next);
    struct rng r;

    rng_seed(&r, seed);
    rng_cycle(&r, next, n);
    must(d, d->ops->link(d, base, stride, next, n));
    free(next);
}

static void test_open(void **state)
{
    static const struct {
        const char *spec, *why;
    } bad[] = {{"nothere", "nothere.dev: No such file"},
               {"./nothere.dev", "./nothere.dev: No such file"},
               {"draw:x", "a seed comes first"},
               {"draw:3,loud", "'loud'"}};
    char why[512];
    struct device *d = must_open("h200", 0);

    (void)state;
    assert_true(d->simulated);
    assert_string_equal(d->info.name, "H200 (simulated)");
    assert_int_equal(d->info.sms, 132);
    assert_int_equal(d->info.l2_bytes, 62914560);
    d->ops->close(d);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(sim_device.open(bad[i].spec, 1, why, sizeof why));
        if (strstr(why, bad[i].why) == NULL)
            fail_msg("'%s', not '%s'", why, bad[i].why);
    }
}

static void test_link(void **state)
{
    struct device *d = must_open("tiny", 1 << 20);
    const uint32_t next[] = {2, 0, 1, 4, 3}, out[] = {5, 0, 0, 0, 0};
    uint64_t n = 0;

    (void)state;
    must(d, d->ops->link(d, 256, 128, next, 5));
    must(d, d->ops->cycle_length(d, 256, 100, &n));
    assert_int_equal(n, 3);
    must(d, d->ops->cycle_length(d, 256 + 3 * 128, 100, &n));
    assert_int_equal(n, 2);
    must(d, d->ops->cycle_length(d, 256, 2, &n));
    assert_int_equal(n, 2);
    must_fail(d, d->ops->cycle_length(d, 0, 2, &n), "no pointer at offset 0");
    must_fail(d, d->ops->link(d, 0, 128, out, 5), "points to 5 of 5");
    must_fail(d, d->ops->link(d, 0, 4, next, 5), "multiples of 8");
    must_fail(d, d->ops->link(d, 1 << 20, 128, next, 5), "outside the buffer");
    link_cycle(d, 256, 64, 1000, 1); /* over the first ones */
    must(d, d->ops->cycle_length(d, 256, 100000, &n));
    assert_int_equal(n, 1000);
    must(d, d->ops->alloc(d, 1 << 20));
    must_fail(d, d->ops->cycle_length(d, 256, 2, &n), "no pointer");
    must_fail(d, d->ops->alloc(d, 1ull << 40), "alloc: 1099511627776 bytes asked");
    d->ops->close(d);
}

/* Mean cycles of a hop over a cycle of so many bytes, all warm. */
static double chase(struct device *d, uint64_t bytes, enum l2_kind kind, int sm,
                    enum chase_record record)
{
    size_t n = bytes / 128;
    uint32_t *bins = xcalloc(CHASE_BINS, sizeof *bins);
    uint64_t total = 0, sum = 0, count = 0;
    struct chain chain = {sm, 0};
    struct chase c = {.kind = kind,
                      .chain = &chain,
                      .nchain = 1,
                      .warm = 3 * n,
                      .hops = n,
                      .record = record,
                      .carveout = -1,
                      .bins = bins,
                      .total = &total};

    link_cycle(d, 0, 128, n, 1);
    must(d, d->ops->chase(d, &c));
    assert_int_equal(chain.at, 0);
    for (uint64_t i = 0; i < CHASE_BINS; i++) {
        sum += i * bins[i];
        count += bins[i];
    }
    assert_int_equal(count, record == CHASE_EACH ? n : 0);
    free(bins);
    return (double)(record == CHASE_EACH ? sum : total) / (double)n;
}

static void within(double got, double lo, double hi)
{
    if (!(got >= lo && got <= hi))
        fail_msg("%.17g is not between %g and %g", got, lo, hi);
}

static void test_chase(void **state)
{
    struct device *d = must_open("tiny", 1 << 20);

    (void)state;
    within(chase(d, 30 << 10, L2_LD_CG, 0, CHASE_EACH), 205, 226);  /* 200 and the timer's 16 */
    within(chase(d, 30 << 10, L2_LD_CG, 0, CHASE_TOTAL), 189, 212); /* without it */
    within(chase(d, 4 << 10, L2_LD_CA, 0, CHASE_EACH), 45, 47);     /* the L1 */
    within(chase(d, 90 << 10, L2_LD_CG, 0, CHASE_EACH), 380,
           402); /* half remote hits, half local DRAM */
    within(chase(d, 400 << 10, L2_LD_CG, 7, CHASE_EACH), 530, 552);
    d->ops->close(d);
}

static void test_chase_many(void **state)
{
    struct device *d = must_open("tiny", 1 << 20);
    uint32_t *bins = xcalloc(2 * CHASE_BINS, sizeof *bins), each[40] = {0};
    struct chain chain[2] = {{0, 0}, {1, 65536}};
    struct chase c = {.kind = L2_LD_CG,
                      .chain = chain,
                      .nchain = 2,
                      .hops = 30,
                      .record = CHASE_EACH,
                      .carveout = -1,
                      .bins = bins};
    uint64_t count = 0;

    (void)state;
    link_cycle(d, 0, 128, 20, 1);
    link_cycle(d, 65536, 128, 30, 2);
    must(d, d->ops->chase(d, &c));
    for (size_t i = 0; i < CHASE_BINS; i++)
        count += bins[CHASE_BINS + i];
    assert_int_equal(count, 30);
    assert_int_not_equal(chain[0].at, 0);
    assert_int_equal(chain[1].at, 65536);
    c.nchain = 1;
    c.each = each;
    must(d, d->ops->chase(d, &c));
    for (int i = 0; i < 30; i++)
        within(each[i], 190, 260);
    assert_int_equal(each[30], 0);
    chain[0].sm = 8;
    must_fail(d, d->ops->chase(d, &c), "no SM 8");
    chain[0].sm = 0;
    c.kind = L2_ST;
    must_fail(d, d->ops->chase(d, &c), "not a load");
    free(bins);
    d->ops->close(d);
}

static uint32_t walk_one(struct device *d, enum l2_kind kind, uint64_t offset, uint32_t bytes)
{
    l2_access a = l2_access_of(kind, offset, bytes);
    uint32_t cycles = 0;

    must(d, d->ops->walk(d, 0, &a, 1, &cycles));
    return cycles;
}

static void test_walk(void **state)
{
    struct device *d = must_open("tiny", 1 << 20);
    const l2_access bad = l2_access_of(L2_LD_CG, (1 << 20) - 4, 8);
    uint32_t cycles;
    uint64_t got;

    (void)state;
    assert_int_equal(walk_one(d, L2_NOP, 0, 0), 16);
    for (uint32_t fetch = 32; fetch <= 128; fetch *= 2) {
        uint64_t line = fetch * 1024;

        must(d, d->ops->limit(d, LIMIT_FETCH, fetch, &got));
        assert_int_equal(got, fetch);
        assert_true(walk_one(d, L2_LD_CG, line, 8) > 400);
        for (uint32_t s = 32; s < 128; s += 32)
            assert_int_equal(walk_one(d, L2_LD_CG, line + s, 8) < 350, s % fetch != 0);
    }
    must(d, d->ops->limit(d, LIMIT_FETCH, 33, &got)); /* rounded, as a driver does */
    assert_int_equal(got, 64);
    assert_true(walk_one(d, L2_ST, 512, 32) < 60);
    assert_true(walk_one(d, L2_LD_CG, 512, 8) < 350); /* allocated without a fetch */
    assert_true(walk_one(d, L2_LD_CG, 544, 8) > 400);
    walk_one(d, L2_ST, 1024 + 120, 16);                      /* over two lines */
    assert_true(walk_one(d, L2_LD_CG, 1024 + 120, 8) > 400); /* half a sector is no sector */
    walk_one(d, L2_LD_CG, 2048, 8);
    walk_one(d, L2_DISCARD, 2048, 128);
    assert_true(walk_one(d, L2_LD_CG, 2048, 8) > 400);
    walk_one(d, L2_PREFETCH, 4096, 8);
    assert_true(walk_one(d, L2_LD_CG, 4096, 8) < 350);
    assert_true(walk_one(d, L2_WAIT, 10000, 0) > 14000);
    must_fail(d, d->ops->walk(d, 0, &bad, 1, &cycles), "outside the buffer");
    must_fail(d, d->ops->walk(d, -1, &bad, 1, &cycles), "no SM -1");
    d->ops->close(d);
}

/* Atomics go to the home: two distances, by the model's own truth. */
static void test_atomics(void **state)
{
    struct device *d = must_open("tiny", 1 << 20);
    struct sim *s = sim_of(d);

    (void)state;
    for (uint64_t at = 0; at < 1 << 20; at += 4096) {
        bool near = cache_ref(&s->cache, at).at.side == s->sm_side[0];

        walk_one(d, L2_ATOM, at, 8);
        assert_int_equal(walk_one(d, L2_ATOM, at, 8) < 266, near);
    }
    d->ops->close(d);
}

static void test_sweep(void **state)
{
    struct device *d = must_open("tiny", 1 << 20);
    const uint64_t list[] = {0, 512};
    struct sweep w = {.sm = 0, .kind = L2_LD_CG, .list = list, .n = 2};

    (void)state;
    must(d, d->ops->sweep(d, &w));
    assert_true(walk_one(d, L2_LD_CG, 512, 8) < 350);
    w = (struct sweep){.sm = -1, .kind = L2_LD_CG, .start = 1 << 16, .stride = 128, .n = 4000};
    must(d, d->ops->sweep(d, &w)); /* 500 KiB: everything else is gone */
    assert_true(walk_one(d, L2_LD_CG, 512, 8) > 400);
    w.n = 1 << 20;
    must_fail(d, d->ops->sweep(d, &w), "outside the buffer");
    d->ops->close(d);
}

static double stream(struct device *d, enum stream_op op, uint64_t bytes, uint32_t threads,
                     uint32_t take, uint32_t every)
{
    struct stream s = {.op = op,
                       .bytes = bytes,
                       .width = 16,
                       .take = take,
                       .every = every,
                       .blocks = 2 * d->info.sms,
                       .threads = threads,
                       .unroll = 4,
                       .passes = 20,
                       .kind = L2_LD_CG};
    struct stream_result r;

    must(d, d->ops->stream(d, &s, &r));
    assert_int_equal(r.moved, every ? bytes / every * take * 20 : bytes * 20);
    return (double)r.moved / r.ns;
}

/* The H200's rates, GB/s: from L2, from memory, sectors wasted, too few threads. */
static void test_stream(void **state)
{
    struct device *d = must_open("h200", 256 << 20);
    struct stream bad = {
        .bytes = 4096, .width = 3, .blocks = 1, .threads = 32, .unroll = 1, .passes = 1};
    struct stream_result r;

    (void)state;
    within(stream(d, STREAM_READ, 16 << 20, 512, 0, 0), 8000, 10500);
    within(stream(d, STREAM_READ, 128 << 20, 512, 0, 0), 4000, 4700);
    within(stream(d, STREAM_READ, 16 << 20, 512, 16, 64), 3900, 5300);
    within(stream(d, STREAM_READ, 128 << 20, 512, 32, 64), 2000, 2400);
    within(stream(d, STREAM_READ, 16 << 20, 32, 0, 0), 100, 4500);
    within(stream(d, STREAM_WRITE, 128 << 20, 512, 0, 0), 4000, 4700);
    must_fail(d, d->ops->stream(d, &bad, &r), "width 3");
    d->ops->close(d);
}

/* Contention on the H200, in cycles: any other slice, the partner, the same one; atomics to lines of one bank. */
static void test_hammer(void **state)
{
    struct device *d = must_open("h200", 4 << 20);
    struct sim *s = sim_of(d);
    struct place first = cache_ref(&s->cache, 0).at;
    uint64_t a[2000], b[2000];
    double load[2000], atom[2000];
    struct hammer h = {
        .kind = L2_LD_CG, .a = a, .b = b, .npair = 2000, .accesses = 64, .warps = 32};
    const double by_load[3] = {940, 1600, 1600};
    const double by_atom[2][3] = {{2900, 3950, 5800}, {2900, 5270, 7100}};
    int seen[2][3] = {{0}};

    (void)state;
    for (size_t i = 0; i < 2000; i++) {
        a[i] = 0;
        b[i] = (i + 1) * 2048;
    }
    must(d, d->ops->hammer(d, &h, load));
    h.kind = L2_ATOM;
    must(d, d->ops->hammer(d, &h, atom));
    for (size_t i = 0; i < 2000; i++) {
        struct place at = cache_ref(&s->cache, b[i]).at;
        int what = at.slice != first.slice ? 0 : at.side != first.side ? 1 : 2;
        int bank = at.set % s->cache.chip.service_banks == first.set % s->cache.chip.service_banks;

        seen[bank][what]++;
        within(load[i], 0.9 * by_load[what], 1.1 * by_load[what]);
        within(atom[i], 0.9 * by_atom[bank][what], 1.1 * by_atom[bank][what]);
    }
    for (int what = 0; what < 3; what++)
        assert_true(seen[0][what] > 5 && seen[1][what] > 0);
    d->ops->close(d);
}

/* The search finds as many lines as the chip has ways, all of the target's set. */
static void test_tip(void **state)
{
    char spec[64];
    struct l2_tip_out *out = xcalloc(1, sizeof *out);

    (void)state;
    for (int seed = 1; seed <= 12; seed++) {
        struct l2_tip_in in = {.kind = L2_LD_CG,
                               .votes = 2,
                               .check_all = 20,
                               .check_one = 10,
                               .rounds = 1,
                               .extra = 3};
        struct device *d;
        struct sim *s;
        struct chip *c;

        snprintf(spec, sizeof spec, "draw:%d,sides=1,lines=4096,policy=lru", seed);
        d = must_open(spec, 64 << 20);
        s = sim_of(d);
        c = &s->cache.chip;
        in.pool = (struct l2_pool){
            .seed = (uint64_t)seed * 77777, .log2_lines = 18, .stride = 128, .page_shift = 21};
        in.target = 128 * 12345;
        in.threshold = (c->latency_local + c->latency_dram) / 2 + c->timer;
        must(d, d->ops->tip(d, 0, &in, out));
        assert_int_equal(out->status, L2_TIP_OK);
        assert_int_equal(out->nset, c->ways);
        assert_int_equal(out->nfound, c->ways + 3);
        for (uint32_t i = 0; i < out->nfound; i++)
            assert_int_equal(cache_ref(&s->cache, out->found[i]).at.set,
                             cache_ref(&s->cache, in.target).at.set);
        in.pool.log2_lines = 4;
        must(d, d->ops->tip(d, 0, &in, out));
        assert_int_equal(out->status, L2_TIP_POOL_KEEPS);
        d->ops->close(d);
    }
    free(out);
}

static void test_limits(void **state)
{
    struct device *d = must_open("tiny", 1 << 20);
    struct device_state st;
    uint64_t got;

    (void)state;
    must(d, d->ops->limit(d, LIMIT_PERSIST, 1 << 30, &got));
    assert_int_equal(got, 60 << 10);
    must(d, d->ops->limit(d, LIMIT_PERSIST, 30 << 10, &got));
    must(d, d->ops->state(d, &st));
    assert_int_equal(st.persisting, 30 << 10);
    assert_int_equal(st.fetch, 64);
    must(d, d->ops->window(d, 0, 16 << 10, 1));
    for (uint64_t at = 0; at < 16 << 10; at += 128)
        walk_one(d, L2_LD_CG, at, 8);
    must(d, d->ops->sweep(
                d, &(struct sweep){
                       .sm = 0, .kind = L2_LD_CG, .start = 1 << 16, .stride = 128, .n = 4000}));
    for (uint64_t at = 0; at < 16 << 10; at += 128)
        assert_true(walk_one(d, L2_LD_CG, at, 8) < 350);
    must(d, d->ops->reset_persisting(d));
    must(d, d->ops->window(d, 0, 0, 0));
    must(d, d->ops->sweep(
                d, &(struct sweep){
                       .sm = 0, .kind = L2_LD_CG, .start = 1 << 16, .stride = 128, .n = 4000}));
    assert_true(walk_one(d, L2_LD_CG, 0, 8) > 400);
    must_fail(d, d->ops->window(d, 0, 2 << 20, 1), "outside the buffer");
    d->ops->close(d);
}

static void test_ticks(void **state)
{
    struct device *d = must_open("h200", 0);
    uint64_t cycles, ns;

    (void)state;
    must(d, d->ops->ticks(d, 0, 1, &cycles, &ns));
    within((double)cycles * 1000 / (double)ns, 1700, 1900); /* warming up */
    must(d, d->ops->ticks(d, 0, 500, &cycles, &ns));
    must(d, d->ops->ticks(d, 131, 2, &cycles, &ns));
    within((double)cycles * 1000 / (double)ns, 1975, 1985);
    must_fail(d, d->ops->ticks(d, 132, 1, &cycles, &ns), "no SM 132");
    d->ops->close(d);
}

static void test_fail_after(void **state)
{
    char *path =
        xprintf("%s/l2sim.%d.dev", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (int)getpid());
    FILE *f = fopen(path, "w");
    struct device_state st;
    struct device *d;

    (void)state;
    assert_non_null(f);
    fputs("fail_after 2\n", f);
    fclose(f);
    d = must_open(path, 1 << 20);
    must(d, d->ops->state(d, &st));
    must_fail(d, d->ops->state(d, &st), "state: simulated failure after 2 operations");
    d->ops->close(d);
    remove(path);
    free(path);
}

/* Two opens of one chip with one seed agree in everything. */
static void test_repeatable(void **state)
{
    struct device *a = must_open("draw:9,noise", 4 << 20), *b = must_open("draw:9,noise", 4 << 20);

    (void)state;
    for (uint64_t at = 0; at < 4 << 20; at += 4096 + 128)
        assert_int_equal(walk_one(a, L2_LD_CG, at, 8), walk_one(b, L2_LD_CG, at, 8));
    a->ops->close(a);
    b->ops->close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open),       cmocka_unit_test(test_link),
        cmocka_unit_test(test_chase),      cmocka_unit_test(test_chase_many),
        cmocka_unit_test(test_walk),       cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_sweep),      cmocka_unit_test(test_stream),
        cmocka_unit_test(test_hammer),     cmocka_unit_test(test_tip),
        cmocka_unit_test(test_limits),     cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_fail_after), cmocka_unit_test(test_repeatable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
