/* What stands before the L2: the L1 of an SM, and the levels of the TLB. Both LRU, both pure. */
#ifndef L2_FRONT_H
#define L2_FRONT_H

#include "chip.h"

/* The L1 of one SM: lines by physical line number, sets of chip.l1_ways. */
struct l1 {
    uint32_t *tag; /* sets x ways, most recent first; 0xffffffff is empty */
    uint32_t sets, ways;
};

void l1_init(struct l1 *l, const struct chip *c);
void l1_free(struct l1 *l);
/* Empties it and gives `percent` of it to shared memory (-1: none): what a launch does. */
void l1_reset(struct l1 *l, const struct chip *c, int percent);
/* Whether the line was there; afterwards it is. */
bool l1_access(struct l1 *l, uint32_t line);
void l1_drop(struct l1 *l, uint32_t line);

/* Every level holds tlb_pages pages, fully associative. */
struct tlb_level {
    uint32_t *newer, *older; /* of each page of the buffer; the list's ends are at [pages] */
    bool *in;
    uint32_t pages, held, most, cycles;
};
struct tlb {
    struct tlb_level level[4];
    uint32_t levels;
};

void tlb_init(struct tlb *t, const struct chip *c, uint64_t pages);
void tlb_free(struct tlb *t);
/* Cycles that finding this page of the buffer costs. */
uint32_t tlb_access(struct tlb *t, uint32_t page);

#endif
