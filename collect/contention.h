/* Lines that share a slice: telling them by how long two lines take that all SMs hammer. */
#ifndef L2_CONTENTION_H
#define L2_CONTENTION_H

#include <stddef.h>
#include <stdint.h>

#include "../share/lib/rng.h"
#include "device.h"

#define CONTENTION_SEEN                                                                            \
    1.1 /* a pair of one slice takes so many times as long as others, or nothing is seen */

/* The limit above which a pair shares a slice, from n measured pairs of which the first is a line with itself: the first
 * gap below that one of a tenth of its distance to the fastest pairs, at half of that distance at most. Partners, if any,
 * are below the gap. *other is the fastest that pairs were seen so far (0: none yet), and is kept. When the two are so
 * close that nothing was seen, no pair is above the limit. */
double contention_limit(const double *cycles, size_t n, double *other);

/* Lines of the slice of list[0], by contention of atomics: that line is hammered with `tries` random lines, at multiples of
 * `line` below `bytes`, and what may be the same four times more. list has room for tries + 1; *n becomes how many there
 * are, list[0] among them. 0; -1 and dev->error, also when contention shows nothing. */
int contention_slice(struct device *d, struct rng *r, uint64_t bytes, uint64_t line, size_t tries,
                     uint64_t *list, size_t *n);

#endif
