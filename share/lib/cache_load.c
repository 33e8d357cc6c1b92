/* Loads on the cache model: finding a line, making room, copies of far lines. */
#include "cache_set.h"

/* The blocks of `fetch` bytes around sectors. */
static uint32_t widen(const struct cache *c, uint32_t sectors, uint32_t fetch)
{
    uint32_t n = c->chip.line >> c->sector_shift, group = fetch >> c->sector_shift, wide = 0;

    if (group <= 1)
        return sectors;
    if (group >= n)
        return (1u << n) - 1;
    for (uint32_t at = 0; at < n; at += group) {
        uint32_t block = ((1u << group) - 1) << at;

        wide |= sectors & block ? block : 0;
    }
    return wide;
}

void cache_fetch(struct cache *c, uint32_t bytes)
{
    c->chip.fetch = bytes;
    for (uint32_t sectors = 0; sectors <= SECTORS; sectors++)
        c->wide[sectors] = (uint8_t)widen(c, sectors, bytes);
}

uint32_t set_fetched(const struct cache *c, uint32_t sectors, uint32_t fetch)
{
    return fetch == 0 ? c->wide[sectors] : widen(c, sectors, fetch);
}

/* Writes back what is dirty; true if something was. */
bool set_clean(struct cache *c, uint16_t *state)
{
    uint32_t dirty = *state >> 4 & SECTORS;

    c->count.dram_write += sectors_in(dirty);
    *state &= (uint16_t)~DIRTY;
    return dirty != 0;
}

void set_take_out(struct cache *c, const struct set *s, unsigned way)
{
    s->tag[way] = EMPTY;
    s->state[way] = 0;
    --*s->held;
    c->policy.low(&c->policy, s->policy, c->chip.ways, way);
}

void set_drop_copies(struct cache *c, struct place at, uint32_t line, unsigned spared)
{
    for (unsigned side = 0; side < c->chip.sides; side++) {
        struct set s;
        unsigned w;

        if (side == at.side || side == spared)
            continue;
        s = set_at(c, side, at.set);
        w = set_find(s.tag, c->chip.ways, line);
        if (w < c->chip.ways) {
            set_take_out(c, &s, w);
            c->count.dropped++;
        }
    }
}

/* The next one in the order whose state has, of the bits of `mask`, some (`want`) or none; the victim when there is no such. */
static unsigned spare(const struct cache *c, const struct set *s, unsigned victim, unsigned mask,
                      bool want)
{
    unsigned ways = c->chip.ways;

    for (unsigned k = 0; k < ways; k++) {
        unsigned w = c->policy.list ? s->policy[ways - 1 - k] : (victim + k) % ways;

        if (((s->state[w] & mask) != 0) == want)
            return w;
    }
    return victim;
}

/* Another victim as chip.evict_first has it. FIRST_WASHED: a dirty one is written back and spared this once. */
static unsigned by_dirt(struct cache *c, const struct set *s, unsigned victim)
{
    unsigned way = spare(c, s, victim, DIRTY, c->chip.evict_first == FIRST_DIRTY);

    if (c->chip.evict_first == FIRST_WASHED && way != victim)
        set_clean(c, &s->state[victim]);
    return way;
}

static void evict(struct cache *c, const struct set *s, struct place at, unsigned way,
                  struct cache_answer *a)
{
    c->count.evicted++;
    a->dirty_victim = (uint8_t)(a->dirty_victim + set_clean(c, &s->state[way]));
    if (c->chip.copy_drop && !(s->state[way] & COPY) && c->chip.sides > 1) {
        at.side = (uint8_t)(s->number / c->nset);
        set_drop_copies(c, at, s->tag[way], at.side);
    }
}

static unsigned empty_way(const struct cache *c, const struct set *s)
{
    uint32_t empty = 0;

    for (unsigned w = 0; w < c->chip.ways; w++)
        empty |= (uint32_t)(s->tag[w] == EMPTY) << w;
    return policy_empty_way(&c->policy, empty);
}

static bool may_keep(const struct cache *c, const struct set *s)
{
    uint32_t kept = 0;

    for (unsigned w = 0; w < c->chip.ways; w++)
        kept += (s->state[w] & KEEP) != 0;
    return kept < c->keep_ways;
}

/* A way for a line that is not in the set. */
unsigned set_fill(struct cache *c, const struct set *s, struct cache_ref r, unsigned flags,
                  struct cache_answer *a)
{
    unsigned ways = c->chip.ways, way;
    uint32_t keep = flags & CACHE_KEEP && c->keep_ways > 0 && may_keep(c, s) ? KEEP : 0;

