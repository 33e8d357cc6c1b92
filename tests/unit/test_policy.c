/* Replacement policies: by hand, by the signatures known from simulation, and QLRU against its definition. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "share/lib/policy.h"

static struct policy must(const char *name)
{
    struct policy p;

    if (policy_find(name, &p) != 0)
        fail_msg("no policy %s", name);
    return p;
}

/* "abcab" -> "mmmhh". */
static const char *run(const char *name, unsigned ways, const char *seq)
{
    static char answer[256];
    struct policy p = must(name);
    struct policy_set s;
    size_t n = strlen(seq);

    policy_set_init(&s, &p, ways, 1);
    for (size_t i = 0; i < n; i++)
        answer[i] = policy_set_access(&s, (uint32_t)seq[i], NULL) ? 'h' : 'm';
    answer[n] = '\0';
    return answer;
}

static void test_by_hand(void **state)
{
    (void)state;
    assert_string_equal(run("lru", 3, "abcadab"), "mmmhmhm");
    assert_string_equal(run("fifo", 3, "abcadab"), "mmmhmmm");
    /* a b c d, a again: the tree points to c, which e replaces; then c takes b, b takes d, a is still there. */
    assert_string_equal(run("plru", 4, "abcdaecbad"), "mmmmhmmmhm");
    /* b's bit alone is clear after a c d (c clears the others). */
    assert_string_equal(run("bitplru", 3, "abcab"), "mmmhh");
    assert_string_equal(run("bitplru", 3, "abcadbc"), "mmmhmmh");
    assert_string_equal(run("nru", 3, "abcada"), "mmmhmm");
    assert_string_equal(run("lip", 2, "abcbaca"), "mmmmhmh");
    assert_string_equal(run("srrip", 2, "aabca"), "mhmmh");
}

static double miss_rate(const char *name, unsigned ways, bool shuffle)
{
    struct policy p = must(name);
    struct policy_set s;
    uint32_t order[64], misses = 0, total = 0;
    struct rng r;

    rng_seed(&r, 5);
    policy_set_init(&s, &p, ways, 2);
    for (uint32_t i = 0; i <= ways; i++)
        order[i] = i;
    for (int pass = 0; pass < 6000; pass++) {
        if (shuffle)
            rng_shuffle(&r, order, ways + 1);
        for (uint32_t i = 0; i <= ways; i++) {
            bool hit = policy_set_access(&s, order[i], NULL);

            misses += pass >= 100 && !hit;
            total += pass >= 100;
        }
    }
    return (double)misses / total;
}

static void near(double got, double want)
{
    if (got < want - 0.006 || got > want + 0.006)
        fail_msg("%.17g, not %.17g", got, want);
}

/* 17 lines in 16 ways, cyclic and freshly shuffled: miss rates of simulations written apart from this code. */
static void test_rates(void **state)
{
    static const struct {
        const char *name;
        double cyclic, shuffled;
    } rates[] = {{"lru", 1, 0.203},       {"fifo", 1, 0.101},        {"plru", 1, 0.147},
                 {"nru", 1, 0.203},       {"bitplru", 0.533, 0.198}, {"srrip", 1, 0.170},
                 {"random", 0.118, 0.101}};

    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        near(miss_rate(rates[i].name, 16, false), rates[i].cyclic);
        near(miss_rate(rates[i].name, 16, true), rates[i].shuffled);
    }
}

/* Fresh lines until line 0, filled first and touched again, is lost. */
static uint32_t age(const char *name, unsigned ways)
{
    struct policy p = must(name);
    struct policy_set s;
    uint32_t victim = POLICY_NONE, n = 0;

    policy_set_init(&s, &p, ways, 3);
    for (uint32_t i = 0; i < ways; i++)
        policy_set_access(&s, i, NULL);
    policy_set_access(&s, 0, NULL);
    for (; victim != 0 && n < 1000; n++)
        policy_set_access(&s, 100 + n, &victim);
    return n;
}

static void test_ages(void **state)
{
    (void)state;
    assert_int_equal(age("lru", 16), 16);
    assert_int_equal(age("fifo", 16), 1);
    assert_int_equal(age("nru", 16), 1);
    assert_int_equal(age("plru", 16), 16);
    assert_int_equal(age("bitplru", 16), 15);
    assert_int_equal(age("srrip", 16), 31);
    assert_int_equal(age("lru", 24), 24);
    assert_int_equal(age("lru", 5), 5);
    assert_int_equal(age("lru", 32), 32);
}

