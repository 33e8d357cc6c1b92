/* Levels drawn at random, histograms drawn from them: the mixture and the capacities come back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/level.h"
#include "analyze/mixture.h"
#include "share/lib/rng.h"

enum { BINS = 2048, SIZES = 40 };

struct truth {
    double centre[4], side, size[SIZES], share[SIZES][4];
    double hist[SIZES * BINS];
};

/* Two sides: local hits end at `side`, remote ones at twice that; each level has two humps, as slices near and far have. */
static void draw(struct truth *t, struct rng *r)
{
    double at = 200 + 100 * rng_uniform(r);

    memset(t, 0, sizeof *t);
    for (size_t k = 0; k < 4; k++) {
        t->centre[k] = at;
        at += 120 + 80 * rng_uniform(r);
    }
    t->side = (20 + 20 * rng_uniform(r)) * 0x1p20;
    for (size_t s = 0; s < SIZES; s++) {
        double size = t->size[s] = 0x1p20 * 4 * exp2((double)s / 6);
        double local = 0.5 * erfc((size / t->side / (16.5 / 16) - 1) / 0.08 / M_SQRT2);
        double total = 0.5 * erfc((size / t->side / 2 / (16.5 / 16) - 1) / 0.08 / M_SQRT2);

        t->share[s][0] = local;
        t->share[s][1] = (1 - local) / 2 * total;
        t->share[s][2] = (1 - local) / 2;
        t->share[s][3] = (1 - local) / 2 * (1 - total);
        for (size_t i = 0; i < 20000; i++) {
            double u = rng_uniform(r), cycles;
            size_t k = 0;

            while (k < 3 && u >= t->share[s][k])
                u -= t->share[s][k++];
            cycles = t->centre[k] + (rng_u64(r) % 3 == 0 ? 24 : 0) + 8 * rng_normal(r);
            if (rng_u64(r) % 500 == 0)
                cycles += 300 * rng_uniform(r);
            t->hist[s * BINS + (size_t)fmin(fmax(cycles, 0), BINS - 1)]++;
        }
    }
}

static void levels_and_capacities_come_back(void **state)
{
    struct truth *t = malloc(sizeof *t);
    struct rng r;

    (void)state;
    rng_seed(&r, 20);
    for (int round = 0; round < 20; round++) {
        struct mixture m;
        struct capacity c;
        enum level_kind kind[MIXTURE_MAX];
        double hits[SIZES];

        draw(t, &r);
        assert_int_equal(mixture_fit(t->hist, SIZES, BINS, &mixture_defaults, &m), 0);
        assert_int_equal(m.nlevel, 4);
        level_classify(&m, t->size, SIZES, 0, kind);
        assert_int_equal(kind[0], LEVEL_LOCAL);
        assert_int_equal(kind[1], LEVEL_REMOTE);
        assert_int_equal(kind[2], LEVEL_DRAM);
        assert_int_equal(kind[3], LEVEL_DRAM_REMOTE);
        for (size_t s = 0; s < SIZES; s++) {
            hits[s] = m.share[s * 4];
            for (size_t k = 0; k < 4; k++)
                assert_true(fabs(m.share[s * 4 + k] - t->share[s][k]) < 0.03);
        }
        assert_int_equal(capacity_fit(t->size, hits, SIZES, 16, &c), 0);
        assert_int_equal(c.law, CAPACITY_SETS);
        assert_true(fabs(c.bytes / t->side - 1) < 0.03);
        assert_true(c.lo <= t->side && t->side <= c.hi);
        mixture_free(&m);
    }
    free(t);
}

static void one_level_is_one(void **state)
{
    double *hist = calloc(3 * BINS, sizeof *hist);
    double size[3] = {1, 2, 4}, hits[3] = {1, 1, 1};
    struct mixture m;
    struct capacity c;

    (void)state;
    for (size_t s = 0; s < 3; s++)
        hist[s * BINS + 300] = 1000;
    assert_int_equal(mixture_fit(hist, 3, BINS, &mixture_defaults, &m), 0);
    assert_int_equal(m.nlevel, 1);
    assert_int_equal(capacity_fit(size, hits, 3, 0, &c), -1);
    mixture_free(&m);
    memset(hist, 0, BINS * sizeof *hist);
    assert_int_equal(mixture_fit(hist, 3, BINS, &mixture_defaults, &m), -1);
    free(hist);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_and_capacities_come_back),
        cmocka_unit_test(one_level_is_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
