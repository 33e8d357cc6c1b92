/* Which classes of addresses (sides, slices) are XORs of address bits. Pure.
 *
 * Addresses are known up to a constant for each page, since pages lie anywhere in memory; so two lines of one page and one
 * class differ in bits on which every XOR function of the class is even. The functions are the orthogonal complement of
 * all such differences (FIELD of two elements; used for DRAM banks by Pessl et al., "DRAMA", USENIX Security 2016, and for
 * last-level-cache slices by Maurice et al., RAID 2015). Classes are linear when the functions tell all of them apart. */
#ifndef L2_LINEAR_H
#define L2_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gf2.h"

#define LINEAR_NONE 0xffffffffu

struct linear {
    /* In. */
    size_t lines;
    const uint64_t *offset; /* bytes, all different */
    const uint32_t *label;  /* LINEAR_NONE: not known */
    size_t classes;
    unsigned page_shift; /* pages of 1 << page_shift bytes; 64: one page; 0: search it */

    /* Out. */
    struct gf2 functions; /* canonical; only bits that vary within pages */
    bool linear;          /* they tell all classes apart, and predict them */
    unsigned
        open; /* functions that the data can't tell apart from constants: more lines are needed */
    uint64_t varied; /* address bits that vary within pages */
    size_t pages;
    size_t differences; /* pairs of one class and page */
    double
        right; /* share of pairs of lines of one page, predicted the same or not the same, that are right */
    size_t checked;
};

void linear_run(struct linear *l);
/* Share of pairs that differ in this bit alone and are of different classes; *pairs counts them. */
double linear_flips(const struct linear *l, unsigned bit, size_t *pairs);

#endif