/* A tree over any number of ways gives every way its turn: n fresh lines replace n old ones. */
static void test_tree_any_ways(void **state)
{
    (void)state;
    for (unsigned ways = 1; ways <= POLICY_WAYS; ways++) {
        struct policy p = must("plru");
        struct policy_set s;
        uint32_t victim, seen = 0;

        policy_set_init(&s, &p, ways, 1);
        for (uint32_t i = 0; i < ways; i++)
            policy_set_access(&s, i, &victim);
        for (uint32_t i = 0; i < 4 * ways; i++) {
            policy_set_access(&s, 100 + i, &victim);
            assert_int_not_equal(victim, POLICY_NONE);
            seen |= victim < 32 ? 1u << victim : 0;
            assert_true(policy_set_access(&s, 100 + i, NULL));
        }
        assert_int_equal(seen, ways == 32 ? ~0u : (1u << ways) - 1);
    }
}

static void test_to_front(void **state)
{
    struct rng r;

    (void)state;
    rng_seed(&r, 9);
    for (unsigned ways = 1; ways <= POLICY_WAYS; ways++) {
        struct policy p = must("lru");
        uint8_t order[POLICY_STATE], plain[POLICY_STATE];

        p.reset(&p, order, ways);
        memcpy(plain, order, ways);
        for (int k = 0; k < 300; k++) {
            unsigned w = (unsigned)rng_below(&r, ways), i = 0;

            policy_to_front(order, w);
            while (plain[i] != w)
                i++;
            memmove(plain + 1, plain, i);
            plain[0] = (uint8_t)w;
            assert_memory_equal(order, plain, ways);
        }
    }
}

/* QLRU written out from its definition: ages of all ways, four functions. */
struct plain {
    unsigned ways, h3, h2, m, r, u;
    bool umo;
    int line[POLICY_WAYS];
    unsigned age[POLICY_WAYS];
};

static void plain_update(struct plain *q, int accessed)
{
    unsigned max = 0;

    for (unsigned w = 0; w < q->ways; w++)
        if (!(q->u == 1 && (int)w == accessed) && q->age[w] > max)
            max = q->age[w];
    for (unsigned w = 0; w < q->ways; w++) {
        bool spared = (q->u == 1 || q->u == 3) && (int)w == accessed;

        if (q->u <= 1 && !spared)
            q->age[w] += 3 - max;
        if (q->u >= 2 && max < 3 && !spared)
            q->age[w]++;
    }
}

static unsigned plain_way(const struct plain *q)
{
    for (unsigned k = 0; k < q->ways; k++) {
        unsigned w = q->r == 2 ? q->ways - 1 - k : k;

        if (q->line[w] < 0)
            return w;
    }
    for (unsigned w = 0; w < q->ways; w++)
        if (q->age[w] == 3)
            return w;
    return 0;
}

static bool plain_access(struct plain *q, int line)
{
    unsigned w = 0;
    bool hit;

    while (w < q->ways && q->line[w] != line)
        w++;
    hit = w < q->ways;
    if (hit) {
        q->age[w] = q->age[w] == 3 ? q->h3 : q->age[w] == 2 ? q->h2 : 0;
    } else {
        if (q->umo)
            plain_update(q, -1);
        w = plain_way(q);
        q->line[w] = line;
        q->age[w] = q->m;
    }
    if (!q->umo)
        plain_update(q, (int)w);
    return hit;
}

static void test_qlru(void **state)
{
    struct rng r;
    size_t n = 0;

    (void)state;
    rng_seed(&r, 11);
    for (size_t k = policy_count_plain(); k < policy_count(); k++, n++) {
        struct policy p = policy_at(k), same;
        unsigned ways = 4 + (unsigned)(k % 13);
        struct plain q = {.ways = ways, .umo = strstr(p.name, "umo") != NULL};
        struct policy_set s;
        char hit[3];

        assert_int_equal(policy_find(p.name, &same), 0);
        assert_memory_equal(p.par, same.par, sizeof p.par);
        assert_int_equal(sscanf(p.name, "qlru_h%2[0-9]_m%u_r%u_u%u", hit, &q.m, &q.r, &q.u), 4);
        q.h3 = (unsigned)(hit[0] - '0');
        q.h2 = (unsigned)(hit[1] - '0');
        for (unsigned w = 0; w < ways; w++) {
            q.line[w] = -1;
            q.age[w] = 3;
        }
        policy_set_init(&s, &p, ways, 1);
        for (int i = 0; i < 400; i++) {
            uint32_t line = (uint32_t)rng_below(&r, ways * 2);

            if (policy_set_access(&s, line, NULL) != plain_access(&q, (int)line))
                fail_msg("%s, %u ways: access %d differs", p.name, ways, i);
        }
    }
    assert_int_equal(n, 5 * 4 * 8 * 2);
}

