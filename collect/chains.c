/* One Hamiltonian cycle a chain (Sattolo's algorithm, or page by page), verified where it will be walked. */
#include "chains.h"
#include "../share/lib/mem.h"

#include <inttypes.h>
#include <stdlib.h>

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

int chains_build(struct run *r, struct chains *c, uint64_t at)
{
    for (size_t k = 0; k < c->n; k++) {
        uint64_t base = k * c->nodes * c->stride + at, length;

        make_cycle(r, c);
        if (r->dev->ops->link(r->dev, base, c->stride, c->next, c->nodes) != 0 ||
            r->dev->ops->cycle_length(r->dev, base, c->nodes + 1, &length) != 0)
            return -1;
        if (length != c->nodes)
            return device_fail(
                r->dev, "the chain at %" PRIu64 " is no single cycle: %" PRIu64 " hops, not %zu",
                base, length, c->nodes);
        c->chain[k].at = base;
    }
    return 0;
}
