/* The mathematics of l2slice on made-up data whose truth is known: clusters, contention, sides, XOR functions. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cluster.h"
#include "analyze/contend.h"
#include "analyze/halve.h"
#include "analyze/linear.h"
#include "analyze/findings.h"
#include "analyze/side.h"
#include "analyze/smgroup.h"
#include "share/lib/mem.h"
#include "share/lib/rng.h"

/* lines x dims values: line i is of place i * step mod places; places differ by `apart` in each value. */
static float *fingerprints(size_t lines, size_t dims, size_t places, double apart, double noise,
                           uint64_t seed)
{
    float *x = xmalloc(lines * dims * sizeof *x);
    struct rng r;

    rng_seed(&r, seed);
    for (size_t i = 0; i < lines; i++)
        for (size_t k = 0; k < dims; k++) {
            double at = (double)(rng_mix(i * 7 % places * 1000 + k) % 1000) / 1000 * apart;

            x[i * dims + k] = (float)(280 + at + noise * rng_normal(&r));
        }
    return x;
}

static void clusters_are_counted(void **state)
{
    const size_t places[] = {2, 3, 37, 90, 188};

    (void)state;
    for (size_t t = 0; t < 5; t++) {
        struct cluster c;
        float *x = fingerprints(1024, 64, places[t], 20, 1, t);

        cluster_alloc(&c, 1024, 64);
        c.x = x;
        x[5] += 900; /* one wild reading */
        assert_int_equal(cluster_run(&c), 0);
        assert_int_equal(c.n, places[t]);
        assert_true(c.pure && c.noise > 0.7 && c.noise < 1.3);
        for (size_t i = 0; i < 1024; i++)
            for (size_t j = i % 100; j < 1024; j += 100)
                if (c.label[i] != CLUSTER_NONE && c.label[j] != CLUSTER_NONE)
                    assert_int_equal(c.label[i] == c.label[j],
                                     i * 7 % places[t] == j * 7 % places[t]);
        assert_true(c.unclear <= 1);
        cluster_free(&c);
        free(x);
    }
}

static void no_gap_no_clusters(void **state)
{
    struct cluster c;
    float *x = fingerprints(1000, 4, 100, 8, 2, 9);

    (void)state;
    cluster_alloc(&c, 1000, 4);
    c.x = x;
    assert_int_equal(cluster_run(&c), -1);
    assert_int_equal(c.n, 0);
    assert_true(c.different < CLUSTER_GAP * c.same);
    cluster_free(&c);
    free(x);
    x = fingerprints(60, 32, 60, 20, 1, 9); /* no place twice: nothing tells noise from distance */
    cluster_alloc(&c, 60, 32);
    c.x = x;
    assert_int_equal(cluster_run(&c), -1);
    cluster_free(&c);
    free(x);
    x = fingerprints(600, 32, 1, 20, 1, 9); /* nor does one place alone */
    cluster_alloc(&c, 600, 32);
    c.x = x;
    assert_int_equal(cluster_run(&c), -1);
    cluster_free(&c);
    free(x);
}

/* 132 values; two places each lie as far from each other as the noise of one value, other places ten times as far. */
static float *near_places(size_t lines, size_t places, uint64_t seed)
{
    float *x = xmalloc(lines * 132 * sizeof *x);
    struct rng r;

    rng_seed(&r, seed);
    for (size_t i = 0; i < lines; i++)
        for (size_t k = 0; k < 132; k++) {
            size_t place = i * 7 % places;
            double at = (double)(rng_mix(place / 2 * 1000 + k) % 35);

            at += rng_mix(place * 500 + k + 77) % 2 ? 0.65 : -0.65;
            x[i * 132 + k] = (float)(280 + at + (k % 3 ? 0.8 : 1.3) * rng_normal(&r));
        }
    return x;
}

static void places_as_near_as_noise(void **state)
{
    struct cluster c;
    float *x = near_places(1200, 24, 3);

    (void)state;
    cluster_alloc(&c, 1200, 132);
    c.x = x;
    assert_int_equal(cluster_run(&c), 0);
    assert_int_equal(c.n, 24);
    assert_int_equal(c.unclear, 0);
    assert_true(c.pure && c.least_margin > HALVE_MARGIN);
    assert_true(c.different < CLUSTER_GAP * c.same); /* no distance tells them apart */
    for (size_t i = 0; i < 1200; i++)
        for (size_t j = i % 100; j < 1200; j += 100)
            assert_int_equal(c.label[i] == c.label[j], i * 7 % 24 == j * 7 % 24);
    cluster_free(&c);
    free(x);
}

