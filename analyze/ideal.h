/* The same cache without sets: each side is one LRU list of as many lines as it has. What is lost against it is lost to
 * conflicts within sets and to the replacement policy. Pure. */
#ifndef L2_IDEAL_H
#define L2_IDEAL_H

#include "../share/lib/cache.h"

struct ideal_side {
    uint32_t *newer, *older; /* of each line of the buffer; the list's ends are at [lines] */
    uint16_t *state;         /* 0: not here */
    uint64_t held;
};

struct ideal {
    const struct chip *chip;
    struct ideal_side side[CHIP_SIDES];
    uint64_t lines, most; /* of the buffer; that a side holds */
    struct cache_count count;
};

/* For a buffer of so many lines; ideal_free afterwards. */
void ideal_init(struct ideal *m, const struct chip *chip, uint64_t lines);
void ideal_free(struct ideal *m);
/* As cache_load, cache_store and cache_atomic; `line` counts within the buffer. */
struct cache_answer ideal_load(struct ideal *m, uint32_t line, unsigned home, unsigned side,
                               uint32_t sectors);
struct cache_answer ideal_store(struct ideal *m, uint32_t line, unsigned home, unsigned side,
                                uint32_t first, uint32_t bytes);
struct cache_answer ideal_atomic(struct ideal *m, uint32_t line, unsigned home, unsigned side,
                                 uint32_t sectors);

#endif
