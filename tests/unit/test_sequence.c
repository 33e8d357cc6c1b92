/* The language of access sequences: what is meant, and every way to get it wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "collect/access.h"
#include "collect/sequence.h"

/* Steps as text: "0 1 st:2 3?" */
static const char *show(const struct sequence *q)
{
    static char text[1024];
    size_t at = 0;

    text[0] = '\0';
    for (size_t i = 0; i < q->n; i++)
        at += (size_t)snprintf(
            text + at, sizeof text - at, "%s%s%s%u%s", i ? " " : "",
            q->step[i].kind == L2_LD_CG ? "" : access_name((enum l2_kind)q->step[i].kind),
            q->step[i].kind == L2_LD_CG ? "" : ":", q->step[i].line, q->step[i].report ? "?" : "");
    return text;
}

static void test_meaning(void **state)
{
    static const char *const cases[][2] = {
        {"a b c a? d?", "0 1 2 0? 3?"},
        {"(0..2)*2 st:0 1?", "0 1 2 0 1 2 st:0 1?"},
        {"((a b)*2 c)*2", "0 1 0 1 2 0 1 0 1 2"},
        {"3..1?", "3? 2? 1?"},
        {"  a # a comment ( ; \n b", "0 1"},
        {"evict_first:a..b", "evict_first:0 evict_first:1"},
        {"255", "255"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sequences s = {0};
        char why[200];

        assert_int_equal(sequences_parse(&s, cases[i][0], why, sizeof why), 0);
        assert_int_equal(s.n, 1);
        assert_string_equal(show(&s.seq[0]), cases[i][1]);
        sequences_free(&s);
    }
}

static void test_several(void **state)
{
    struct sequences s = {0};
    char why[200];

    (void)state;
    assert_int_equal(sequences_parse(&s, "a;b c;;", why, sizeof why), 0);
    assert_int_equal(s.n, 2);
    assert_int_equal(sequences_most(&s), 2);
    sequences_free(&s);
}

static void test_errors(void **state)
{
    static const char *const cases[][2] = {
        {"(a b", "bracket is not closed"},
        {"a)", "nothing opened"},
        {"a*", "blank is missing"},
        {"(a)*0", "repeat count"},
        {"256", "line over 255"},
        {"foo:a", "no kind of access 'foo'"},
        {"A", "not a line"},
        {"ab", "not a line"},
        {"a..", "not a line"},
        {"(a)*200000", "repeat count"},
        {"((a..z)*4000)*2", "over 100000 steps"},
        {"wait:a", "no kind"},
        {"((((((((((((((((((a))))))))))))))))))", "deep"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sequences s = {0};
        char why[200] = "";

        assert_int_equal(sequences_parse(&s, cases[i][0], why, sizeof why), -1);
        if (strstr(why, cases[i][1]) == NULL)
            fail_msg("'%s': '%s' does not say '%s'", cases[i][0], why, cases[i][1]);
        sequences_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
