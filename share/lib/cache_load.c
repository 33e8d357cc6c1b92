/* Loads on the cache model: finding a line, making room, copies of far lines. */
#include "cache_set.h"

/* All that a miss passes through is one function for the compiler, so that its arguments stay in registers. */
#define HOT   inline __attribute__((always_inline))
#define THERE 0x80000000u /* of flags: the side asked first has the line */

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

static inline uint32_t fetched(const struct cache *c, uint32_t sectors, uint32_t fetch)
{
    return fetch == 0 ? c->wide[sectors] : widen(c, sectors, fetch);
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

/* A dirty victim, or one to be kept, or where dirty ones go first. */
static __attribute__((noinline)) unsigned other_victim(struct cache *c, const struct set *s,
                                                       unsigned way)
{
    if (c->chip.evict_first != FIRST_ANY)
        way = by_dirt(c, s, way);
    return s->state[way] & KEEP ? spare(c, s, way, KEEP, false) : way;
}

static HOT void evict(struct cache *c, const struct set *s, struct place at, unsigned way,
                      struct cache_answer *a)
{
    c->count.evicted++;
    if (s->state[way] & DIRTY)
        a->dirty_victim = (uint8_t)(a->dirty_victim + set_clean(c, &s->state[way]));
    if (c->drops && !(s->state[way] & COPY)) {
        at.side = (uint8_t)(s->number / c->nset);
        set_drop_copies(c, at, s->tag[way], at.side);
    }
}

static unsigned empty_way(const struct cache *c, const struct set *s)
{
    uint32_t all = (uint32_t)((1ull << c->chip.ways) - 1);

    return policy_empty_way(&c->policy, set_ways_of(s->tag, c->chip.ways, EMPTY) & all);
}

static bool may_keep(const struct cache *c, const struct set *s)
{
    uint32_t kept = 0;

    for (unsigned w = 0; w < c->chip.ways; w++)
        kept += (s->state[w] & KEEP) != 0;
    return kept < c->keep_ways;
}

/* The victim of a full set. */
static HOT unsigned victim(struct cache *c, const struct set *s)
{
    unsigned ways = c->chip.ways, way;

    way = c->lru ? s->policy[ways - 1] : c->policy.victim(&c->policy, s->policy, ways, &c->rng);
    return s->state[way] & (DIRTY | KEEP) || c->dirty_first ? other_victim(c, s, way) : way;
}

static HOT unsigned fill(struct cache *c, const struct set *s, struct cache_ref r, unsigned flags,
                         struct cache_answer *a)
{
    unsigned ways = c->chip.ways, way;
    uint32_t keep = flags & CACHE_KEEP && c->keep_ways > 0 && may_keep(c, s) ? KEEP : 0;

    if (*s->held < ways) {
        way = empty_way(c, s);
        ++*s->held;
    } else {
        way = victim(c, s);
        evict(c, s, r.at, way, a);
    }
    s->tag[way] = r.line;
    s->state[way] = (uint16_t)keep;
    if (!c->lru)
        c->policy.fill(&c->policy, s->policy, ways, way, &c->rng);
    else if (s->policy[ways - 1] == way)
        policy_last_to_front(s->policy, ways);
    else
        policy_to_front(s->policy, way);
    if (flags & CACHE_LOW)
        c->policy.low(&c->policy, s->policy, ways, way);
    return way;
}

unsigned set_fill(struct cache *c, const struct set *s, struct cache_ref r, unsigned flags,
                  struct cache_answer *a)
{
    return fill(c, s, r, flags, a);
}

/* The way is where the line was found, or `ways`. */
static HOT unsigned read_home(struct cache *c, const struct set *s, struct cache_ref r,
                              unsigned way, uint32_t sectors, uint32_t fetch, unsigned flags,
                              struct cache_answer *a, bool *hit)
{
    unsigned ways = c->chip.ways;
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
        way = fill(c, s, r, flags, a);
    }
    get = fetched(c, sectors, fetch) & ~(uint32_t)s->state[way] & SECTORS;
    c->count.dram_read += sectors_in(get);
    s->state[way] = (uint16_t)((s->state[way] | get) & ~(get << PARTIAL));
    return way;
}

