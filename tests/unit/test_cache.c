/* The cache model: places bit by bit, cases worked by hand, policies. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "share/lib/cache_ahead.h"
#include "share/lib/chip_draw.h"
#include "share/lib/mem.h"

/* Where a line lives, bit by bit from place.h's words (set_hash none, plain order). */
static struct place plain_place(const struct chip *c, uint64_t a)
{
    uint64_t rows[16], used = 0, unit = 0, inside = 0, i;
    uint32_t n = 0, ubits = 0, ibits = 0, side = 0, slice;

    for (uint32_t k = 0; k < c->side_masks.n + c->slice_masks.n; k++) {
        uint64_t m =
            k < c->side_masks.n ? c->side_masks.v[k] : c->slice_masks.v[k - c->side_masks.n];

        if (k < c->side_masks.n)
            side |= (uint32_t)__builtin_parityll(m & a) << k;
        for (uint32_t q = 0; q < n; q++)
            if (m & (rows[q] & (~rows[q] + 1)))
                m ^= rows[q];
        rows[n++] = m;
        used |= m & (~m + 1);
    }
    for (uint32_t b = (uint32_t)__builtin_ctz(c->line); b < 46; b++) {
        if (used >> b & 1)
            continue;
        if (c->slice_key >> b & 1)
            unit |= (a >> b & 1) << ubits++;
        else
            inside |= (a >> b & 1) << ibits++;
    }
    slice = (uint32_t)(unit % c->slice_modulo);
    i = (unit / c->slice_modulo) << ibits | inside;
    for (uint32_t k = 0; k < c->slice_masks.n; k++)
        slice = slice * 2 + (uint32_t)__builtin_parityll(c->slice_masks.v[k] & a);
    return (struct place){slice * c->sets + (uint32_t)(i % c->sets), (uint16_t)slice, (uint8_t)side,
                          0};
}

static void test_place(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct placer p;
    struct rng r;

    (void)state;
    for (uint64_t seed = 1; seed < 60; seed++) {
        rng_seed(&r, seed);
        chip_draw(c, &r, &(struct chip_draw){0});
        c->set_hash = SET_NONE;
        c->slice_order = ORDER_PLAIN;
        c->side_page = 0;
        assert_int_equal(placer_init(&p, c), 0);
        for (int k = 0; k < 500; k++) {
            uint64_t a = rng_below(&r, 1ull << 34);
            struct place got = place_of(&p, a), want = plain_place(c, a);

            assert_int_equal(got.side, want.side);
            assert_int_equal(got.slice, want.slice);
            assert_int_equal(got.set, want.set);
        }
    }
    free(c);
}

static void must_init(struct cache *m, const struct chip *c)
{
    char why[256] = "";

    assert_int_equal(chip_check(c, why, sizeof why), 0);
    assert_int_equal(cache_init(m, c, why, sizeof why), 0);
    assert_int_equal(cache_map(m, 8 << 20, 1), 0);
}

/* Looked up by the tables of a mapped buffer, and directly. */
static void test_tables(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct cache m;
    struct rng r;

    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++) {
        uint64_t bytes;

        rng_seed(&r, seed);
        chip_draw(c, &r, &(struct chip_draw){.table = seed % 3 == 0});
        must_init(&m, c);
        bytes = c->memory < 64 << 20 ? c->memory : 64 << 20;
        assert_int_equal(cache_map(&m, bytes, seed), 0);
        for (int k = 0; k < 500; k++) {
            uint64_t offset = rng_below(&r, bytes);
            uint64_t physical = (uint64_t)m.first[offset / c->page] * c->line + offset % c->page;
            struct cache_ref got = cache_ref(&m, offset);
            struct place want = place_of(&m.placer, physical);

            assert_int_equal(got.line, physical / c->line);
            assert_true(got.at.side == want.side && got.at.slice == want.slice &&
                        got.at.set == want.set && got.at.sub == want.sub);
        }
        cache_free(&m);
    }
    free(c);
}

