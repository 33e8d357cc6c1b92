/* The table of columns, the table of findings and the page l2tsv(5) name the same things. */
#include "analyze/findings.h"
#include "collect/experiment.h"
#include "share/lib/columns.h"
#include "share/lib/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char *page;

static int read_page(void **state)
{
    const char *top = getenv("TOP");
    char *path = xprintf("%s/man/l2tsv.5", top != NULL ? top : ".");
    FILE *in = fopen(path, "r");

    (void)state;
    free(path);
    if (in == NULL)
        return -1;
    page = xcalloc(1, 1 << 20);
    if (fread(page, 1, (1 << 20) - 1, in) == 0)
        return -1;
    return fclose(in);
}

static int free_page(void **state)
{
    (void)state;
    free(page);
    return 0;
}

/* 1 when the page has no ".It Cm NAME" followed by a line that says this. */
static int lacks(const char *name, const char *says)
{
    char *item = xprintf("\n.It Cm %s\n%s", name, says);
    int missing = strstr(page, item) == NULL;

    if (missing)
        print_error("man/l2tsv.5 lacks:%s\n", item);
    free(item);
    return missing;
}

static void test_every_column_is_documented(void **state)
{
    int missing = 0;

    (void)state;
    for (const struct column *c = column_table; c->name != NULL; c++) {
        char *says = xprintf("%s%s%s, %s: %s.\n", column_type_name(c->type), *c->unit ? " in " : "",
                             c->unit, column_role_name(c->role), c->meaning);

        missing += lacks(c->name, says);
        free(says);
    }
    assert_int_equal(missing, 0);
}

static void test_every_finding_is_documented(void **state)
{
    int missing = 0;

    (void)state;
    for (const struct finding_name *f = finding_names; f->name != NULL; f++)
        missing += lacks(f->name, f->unit);
    assert_int_equal(missing, 0);
}

/* Every row carries the experiment and its parameters, in columns that the table knows. */
static void test_experiments_have_columns(void **state)
{
    int missing = 0;

    (void)state;
    for (size_t i = 0; experiment_table[i] != NULL; i++) {
        const struct experiment *e = experiment_table[i];
        char *names = xstrdup(e->columns);

        assert_memory_equal(names, "exp ", 4);
        for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " "))
            if (column_find(name) == NULL) {
                print_error("share/lib/columns.c lacks column '%s' of experiment %s\n", name,
                            e->name);
                missing++;
            }
        free(names);
    }
    assert_int_equal(missing, 0);
}

static void test_names_are_unique(void **state)
{
    (void)state;
    for (const struct column *c = column_table; c->name != NULL; c++)
        assert_string_equal(column_find(c->name) == c ? "" : c->name, "");
    assert_null(column_find("no_such_column"));
    assert_int_equal(column_find("n")->role, ROLE_WEIGHT);
    assert_int_equal(column_find("seq")->role, ROLE_ORDER);
    assert_int_equal(column_find("size")->role, ROLE_PARAM);
}

static void test_findings_have_columns(void **state)
{
    char names[] = FINDINGS_COLUMNS;

    (void)state;
    for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " "))
        assert_non_null(column_find(name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_column_is_documented),
        cmocka_unit_test(test_every_finding_is_documented),
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_findings_have_columns),
        cmocka_unit_test(test_experiments_have_columns),
    };

    return cmocka_run_group_tests(tests, read_page, free_page);
}
