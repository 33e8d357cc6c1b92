/* The tipping-point search for an eviction set, once, for the GPU and for the simulated device.
 *
 * The target is loaded, then the first n lines of a pool in random order, then the target again, timed. At some n it
 * turns from a hit to a miss: line n - 1 is the one that filled the target's set. It moves to the front, and the search
 * goes on below it; each search finds one more line, until the lines found evict the target alone. Then every line that
 * is not needed is dropped, and the set is checked: with all its lines, and without each of them in turn.
 *
 * It is serial code. On the GPU one thread runs it, everything inlined into registers, so that it touches no memory but
 * the lines under test; the other threads of the block wait in barriers for their part of a trial.
 *
 * Whoever includes this has defined before:
 *   struct tip_side
 *   TIP_FN uint32_t tip_trial(struct tip_side *, const struct l2_tip_in *, const struct l2_tip_out *, uint32_t front,
 *                             uint32_t from, uint32_t n, uint32_t skip)
 *     one trial: `settle` times target, found[0 .. front) without found[skip], pool positions [from, n); then once the
 *     target, `rounds` times the same lines; then the cycles of a load of the target. The target is no line of the pool.
 *   TIP_FN uint64_t tip_now(struct tip_side *)   clock64 */
#ifndef L2_TIP_H
#define L2_TIP_H

#include "abi.h"

#define TIP_NO_SKIP 255u
#define TIP_BACKS   8  /* lines taken back in one search before it is given up */
#define TIP_REPAIRS 3  /* times a set that fails its check is pruned and grown again */
#define TIP_SHARP   16 /* a first tipping index alone is known to one part in so many */

struct tip_run {
    struct tip_side *side;
    const struct l2_tip_in *in;
    struct l2_tip_out *out;
    uint32_t ntests, nfound, hi, votes, backs;
};

TIP_FN uint32_t tip_once(struct tip_run *r, uint32_t phase, uint32_t front, uint32_t from,
                         uint32_t n, uint32_t skip)
{
    uint32_t cycles = tip_trial(r->side, r->in, r->out, front, from, n, skip);
    struct l2_tip_test *t = &r->out->test[r->ntests++];

    t->n = n;
    t->cycles = (uint16_t)(cycles > 65535 ? 65535 : cycles);
    t->phase = (uint8_t)phase;
    t->skip = (uint8_t)skip;
    return cycles > r->in->threshold;
}

/* The majority of `votes` trials, and of one more when they are equal. */
TIP_FN uint32_t tip_evicts(struct tip_run *r, uint32_t phase, uint32_t front, uint32_t from,
                           uint32_t n, uint32_t skip, uint32_t votes)
{
    uint32_t evicted = 0, trials = 0;

    while ((trials < votes || evicted * 2 == trials) && r->ntests < L2_TIP_TESTS) {
        evicted += tip_once(r, phase, front, from, n, skip);
        trials++;
    }
    return evicted * 2 > trials;
}

/* The least n in (lo, hi] that evicts; hi does. */
TIP_FN uint32_t tip_least(struct tip_run *r, uint32_t phase, uint32_t front, uint32_t from,
                          uint32_t lo, uint32_t hi)
{
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;

        if (tip_evicts(r, phase, front, from, mid, TIP_NO_SKIP, r->votes))
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}

TIP_FN void tip_push(struct tip_run *r, uint32_t position)
{
    r->out->tip[r->nfound] = position;
    r->out->found[r->nfound] = l2_pool_line(&r->in->pool, position);
    r->nfound++;
}

TIP_FN void tip_drop(struct tip_run *r, uint32_t which)
{
    r->nfound--;
    for (uint32_t i = which; i < r->nfound; i++) {
        r->out->tip[i] = r->out->tip[i + 1];
        r->out->found[i] = r->out->found[i + 1];
    }
}

/* Adds lines to found until they evict the target alone. Positions of found lines are >= hi, so none is swept twice. A
 * wrong verdict shows when a line has moved to the front and the rest no longer evicts, or no rest is left: then that line
 * is taken back. */
TIP_FN uint32_t tip_grow(struct tip_run *r)
{
    while (!tip_evicts(r, L2_TIP_CONFIRM, r->nfound, 0, 0, TIP_NO_SKIP, r->votes + 1)) {
        if (r->nfound == L2_TIP_FOUND)
            return L2_TIP_MANY;
        if (r->hi == 0 || (r->nfound > 0 && !tip_evicts(r, L2_TIP_CONFIRM, r->nfound, 0, r->hi,
                                                        TIP_NO_SKIP, r->votes + 1))) {
            if (r->ntests == L2_TIP_TESTS)
                return L2_TIP_TESTS_FULL;
            if (r->backs == TIP_BACKS || r->nfound == 0)
                return L2_TIP_LOST;
            r->backs++;
            r->votes += r->votes < 7 ? 2 : 0;
            r->nfound--;
            r->hi = r->nfound ? r->out->tip[r->nfound - 1] : l2_pool_size(&r->in->pool);
            continue;
        }
        r->hi = tip_least(r, L2_TIP_SEARCH, r->nfound, 0, 0, r->hi) - 1;
        tip_push(r, r->hi);
    }
    return r->ntests == L2_TIP_TESTS ? L2_TIP_TESTS_FULL : L2_TIP_OK;
}

/* Drops every line without which the target is still evicted. */
TIP_FN void tip_prune(struct tip_run *r)
{
    for (uint32_t i = r->nfound; i-- > 0;)
        if (tip_evicts(r, L2_TIP_PRUNE, r->nfound, 0, 0, i, r->votes + 1))
            tip_drop(r, i);
}

