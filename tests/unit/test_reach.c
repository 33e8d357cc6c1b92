/* The reach of a translation from curves of known shape: steps, hyperbolas, both with an inner level, none. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "analyze/reach.h"
#include "share/lib/rng.h"

enum { POINTS = 100 };

struct curve {
    double x[POINTS], y[POINTS];
    size_t n;
};

/* 290 cycles; `inner` more beyond an inner reach; p more beyond the outer one, as a step or a hyperbola; noise. */
static struct curve make(double first, double last, double inner_at, double inner, double at,
                         double p, int step, double noise)
{
    struct curve c = {.n = POINTS};
    struct rng r;

    rng_seed(&r, (uint64_t)(at + p));
    for (size_t i = 0; i < c.n; i++) {
        double x = first * pow(last / first, (double)i / (POINTS - 1));

        c.x[i] = x;
        c.y[i] = 290 + (x > inner_at ? inner : 0) + (x > at ? p * (step ? 1 : 1 - at / x) : 0) +
                 noise * rng_normal(&r);
    }
    return c;
}

static void holds(const struct reach_level *l, double at, double factor)
{
    if (!(l->lo <= at && at <= l->hi && l->hi <= factor * l->lo))
        fail_msg("%.18g not within %.18g to %.18g, or that wider than a factor of %g", at, l->lo,
                 l->hi, factor);
}

static void test_step(void **state)
{
    struct reach r;

    (void)state;
    for (double at = 3e8; at < 5e10; at *= 2.385) {
        struct curve c = make(1e7, 1e11, 0, 0, at, 65, 1, 0.3);

        assert_int_equal(reach_find(c.x, c.y, c.n, &r), 0);
        assert_true(r.found && r.step && r.ninner == 0);
        holds(&r.outer, at, 1.25);
    }
}

static void test_hyperbola(void **state)
{
    struct reach r;

    (void)state;
    for (double at = 3e8; at < 3e10; at *= 2.385) {
        struct curve c = make(1e7, 1e11, 0, 0, at, 110, 0, 0.3);

        assert_int_equal(reach_find(c.x, c.y, c.n, &r), 0);
        assert_true(r.found && !r.step);
        holds(&r.outer, at, 1.15);
    }
}

static void test_inner_level(void **state)
{
    struct reach r;

    (void)state;
    for (int step = 0; step < 2; step++) {
        struct curve c = make(1e7, 1e11, 2.385e8, 12, 3e10, 100, step, 0.2);

        assert_int_equal(reach_find(c.x, c.y, c.n, &r), 0);
        assert_true(r.found && r.step == step);
        holds(&r.outer, 3e10, 1.3);
        assert_true(r.ninner == 1);
        holds(&r.inner[0], 2.385e8, 1.25);
    }
}

static void test_none(void **state)
{
    struct curve flat = make(1e7, 1e11, 0, 0, 1e12, 100, 1, 0.5),
                 small = make(1e7, 1e11, 0, 0, 1e10, 6, 1, 0.2),
                 late = make(1e7, 1e11, 0, 0, 0.99e11, 100, 0, 0.2);
    struct reach r;

    (void)state;
    assert_int_equal(reach_find(flat.x, flat.y, flat.n, &r), 0);
    assert_true(!r.found && r.ninner == 0);
    assert_int_equal(reach_find(small.x, small.y, small.n, &r), 0);
    assert_false(r.found);
    assert_int_equal(reach_find(late.x, late.y, late.n, &r), 0);
    assert_false(r.found);
}

static void test_refused(void **state)
{
    struct curve c = make(1e7, 1e11, 0, 0, 1e9, 100, 1, 0);
    struct reach r;

    (void)state;
    assert_int_equal(reach_find(c.x, c.y, 3, &r), -1);
    c.x[5] = c.x[4];
    assert_int_equal(reach_find(c.x, c.y, c.n, &r), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step),        cmocka_unit_test(test_hyperbola),
        cmocka_unit_test(test_inner_level), cmocka_unit_test(test_none),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
