/* Fully associative sides: a doubly linked list of the buffer's lines each. Policies other than LRU, insertion of copies
 * at the low end and the cap of dirty lines are left out; a store of a part of a sector counts as the whole of it. */
#include "ideal.h"

#include <stdlib.h>

#include "../share/lib/mem.h"

#define SECTORS 0xfu
#define DIRTY   4
#define HERE    (1u << 8)
#define COPY    (1u << 9)
#define TOUCHED (1u << 10)

void ideal_init(struct ideal *m, const struct chip *chip, uint64_t lines)
{
    *m = (struct ideal){.chip = chip, .lines = lines};
    m->most = (uint64_t)chip->slices * chip->sets * chip->ways;
    for (unsigned s = 0; s < chip->sides; s++) {
        struct ideal_side *d = &m->side[s];

        d->newer = xcalloc(lines + 1, sizeof *d->newer);
        d->older = xcalloc(lines + 1, sizeof *d->older);
        d->state = xcalloc(lines, sizeof *d->state);
        d->newer[lines] = d->older[lines] = (uint32_t)lines;
    }
}

void ideal_free(struct ideal *m)
{
    for (unsigned s = 0; s < CHIP_SIDES; s++) {
        free(m->side[s].newer);
        free(m->side[s].older);
        free(m->side[s].state);
    }
}

static void take_out(struct ideal_side *d, uint32_t line)
{
    d->older[d->newer[line]] = d->older[line];
    d->newer[d->older[line]] = d->newer[line];
}

static void to_front(struct ideal_side *d, uint32_t line, uint32_t end)
{
    uint32_t newest = d->older[end];

    d->older[line] = newest;
    d->newer[line] = end;
    d->newer[newest] = line;
    d->older[end] = line;
}

static void drop(struct ideal_side *d, uint32_t line)
{
    take_out(d, line);
    d->state[line] = 0;
    d->held--;
}

static void drop_copies(struct ideal *m, uint32_t line, unsigned home)
{
    for (unsigned s = 0; s < m->chip->sides; s++)
        if (s != home && m->side[s].state[line] & HERE) {
            drop(&m->side[s], line);
            m->count.dropped++;
        }
}

static unsigned bits(uint32_t sectors)
{
    return (unsigned)__builtin_popcount(sectors & SECTORS);
}

/* The line at the front of a side; the oldest one leaves for it when it was not there. Whether it was. */
static bool touch(struct ideal *m, unsigned side, uint32_t line, uint32_t as,
                  struct cache_answer *a)
{
    struct ideal_side *d = &m->side[side];
    uint32_t end = (uint32_t)m->lines, oldest;

    if (d->state[line] & HERE) {
        take_out(d, line);
        to_front(d, line, end);
        return true;
    }
    if (d->held == m->most) {
        oldest = d->newer[end];
        m->count.evicted++;
        m->count.dram_write += bits(d->state[oldest] >> DIRTY);
        a->dirty_victim += (d->state[oldest] >> DIRTY & SECTORS) != 0;
        if (m->chip->copy_drop && !(d->state[oldest] & COPY))
            drop_copies(m, oldest, side);
        drop(d, oldest);
    }
    to_front(d, line, end);
    d->state[line] = (uint16_t)(HERE | as);
    d->held++;
    return false;
}

/* The blocks of chip.fetch bytes around sectors. */
static uint32_t fetched(const struct chip *c, uint32_t sectors)
{
    uint32_t group = c->fetch / c->sector, n = c->line / c->sector, wide = sectors;

    for (uint32_t at = 0; group > 1 && at < n; at += group) {
        uint32_t block = ((1u << group) - 1) << at & ((1u << n) - 1);

        wide |= sectors & block ? block : 0;
    }
    return wide;
}

/* Makes sectors valid at home; whether they were. */
static bool read_home(struct ideal *m, uint32_t line, unsigned home, uint32_t sectors,
                      struct cache_answer *a)
{
    bool here = touch(m, home, line, 0, a);
    uint16_t *state = &m->side[home].state[line];
    uint32_t get;

    if (here && (*state & sectors) == sectors)
        return true;
    get = fetched(m->chip, sectors) & ~(uint32_t)*state & SECTORS;
    m->count.dram_read += bits(get);
    *state = (uint16_t)(*state | get);
    return false;
}

struct cache_answer ideal_load(struct ideal *m, uint32_t line, unsigned home, unsigned side,
                               uint32_t sectors)
{
    struct cache_answer a = {CACHE_LOCAL, 0};
    struct ideal_side *own = &m->side[side], *at = &m->side[home];
    bool far = side != home, kept = far && m->chip->copies != COPIES_NEVER, hit, touched;

    if (kept && own->state[line] & HERE) {
        touch(m, side, line, COPY, &a);
        if ((own->state[line] & sectors) == sectors)
            return a;
    }
    if (kept && m->chip->copy_fetch)
        sectors = fetched(m->chip, sectors);
    hit = read_home(m, line, home, sectors, &a);
    a.level = (uint64_t)((hit ? CACHE_LOCAL : CACHE_DRAM) + far);
    if (!kept)
        return a;
    touched = at->state[line] & TOUCHED;
    at->state[line] |= TOUCHED;
    if (!(own->state[line] & HERE) && m->chip->copies == COPIES_SECOND && !touched)
        return a;
    m->count.copies += !touch(m, side, line, COPY, &a);
    own->state[line] =
        (uint16_t)(own->state[line] | (fetched(m->chip, sectors) & at->state[line] & SECTORS));
    return a;
}

struct cache_answer ideal_store(struct ideal *m, uint32_t line, unsigned home, unsigned side,
                                uint32_t first, uint32_t bytes)
{
    const struct chip *c = m->chip;
    uint32_t sectors = (2u << ((first + bytes - 1) / c->sector)) - (1u << (first / c->sector));
    struct cache_answer a = {CACHE_LOCAL, 0};
    uint16_t *state = &m->side[home].state[line];
    bool here = *state & HERE;

    a.level = (uint64_t)((here ? CACHE_LOCAL : CACHE_DRAM) + (side != home));
    if (side != home && c->copies != COPIES_NEVER && c->copy_store == STORE_KEEPS) {
        touch(m, side, line, COPY, &a);
        m->side[side].state[line] = (uint16_t)(m->side[side].state[line] | sectors);
    } else {
        drop_copies(m, line, home);
    }
    if (!here && c->write_allocate == ALLOCATE_NONE) {
        m->count.dram_write += bits(sectors);
        return a;
    }
    if (!here && c->write_allocate == ALLOCATE_FETCH)
        read_home(m, line, home, sectors, &a);
    else
        touch(m, home, line, 0, &a);
    *state = (uint16_t)(*state | sectors | (c->write_back ? sectors << DIRTY : 0));
    m->count.dram_write += c->write_back ? 0 : bits(sectors);
    return a;
}

struct cache_answer ideal_atomic(struct ideal *m, uint32_t line, unsigned home, unsigned side,
                                 uint32_t sectors)
{
    struct cache_answer a = {CACHE_LOCAL, 0};
    bool hit = read_home(m, line, home, sectors, &a);
    uint16_t *state = &m->side[home].state[line];

    a.level = (uint64_t)((hit ? CACHE_LOCAL : CACHE_DRAM) + (side != home));
    drop_copies(m, line, home);
    *state = (uint16_t)(*state | (m->chip->write_back ? sectors << DIRTY : 0));
    m->count.dram_write += m->chip->write_back ? 0 : bits(sectors);
    return a;
}