    if (*s->held < ways) {
        way = empty_way(c, s);
        ++*s->held;
    } else {
        way = c->lru ? s->policy[ways - 1] : c->policy.victim(&c->policy, s->policy, ways, &c->rng);
        if (c->chip.evict_first != FIRST_ANY)
            way = by_dirt(c, s, way);
        if (s->state[way] & KEEP)
            way = spare(c, s, way, KEEP, false);
        evict(c, s, r.at, way, a);
    }
    s->tag[way] = r.line;
    s->state[way] = (uint16_t)keep;
    if (c->lru)
        policy_to_front(s->policy, way);
    else
        c->policy.fill(&c->policy, s->policy, ways, way, &c->rng);
    if (flags & CACHE_LOW)
        c->policy.low(&c->policy, s->policy, ways, way);
    return way;
}

/* Makes sectors of the home line valid; *hit says whether they were. The way, or `ways` with CACHE_QUIET. */
unsigned set_read_home(struct cache *c, const struct set *s, struct cache_ref r, uint32_t sectors,
                       uint32_t fetch, unsigned flags, struct cache_answer *a, bool *hit)
{
    unsigned ways = c->chip.ways, way = set_find(s->tag, ways, r.line);
    uint32_t get;

    if (way < ways) {
        set_touch(c, s, way);
        *hit = (s->state[way] & sectors) == sectors;
        if (*hit)
            return way;
        a->sector_miss = 1;
    } else {
        *hit = false;
        if (flags & CACHE_QUIET) {
            c->count.dram_read += sectors_in(sectors);
            return ways;
        }
        way = set_fill(c, s, r, flags, a);
    }
    get = set_fetched(c, sectors, fetch) & ~(uint32_t)s->state[way] & SECTORS;
    c->count.dram_read += sectors_in(get);
    s->state[way] = (uint16_t)((s->state[way] | get) & ~(get << PARTIAL));
    return way;
}

/* A load of a line whose home is another side than the SM's, with copies. */
static void load_far(struct cache *c, struct cache_ref r, unsigned side, uint32_t sectors,
                     uint32_t fetch, unsigned flags, struct cache_answer *a)
{
    struct set own = set_at(c, side, r.at.set), home = set_at(c, r.at.side, r.at.set);
    unsigned ways = c->chip.ways, way = set_find(own.tag, ways, r.line), at_home;
    uint32_t get;
    bool hit, touched;

    if (way < ways) {
        set_touch(c, &own, way);
        c->far_missed = (own.state[way] & sectors) != sectors;
        if (!c->far_missed)
            return;
        a->sector_miss = 1;
    }
    c->far_missed = true;
    at_home = set_read_home(c, &home, r, sectors, fetch, flags, a, &hit);
    a->level = hit ? CACHE_REMOTE : CACHE_DRAM_REMOTE;
    if (at_home == ways)
        return;
    get = set_fetched(c, sectors, fetch) & home.state[at_home] & SECTORS;
    touched = home.state[at_home] & TOUCHED;
    home.state[at_home] |= TOUCHED;
    /* The home's eviction may have dropped the copy that was found above. */
    way = way < ways && own.tag[way] == r.line ? way : ways;
    if (way == ways) {
        if (flags & CACHE_QUIET || (c->chip.copies == COPIES_SECOND && !touched))
            return;
        way = set_fill(c, &own, r, flags | (c->chip.copy_insert == INSERT_LRU ? CACHE_LOW : 0), a);
        own.state[way] |= COPY;
        c->count.copies++;
    }
    own.state[way] = (uint16_t)(own.state[way] | get);
}

struct cache_answer cache_load(struct cache *c, struct cache_ref r, unsigned side, uint32_t sectors,
                               uint32_t fetch, unsigned flags)
{
    struct cache_answer a = {CACHE_LOCAL, 0, 0};
    struct set home;
    bool hit;

    if (side != r.at.side && c->chip.copies != COPIES_NEVER) {
        load_far(c, r, side, sectors, fetch, flags, &a);
        return a;
    }
    home = set_at(c, r.at.side, r.at.set);
    set_read_home(c, &home, r, sectors, fetch, flags, &a, &hit);
    return (struct cache_answer){(uint8_t)((hit ? CACHE_LOCAL : CACHE_DRAM) + (side != r.at.side)),
                                 a.sector_miss, a.dirty_victim};
}
