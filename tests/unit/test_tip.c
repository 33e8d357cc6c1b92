/* The tipping-point search on a toy cache: one slice with a hashed index, LRU, and readings that are wrong now and then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "share/lib/mem.h"
#include "share/lib/rng.h"

#define TIP_FN static
#define SETS   37 /* of the toy: no power of two */
#define MOST   24

struct tip_side {
    uint32_t ways, flips;     /* one reading of `flips` is wrong; 0: none */
    uint64_t tag[SETS][MOST]; /* most recent first */
    uint64_t trials;
    struct rng rng;
};

static uint32_t toy_set(uint64_t offset)
{
    return (uint32_t)(rng_mix(offset / 128) % SETS);
}

/* Returns whether it was a hit. */
static int toy_touch(struct tip_side *s, uint64_t offset)
{
    uint64_t *tag = s->tag[toy_set(offset)];
    uint32_t i = 0;

    while (i < s->ways - 1 && tag[i] != offset + 1)
        i++;
    int hit = tag[i] == offset + 1;
    memmove(tag + 1, tag, i * sizeof *tag);
    tag[0] = offset + 1;
    return hit;
}

#include "kernels/abi.h"

static void toy_lines(struct tip_side *s, const struct l2_tip_in *in, const struct l2_tip_out *out,
                      uint32_t front, uint32_t from, uint32_t n, uint32_t skip)
{
    for (uint32_t i = 0; i < front; i++)
        if (i != skip)
            toy_touch(s, out->found[i]);
    for (uint32_t i = from; i < n; i++)
        if (l2_pool_line(&in->pool, i) != in->target)
            toy_touch(s, l2_pool_line(&in->pool, i));
}

static uint32_t tip_trial(struct tip_side *s, const struct l2_tip_in *in,
                          const struct l2_tip_out *out, uint32_t front, uint32_t from, uint32_t n,
                          uint32_t skip)
{
    s->trials++;
    toy_touch(s, in->target);
    toy_lines(s, in, out, front, from, n, skip);
    int hit = toy_touch(s, in->target);
    if (s->flips && rng_below(&s->rng, s->flips) == 0)
        hit = !hit;
    return hit ? 280 : 550;
}

static uint64_t tip_now(struct tip_side *s)
{
    return s->trials;
}

#include "kernels/tip.h"

/* A target and a pool of this seed, on an empty toy. */
static struct l2_tip_in in_of(struct tip_side *toy, uint64_t seed, uint32_t log2_lines)
{
    struct l2_tip_in in = {
        .kind = L2_LD_CG, .threshold = 400, .votes = 2, .check_all = 20, .check_one = 10};

    memset(toy, 0, sizeof *toy);
    rng_seed(&toy->rng, seed);
    in.pool.seed = rng_mix(seed);
    in.pool.log2_lines = log2_lines;
    in.pool.stride = 128;
    in.target = rng_below(&toy->rng, 1ull << log2_lines) * 128;
    return in;
}

static void search(struct tip_side *toy, struct l2_tip_out *out, uint64_t seed, uint32_t ways,
                   uint32_t flips, uint32_t extra, uint32_t log2_lines)
{
    struct l2_tip_in in = in_of(toy, seed, log2_lines);

    toy->ways = ways;
    toy->flips = flips;
    in.extra = extra;
    in.reach = (uint32_t)(seed % 4) * 200; /* whatever it begins with, the search ends alike */
    tip_search(toy, &in, out);
    for (uint32_t i = 0; i < out->nfound; i++)
        assert_int_equal(out->found[i], l2_pool_line(&in.pool, out->tip[i]));
    if (out->status == L2_TIP_OK)
        for (uint32_t i = 0; i < out->nfound; i++) {
            assert_int_equal(toy_set(out->found[i]), toy_set(in.target));
            assert_int_not_equal(out->found[i], in.target);
            for (uint32_t k = 0; k < i; k++)
                assert_int_not_equal(out->found[i], out->found[k]);
        }
}

/* The first tipping index is where the pool holds the ways-th congruent line: counted here one by one. */
static uint32_t brute_first(uint64_t seed, uint32_t log2_lines, uint32_t ways)
{
    struct l2_pool pool = {.seed = rng_mix(seed), .log2_lines = log2_lines, .stride = 128};
    struct rng rng;
    uint32_t n = 0, met = 0;

    rng_seed(&rng, seed);
    uint64_t target = rng_below(&rng, 1ull << log2_lines) * 128;
    while (met < ways) {
        uint64_t line = l2_pool_line(&pool, n++);
        met += line != target && toy_set(line) == toy_set(target);
    }
    return n;
}

