/* Patterns visit what they say; predictions agree with what can be counted by hand. */
#include "analyze/ideal.h"
#include "analyze/model.h"
#include "analyze/predict.h"
#include "share/lib/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct pattern parse(const char *text)
{
    struct pattern p;
    char why[512];

    if (pattern_parse(&p, text, NULL, why, sizeof why) != 0)
        fail_msg("%s: %s", text, why);
    return p;
}

static void start(struct pattern *p, unsigned sms)
{
    struct pattern_env env = {.sms = sms, .seed = 1};
    char why[512];

    if (pattern_start(p, &env, why, sizeof why) != 0)
        fail_msg("%s", why);
}

/* One pass, all of it; the number of accesses. */
static size_t pass(struct pattern *p, struct access *a, size_t room)
{
    size_t n = 0, got;

    pattern_pass(p);
    while ((got = pattern_fill(p, a + n, 64)) > 0) {
        n += got;
        assert_true(n + 64 <= room);
    }
    return n;
}

static void test_lists_visit_every_line_once(void **state)
{
    static const char *const text[] = {"cyclic,size=64K", "cyclic,size=64K,order=random",
                                       "shuffled,size=64K", "strided,size=64K,step=1K",
                                       "shuffled,size=64K,sms=3,parts=split,chunk=7"};
    struct access *a = xcalloc(2048, sizeof *a);

    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct pattern p = parse(text[i]);

        start(&p, 8);
        for (int turn = 0; turn < 2; turn++) {
            char seen[512] = {0};

            assert_int_equal(pass(&p, a, 2048), 512);
            for (size_t k = 0; k < 512; k++)
                assert_int_equal(seen[a[k].offset / 128]++, 0);
        }
        pattern_free(&p);
    }
    free(a);
}

static void test_walkers_take_turns(void **state)
{
    struct pattern p = parse("cyclic,size=4K,sms=2,chunk=8");
    struct access a[256];

    (void)state;
    start(&p, 4);
    assert_int_equal(pass(&p, a, 256), 64);
    assert_int_equal(a[7].sm, 0);
    assert_int_equal(a[8].sm, 2);
    assert_int_equal(a[8].offset, 16 * 128); /* half of the way along */
    assert_int_equal(a[16].sm, 0);
    assert_int_equal(a[16].offset, 8 * 128);
    pattern_free(&p);
}

static void test_mixed_has_its_share_of_stores(void **state)
{
    struct pattern p = parse("mixed,size=64K,stores=0.3,count=20000");
    struct access *a = xcalloc(20100, sizeof *a);
    size_t stores = 0;

    (void)state;
    start(&p, 1);
    assert_int_equal(pass(&p, a, 20100), 20000);
    for (size_t i = 0; i < 20000; i++)
        stores += a[i].kind == TRACE_STORE;
    assert_in_range(stores, 5700, 6300);
    pattern_free(&p);
    free(a);
}

/* Bytes that the accesses of one kind cover, each byte once. */
static void covers(const char *text, uint64_t base, uint8_t kind, uint64_t bytes)
{
    struct pattern p = parse(text);
    struct access *a = xcalloc(1 << 16, sizeof *a);
    unsigned char *seen = xcalloc(bytes, 1);
    size_t n, covered = 0;

    start(&p, 8);
    n = pass(&p, a, 1 << 16);
    for (size_t i = 0; i < n; i++)
        for (uint32_t b = 0; a[i].kind == kind && b < a[i].bytes; b++) {
            assert_in_range(a[i].offset + b - base, 0, bytes - 1);
            assert_int_equal(seen[a[i].offset + b - base]++, 0);
            covered++;
        }
    assert_int_equal(covered, bytes);
    pattern_free(&p);
    free(a);
    free(seen);
}

/* Shapes that do not divide the matrix leave nothing out and nothing doubled. */
static void test_blocks_cover_the_matrix(void **state)
{
    (void)state;
    covers("tiled,rows=100,columns=70,block=32x8", 0, TRACE_LOAD, 28000);
    covers("tiled,rows=100,columns=70,block=5x3,raster=y,assign=runs,chunk=1", 0, TRACE_LOAD,
           28000);
    covers("transpose,rows=100,columns=70,block=32x8", 0, TRACE_LOAD, 28000);
    covers("transpose,rows=100,columns=70,block=32x8", 28672, TRACE_STORE, 28000);
    covers("transpose,rows=100,columns=70,block=16x16,strided=write", 28672, TRACE_STORE, 28000);
    covers("transpose,rows=100,columns=70,block=64x4,strided=none,resident=3", 28672, TRACE_STORE,
           28000);
    covers("stencil,rows=100,columns=70,block=32x8", 28672, TRACE_STORE, 28000);
}

