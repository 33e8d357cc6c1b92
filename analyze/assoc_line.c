/* The same-tag test: a full set with an address some bytes from one of its lines in place of that line still evicts the
 * target while it is in the same line. Pure. */
#include "assoc_rows.h"

/* How many steps of 32 bytes around the set's last line still evict one target, in one run; 0 when it was not tested. */
static unsigned one_target(const struct attempt *a)
{
    unsigned from = 32, to = 32;

    while (from > 0 && a->tag_over[from - 1] * 2 > a->tag_n[from - 1])
        from--;
    while (to < 64 && a->tag_over[to] * 2 > a->tag_n[to])
        to++;
    return to - from;
}

/* The steps that evict at least half as often as the line itself, over all targets together: where replacement leaves some
 * targets in their set whatever is done, single ones say little. The pool's lines begin where the cache's do. */
static size_t pooled_tag(const struct attempt *const *final, size_t n)
{
    double share[64] = {0};
    size_t from = 32, to = 32;

    for (size_t k = 0; k < 64; k++) {
        double over = 0, all = 0;

        for (size_t i = 0; i < n; i++) {
            over += (double) final[i]->tag_over[k];
            all += (double) final[i]->tag_n[k];
        }
        share[k] = all > 0 ? over / all : 0;
    }
    if (share[32] < 0.15)
        return 0;
    while (from > 0 && share[from - 1] * 2 > share[32])
        from--;
    while (to < 64 && share[to] * 2 > share[32])
        to++;
    return to - from;
}

struct same_tag same_tag_of(const struct attempt *const *final, size_t n)
{
    struct same_tag t = {0};
    size_t say[65] = {0}, best = 1;

    for (size_t i = 0; i < n; i++) {
        unsigned steps = one_target(final[i]);

        t.targets += final[i]->tag_n[32] > 0;
        say[steps] += steps > 0;
    }
    for (size_t k = 1; k <= 64; k++)
        best = say[k] > say[best] ? k : best;
    t.pooled = say[best] * 2 <= t.targets;
    best = t.pooled ? pooled_tag(final, n) : best;
    t.say = say[best];
    t.bytes = t.targets > 0 ? (double)best * 32 : 0;
    return t;
}
