/* Ways and sets drawn at random, evidence drawn from them: the estimates come back within their intervals. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "analyze/assoc.h"
#include "share/lib/rng.h"

enum { ROUNDS = 40 };

/* The position of the ways-th line of the target's set among `positions` lines drawn without replacement. */
static double draw_tip(struct rng *r, double positions, double sets, unsigned ways)
{
    double left = positions, mine = round(positions / sets);

    for (double n = 1;; n++, left--) {
        if (rng_uniform(r) < mine / left) {
            mine--;
            if (--ways == 0)
                return n;
        }
    }
}

static void sets_come_back_from_tips(void **state)
{
    struct rng r;
    unsigned within = 0;

    (void)state;
    rng_seed(&r, 3);
    for (int round = 0; round < ROUNDS; round++) {
        unsigned ways = 4 + (unsigned)rng_below(&r, 21);
        double sets = 50 + (double)rng_below(&r, 400), positions = sets * ways * 4, first[60],
               spread;
        struct estimate e;

        for (size_t i = 0; i < 60; i++)
            first[i] = draw_tip(&r, positions, sets, ways);
        assert_int_equal(sets_from_tips(first, 60, 60, positions, ways, 0, &e, &spread), 0);
        assert_true(e.lo < e.value && e.value < e.hi);
        assert_true(fabs(e.value / sets - 1) < 0.2);
        within += e.lo <= sets && sets <= e.hi;
    }
    assert_true(within >= ROUNDS * 85 / 100);
}

static void sets_come_back_from_pairs(void **state)
{
    struct estimate e;

    (void)state;
    sets_from_pairs(500.0 * 499 / 2, 8, &e);
    assert_true(fabs(e.value - 500.0 * 499 / 2 / 8) < 1e-9);
    /* Garwood: 8 events have the exact interval 3.4538 .. 15.7632 */
    assert_true(fabs(e.lo - 500.0 * 499 / 2 / 15.7632) < 1);
    assert_true(fabs(e.hi - 500.0 * 499 / 2 / 3.4538) < 2);
    sets_from_pairs(30.0 * 29 / 2, 0, &e);
    assert_true(isinf(e.value) && isinf(e.hi) && e.lo > 100);
}

static void survival_comes_back(void **state)
{
    struct rng r;

    (void)state;
    rng_seed(&r, 4);
    for (int round = 0; round < 10; round++) {
        double ways = 4 + (double)rng_below(&r, 17), sets = 100 + (double)rng_below(&r, 2000);
        double positions = 16 * ways * sets;
        struct survival s[25];
        struct survival_fit f;

        for (size_t i = 0; i < 25; i++) {
            double p;

            s[i] = (struct survival){.n = floor(ways * sets * 0.25 * pow(12, (double)i / 24)),
                                     .trials = 512};
            p = survival_lru(s[i].n, positions, sets, ways);
            for (int k = 0; k < 512; k++)
                s[i].hits += rng_uniform(&r) < p;
        }
        assert_int_equal(survival_fit(s, 25, positions, &f), 0);
        assert_int_equal(f.law, SURVIVAL_LRU);
        assert_true(f.ways.lo <= ways + 2 && ways - 2 <= f.ways.hi);
        assert_true(fabs(f.sets.value * f.ways.value / (sets * ways) - 1) < 0.05);
    }
}

static void random_replacement_is_told_from_lru(void **state)
{
    struct rng r;
    struct survival s[25];
    struct survival_fit f;

    (void)state;
    rng_seed(&r, 5);
    for (size_t i = 0; i < 25; i++) {
        s[i] = (struct survival){.n = floor(1000 * 0.05 * pow(120, (double)i / 24)), .trials = 512};
        for (int k = 0; k < 512; k++)
            s[i].hits += rng_uniform(&r) < exp(-s[i].n / 1000);
    }
    assert_int_equal(survival_fit(s, 25, 1e9, &f), 0);
    assert_int_equal(f.law, SURVIVAL_RANDOM);
    assert_true(f.sets.lo < 1000 && 1000 < f.sets.hi);
    assert_int_equal(survival_fit(s, 8, 1e9, &f), -1);
}

/* sets, ways and a plain index: which lines of a stride fit. */
static size_t scan(struct stride_point *p, unsigned sets, unsigned ways, int plain)
{
    size_t n = 0;

    for (unsigned stride = 128; stride <= 1 << 22;
         stride = stride % 3 ? stride / 2 * 3 : stride / 3 * 4)
        for (unsigned lines = 2; lines < sets * ways / 2; lines += lines < 300 ? 1 : lines / 4) {
            unsigned *in = calloc(sets, sizeof *in), miss = 0;

            for (unsigned i = 0; i < lines; i++)
                in[(plain ? i * (stride / 128) : i) % sets]++;
            for (unsigned i = 0; i < sets; i++)
                miss += in[i] > ways ? in[i] : 0;
            p[n++] = (struct stride_point){stride, lines, (double)miss / lines};
            free(in);
        }
    return n;
}

static void stride_spike_gives_ways_and_sets(void **state)
{
    static const unsigned cases[][2] = {{96, 16}, {64, 8}, {80, 20}, {7 * 32, 12}};
    struct stride_point *p = malloc(40000 * sizeof *p);
    struct stride_fit f;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        size_t n = scan(p, cases[i][0], cases[i][1], 1);

        assert_int_equal(stride_fit(p, n, 128, &f), 0);
        assert_true(f.spike);
        assert_true(fabs(f.ways - cases[i][1]) < 0.01);
        assert_true(fabs(f.sets - cases[i][0]) < 0.01);
        n = scan(p, cases[i][0], cases[i][1], 0);
        assert_int_equal(stride_fit(p, n, 128, &f), 0);
        assert_false(f.spike);
    }
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_come_back_from_tips),
        cmocka_unit_test(sets_come_back_from_pairs),
        cmocka_unit_test(survival_comes_back),
        cmocka_unit_test(random_replacement_is_told_from_lru),
        cmocka_unit_test(stride_spike_gives_ways_and_sets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