static void noise_is_not_halved(void **state)
{
    const size_t lines[] = {4, 6, 20, 60, 400}, dims[] = {8, 20, 132};
    uint32_t all[400];
    struct halve h;

    (void)state;
    for (uint32_t i = 0; i < 400; i++)
        all[i] = i;
    for (size_t t = 0; t < 15 * 8; t++) {
        size_t n = lines[t % 5], d = dims[t / 5 % 3];
        float *x = fingerprints(n, d, 1, 0, 1, t);

        x[1] += 300; /* a wild reading */
        halve_alloc(&h, n, d);
        h.n = n;
        h.stride = d;
        h.row = x;
        h.point = all;
        h.noise = 1;
        assert_int_equal(halve_run(&h), 0);
        halve_free(&h);
        free(x);
    }
    assert_true(fabs(halve_margin(1, 1000000, sqrt(2), 1000000, 1, 0.01) - 1) < 1e-3);
    assert_true(halve_margin(1, 5, 1, 5, 0.1, 1) == 0); /* centres nearer than their noise */
}

static void missed_classes(void **state)
{
    const size_t size[] = {1, 1, 1, 1, 2, 5};

    (void)state;
    assert_true(cluster_missed(size, 6) == 3);
    assert_true(cluster_missed(size + 4, 2) == 0);
}

/* A pivot search over lines of `slices`, partners in twos when wished; every pair of a pivot with a line not yet labelled. */
static size_t pivot_search(struct contend_pair *pair, size_t lines, size_t slices, int partners,
                           double noise)
{
    char *done = xcalloc(lines, 1);
    size_t n = 0;
    struct rng r;

    rng_seed(&r, slices);
    for (uint32_t p = 0; p < lines; p++) {
        if (done[p])
            continue;
        for (uint32_t i = p; i < lines; i++) {
            size_t a = p * 5 % slices, b = i * 5 % slices;
            double level = a == b ? 4300 : partners && (a ^ b) == 1 ? 3300 : 2100;

            if (done[i])
                continue;
            pair[n++] = (struct contend_pair){p, i, level * (1 + noise * rng_normal(&r))};
            done[i] = a == b;
        }
    }
    free(done);
    return n;
}

static void contention_counts_slices(void **state)
{
    const size_t slices[] = {4, 7, 46, 94};
    struct contend_pair *pair = xmalloc(400 * 400 * sizeof *pair);

    (void)state;
    for (int t = 0; t < 8; t++) {
        struct contend c;
        size_t n = pivot_search(pair, 400, slices[t / 2], t % 2, 0.02);

        contend_alloc(&c, 400, n);
        c.pair = pair;
        pair[3].cycles *= 1.5; /* a wild reading */
        assert_int_equal(contend_run(&c), 0);
        assert_int_equal(c.modes, t % 2 ? 3 : 2);
        assert_int_equal(c.n, slices[t / 2]);
        assert_int_equal(c.groups, t % 2 ? (slices[t / 2] + 1) / 2 : slices[t / 2]);
        assert_true(contend_counts(&c));
        for (uint32_t i = 0; i < 400; i++)
            for (uint32_t j = 0; j < i; j++)
                assert_int_equal(c.label[i] == c.label[j],
                                 i * 5 % slices[t / 2] == j * 5 % slices[t / 2]);
        contend_free(&c);
    }
    free(pair);
}

/* As on an H200: partners take 3950 cycles and some of them 5270; lines of one slice 5540 and some of them 6730. The first
 * pivot labels the partners that take 5270. With `settle` they are compared with all pivots besides. */
static size_t doubtful_search(struct contend_pair *pair, size_t lines, size_t slices, int settle)
{
    char *done = xcalloc(lines, 1);
    size_t n = 0;
    struct rng r;

    rng_seed(&r, slices);
    for (uint32_t turn = 0; turn < (settle ? 2 : 1); turn++)
        for (uint32_t p = 0; p < lines; p++)
            for (uint32_t i = turn == 0 ? p : 0;
                 i < lines && (turn == 0 ? done[p] < 2 : done[p] == 1); i++) {
                size_t a = p * 5 % slices, b = i * 5 % slices;
                int bank = rng_mix(p * 1000 + i) % 11 == 3 && i != p;
                double level = a == b         ? bank ? 6730 : 5540
                               : (a ^ b) == 1 ? bank ? 5270 : 3950
                                              : 2900;

                if (turn == 0 ? done[i] != 0 : done[i] != 3)
                    continue;
                pair[n++] = (struct contend_pair){p, i, level + 6 * rng_normal(&r)};
                if (turn == 0)
                    done[i] = i == p ? 1 : a == b ? 2 : level > 5000 ? 3 : 0;
            }
    free(done);
    return n;
}