static void test_names(void **state)
{
    struct policy p;

    (void)state;
    assert_int_equal(policy_find("QLRU_H11_M1_R0_U0", &p), 0);
    assert_int_equal(policy_find("qlru_h21_mr32_r1_u2_umo", &p), 0);
    assert_true(p.random);
    assert_int_equal(policy_find("qlru_h12_m1_r0_u0", &p), -1);
    assert_int_equal(policy_find("", &p), -1);
    assert_int_equal(policy_find("lru2", &p), -1);
    for (size_t i = 0; i < policy_count(); i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(policy_at(i).name, policy_at(k).name);
}

/* Every policy: a line just used hits, a set never holds more lines than ways, dropped lines are gone. */
static void test_all(void **state)
{
    struct rng r;

    (void)state;
    rng_seed(&r, 4);
    for (size_t k = 0; k < policy_count(); k++) {
        struct policy p = policy_at(k);
        struct policy_set s;
        uint32_t held[64] = {0}, n = 0, victim;
        unsigned ways = 1 + (unsigned)rng_below(&r, POLICY_WAYS);

        policy_set_init(&s, &p, ways, k);
        for (int i = 0; i < 300; i++) {
            uint32_t line = (uint32_t)rng_below(&r, 64);

            if (rng_below(&r, 16) == 0) {
                policy_set_drop(&s, line);
                n -= held[line];
                held[line] = 0;
                continue;
            }
            assert_int_equal(policy_set_access(&s, line, &victim), held[line]);
            n += !held[line];
            held[line] = 1;
            if (victim != POLICY_NONE) {
                assert_int_equal(held[victim], 1);
                held[victim] = 0;
                n--;
            }
            assert_true(n <= ways && (victim == POLICY_NONE || n == ways));
        }
    }
}

/* A full set with some history. */
static void with_history(struct policy_set *s, const struct policy *p, unsigned ways, uint64_t seed)
{
    struct rng r;

    rng_seed(&r, seed);
    policy_set_init(s, p, ways, 1);
    for (unsigned i = 0; i < 3 * ways + rng_below(&r, 6 * ways); i++)
        policy_set_access(s, (uint32_t)rng_below(&r, 2 * ways + 1), NULL);
}

/* Histories of all kinds end in one state. */
static void test_reset(void **state)
{
    static const char *const names[] = {"lru", "fifo", "nru", "srrip"};
    enum { WAYS = 12, LINES = WAYS + 7 };
    uint32_t load[POLICY_RESET(WAYS, LINES)];

    (void)state;
    policy_reset_loads(WAYS, LINES, load);
    for (size_t k = 0; k < 4; k++) {
        struct policy p = must(names[k]);
        uint8_t order[WAYS], first[WAYS] = {0};

        for (uint64_t seed = 0; seed < 40; seed++) {
            struct policy_set s;
            size_t n = 0;

            with_history(&s, &p, WAYS, seed);
            for (size_t i = 0; i < POLICY_RESET(WAYS, LINES); i++)
                policy_set_access(&s, load[i], NULL);
            for (uint32_t i = 0; i < WAYS; i++) { /* which lines new ones push out, in order */
                uint32_t victim;

                policy_set_access(&s, 1000 + i, &victim);
                order[n++] = (uint8_t)victim;
            }
            if (seed == 0)
                memcpy(first, order, WAYS);
            if (memcmp(first, order, WAYS) != 0)
                fail_msg("%s: the reset leaves traces of history %u", p.name, (unsigned)seed);
        }
    }
}

static void test_alike(void **state)
{
    struct policy srrip, like, lru;
    size_t pairs = 0;

    (void)state;
    for (size_t a = 0; a < policy_count(); a += 3)
        for (size_t b = a + 1; b < policy_count() && b < a + 17; b++) {
            struct policy p = policy_at(a), q = policy_at(b);
            struct policy_set s, t;
            struct rng r;

            if (!policy_alike(&p, &q) || p.random)
                continue;
            pairs++;
            rng_seed(&r, a);
            with_history(&s, &p, 6, a);
            t = s;
            t.policy = &q;
            for (unsigned i = 0; i < 400; i++) {
                uint32_t line = (uint32_t)rng_below(&r, 9);

                if (policy_set_access(&s, line, NULL) != policy_set_access(&t, line, NULL))
                    fail_msg("%s and %s differ at %u", p.name, q.name, i);
            }
        }
    assert_true(pairs > 50);
    srrip = must("srrip");
    like = must("qlru_h00_m2_r2_u1_umo");
    lru = must("lru");
    assert_true(policy_alike(&srrip, &like));
    assert_false(policy_alike(&srrip, &lru));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),  cmocka_unit_test(test_rates),
        cmocka_unit_test(test_ages),     cmocka_unit_test(test_tree_any_ways),
        cmocka_unit_test(test_to_front), cmocka_unit_test(test_qlru),
        cmocka_unit_test(test_names),    cmocka_unit_test(test_all),
        cmocka_unit_test(test_reset),    cmocka_unit_test(test_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
