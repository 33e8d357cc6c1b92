/* The reader and the writer: what each column type takes, provenance, tables in a row. */
#include "share/lib/cli.h"
#include "share/lib/out.h"
#include "share/lib/prov.h"
#include "share/lib/tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct tsv *reader_of(char *path, const char *text)
{
    char *files[2] = {path, NULL};
    static char *kept[2];
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    memcpy(kept, files, sizeof kept);
    return xtsv_open(kept);
}

static void test_numbers(void **state)
{
    char path[] = "/tmp/test_tsv.XXXXXX";
    struct tsv *t = reader_of(path, "a\tb\tc\n18446744073709551615\t-9223372036854775807\t2.385\n");

    (void)state;
    assert_int_equal(xtsv_next(t), TSV_HEADER);
    assert_int_equal(xtsv_next(t), TSV_ROW);
    assert_true(xtsv_u64(t, xtsv_column(t, "a")) == UINT64_MAX);
    assert_true(xtsv_i64(t, xtsv_column(t, "b")) == -INT64_MAX);
    assert_true(xtsv_double(t, xtsv_column(t, "c")) == 2.385);
    assert_int_equal(xtsv_next(t), TSV_END);
    tsv_close(t);
    unlink(path);
}

/* The fast path of xtsv_double must give the bits that strtod gives. */
static void test_double_equals_strtod(void **state)
{
    static const char *const words[] = {"0",
                                        "-0",
                                        "0.1",
                                        "2.385",
                                        "123456789012345",
                                        "1e300",
                                        "1e-5",
                                        "-.5",
                                        "5.",
                                        "1E+3",
                                        "0.000000000000001",
                                        "inf",
                                        "-inf",
                                        "999999999999999.9",
                                        "0.30000000000000004"};
    char path[] = "/tmp/test_tsv.XXXXXX", text[1024] = "x\n";
    struct tsv *t;

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        strcat(text, words[i]);
        strcat(text, "\n");
    }
    t = reader_of(path, text);
    assert_int_equal(xtsv_next(t), TSV_HEADER);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        double got, want = strtod(words[i], NULL);

        assert_int_equal(xtsv_next(t), TSV_ROW);
        got = xtsv_double(t, 0);
        assert_memory_equal(&got, &want, sizeof got);
    }
    tsv_close(t);
    unlink(path);
}

static void test_concatenated(void **state)
{
    char path[] = "/tmp/test_tsv.XXXXXX";
    struct tsv *t =
        reader_of(path, "#l2tsv 1\n#device A\n#simulated no\nx\n1\n#end rows=1 status=ok\n"
                        "#l2tsv 1\n#device B\n#simulated yes\nx\n2\n#end rows=1 status=ok\n");

    (void)state;
    assert_int_equal(xtsv_next(t), TSV_HEADER);
    assert_int_equal(xtsv_next(t), TSV_ROW);
    assert_false(prov_simulated(&t->prov));
    assert_int_equal(xtsv_next(t), TSV_ROW);
    assert_true(xtsv_u64(t, 0) == 2);
    assert_int_equal(xtsv_next(t), TSV_END);
    assert_false(t->incomplete);
    assert_string_equal(prov_get(&t->prov, "device", 1), "B");
    assert_null(prov_get(&t->prov, "device", 2));
    assert_true(prov_simulated(&t->prov));
    tsv_close(t);
    unlink(path);
}

static void test_writer(void **state)
{
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    struct prov p = {0};
    struct out o;

    (void)state;
    prov_addf(&p, "#device %s", "a\tb`c`");
    out_begin(&o, to, &p, "a b c d e");
    out_u64(&o, UINT64_MAX);
    out_i64(&o, INT64_MIN);
    out_double(&o, 0.1);
    out_round(&o, 1.0 / 3, 3);
    out_str(&o, "tab\there");
    out_row(&o);
    out_end(&o, "ok");
    fclose(to);
    assert_string_equal(text, "#l2tsv 1\n#device a b`c`\na\tb\tc\td\te\n"
                              "18446744073709551615\t-9223372036854775808\t0.1\t0.333\ttab_here\n"
                              "#end rows=1 status=ok\n");
    free(text);
    prov_free(&p);
}

static void test_sizes(void **state)
{
    uint64_t v = 0;
    double d;

    (void)state;
    assert_int_equal(parse_size("1.5M", &v), 0);
    assert_true(v == 1572864);
    assert_int_equal(parse_size("64k", &v), 0);
    assert_true(v == 65536);
    assert_int_equal(parse_size("K", &v), -1);
    assert_int_equal(parse_size("-1K", &v), -1);
    assert_int_equal(parse_size("nanK", &v), -1);
    assert_int_equal(parse_size("", &v), -1);
    assert_int_equal(parse_u64("18446744073709551616", &v), -1);
    assert_int_equal(parse_u64("0x10", &v), -1);
    assert_int_equal(parse_double("0x1p3", &d), -1);
    assert_int_equal(parse_double(" 1", &d), -1);
    assert_int_equal(parse_double("1,5", &d), -1);
    assert_string_equal(cli_size(30 << 20), "30M");
    assert_string_equal(cli_size(1000), "1000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),      cmocka_unit_test(test_double_equals_strtod),
        cmocka_unit_test(test_concatenated), cmocka_unit_test(test_writer),
        cmocka_unit_test(test_sizes),
    };

    cli_start("test_tsv");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
