/* Segments, noise, ramps and knees on curves that are made here, so that their truth is known. */
#include "analyze/clean.h"
#include "analyze/knee.h"
#include "analyze/law.h"
#include "analyze/refine.h"
#include "analyze/segment.h"
#include "share/lib/rng.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 4000, TRIALS = 60 };

struct truth {
    double start, end, factor; /* a ramp from start to end that multiplies the level */
};

static double x[MOST], y[MOST];

/* Level 100, then each ramp multiplies it; noise is relative. */
static void make(struct rng *r, size_t n, double lo, double hi, const struct truth *t, size_t knees,
                 double noise)
{
    for (size_t i = 0; i < n; i++) {
        double level = 100;

        x[i] = round(lo * pow(hi / lo, (double)i / (double)(n - 1)));
        for (size_t k = 0; k < knees; k++) {
            double part = (x[i] - t[k].start) / fmax(t[k].end - t[k].start, DBL_MIN);

            level *= 1 + (t[k].factor - 1) * fmin(fmax(part, 0), 1);
        }
        y[i] = level * (1 + noise * rng_normal(r));
    }
}

static struct knee_fit find(size_t n)
{
    struct knee_fit fit;

    assert_int_equal(knee_find(x, y, NULL, n, &knee_defaults, &fit), 0);
    return fit;
}

static size_t high(const struct knee_fit *fit)
{
    size_t n = 0;

    for (size_t i = 0; i < fit->count; i++)
        n += (size_t)fit->knee[i].high;
    return n;
}

/* The knee whose middle is nearest to the truth's. */
static const struct knee *nearest(const struct knee_fit *fit, const struct truth *t)
{
    double mid = (t->start + t->end) / 2;
    const struct knee *best = NULL;

    for (size_t i = 0; i < fit->count; i++)
        if (best == NULL || fabs(log(fit->knee[i].mid / mid)) < fabs(log(best->mid / mid)))
            best = &fit->knee[i];
    return best;
}

static int covers(const struct knee_fit *fit, const struct truth *t)
{
    const struct knee *k = nearest(fit, t);
    double mid = (t->start + t->end) / 2;

    return k != NULL && k->lo <= mid && mid <= k->hi && k->lo <= k->onset && k->mid <= k->hi;
}

static void test_segments(void **state)
{
    double w[12], cost;
    struct segment s[12];
    struct segment_work *work = segment_alloc(12);
    size_t count;

    (void)state;
    for (size_t i = 0; i < 12; i++) {
        x[i] = (double)i;
        y[i] = i < 5 ? 2.385 : i < 9 ? 10 - (double)i : 50;
        w[i] = 1e6;
    }
    assert_int_equal(segment_fit(work, x, y, w, 12, log(12), s, &count, &cost), 0);
    assert_int_equal(count, 3);
    assert_int_equal(s[1].first, 5);
    assert_int_equal(s[2].first, 9);
    assert_true(fabs(s[1].slope + 1) < 1e-12 && s[0].slope == 0);
    assert_true(fabs(segment_at(&s[1], 7) - 3) < 1e-12);
    assert_true(fabs(cost - (2 + 3 + 2) * log(12)) < 1e-6);
    w[3] = 0;
    assert_int_equal(segment_fit(work, x, y, w, 12, 1, s, &count, &cost), -1);
    assert_int_equal(segment_fit(work, x, y, w, 0, 1, s, &count, &cost), -1);
    segment_free(work);
}

/* The dynamic program against every partition of a short curve, by brute force. */
static void test_segments_optimal(void **state)
{
    struct rng r;
    double w[10], cost;
    struct segment s[10];
    struct segment_work *work = segment_alloc(10);

    (void)state;
    rng_seed(&r, 7);
    for (int trial = 0; trial < 50; trial++) {
        double best = INFINITY;
        size_t count;

        for (size_t i = 0; i < 10; i++) {
            x[i] = (double)i + rng_uniform(&r) / 2;
            y[i] = (double)rng_below(&r, 4) + rng_normal(&r) / 4;
            w[i] = 1 + 9 * rng_uniform(&r);
        }
        for (unsigned cuts = 0; cuts < 512; cuts++) {
            double sum = 0;

            for (size_t first = 0, i = 0; i < 10; i++)
                if (i == 9 || (cuts >> i & 1)) {
                    double flat = segment_line(x, y, w, first, i, 1).rss + 2 * 1.5;
                    double line = segment_line(x, y, w, first, i, 0).rss + 3 * 1.5;

                    sum += fmin(flat, line);
                    first = i + 1;
                }
            best = fmin(best, sum);
        }
        assert_int_equal(segment_fit(work, x, y, w, 10, 1.5, s, &count, &cost), 0);
        assert_true(fabs(cost - best) < 1e-9 * best);
    }
    segment_free(work);
}

