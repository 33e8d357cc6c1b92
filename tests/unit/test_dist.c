/* The statistics of l2stat against GSL on the expanded sample, and against hand-worked cases. */
#include "../../analyze/dist.h"
#include "../../analyze/group.h"
#include "../../analyze/summary.h"
#include "../../share/lib/rng.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define same(got, want)            same_at(got, want, 1e-12, __LINE__)
#define near(got, want, tolerance) same_at(got, want, tolerance, __LINE__)

static void same_at(double got, double want, double tolerance, int line)
{
    if (got == want || (isnan(got) && isnan(want)))
        return;
    if (fabs(got - want) <= tolerance * fmax(fabs(want), 1e-300))
        return;
    fail_msg("line %d: %.18g, expected %.18g", line, got, want);
}

enum { MAX = 4000 };
static double expanded[MAX];
static struct tally_work work;

/* A distribution from values and weights, and the expanded sample, sorted. */
static struct dist make(struct tally *t, const double *x, const uint64_t *n, size_t m)
{
    size_t k = 0;

    *t = (struct tally){0};
    for (size_t i = 0; i < m; i++) {
        tally_add(t, x[i], n[i]);
        for (uint64_t j = 0; j < n[i]; j++)
            expanded[k++] = x[i];
    }
    gsl_sort(expanded, 1, k);
    return tally_dist(t, &work);
}

static void compare_with_gsl(const double *x, const uint64_t *n, size_t m)
{
    static const double q[] = {0, 0.001, 0.05, 0.25, 1.0 / 3, 0.5, 0.75, 0.95, 0.999, 1};
    struct tally t;
    struct dist d = make(&t, x, n, m);
    size_t k = dist_n(&d);
    double spare[MAX], median = dist_quantile(&d, 0.5);

    for (size_t i = 0; i < sizeof q / sizeof *q; i++)
        same(dist_quantile(&d, q[i]), gsl_stats_quantile_from_sorted_data(expanded, 1, k, q[i]));
    for (size_t i = 0; i < k; i++)
        same(dist_at(&d, i), expanded[i]);
    same(dist_mean(&d), gsl_stats_mean(expanded, 1, k));
    if (k > 1)
        near(dist_sd(&d, dist_mean(&d)), gsl_stats_sd(expanded, 1, k), 1e-11);
    same(dist_mad(&d, median), gsl_stats_mad(expanded, 1, k, spare));
    tally_free(&t);
}

static void test_against_gsl(void **state)
{
    static const double awkward[] = {2.385, 2.375, 2.385, -1e-3, 0.1, 0.30000000000000004, 0.3};
    static const uint64_t weights[] = {3, 1, 4, 1, 5, 9, 2};
    struct rng rng;
    (void)state;

    compare_with_gsl(awkward, weights, 7);
    compare_with_gsl(awkward, weights, 1);
    compare_with_gsl(awkward, (const uint64_t[]){1}, 1);
    rng_seed(&rng, 7);
    for (size_t round = 0; round < 300; round++) {
        double x[200];
        uint64_t n[200];
        size_t m = 1 + rng_below(&rng, 200);

        for (size_t i = 0; i < m; i++) {
            x[i] = round % 3 == 0 ? (double)rng_below(&rng, 20) : 300 + 40 * rng_normal(&rng);
            if (round % 3 == 1)
                x[i] = rint(x[i]);
            n[i] = 1 + rng_below(&rng, 19);
        }
        compare_with_gsl(x, n, m);
    }
}

static void test_large_weights(void **state)
{
    struct tally t;
    struct dist d;
    (void)state;

    t = (struct tally){0};
    tally_add(&t, 280, 3000000000u);
    tally_add(&t, 560, 1000000000u);
    tally_add(&t, 9, 0);
    d = tally_dist(&t, &work);
    assert_int_equal(d.m, 2);
    same(dist_quantile(&d, 0.5), 280);
    same(dist_mean(&d), 350);
    near(dist_sd(&d, 350), sqrt(0.75 * 70 * 70 + 0.25 * 210 * 210), 1e-9);
    same(dist_mad(&d, 280), 0);
    tally_free(&t);
}

