/* Cold blocks of memory: each is used once, so that what is not yet in the cache is known and not assumed. The buffer
 * holds the blocks and, behind them, memory to flush the cache with: at least 4 times the L2. */
#ifndef L2_BLOCKS_H
#define L2_BLOCKS_H

#include "experiment.h"
#include "sides.h"

struct blocks {
    /* Wanted. */
    int sm;
    bool home;      /* only blocks that lie on the SM's own side as a whole */
    uint64_t bytes; /* of a block */
    uint64_t line;  /* bytes from load to load of a flush: at most a line */
    size_t n;

    uint64_t *at; /* offsets, in random order */
    size_t used;
    uint64_t flush_from, flush_bytes;
};

/* Allocates the buffer, finds n blocks and flushes the cache. 0, or -1 and dev->error. */
int blocks_make(struct run *r, struct blocks *b);
/* The next block that nobody has touched. More than n is a bug and aborts. */
uint64_t blocks_next(struct blocks *b);
/* Reads the memory behind the blocks from all SMs. */
int blocks_flush(struct run *r, const struct blocks *b);
void blocks_free(struct blocks *b);

#endif
