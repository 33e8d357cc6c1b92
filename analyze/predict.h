/* What a pattern meets in a modelled cache: shares of the levels by side of the SM, bytes from memory, mean latency; and
 * what it would meet were one effect taken away. No I/O. */
#ifndef L2_PREDICT_H
#define L2_PREDICT_H

#include "../share/lib/cache.h"
#include "../share/lib/pattern.h"

/* What may be taken away from the model. */
enum predict_effect {
    EFFECT_NONE,
    EFFECT_CAPACITY,  /* every side has twice the sets */
    EFFECT_COPIES,    /* no copies: far lines are always read from their home */
    EFFECT_CONFLICTS, /* fully associative, LRU (ideal.h) */
    EFFECT_SECTORS,   /* a miss brings the whole line */
    EFFECT_FETCH,     /* a miss brings the sectors asked for, no more */
    EFFECT_STORES,    /* stores are left out, with their lines and write-backs */
    EFFECTS
};
struct effect_name {
    const char *name, *without; /* "copies", "lines of the other side are not copied" */
};
extern const struct effect_name effect_names[EFFECTS];

struct predict_count {
    uint64_t
        level[CACHE_LEVELS]; /* loads and atomics that return a value, each by its slowest part */
    uint64_t stores;         /* and reductions */
    uint64_t read, written;  /* bytes from and to memory */
    uint64_t cycles;         /* of what level[] counts, summed */
};

struct predict_options {
    uint64_t warm, passes; /* passes before counting, passes counted */
    uint64_t seed;         /* of the pattern */
    uint64_t pages;        /* seed of the physical pages */
    uint64_t walk; /* accesses of a walk whose list and results pass the cache, too; 0: none */
    /* Lines of others that a side takes in, in the mean, while an access runs, and between two walks (which need `walk`). */
    double foreign_access, foreign_walk;
    enum predict_effect effect;
};

/* Runs the pattern on a chip; adds to count[side of the SM]. Latencies are the chip's, without noise, distances, TLB and
 * timer. 0, or -1 and why. The pattern is left started with this chip's env. */
int predict_run(const struct chip *chip, struct pattern *p, const struct predict_options *o,
                struct predict_count count[CHIP_SIDES], char *why, size_t why_size);
/* Whether an effect is there at all: copies on one side, stores of none... */
bool effect_applies(const struct chip *chip, const struct predict_count *all,
                    enum predict_effect effect);
void predict_add(struct predict_count *to, const struct predict_count *c);
/* The mean of n runs that were added up, rounded; loads keep their sum. */
void predict_divide(struct predict_count *c, uint64_t n);
/* Loads and atomics of a count. */
uint64_t predict_answers(const struct predict_count *c);

#endif
