/* Modes, splits in two and bins: none where there is none, the known ones where there are. */
#include "../../analyze/modes.h"
#include "../../analyze/tally.h"
#include "../../share/lib/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define near(got, want, tolerance) near_at(got, want, tolerance, __LINE__)
#define same(got, want)            near(got, want, 1e-12)

static struct tally_work work;

static void near_at(double got, double want, double tolerance, int line)
{
    if (!(fabs(got - want) <= tolerance * fabs(want)))
        fail_msg("line %d: %.18g, expected %.18g", line, got, want);
}

static size_t modes_of(const double *x, const uint64_t *n, size_t m, struct mode *out)
{
    struct tally t = {0};
    struct dist d;
    size_t k;

    for (size_t i = 0; i < m; i++)
        tally_add(&t, x[i], n[i]);
    d = tally_dist(&t, &work);
    k = modes_find(&d, 0.001, out, 16);

    tally_free(&t);
    return k;
}

static void test_modes_degenerate(void **state)
{
    struct mode mode[16];
    (void)state;

    assert_int_equal(modes_of((const double[]){7}, (const uint64_t[]){1}, 1, mode), 1);
    same(mode[0].centre, 7);
    same(mode[0].width, 0);
    assert_int_equal(mode[0].n, 1);
    assert_int_equal(modes_of((const double[]){7, 9}, (const uint64_t[]){2, 2}, 2, mode), 1);
    /* Four values, two of them neighbours on a grid of tenths. */
    assert_int_equal(modes_of((const double[]){0, 2.3, 2.4, 2.5},
                              (const uint64_t[]){170, 1246, 1627, 2}, 4, mode),
                     2);
    same(mode[0].centre, 0);
    same(mode[1].centre, 2.4);
    assert_int_equal(mode[0].n, 170);
    assert_int_equal(mode[1].n, 2875);
    /* Two values far from each other. */
    assert_int_equal(
        modes_of((const double[]){34, 34.5, 280}, (const uint64_t[]){50, 50, 60}, 3, mode), 2);
}

/* Samples of whole cycles around some centres. */
static void draw(struct rng *rng, struct tally *t, const double *centre, size_t modes, int n,
                 double sd)
{
    *t = (struct tally){0};
    for (int i = 0; i < n; i++)
        tally_add(t, rint(centre[rng_below(rng, modes)] + sd * rng_normal(rng)), 1);
}

/* No split where there is none, in 200 samples; the four levels of a cache of two sides in every one. */
static void test_modes_random(void **state)
{
    static const double level[] = {280, 455, 555, 735};
    struct mode mode[16];
    struct rng rng;
    struct tally t;
    struct dist d;
    int wrong = 0;
    (void)state;

    rng_seed(&rng, 5);
    for (int round = 0; round < 200; round++) {
        draw(&rng, &t, level, 1, 100 << round % 7, 1 + round % 40);
        d = tally_dist(&t, &work);
        wrong += modes_find(&d, 0.001, mode, 16) != 1;
        tally_free(&t);
        draw(&rng, &t, level, 4, 400 << round % 6, 3 + round % 13);
        d = tally_dist(&t, &work);
        assert_int_equal(modes_find(&d, 0.001, mode, 16), 4);
        for (int k = 0; k < 4; k++)
            near(mode[k].centre, level[k], 0.02);
        tally_free(&t);
    }
    assert_int_equal(wrong, 0);
}

static void test_modes_comb(void **state)
{
    double x[60];
    uint64_t n[60];
    struct mode mode[16];
    (void)state;

    for (int i = 0; i < 60; i++) { /* odd cycles are rare */
        x[i] = 250 + i;
        n[i] = i % 2 == 0 ? 60 : 3;
    }
    assert_int_equal(modes_of(x, n, 60, mode), 1);
}

static void test_bimodal(void **state)
{
    struct tally t = {0};
    struct bimodal s;
    struct dist d;
    (void)state;

    tally_add(&t, 10, 1);
    d = tally_dist(&t, &work);
    assert_int_equal(bimodal_otsu(&d, &s), -1);
    assert_int_equal(bimodal_gap(&d, 0.1, &s), -1);
    tally_add(&t, 12, 1);
    tally_add(&t, 20, 2);
    d = tally_dist(&t, &work);
    assert_int_equal(bimodal_otsu(&d, &s), 0);
    same(s.threshold, 16);
    same(s.mean[0], 11);
    same(s.sd[0], 1);
    same(s.mean[1], 20);
    same(s.sd[1], 0);
    same(s.gap, 0.8);
    same(s.eta, 1 - 2 / 83.0); /* squares: 2 within, 83 about 15.5 */
    same(s.d, sqrt(2) * 9);
    assert_int_equal(bimodal_gap(&d, 0.25, &s), 0);
    same(s.threshold, 16);
    tally_add(&t, 1000, 1); /* an outlier is no mode to split_gap */
    d = tally_dist(&t, &work);
    assert_int_equal(bimodal_gap(&d, 0.25, &s), 0);
    same(s.threshold, 16);
    tally_free(&t);
}

/* One normal gives eta 2 / pi, a uniform 3 / 4. */
static void test_bimodal_quality(void **state)
{
    struct tally normal = {0}, uniform = {0};
    struct bimodal s;
    struct dist d;
    struct rng rng;
    (void)state;

    rng_seed(&rng, 11);
    for (int i = 0; i < 100000; i++) {
        tally_add(&normal, rint(100 * rng_normal(&rng)), 1);
        tally_add(&uniform, (double)rng_below(&rng, 1000), 1);
    }
    d = tally_dist(&normal, &work);
    bimodal_otsu(&d, &s);
    near(s.eta, 2 / M_PI, 0.02);
    d = tally_dist(&uniform, &work);
    bimodal_otsu(&d, &s);
    near(s.eta, 0.75, 0.02);
    tally_free(&normal);
    tally_free(&uniform);
}

static void test_bins(void **state)
{
    struct tally t = {0};
    struct bins b;
    struct dist d;
    uint64_t in[200] = {0};
    (void)state;

    for (int i = 0; i < 100; i++) /* tenths, equally often: every bin must hold the same number */
        tally_add(&t, i * 0.1, 10);
    d = tally_dist(&t, &work);
    bins_choose(&d, 0.49, &b);
    near(b.width, 0.5, 1e-9);
    for (size_t i = 0; i < d.m; i++)
        in[bins_of(&b, d.x[i])] += dist_weight(&d, i);
    for (int i = 0; i < 20; i++)
        assert_int_equal(in[i], 50);
    bins_choose(&d, 0, &b); /* 2 IQR n^(-1/3) = 0.99 */
    near(b.width, 1, 1e-9);
    tally_add(&t, M_PI, 1);
    d = tally_dist(&t, &work);
    bins_choose(&d, 0.49, &b);
    same(b.width, 0.49);
    tally_free(&t);
    t = (struct tally){0};
    tally_add(&t, 5, 9);
    d = tally_dist(&t, &work);
    bins_choose(&d, 0, &b);
    assert_true(b.width > 0 && b.origin < 5 && bins_of(&b, 5) == 0);
    tally_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes_degenerate), cmocka_unit_test(test_modes_random),
        cmocka_unit_test(test_modes_comb),       cmocka_unit_test(test_bimodal),
        cmocka_unit_test(test_bimodal_quality),  cmocka_unit_test(test_bins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