static void test_warps_coalesce(void **state)
{
    struct pattern p = parse("tiled,rows=64,columns=64,block=32x8");
    struct access *a = xcalloc(1 << 13, sizeof *a);

    (void)state;
    start(&p, 1);
    assert_int_equal(pass(&p, a, 1 << 13), 128); /* 4096 elements, 32 at once */
    assert_int_equal(a[0].bytes, 128);
    pattern_free(&p);
    p = parse("transpose,rows=64,columns=64,block=32x8");
    start(&p, 1);
    assert_int_equal(pass(&p, a, 1 << 13), 4096 + 128);
    assert_int_equal(a[1].offset - a[0].offset, 256); /* down the rows */
    pattern_free(&p);
    free(a);
}

static void test_text_is_canonical(void **state)
{
    struct pattern p = parse("random,count=5,size=8192K,sms=1");

    (void)state;
    assert_string_equal(p.text, "random,count=5");
    pattern_free(&p);
}

static void test_bad_patterns(void **state)
{
    static const char *const bad[][2] = {
        {"nothing", "no such pattern: 'nothing'"},
        {"cyclic,size", "not a param=value"},
        {"cyclic,sizes=4", "no such parameter: 'sizes"},
        {"cyclic,size=x", "size: not a size: 'x'"},
        {"cyclic,size=1", "size: not between"},
        {"cyclic,sms=1.5", "sms: not a whole number"},
        {"cyclic,side=left", "side: not one of all|own|other"},
        {"mixed,stores=2", "stores: not between 0 and 1"},
        {"tiled,block=32", "block: not a shape such as 32x8"},
        {"tiled,block=0x8", "block: not a shape"},
    };
    char why[512];
    struct pattern p;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(pattern_parse(&p, bad[i][0], NULL, why, sizeof why), -1);
        if (strstr(why, bad[i][1]) == NULL)
            fail_msg("%s: %s", bad[i][0], why);
    }
}

/* A chip of two sides, 64 sets x 8 ways x 128 B = 64K each, LRU. */
static void small_chip(struct chip *c, const char *copies)
{
    char why[256];
    char *text =
        xprintf("sms 4\nsm_split 2 2\nsides 2\nside_masks 0x3000\nslices 1\nsets 64\nways 8\n"
                "set_hash none\ncopies %s\n",
                copies);
    FILE *f = fmemopen(text, strlen(text), "r");

    assert_int_equal(chip_read(c, f, "chip", why, sizeof why), 0);
    fclose(f);
    free(text);
}

static struct predict_count run(const struct chip *c, const char *text, enum predict_effect e)
{
    struct predict_options o = {.warm = 2, .passes = 1, .seed = 3, .pages = 3, .effect = e};
    struct predict_count count[CHIP_SIDES] = {0}, all = {0};
    struct pattern p = parse(text);
    char why[512];

    if (predict_run(c, &p, &o, count, why, sizeof why) != 0)
        fail_msg("%s: %s", text, why);
    for (unsigned s = 0; s < CHIP_SIDES; s++)
        predict_add(&all, &count[s]);
    pattern_free(&p);
    return all;
}

static void test_shares_by_hand(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct predict_count n;

    (void)state;
    small_chip(c, "always");
    n = run(c, "cyclic,size=64K", EFFECT_NONE);
    assert_int_equal(n.level[CACHE_LOCAL], 512);
    /* 96K in one side: none stays; of the far half all are at home, of the near half none. */
    n = run(c, "cyclic,size=96K", EFFECT_NONE);
    assert_int_equal(n.level[CACHE_LOCAL], 0);
    assert_int_equal(n.level[CACHE_REMOTE], 384);
    assert_int_equal(n.level[CACHE_DRAM], 384);
    assert_int_equal(n.read, 384 * 64);
    assert_int_equal(n.cycles, 384 * (300 + 450));
    /* Without copies all of it stays; with twice the capacity, too. */
    n = run(c, "cyclic,size=96K", EFFECT_COPIES);
    assert_int_equal(n.level[CACHE_LOCAL], 384);
    assert_int_equal(n.level[CACHE_REMOTE], 384);
    n = run(c, "cyclic,size=96K", EFFECT_CAPACITY);
    assert_int_equal(n.level[CACHE_LOCAL], 768);
    n = run(c, "cyclic,size=32K,side=other", EFFECT_NONE);
    assert_int_equal(n.level[CACHE_LOCAL], 256);
    n = run(c, "cyclic,size=32K,side=other", EFFECT_COPIES);
    assert_int_equal(n.level[CACHE_REMOTE], 256);
    free(c);
}