/* Every chip, hashed or not (but for mix): contiguous lines fill sides, slices and sets evenly. */
static void test_even(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct placer p;
    struct rng r;

    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++) {
        uint64_t lines, n;
        uint32_t *count;

        rng_seed(&r, seed);
        chip_draw(c, &r, &(struct chip_draw){.table = seed % 3 == 0});
        c->set_hash = c->set_hash == SET_MIX ? SET_XOR : c->set_hash;
        assert_int_equal(placer_init(&p, c), 0);
        n = (uint64_t)c->sides * c->slices * c->sets;
        lines = 16 * n > 65536 ? 16 * n : 65536;
        count = xcalloc(n, sizeof *count);
        for (uint64_t k = 0; k < lines; k++) {
            struct place at = place_of(&p, (1ull << 31) + k * c->line);

            assert_true(at.side < c->sides && at.slice < c->slices && at.set / c->sets == at.slice);
            count[at.side * (n / c->sides) + at.set]++;
        }
        for (uint64_t k = 0; k < n; k++)
            if (count[k] * n * 4 < lines || count[k] * n > 3 * lines)
                fail_msg("seed %u: %u lines of %u in one of %u sets", (unsigned)seed, count[k],
                         (unsigned)lines, (unsigned)n);
        free(count);
    }
    free(c);
}

/* A chip of two sides, one slice each, one set of two ways. */
static void small(struct chip *c)
{
    chip_default(c);
    c->sides = 2;
    c->side_masks.n = 1;
    c->side_masks.v[0] = 0x1000;
    c->sets = 1;
    c->ways = 2;
}

static unsigned level(struct cache *m, uint64_t offset, unsigned side)
{
    uint32_t sectors = cache_sectors(m, offset, 8);

    return (unsigned)cache_load(m, cache_ref(m, offset), side, sectors, 0, 0).level;
}

static void test_levels(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct cache m;

    (void)state;
    small(c);
    must_init(&m, c);
    /* 0, 128, 256 are at home on side 0, 4096 ... on side 1. */
    assert_int_equal(level(&m, 0, 0), CACHE_DRAM);
    assert_int_equal(level(&m, 0, 0), CACHE_LOCAL);
    assert_int_equal(level(&m, 32, 0), CACHE_LOCAL); /* fetched with 0: 64 bytes */
    assert_int_equal(level(&m, 64, 0), CACHE_DRAM);  /* a sector miss */
    assert_int_equal(m.count.evicted, 0);
    assert_int_equal(level(&m, 4096, 0), CACHE_DRAM_REMOTE); /* and a copy beside 0 */
    assert_int_equal(level(&m, 4096, 0), CACHE_LOCAL);
    assert_int_equal(level(&m, 4096, 1), CACHE_LOCAL);
    assert_int_equal(level(&m, 128, 0), CACHE_DRAM); /* 0 goes */
    assert_int_equal(level(&m, 256, 0), CACHE_DRAM); /* the copy goes */
    assert_int_equal(level(&m, 4096, 0), CACHE_REMOTE);
    assert_int_equal(m.count.dram_read, 2 + 2 + 2 + 2 + 2);
    assert_int_equal(m.count.copies, 2);
    cache_free(&m);
    free(c);
}

static void test_copies(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct cache m;

    (void)state;
    small(c);
    c->copies = COPIES_NEVER;
    must_init(&m, c);
    assert_int_equal(level(&m, 4096, 0), CACHE_DRAM_REMOTE);
    assert_int_equal(level(&m, 4096, 0), CACHE_REMOTE);
    assert_int_equal(cache_state(&m, cache_ref(&m, 4096), 0), 0);
    cache_free(&m);

    c->copies = COPIES_SECOND;
    must_init(&m, c);
    assert_int_equal(level(&m, 4096, 0), CACHE_DRAM_REMOTE);
    assert_int_equal(level(&m, 4096, 0), CACHE_REMOTE);
    assert_int_equal(level(&m, 4096, 0), CACHE_LOCAL);
    cache_free(&m);

    /* Dropped when the home evicts: two more lines of side 1, by its own SMs. */
    c->copies = COPIES_ALWAYS;
    for (c->copy_drop = 0; c->copy_drop < 2; c->copy_drop++) {
        must_init(&m, c);
        level(&m, 4096, 0);
        level(&m, 4096 + 128, 1);
        level(&m, 4096 + 256, 1);
        assert_int_equal(level(&m, 4096, 0), c->copy_drop ? CACHE_DRAM_REMOTE : CACHE_LOCAL);
        assert_int_equal(m.count.dropped, c->copy_drop);
        cache_free(&m);
    }

    /* Inserted low, the next line takes the copy's place, not the older home line's. */
    c->copy_drop = 0;
    c->copy_insert = INSERT_LRU;
    must_init(&m, c);
    level(&m, 0, 0);
    level(&m, 4096, 0);
    level(&m, 128, 0);
    assert_int_equal(level(&m, 0, 0), CACHE_LOCAL);
    cache_free(&m);
    free(c);
}