/* Counts evictions in `trials` trials; when not all of them are as they should be, in twice as many, at least 20.
 * Returns whether at most one in twenty is wrong. */
TIP_FN uint32_t tip_check(struct tip_run *r, uint32_t phase, uint32_t skip, uint32_t trials,
                          uint32_t should)
{
    uint32_t wrong = 0, more = trials * 2 < 20 ? 20 : trials * 2;

    for (uint32_t k = 0; k < trials && r->ntests < L2_TIP_TESTS; k++) {
        wrong += tip_once(r, phase, r->nfound, 0, 0, skip) != should;
        if (k == trials - 1 && wrong * 20 > trials)
            trials = more;
        if (wrong * 20 > more)
            return 0;
    }
    return wrong * 20 <= trials && r->ntests < L2_TIP_TESTS;
}

TIP_FN uint32_t tip_verify(struct tip_run *r)
{
    if (!tip_check(r, L2_TIP_CHECK_ALL, TIP_NO_SKIP, r->in->check_all, 1))
        return L2_TIP_WEAK;
    for (uint32_t i = 0; i < r->nfound; i++)
        if (!tip_check(r, L2_TIP_CHECK_ONE, i, r->in->check_one, 0))
            return L2_TIP_LOOSE;
    return L2_TIP_OK;
}

/* More lines of the same set: all but one of the set in front, then the pool beyond the first tipping point, where each
 * further tipping point is a line that was not met before. */
TIP_FN void tip_extra(struct tip_run *r)
{
    uint32_t size = l2_pool_size(&r->in->pool), front = r->nfound - 1;
    uint32_t from = r->out->first, gap = from / r->nfound + 1;

    for (uint32_t k = 0; k < r->in->extra && r->nfound < L2_TIP_FOUND && r->ntests < L2_TIP_TESTS;
         k++) {
        uint32_t lo = from, step = gap, n, evicted = 0;

        do {
            n = size - lo < step ? size : lo + step;
            evicted = tip_evicts(r, L2_TIP_EXTRA, front, from, n, TIP_NO_SKIP, r->votes + 1);
            lo = evicted ? lo : n;
            step *= 2;
        } while (!evicted && lo < size && r->ntests < L2_TIP_TESTS);
        if (!evicted)
            return;
        from = tip_least(r, L2_TIP_EXTRA, front, from, lo, n);
        if (tip_evicts(r, L2_TIP_EXTRA, front, from - 1, from, TIP_NO_SKIP, r->votes + 1))
            tip_push(r, from - 1);
    }
}

/* Only about where the pool first evicts. */
TIP_FN uint32_t tip_first(struct tip_run *r)
{
    uint32_t lo = 0, hi = r->in->reach && r->in->reach < r->hi ? r->in->reach : r->hi;

    while (!tip_evicts(r, L2_TIP_FIRST, 0, 0, hi, TIP_NO_SKIP, r->votes)) {
        if (hi == r->hi)
            return L2_TIP_POOL_KEEPS;
        lo = hi;
        hi = hi < r->hi / 2 ? hi * 2 : r->hi;
    }
    while (hi - lo > 1 && (hi - lo) * TIP_SHARP > hi) {
        uint32_t mid = lo + (hi - lo) / 2;

        if (tip_evicts(r, L2_TIP_FIRST, 0, 0, mid, TIP_NO_SKIP, r->votes))
            hi = mid;
        else
            lo = mid;
    }
    r->out->first = hi;
    return L2_TIP_OK;
}

TIP_FN uint32_t tip_steps(struct tip_run *r)
{
    uint32_t status = L2_TIP_LOOSE;

    if (tip_evicts(r, r->in->alone ? L2_TIP_FIRST : L2_TIP_POOL, 0, 0, 0, TIP_NO_SKIP,
                   r->votes + 1))
        return L2_TIP_LOOSE; /* evicted by nothing: the threshold is too low */
    if (r->in->alone)
        return tip_first(r);
    if (r->in->reach && r->in->reach < r->hi &&
        tip_evicts(r, L2_TIP_POOL, 0, 0, r->in->reach, TIP_NO_SKIP, r->votes))
        r->hi = r->in->reach;
    else if (!tip_evicts(r, L2_TIP_POOL, 0, 0, r->hi, TIP_NO_SKIP, r->votes))
        return L2_TIP_POOL_KEEPS;
    for (int k = 0; k <= TIP_REPAIRS && status != L2_TIP_OK; k++) {
        status = tip_grow(r);
        if (status != L2_TIP_OK)
            return status;
        if (k == 0)
            r->out->first = r->out->tip[0] + 1;
        tip_prune(r);
        status = tip_verify(r);
    }
    r->out->nset = r->nfound;
    if (status == L2_TIP_OK && r->in->extra > 0)
        tip_extra(r);
    return r->ntests == L2_TIP_TESTS ? L2_TIP_TESTS_FULL : status;
}

/* Fills out; returns its status. */
TIP_FN uint32_t tip_search(struct tip_side *side, const struct l2_tip_in *in,
                           struct l2_tip_out *out)
{
    struct tip_run r = {side, in, out, 0, 0, l2_pool_size(&in->pool), in->votes, 0};
    uint64_t start = tip_now(side);

    out->nset = out->first = 0;
    out->status = tip_steps(&r);
    out->nfound = r.nfound;
    out->ntests = r.ntests;
    out->cycles = tip_now(side) - start;
    return out->status;
}

#endif
