/* analyze/gf2 against brute force over all vectors of a small space. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyze/gf2.h"
#include "share/lib/rng.h"

enum { BITS = 10, ALL = 1 << BITS };

/* Marks every sum of the vectors. */
static void span(const uint64_t *v, unsigned n, char *in)
{
    for (unsigned x = 0; x < ALL; x++)
        in[x] = 0;
    for (unsigned pick = 0; pick < 1u << n; pick++) {
        uint64_t sum = 0;

        for (unsigned i = 0; i < n; i++)
            sum ^= pick >> i & 1 ? v[i] : 0;
        in[sum] = 1;
    }
}

static void against_brute_force(void **state)
{
    struct rng r;

    (void)state;
    rng_seed(&r, 3);
    for (int t = 0; t < 300; t++) {
        unsigned n = (unsigned)rng_below(&r, 8);
        uint64_t v[8], size = 0, space = rng_below(&r, ALL);
        struct gf2 s = {.n = 0}, back = {.n = 0}, c;
        char in[ALL];

        for (unsigned i = 0; i < n; i++)
            gf2_add(&s, v[i] = rng_below(&r, ALL));
        for (unsigned i = n; i-- > 0;)
            gf2_add(&back, v[i]);
        assert_true(gf2_equal(&s, &back));
        span(v, n, in);
        for (unsigned x = 0; x < ALL; x++) {
            assert_int_equal(gf2_reduce(&s, x) == 0, in[x]);
            size += (uint64_t)in[x];
        }
        assert_int_equal(size, 1ull << s.n);
        gf2_complement(&s, space, &c);
        for (unsigned u = 0; u < ALL; u++) {
            int orthogonal = (u & ~space) == 0;

            for (unsigned i = 0; i < n; i++)
                orthogonal &= !gf2_parity(u & v[i]);
            assert_int_equal(gf2_reduce(&c, u) == 0, orthogonal);
        }
    }
}

static void rows_are_reduced(void **state)
{
    struct gf2 s = {.n = 0};

    (void)state;
    assert_int_equal(gf2_add(&s, 0xab000), 1);
    assert_int_equal(gf2_add(&s, 0x80000), 1);
    assert_int_equal(gf2_add(&s, 0x2b000), 0);
    assert_int_equal(s.row[0], 0x80000);
    assert_int_equal(s.row[1], 0x2b000);
    assert_string_equal(gf2_bits(0x2b000), "12,13,15,17");
    assert_string_equal(gf2_bits(0), "-");
    for (unsigned b = 0; b < 64; b++)
        gf2_add(&s, 1ull << b);
    assert_int_equal(s.n, 64);
}

static void wrong_pairs_are_outvoted(void **state)
{
    struct rng r;

    (void)state;
    rng_seed(&r, 4);
    for (int t = 0; t < 20; t++) {
        const uint64_t space = 0xffff80, f[2] = {0xab000, 0x5300};
        struct gf2 want = {.n = 0}, got;
        uint64_t diff[600];

        gf2_add(&want, f[0]);
        gf2_add(&want, f[1]);
        for (unsigned i = 0; i < 600; i++)
            do
                diff[i] = rng_u64(&r) & space;
            while (i % 120 != 7 && (gf2_parity(diff[i] & f[0]) || gf2_parity(diff[i] & f[1])));
        gf2_functions(diff, 600, space, 0.98, (uint64_t)t, &got);
        assert_true(gf2_equal(&got, &want));
        for (unsigned i = 0; i < 600; i++)
            diff[i] = rng_u64(&r) & space;
        gf2_functions(diff, 600, space, 0.98, (uint64_t)t, &got);
        assert_int_equal(got.n, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_brute_force),
        cmocka_unit_test(rows_are_reduced),
        cmocka_unit_test(wrong_pairs_are_outvoted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
