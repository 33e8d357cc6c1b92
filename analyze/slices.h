/* All that matrix and contend rows say about sides and slices, put together: every method by itself, then each line's side,
 * slice and location, then what is linear, and how far the methods agree. */
#ifndef L2_SLICES_H
#define L2_SLICES_H

#include "cluster.h"
#include "linear.h"
#include "side.h"
#include "slicedata.h"

struct slices {
    const struct slice_data *data;
    struct contend contend[OPS]; /* n 0: no rows, or one mode only */
    struct cluster place[OPS];   /* groups of fingerprints; n 0: no rows, or no gap */
    struct side side;            /* of matrix rows by atomics; sides 0: none */

    /* Of each line of data, LINEAR_NONE where not known. */
    uint32_t *side_of; /* by atomics */
    uint32_t *
        slice_of; /* by contention: by atomics, else by loads (with the side, where that is known) */
    uint32_t *
        guess; /* slice of most lines of its location: for lines without contention rows, and to compare */
    uint32_t *location; /* by fingerprint, of atomics if there are any */
    int fine;           /* whether locations are fine enough to guess slices by */
    size_t slices;      /* classes in slice_of */
    enum slice_op from; /* of slice_of */

    struct linear side_xor, slice_xor; /* lines 0: not run */
    struct linear
        pair_xor; /* in pages of side_xor, what lines of one slice have in common, by atomics */
    uint64_t grain, grain_step; /* bytes; 0: too few neighbours */
    size_t boundaries;
    double agreement; /* share of pairs of lines on which contention and fingerprints agree; nan */
    size_t agree_lines,
        differ; /* lines that have both; those whose location is mostly of another slice */
};

void slices_run(struct slices *s, const struct slice_data *d);
void slices_free(struct slices *s);
/* A number of 1 << shift bytes for each page that has a line of known side: *page and *constant, n of them. */
size_t slices_page_constants(const struct slices *s, uint64_t *page, uint8_t *constant);

#endif
