/* The cache model: memory, pages, and what is not an access. A load is in cache_load.c, stores in cache_write.c. */
#include "cache_set.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "cli.h"
#include "mem.h"

/* Large pages of the host, where it has them: sets are met in random order. */
static uint8_t *blocks(size_t bytes)
{
    size_t huge = 2u << 20, room = (bytes + huge - 1) / huge * huge;
    void *b = aligned_alloc(huge, room);

    if (b != NULL)
        (void)madvise(b, room, MADV_HUGEPAGE);
    return b;
}

static void layout(struct cache *c)
{
    uint32_t ways = c->chip.ways;

    c->policy_at = (ways + 7) / 8 * 32;
    c->held_at = c->policy_at + (ways + 7) / 8 * 8;
    c->state_at = c->held_at + 2;
    c->stride = (c->state_at + 2 * (size_t)ways + 63) / 64 * 64;
}

/* Parts of every line's place within a page, in two tables. */
static void tabulate(struct cache *c)
{
    uint32_t bits = c->page_shift - c->line_shift;

    c->low_bits = (bits + 1) / 2;
    c->low = xmalloc(sizeof *c->low << c->low_bits);
    c->high = xmalloc(sizeof *c->high << (bits - c->low_bits));
    for (uint64_t i = 0; i < 1ull << c->low_bits; i++)
        c->low[i] = place_within(&c->placer, i << c->line_shift);
    for (uint64_t i = 0; i < 1ull << (bits - c->low_bits); i++)
        c->high[i] = place_within(&c->placer, i << (c->line_shift + c->low_bits));
}

int cache_init(struct cache *c, const struct chip *chip, char *why, size_t why_size)
{
    memset(c, 0, sizeof *c);
    c->chip = *chip;
    if (policy_find(chip->policy, &c->policy) != 0 || placer_init(&c->placer, chip) != 0)
        return cli_why(why, why_size, "masks with too many runs of bits");
    c->nset = (uint64_t)chip->slices * chip->sets;
    layout(c);
    c->block = blocks(c->nset * chip->sides * c->stride);
    if (c->block == NULL)
        return cli_why(why, why_size, "no memory for %llu sets", (unsigned long long)c->nset);
    c->page_shift = (uint32_t)__builtin_ctzll(chip->page);
    c->line_shift = (uint32_t)__builtin_ctz(chip->line);
    c->sector_shift = (uint32_t)__builtin_ctz(chip->sector);
    tabulate(c);
    c->dirty_first = chip->evict_first == FIRST_DIRTY;
    c->drops = chip->copy_drop && chip->sides > 1;
    c->lru = strcmp(c->policy.name, "lru") == 0;
    cache_fetch(c, chip->fetch);
    rng_seed(&c->rng, chip->seed ^ 0x6361636865);
    cache_clear(c);
    return 0;
}

void cache_free(struct cache *c)
{
    free(c->block);
    free(c->frame);
    free(c->page);
    free(c->high);
    free(c->low);
    free(c->bytes);
    memset(c, 0, sizeof *c);
}

void cache_clear(struct cache *c)
{
    unsigned ways = c->chip.ways;

    for (unsigned side = 0; side < c->chip.sides; side++)
        for (uint64_t i = 0; i < c->nset; i++) {
            struct set s = set_at(c, side, (uint32_t)i);

            memset(s.tag, 0xff, c->policy_at);
            memset(s.state, 0, ways * sizeof *s.state);
            c->policy.reset(&c->policy, s.policy, ways);
            *s.held = 0;
        }
    memset(&c->count, 0, sizeof c->count);
}

/* Extents of physical memory in random order; the pages of one extent lie together. */
int cache_map(struct cache *c, uint64_t bytes, uint64_t seed)
{
    uint64_t frames = c->chip.memory >> c->page_shift,
             pages = (bytes + c->chip.page - 1) >> c->page_shift;
    uint64_t extent = c->chip.extent < frames ? c->chip.extent : frames, n = frames / extent;
    uint32_t *order;
    struct rng r;

    if (pages > n * extent) {
        extent = 1;
        n = frames;
    }
    if (pages > frames)
        return -1;
    rng_seed(&r, seed);
    order = xmalloc(n * sizeof *order);
    for (uint64_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    rng_shuffle(&r, order, n);
    c->frame = xrealloc(c->frame, pages + 1, sizeof *c->frame);
    c->page = xrealloc(c->page, pages + 1, sizeof *c->page);
    c->pages = pages;
    for (uint64_t i = 0; i < pages; i++) {
        c->frame[i] = (uint32_t)(order[i / extent] * extent + i % extent);
        c->page[i] = place_page(&c->placer, (uint64_t)c->frame[i] << c->page_shift);
    }
    free(order);
    return 0;
}

struct cache_ref cache_ref(const struct cache *c, uint64_t offset)
{
    uint64_t page = offset >> c->page_shift;
    uint32_t in_page = (uint32_t)(offset & (c->chip.page - 1)) >> c->line_shift;
    uint32_t first = c->frame[page] << (c->page_shift - c->line_shift);
    struct cache_ref r;

    r.at = place_join(&c->placer, &c->page[page], &c->high[in_page >> c->low_bits],
                      &c->low[in_page & ((1u << c->low_bits) - 1)]);
    r.line = first | in_page;
    return r;
}

/* A macro: gcc takes a function that does nothing but prefetch for one without effect, and drops its calls. */
#define PREFETCH_SET(c, side, set)                                                                 \
    do {                                                                                           \
        const uint8_t *b_ = (c)->block + ((side) * (c)->nset + (set)) * (c)->stride;               \
                                                                                                   \
        __builtin_prefetch(b_, 1);                                                                 \
        __builtin_prefetch(b_ + 64, 1);                                                            \
        if ((c)->stride > 128)                                                                     \
            __builtin_prefetch(b_ + 128, 1);                                                       \
    } while (0)

void cache_prefetch(const struct cache *c, struct cache_ref r, unsigned side)
{
    if (r.at.side != side && c->chip.copies != COPIES_NEVER)
        PREFETCH_SET(c, side, r.at.set);
    if (r.at.side == side || c->far_missed || c->chip.copies == COPIES_NEVER)
        PREFETCH_SET(c, r.at.side, r.at.set);
}

void cache_persist(struct cache *c, uint32_t ways)
{
    c->keep_ways = ways < c->chip.ways ? ways : c->chip.ways;
    if (ways > 0)
        return;
    for (uint64_t i = 0; i < c->nset * c->chip.sides; i++) {
        struct set s = set_at(c, 0, (uint32_t)i);

        for (unsigned w = 0; w < c->chip.ways; w++)
            s.state[w] &= (uint16_t)~KEEP;
    }
}

uint32_t cache_state(const struct cache *c, struct cache_ref r, unsigned side)
{
    struct set s = set_at(c, side, r.at.set);
    unsigned way = set_find(s.tag, c->chip.ways, r.line);

    return way < c->chip.ways ? s.state[way] & (SECTORS | DIRTY) : 0;
}
