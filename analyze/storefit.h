/* Which bytes around a store can then be read at hit latency: the rule that the fewest probes contradict. */
#ifndef L2_STOREFIT_H
#define L2_STOREFIT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes [from, to) were stored to a line that was not there, then `probe` was read. All in one address space. */
struct store_probe {
    uint64_t from, to, probe;
    int hit;
};

enum store_rule {
    STORE_NOTHING, /* nothing is readable: stores do not allocate */
    STORE_WHOLE,   /* the probe's block, if all of it was stored */
    STORE_TOUCHED  /* the probe's block, if any of it was stored: it was fetched */
};

struct store_fit {
    enum store_rule rule;
    uint64_t size; /* of the block, 0 for STORE_NOTHING */
    size_t n, wrong, rival_wrong;
};

/* Blocks are aligned to their size, which is a width that was stored or twice the widest one. rival_wrong is of the best
 * candidate that foresees something else; of those that foresee the same the smallest is taken. -1 when more than 5 % of
 * the probes contradict the best one, or a rival does as well. */
int store_fit(const struct store_probe *p, size_t n, struct store_fit *f);

#endif