/* Offsets that ruin a variance from sums of squares. */
static void test_offset(void **state)
{
    struct tally t = {0};
    struct dist d;
    (void)state;

    for (int i = 0; i < 3; i++)
        tally_add(&t, 1e15 + i, 1);
    d = tally_dist(&t, &work);
    same(dist_mean(&d), 1e15 + 1);
    same(dist_sd(&d, dist_mean(&d)), 1);
    tally_free(&t);
}

/* The interval's ranks for the samples 1..n, by adding up the binomial law. */
static void check_interval(uint64_t n, uint64_t slack)
{
    struct tally t = {0};
    struct dist d;
    double lo, hi;
    uint64_t r = 0;

    for (uint64_t i = 1; i <= n; i++)
        tally_add(&t, (double)i, 1);
    d = tally_dist(&t, &work);
    while (gsl_cdf_binomial_P((unsigned)r, 0.5, (unsigned)n) <= 0.025)
        r++;
    if (r == 0) {
        assert_int_equal(dist_median_interval(&d, 0.95, &lo, &hi), -1);
        assert_true(isnan(lo) && isnan(hi));
    } else {
        assert_int_equal(dist_median_interval(&d, 0.95, &lo, &hi), 0);
        assert_true(fabs(lo - (double)r) <= (double)slack);
        same(lo + hi, (double)n + 1);
    }
    tally_free(&t);
}

static void test_interval(void **state)
{
    struct tally t = {0};
    struct dist d;
    double lo, hi;
    (void)state;

    for (uint64_t n = 1; n < 60; n++)
        check_interval(n, 0);
    check_interval(999, 0);
    check_interval(1001, 1);
    check_interval(5000, 1);
    for (int i = 1; i <= 100; i++)
        tally_add(&t, i, 1);
    d = tally_dist(&t, &work);
    dist_median_interval(&d, 0.95, &lo, &hi);
    same(lo, 40); /* David and Nagaraja, and every table of the sign test */
    same(hi, 61);
    tally_free(&t);
}

static void test_tally(void **state)
{
    struct tally t = {0};
    struct dist d;
    struct rng rng;
    uint64_t lowest;
    (void)state;

    rng_seed(&rng, 1);
    for (int i = 0; i < 100000; i++)
        tally_add(&t, (double)rng_below(&rng, 5000) / 8 - 100, 2);
    tally_add(&t, -0.0, 1);
    tally_add(&t, 0.0, 1);
    d = tally_dist(&t, &work);
    assert_int_equal(d.m, 5000);
    assert_int_equal(dist_n(&d), 200002);
    for (size_t i = 1; i < d.m; i++)
        assert_true(d.x[i] > d.x[i - 1]);
    lowest = dist_weight(&d, 0);
    assert_int_equal(tally_keep(&d, &work, -100, -100), 200002 - lowest);
    assert_int_equal(d.m, 1);
    assert_int_equal(tally_keep(&d, &work, 5, 6), lowest);
    assert_int_equal(d.m, 0);
    tally_free(&t);
}

static struct field word(const char *s)
{
    return (struct field){s, strlen(s)};
}

static void test_groups(void **state)
{
    struct groups g = {0};
    struct field a[2] = {word("latency\t10"), word("x")}, b[2] = {word("latency\t9"), word("x")};
    struct field c[2] = {word("latency\t1"), word("0\tx")}; /* not the same columns as a */
    struct group *first = groups_find(&g, a, 2);
    char name[32];
    (void)state;

    assert_ptr_not_equal(first, groups_find(&g, b, 2));
    assert_ptr_not_equal(first, groups_find(&g, c, 2));
    assert_ptr_equal(first, groups_find(&g, a, 2));
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "zoo\t%d", i);
        a[0] = word(name);
        groups_find(&g, a, 2)->tally.used = (size_t)i;
    }
    for (int i = 2999; i >= 0; i--) {
        snprintf(name, sizeof name, "zoo\t%d", i);
        a[0] = word(name);
        assert_int_equal(groups_find(&g, a, 2)->tally.used, (size_t)i);
    }
    assert_int_equal(g.n, 3003);
    groups_sort(&g);
    assert_string_equal(g.group[1]->key, "latency\t9\tx");
    assert_string_equal(g.group[2]->key, "latency\t10\tx");
    assert_string_equal(g.group[3002]->key, "zoo\t2999\tx");
    groups_free(&g);
}

