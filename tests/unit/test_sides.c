/* collect/sides on a device made of one function: known mask, page constants, SM sides, noise. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "collect/sides.h"
#include "share/lib/rng.h"
#include "share/lib/split.h"

static uint64_t truth_mask;
static int
    truth_sides; /* 1, 2, 4; 0: a side that is no XOR; -1: one side, slices at two distances */

static unsigned truth_side(uint64_t offset)
{
    unsigned page = (unsigned)(rng_mix(offset >> 21) & 3);

    if (truth_sides == 0)
        return (unsigned)(offset / 4096 % 3 == 0);
    if (truth_sides == 1)
        return 0;
    if (truth_sides == 4)
        return (l2_parity(offset & truth_mask) ^ (page & 1)) +
               2 * (l2_parity(offset & 0x30000) ^ page >> 1);
    return l2_parity(offset & truth_mask) ^ (page & 1);
}

static int fake_walk(struct device *d, int sm, const l2_access *list, size_t n, uint32_t *cycles)
{
    static uint64_t count;

    (void)d;
    for (size_t i = 0; i < n; i++) {
        uint64_t offset = l2_access_offset(list[i]), noise = rng_mix(++count);
        int far = truth_side(offset) !=
                  (unsigned)sm / 3 % 4 % (unsigned)(truth_sides > 1 ? truth_sides : 2);

        assert_int_equal(l2_access_kind(list[i]), L2_ATOM);
        assert_true(offset < d->bytes);
        if (truth_sides == 1)
            far = 0;
        if (truth_sides == -1)
            far = (int)(rng_mix(offset / 4096 % 7 + 100 * (unsigned)sm) & 1);
        cycles[i] = (uint32_t)(280 + 170 * far + (int)(rng_mix(offset / 256 + (unsigned)sm) % 40) +
                               (int)(noise % 12));
        if (noise % 97 == 0)
            cycles[i] += 900;
    }
    return 0;
}

static const struct device_ops fake_ops = {.name = "fake", .walk = fake_walk};

static struct sides find(int sides, uint64_t mask, uint64_t bytes, uint64_t seed)
{
    struct device d = {.ops = &fake_ops, .info.sms = 12, .bytes = bytes};
    struct sides s;
    struct rng r;

    truth_sides = sides;
    truth_mask = mask;
    rng_seed(&r, seed);
    assert_int_equal(sides_find(&d, 0, bytes, &r, &s), 0);
    return s;
}

static void two_sides(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        uint64_t mask = (rng_mix(seed) & 0x1fff80) | 1ull << 13;
        struct sides s = find(2, mask, 40ull << 21, seed);

        assert_int_equal(s.kind, SIDES_LINEAR);
        assert_int_equal(s.mask, mask);
        assert_true(s.right > 0.999);
        for (uint64_t x = 0; x < s.bytes; x += 12345 * 32)
            assert_int_equal(sides_of(&s, x), truth_side(x));
        sides_free(&s);
    }
}

static void pool_lines_are_on_the_side(void **state)
{
    struct sides s = find(2, 0xab000, 64ull << 21, 5);
    struct l2_pool p = {.base = 4ull << 21, .log2_lines = 18, .stride = 128, .seed = 9};

    (void)state;
    for (unsigned want = 0; want < 2; want++) {
        assert_int_equal(sides_pool(&s, want, &p), 0);
        for (uint32_t i = 0; i < l2_pool_size(&p); i += 17)
            assert_int_equal(truth_side(l2_pool_line(&p, i)), want);
    }
    p.base = 60ull << 21;
    assert_int_equal(sides_pool(&s, 0, &p), -1);
    p = (struct l2_pool){.base = 0, .log2_lines = 12, .stride = 1u << 20};
    assert_int_equal(sides_pool(&s, 0, &p), -1);
    sides_free(&s);
}

static void side_of_each_sm(void **state)
{
    struct sides s = find(2, 0xab000, 8ull << 21, 6);
    struct device d = {.ops = &fake_ops, .info.sms = 12, .bytes = 8ull << 21};
    struct rng r;

    (void)state;
    rng_seed(&r, 1);
    for (int sm = 0; sm < 12; sm++) {
        unsigned side;

        assert_int_equal(sides_sm(&d, &s, sm, &r, &side), 0);
        assert_int_equal(side, sm / 3 % 2);
    }
    sides_free(&s);
}

static void other_chips(void **state)
{
    struct sides s = find(1, 0, 8ull << 21, 7);

    (void)state;
    assert_int_equal(s.kind, SIDES_ONE);
    sides_free(&s);
    s = find(0, 0, 8ull << 21, 8);
    assert_int_equal(s.kind, SIDES_TABLE);
    sides_free(&s);
    s = find(4, 0xab000, 8ull << 21, 9);
    assert_int_equal(s.kind, SIDES_MORE);
    sides_free(&s);
    s = find(-1, 0, 8ull << 21, 10);
    assert_int_not_equal(s.kind, SIDES_LINEAR);
    sides_free(&s);
}

static void split_of_two_modes(void **state)
{
    double v[] = {1, 2.385, 2.5, 3, 11, 12}, one[] = {5, 5, 5}, lone[] = {1, 1.1, 1.2, 9};
    struct split s;

    (void)state;
    split_variance(v, 6, &s);
    assert_int_equal(s.below, 4);
    assert_true(s.low == (2.385 + 2.5) / 2 && s.high == 11.5 && s.gap == 8 && s.at == 7);
    split_gap(lone, 4, &s);
    assert_int_equal(s.below, 3);
    split_gap(one, 3, &s);
    assert_true(s.gap == 0 && s.width == 0);
    assert_true(split_median(v, 5) == 2.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sides),          cmocka_unit_test(pool_lines_are_on_the_side),
        cmocka_unit_test(side_of_each_sm),    cmocka_unit_test(other_chips),
        cmocka_unit_test(split_of_two_modes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
