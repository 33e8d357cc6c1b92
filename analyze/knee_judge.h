/* From shelves to knees: where each rise is, between which values, and how certain it is. Pure: no I/O. */
#ifndef L2_KNEE_JUDGE_H
#define L2_KNEE_JUDGE_H

#include "knee.h"
#include "shelf.h"

/* Fills fit->knee and fit->count. se: standard error of each point, 0 unknown; work has room for the points and 64 more.
 * Returns 0, or -1 without memory. */
int knee_judge(const struct curve *c, const double *se, const struct segment *piece, size_t pieces,
               const struct shelf *shelf, size_t shelves, const struct knee_options *opt,
               double *work, struct knee_fit *fit);

#endif
