/* Random chips, so that what recovers chips can be tested against a known truth. */
#ifndef L2_CHIP_DRAW_H
#define L2_CHIP_DRAW_H

#include "chip.h"
#include "rng.h"

/* 1, 2 or 4 sides, ways 4-24, any number of sets, slices and hash. */
struct chip_draw {
    uint32_t max_lines;     /* of the whole cache, roughly; 0: 8192 */
    uint32_t sides, slices; /* of a side; 0: any */
    bool noise;             /* jitter, outliers, sometimes drift and a neighbour */
    bool table;             /* slices by table in place of modulo */
    bool copies;            /* copies of every kind, not always MRU and kept */
    const char *policy;     /* NULL: any plain policy */
};
void chip_draw(struct chip *c, struct rng *r, const struct chip_draw *how);
/* The same by words: "SEED[,noise][,table][,copies][,lines=N][,sides=N][,slices=N][,policy=NAME]". 0, or -1 and why. */
int chip_draw_words(struct chip *c, const char *words, char *why, size_t why_size);

#endif
