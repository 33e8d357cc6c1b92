/* Verdicts from findings: every rule names a finding, and each way in which methods can agree or not. */
#include "analyze/verdict.h"
#include "share/lib/mem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void say(struct findings *fs, const char *param, const char *method, const char *text,
                double lo, double hi)
{
    struct finding *f;
    char *end;

    fs->f = xrealloc(fs->f, fs->n + 1, sizeof *fs->f);
    f = &fs->f[fs->n++];
    *f = (struct finding){.param = xstrdup(param),
                          .text = xstrdup(text),
                          .unit = xstrdup(finding_find(param)->unit),
                          .method = xstrdup(method),
                          .note = xstrdup("-"),
                          .value = strtod(text, &end),
                          .lo = lo,
                          .hi = hi,
                          .n = 10};
    if (*end != '\0')
        f->value = NAN;
}

struct claim {
    const char *method, *text;
    double lo, hi;
};

static void check(const char *param, const struct claim *c, size_t n, const char *value,
                  enum verdict_word word, size_t methods, size_t support)
{
    struct findings fs = {0};
    struct verdict v;

    for (size_t i = 0; i < n; i++)
        say(&fs, param, c[i].method, c[i].text, c[i].lo, c[i].hi);
    verdict_make(&v, &fs, NULL, 0, 0);
    assert_int_equal(v.n, 1);
    assert_string_equal(v.row[0].value, value);
    assert_string_equal(verdict_words[v.row[0].word], verdict_words[word]);
    assert_int_equal(v.row[0].methods, methods);
    assert_int_equal(v.row[0].agree, support);
    verdict_free(&v);
    findings_free(&fs);
}

#define CHECK(param, claims, ...) check(param, claims, sizeof claims / sizeof *claims, __VA_ARGS__)

static void test_rules_name_findings(void **state)
{
    (void)state;
    for (const struct verdict_rule *r = verdict_rules; r->param != NULL; r++)
        if (finding_find(r->param) == NULL)
            fail_msg("verdict_rules: no finding '%s'", r->param);
}

static void test_counts_are_exact(void **state)
{
    const struct claim same[] = {{"evict_home", "16", 16, 16}, {"survival", "15", 13, 18}};
    const struct claim other[] = {{"evict_home", "16", 16, 16}, {"stride", "17", 17, 17}};
    const struct claim far[] = {{"survival", "20", 18, 22}, {"evict_home", "16", 16, 16}};

    (void)state;
    CHECK("ways", same, "16", VERDICT_AGREE, 2, 2);
    CHECK("ways", other, "16 or 17", VERDICT_DISAGREE, 2, 1);
    CHECK("ways", far, "16 or 20", VERDICT_DISAGREE, 2, 1);
}

static void test_capacities_are_near(void **state)
{
    const struct claim near[] = {{"level", "1000", 999, 1001}, {"knee", "1045", 1040, 1050}};
    const struct claim far[] = {{"level", "1000", 999, 1001}, {"knee", "1060", 1056, 1064}};
    const struct claim wide[] = {{"level", "1000", 999, 1010}, {"knee", "1300", 1005, 1500}};

    (void)state;
    CHECK("capacity_side", near, "1000", VERDICT_AGREE, 2, 2);
    CHECK("capacity_side", far, "1000 or 1060", VERDICT_DISAGREE, 2, 1);
    CHECK("capacity_side", wide, "1000", VERDICT_AGREE, 2, 2);
}

static void test_weak_methods_support_nobody(void **state)
{
    const struct claim wide[] = {{"tipping", "100", 95, 105}, {"coincidence", "150", 50, 900}};
    const struct claim unbounded[] = {{"coincidence", "inf", 70, INFINITY},
                                      {"tipping", "100", 95, 105}};
    const struct claim against[] = {{"tipping", "100", 95, 105}, {"coincidence", "400", 300, 900}};

    (void)state;
    CHECK("sets_side", wide, "100", VERDICT_SINGLE, 2, 1);
    CHECK("sets_side", unbounded, "100", VERDICT_SINGLE, 2, 1);
    CHECK("sets_side", against, "100 or 400", VERDICT_DISAGREE, 2, 1);
}

