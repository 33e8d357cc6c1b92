/* Shares of misses against sets that are played access by access, and the capacities that curves made of them give. */
#include "analyze/knee.h"
#include "analyze/overflow.h"
#include "share/lib/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { SETS = 20000, POINTS = 56 };

static void test_by_hand(void **state)
{
    (void)state;
    assert_true(overflow_sets(1, 16, 0) == 0);
    assert_true(fabs(overflow_sets(17.0 / 16, 16, 0) - 1) < 1e-12);
    /* A load of 16.5: half of the sets hold 17 lines, all lost. */
    assert_true(fabs(overflow_sets(16.5 / 16, 16, 0) - 0.5 * 17 / 16.5) < 1e-12);
    assert_true(overflow_sets(3, 8, 0) == 1);
    assert_true(overflow_sets(0, 8, 1) == 0);
    assert_true(overflow_sets(40, 16, 1) > 1 - 1e-9);
    assert_true(overflow_random(1) == 0);
    /* m = 1 - exp(-m r) at r = 2 ln 2: m = 1/2. */
    assert_true(fabs(overflow_random(2 * log(2)) - 0.5) < 1e-9);
    assert_true(overflow_keep(4) == 0.75 && overflow_keep(0.5) == 0);
}

static unsigned poisson(struct rng *r, double mean)
{
    unsigned k = 0;

    for (double p = rng_uniform(r); p > exp(-mean); p *= rng_uniform(r))
        k++;
    return k;
}

/* Each set its own load; those above the ways lose every line. */
static double drawn(struct rng *r, unsigned ways, double ratio, double v)
{
    double even = (1 - v) * ratio * ways, all = 0, lost = 0;

    for (unsigned s = 0; s < SETS; s++) {
        double d = floor(even + (s + 0.5) / SETS);
        double load = d + poisson(r, v * ratio * ways);

        all += load;
        lost += load > ways ? load : 0;
    }
    return lost / all;
}

static void test_sets(void **state)
{
    struct rng r;

    (void)state;
    rng_seed(&r, 3);
    for (unsigned ways = 4; ways <= 16; ways += 4)
        for (double v = 0; v <= 1; v += 0.25)
            for (double ratio = 0.6; ratio < 1.6; ratio += 0.17) {
                double got = overflow_sets(ratio, ways, v), want = drawn(&r, ways, ratio, v);

                assert_true(fabs(got - want) < 0.02);
            }
}

/* One set of ways, cyclic, replacement at random, until steady. */
static void test_random(void **state)
{
    enum { WAYS = 64, LINES = 96, TURNS = 4000 };
    int where[LINES], line[WAYS];
    struct rng r;
    double misses = 0;

    (void)state;
    rng_seed(&r, 4);
    memset(where, 0xff, sizeof where);
    memset(line, 0xff, sizeof line);
    for (int turn = 0; turn < TURNS; turn++)
        for (int k = 0; k < LINES; k++) {
            int way;

            if (where[k] >= 0)
                continue;
            misses += turn >= TURNS / 2;
            way = (int)rng_below(&r, WAYS);
            if (line[way] >= 0)
                where[line[way]] = -1;
            line[way] = k;
            where[k] = way;
        }
    misses /= (double)(TURNS - TURNS / 2) * LINES;
    assert_true(fabs(misses - overflow_random((double)LINES / WAYS)) < 0.02);
}

/* A curve of 8 points an octave, 200 cycles before and 500 after, and its one knee. */
static struct knee knee_of(struct rng *r, enum law law, double c, unsigned ways, double v,
                           unsigned told)
{
    struct knee_options opt = knee_defaults;
    double x[POINTS], y[POINTS];
    struct knee_fit fit;
    struct knee k = {.capacity = NAN};

    opt.ways = told;
    for (int i = 0; i < POINTS; i++) {
        double ratio, m;

        x[i] = round(1e6 * pow(2, i / 8.0));
        ratio = x[i] / c;
        m = law == LAW_SETS     ? overflow_sets(ratio, ways, v)
            : law == LAW_RANDOM ? overflow_random(ratio)
                                : ratio > 1;
        y[i] = (200 + 300 * m) * (1 + 0.001 * rng_normal(r));
    }
    assert_int_equal(knee_find(x, y, NULL, POINTS, &opt, &fit), 0);
    for (size_t i = 0; i < fit.count; i++)
        if (fit.knee[i].height > 0.5)
            k = fit.knee[i];
    knee_free(&fit);
    return k;
}

static void test_capacity(void **state)
{
    static const unsigned ways[] = {8, 12, 16, 24};
    struct rng r;

    (void)state;
    rng_seed(&r, 5);
    for (int trial = 0; trial < 60; trial++) {
        double c = 4e6 * (1 + rng_uniform(&r)), v = trial % 3 * 0.1;
        unsigned w = ways[trial % 4];
        struct knee k = knee_of(&r, LAW_SETS, c, w, v, w);

        assert_int_equal(k.law, LAW_SETS);
        assert_true(fabs(k.capacity / c - 1) < 0.03 && k.lo <= k.capacity && k.capacity <= k.hi);
        /* Sixteen ways are said where there are others: 1/32 - 1/2W more. */
        k = knee_of(&r, LAW_SETS, c, w, v, 16);
        assert_true(fabs(k.capacity / c - 1) < 0.03 + fabs(1.0 / 32 - 0.5 / w));
        k = knee_of(&r, LAW_RANDOM, c, 16, 0, 16);
        assert_true(fabs(k.capacity / c - 1) < 0.03 && k.law == LAW_RANDOM);
        /* A cell of this grid is as wide as a rise of sets: all that it tells of a step is the cell. */
        k = knee_of(&r, LAW_STEP, c, 16, 0, 16);
        assert_true(fabs(k.capacity / c - 1) < 0.09 && k.lo <= c && c <= k.hi);
    }
    assert_true(isnan(knee_of(&r, LAW_SETS, 5e6, 16, 0, 0).capacity));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_capacity),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
