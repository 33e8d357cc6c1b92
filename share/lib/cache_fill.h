/* Bringing a line into a set of the cache model: who leaves for it, and what is read. For cache*.c alone. */
#ifndef L2_CACHE_FILL_H
#define L2_CACHE_FILL_H

#include "cache_state.h"

/* The blocks of `fetch` bytes around sectors; 0: of chip.fetch. */
uint32_t set_widen(const struct cache *c, uint32_t sectors, uint32_t fetch);
/* The victim where the policy's is a dirty line, or one to be kept, or where dirty ones go first. */
unsigned set_other_victim(struct cache *c, uint64_t number, unsigned way);
bool set_may_keep(const struct cache *c, uint64_t number);

static inline uint32_t set_fetched(const struct cache *c, uint32_t sectors, uint32_t fetch)
{
    return fetch == 0 ? c->wide[sectors] : set_widen(c, sectors, fetch);
}

static HOT void set_evict(struct cache *c, struct set s, struct place at, unsigned way,
                          struct cache_answer *a)
{
    c->count.evicted++;
    a->dirty_victim += set_clean(c, s, way);
    if (c->drops && !(s.state[way] & COPY)) {
        at.side = (uint8_t)(s.number / c->nset);
        set_drop_copies(c, at, s.tag[way], at.side);
    }
}

/* The victim of a full set. */
static HOT unsigned set_victim(struct cache *c, struct set s)
{
    unsigned ways = s.is.ways, way;

    way = s.is.lru ? s.policy[ways - 1] : c->policy.victim(&c->policy, s.policy, ways, &c->rng);
    if (s.state[way] & (DIRTY | KEEP) || c->dirty_first)
        return set_other_victim(c, s.number, way);
    return way;
}

/* A way for a line that is not in the set. */
static HOT unsigned set_fill(struct cache *c, struct set s, struct cache_ref r, unsigned flags,
                             struct cache_answer *a)
{
    unsigned ways = s.is.ways, way;
    uint32_t keep = flags & CACHE_KEEP && c->keep_ways > 0 && set_may_keep(c, s.number) ? KEEP : 0;

    if (*s.held < ways) {
        way = set_empty_way(c, s);
        ++*s.held;
    } else {
        way = set_victim(c, s);
        set_evict(c, s, r.at, way, a);
    }
    s.tag[way] = r.line;
    s.state[way] = (uint16_t)keep;
    if (!s.is.lru)
        c->policy.fill(&c->policy, s.policy, ways, way, &c->rng);
    else if (s.policy[ways - 1] == way)
        policy_last_to_front(s.policy, ways);
    else
        policy_to_front(s.policy, way);
    if (flags & CACHE_LOW)
        c->policy.low(&c->policy, s.policy, ways, way);
    return way;
}

/* Makes sectors of the home line, found in `way` or (`ways`) not, valid; *hit: they were. The way, or `ways` with CACHE_QUIET. */
static HOT unsigned set_read_home(struct cache *c, struct set s, struct cache_ref r, unsigned way,
                                  uint32_t sectors, uint32_t fetch, unsigned flags,
                                  struct cache_answer *a, bool *hit)
{
    unsigned ways = s.is.ways;
    uint32_t get;

    if (way < ways) {
        set_touch(c, s, way);
        *hit = (s.state[way] & sectors) == sectors;
        if (*hit)
            return way;
    } else {
        *hit = false;
        if (flags & CACHE_QUIET) {
            c->count.dram_read += sectors_in(sectors);
            return ways;
        }
        way = set_fill(c, s, r, flags, a);
    }
    get = set_fetched(c, sectors, fetch) & ~(uint32_t)s.state[way] & SECTORS;
    c->count.dram_read += sectors_in(get);
    s.state[way] = (uint16_t)((s.state[way] | get) & ~(get << PARTIAL));
    return way;
}

#endif