static void test_one_method_twice_is_one(void **state)
{
    const struct claim same[] = {{"evict_home", "16", 16, 16}, {"evict_all", "16", 16, 16}};
    const struct claim other[] = {{"evict_home", "16", 16, 16}, {"evict_all", "8", 8, 8}};

    (void)state;
    CHECK("ways", same, "16", VERDICT_SINGLE, 1, 1);
    CHECK("ways", other, "16 or 8", VERDICT_DISAGREE, 1, 1);
}

static void test_words(void **state)
{
    const struct claim same[] = {{"replay", "lru", NAN, NAN}, {"age", "lru", NAN, NAN}};
    const struct claim other[] = {{"replay", "lru", NAN, NAN}, {"age", "fifo", NAN, NAN}};
    const struct claim several[] = {{"replay", "lru or nru", NAN, NAN}};
    const struct claim open[] = {{"replay", "none", NAN, NAN}, {"age", "lru", NAN, NAN}};

    (void)state;
    CHECK("policy", same, "lru", VERDICT_AGREE, 2, 2);
    CHECK("policy", other, "lru or fifo", VERDICT_DISAGREE, 2, 1);
    CHECK("policy", several, "lru or nru", VERDICT_OPEN, 1, 0);
    const struct claim one_of[] = {{"replay", "lru", NAN, NAN},
                                   {"copies", "lru or fifo", NAN, NAN}},
                       none_of[] = {{"replay", "plru", NAN, NAN},
                                    {"copies", "lru or fifo", NAN, NAN}};

    CHECK("policy", open, "lru", VERDICT_SINGLE, 2, 1);
    CHECK("policy", one_of, "lru", VERDICT_AGREE, 2, 2);
    CHECK("policy", none_of, "plru or lru or fifo", VERDICT_DISAGREE, 2, 1);
    check("policy", one_of + 1, 1, "lru or fifo", VERDICT_OPEN, 1, 0);
}

static void test_lists(void **state)
{
    const struct claim sms[] = {
        {"a", "66", 66, 66}, {"a", "62", 62, 62}, {"b", "62", 62, 62}, {"b", "66", 66, 66}};
    const struct claim masks[] = {{"a", "13,15", NAN, NAN}, {"a", "12,14", NAN, NAN}};

    (void)state;
    CHECK("sm_sides", sms, "66;62", VERDICT_AGREE, 2, 2);
    CHECK("side_mask", masks, "12,14;13,15", VERDICT_SINGLE, 1, 1);
}

static void test_driver(void **state)
{
    const struct verdict_api api[] = {{"capacity_total", 1000}, {"fetch_default", NAN}};
    struct findings fs = {0};
    struct verdict v;

    (void)state;
    say(&fs, "capacity_total", "level", "975", 970, 980);
    say(&fs, "fetch_default", "touch", "64", 64, 64);
    verdict_make(&v, &fs, api, 2, 0);
    assert_true(fabs(verdict_get(&v, "capacity_total")->difference + 0.025) < 1e-12);
    assert_true(isnan(verdict_get(&v, "fetch_default")->api));
    assert_true(verdict_number(&v, "capacity_total") == 975);
    assert_true(isnan(verdict_number(&v, "ways")));
    verdict_free(&v);
    findings_free(&fs);
}