static void doubtful_pairs_join_nothing(void **state)
{
    struct contend_pair *pair = xmalloc(400 * 400 * sizeof *pair);

    (void)state;
    for (int settle = 0; settle < 2; settle++) {
        struct contend c;
        size_t n = doubtful_search(pair, 400, 22, settle), none = 0;

        contend_alloc(&c, 400, n);
        c.pair = pair;
        assert_int_equal(contend_run(&c), 0);
        assert_int_equal(c.n, 22);
        assert_int_equal(c.groups, 11);
        assert_int_equal(c.conflicts, 0);
        assert_true(contend_counts(&c));
        for (uint32_t i = 0; i < 400; i++)
            none += c.label[i] == CONTEND_NONE;
        for (uint32_t i = 0; i < 400; i++)
            for (uint32_t j = 0; j < i; j++)
                if (c.label[i] != CONTEND_NONE && c.label[j] != CONTEND_NONE)
                    assert_int_equal(c.label[i] == c.label[j], i * 5 % 22 == j * 5 % 22);
        assert_int_equal(none, c.doubtful);
        assert_int_equal(c.doubtful > 0, !settle);
        contend_free(&c);
    }
    free(pair);
}

static void contention_that_shows_nothing(void **state)
{
    struct contend_pair *pair = xmalloc(3000 * sizeof *pair);
    struct contend c;
    struct rng r;

    (void)state;
    rng_seed(&r, 5);
    for (uint32_t i = 0; i < 3000; i++)
        pair[i] = (struct contend_pair){(uint32_t)rng_below(&r, 99), 100 + i % 100,
                                        288 + 10 * rng_normal(&r)};
    contend_alloc(&c, 300, 3000);
    c.pair = pair;
    assert_int_equal(contend_run(&c), -1);
    assert_int_equal(c.n, 0);
    contend_free(&c);
    /* One line against all others: two classes are seen, and that is no count. */
    for (uint32_t i = 0; i < 200; i++)
        pair[i] = (struct contend_pair){0, i, i % 20 == 0 ? 2000 : 1000};
    contend_alloc(&c, 200, 200);
    c.pair = pair;
    assert_int_equal(contend_run(&c), 0);
    assert_false(contend_counts(&c));
    contend_free(&c);
    free(pair);
}

static void run_side(struct side *s, unsigned sides, size_t lines, size_t sms, double far,
                     double noise)
{
    float *x = xmalloc(lines * sms * sizeof *x);
    struct rng r;

    rng_seed(&r, sides);
    for (size_t i = 0; i < lines; i++)
        for (size_t k = 0; k < sms; k++)
            x[i * sms + k] =
                (float)(280 + (i % sides != k / 2 % sides ? far : 0) + noise * rng_normal(&r));
    side_alloc(s, lines, sms);
    s->cycles = x;
    side_run(s);
    free(x);
}

static void sides_of_lines_and_sms(void **state)
{
    struct side s;

    (void)state;
    for (unsigned sides = 1; sides <= 4; sides++) {
        run_side(&s, sides, 300, 16, 180, 12);
        assert_int_equal(s.verdict, SIDE_OK);
        assert_int_equal(s.sides, sides);
        assert_int_equal(s.seen, sides);
        for (size_t i = 0; i < 300; i++)
            assert_int_equal(s.line_side[i], i % sides);
        for (size_t k = 0; k < 16; k++)
            assert_int_equal(s.sm_side[k], k / 2 % sides);
        side_free(&s);
    }
    run_side(&s, 2, 300, 2, 180, 12); /* SMs of one side only */
    assert_int_equal(s.verdict, SIDE_OK);
    assert_int_equal(s.sides, 2);
    assert_int_equal(s.seen, 1);
    side_free(&s);
    run_side(&s, 1, 300, 1, 0, 12);
    assert_int_equal(s.verdict, SIDE_ONE_SM);
    side_free(&s);
    run_side(&s, 2, 20, 16, 180, 12);
    assert_int_equal(s.verdict, SIDE_FEW_LINES);
    side_free(&s);
}

/* Labels by two masks, random constants for pages of 2 MiB, and wrong ones. */
static void linear_run_on(struct linear *l, int plain, size_t modulo, size_t wrong)
{
    static uint64_t offset[1500];
    static uint32_t label[1500];
    const uint64_t mask[] = {0x1ab000, 0x95200};
    struct rng r;

    rng_seed(&r, modulo + wrong);
    for (size_t i = 0; i < 1500; i++) {
        uint64_t page, x = i < 500 ? i * 256 : rng_below(&r, 64ull << 20) & ~127ull;

        offset[i] = x;
        page = plain ? 0 : rng_mix(x >> 21);
        label[i] = (uint32_t)((gf2_parity(x & mask[0]) ^ (page & 1)) * 2 +
                              (gf2_parity(x & mask[1]) ^ (page >> 1 & 1)));
        label[i] = label[i] * (uint32_t)modulo + (uint32_t)((x / 256 + page % 97) % modulo);
        if (wrong > 0 && i % (1500 / wrong) == 0)
            label[i] = (uint32_t)rng_below(&r, 4 * modulo);
    }
    *l = (struct linear){.lines = 1500, .offset = offset, .label = label, .classes = 4 * modulo};
    linear_run(l);
}

