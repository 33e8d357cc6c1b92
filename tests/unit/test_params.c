/* Parameters and lists of sizes: what is accepted, what is refused and in which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "collect/params.h"

static const struct param table[] = {
    {"size", PARAM_SIZES, "auto", "bytes", "a list", 16, 1e12},
    {"hops", PARAM_U64, "100", "", "a number", 1, 1000},
    {"stride", PARAM_SIZE, "128", "bytes", "a size", 8, 4096},
    {"ms", PARAM_DOUBLE, "2.5", "ms", "a real number", 0, 10},
    {"op", PARAM_WORD, "cg", "cg|ca|cv", "a word", 0, 0},
    {"what", PARAM_WORDS, "a,b", "a|b|long", "words", 0, 0},
    {"any", PARAM_U64, "7", "", "no bounds", 0, 0},
    {0},
};
static const struct experiment experiment = {.name = "trial", .columns = "exp", .params = table};

static void has_sizes(const char *word, size_t n, const uint64_t *want)
{
    struct sizes s = {0};
    char why[256] = "";

    assert_int_equal(sizes_parse(&s, word, why, sizeof why), 0);
    assert_int_equal(s.n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(s.v[i], want[i]);
    sizes_free(&s);
}

static void refuses_sizes(const char *word)
{
    struct sizes s = {0};
    char why[256] = "";

    if (sizes_parse(&s, word, why, sizeof why) == 0)
        fail_msg("accepted: '%s'", word);
    assert_string_not_equal(why, "");
    sizes_free(&s);
}

static void test_lists_and_ranges(void **state)
{
    (void)state;
    has_sizes("4096", 1, (uint64_t[]){4096});
    has_sizes("4K,1M,1.5G", 3, (uint64_t[]){4096, 1 << 20, 1610612736});
    has_sizes("1K:4K:1", 3, (uint64_t[]){1024, 2048, 4096});
    has_sizes("1K:4K:2", 5, (uint64_t[]){1024, 1448, 2048, 2896, 4096});
    has_sizes("1K:3K:1", 3, (uint64_t[]){1024, 2048, 3072});
    has_sizes("28M:34M:+2M", 4, (uint64_t[]){28 << 20, 30 << 20, 32 << 20, 34 << 20});
    has_sizes("10:15:+2", 3, (uint64_t[]){10, 12, 14});
    has_sizes("5:5:8", 1, (uint64_t[]){5});
    has_sizes("8G,1K:2K:1", 3, (uint64_t[]){(uint64_t)8 << 30, 1024, 2048});
}

static void test_bad_lists(void **state)
{
    static const char *const bad[] = {"",
                                      "4K,",
                                      ",4K",
                                      "4X",
                                      "-4K",
                                      " 4K",
                                      "0x1000",
                                      "4K:8K",
                                      "4K:8K:0",
                                      "4K:8K:+0",
                                      "8K:4K:8",
                                      "0:4K:8",
                                      "4K:8K:8:",
                                      "4K:8K:+-1",
                                      "1:1T:+1",
                                      "4K:8K:1K",
                                      "nan",
                                      "4K 8K",
                                      "1e6",
                                      "4K:8K:1.5",
                                      "1K:2K:2000000",
                                      "99999999999999999999"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses_sizes(bad[i]);
}

static int read_text(struct sizes *s, const char *text, char *why, size_t why_size)
{
    FILE *f = tmpfile();
    int failed;

    fputs(text, f);
    rewind(f);
    failed = sizes_read(s, f, "size", why, why_size);
    fclose(f);
    return failed;
}

static void test_sizes_from_a_file(void **state)
{
    struct sizes s = {0};
    char why[256] = "";

    (void)state;
    assert_int_equal(read_text(&s, "4K\n8192\n\n", why, sizeof why), 0);
    assert_int_equal(s.n, 2);
    s.n = 0;
    assert_int_equal(read_text(&s, "#l2tsv 1\n#by l2knee\nsize\n30M\n31M\n#end rows=2 status=ok\n",
                               why, sizeof why),
                     0);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.v[1], 31 << 20);
    s.n = 0;
    assert_int_equal(read_text(&s, "knee\tsize\n1\t512\n2\t1024\n", why, sizeof why), 0);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.v[0], 512);
    assert_int_equal(read_text(&s, "knee\n1\n", why, sizeof why), -1);
    assert_non_null(strstr(why, "'knee'"));
    assert_int_equal(read_text(&s, "knee\tsize\n1\n", why, sizeof why), -1);
    sizes_free(&s);
}

static void test_sort_drops_repeats(void **state)
{
    struct sizes s = {0};

    (void)state;
    sizes_sort(&s);
    assert_int_equal(s.n, 0);
    for (size_t i = 0; i < 6; i++)
        sizes_add(&s, (uint64_t[]){3, 1, 3, 2, 1, 3}[i]);
    sizes_sort(&s);
    assert_int_equal(s.n, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(s.v[i], i + 1);
    sizes_free(&s);
}

static void test_defaults_and_values(void **state)
{
    struct params *p = params_new(&experiment);
    struct run r = {.params = p, .exp = &experiment};
    char why[256], *line;
    size_t n;

    (void)state;
    assert_true(param_auto(&r, "size"));
    assert_false(param_auto(&r, "hops"));
    assert_int_equal(param_u64(&r, "hops"), 100);
    assert_true(param_double(&r, "ms") == 2.5);
    assert_string_equal(param_text(&r, "op"), "cg");
    assert_int_equal(params_set(p, "size=1K:2K:1", NULL, why, sizeof why), PARAMS_SET);
    assert_int_equal(params_set(p, "size=4K", NULL, why, sizeof why), PARAMS_SET);
    assert_int_equal(params_set(p, "stride=1K", NULL, why, sizeof why), PARAMS_SET);
    assert_int_equal(params_set(p, "what=long", NULL, why, sizeof why), PARAMS_SET);
    assert_int_equal(params_set(p, "any=18446744073709551615", NULL, why, sizeof why), PARAMS_SET);
    assert_int_equal(param_sizes(&r, "size", &n)[0], 4096);
    assert_int_equal(n, 1);
    assert_false(param_auto(&r, "size"));
    assert_int_equal(param_u64(&r, "stride"), 1024);
    assert_true(param_has(&r, "what", "long"));
    assert_false(param_has(&r, "what", "a"));
    assert_int_equal(param_u64(&r, "any"), UINT64_MAX);
    line = params_line(p);
    assert_string_equal(
        line, "size=4K hops=100 stride=1K ms=2.5 op=cg what=long any=18446744073709551615");
    free(line);
    params_free(p);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *word, *why;
    } bad[] = {
        {"hops=0", "hops: not between 1 and 1000: '0'"},
        {"hops=1001", "hops: not between 1 and 1000: '1001'"},
        {"hops=1K", "hops: not a whole number: '1K'"},
        {"hops=", "hops: not a whole number: ''"},
        {"hops=auto", "hops: not a whole number: 'auto'"},
        {"stride=8K", "stride: not between 8 and 4096 bytes: '8K'"},
        {"stride=x", "stride: not a size such as 4096, 4K or 30M: 'x'"},
        {"ms=11", "ms: not between 0 and 10 ms: '11'"},
        {"ms=nan", "ms: not between 0 and 10 ms: 'nan'"},
        {"op=c", "op: not one of cg|ca|cv: 'c'"},
        {"op=cg,ca", "op: not one of cg|ca|cv: 'cg,ca'"},
        {"op=cg|ca", "op: not one of cg|ca|cv: 'cg|ca'"},
        {"what=a,,b", "what: not of a|b|long: 'a,,b'"},
        {"what=a,lon", "what: not of a|b|long: 'a,lon'"},
        {"size=8", "size: not between 16 and 1000000000000 bytes: '8'"},
        {"size=-", "size: no sizes on standard input: '-'"},
    };
    struct params *p = params_new(&experiment);
    char why[256];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(params_set(p, bad[i].word, NULL, why, sizeof why), PARAMS_BAD);
        assert_string_equal(why, bad[i].why);
    }
    assert_int_equal(params_set(p, "hop=1", NULL, why, sizeof why), PARAMS_UNKNOWN);
    assert_int_equal(params_set(p, "hopss=1", NULL, why, sizeof why), PARAMS_UNKNOWN);
    assert_int_equal(params_set(p, "=1", NULL, why, sizeof why), PARAMS_UNKNOWN);
    params_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_and_ranges),    cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_sizes_from_a_file),   cmocka_unit_test(test_sort_drops_repeats),
        cmocka_unit_test(test_defaults_and_values), cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
