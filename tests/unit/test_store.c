/* What a store makes readable, and who leaves a set with dirty lines: rules recovered from what they foresee. */
#include "analyze/storefit.h"
#include "analyze/victim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Aligned and straddling stores of 1 to 128 bytes, probed every 32 bytes, under a rule. */
static size_t stores(struct store_probe *p, enum store_rule rule, uint64_t size)
{
    size_t n = 0;

    for (uint64_t bytes = 1; bytes <= 128; bytes *= 2)
        for (int straddle = 0; straddle < 2; straddle++)
            for (uint64_t probe = 0; probe < 256; probe += 32) {
                uint64_t from = !straddle ? 0 : bytes <= 32 ? 32 - bytes / 2 : 16, begin, end;
                struct store_probe s = {from, from + bytes, probe, 0};

                begin = size > 0 ? probe / size * size : 0;
                end = begin + size;
                if (rule == STORE_WHOLE)
                    s.hit = s.from <= begin && end <= s.to;
                if (rule == STORE_TOUCHED)
                    s.hit = s.from < end && begin < s.to;
                p[n++] = s;
            }
    return n;
}

static void test_stores(void **state)
{
    static const uint64_t sizes[] = {16, 32, 64, 128};
    struct store_probe p[256];
    struct store_fit f;
    size_t n = stores(p, STORE_NOTHING, 0);

    (void)state;
    assert_int_equal(store_fit(p, n, &f), 0);
    assert_int_equal(f.rule, STORE_NOTHING);
    for (size_t i = 0; i < 4; i++)
        for (int rule = STORE_WHOLE; rule <= STORE_TOUCHED; rule++) {
            n = stores(p, (enum store_rule)rule, sizes[i]);
            assert_int_equal(store_fit(p, n, &f), 0);
            assert_int_equal(f.rule, rule);
            /* Blocks below the distance of probes look like the least one. */
            assert_int_equal(f.size, rule == STORE_TOUCHED && sizes[i] < 32 ? 1 : sizes[i]);
            assert_int_equal(f.wrong, 0);
        }
    for (size_t i = 0; i < n; i++)
        p[i].hit = i % 3 == 0;
    assert_int_equal(store_fit(p, n, &f), -1);
    assert_int_equal(store_fit(p, 0, &f), -1);
}

/* The victims of 16 ways: the oldest clean line where the last `limit` stored lines are dirty; limit 0: the oldest. */
static size_t victims(struct victim_probe *p, uint64_t limit)
{
    size_t n = 0;

    for (uint64_t stored = 1; stored <= 16; stored++)
        for (uint64_t line = 0; line < 16; line++)
            for (int young = 0; young < 2; young++) {
                uint64_t victim = !young && stored <= limit && stored < 16 ? stored : 0;

                p[n++] = (struct victim_probe){16, stored, line, young, line == victim};
            }
    return n;
}

static void test_victims(void **state)
{
    struct victim_probe p[512];
    struct victim_fit f;
    size_t n = victims(p, 7);

    (void)state;
    assert_int_equal(victim_fit(p, n, &f), 0);
    assert_int_equal(f.rule, VICTIM_CLEAN);
    assert_int_equal(f.limit, 7);
    assert_int_equal(f.wrong, 0);
    assert_false(f.evicted);
    n = victims(p, 0);
    assert_int_equal(victim_fit(p, n, &f), 0);
    assert_int_equal(f.rule, VICTIM_OLDEST);
    assert_int_equal(f.limit, 0);
    for (size_t i = 0; i < n; i++)
        p[i].lost = i % 5 == 0;
    assert_int_equal(victim_fit(p, n, &f), -1);
    assert_int_equal(victim_fit(p, 0, &f), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_victims),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
