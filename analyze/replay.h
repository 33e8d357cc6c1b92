/* Recorded accesses to one set, replayed on candidate replacement policies. Pure.
 *
 * A deterministic policy predicts every answer; an answer is read wrong with the chance `flip`. A policy that draws random
 * numbers predicts how many answers of a sequence are hits: many independent replays give the mean and the variance, and
 * also how often two repeats of a sequence differ.
 *
 * Traces of one set follow each other as they ran, so a candidate goes from one to the next in the state that it was left
 * in. What the set held before the first one is not known: of many histories, the one that suits the candidate best
 * counts. */
#ifndef L2_REPLAY_H
#define L2_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../share/lib/policy.h"

struct answer {
    uint32_t line;
    bool hit;
    bool counts; /* a timed load that the person asked about; else only the state moves */
    bool store;
};

/* One run of one sequence on one set, its reset included. */
struct trace {
    uint64_t set, side, seq, rep;
    unsigned ways;
    struct answer *a;
    size_t n, cap;
    bool stores; /* some access is a store */
};

struct score {
    uint64_t agree, total;
    double
        log_like; /* of the answers; of a random policy: of the hits of each sequence, less a constant */
    double expected, sd; /* what log_like would be, were the policy the true one */
    double worst;  /* random: the largest deviation of a sequence's hits, in standard deviations */
    double varied; /* random: answers in which two repeats are expected to differ */
    /* The shortest wrong prediction: trace, step, and how many counted steps come before it. trace SIZE_MAX: none. */
    size_t trace, step, length;
    bool stopped; /* given up: wrong too often */
};

/* After so many answers a candidate goes on only when it agrees so well. */
struct replay_gate {
    uint64_t answers;
    double agreement;
};

struct replay_how {
    double flip;     /* chance of a misreading */
    unsigned drawn;  /* histories drawn at random, beside up to twice the ways of new lines */
    unsigned copies; /* replays of a random policy, at least 2 */
    uint64_t most;   /* accesses after which replays of a random policy stop; 0: never */
    const struct replay_gate *gate; /* by rising answers, ends with 0; NULL: none */
};

/* Replays all traces (sorted by set, in order of time). s[0] counts those without stores, s[1] those with. */
void replay_score(const struct policy *p, const struct trace *t, size_t n,
                  const struct replay_how *how, struct score s[2]);

/* Whether a reset leaves the policy's sets in very many states, so that few histories seldom hold the right one. */
bool replay_many_states(const struct policy *p, unsigned ways, unsigned lines);

/* Whether the answers can be the policy's: not more wrong than misreadings explain; for a random one, every sequence's hits
 * within five standard deviations, all of them as likely as such draws are, and repeats that differ (differ: share of answers, nan when there are no repeats) about
 * as often as they should. */
bool replay_consistent(const struct policy *p, const struct score *s, double flip, double differ);

/* Of a random policy when a deterministic one foresees all answers: would draws have shown, but for incredible luck? */
bool replay_too_lucky(const struct score *s);

/* Share of answers that differ between repeats of the same sequence on the same set. pairs: answers compared. */
double replay_differ(const struct trace *t, size_t n, uint64_t *pairs);
/* Share of loads that were read as misses although the access before was a load of the same line: under any policy they
 * are misreadings. n of them in *loads. */
double replay_misread(const struct trace *t, size_t n, uint64_t *loads);

/* For replay_random.c: both scores of a policy that draws random numbers. */
void replay_random(const struct policy *p, const struct trace *t, size_t n,
                   const struct replay_how *how, struct score s[2]);

#endif
