/* Recorded accesses to one set, replayed on candidate replacement policies. Pure.
 *
 * A deterministic policy predicts every answer; an answer is read wrong with the chance `flip`. A policy that draws random
 * numbers predicts how many answers of a sequence are hits: many independent replays give the mean and the variance, and
 * also how often two repeats of a sequence differ. */
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
};

/* Replays the traces that `which` accepts (0 without stores, 1 with, 2 all). A trace starts with the set in the
 * phase (0 to ways - 1 foreign lines loaded) that suits the candidate best.
 * copies: replays of a random policy; most: stop after so many accesses (0: never). */
void replay_score(const struct policy *p, const struct trace *t, size_t n, int which, double flip,
                  unsigned particles, uint64_t most, struct score *s);

/* Whether the answers can be the policy's: not more wrong than misreadings (twice the flip rate, and one in a thousand)
 * explain; for a random one, every sequence's hits within five standard deviations, and repeats that differ (differ: share
 * of answers, nan when there are no repeats) about as often as they should. */
bool replay_consistent(const struct policy *p, const struct score *s, double flip, double differ);

/* Share of answers that differ between repeats of the same sequence on the same set, over 2: the flip rate, when the
 * policy is deterministic. pairs: answers compared. */
double replay_flips(const struct trace *t, size_t n, uint64_t *pairs);

/* A short sequence of lines 0..lines-1, after the same reset as `like` begins with (its answers before the first that
 * counts), whose last access hits under one policy and misses under the other. Fills line[] (room for `most`), returns its
 * length, 0 when none was found. */
size_t replay_distinguish(const struct policy *p, const struct policy *q, const struct trace *like,
                          unsigned lines, uint32_t *line, size_t most);

#endif
