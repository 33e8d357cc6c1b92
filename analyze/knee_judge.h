/* From shelves to knees: where each rise is, between which values, and how certain it is. Pure: no I/O. */
#ifndef L2_KNEE_JUDGE_H
#define L2_KNEE_JUDGE_H

#include "knee.h"
#include "shelf.h"

struct judge {
    const struct curve *c; /* without spikes */
    const double *x, *y;   /* as given */
    const size_t *index;   /* where the points of c are in x, y */
    const double *se;      /* standard error of each point of c, 0 unknown */
    const struct knee_options *opt;
    double *work; /* room for the points given and 64 more */
    struct knee_fit *fit;
};

/* Fills j->fit->knee and count. Returns 0, or -1 without memory. */
int knee_judge(struct judge *j, const struct segment *piece, size_t pieces,
               const struct shelf *shelf, size_t shelves);

#endif
