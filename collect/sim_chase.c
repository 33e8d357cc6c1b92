/* Pointer chases on the model. The order of a chase does not depend on what the cache answers, so lines are looked up
 * some hops ahead and the host's caches asked for their sets. */
#include "sim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"

enum { AHEAD = 32 };

static bool overlap(const struct sim_link *l, uint64_t base, uint64_t stride, size_t n)
{
    if (base >= l->base + l->n * l->stride || l->base >= base + n * stride)
        return false;
    return l->stride != stride || (base > l->base ? base - l->base : l->base - base) % stride < 8;
}

int sim_link(struct device *d, uint64_t base, uint64_t stride, const uint32_t *next, size_t n)
{
    struct sim *s = sim_of(d);
    struct sim_link *l;

    if (sim_begin(s, "link") != 0 || sim_inside(s, "link", base, n ? (n - 1) * stride + 8 : 0) != 0)
        return -1;
    if (stride < 8 || base % 8 != 0 || stride % 8 != 0)
        return device_fail(d, "link: base and stride must be multiples of 8: %" PRIu64 " %" PRIu64,
                           base, stride);
    for (size_t i = 0; i < s->nlink;) {
        if (overlap(&s->link[i], base, stride, n)) {
            free(s->link[i].next);
            s->link[i] = s->link[--s->nlink];
        } else {
            i++;
        }
    }
    s->link = xgrow(s->link, s->nlink, &s->linkcap, sizeof *s->link);
    l = &s->link[s->nlink++];
    *l = (struct sim_link){base, stride, xmalloc((n ? n : 1) * sizeof *next), n};
    memcpy(l->next, next, n * sizeof *next);
    return 0;
}

/* The links that have a node at this offset, or NULL and an error. */
static const struct sim_link *link_at(struct sim *s, const char *operation, uint64_t offset)
{
    for (size_t i = 0; i < s->nlink; i++) {
        const struct sim_link *l = &s->link[i];

        if (offset >= l->base && (offset - l->base) % l->stride == 0 &&
            (offset - l->base) / l->stride < l->n)
            return l;
    }
    device_fail(&s->dev, "%s: no pointer at offset %" PRIu64, operation, offset);
    return NULL;
}

int sim_cycle_length(struct device *d, uint64_t start, uint64_t most, uint64_t *length)
{
    struct sim *s = sim_of(d);
    const struct sim_link *l;
    uint64_t n = 0, first, at;

    if (sim_begin(s, "cycle_length") != 0 || (l = link_at(s, "cycle_length", start)) == NULL)
        return -1;
    first = at = (start - l->base) / l->stride;
    do {
        at = l->next[at];
        n++;
    } while (at != first && n < most && at < l->n);
    if (at >= l->n)
        return device_fail(d, "cycle_length: a pointer leaves its nodes");
    *length = n;
    return 0;
}

/* One chain of a chase under way. */
struct runner {
    struct sim_walker w;
    const struct sim_link *link;
    struct l1 l1;
    uint64_t at; /* node */
};

/* The next `hops` lines of each chain, the host's caches warned. */
static void look_ahead(struct sim *s, struct runner *r, size_t n, size_t hops,
                       struct cache_ref *ref, uint64_t *offset)
{
    for (size_t h = 0; h < hops; h++)
        for (size_t i = 0; i < n; i++) {
            size_t k = h * n + i;

            offset[k] = r[i].link->base + r[i].at * r[i].link->stride;
            ref[k] = cache_ref(&s->cache, offset[k]);
            cache_prefetch(&s->cache, ref[k], r[i].w.side);
            r[i].at = r[i].link->next[r[i].at];
        }
}

struct recorder {
    struct chase *c;
    bool on;
    uint64_t hop;
};

static void record(struct recorder *r, size_t chain, uint32_t cycles)
{
    if (!r->on)
        return;
    if (r->c->record == CHASE_TOTAL) {
        r->c->total[chain] += cycles;
        return;
    }
    if (r->c->bins != NULL)
        r->c->bins[chain * CHASE_BINS + (cycles < CHASE_BINS ? cycles : CHASE_BINS - 1)]++;
    if (r->c->each != NULL)
        r->c->each[r->hop] = cycles;
}

static void run(struct sim *s, struct runner *r, struct recorder *rec, uint64_t hops)
{
    struct chase *c = rec->c;
    size_t n = c->nchain, block = AHEAD / n > 1 ? AHEAD / n : 1;
    struct cache_ref *ref = xmalloc(block * n * sizeof *ref);
    uint64_t *offset = xmalloc(block * n * sizeof *offset);
    uint32_t timer = c->record == CHASE_EACH ? s->cache.chip.timer : 0;

    for (uint64_t done = 0; done < hops; done += block) {
        block = hops - done < block ? (size_t)(hops - done) : block;
        look_ahead(s, r, n, block, ref, offset);
        for (size_t k = 0; k < block * n; k++) {
            size_t i = k % n;
            uint32_t sectors = cache_sectors(&s->cache, offset[k], 8);

            rec->hop = done + k / n;
            record(rec, i, timer + sim_load(s, &r[i].w, c->kind, offset[k], ref[k], sectors));
        }
    }
    free(ref);
    free(offset);
}

static int check(struct sim *s, const struct chase *c, struct runner *r)
{
    if (!sim_is_load(c->kind))
        return device_fail(&s->dev, "chase: not a load: kind %d", (int)c->kind);
    if (c->each != NULL && (c->nchain != 1 || c->hops > 1 << 20))
        return device_fail(&s->dev, "chase: single hops are kept of one chain, at most 1048576");
    for (size_t i = 0; i < c->nchain; i++) {
        if (sim_sm(s, "chase", c->chain[i].sm) != 0)
            return -1;
        r[i].w = sim_walker(s, c->chain[i].sm);
        r[i].link = link_at(s, "chase", c->chain[i].at);
        if (r[i].link == NULL)
            return -1;
        r[i].at = (c->chain[i].at - r[i].link->base) / r[i].link->stride;
    }
    return 0;
}

int sim_chase(struct device *d, struct chase *c)
{
    struct sim *s = sim_of(d);
    struct runner *r;
    struct recorder rec = {c, false, 0};
    int status;

    if (sim_begin(s, "chase") != 0)
        return -1;
    if (c->nchain == 0)
        return 0;
    r = xcalloc(c->nchain, sizeof *r);
    status = check(s, c, r);
    for (size_t i = 0; status == 0 && c->kind == L2_LD_CA && i < c->nchain; i++) {
        l1_init(&r[i].l1, &s->cache.chip);
        l1_reset(&r[i].l1, &s->cache.chip, c->carveout);
        r[i].w.l1 = &r[i].l1;
    }
    if (status == 0) {
        run(s, r, &rec, c->warm);
        rec.on = true;
        for (size_t i = 0; c->record == CHASE_TOTAL && i < c->nchain; i++)
            c->total[i] = s->cache.chip.timer;
        run(s, r, &rec, c->hops);
    }
    for (size_t i = 0; i < c->nchain; i++) {
        if (status == 0)
            c->chain[i].at = r[i].link->base + r[i].at * r[i].link->stride;
        l1_free(&r[i].l1);
    }
    free(r);
    return status;
}
