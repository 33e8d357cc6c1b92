/* Pointer chases on the model. The order of a chase does not depend on what the cache answers, so link looks up the
 * lines, and a chase asks the host's caches for the sets some hops ahead. */
#include "sim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"

enum { AHEAD = 12 };

static bool overlap(const struct sim_link *l, uint64_t base, uint64_t stride, size_t n)
{
    if (base >= l->base + l->n * l->stride || l->base >= base + n * stride)
        return false;
    return l->stride != stride || (base > l->base ? base - l->base : l->base - base) % stride < 8;
}

void sim_link_free(struct sim_link *l)
{
    if (l->before != NULL) {
        sim_link_free(l->before);
        free(l->before);
    }
    free(l->next);
    free(l->stop);
    free(l->place);
    *l = (struct sim_link){0};
}

static void put_in_order(const struct sim *s, struct sim_link *l)
{
    size_t n = 0;

    memset(l->place, 0xff, l->n * sizeof *l->place);
    for (size_t first = 0; first < l->n; first++) {
        if (l->place[first] != UINT32_MAX)
            continue;
        for (uint32_t k = (uint32_t)first; l->place[k] == UINT32_MAX; k = l->next[k]) {
            l->place[k] = (uint32_t)n;
            l->stop[n].ref = cache_ref(&s->cache, l->base + k * l->stride);
            l->stop[n].last = 0;
            l->stop[n++].node = k & 0x7fffffff;
        }
        l->stop[n - 1].last = 1;
    }
}

static int check_link(struct sim *s, uint64_t base, uint64_t stride, const uint32_t *next, size_t n)
{
    if (stride < 8 || base % 8 != 0 || stride % 8 != 0)
        return device_fail(&s->dev,
                           "link: base and stride must be multiples of 8: %" PRIu64 " %" PRIu64,
                           base, stride);
    if (n == 0 || n >= 1u << 31)
        return device_fail(&s->dev, "link: %zu nodes", n);
    for (size_t i = 0; i < n; i++)
        if (next[i] >= n)
            return device_fail(&s->dev, "link: node %zu points to %u of %zu", i, next[i], n);
    return sim_inside(s, "link", base, (n - 1) * stride + 8);
}

/* A few pointers at one place within a line are kept when others are written over them. The model holds no data: what
 * was there before counts as written back, what is there now as dirty if its line is. */
static struct sim_link *set_aside(const struct sim *s, const struct sim_link *l, uint64_t base)
{
    struct sim_link *before;

    if (l->base != base || l->n * l->stride > s->cache.chip.line)
        return NULL;
    before = xmalloc(sizeof *before);
    *before = *l;
    if (before->before != NULL) {
        sim_link_free(before->before);
        free(before->before);
    }
    before->before = NULL;
    return before;
}

void sim_discard(struct sim *s, uint64_t offset)
{
    uint32_t line = s->cache.chip.line;
    struct cache_ref r = cache_ref(&s->cache, offset);
    bool dirty = cache_state(&s->cache, r, r.at.side) >> 4 != 0;

    cache_discard(&s->cache, r);
    for (size_t i = 0; i < s->nlink && dirty; i++) {
        struct sim_link *before = s->link[i].before;

        if (before == NULL || s->link[i].base / line != offset / line)
            continue;
        s->link[i].before = NULL;
        sim_link_free(&s->link[i]);
        s->link[i] = *before;
        free(before);
    }
}

/* What was linked where the new pointers are is gone, or set aside. */
static void link_nodes(struct sim *s, uint64_t base, uint64_t stride, const uint32_t *next,
                       size_t n)
{
    struct sim_link *l, *before = NULL;
    size_t kept = 0;

    for (size_t i = 0; i < s->nlink; i++) {
        struct sim_link *old = &s->link[i];

        if (!overlap(old, base, stride, n))
            s->link[kept++] = *old;
        else if (before != NULL || (before = set_aside(s, old, base)) == NULL)
            sim_link_free(old);
    }
    s->nlink = kept;
    s->link = xgrow(s->link, s->nlink, &s->linkcap, sizeof *s->link);
    l = &s->link[s->nlink++];
    *l = (struct sim_link){base,
                           stride,
                           xmalloc(n * sizeof *l->stop),
                           xmalloc(n * sizeof *next),
                           xmalloc(n * sizeof *next),
                           n,
                           before};
    memcpy(l->next, next, n * sizeof *next);
    put_in_order(s, l);
}

int sim_link(struct device *d, uint64_t base, uint64_t stride, const uint32_t *next, size_t n)
{
    struct sim *s = sim_of(d);

    if (sim_begin(s, "link") != 0 || check_link(s, base, stride, next, n) != 0)
        return -1;
    link_nodes(s, base, stride, next, n);
    return 0;
}

void sim_zero(struct sim *s, uint64_t offset)
{
    static const uint32_t self[] = {0};

    for (size_t i = 0; i < s->nlink; i++)
        if (s->link[i].base == offset && s->link[i].n > 1) {
            link_nodes(s, offset, s->link[i].stride, self, 1);
            return;
        }
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

/* From place to place along the pointers. */
static uint64_t step(const struct sim_link *l, uint64_t place)
{
    return l->stop[place].last ? l->place[l->next[l->stop[place].node]] : place + 1;
}

static uint64_t offset_of(const struct sim_link *l, uint64_t place)
{
    return l->base + l->stop[place].node * l->stride;
}

int sim_cycle_length(struct device *d, uint64_t start, uint64_t most, uint64_t *length)
{
    struct sim *s = sim_of(d);
    const struct sim_link *l;
    uint64_t n = 0, first, at;

    if (sim_begin(s, "cycle_length") != 0 || (l = link_at(s, "cycle_length", start)) == NULL)
        return -1;
    first = at = l->place[(start - l->base) / l->stride];
    do {
        at = step(l, at);
        n++;
    } while (at != first && n < most);
    *length = n;
    return 0;
}

/* One chain of a chase under way. */
struct runner {
    struct sim_walker w;
    const struct sim_link *link;
    struct l1 l1;
    uint64_t at; /* place in link->stop */
};

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

/* One hop of one chain; the host's caches are asked for what comes AHEAD hops later. */
static uint32_t hop(struct sim *s, struct runner *r, uint32_t kind)
{
    const struct sim_link *l = r->link;
    uint64_t place = r->at, ahead = place + AHEAD < l->n ? place + AHEAD : place;
    uint64_t offset = offset_of(l, place);

    cache_prefetch(&s->cache, l->stop[ahead].ref, r->w.side);
    r->at = step(l, place);
    return sim_load(s, &r->w, kind, offset, l->stop[place].ref,
                    cache_sectors(&s->cache, offset, 8));
}

static void run(struct sim *s, struct runner *r, struct recorder *rec, uint64_t hops)
{
    struct chase *c = rec->c;
    uint32_t timer = c->record == CHASE_EACH ? s->cache.chip.timer : 0;

    for (rec->hop = 0; rec->hop < hops; rec->hop++)
        for (size_t i = 0; i < c->nchain; i++)
            record(rec, i, timer + hop(s, &r[i], c->kind));
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
        r[i].at = r[i].link->place[(c->chain[i].at - r[i].link->base) / r[i].link->stride];
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
            c->chain[i].at = offset_of(r[i].link, r[i].at);
        l1_free(&r[i].l1);
    }
    free(r);
    return status;
}
