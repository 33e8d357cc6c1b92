/* Where a physical address lives on a chip: side, slice, set. Compiled from struct chip into a few shifts and
 * multiplications.
 *
 * Side bits and slice bits are parities of address bits under masks. Each mask is worth one address bit: the row-reduced
 * masks' lowest bits are left out of the line's number, so that this number counts the lines of one (side, slice class)
 * without gaps. Its bits within slice_key make the unit u, the others stay inside a slice. slice = u mod n (plain), or
 * (u + f(u / n)) mod n with a pseudo-random f (mixed), or table[u mod length]. What is left over counts the lines of one
 * slice: i. set = i mod sets (none); the same moved by a hash of i / sets (xor: XOR where sets is a power of two, else
 * addition modulo sets), so that contiguous lines still fill sets evenly; or a hash of i altogether (mix). */
#ifndef L2_PLACE_H
#define L2_PLACE_H

#include "chip.h"

/* One word, which gcc keeps in a register: smaller fields it puts together in memory and has to wait for. */
struct place {
    uint64_t set : 32;   /* slice * sets + set within the slice; the same for a copy elsewhere */
    uint64_t slice : 16; /* 0 .. slices - 1 */
    uint64_t side : 8;   /* home */
    uint64_t sub : 8;    /* sub-slice */
};

struct place_field {
    uint64_t mask; /* of the address, after the shift */
    uint8_t shift, to;
};

#define PLACE_FIELDS 32
struct place_bits {
    uint32_t n, bits;
    struct place_field field[PLACE_FIELDS];
};

struct placer {
    struct place_bits unit, inside; /* address -> u, and the bits below it in i */
    uint64_t side_mask[2], slice_mask[10];
    uint32_t side_bits, slice_bits;
    uint32_t modulo, sets, sub_slices, page_shift;
    uint64_t modulo_inverse, sets_inverse, seed, inside_mask;
    bool mixed, side_page;
    uint32_t set_hash;
    uint32_t table_n; /* 0: no table; then modulo is the table's length */
    uint16_t table[CHIP_LIST], rank[CHIP_LIST], count[CHIP_LIST * 2];
};

/* What some of an address's bits add to its place. */
#define PLACE_SIDE_BITS 2
struct place_part {
    uint64_t i;    /* u / modulo, and below it the bits inside the unit */
    uint32_t rest; /* u % modulo */
    uint32_t bits; /* to be XORed: slice_bits << PLACE_SIDE_BITS | side */
};

/* The lowest set bits of the row-reduced masks of sides and slices: the address bits that the parities stand for, as many as
 * masks when these are independent. */
uint64_t place_pivots(const struct chip *c);
/* 0, or -1 when the masks leave more than PLACE_FIELDS runs of address bits. */
int placer_init(struct placer *p, const struct chip *c);
struct place place_of(const struct placer *p, uint64_t physical);
/* The same in parts, so that a table of parts spares most of the work: of a page's address, and of bits within pages.
 * place_join.h joins them. */
struct place_part place_page(const struct placer *p, uint64_t physical);
struct place_part place_within(const struct placer *p, uint64_t offset);

#endif
