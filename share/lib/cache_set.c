/* What few accesses to a set of the cache model come to: another victim, lines taken out, wider fetches. */
#include "cache_fill.h"

uint32_t set_widen(const struct cache *c, uint32_t sectors, uint32_t fetch)
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

void set_take_out(struct cache *c, uint64_t number, unsigned way)
{
    struct set s = set_numbered(c, shape_of(c), number);

    *s.dirty = (uint8_t)(*s.dirty - ((s.state[way] & DIRTY) != 0));
    s.tag[way] = EMPTY;
    s.state[way] = 0;
    --*s.held;
    c->policy.low(&c->policy, s.policy, s.is.ways, way);
}

void set_drop_copies(struct cache *c, struct place at, uint32_t line, unsigned spared)
{
    drop_copies(c, shape_of(c), at, line, spared);
}

/* The next one in the order whose state has, of the bits of `mask`, some (`want`) or none; the victim when there is no such. */
static unsigned spare(const struct cache *c, struct set s, unsigned victim, unsigned mask,
                      bool want)
{
    unsigned ways = s.is.ways;

    for (unsigned k = 0; k < ways; k++) {
        unsigned w = c->policy.list ? s.policy[ways - 1 - k] : (victim + k) % ways;

        if (((s.state[w] & mask) != 0) == want)
            return w;
    }
    return victim;
}

/* Another victim as chip.evict_first has it. FIRST_WASHED: a dirty one is written back and spared this once. */
static unsigned by_dirt(struct cache *c, struct set s, unsigned victim)
{
    unsigned way = spare(c, s, victim, DIRTY, c->chip.evict_first == FIRST_DIRTY);

    if (c->chip.evict_first == FIRST_WASHED && way != victim)
        set_clean(c, s, victim);
    return way;
}

unsigned set_other_victim(struct cache *c, uint64_t number, unsigned way)
{
    struct set s = set_numbered(c, shape_of(c), number);

    if (c->chip.evict_first != FIRST_ANY)
        way = by_dirt(c, s, way);
    return s.state[way] & KEEP ? spare(c, s, way, KEEP, false) : way;
}

bool set_may_keep(const struct cache *c, uint64_t number)
{
    struct set s = set_numbered(c, shape_of(c), number);
    uint32_t kept = 0;

    for (unsigned w = 0; w < s.is.ways; w++)
        kept += (s.state[w] & KEEP) != 0;
    return kept < c->keep_ways;
}
