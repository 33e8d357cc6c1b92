/* Working sets: which sizes an experiment measures, and a warning when none of them is larger than the cache. */
#ifndef L2_FOOTPRINT_H
#define L2_FOOTPRINT_H

#include "experiment.h"
#include "sizes.h"

/* The sizes of parameter `size`; at its default from `first` to 4 x L2 (64 MiB at least), so many an octave. Fine: twice as many
 * from L2/4 to 5/4 x L2, where one side or all of the cache ends, and half as many beyond 2 x L2. */
void footprint_sizes(const struct run *r, uint64_t first, unsigned octave, bool fine,
                     struct sizes *s);
/* Warns when `most`, the largest, is less than 4 x L2. */
void footprint_warn(struct run *r, uint64_t most);

#endif
