/* The cache model: memory, pages, and what is not an access. A load is in cache_load.c, stores in cache_write.c. */
#include "cache_fill.h"

#include <stdlib.h>

#include "cli.h"
#include "mem.h"

/* Parts of every line's place within a page, in two tables. */
static void tabulate(struct cache *c)
{
    uint32_t bits = c->in_page = c->page_shift - c->line_shift;

    c->low_bits = (bits + 1) / 2;
    c->low_mask = (1u << c->low_bits) - 1;
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
    c->stride = set_bytes(chip->ways);
    c->block = xmalloc_large(c->nset * chip->sides * c->stride);
    c->page_shift = (uint32_t)__builtin_ctzll(chip->page);
    c->line_shift = (uint32_t)__builtin_ctz(chip->line);
    c->sector_shift = (uint32_t)__builtin_ctz(chip->sector);
    tabulate(c);
    c->dirty_first = chip->evict_first == FIRST_DIRTY;
    c->copies = chip->copies != COPIES_NEVER && chip->sides > 1;
    c->drops = chip->copy_drop && chip->sides > 1;
    c->lru = strcmp(c->policy.name, "lru") == 0;
    c->usual = c->lru && chip->ways == USUAL.ways;
    cache_fetch(c, chip->fetch);
    rng_seed(&c->rng, chip->seed ^ 0x6361636865);
    cache_clear(c);
    return 0;
}

void cache_free(struct cache *c)
{
    free(c->block);
    free(c->first);
    free(c->page);
    free(c->high);
    free(c->low);
    free(c->bytes);
    memset(c, 0, sizeof *c);
}

void cache_clear(struct cache *c)
{
    struct set s = set_numbered(c, shape_of(c), 0);

    memset(c->block, 0, c->stride);
    memset(s.tag, 0xff, set_room(s.is.ways) * sizeof *s.tag);
    c->policy.reset(&c->policy, s.policy, s.is.ways);
    for (uint64_t i = 1; i < c->nset * c->chip.sides; i++)
        memcpy(c->block + i * c->stride, c->block, c->stride);
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
    c->first = xrealloc(c->first, pages + 1, sizeof *c->first);
    c->page = xrealloc(c->page, pages + 1, sizeof *c->page);
    c->pages = pages;
    for (uint64_t i = 0; i < pages; i++) {
        uint64_t frame = order[i / extent] * extent + i % extent;

        c->first[i] = (uint32_t)(frame << c->in_page);
        c->page[i] = place_page(&c->placer, frame << c->page_shift);
    }
    free(order);
    return 0;
}

void cache_fetch(struct cache *c, uint32_t bytes)
{
    c->chip.fetch = bytes;
    for (uint32_t sectors = 0; sectors <= SECTORS; sectors++)
        c->wide[sectors] = (uint8_t)set_widen(c, sectors, bytes);
}

void cache_persist(struct cache *c, uint32_t ways)
{
    c->keep_ways = ways < c->chip.ways ? ways : c->chip.ways;
    if (ways > 0)
        return;
    for (uint64_t i = 0; i < c->nset * c->chip.sides; i++) {
        struct set s = set_numbered(c, shape_of(c), i);

        for (unsigned w = 0; w < c->chip.ways; w++)
            s.state[w] &= (uint16_t)~KEEP;
    }
}

uint32_t cache_state(const struct cache *c, struct cache_ref r, unsigned side)
{
    struct set s = set_at(c, shape_of(c), side, r.at.set);
    unsigned way = set_way(s, r.line);

    return way < c->chip.ways ? s.state[way] & (SECTORS | DIRTY) : 0;
}
