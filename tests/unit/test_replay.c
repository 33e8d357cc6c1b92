/* Every policy, played with misreadings, is consistent with itself; policies that differ are rejected. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/replay.h"
#include "share/lib/rng.h"

enum { WAYS = 8, LINES = 13, STEPS = 400, RUNS = 12 };

static void play(const struct policy *p, struct trace *t, double flip, struct rng *r)
{
    struct policy_set set;

    for (size_t k = 0; k < RUNS; k++) {
        uint64_t seed = k / 2;
        struct rng lines;

        policy_set_init(&set, p, WAYS, rng_u64(r));
        rng_seed(&lines, seed);
        t[k] = (struct trace){.set = 0, .seq = k / 2, .rep = k % 2, .ways = WAYS, .n = STEPS};
        t[k].a = calloc(STEPS, sizeof *t[k].a);
        for (size_t i = 0; i < STEPS; i++) {
            uint32_t line =
                i < 4 * LINES ? (uint32_t)(i % LINES) : (uint32_t)rng_below(&lines, LINES);
            bool hit = policy_set_access(&set, line, NULL);

            t[k].a[i] = (struct answer){line, hit ^ (rng_uniform(r) < flip), i >= 4 * LINES, false};
        }
    }
}

static void drop(struct trace *t)
{
    for (size_t k = 0; k < RUNS; k++)
        free(t[k].a);
}

static void every_policy_knows_itself(void **state)
{
    struct trace t[RUNS];
    struct rng r;

    (void)state;
    rng_seed(&r, 11);
    for (size_t k = 0; k < policy_count_plain(); k++) {
        struct policy p = policy_at(k);
        struct score s;
        uint64_t pairs;

        play(&p, t, 0.001, &r);
        replay_score(&p, t, RUNS, 0, 0.001, 200, 0, &s);
        if (!replay_consistent(&p, &s, 0.001, 2 * replay_flips(t, RUNS, &pairs)))
            fail_msg("%s does not fit itself: %g of %g, log likelihood %g, expected %g +- %g",
                     p.name, (double)s.agree, (double)s.total, s.log_like, s.expected, s.sd);
        drop(t);
    }
}

static void others_are_rejected(void **state)
{
    static const char *const names[] = {"lru", "fifo", "nru", "srrip", "random", "lip"};
    struct trace t[RUNS];
    struct rng r;

    (void)state;
    rng_seed(&r, 12);
    for (size_t k = 0; k < 6; k++) {
        struct policy truth, p;
        struct score s;
        uint64_t pairs;

        assert_int_equal(policy_find(names[k], &truth), 0);
        play(&truth, t, 0.001, &r);
        for (size_t other = 0; other < 6; other++) {
            if (other == k)
                continue;
            assert_int_equal(policy_find(names[other], &p), 0);
            replay_score(&p, t, RUNS, 0, 0.001, 200, 0, &s);
            if (replay_consistent(&p, &s, 0.001, 2 * replay_flips(t, RUNS, &pairs)))
                fail_msg("%s passes for %s", p.name, truth.name);
            if (!p.random)
                assert_true(s.trace < RUNS && s.length < STEPS);
        }
        drop(t);
    }
}

static void repeats_show_what_draws(void **state)
{
    struct trace t[RUNS];
    struct policy p;
    struct rng r;
    uint64_t pairs;

    (void)state;
    rng_seed(&r, 13);
    policy_find("lru", &p);
    play(&p, t, 0, &r);
    assert_true(replay_flips(t, RUNS, &pairs) == 0 && pairs == (STEPS - 4 * LINES) * RUNS / 2);
    drop(t);
    policy_find("random", &p);
    play(&p, t, 0, &r);
    assert_true(replay_flips(t, RUNS, &pairs) > 0.05);
    drop(t);
}

static void a_sequence_tells_two_apart(void **state)
{
    struct trace t[RUNS];
    struct policy p, q;
    struct policy_set a, b;
    struct rng r;
    uint32_t line[64];
    size_t n;
    bool x = false, y = false;

    (void)state;
    rng_seed(&r, 14);
    policy_find("lru", &p);
    policy_find("fifo", &q);
    play(&p, t, 0, &r);
    n = replay_distinguish(&p, &q, &t[0], LINES, line, 64);
    assert_true(n > 0 && n < 20);
    policy_set_init(&a, &p, WAYS, 1);
    policy_set_init(&b, &q, WAYS, 1);
    for (uint32_t i = 0; i < 4 * LINES; i++) {
        policy_set_access(&a, i % LINES, NULL);
        policy_set_access(&b, i % LINES, NULL);
    }
    for (size_t i = 0; i < n; i++) {
        x = policy_set_access(&a, line[i], NULL);
        y = policy_set_access(&b, line[i], NULL);
    }
    assert_true(x != y);
    assert_int_equal(replay_distinguish(&p, &p, &t[0], LINES, line, 64), 0);
    drop(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_knows_itself),
        cmocka_unit_test(others_are_rejected),
        cmocka_unit_test(repeats_show_what_draws),
        cmocka_unit_test(a_sequence_tells_two_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
