/* Survival curves as a table, for l2plot. */
#ifndef L2_ASSOC_POINTS_H
#define L2_ASSOC_POINTS_H

#include "assoc_rows.h"

/* The points of each curve with their intervals, then the law that fits them best; on stdout. */
void assoc_print_points(const struct assoc_rows *r, const struct prov *p);

#endif
