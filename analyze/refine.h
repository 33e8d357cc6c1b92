/* Which sizes to measure next so that knees become sharper. Pure: no I/O. */
#ifndef L2_REFINE_H
#define L2_REFINE_H

#include <stddef.h>
#include <stdint.h>

#include "knee.h"

/* Writes at most n different sizes, multiples of `multiple`, ascending, to out and returns how many. Every knee gets an equal
 * share, evenly spaced from a quarter of its width below the interval's low end to a quarter above its end; a knee at
 * the edge reaches half or twice as far as the data. Without knees the share goes evenly in ratio over the range of the
 * data and twice beyond. x_lo, x_hi: least and greatest x of the data. */
size_t refine_sizes(const struct knee_fit *fit, size_t fits, double x_lo, double x_hi,
                    uint64_t multiple, size_t n, uint64_t *out);

#endif
