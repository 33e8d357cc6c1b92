/* Capacities from walks back: by hand, on bends that are rounded, and where there is no capacity to be had. */
#include "analyze/count.h"
#include "share/lib/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { POINTS = 40 };

/* Sizes from 250 up, 8 an octave, and the mean of a walk back through a cache of `lines` lines that hits in 200 cycles and misses
 * in 500, of `second` lines more that take 300; round: part of the cache by which the bends are rounded. */
static void walk_back(double lines, double second, double round, double *x, double *y)
{
    for (size_t i = 0; i < POINTS; i++) {
        double miss, far;

        x[i] = 250 * pow(2, (double)i / 8);
        miss = (x[i] - lines + hypot(x[i] - lines, round * lines)) / 2;
        far = x[i] - lines - second;
        far = second > 0 ? (far + hypot(far, round * lines)) / 2 : 0;
        y[i] = 200 + (second > 0 ? 100 * miss + 200 * far : 300 * miss) / x[i];
    }
}

static struct knee rise(double lo, double end)
{
    return (struct knee){.onset = lo,
                         .mid = sqrt(lo * end),
                         .end = end,
                         .lo = lo,
                         .hi = end,
                         .before = 200,
                         .after = 500,
                         .capacity = 7,
                         .law = LAW_SETS};
}

static void test_one(void **state)
{
    double x[POINTS], y[POINTS];
    struct knee k = rise(900, 1200);
    struct knee_fit fit = {.knee = &k, .count = 1};

    (void)state;
    walk_back(1000, 0, 0, x, y);
    count_capacities(x, y, POINTS, &fit);
    assert_true(fabs(k.capacity - 1000) < 1e-6);
    assert_int_equal(k.law, LAW_COUNT);
    k = rise(800, 1400);
    walk_back(1000, 0, 0.05, x, y);
    count_capacities(x, y, POINTS, &fit);
    assert_true(fabs(k.capacity - 1000) < 5);
}

static void test_two(void **state)
{
    double x[POINTS], y[POINTS];
    struct knee k[2] = {rise(850, 1200), rise(1900, 2300)};
    struct knee_fit fit = {.knee = k, .count = 2};

    (void)state;
    walk_back(1000, 1000, 0.03, x, y);
    count_capacities(x, y, POINTS, &fit);
    assert_true(fabs(k[0].capacity - 1000) < 5);
    assert_true(fabs(k[1].capacity - 2000) < 10);
    assert_true(k[0].lo <= k[0].capacity && k[0].capacity <= k[0].hi);
}

/* None of two rises taken for one. What a knee had stays: of an edge, of random replacement, with too few points, of no
 * points, and when the points lie beside their lines. */
static void test_none(void **state)
{
    double x[POINTS], y[POINTS];
    struct knee k = rise(850, 2300);
    struct knee_fit fit = {.knee = &k, .count = 1};
    struct rng r;

    (void)state;
    walk_back(1000, 1000, 0.03, x, y);
    count_capacities(x, y, POINTS, &fit);
    assert_true(isnan(k.capacity) && k.law == LAW_NONE);
    walk_back(1000, 0, 0, x, y);
    k = rise(900, 1200);
    k.note = KNEE_EDGE;
    count_capacities(x, y, POINTS, &fit);
    k.note = 0;
    k.law = LAW_RANDOM;
    count_capacities(x, y, POINTS, &fit);
    k.law = LAW_SETS;
    count_capacities(x, y, 2, &fit);
    count_capacities(x, y, 0, &fit);
    count_capacities(x + 17, y + 17, 4, &fit);
    rng_seed(&r, 5);
    for (size_t i = 0; i < POINTS; i++)
        y[i] *= 1 + 0.05 * (rng_uniform(&r) - 0.5);
    count_capacities(x, y, POINTS, &fit);
    assert_true(k.capacity == 7 && k.law == LAW_SETS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_two),
        cmocka_unit_test(test_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
