/* Shifts of samples and corrections for many tests, against R's results and brute force. */
#include "../../analyze/infer.h"
#include "../../analyze/shift.h"
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

enum { MOST = 4096 };
struct sample {
    double x[MOST];
    uint64_t cum[MOST];
};

/* Sorts v, equal values together. */
static struct dist dist_of(struct sample *s, double *v, size_t n)
{
    size_t m = 0;

    gsl_sort(v, 1, n);
    for (size_t i = 0; i < n; i++) {
        if (m == 0 || s->x[m - 1] != v[i])
            s->x[m++] = v[i];
        s->cum[m - 1] = i + 1;
    }
    return (struct dist){s->x, s->cum, m};
}

static struct sample sa, sb;
static struct shift_pair pairs[SHIFT_PAIRS];

/* R: t.test(extra ~ group, data = sleep), turned round; a tail of 1 in 1000 is cut back, so not to the last digit. */
static void test_means(void **state)
{
    double a[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    double b[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    struct dist da = dist_of(&sa, a, 10), db = dist_of(&sb, b, 10);
    struct shift s;
    (void)state;

    assert_int_equal(shift_means(&da, 10, &db, 10, 0.95, &s), 0);
    near(s.shift, 1.58, 0.002);
    near(s.lo, -0.2054832, 0.01);
    near(s.hi, 3.3654832, 0.01);
    near(s.p, 0.07939, 0.001);
    assert_int_equal(shift_means(&da, 1, &db, 10, 0.95, &s), -1);
    assert_true(isnan(s.p) && isnan(s.lo));
}

static void test_constant(void **state)
{
    double a[] = {7, 7, 7}, b[] = {9, 9, 9};
    struct dist da = dist_of(&sa, a, 3), db = dist_of(&sb, b, 3);
    struct shift s;
    (void)state;

    assert_int_equal(shift_means(&da, 3, &db, 3, 0.95, &s), 0);
    near(s.shift, 2, 0);
    near(s.lo, 2, 0);
    near(s.p, 0, 0);
    assert_int_equal(shift_means(&da, 3, &da, 3, 0.95, &s), 0);
    near(s.p, 1, 0);
    assert_int_equal(shift_ranks(&da, 3, &db, 3, 0.95, pairs, &s), -1);
    assert_true(isnan(s.shift));
    assert_int_equal(shift_ranks(&da, 20, &da, 20, 0.95, pairs, &s), 0);
    near(s.p, 1, 0);
    near(s.hi, 0, 0);
}

/* The weighted form is the plain one when every value is its own: infer.h's, tested against brute force. */
static void test_ranks(void **state)
{
    double a[100], b[100], plain, lo, hi, work[10000];
    struct rank_test r;
    struct dist da, db;
    struct shift s;
    struct rng rng;
    (void)state;

    rng_seed(&rng, 5);
    for (size_t i = 0; i < 100; i++) {
        a[i] = rng_normal(&rng);
        b[i] = 0.4 + rng_normal(&rng);
    }
    da = dist_of(&sa, a, 100);
    db = dist_of(&sb, b, 100);
    assert_int_equal(shift_hodges_lehmann(a, 100, b, 100, 0.95, work, &plain, &lo, &hi), 0);
    assert_int_equal(rank_test(a, 100, b, 100, &r), 0);
    assert_int_equal(shift_ranks(&da, 100, &db, 100, 0.95, pairs, &s), 0);
    near(s.shift, plain, 1e-12);
    near(s.lo, lo, 0.002);
    near(s.hi, hi, 0.002);
    near(s.p, r.p, 0.05 * r.p); /* r has a correction for continuity */

    assert_int_equal(shift_ranks(&da, 25, &db, 25, 0.95, pairs, &s), 0);
    assert_true(s.hi - s.lo > 1.8 * (hi - lo) && s.hi - s.lo < 2.2 * (hi - lo));
    assert_true(s.p > r.p);
}

/* More values than cells: taken at quantiles. */
static void test_thinned(void **state)
{
    static double a[3000], b[3000];
    struct dist da, db;
    struct shift s;
    struct rng rng;
    (void)state;

    rng_seed(&rng, 6);
    for (size_t i = 0; i < 3000; i++) {
        a[i] = 10 * rng_normal(&rng);
        b[i] = 10 * rng_normal(&rng) + 2.385;
    }
    da = dist_of(&sa, a, 3000);
    db = dist_of(&sb, b, 3000);
    assert_int_equal(shift_ranks(&da, 3000, &db, 3000, 0.95, pairs, &s), 0);
    assert_true(s.lo < 2.385 && s.hi > 2.385);
    near(s.hi - s.lo, 2 * 1.96 * 10 * sqrt(2.0 / 3000) * 1.0233,
         0.08); /* sqrt(pi/3): efficiency of ranks */
    near(s.shift, 2.385, 1);
    assert_true(s.p < 1e-10);
}

/* The coverage of the 95 % intervals, on samples of two modes such as a curve has at the end of a cache. */
static void test_coverage(void **state)
{
    double a[60], b[60];
    int means = 0, ranks = 0, rounds = 300;
    struct rng rng;
    (void)state;

    rng_seed(&rng, 7);
    for (int round = 0; round < rounds; round++) {
        struct dist da, db;
        struct shift s;

        for (size_t i = 0; i < 60; i++) {
            a[i] = (rng_uniform(&rng) < 0.3 ? 500 : 250) + rng_normal(&rng);
            b[i] = (rng_uniform(&rng) < 0.3 ? 500 : 250) + rng_normal(&rng);
        }
        da = dist_of(&sa, a, 60);
        db = dist_of(&sb, b, 60);
        assert_int_equal(shift_means(&da, 60, &db, 60, 0.95, &s), 0);
        means += s.lo <= 0 && s.hi >= 0;
        assert_int_equal(shift_ranks(&da, 60, &db, 60, 0.95, pairs, &s), 0);
        ranks += s.lo <= 0 && s.hi >= 0;
    }
    assert_true(means >= 275 && ranks >= 275);
}

/* Hollander and Wolfe, example 3.1 (depression scale). Their exact interval takes the 6th means from the ends (-0.786 and
 * -0.010); 5.96 of the approximation is rounded down here: brute force gives the 5th ones. */
static void test_signed(void **state)
{
    static const double x[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    static const double y[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    double d[9], work[45];
    struct shift s;
    (void)state;

    for (size_t i = 0; i < 9; i++)
        d[i] = y[i] - x[i];
    assert_int_equal(shift_signed(d, 9, 0.95, work, &s), 0);
    near(s.shift, -0.46, 1e-9);
    near(s.lo, -0.806, 1e-9);
    near(s.hi, 0.035, 1e-9);
    near(s.p, 2 * 0.01908, 1e-4); /* V = 5, mean 22.5, variance 71.25 */
    assert_int_equal(shift_signed(d, 5, 0.95, work, &s), -1);
    for (size_t i = 0; i < 9; i++)
        d[i] = 0;
    assert_int_equal(shift_signed(d, 9, 0.95, work, &s), 0);
    near(s.p, 1, 0);
    near(s.hi, 0, 0);
}

/* R: p.adjust */
static void test_adjust(void **state)
{
    static const double p[] = {0.01, 0.04, NAN, 0.03, 0.005};
    double holm[5], bh[5];
    size_t order[5];
    (void)state;

    for (size_t i = 0; i < 5; i++)
        holm[i] = bh[i] = p[i];
    adjust_holm(holm, 5, order);
    near(holm[0], 0.03, 1e-15);
    near(holm[1], 0.06, 1e-15);
    near(holm[3], 0.06, 1e-15);
    near(holm[4], 0.02, 1e-15);
    adjust_benjamini_hochberg(bh, 5, order);
    near(bh[0], 0.02, 1e-15);
    near(bh[1], 0.04, 1e-15);
    near(bh[3], 0.04, 1e-15);
    near(bh[4], 0.02, 1e-15);
    assert_true(isnan(holm[2]) && isnan(bh[2]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means),    cmocka_unit_test(test_constant),
        cmocka_unit_test(test_ranks),    cmocka_unit_test(test_thinned),
        cmocka_unit_test(test_coverage), cmocka_unit_test(test_signed),
        cmocka_unit_test(test_adjust),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