static void clean_readings(void **state)
{
    struct tip_side *toy = xmalloc(sizeof *toy);
    struct l2_tip_out *out = xmalloc(sizeof *out);

    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint32_t ways = 1 + (uint32_t)(seed * 7 % MOST);
        search(toy, out, seed, ways, 0, 20, 13);
        assert_int_equal(out->status, L2_TIP_OK);
        assert_int_equal(out->nset, ways);
        assert_int_equal(out->nfound, ways + 20);
        assert_int_equal(out->first, brute_first(seed, 13, ways));
        assert_int_equal(out->tip[0] + 1, out->first);
    }
    free(toy);
    free(out);
}

static void wrong_readings(void **state)
{
    struct tip_side *toy = xmalloc(sizeof *toy);
    struct l2_tip_out *out = xmalloc(sizeof *out);
    int ok = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        search(toy, out, seed, 16, 300, 0, 13);
        assert_true(out->status != L2_TIP_OK || out->nset == 16);
        ok += out->status == L2_TIP_OK;
    }
    print_message("one reading of 300 wrong: %d of 300 searches succeed\n", ok);
    assert_true(ok >= 297);
    free(toy);
    free(out);
}

static void what_can_fail(void **state)
{
    struct tip_side *toy = xmalloc(sizeof *toy);
    struct l2_tip_out *out = xmalloc(sizeof *out);
    struct l2_tip_in in = {.threshold = 100, .votes = 2, .check_all = 20, .check_one = 10};

    (void)state;
    search(toy, out, 1, 16, 0, 0, 8); /* 256 lines, 592 would be needed */
    assert_int_equal(out->status, L2_TIP_POOL_KEEPS);
    search(toy, out, 1, 16, 2, 0, 13); /* readings say nothing */
    assert_int_not_equal(out->status, L2_TIP_OK);
    in.pool.log2_lines = 13;
    in.pool.stride = 128;
    memset(toy, 0, sizeof *toy);
    toy->ways = 16;
    tip_search(toy, &in, out); /* a threshold below every hit */
    assert_int_equal(out->status, L2_TIP_LOOSE);
    assert_int_equal(out->nfound, 0);
    free(toy);
    free(out);
}

/* Readings that say nothing lead anywhere, but never beyond the pool. */
static void within_the_pool(void **state)
{
    struct tip_side *toy = xmalloc(sizeof *toy);
    struct l2_tip_out *out = xmalloc(sizeof *out);

    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        search(toy, out, seed, 16, 2, 0, 3);
        for (uint32_t i = 0; i < out->ntests; i++)
            assert_true(out->test[i].n <= 8);
    }
    free(toy);
    free(out);
}

/* Alone, the first tipping index is known to a sixteenth, wherever the search begins, in few tests. */
static void first_alone(void **state)
{
    struct tip_side *toy = xmalloc(sizeof *toy);
    struct l2_tip_out *out = xmalloc(sizeof *out);

    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        for (uint32_t reach = 1; reach < 100000; reach = reach * 7 + 20) {
            uint32_t ways = 1 + (uint32_t)(seed * 7 % MOST), tip = brute_first(seed, 13, ways);
            struct l2_tip_in in = in_of(toy, seed, 13);

            in.reach = reach;
            in.alone = 1;
            toy->ways = ways;
            tip_search(toy, &in, out);
            assert_int_equal(out->status, L2_TIP_OK);
            assert_true(out->first >= tip && out->first - tip <= out->first / TIP_SHARP);
            assert_int_equal(out->nfound, 0);
            assert_true(out->ntests <= 3 + 2 * 20);
            for (uint32_t i = 0; i < out->ntests; i++)
                assert_int_equal(out->test[i].phase, L2_TIP_FIRST);
        }
    struct l2_tip_in in = in_of(toy, 1, 8);
    in.reach = 10;
    in.alone = 1;
    toy->ways = 16;
    tip_search(toy, &in, out);
    assert_int_equal(out->status, L2_TIP_POOL_KEEPS);
    free(toy);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_readings), cmocka_unit_test(wrong_readings),
        cmocka_unit_test(what_can_fail),  cmocka_unit_test(within_the_pool),
        cmocka_unit_test(first_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