static void test_noise(void **state)
{
    static double work[MOST];
    const struct truth t = {1e6, 1e6, 3};
    struct rng r;
    double noise;

    (void)state;
    rng_seed(&r, 1);
    make(&r, 2000, 4096, 1e8, &t, 1, 0.01);
    noise = clean_noise(x, y, 2000, work);
    assert_true(noise > 0.009 && noise < 0.011);
    make(&r, 2000, 4096, 1e8, &t, 1, 0);
    assert_true(clean_noise(x, y, 2000, work) == 0);
    assert_true(clean_noise(x, y, 4, work) == 0);
}

static void test_steps(void **state)
{
    static const double factors[] = {1.014, 1.05, 1.5, 2, 8, 20, 0.9, 0.5, 0.1};
    struct rng r;
    size_t found = 0, extra = 0, all = 0;

    (void)state;
    rng_seed(&r, 2);
    for (int trial = 0; trial < TRIALS; trial++)
        for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
            double at = 1e5 * pow(300, rng_uniform(&r));
            struct truth t = {at, at, factors[f]};
            struct knee_fit fit;

            size_t n = 40 + rng_below(&r, 200);
            double noise = fmin(fabs(factors[f] - 1) / 5, 0.05) * rng_uniform(&r);

            make(&r, n, 4096, 3e8, &t, 1, noise);
            fit = find(n);
            all++;
            found += (size_t)covers(&fit, &t);
            extra += high(&fit) > 1;
            knee_free(&fit);
        }
    assert_true((double)found >= 0.95 * (double)all);
    assert_true((double)extra <= 0.02 * (double)all);
}

/* What real curves have besides their knees: 1 spikes, 2 ripple, 3 a slow drift. */
static void spoil(struct rng *r, size_t n, int kind)
{
    for (size_t i = 0; i < n; i++) {
        if (kind == 1 && rng_below(r, 30) == 0)
            y[i] *= 0.8 + 2 * rng_uniform(r);
        else if (kind == 2)
            y[i] *= 1 + 0.02 * sin((double)i / 2);
        else if (kind == 3)
            y[i] *= 1 + 0.15 * (double)i / (double)n;
    }
}

static void test_three_knees(void **state)
{
    struct rng r;
    size_t found[4] = {0}, wrong[4] = {0};

    (void)state;
    rng_seed(&r, 3);
    for (int trial = 0; trial < 4 * TRIALS; trial++) {
        const struct truth t[] = {{1.2e5, 1.5e5, 2 + 5 * rng_uniform(&r)},
                                  {2.8e7, 3.3e7, 1.2 + rng_uniform(&r)},
                                  {5.9e7, 6.6e7, 1.2 + rng_uniform(&r) / 2}};
        int kind = trial % 4;
        struct knee_fit fit;

        make(&r, 250, 4096, 2.6e8, t, 3, 0.004);
        spoil(&r, 250, kind);
        fit = find(250);
        for (size_t k = 0; k < 3; k++)
            found[kind] += (size_t)covers(&fit, &t[k]);
        wrong[kind] += high(&fit) != 3;
        knee_free(&fit);
    }
    for (int kind = 0; kind < 4; kind++) {
        print_message("# kind %d: %zu of %d found, %zu of %d with more or fewer\n", kind,
                      found[kind], 3 * TRIALS, wrong[kind], TRIALS);
        assert_true(found[kind] >= 3 * TRIALS * 95 / 100);
        assert_true(wrong[kind] <= TRIALS / 10);
    }
}

/* Noise alone, ripple, spikes and drift are no knees of high confidence. */
static void test_no_knee(void **state)
{
    static const size_t sizes[] = {9, 30, 300};
    struct rng r;
    size_t wrong = 0;

    (void)state;
    rng_seed(&r, 4);
    for (int trial = 0; trial < TRIALS; trial++)
        for (int kind = 0; kind < 5; kind++) {
            size_t n = sizes[trial % 3];
            struct knee_fit fit;

            make(&r, n, 4096, 1e8, NULL, 0, kind == 4 ? 0.2 : 0.01);
            for (size_t i = 0; i < n; i++) {
                if (kind == 1)
                    y[i] *= 1 + 0.03 * sin((double)i / 3);
                else if (kind == 2 && i % 8 == 3)
                    y[i] *= 1 + 3 * rng_uniform(&r);
                else if (kind == 3)
                    y[i] *= 1 + 0.3 * (double)i / (double)n;
            }
            fit = find(n);
            wrong += high(&fit) > 0;
            knee_free(&fit);
        }
    assert_true(wrong <= TRIALS * 5 / 50);
}

