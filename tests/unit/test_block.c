/* Controls, blocks by touch and probe, blocks by partial reads. */
#include "analyze/block.h"
#include "analyze/controls.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_controls(void **state)
{
    double hit[10] = {270, 271, 272, 273, 280, 281, 290, 291, 300, 301};
    double miss[10] = {500, 501, 510, 511, 520, 530, 540, 550, 700, 901};
    struct controls c;

    (void)state;
    assert_int_equal(controls_split(hit, 10, miss, 10, &c), 0);
    assert_true(c.threshold == 400.5 && c.slow == 0 && c.fast == 0);
    assert_int_equal(controls_split(hit, 7, miss, 10, &c), -1);
    assert_true(isnan(c.threshold));
    /* One of ten on the wrong side is too many. */
    hit[9] = 950;
    assert_int_equal(controls_split(hit, 10, miss, 10, &c), -1);
    assert_int_equal(c.slow, 1);
    /* The same values twice: no threshold. */
    assert_int_equal(controls_split(miss, 10, miss, 10, &c), -1);
}

/* Every pair of steps in 512 bytes, of blocks of `size`. */
static size_t draw(struct touch_probe *t, uint64_t size)
{
    size_t n = 0;

    for (uint64_t a = 4096; a < 4608; a += 32)
        for (uint64_t b = 4096; b < 4608; b += 32)
            t[n++] = (struct touch_probe){a, b, a / size == b / size};
    return n;
}

static void test_touches(void **state)
{
    static const uint64_t sizes[] = {32, 64, 96, 128, 256};
    struct touch_probe t[256];
    struct block_fit f;

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        size_t n = draw(t, sizes[i]);

        assert_int_equal(block_from_touches(t, n, 32, 256, &f), 0);
        assert_int_equal(f.size, sizes[i]);
        assert_int_equal(f.wrong, 0);
        assert_true(f.rival_wrong > 0);
        t[17].hit = !t[17].hit;
        assert_int_equal(block_from_touches(t, n, 32, 256, &f), 0);
        assert_int_equal(f.wrong, 1);
    }
    for (size_t i = 0; i < 256; i++)
        t[i].hit = i % 3 == 0;
    assert_int_equal(block_from_touches(t, 256, 32, 256, &f), -1);
    assert_int_equal(block_from_touches(t, 0, 32, 256, &f), -1);
}

/* A touch of the first of 8 steps brings all 8, any other its own 4; what comes along now and then does not count. */
static void test_lead(void **state)
{
    struct touch_probe t[256];
    struct block_fit f;
    size_t n = draw(t, 128);

    (void)state;
    for (size_t i = 0; i < n; i++)
        t[i].hit |= t[i].touch % 256 == 0 && t[i].touch / 256 == t[i].probe / 256;
    assert_int_equal(block_from_touches(t, n, 32, 256, &f), 0);
    assert_int_equal(f.size, 128);
    assert_int_equal(f.lead, 256);
    assert_int_equal(f.lead_n, 8);
    assert_int_equal(f.wrong, 0);
    for (size_t i = 0; i < n; i++)
        if (t[i].touch == 4096 && t[i].probe == 4096 + 160)
            t[i].hit = 0;
    assert_int_equal(block_from_touches(t, n, 32, 256, &f), 0);
    assert_int_equal(f.lead, 0);
    assert_int_equal(f.wrong, 7);
}

static void test_partial(void **state)
{
    /* What an H200 takes, ns a period: from memory with 64 bytes fetched, then with 32; from the L2. */
    static const struct partial_time by64[] = {
        {32, 64, .0142},   {64, 64, .0144},   {32, 128, .0163}, {64, 128, .0167},
        {128, 128, .0289}, {128, 256, .0288}, {256, 256, .0578}};
    static const struct partial_time by32[] = {
        {32, 64, .0083}, {64, 64, .0144}, {64, 128, .0167}, {128, 128, .0289}};
    static const struct partial_time l2[] = {{16, 64, .00373},  {32, 64, .0038},
                                             {64, 64, .00875},  {32, 128, .0069},
                                             {64, 128, .00759}, {128, 128, .0175}};
    struct block_bound b;

    (void)state;
    assert_int_equal(block_from_partial(by64, 7, &b), 0);
    assert_int_equal(b.size, 64);
    assert_int_equal(block_from_partial(by32, 4, &b), -1);
    assert_int_equal(b.size, 32);
    assert_true(isnan(b.half));
    assert_int_equal(block_from_partial(l2, 6, &b), 0);
    assert_int_equal(b.size, 32);
    assert_true(b.half > 0.97 && b.twice < 0.45);
    assert_int_equal(block_from_partial(by64, 2, &b), -1);
    assert_int_equal(b.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_controls),
        cmocka_unit_test(test_touches),
        cmocka_unit_test(test_lead),
        cmocka_unit_test(test_partial),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
