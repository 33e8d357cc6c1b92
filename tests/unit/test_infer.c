/* Intervals and tests against published values and brute force. */
#include "../../analyze/infer.h"
#include "../../share/lib/rng.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void near_at(double got, double want, double tolerance, int line)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("line %d: %.18g, expected %.18g", line, got, want);
}
#define near(got, want, tolerance) near_at(got, want, tolerance, __LINE__)

/* R: binom.test(k, n)$conf.int, prop.test(k, n, correct = FALSE)$conf.int */
static void test_proportion(void **state)
{
    double lo, hi;
    (void)state;

    assert_int_equal(proportion_exact(10, 20, 0.95, &lo, &hi), 0);
    near(lo, 0.2719578, 1e-7);
    near(hi, 0.7280422, 1e-7);
    assert_int_equal(proportion_exact(0, 10, 0.95, &lo, &hi), 0);
    near(lo, 0, 0);
    near(hi, 0.3084971, 1e-7);
    assert_int_equal(proportion_exact(10, 10, 0.95, &lo, &hi), 0);
    near(lo, 1 - 0.3084971, 1e-7);
    near(hi, 1, 0);
    assert_int_equal(proportion_wilson(10, 20, 0.95, &lo, &hi), 0);
    near(lo, 0.2992980, 1e-7);
    near(hi, 0.7007020, 1e-7);
    assert_int_equal(proportion_wilson(0, 10, 0.95, &lo, &hi), 0);
    near(lo, 0, 0);
    near(hi, 0.2775328, 1e-7); /* z^2 / (n + z^2) */
    assert_int_equal(proportion_wilson(0, 0, 0.95, &lo, &hi), -1);
    assert_int_equal(proportion_exact(3, 2, 0.95, &lo, &hi), -1);
    assert_true(isnan(lo) && isnan(hi));
}

static void test_rank(void **state)
{
    static const double a[] = {1, 2, 2, 3, 5}, b[] = {2, 4, 5, 6}, same[] = {7, 7, 7};
    struct rank_test r;
    (void)state;

    assert_int_equal(rank_test(a, 5, b, 4, &r), 0);
    near(r.u, 2 + 4 + 4.5 + 5, 0);
    near(r.superiority, r.u / 20, 1e-15);
    /* Variance with ties 2 2 2 and 5 5: 20/12 (10 - (24 + 6) / 72). */
    near(r.z, (r.u - 10 - 0.5) / sqrt(20.0 / 12 * (10 - 30.0 / 72)), 1e-12);
    assert_int_equal(rank_test(same, 3, same, 3, &r), 0);
    near(r.p, 1, 0);
    assert_int_equal(rank_test(a, 0, b, 4, &r), -1);
}

/* Under no difference p below 0.05 comes in about 5 % of the tests; a shift of half a sd is found among 200. */
static void test_rank_level(void **state)
{
    struct rng rng;
    int rejected = 0, covered = 0;
    static double a[30], b[30], work[900];
    (void)state;

    rng_seed(&rng, 17);
    for (int round = 0; round < 1000; round++) {
        struct rank_test r;
        double shift, lo, hi;

        for (int i = 0; i < 30; i++) {
            a[i] = rng_normal(&rng);
            b[i] = rng_normal(&rng);
        }
        gsl_sort(a, 1, 30);
        gsl_sort(b, 1, 30);
        rank_test(a, 30, b, 30, &r);
        rejected += r.p < 0.05;
        shift_hodges_lehmann(a, 30, b, 30, 0.95, work, &shift, &lo, &hi);
        covered += lo <= 0 && 0 <= hi;
        assert_true(lo <= shift && shift <= hi);
    }
    assert_in_range(rejected, 30, 70);
    assert_in_range(covered, 930, 970);
}

static void test_shift(void **state)
{
    static const double a[] = {1, 2, 4}, b[] = {11, 13, 14};
    double work[9], shift, lo, hi;
    (void)state;

    /* Differences 7 9 9 10 10 11 12 12 13; three against three allow no 95 % interval. */
    assert_int_equal(shift_hodges_lehmann(a, 3, b, 3, 0.95, work, &shift, &lo, &hi), -1);
    near(shift, 10, 0);
    assert_int_equal(shift_hodges_lehmann(a, 3, b, 3, 0.8, work, &shift, &lo, &hi), 0);
    near(lo, 7, 0);
    near(hi, 13, 0);
}

static double mean_of(const uint32_t *index, size_t n, void *data)
{
    const double *x = data;
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[index[i]];
    return sum / (double)n;
}

static double never(const uint32_t *index, size_t n, void *data)
{
    (void)index, (void)n, (void)data;
    return NAN;
}

static void test_bootstrap(void **state)
{
    static double x[400], work[2000];
    static uint32_t index[400];
    struct rng rng;
    double lo, hi, lo2, hi2, sum = 0, square = 0, mean, se;
    (void)state;

    rng_seed(&rng, 19);
    for (int i = 0; i < 400; i++)
        sum += x[i] = rng_uniform(&rng);
    mean = sum / 400;
    for (int i = 0; i < 400; i++)
        square += (x[i] - mean) * (x[i] - mean);
    se = sqrt(square) / 400;
    assert_int_equal(bootstrap(mean_of, x, 400, 2000, 0.95, 1, index, work, &lo, &hi), 0);
    near(lo, mean - 1.96 * se, 0.15 * se);
    near(hi, mean + 1.96 * se, 0.15 * se);
    bootstrap(mean_of, x, 400, 2000, 0.95, 1, index, work, &lo2, &hi2);
    assert_true(lo == lo2 && hi == hi2);
    assert_int_equal(bootstrap(never, x, 400, 20, 0.95, 1, index, work, &lo, &hi), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proportion), cmocka_unit_test(test_rank),
        cmocka_unit_test(test_rank_level), cmocka_unit_test(test_shift),
        cmocka_unit_test(test_bootstrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
