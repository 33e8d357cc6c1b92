/* One Hamiltonian cycle a chain (Sattolo's algorithm, or page by page), verified by the walkers themselves. */
#include "chains.h"
#include "../share/lib/mem.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    LAUNCH_HOPS = 1 << 22,
    MAX_STOPS = 17
}; /* a number of 64 bits has 15 different primes at most */

int chains_sm(int first, size_t k, size_t n, unsigned sms)
{
    return (int)(((size_t)first + k * sms / n) % sms);
}

/* The order of visits, group after group, into work[]; then each node points to the one visited next. */
void cycle_in_windows(struct rng *r, uint32_t *next, uint32_t *work, size_t n, size_t each)
{
    size_t groups = (n + each - 1) / each, at = 0;

    for (size_t g = 0; g < groups; g++)
        next[g] = (uint32_t)g;
    rng_shuffle(r, next, groups);
    for (size_t g = 0; g < groups; g++) {
        size_t first = next[g] * each, end = first + each < n ? first + each : n, start = at;

        for (size_t i = first; i < end; i++)
            work[at++] = (uint32_t)i;
        rng_shuffle(r, work + start, at - start);
    }
    for (size_t i = 0; i < n; i++)
        next[work[i]] = work[(i + 1) % n];
}

static void make_cycle(struct run *r, struct chains *c)
{
    size_t each = c->window / c->stride;
    uint32_t *work;

    if (each < 2 || each >= c->nodes) {
        rng_cycle(&r->rng, c->next, c->nodes);
        return;
    }
    work = xcalloc(c->nodes, sizeof *work);
    cycle_in_windows(&r->rng, c->next, work, c->nodes, each);
    free(work);
}

/* Pointers to the node before, of chain k. */
static int link_before(struct run *r, const struct chains *c, size_t k)
{
    uint32_t *before = c->before + k * c->nodes;

    for (size_t i = 0; i < c->nodes; i++)
        before[c->next[i]] = (uint32_t)i;
    return r->dev->ops->link(r->dev, c->chain[k].at + CHAINS_OTHER, c->stride, before, c->nodes);
}

int chains_build(struct run *r, struct chains *c, uint64_t at)
{
    c->place = at;
    for (size_t k = 0; k < c->n; k++) {
        c->chain[k].at = k * c->nodes * c->stride + at;
        make_cycle(r, c);
        if (r->dev->ops->link(r->dev, c->chain[k].at, c->stride, c->next, c->nodes) != 0 ||
            (c->before != NULL && link_before(r, c, k) != 0))
            return -1;
    }
    return 0;
}

void chains_turn(struct chains *c)
{
    for (size_t k = 0; k < c->n; k++) {
        size_t i = (c->chain[k].at - c->place) / c->stride, first = k * c->nodes;

        c->chain[k].at = c->place + CHAINS_OTHER + (first + c->before[i]) * c->stride;
    }
}

int chains_walk(struct run *r, const struct chase *how, uint64_t hops)
{
    struct chase walk = *how;
    uint64_t *total = xcalloc(how->nchain, sizeof *total);
    int failed = 0;

    walk.record = CHASE_TOTAL;
    walk.total = total;
    walk.warm = 0;
    for (uint64_t done = 0; done < hops && !failed && !run_stopped(); done += walk.hops) {
        walk.hops = hops - done < LAUNCH_HOPS ? hops - done : LAUNCH_HOPS;
        failed = r->dev->ops->chase(r->dev, &walk);
    }
    free(total);
    return failed;
}

/* n / p for every prime p that divides n, rising, and n itself. */
static size_t stops_of(uint64_t n, uint64_t *stop)
{
    uint64_t left = n, prime[MAX_STOPS];
    size_t nprime = 0;

    for (uint64_t p = 2; p * p <= left; p++)
        if (left % p == 0) {
            prime[nprime++] = p;
            while (left % p == 0)
                left /= p;
        }
    if (left > 1)
        prime[nprime++] = left;
    for (size_t i = 0; i < nprime; i++)
        stop[i] = n / prime[nprime - 1 - i];
    stop[nprime] = n;
    return nprime + 1;
}

int chains_verify(struct run *r, struct chains *c, const struct chase *how)
{
    uint64_t stop[MAX_STOPS], done = 0;
    size_t nstop = stops_of(c->nodes, stop);
    uint64_t *start = xcalloc(c->n, sizeof *start);
    int failed = 0;

    for (size_t k = 0; k < c->n; k++)
        start[k] = c->chain[k].at;
    for (size_t i = 0; i < nstop && !failed; i++) {
        failed = chains_walk(r, how, stop[i] - done);
        done = stop[i];
        for (size_t k = 0; k < c->n && !failed && !run_stopped(); k++)
            if ((c->chain[k].at == start[k]) != (stop[i] == c->nodes))
                failed = device_fail(
                    r->dev,
                    "chain %zu of %zu nodes is no single cycle: %s its start after %" PRIu64
                    " hops",
                    k, c->nodes, stop[i] == c->nodes ? "not at" : "at", stop[i]);
    }
    free(start);
    return failed;
}
