/* Cycles in windows: one cycle over all nodes, window by window; SMs of walkers, none twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_are_one_cycle),
        cmocka_unit_test(test_orders_differ),
        cmocka_unit_test(test_walkers_have_their_own_sm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
