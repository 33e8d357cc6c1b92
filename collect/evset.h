/* Eviction sets: the lines that, loaded after a target, push it out of its set. Found by the tipping-point search of
 * kernels/tip.h, in one launch a try. What all targets of one SM share is planned once. */
#ifndef L2_EVSET_H
#define L2_EVSET_H

#include <stdint.h>

#include "../share/lib/rng.h"
#include "device.h"
#include "sides.h"

enum evset_lines {
    EVSET_HOME,   /* target and pool are lines of the SM's own side */
    EVSET_REMOTE, /* lines of the other side, of which the own side keeps copies */
    EVSET_ALL     /* any line */
};
extern const char *const evset_lines_names[]; /* "home", "remote", "all" */
enum evset_level {
    EVSET_LOCAL, /* evicted: no longer a hit in the own side */
    EVSET_MEMORY /* evicted: comes from memory */
};

struct evset_touch {
    uint32_t rounds, settle, touches; /* of struct l2_tip_in */
};

struct evset_plan {
    struct device *d;
    int sm;
    struct sides sides;
    enum evset_lines lines;
    enum evset_level level;
    enum l2_kind kind;   /* of the loads */
    uint64_t pool_bytes; /* pool at offset 0 of the buffer; targets are behind it */
    uint64_t target_bytes;
    double miss;   /* cycles of a load of such a line from memory: the 20 % quantile of 256 lines */
    uint32_t line; /* bytes from line to line of the pool */
    uint32_t votes, rounds, settle, touches, check_all, check_one, extra;
    struct evset_touch
        sure; /* for tipping indices alone, which no set confirms: no line is left to chance */
    uint32_t
        reach; /* pool lines that evict most targets, for their searches to begin with; 0: not known */
    uint64_t seed; /* of the pool's order at the first try */
};

/* A pool that is sure to hold enough lines: 16 times the L2, from 4 MiB to 1 GiB (1 GiB when the L2's size is unknown). */
uint64_t evset_pool_bytes(const struct device *d);

/* Fails, if the pool is smaller than 4 times the L2 (of unknown size: never), and says so: for a pool that does not evict a
 * line. */
int evset_check_pool(const struct evset_plan *p);

/* Allocates the buffer, finds the sides, measures what a miss takes, and chooses rounds, settle and touches (when rounds is
 * 0): as few as give the same tipping index as more. Before: d, sm, lines, level, kind, pool_bytes, line, votes, rounds, settle, check_*, extra.
 * 0, or -1 and d->error. */
int evset_plan(struct evset_plan *p, struct rng *r);
/* The same on the buffer that is there, which a plan of the same pool_bytes has allocated. */
int evset_plan_here(struct evset_plan *p, struct rng *r);
void evset_plan_free(struct evset_plan *p);

/* The pool of the plan in another order. */
int evset_pool(const struct evset_plan *p, uint64_t seed, struct l2_pool *pool);
/* A random line of the planned kind, behind the pool. */
uint64_t evset_target(const struct evset_plan *p, struct rng *r);
/* What separates the target's hits in the own side from the next level, in cycles, for this SM. */
int evset_threshold(const struct evset_plan *p, uint64_t target, uint32_t *threshold);
/* About where a pool first evicts the target: out->first, L2_TIP_OK. Each k has a pool
 * of its own order, so that targets of one set tell different things. */
int evset_first(const struct evset_plan *p, uint64_t target, uint32_t threshold, uint32_t k,
                struct l2_tip_in *in, struct l2_tip_out *out);
/* One try; each `attempt` has another order of the pool. Fills in and out. */
int evset_try(const struct evset_plan *p, uint64_t target, uint32_t threshold, uint32_t attempt,
              struct l2_tip_in *in, struct l2_tip_out *out);
/* Tries until a set is verified, at most `tries` times; out->status tells. A pool too small to evict is an error. */
int evset_find(const struct evset_plan *p, uint64_t target, uint32_t tries, struct l2_tip_out *out);

/* The kind of lines of a name (a word that the parameters have checked). */
enum evset_lines evset_lines_of(const char *name);
const char *evset_status(uint32_t status); /* "ok", "pool_keeps", ... */
const char *evset_phase(uint32_t phase);   /* "pool", "search", ... */

#endif
