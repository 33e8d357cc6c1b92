/* The cache model: an access by an SM of some side to an address, in order, and what happens to it. No time, no noise.
 *
 * A load looks at its own side first. When the line's home is another side, it goes on to the home, and leaves a copy on
 * its own side as chip.copies says. Stores and atomics go to the home and drop all copies. A set holds home lines and
 * copies together. Sets do not influence each other, and a line uses the same set number on every side. */
#ifndef L2_CACHE_H
#define L2_CACHE_H

#include "chip.h"
#include "place.h"
#include "policy.h"

enum cache_level { CACHE_LOCAL, CACHE_REMOTE, CACHE_DRAM, CACHE_DRAM_REMOTE, CACHE_LEVELS };
enum cache_flag {
    CACHE_LOW = 1,  /* insert at the low end of the replacement order */
    CACHE_KEEP = 2, /* persisting: goes only when all of the set persists */
    CACHE_QUIET = 4 /* a load that allocates nothing */
};

/* Two words: gcc puts smaller fields together in memory and reads them back at once, for which the processor waits. */
struct cache_answer {
    uint64_t level;        /* enum cache_level: who had the data (a store: who had the line) */
    uint64_t dirty_victim; /* dirty lines that had to leave */
};

/* Sums since cache_clear. */
struct cache_count {
    uint64_t dram_read, dram_write; /* sectors */
    uint64_t evicted, copies, dropped;
};

/* A line of the buffer, looked up once: cache_ahead.h. */
struct cache_ref {
    struct place at;
    uint32_t line; /* physical line number */
};

struct cache {
    struct chip chip;
    struct placer placer;
    struct policy policy;
    struct cache_count count;
    struct rng rng;
    uint8_t *block;          /* sides x slices x sets blocks: cache_set.h has their layout */
    size_t stride;           /* bytes of a block */
    uint64_t nset;           /* of a side */
    uint32_t *first;         /* physical line number of the start of each page of the buffer */
    struct place_part *page; /* of each page */
    struct place_part *high,
        *low; /* of a line within its page: its high bits, its low_bits low ones */
    uint64_t pages;
    uint32_t in_page; /* log2 of the lines of a page */
    uint32_t low_bits, low_mask;
    uint64_t *bytes; /* byte masks of partly written sectors, made when first needed */
    uint32_t page_shift, line_shift, sector_shift, keep_ways;
    uint8_t wide[16]; /* sectors -> the fetched blocks around them */
    bool lru, usual;  /* cache_set.h: struct shape */
    bool copies, drops, dirty_first;
    bool far_missed; /* the last load of another side's line went on to that side */
};

/* 0, or -1 and why; cache_free afterwards. The chip has passed chip_check. */
int cache_init(struct cache *c, const struct chip *chip, char *why, size_t why_size);
void cache_free(struct cache *c);
/* Gives a buffer of so many bytes physical pages, drawn from `seed`; -1 when the chip's memory is too small. */
int cache_map(struct cache *c, uint64_t bytes, uint64_t seed);
void cache_clear(struct cache *c);
/* From now on what misses comes in blocks of so many bytes. */
void cache_fetch(struct cache *c, uint32_t bytes);
/* Ways of each set that persisting lines may hold; 0 forgets which lines persist. */
void cache_persist(struct cache *c, uint32_t ways);

/* Sectors of the line that [offset, offset + bytes) covers, within the line of `offset`. */
static inline uint32_t cache_sectors(const struct cache *c, uint64_t offset, uint32_t bytes)
{
    uint32_t first = (uint32_t)offset & (c->chip.line - 1), last = first + bytes - 1;

    last = last < c->chip.line ? last : c->chip.line - 1;
    return (2u << (last >> c->sector_shift)) - (1u << (first >> c->sector_shift));
}
/* Loads sectors; what misses comes in blocks of `fetch` bytes (0: chip.fetch) around them. */
struct cache_answer cache_load(struct cache *c, struct cache_ref r, unsigned side, uint32_t sectors,
                               uint32_t fetch, unsigned flags);
/* Stores `bytes` from byte `first` of the line on, all within it. */
struct cache_answer cache_store(struct cache *c, struct cache_ref r, unsigned side, uint32_t first,
                                uint32_t bytes, unsigned flags);
struct cache_answer cache_atomic(struct cache *c, struct cache_ref r, unsigned side,
                                 uint32_t sectors);
/* Takes the line out everywhere, written back or not. */
void cache_discard(struct cache *c, struct cache_ref r);
/* What the line has at home or as a copy on a side: bits 0-3 valid sectors, 4-7 dirty ones; 0: not there. */
uint32_t cache_state(const struct cache *c, struct cache_ref r, unsigned side);

#endif