static void test_flat_and_small(void **state)
{
    struct knee_fit fit;

    (void)state;
    for (size_t n = 0; n <= 9; n++) {
        for (size_t i = 0; i < n; i++) {
            x[i] = (double)(i + 1) * 4096;
            y[i] = 13;
        }
        fit = find(n);
        assert_int_equal(fit.count, 0);
        knee_free(&fit);
    }
    for (size_t i = 0; i < 9; i++)
        y[i] = i < 5 ? 13 : 26;
    fit = find(9);
    assert_int_equal(fit.count, 1);
    assert_true(fit.knee[0].high && fit.knee[0].lo == x[4] && fit.knee[0].hi == x[5]);
    assert_true(fabs(fit.knee[0].height - 1) < 1e-12);
    knee_free(&fit);
    memset(y, 0, sizeof y);
    fit = find(9);
    assert_int_equal(fit.count, 0);
    knee_free(&fit);
}

static void test_bad_input(void **state)
{
    struct knee_fit fit;

    (void)state;
    x[0] = x[1] = 1;
    y[0] = y[1] = 1;
    assert_int_equal(knee_find(x, y, NULL, 2, &knee_defaults, &fit), -2);
    x[1] = 2;
    y[1] = NAN;
    assert_int_equal(knee_find(x, y, NULL, 2, &knee_defaults, &fit), -2);
}

/* Both laws with noise: the truth lies in nine of ten 95 % intervals at least. */
static void test_laws(void **state)
{
    const struct law_rule rule[] = {{LAW_REACH, 0, 0.001, 0.95, 0},
                                    {LAW_SATURATION, 0, 0.001, 0.95, 0}};
    struct rng r;
    size_t inside[2] = {0};

    (void)state;
    rng_seed(&r, 5);
    for (int trial = 0; trial < TRIALS; trial++)
        for (int law = 0; law < 2; law++) {
            double at = 500 + 20000 * rng_uniform(&r);
            struct law_fit fit, truth = {.at = at, .base = 290, .rise = 100};

            if (law == 1)
                truth = (struct law_fit){.at = at, .rise = 8000, .q = 3};
            for (size_t i = 0; i < 40; i++) {
                x[i] = 100 * pow(1.2, (double)i);
                y[i] = law_at(rule[law].law, &truth, x[i]) * (1 + 0.005 * rng_normal(&r));
            }
            assert_int_equal(law_fit(&rule[law], x, y, 40, &fit), 0);
            inside[law] += fit.lo <= at && at <= fit.hi;
            assert_true(fabs(fit.at / at - 1) < 0.2);
        }
    assert_true(inside[0] >= TRIALS * 9 / 10 && inside[1] >= TRIALS * 9 / 10);
    assert_int_equal(law_fit(&rule[0], x, y, 3, &(struct law_fit){0}), -2);
    x[0] = 0;
    assert_int_equal(law_fit(&rule[0], x, y, 40, &(struct law_fit){0}), -2);
}

static void test_refine(void **state)
{
    struct knee k[2] = {{.onset = 28e6, .mid = 30e6, .end = 32e6, .lo = 27e6, .hi = 31e6},
                        {.onset = 58e6, .mid = 60e6, .end = 62e6, .lo = 57e6, .hi = 61e6}};
    struct knee_fit fit = {.knee = k, .count = 2};
    uint64_t out[64];
    size_t n = refine_sizes(&fit, 1, 4096, 1e8, 128, 64, out);

    (void)state;
    assert_int_equal(n, 64);
    assert_true(out[0] > 25000000 && out[31] < 34000000 && out[32] > 55000000 &&
                out[63] < 64000000);
    for (size_t i = 0; i < n; i++)
        assert_true(out[i] % 128 == 0 && (i == 0 || out[i] > out[i - 1]));
    fit.count = 0;
    n = refine_sizes(&fit, 1, 4096, 1e8, 128, 10, out);
    assert_int_equal(n, 10);
    assert_true(out[0] == 4096 && out[9] > 100000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments),       cmocka_unit_test(test_segments_optimal),
        cmocka_unit_test(test_noise),          cmocka_unit_test(test_steps),
        cmocka_unit_test(test_three_knees),    cmocka_unit_test(test_no_knee),
        cmocka_unit_test(test_flat_and_small), cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_refine),         cmocka_unit_test(test_laws),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
