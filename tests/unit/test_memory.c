/* Own and the other side's memory told apart by their bodies, whatever the tail. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyze/memory.h"
#include "../../share/lib/mem.h"

enum { BIN = 1500, SIZES = 3 };

/* n accesses whose body is 100 bins from `at` on, a part t of them in the 500 bins behind it. */
static void add(double *hist, size_t at, double n, double t)
{
    for (size_t b = 0; b < 100; b++)
        hist[at + b] += n * (1 - t) / 100;
    for (size_t b = 0; b < 500; b++)
        hist[at + 100 + b] += n * t / 500;
}

static void test_tail_of_its_own(void **state)
{
    static const double own[SIZES] = {0, 1, 0.5}, other[SIZES] = {0, 0, 0.5};
    double *hist = xcalloc(SIZES * BIN, sizeof *hist), *run = xcalloc(BIN, sizeof *run), share[3];
    struct mixture m = {.nlevel = 3, .cut = {0, 400, 640, BIN}};
    struct memory y;

    (void)state;
    m.share = xcalloc(SIZES * 3, sizeof *m.share);
    for (size_t s = 0; s < SIZES; s++) {
        add(hist + s * BIN, 100, 1000 * (1 - own[s] - other[s]), 0);
        add(hist + s * BIN, 520, 1000 * own[s], 0.1);
        add(hist + s * BIN, 700, 1000 * other[s], 0.1);
        m.share[s * 3] = 1 - own[s] - other[s];
        m.share[s * 3 + 1] = own[s];
        m.share[s * 3 + 2] = other[s];
    }
    assert_int_equal(memory_fit(hist, SIZES, BIN, &m, 1, &y), 0);
    for (double part = 0; part <= 1; part += 0.25)
        for (double t = 0; t < 0.35; t += 0.1) {
            memset(run, 0, BIN * sizeof *run);
            add(run, 520, 1000 * part, t);
            add(run, 700, 1000 * (1 - part), t);
            share[0] = 0;
            share[1] = 0.3;
            share[2] = 0.7;
            memory_share(&y, run, BIN, share);
            assert_true(fabs(share[1] - part) < 0.02);
            assert_true(fabs(share[1] + share[2] - 1) < 1e-9);
        }
    assert_int_equal(memory_fit(hist, SIZES, BIN, &m, 0, &y), -1);
    assert_int_equal(memory_fit(hist, 2, BIN, &m, 1, &y), -1);
    mixture_free(&m);
    free(hist);
    free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tail_of_its_own)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
