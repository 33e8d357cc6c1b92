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
#include "analyze/tell.h"
#include "share/lib/rng.h"

enum { WAYS = 8, LINES = 13, STEPS = 400, RUNS = 12, RESET = 8 * LINES };

static void play(const struct policy *p, struct trace *t, double flip, struct rng *r)
{
    struct policy_set set;

    policy_set_init(&set, p, WAYS, rng_u64(r));
    for (uint32_t i = (uint32_t)rng_below(r, 2 * WAYS); i > 0; i--)
        policy_set_access(&set, LINES + i, NULL);
    for (size_t k = 0; k < RUNS; k++) {
        uint64_t seed = k / 2;
        struct rng lines;

        rng_seed(&lines, seed);
        t[k] = (struct trace){.set = 0, .seq = k / 2, .rep = k % 2, .ways = WAYS, .n = STEPS};
        t[k].a = calloc(STEPS, sizeof *t[k].a);
        for (size_t i = 0; i < STEPS; i++) {
            uint32_t line =
                i < RESET ? (uint32_t)(i / 2 % LINES) : (uint32_t)rng_below(&lines, LINES);
            bool hit = policy_set_access(&set, line, NULL);

            t[k].a[i] = (struct answer){line, hit ^ (rng_uniform(r) < flip), i >= RESET, false};
        }
    }
}

static void drop(struct trace *t)
{
    for (size_t k = 0; k < RUNS; k++)
        free(t[k].a);
}

static const struct replay_how how = {.flip = 0.001, .drawn = 20, .copies = 200};

static void every_policy_knows_itself(void **state)
{
    struct trace t[RUNS];
    struct rng r;

    (void)state;
    rng_seed(&r, 11);
    for (size_t k = 0; k < policy_count_plain(); k++) {
        struct policy p = policy_at(k);
        struct score s[2];
        uint64_t pairs;

        play(&p, t, 0.001, &r);
        replay_score(&p, t, RUNS, &how, s);
        if (!replay_consistent(&p, s, 0.001, replay_differ(t, RUNS, &pairs)))
            fail_msg("%s does not fit itself: %g of %g, log likelihood %g, expected %g +- %g",
                     p.name, (double)s->agree, (double)s->total, s->log_like, s->expected, s->sd);
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
        struct score s[2];
        uint64_t pairs;

        assert_int_equal(policy_find(names[k], &truth), 0);
        play(&truth, t, 0.001, &r);
        for (size_t other = 0; other < 6; other++) {
            if (other == k)
                continue;
            assert_int_equal(policy_find(names[other], &p), 0);
            replay_score(&p, t, RUNS, &how, s);
            if (replay_consistent(&p, s, 0.001, replay_differ(t, RUNS, &pairs)) &&
                !(p.random && !truth.random && replay_too_lucky(s)))
                fail_msg("%s passes for %s", p.name, truth.name);
            if (!p.random)
                assert_true(s->trace < RUNS && s->length < STEPS);
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
    assert_true(replay_differ(t, RUNS, &pairs) == 0 && pairs == (STEPS - RESET) * RUNS / 2);
    drop(t);
    policy_find("random", &p);
    play(&p, t, 0, &r);
    assert_true(replay_differ(t, RUNS, &pairs) > 0.05);
    drop(t);
}

static void misreadings_show_in_hits_that_must_be(void **state)
{
    struct answer a[] = {{1, false, true, false}, {1, false, true, false}, {1, true, true, false},
                         {2, false, true, true},  {2, false, true, false}, {2, true, true, false}};
    struct trace t = {.ways = WAYS, .a = a, .n = 6};
    uint64_t loads;

    (void)state;
    assert_true(fabs(replay_misread(&t, 1, &loads) - 1.0 / 3) < 1e-12);
    assert_int_equal(loads, 3);
}

/* The answers, a bit each, the last one lowest. */
static uint64_t answers_to(const struct policy *p, const struct tell_bed *bed, const char *text)
{
    struct policy_set set;
    uint64_t answers = 0;
    uint32_t load[POLICY_RESET(WAYS, LINES)];

    policy_set_init(&set, p, bed->ways, 1);
    policy_reset_loads(bed->ways, bed->lines, load);
    for (size_t i = 0; i < POLICY_RESET(WAYS, LINES); i++)
        policy_set_access(&set, load[i], NULL);
    for (const char *at = text; *at != '\0'; at += strcspn(at, " "), at += *at == ' ')
        answers = answers << 1 | policy_set_access(&set, (uint32_t)strtoul(at, NULL, 10), NULL);
    return answers;
}

static void a_sequence_tells_two_apart(void **state)
{
    struct tell_bed bed = {WAYS, LINES};
    struct policy p, q;
    char text[400];
    double deviations;

    (void)state;
    policy_find("lru", &p);
    policy_find("fifo", &q);
    assert_int_equal(tell_apart(&p, &q, &bed, text, sizeof text, &deviations), 0);
    assert_true(answers_to(&p, &bed, text) != answers_to(&q, &bed, text));
    assert_int_equal(tell_apart(&p, &p, &bed, text, sizeof text, &deviations), -1);
    policy_find("random", &q);
    assert_int_equal(tell_apart(&p, &q, &bed, text, sizeof text, &deviations), 0);
    assert_true(deviations > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_knows_itself),
        cmocka_unit_test(others_are_rejected),
        cmocka_unit_test(repeats_show_what_draws),
        cmocka_unit_test(misreadings_show_in_hits_that_must_be),
        cmocka_unit_test(a_sequence_tells_two_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
