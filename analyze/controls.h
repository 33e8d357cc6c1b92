/* Hit or miss, told by controls: accesses known to have hit and others known to have missed, measured in the same run. */
#ifndef L2_CONTROLS_H
#define L2_CONTROLS_H

#include <stddef.h>

#include "values.h"

struct controls {
    double threshold;   /* slower than this is a miss */
    size_t nhit, nmiss; /* controls of each kind */
    size_t slow, fast;  /* hits above the threshold, misses at or below it */
};

/* The least number of controls of each kind, and the largest share of them that may be on the wrong side. */
#define CONTROLS_LEAST 8
#define CONTROLS_WRONG 0.05

/* The threshold that leaves the least share of hits above plus misses below, in the middle of the widest gap where several
 * do. Both samples in cycles, sorted ascending. -1 when there are too few controls or too many are on the wrong side:
 * then nothing can be said from this run. */
int controls_split(const double *hit, size_t nhit, const double *miss, size_t nmiss,
                   struct controls *c);
/* The same of samples in any order, which it frees. */
int controls_of(struct values *hit, struct values *miss, struct controls *c);

#endif