/* Lines 8K apart share one set of a plain index: 16 of them thrash 8 ways, and a cache without sets holds them. */
static void test_conflicts(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct predict_count n;

    (void)state;
    small_chip(c, "never");
    c->sides = 1;
    c->side_masks.n = 0;
    c->sm_split.n = 0;
    n = run(c, "cyclic,size=128K,stride=8K", EFFECT_NONE);
    assert_int_equal(n.level[CACHE_DRAM], 16);
    n = run(c, "cyclic,size=128K,stride=8K", EFFECT_CONFLICTS);
    assert_int_equal(n.level[CACHE_LOCAL], 16);
    free(c);
}

/* The cache without sets against the cache of one set: the same answers, sectors and write-backs. */
static void test_ideal_is_one_set(void **state)
{
    static const char *const copies[] = {"always", "never", "second"};
    static const char *const text[] = {"mixed,size=3K,count=4000,stride=32,sms=4,chunk=3",
                                       "random,size=4K,count=4000,stride=32,sms=4,chunk=1"};
    struct chip *c = xcalloc(1, sizeof *c);

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        struct predict_count a, b;

        small_chip(c, copies[i % 3]);
        c->sets = 1;
        c->ways = 16;
        a = run(c, text[i / 3], EFFECT_NONE);
        b = run(c, text[i / 3], EFFECT_CONFLICTS);
        assert_memory_equal(&a, &b, sizeof a);
    }
    free(c);
}

static void test_stores_left_out(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct predict_count n;

    (void)state;
    small_chip(c, "always");
    n = run(c, "mixed,size=400K,count=4000", EFFECT_NONE);
    assert_true(n.stores > 800 && n.written > 10000);
    n = run(c, "mixed,size=400K,count=4000", EFFECT_STORES);
    assert_int_equal(n.stores, 0);
    assert_int_equal(n.written, 0);
    assert_true(effect_applies(c, &n, EFFECT_COPIES));
    assert_false(effect_applies(c, &n, EFFECT_STORES));
    free(c);
}

static void test_model_from_facts(void **state)
{
    static const char *const rows[][2] = {
        {"sides", "2"},
        {"ways", "16"},
        {"capacity_side", "30801920"},
        {"capacity_side", "1"},
        {"line", "128"},
        {"sector", "32"},
        {"side_mask", "12,13,15"},
        {"sm_sides", "66"},
        {"sm_sides", "62"},
        {"policy", "LRU"},
        {"latency_local", "281.5"},
        {"latency_dram", "?"},
    };
    struct model_facts *f = xcalloc(1, sizeof *f);
    struct chip *c = xcalloc(1, sizeof *c);
    struct prov p = {0};
    char why[256];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        model_fact(f, rows[i][0], rows[i][1]);
    assert_int_equal(model_build(c, f, &p, why, sizeof why), 0);
    assert_int_equal(c->sets, 15040);
    assert_int_equal(c->sms, 128);
    assert_int_equal(c->side_masks.v[0], 0xb000);
    assert_int_equal(c->latency_local, 282);
    assert_int_equal(c->latency_dram, 564); /* assumed, and said */
    assert_non_null(prov_get(&p, "note", 0));
    memset(f, 0, sizeof *f);
    assert_int_equal(model_build(c, f, &p, why, sizeof why), -1);
    prov_free(&p);
    free(f);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_visit_every_line_once),
        cmocka_unit_test(test_walkers_take_turns),
        cmocka_unit_test(test_mixed_has_its_share_of_stores),
        cmocka_unit_test(test_blocks_cover_the_matrix),
        cmocka_unit_test(test_warps_coalesce),
        cmocka_unit_test(test_text_is_canonical),
        cmocka_unit_test(test_bad_patterns),
        cmocka_unit_test(test_shares_by_hand),
        cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_ideal_is_one_set),
        cmocka_unit_test(test_stores_left_out),
        cmocka_unit_test(test_model_from_facts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