unsigned set_read_home(struct cache *c, const struct set *s, struct cache_ref r, uint32_t sectors,
                       uint32_t fetch, unsigned flags, struct cache_answer *a, bool *hit)
{
    return read_home(c, s, r, set_find(s->tag, c->chip.ways, r.line), sectors, fetch, flags, a,
                     hit);
}

/* A load that goes on to the line's home on another side; the way of the SM's own side that has the line, or `ways`. */
static HOT void load_far(struct cache *c, const struct set *own, struct cache_ref r, unsigned way,
                         uint32_t sectors, uint32_t fetch, unsigned flags, struct cache_answer *a)
{
    struct set home = set_at(c, r.at.side, r.at.set);
    unsigned ways = c->chip.ways, at_home = set_find(home.tag, ways, r.line);
    uint32_t get;
    bool hit, touched;

    if (c->chip.copy_fetch && !(flags & CACHE_QUIET))
        sectors = fetched(c, sectors, fetch);
    at_home = read_home(c, &home, r, at_home, sectors, fetch, flags, a, &hit);
    a->level = hit ? CACHE_REMOTE : CACHE_DRAM_REMOTE;
    if (at_home == ways)
        return;
    get = fetched(c, sectors, fetch) & home.state[at_home] & SECTORS;
    touched = home.state[at_home] & TOUCHED;
    home.state[at_home] |= TOUCHED;
    /* The home's eviction may have dropped the copy that was there. */
    way = way < ways && own->tag[way] == r.line ? way : ways;
    if (way == ways) {
        if (flags & CACHE_QUIET || (c->chip.copies == COPIES_SECOND && !touched))
            return;
        way = fill(c, own, r, flags | (c->chip.copy_insert == INSERT_LRU ? CACHE_LOW : 0), a);
        own->state[way] |= COPY;
        c->count.copies++;
    }
    own->state[way] = (uint16_t)(own->state[way] | get);
}

/* Every load but the hits of cache_load. */
static __attribute__((noinline)) struct cache_answer load(struct cache *c, struct cache_ref r,
                                                          unsigned side, uint32_t sectors,
                                                          uint32_t fetch, unsigned flags)
{
    bool far = side != r.at.side, copied = far && c->chip.copies != COPIES_NEVER, hit;
    struct set s = set_at(c, copied ? side : r.at.side, r.at.set);
    unsigned ways = c->chip.ways, way = flags & THERE ? set_find(s.tag, ways, r.line) : ways;
    struct cache_answer a = {CACHE_LOCAL, 0, 0};

    if (!copied) {
        read_home(c, &s, r, way, sectors, fetch, flags, &a, &hit);
        a.level = (uint8_t)((hit ? CACHE_LOCAL : CACHE_DRAM) + far);
        return a;
    }
    if (way < ways) {
        set_touch(c, &s, way);
        if ((s.state[way] & sectors) == sectors)
            return a;
        a.sector_miss = 1;
    }
    c->far_missed = true;
    load_far(c, &s, r, way, sectors, fetch, flags, &a);
    return a;
}

/* A hit under LRU ends here; it needs no call, and so no room on the stack. */
struct cache_answer cache_load(struct cache *c, struct cache_ref r, unsigned side, uint32_t sectors,
                               uint32_t fetch, unsigned flags)
{
    bool far = side != r.at.side, copied = far && c->chip.copies != COPIES_NEVER;
    struct set s = set_at(c, copied ? side : r.at.side, r.at.set);
    unsigned way = set_find(s.tag, c->chip.ways, r.line);

    if (way == c->chip.ways)
        return load(c, r, side, sectors, fetch, flags);
    if ((s.state[way] & sectors) != sectors || !c->lru)
        return load(c, r, side, sectors, fetch, flags | THERE);
    c->far_missed &= !copied;
    policy_to_front(s.policy, way);
    return (struct cache_answer){(uint8_t)(far && !copied), 0, 0};
}
