/* Cycles in windows: one cycle over all nodes, window by window; SMs of walkers, none twice; defects are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "collect/chains.h"

static void check_windows(size_t n, size_t each, uint64_t seed)
{
    uint32_t *next = calloc(n, sizeof *next), *work = calloc(n, sizeof *work);
    size_t at = 0, crossings = 0, hops = 0;
    struct rng r;

    rng_seed(&r, seed);
    cycle_in_windows(&r, next, work, n, each);
    do {
        assert_true(next[at] < n);
        crossings += at / each != next[at] / each;
        at = next[at];
        hops++;
    } while (at != 0 && hops <= n);
    assert_int_equal(hops, n);
    assert_int_equal(crossings, (n + each - 1) / each);
    free(next);
    free(work);
}

static void test_windows_are_one_cycle(void **state)
{
    static const size_t sizes[][2] = {{4, 2}, {5, 2}, {1000, 7}, {1024, 16}, {999, 998}, {17, 16}};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t seed = 0; seed < 5; seed++)
            check_windows(sizes[i][0], sizes[i][1], seed);
}

static void test_orders_differ(void **state)
{
    uint32_t a[1000], b[1000], work[1000], same = 0, rising = 0;
    struct rng r;

    (void)state;
    rng_seed(&r, 1);
    cycle_in_windows(&r, a, work, 1000, 10);
    cycle_in_windows(&r, b, work, 1000, 10);
    for (uint32_t i = 0; i < 1000; i++) {
        same += a[i] == b[i];
        rising += a[i] == i + 1;
    }
    assert_true(same < 250);
    assert_true(rising < 250);
}

static void test_walkers_have_their_own_sm(void **state)
{
    (void)state;
    for (unsigned sms = 1; sms <= 132; sms += 13)
        for (size_t n = 1; n <= sms; n++) {
            char used[132] = {0};

            for (size_t k = 0; k < n; k++) {
                int sm = chains_sm(5 % (int)sms, k, n, sms);

                assert_true(sm >= 0 && sm < (int)sms);
                assert_int_equal(used[sm]++, 0);
            }
        }
}

/* A device of one chain of links, which a defect may cut. */
static uint32_t links[4096];
static size_t nlinks;

static int link_mock(struct device *d, uint64_t base, uint64_t stride, const uint32_t *next,
                     size_t n)
{
    (void)d, (void)base, (void)stride;
    memcpy(links, next, n * sizeof *next);
    nlinks = n;
    return 0;
}

static int chase_mock(struct device *d, struct chase *c)
{
    (void)d;
    for (uint64_t h = 0; h < c->warm + c->hops; h++)
        c->chain[0].at = links[c->chain[0].at / 128] * (uint64_t)128;
    return 0;
}

/* Hops that lead back to node 0, 0 when none do. */
static size_t true_length(void)
{
    size_t at = 0, hops = 0;

    do
        at = links[at];
    while (++hops <= nlinks && at != 0);
    return hops <= nlinks ? hops : 0;
}

static void test_only_whole_cycles_pass(void **state)
{
    static const struct device_ops ops = {.name = "mock", .link = link_mock, .chase = chase_mock};
    struct device dev = {.ops = &ops};
    struct run r = {.dev = &dev};
    struct chain chain = {0};
    uint32_t next[4096];
    struct chains c = {.chain = &chain, .n = 1, .stride = 128, .next = next};
    const struct chase how = {.kind = L2_LD_CG, .chain = &chain, .nchain = 1};
    size_t whole = 0, refused = 0;

    (void)state;
    rng_seed(&r.rng, 3);
    for (c.nodes = 2; c.nodes <= 4096; c.nodes += 1 + c.nodes / 7)
        for (int defect = 0; defect < 8; defect++) {
            int failed;

            assert_int_equal(chains_build(&r, &c, 0), 0);
            if (defect % 2 == 1) { /* swaps two ends: two cycles */
                size_t a = rng_below(&r.rng, c.nodes), b = rng_below(&r.rng, c.nodes);
                uint32_t end = links[a];

                links[a] = links[b];
                links[b] = end;
            } else if (defect % 4 == 2) { /* one pointer leads somewhere else */
                links[rng_below(&r.rng, c.nodes)] = (uint32_t)rng_below(&r.rng, c.nodes);
            }
            failed = chains_verify(&r, &c, &how);
            assert_int_equal(failed == 0, true_length() == c.nodes);
            whole += !failed;
            refused += failed != 0;
        }
    assert_true(whole > 100 && refused > 100);
    assert_non_null(strstr(dev.error, "is no single cycle"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_are_one_cycle),
        cmocka_unit_test(test_orders_differ),
        cmocka_unit_test(test_walkers_have_their_own_sm),
        cmocka_unit_test(test_only_whole_cycles_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
