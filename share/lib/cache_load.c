/* Loads on the cache model: finding a line, copies of far lines. */
#include "cache_fill.h"

#define THERE 0x80000000u /* of flags: the side asked first has the line */

/* A load that goes on to the line's home on another side; the way of the SM's own side that has the line, or `ways`. */
static HOT void load_far(struct cache *c, struct set own, struct cache_ref r, unsigned way,
                         uint32_t sectors, uint32_t fetch, unsigned flags, struct cache_answer *a)
{
    struct set home = set_at(c, own.is, r.at.side, r.at.set);
    unsigned ways = own.is.ways, at_home = set_way(home, r.line);
    uint32_t get;
    bool hit, touched;

    if (c->chip.copy_fetch && !(flags & CACHE_QUIET))
        sectors = set_fetched(c, sectors, fetch);
    at_home = set_read_home(c, home, r, at_home, sectors, fetch, flags, a, &hit);
    a->level = hit ? CACHE_REMOTE : CACHE_DRAM_REMOTE;
    if (at_home == ways)
        return;
    get = set_fetched(c, sectors, fetch) & home.state[at_home] & SECTORS;
    touched = home.state[at_home] & TOUCHED;
    home.state[at_home] |= TOUCHED;
    /* The home's eviction may have dropped the copy that was there. */
    way = way < ways && own.tag[way] == r.line ? way : ways;
    if (way == ways) {
        if (flags & CACHE_QUIET || (c->chip.copies == COPIES_SECOND && !touched))
            return;
        way = set_fill(c, own, r, flags | (c->chip.copy_insert == INSERT_LRU ? CACHE_LOW : 0), a);
        own.state[way] |= COPY;
        c->count.copies++;
    }
    own.state[way] = (uint16_t)(own.state[way] | get);
}

/* Every load but the hits of `load`. */
static HOT struct cache_answer miss(struct cache *c, struct shape is, struct cache_ref r,
                                    unsigned side, uint32_t sectors, uint32_t fetch, unsigned flags)
{
    bool far = side != r.at.side, copied = far && c->copies, hit;
    struct set s = set_at(c, is, c->copies ? side : r.at.side, r.at.set);
    unsigned way = flags & THERE ? set_way(s, r.line) : is.ways;
    struct cache_answer a = {CACHE_LOCAL, 0};

    if (!copied) {
        set_read_home(c, s, r, way, sectors, fetch, flags, &a, &hit);
        a.level = (uint64_t)((hit ? CACHE_LOCAL : CACHE_DRAM) + far);
        return a;
    }
    if (way < is.ways) {
        set_touch(c, s, way);
        if ((s.state[way] & sectors) == sectors)
            return a;
    }
    c->far_missed = true;
    load_far(c, s, r, way, sectors, fetch, flags, &a);
    return a;
}

/* `used`, so that gcc passes the arguments on as they are, not the parts of `r` one by one. */
#define ARGUMENTS                                                                                  \
    struct cache *c, struct cache_ref r, unsigned side, uint32_t sectors, uint32_t fetch,          \
        unsigned flags

static __attribute__((noinline, used)) struct cache_answer miss_usual(ARGUMENTS)
{
    return miss(c, USUAL, r, side, sectors, fetch, flags);
}

static __attribute__((noinline, used)) struct cache_answer miss_any(ARGUMENTS)
{
    return miss(c, shape_of(c), r, side, sectors, fetch, flags);
}

/* A hit under LRU ends here; it needs no call, and so no room on the stack. */
static HOT struct cache_answer load(struct shape is, ARGUMENTS)
{
    bool far = side != r.at.side, copied = far && c->copies;
    struct set s = set_at(c, is, c->copies ? side : r.at.side, r.at.set);
    unsigned way = set_way(s, r.line);

    if (way == is.ways || (s.state[way] & sectors) != sectors || !is.lru) {
        flags |= way == is.ways ? 0 : THERE;
        return (is.usual ? miss_usual : miss_any)(c, r, side, sectors, fetch, flags);
    }
    c->far_missed &= !copied;
    policy_to_front(s.policy, way);
    return (struct cache_answer){far && !copied, 0};
}

static __attribute__((noinline)) struct cache_answer load_any(ARGUMENTS)
{
    return load(shape_of(c), c, r, side, sectors, fetch, flags);
}

struct cache_answer cache_load(ARGUMENTS)
{
    if (!c->usual)
        return load_any(c, r, side, sectors, fetch, flags);
    return load(USUAL, c, r, side, sectors, fetch, flags);
}
