/* The middle of a rise, and the line from how many nodes fit at each stride. */
#include "analyze/pitch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const double strides[] = {48, 80, 112, 160, 288, 544};
enum { N = 6 };

static void fill(struct pitch_fill *f, double capacity, double line)
{
    for (size_t i = 0; i < N; i++)
        f[i] = (struct pitch_fill){strides[i], capacity / fmin(line, strides[i]), 0.1};
}

static void test_law(void **state)
{
    static const double lines[] = {64, 96, 128, 200, 256, 384};
    struct pitch_fill f[N];
    struct pitch_fit fit;

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        fill(f, 31e6, lines[i]);
        assert_int_equal(pitch_line(f, N, &fit), 0);
        assert_true(fabs(fit.line / lines[i] - 1) < 1e-9);
        assert_true(fit.lo < lines[i] && lines[i] < fit.hi && fit.hi / fit.lo < 1.25);
        assert_int_equal(fit.below + fit.above, N);
    }
}

static void test_noise_widens(void **state)
{
    struct pitch_fill f[N];
    struct pitch_fit quiet, loud;

    (void)state;
    fill(f, 31e6, 128);
    assert_int_equal(pitch_line(f, N, &quiet), 0);
    for (size_t i = 0; i < N; i++)
        f[i].nodes *= i % 2 ? 1.03 : 0.97;
    assert_int_equal(pitch_line(f, N, &loud), 0);
    assert_true(loud.hi - loud.lo > quiet.hi - quiet.lo && loud.lo < 128 && 128 < loud.hi);
    f[4].nodes *= 2;
    assert_int_equal(pitch_line(f, N, &loud), -1);
}

static void test_no_line(void **state)
{
    struct pitch_fill f[N];
    struct pitch_fit fit;

    (void)state;
    fill(f, 31e6, 1000); /* as many bytes everywhere, as on a plain index at strides of 2^k */
    assert_int_equal(pitch_line(f, N, &fit), -1);
    fill(f, 31e6, 10); /* as many nodes everywhere */
    assert_int_equal(pitch_line(f, N, &fit), -1);
    fill(f, 31e6, 128);
    assert_int_equal(pitch_line(f, 3, &fit), -1);
}

static void test_middle(void **state)
{
    struct pitch_point p[16];
    struct pitch_fill f;
    size_t n = 0;

    (void)state;
    for (double x = 32; x < 3000; x *= 1.5)
        p[n++] = (struct pitch_point){x, 200 + 250 * fmin(1, fmax(0, log(x / 500) / log(1.2)))};
    assert_int_equal(pitch_middle(p, n, &f), 0);
    assert_true(f.nodes > 480 && f.nodes < 620 && f.width > 0);
    /* Few nodes may only just hit: 7 % is no rise. */
    for (size_t i = 0; i < n; i++)
        p[i].cycles = p[i].nodes > 500 ? 214 : 200;
    assert_int_equal(pitch_middle(p, n, &f), -1);
    assert_int_equal(pitch_middle(p, 3, &f), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law),
        cmocka_unit_test(test_noise_widens),
        cmocka_unit_test(test_no_line),
        cmocka_unit_test(test_middle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
