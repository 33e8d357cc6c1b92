/* Survival curves as a table, for l2plot. */
#ifndef L2_ASSOC_POINTS_H
#define L2_ASSOC_POINTS_H

#include <stdio.h>

#include "assoc_rows.h"

/* The points of each curve with their intervals, then the law that fits them best. */
void assoc_points(FILE *to, const struct assoc_rows *r, const struct prov *p);

#endif