static struct cache_answer put(struct cache *m, uint64_t offset, uint32_t bytes, unsigned side)
{
    return cache_store(m, cache_ref(m, offset), side, (uint32_t)(offset % 128), bytes, 0);
}

static void test_stores(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct cache m;

    (void)state;
    small(c);
    must_init(&m, c);
    put(&m, 0, 32, 0); /* a whole sector: there without a fetch, its neighbour is not */
    assert_int_equal(m.count.dram_read, 0);
    assert_int_equal(cache_state(&m, cache_ref(&m, 0), 0), 0x11);
    assert_int_equal(level(&m, 0, 0), CACHE_LOCAL);
    assert_int_equal(level(&m, 32, 0), CACHE_DRAM);
    put(&m, 64, 16, 0); /* half a sector: kept, but not readable */
    assert_int_equal(cache_state(&m, cache_ref(&m, 0), 0), 0x53);
    put(&m, 80, 16, 0); /* the other half */
    assert_int_equal(level(&m, 64, 0), CACHE_LOCAL);
    put(&m, 96, 1, 0);
    assert_int_equal(level(&m, 96, 0), CACHE_DRAM);
    assert_int_equal(m.count.dram_write, 0);
    level(&m, 128, 0);
    assert_int_equal(m.count.dram_write, 0);
    level(&m, 256, 0); /* evicts three dirty sectors */
    assert_int_equal(m.count.dram_write, 3);
    /* A store takes away the copy of the other side. */
    level(&m, 256, 1);
    assert_int_equal(level(&m, 256, 1), CACHE_LOCAL);
    put(&m, 256, 32, 0);
    assert_int_equal(level(&m, 256, 1), CACHE_REMOTE);
    cache_free(&m);

    c->write_allocate = ALLOCATE_NONE;
    must_init(&m, c);
    assert_int_equal(put(&m, 0, 32, 1).level, CACHE_DRAM_REMOTE);
    assert_int_equal(level(&m, 0, 0), CACHE_DRAM);
    assert_int_equal(m.count.dram_write, 1);
    cache_free(&m);

    c->write_allocate = ALLOCATE_FETCH;
    c->write_back = 0;
    must_init(&m, c);
    put(&m, 0, 4, 0);
    assert_int_equal(m.count.dram_read, 2);
    assert_int_equal(m.count.dram_write, 1);
    assert_int_equal(level(&m, 32, 0), CACHE_LOCAL);
    assert_int_equal(cache_state(&m, cache_ref(&m, 0), 0), 0x03);
    cache_free(&m);

    c->write_allocate = ALLOCATE_SECTOR;
    c->partial_store = PARTIAL_FETCH;
    must_init(&m, c);
    put(&m, 30, 4, 0); /* parts of two sectors, each fetched alone */
    assert_int_equal(m.count.dram_read, 2);
    assert_int_equal(level(&m, 0, 0), CACHE_LOCAL);
    cache_free(&m);
    free(c);
}

/* A store from a copy's side is in the copy and at home, which is where it is dirty; without a copy both are made. */
static void test_store_keeps(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct cache m;

    (void)state;
    small(c);
    c->copies = COPIES_ALWAYS;
    c->copy_store = STORE_KEEPS;
    must_init(&m, c);
    level(&m, 4096, 0);
    put(&m, 4096, 32, 0);
    assert_int_equal(level(&m, 4096, 0), CACHE_LOCAL);
    assert_int_equal(level(&m, 4096, 1), CACHE_LOCAL);
    put(&m, 4096, 32, 1);
    assert_int_equal(level(&m, 4096, 0), CACHE_REMOTE);
    put(&m, 4096 + 128, 32, 0);
    assert_int_equal(level(&m, 4096 + 128, 0), CACHE_LOCAL);
    assert_int_equal(level(&m, 4096 + 128, 1), CACHE_LOCAL);
    cache_free(&m);
    free(c);
}

