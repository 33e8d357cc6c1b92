/* Device files: what is written reads back the same, and every mistake is named with its line. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "share/lib/chip_draw.h"
#include "share/lib/data.h"
#include "share/lib/mem.h"

static int read_text(struct chip *c, const char *text, char *why, size_t size)
{
    FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    int status;

    assert_non_null(f);
    status = chip_read(c, f, "x.dev", why, size);
    fclose(f);
    return status;
}

static void same_after_writing(const struct chip *c)
{
    char *text = NULL, why[256] = "";
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    struct chip *back = xcalloc(1, sizeof *back);

    chip_write(c, f);
    fclose(f);
    if (read_text(back, text, why, sizeof why) != 0)
        fail_msg("%s\n%s", why, text);
    assert_memory_equal(back, c, sizeof *c);
    free(back);
    free(text);
}

static void test_draws_round_trip(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct rng r;
    char why[256];

    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct chip_draw how = {.noise = seed % 2,
                                .table = seed % 3 == 0,
                                .copies = seed % 5 == 0,
                                .max_lines = seed % 7 == 0 ? 100000 : 0};

        rng_seed(&r, seed);
        memset(c, 0, sizeof *c);
        chip_draw(c, &r, &how);
        if (chip_check(c, why, sizeof why) != 0)
            fail_msg("seed %u: %s", (unsigned)seed, why);
        assert_in_range(c->ways, 4, 24);
        same_after_writing(c);
    }
    free(c);
}

static void test_draw_words(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    char why[256];

    (void)state;
    assert_int_equal(
        chip_draw_words(c, "5,noise,sides=4,slices=47,policy=fifo,lines=50000", why, sizeof why),
        0);
    assert_int_equal(c->sides, 4);
    assert_int_equal(c->slices, 47);
    assert_string_equal(c->policy, "fifo");
    assert_true(c->noise > 0);
    assert_int_equal(chip_draw_words(c, "x", why, sizeof why), -1);
    assert_int_equal(chip_draw_words(c, "", why, sizeof why), -1);
    assert_int_equal(chip_draw_words(c, "5,sides=3", why, sizeof why), -1);
    assert_int_equal(chip_draw_words(c, "5,policy=none", why, sizeof why), -1);
    assert_int_equal(chip_draw_words(c, "5,lines=0", why, sizeof why), -1);
    assert_int_equal(chip_draw_words(c, "5,loud", why, sizeof why), -1);
    assert_non_null(strstr(why, "'loud'"));
    free(c);
}

static void test_presets(void **state)
{
    char *folder = xdata_path("devices"), why[256] = "";
    DIR *d = opendir(folder);
    struct chip *c = xcalloc(1, sizeof *c);
    struct dirent *e;
    int n = 0;

    (void)state;
    assert_non_null(d);
    while ((e = readdir(d)) != NULL) {
        char *path = xprintf("%s/%s", folder, e->d_name);
        FILE *f = strstr(e->d_name, ".dev") != NULL ? fopen(path, "r") : NULL;

        if (f != NULL) {
            if (chip_read(c, f, e->d_name, why, sizeof why) != 0)
                fail_msg("%s", why);
            same_after_writing(c);
            fclose(f);
            n++;
        }
        free(path);
    }
    assert_true(n >= 8);
    closedir(d);
    free(folder);
    free(c);
}

static void test_h200(void **state)
{
    char *path = xdata_path("devices/h200.dev"), why[256] = "";
    FILE *f = fopen(path, "r");
    struct chip *c = xcalloc(1, sizeof *c);
    uint8_t side[1024];
    unsigned count[2] = {0}, runs = 1;

    (void)state;
    assert_non_null(f);
    assert_int_equal(chip_read(c, f, path, why, sizeof why), 0);
    assert_int_equal(chip_capacity(c), 94 * 320 * 16 * 128);
    chip_sm_sides(c, side);
    for (unsigned i = 0; i < c->sms; i++) {
        count[side[i]]++;
        runs += i > 0 && side[i] != side[i - 1];
    }
    assert_int_equal(count[0], 66);
    assert_int_equal(count[1], 66);
    assert_in_range(runs, 6, 60);
    fclose(f);
    free(path);
    free(c);
}

static void test_errors(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"sets 64\nways x\n", "x.dev:2: key ways: not a number: 'x'"},
        {"ways 0\n", "x.dev:1: key ways: not between 1 and 32: '0'"},
        {"ways 33\n", "not between 1 and 32"},
        {"ways -1\n", "not a number"},
        {"ways 1.5\n", "not a number"},
        {"ways 16 17\n", "not a number"},
        {"ways\n", "key ways has no value"},
        {"# a comment\n\nwayz 16\n", "x.dev:3: unknown key: 'wayz'"},
        {"ways 16\nways 16\n", "x.dev:2: key ways is there twice"},
        {"l1 4Q\n", "key l1: not a size: '4Q'"},
        {"memory 1\n", "key memory: not between"},
        {"noise nan\n", "key noise: not between"},
        {"drift 0.6\n", "key drift: not between 0 and 0.5"},
        {"locked 0.5\n", "key locked: not a number"},
        {"set_hash xo\n", "key set_hash: none of none xor mix: 'xo'"},
        {"sides 2\nside_masks 0xzz\n", "key side_masks: not a mask such as 0x1000: '0xzz'"},
        {"sides 2\n", "side_masks: one for 2 sides"},
        {"sides 3\n", "sides must be 1, 2 or 4"},
        {"sides 2\nside_masks 0x40\n", "masks must not use bits below the line"},
        {"sides 4\nside_masks 0x1000 0x1000\n", "linearly independent"},
        {"sides 2\nside_masks 0x1000\nslices 2\nslice_masks 0x1000\n", "linearly independent"},
        {"slices 5\n", "slices must be"},
        {"slices 3\nslice_table 0 2\n", "slice_table leaves a slice out"},
        {"slices 2\nslice_modulo 3\nslice_table 0 1\n", "exclude each other"},
        {"policy best\n", "policy: not known"},
        {"line 96\n", "powers of two"},
        {"line 256\n", "1 to 4 sectors"},
        {"sector 128\n", "sectors over 64 bytes"},
        {"fetch 16\n", "fetch is less than a sector"},
        {"sms 4\nsm_split 5\n", "sm_split"},
        {"sms 4\nsm_runs 1 2\n", "sm_runs"},
        {"tlb_pages 4\n", "tlb_pages and tlb_cycles"},
        {"ways 4\ndirty_ways 5\n", "dirty_ways is more than ways"},
        {"l1 128\n", "l1 is less than one set"},
        {"memory 64T\nline 16\nsector 16\nfetch 16\n", "more than 2^32 - 2 lines"},
        {"memory 1M\n", "memory is less than a page"},
    };
    struct chip *c = xcalloc(1, sizeof *c);
    char why[256];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        why[0] = '\0';
        if (read_text(c, cases[i].text, why, sizeof why) != -1 || strstr(why, cases[i].why) == NULL)
            fail_msg("'%s': '%s', not '%s'", cases[i].text, why, cases[i].why);
    }
    free(c);
}

static void test_long_values(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    char why[256], *text = xmalloc(10000), *at;

    (void)state;
    memset(text, 'n', 200);
    memcpy(text, "name ", 5);
    memcpy(text + 200, "\n", 2);
    assert_int_equal(read_text(c, text, why, sizeof why), -1);
    assert_non_null(strstr(why, "key name: longer than 63"));
    at = stpcpy(text, "slice_table");
    for (int i = 0; i <= CHIP_LIST; i++)
        at = stpcpy(at, " 0");
    assert_int_equal(read_text(c, text, why, sizeof why), -1);
    assert_non_null(strstr(why, "more than 512 values"));
    free(text);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws_round_trip), cmocka_unit_test(test_draw_words),
        cmocka_unit_test(test_presets),          cmocka_unit_test(test_h200),
        cmocka_unit_test(test_errors),           cmocka_unit_test(test_long_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