static void test_trend(void **state)
{
    struct trend t = {0}, flat = {0}, sorted = {0};
    struct rng rng;
    (void)state;

    rng_seed(&rng, 3);
    for (uint64_t i = 0; i < 100000; i++) {
        double noise = rng_normal(&rng);

        trend_add(&t, i, 100 + (double)i / 1000 + noise, 1);
        trend_add(&flat, i, 100 + noise, 1 + i % 3);
        trend_add(&sorted, i, (double)i, 1);
    }
    near(trend_shift(&t), 75, 0.1);
    assert_true(fabs(trend_shift(&flat)) < 0.1);
    same(trend_shift(&sorted), 0);
    same(trend_shift(&(struct trend){0}), 0);
}

/* Samples of whole cycles around some centres. */
static void draw(struct rng *rng, struct tally *t, const double *centre, size_t modes, int n,
                 double sd)
{
    *t = (struct tally){0};
    for (int i = 0; i < n; i++)
        tally_add(t, rint(centre[rng_below(rng, modes)] + sd * rng_normal(rng)), 1);
}

static enum reason reason_of(struct tally *t, double shift)
{
    struct dist d = tally_dist(t, &work);
    struct summary s;

    summarize(&d, shift, 0.95, &s);
    tally_free(t);
    return s.why;
}

static void test_reasons(void **state)
{
    static const double two[] = {165, 295}, one[] = {300};
    struct tally t;
    struct rng rng;
    (void)state;

    rng_seed(&rng, 13);
    draw(&rng, &t, one, 1, 1000, 10);
    assert_int_equal(reason_of(&t, 0), REASON_NONE);
    draw(&rng, &t, two, 2, 1000, 5);
    assert_int_equal(reason_of(&t, 0), REASON_MODES);
    draw(&rng, &t, two, 2, 1000, 5);
    assert_int_equal(reason_of(&t, 90), REASON_TURNS);
    draw(&rng, &t, one, 1, 1000, 60);
    assert_int_equal(reason_of(&t, 0), REASON_WIDE);
    draw(&rng, &t, one, 1, 1000, 60);
    assert_int_equal(reason_of(&t, 100), REASON_DRIFT);
    draw(&rng, &t, one, 1, 1000, 1);
    for (int i = 0; i < 120; i++)
        tally_add(&t, 400 + 20 * i, 1);
    assert_int_equal(reason_of(&t, 0), REASON_TAIL);
}

static void test_outliers(void **state)
{
    struct tally t = {0};
    struct dist d;
    double lo, hi;
    (void)state;

    for (int i = 1; i <= 9; i++)
        tally_add(&t, i, 1);
    tally_add(&t, 100, 1);
    d = tally_dist(&t, &work);
    assert_string_equal(outlier_rules[0].name, "mad");
    outlier_rules[0].limits(&d, 3, &lo, &hi);
    same(lo, 5.5 - 3 * 1.482602218505602 * 2.5);
    same(hi, 5.5 + 3 * 1.482602218505602 * 2.5);
    outlier_rules[1].limits(&d, 1.5, &lo, &hi);
    same(lo, 3.25 - 1.5 * 4.5);
    same(hi, 7.75 + 1.5 * 4.5);
    outlier_rules[2].limits(&d, 25, &lo, &hi);
    same(lo, 3.25);
    same(hi, 7.75);
    tally_add(&t, 5, 90); /* now the mad is 0 */
    d = tally_dist(&t, &work);
    outlier_rules[0].limits(&d, 3, &lo, &hi);
    assert_true(lo < 5 && hi > 5 && hi < 100);
    tally_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_gsl), cmocka_unit_test(test_large_weights),
        cmocka_unit_test(test_offset),      cmocka_unit_test(test_interval),
        cmocka_unit_test(test_tally),       cmocka_unit_test(test_groups),
        cmocka_unit_test(test_trend),       cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_outliers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
