/* The same-tag test: a full set with an address some bytes from one of its lines in place of that line still evicts the
 * target while it is in the same line. Pure. */
#include "assoc_rows.h"

enum { STEPS = 64, MIDDLE = STEPS / 2 }; /* steps of 32 bytes around the set's last line */

/* How many steps in one run around the line evict more often than `least`. */
static size_t run_around(const double *share, double least)
{
    size_t from = MIDDLE, to = MIDDLE;

    while (from > 0 && share[from - 1] > least)
        from--;
    while (to < STEPS && share[to] > least)
        to++;
    return to - from;
}

/* The share of trials that evict at each step, over n targets together. */
static void shares(const struct attempt *const *final, size_t n, double *share)
{
    for (size_t k = 0; k < STEPS; k++) {
        double over = 0, all = 0;

        for (size_t i = 0; i < n; i++) {
            over += (double) final[i]->tag_over[k];
            all += (double) final[i]->tag_n[k];
        }
        share[k] = all > 0 ? over / all : 0;
    }
}

/* The steps that evict at least half as often as the line itself, over all targets together: where replacement leaves some
 * targets in their set whatever is done, single ones say little. The pool's lines begin where the cache's do. */
static size_t pooled_tag(const struct attempt *const *final, size_t n)
{
    double share[STEPS];

    shares(final, n, share);
    return share[MIDDLE] < 0.15 ? 0 : run_around(share, share[MIDDLE] / 2);
}

struct same_tag same_tag_of(const struct attempt *const *final, size_t n)
{
    struct same_tag t = {0};
    size_t say[STEPS + 1] = {0}, best = 1;

    for (size_t i = 0; i < n; i++) {
        double share[STEPS];
        size_t steps;

        shares(&final[i], 1, share);
        steps = run_around(share, 0.5);
        t.targets += final[i]->tag_n[MIDDLE] > 0;
        say[steps] += steps > 0;
    }
    for (size_t k = 1; k <= STEPS; k++)
        best = say[k] > say[best] ? k : best;
    t.pooled = say[best] * 2 <= t.targets;
    best = t.pooled ? pooled_tag(final, n) : best;
    t.say = say[best];
    t.bytes = t.targets > 0 ? (double)best * 32 : 0;
    return t;
}
