/* Building the cycles of a pointer chase, and choosing SMs for its walkers. */
#ifndef L2_CHAINS_H
#define L2_CHAINS_H

#include "experiment.h"

/* The cycles of a chase: chain k has its own nodes, [k, k + 1) x nodes x stride. */
struct chains {
    struct chain *chain; /* n of them: SM and place of each walker */
    size_t n;
    size_t nodes;     /* of each chain */
    uint64_t stride;  /* bytes */
    uint64_t window;  /* bytes: all nodes of one before the next one; 0: no windows */
    uint32_t *next;   /* room for `nodes` numbers */
    uint32_t *before; /* NULL: no way back; else room for n x nodes numbers */
    uint64_t place;   /* of the first chain's first pointer, as built */
};

/* The SM of walker k of n: from `first` on, spread over the chip, no SM twice when n <= sms. */
int chains_sm(int first, size_t k, size_t n, unsigned sms);

/* Fills next[] with one random cycle over n nodes that visits all nodes of a group of `each` (in random order) before the
 * next group; the groups' order is random too. work[] has room for n numbers. */
void cycle_in_windows(struct rng *r, uint32_t *next, uint32_t *work, size_t n, size_t each);

/* Where a node's second pointer is, bytes from its first. */
enum { CHAINS_OTHER = 8 };

/* Writes a fresh random cycle for every chain, its pointers `at` bytes from the buffer's start (where there is `before`, those to
 * the node before CHAINS_OTHER bytes further), and puts the walkers at its start. */
int chains_build(struct run *r, struct chains *c, uint64_t at);

/* Turns the walkers round: the node that they load next is the one that they loaded last, and from there they go backwards. */
void chains_turn(struct chains *c);

/* Moves the walkers on by `hops`, as `how` says but untimed, in launches of a second or so. Stops early when run_stopped(). */
int chains_walk(struct run *r, const struct chase *how, uint64_t hops);

/* Walks every chain once around, and refuses one that is not a single cycle over all its nodes: a walker must be back at
 * its start after `nodes` hops, and must not be there after nodes / p hops for any prime p that divides nodes (a shorter
 * cycle's length would divide one of these). So the walk that warms the cache proves the cycle, and costs nothing more. */
int chains_verify(struct run *r, struct chains *c, const struct chase *how);

#endif
