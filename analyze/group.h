/* Groups of rows and the exact distribution of each. */
#ifndef L2_GROUP_H
#define L2_GROUP_H

#include "../share/lib/tsv.h"
#include "tally.h"
#include "trend.h"

/* Groups of rows that agree in some columns. */
struct group {
    char *key; /* the columns' fields, TAB between them */
    size_t len;
    uint64_t hash;
    struct tally tally;
    struct trend trend;
};

struct groups {
    struct group **group;
    size_t n, cap;
    uint32_t *index; /* hash table of 1 + position in group[] */
    size_t mask;
    struct group *last;
};

/* The group of a row, made if it is new. Its key is given as runs of neighbouring columns (with the TABs inside). */
struct group *groups_find(struct groups *g, const struct field *run, size_t nrun);
/* Sorts by the columns in turn: numbers by size, before words by bytes. No group can be looked up afterwards. */
void groups_sort(struct groups *g);
void groups_free(struct groups *g);

#endif