static void functions_are_found(void **state)
{
    struct gf2 want = {.n = 0};
    struct linear l;
    size_t pairs;

    (void)state;
    gf2_add(&want, 0x1ab000);
    gf2_add(&want, 0x95200);
    linear_run_on(&l, 0, 1, 0);
    assert_true(l.linear && gf2_equal(&l.functions, &want));
    assert_int_equal(l.page_shift, 21);
    assert_true(l.right == 1);
    assert_true(linear_flips(&l, 9, &pairs) == 1 && pairs > 100);
    assert_true(linear_flips(&l, 10, &pairs) == 0 && pairs > 100);
    linear_run_on(&l, 1, 1, 0);
    assert_true(l.linear && gf2_equal(&l.functions, &want));
    assert_int_equal(l.page_shift, 64);
    linear_run_on(&l, 0, 1, 5);
    assert_true(l.linear && gf2_equal(&l.functions, &want));
    linear_run_on(&l, 0, 7, 0);
    assert_false(l.linear);
    assert_true(gf2_equal(&l.functions, &want));
}

static void few_lines_leave_functions_open(void **state)
{
    const uint64_t offset[] = {0, 256, 512, 768, 4096, 8192};
    const uint32_t label[] = {0, 1, 0, 1, 1, 0};
    struct linear l = {.lines = 6, .offset = offset, .label = label, .classes = 2};

    (void)state;
    linear_run(&l);
    assert_false(l.linear);
    assert_true(l.open > 0);
}

static void sms_of_one_place_are_a_group(void **state)
{
    float x[200 * 12];
    uint32_t group[12];
    struct rng r;

    (void)state;
    rng_seed(&r, 8);
    for (size_t i = 0; i < 200; i++)
        for (size_t k = 0; k < 12; k++)
            x[i * 12 + k] = (float)(280 + (double)(rng_mix(i * 16 + k % 3) % 20) + 5 * (double)k +
                                    rng_normal(&r));
    assert_int_equal(smgroup(x, 200, 12, group), 3);
    for (size_t k = 0; k < 12; k++)
        assert_int_equal(group[k], k % 3);
    for (size_t i = 0; i < 200 * 12; i++)
        x[i] = (float)(280 + rng_normal(&r));
    assert_int_equal(smgroup(x, 200, 12, group), 0);
    assert_int_equal(smgroup(x, 200, 1, group), 0);
}

static void findings_read_back(void **state)
{
    char name[] = "/tmp/test_findings_XXXXXX", *files[] = {name, NULL};
    FILE *to = fdopen(mkstemp(name), "w");
    struct findings fs = {0};
    struct prov p = {0};
    struct out o;
    struct tsv *t;

    (void)state;
    findings_begin(&o, to, &p);
    finding_put(&o, "capacity_side", 2.385e7 + 0.25, 2e7, NAN, "knee", 12, "%d sizes", 12);
    finding_word(&o, "side_mask", "12", "gf2", 3, "-");
    out_end(&o, "ok");
    fclose(to);
    t = xtsv_open(files);
    assert_int_equal(xtsv_next(t), TSV_HEADER);
    assert_true(findings_is(t));
    while (xtsv_next(t) == TSV_ROW)
        xfindings_add(&fs, t);
    assert_true(fabs(findings_get(&fs, "capacity_side", 0)->value / 2.385e7 - 1) < 1e-5);
    assert_true(isnan(findings_get(&fs, "capacity_side", 0)->hi));
    assert_string_equal(findings_get(&fs, "capacity_side", 0)->note, "12 sizes");
    assert_string_equal(findings_get(&fs, "side_mask", 0)->text, "12");
    assert_true(isnan(findings_get(&fs, "side_mask", 0)->value));
    assert_null(findings_get(&fs, "side_mask", 1));
    assert_null(finding_find("no_such"));
    tsv_close(t);
    findings_free(&fs);
    remove(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_counted),
        cmocka_unit_test(no_gap_no_clusters),
        cmocka_unit_test(places_as_near_as_noise),
        cmocka_unit_test(noise_is_not_halved),
        cmocka_unit_test(missed_classes),
        cmocka_unit_test(contention_counts_slices),
        cmocka_unit_test(doubtful_pairs_join_nothing),
        cmocka_unit_test(contention_that_shows_nothing),
        cmocka_unit_test(sides_of_lines_and_sms),
        cmocka_unit_test(functions_are_found),
        cmocka_unit_test(few_lines_leave_functions_open),
        cmocka_unit_test(sms_of_one_place_are_a_group),
        cmocka_unit_test(findings_read_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