/* A store leaves the home one sector of a block: enough at home, and from afar only where the sector alone is asked for. */
static void test_copy_fetch(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct cache m;

    (void)state;
    small(c);
    c->copies = COPIES_ALWAYS;
    c->fetch = 2 * c->sector;
    for (c->copy_fetch = 0; c->copy_fetch <= 1; c->copy_fetch++) {
        must_init(&m, c);
        put(&m, 4096, 32, 1);
        assert_int_equal(level(&m, 4096, 1), CACHE_LOCAL);
        assert_int_equal(level(&m, 4096, 0), c->copy_fetch ? CACHE_DRAM_REMOTE : CACHE_REMOTE);
        assert_int_equal(level(&m, 4096, 0), CACHE_LOCAL);
        put(&m, 4096, 64, 1);
        assert_int_equal(level(&m, 4096, 0), CACHE_REMOTE);
        cache_free(&m);
    }
    free(c);
}

static void test_dirty_cap(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct cache m;

    (void)state;
    small(c);
    c->ways = 4;
    c->dirty_ways = 2;
    for (c->dirty_excess = EXCESS_CLEAN; c->dirty_excess <= EXCESS_EVICT; c->dirty_excess++) {
        must_init(&m, c);
        for (uint64_t k = 0; k < 3; k++)
            put(&m, 128 * k, 32, 0);
        assert_int_equal(m.count.dram_write, 1);
        assert_int_equal(cache_state(&m, cache_ref(&m, 0), 0),
                         c->dirty_excess == EXCESS_CLEAN ? 0x01 : 0);
        assert_int_equal(cache_state(&m, cache_ref(&m, 128), 0), 0x11);
        cache_free(&m);
    }
    free(c);
}

static void test_persist(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct cache m;

    (void)state;
    small(c);
    c->ways = 4;
    must_init(&m, c);
    cache_persist(&m, 2);
    for (uint64_t k = 0; k < 3; k++) /* two may persist, the third is as any */
        cache_load(&m, cache_ref(&m, 128 * k), 0, 1, 0, CACHE_KEEP);
    for (uint64_t k = 8; k < 28; k++)
        level(&m, 128 * k, 0);
    assert_int_equal(level(&m, 0, 0), CACHE_LOCAL);
    assert_int_equal(level(&m, 128, 0), CACHE_LOCAL);
    assert_int_equal(level(&m, 256, 0), CACHE_DRAM);
    cache_persist(&m, 0);
    for (uint64_t k = 8; k < 28; k++)
        level(&m, 128 * k, 0);
    assert_int_equal(level(&m, 0, 0), CACHE_DRAM);
    cache_free(&m);
    free(c);
}

static void test_map(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct cache m;
    uint8_t *seen;

    (void)state;
    small(c);
    c->memory = 64 << 20;
    for (c->extent = 1; c->extent <= 64; c->extent *= 3) {
        must_init(&m, c);
        assert_int_equal(cache_map(&m, 64 << 20, 3), 0);
        seen = xcalloc(32, 1);
        for (unsigned i = 0; i < 32; i++)
            assert_int_equal(seen[m.first[i] >> m.in_page]++, 0);
        assert_int_equal(cache_map(&m, (64 << 20) + 1, 3), -1);
        cache_free(&m);
        free(seen);
    }
    free(c);
}

/* Every other policy through the cache as through policy_set. */
static void test_policies(void **state)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct rng r;

    (void)state;
    rng_seed(&r, 8);
    for (size_t k = 0; k < policy_count(); k += k < policy_count_plain() ? 1 : 17) {
        struct policy p = policy_at(k);
        struct policy_set s;
        struct cache m;

        if (p.random)
            continue;
        chip_default(c);
        c->sets = 1;
        c->ways = 3 + (uint32_t)(k % 20);
        memcpy(c->policy, p.name, sizeof c->policy);
        must_init(&m, c);
        policy_set_init(&s, &p, c->ways, 1);
        for (int i = 0; i < 2000; i++) {
            uint32_t line = (uint32_t)rng_below(&r, c->ways + 4);

            assert_int_equal(level(&m, line * 128, 0) == CACHE_LOCAL,
                             policy_set_access(&s, line, NULL));
        }
        cache_free(&m);
    }
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place),       cmocka_unit_test(test_tables),
        cmocka_unit_test(test_even),        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_copies),      cmocka_unit_test(test_stores),
        cmocka_unit_test(test_store_keeps), cmocka_unit_test(test_copy_fetch),
        cmocka_unit_test(test_dirty_cap),   cmocka_unit_test(test_persist),
        cmocka_unit_test(test_map),         cmocka_unit_test(test_policies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
