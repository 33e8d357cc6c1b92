/* Groups of rows and the exact distribution of each. */
#ifndef L2_GROUP_H
#define L2_GROUP_H

#include "../share/lib/tsv.h"
#include "tally.h"
#include "trend.h"

/* Groups of rows that agree in some columns. */
struct group {
    struct tally tally;
    uint64_t hash;
    size_t len;
    struct trend trend;
    char key[]; /* the columns' fields, TAB between them, then a NUL */
};

/* A place of the hash table: part of the hash, so that most wrong groups are seen from here; at = 0 if it is free. */
struct group_index {
    uint32_t tag, at; /* at: 1 + position in group[] */
};

struct groups {
    struct group **group;
    size_t n, cap;
    struct group_index *index;
    size_t mask;
    struct group *last;
    bool steady; /* the last two rows were of one group: likely so is the next */
};

/* The group of a row, made if it is new. Its key is given as runs of neighbouring columns (with the TABs inside). */
struct group *groups_find(struct groups *g, const struct field *run, size_t nrun);
/* Sorts by the columns in turn: numbers by size, before words by bytes. No group can be looked up afterwards. */
void groups_sort(struct groups *g);
void groups_free(struct groups *g);

#endif
