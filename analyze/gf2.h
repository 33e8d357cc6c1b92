/* Linear algebra over GF(2) on 64-bit addresses: a vector is a word, a function is the parity of some of its bits. Pure. */
#ifndef L2_GF2_H
#define L2_GF2_H

#include <stdint.h>

/* A subspace in its canonical form: the reduced row echelon form, leading bits descending. Two subspaces are equal
 * exactly when their rows are. Start with {0}. */
struct gf2 {
    uint64_t row[64];
    unsigned n; /* dimension */
};

unsigned gf2_parity(uint64_t x);
/* What is left of v when all leading bits are cleared: 0 exactly when v is in the subspace. */
uint64_t gf2_reduce(const struct gf2 *s, uint64_t v);
/* Adds v to what is spanned; 1 when the subspace grew. */
int gf2_add(struct gf2 *s, uint64_t v);
/* All u within the bits of `space` with even parity of u & v for every v of s. */
void gf2_complement(const struct gf2 *s, uint64_t space, struct gf2 *out);
int gf2_equal(const struct gf2 *a, const struct gf2 *b);

/* The functions (parities of bits within `space`) that are the same on both lines of every pair, n differences a ^ b given,
 * when a small share of the pairs may be wrong: random subsets are tried, and the subspace of largest dimension whose every
 * row holds for at least `share` of the pairs wins (RANSAC, Fischler and Bolles 1981, "Random sample consensus"). seed
 * makes it repeatable. */
void gf2_functions(const uint64_t *diff, uint64_t n, uint64_t space, double share, uint64_t seed,
                   struct gf2 *out);
/* Bit numbers of v, ascending, with commas: "12,13,15,17"; "-" for 0. The string is the callee's, good for the next call. */
const char *gf2_bits(uint64_t v);

#endif