static void test_laws_need_their_policy(void **state)
{
    static const struct {
        const char *policy;
        enum verdict_word word;
    } cases[] = {{"lru", VERDICT_AGREE},
                 {"lru or plru", VERDICT_AGREE},
                 {"srrip", VERDICT_OPEN},
                 {"none", VERDICT_OPEN},
                 {"lru or srrip", VERDICT_OPEN},
                 {"plru or fifo or nru", VERDICT_AGREE},
                 {"lr", VERDICT_OPEN}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct findings fs = {0};
        struct verdict v;

        say(&fs, "policy", "replay", cases[i].policy, NAN, NAN);
        say(&fs, "sets_side", "tipping", "100", 95, 105);
        say(&fs, "sets_side", "survival", "101", 95, 105);
        verdict_make(&v, &fs, NULL, 0, 0);
        assert_int_equal(verdict_get(&v, "sets_side")->word, cases[i].word);
        assert_int_equal(verdict_get(&v, "sets_side")->doubt == NULL,
                         cases[i].word == VERDICT_AGREE);
        verdict_free(&v);
        findings_free(&fs);
    }
}

static void test_findings_without_a_rule(void **state)
{
    const struct claim near[] = {{"a", "100", 100, 100}, {"b", "104", 104, 104}};

    (void)state;
    for (const struct verdict_rule *r = verdict_rules; r->param != NULL; r++)
        assert_string_not_equal(r->param, "copy_depth");
    CHECK("copy_depth", near, "100", VERDICT_AGREE, 2, 2);
}

static void test_missing(void **state)
{
    struct findings fs = {0};
    struct verdict v;

    (void)state;
    say(&fs, "sides", "atomics", "1", 1, 1);
    verdict_make(&v, &fs, NULL, 0, 1);
    assert_int_equal(verdict_get(&v, "ways")->word, VERDICT_MISSING);
    assert_null(verdict_get(&v, "side_mask")); /* one side has none */
    assert_null(verdict_get(&v, "subslices")); /* not expected */
    verdict_free(&v);
    findings_free(&fs);
}

static double derived(struct findings *fs, const char *param, const char *method)
{
    for (size_t i = 0; i < fs->n; i++)
        if (strcmp(fs->f[i].param, param) == 0 && strcmp(fs->f[i].method, method) == 0)
            return fs->f[i].value;
    return NAN;
}

static void test_derived(void **state)
{
    struct findings fs = {0};
    const struct finding *f;

    (void)state;
    say(&fs, "capacity_side", "level", "30801920", 3e7, 3.1e7);
    say(&fs, "ways", "evict_home", "16", 16, 16);
    say(&fs, "ways", "survival", "15", 13, 18);
    say(&fs, "line", "same_tag", "128", 128, 128);
    say(&fs, "slices_side", "contention of loads", "47", 47, 47);
    say(&fs, "sides", "latency of atomics", "2", 2, 2);
    verdict_derive(&fs);
    assert_true(derived(&fs, "sets_side", "capacity / (ways x line)") == 15040);
    assert_true(derived(&fs, "slices", "sides x slices of a side") == 94);
    assert_true(isnan(derived(&fs, "sets_total", "capacity / (ways x line)")));
    f = findings_get(&fs, "sets_side", 0);
    assert_true(fabs(f->lo - 3e7 / 2048) < 1e-9 && fabs(f->hi - 3.1e7 / 2048) < 1e-9);
    findings_free(&fs);
}

static void test_nothing_is_derived_from_contradictions(void **state)
{
    struct findings fs = {0};

    (void)state;
    say(&fs, "capacity_side", "level", "30801920", 3e7, 3.1e7);
    say(&fs, "ways", "evict_home", "16", 16, 16);
    say(&fs, "ways", "stride", "20", 20, 20);
    say(&fs, "line", "same_tag", "128", 128, 128);
    verdict_derive(&fs);
    assert_int_equal(fs.n, 4);
    findings_free(&fs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules_name_findings),
        cmocka_unit_test(test_counts_are_exact),
        cmocka_unit_test(test_capacities_are_near),
        cmocka_unit_test(test_weak_methods_support_nobody),
        cmocka_unit_test(test_one_method_twice_is_one),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_driver),
        cmocka_unit_test(test_laws_need_their_policy),
        cmocka_unit_test(test_findings_without_a_rule),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_derived),
        cmocka_unit_test(test_nothing_is_derived_from_contradictions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
