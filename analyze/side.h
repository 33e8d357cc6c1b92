/* Sides of the cache from atomics: a line's home is near to the SMs of one side and far from all others. Pure.
 *
 * Each SM's latencies fall into a near and a far mode. SMs that find the same lines near are of one side; a line's side is
 * the one whose SMs find it near. (Loads do not tell: they are served by the own side's copy.) */
#ifndef L2_SIDE_H
#define L2_SIDE_H

#include <stddef.h>
#include <stdint.h>

#define SIDE_NONE 0xffu
#define SIDE_MOST 8

enum side_verdict {
    SIDE_NO_ROWS,
    SIDE_OK,
    SIDE_FEW_LINES, /* fewer than 32 lines */
    SIDE_ONE_SM,    /* too few SMs: one mode may be one place, two may be two */
    SIDE_UNCLEAR    /* some SMs show two modes, but their patterns make no sides */
};

struct side {
    /* In. */
    size_t lines, sms;
    const float *cycles; /* lines x sms, a line's values side by side */

    /* Out. */
    enum side_verdict verdict;
    unsigned sides; /* 1 or more when SIDE_OK */
    unsigned
        seen; /* sides on which SMs were measured; with fewer than sides, the rest share one number */
    uint8_t *line_side; /* of each line, SIDE_NONE where SMs differ too much */
    uint8_t *sm_side;   /* of each SM, SIDE_NONE where it has no two modes */
    size_t unclear;     /* lines without a side */
    double agree;       /* mean share of SMs that agree with their line's side */
    double near, far;   /* median cycles of all SMs' modes; equal when there is one side */
    double gap;         /* median gap between an SM's modes, in cycles */
};

void side_alloc(struct side *s, size_t lines, size_t sms);
void side_free(struct side *s);
void side_run(struct side *s);

#endif
