/* The parts of l2stat: what was asked, the groups as they fill, what is said about them. */
#ifndef L2_STAT_H
#define L2_STAT_H

#include <stdbool.h>

#include "../share/lib/tsv.h"
#include "group.h"
#include "summary.h"

enum { MAX_QUANTILES = 64, AHEAD = 16 };

enum view { VIEW_SUMMARY, VIEW_MODES, VIEW_HISTOGRAM };

struct request {
    enum view view;
    const char *value, *weight; /* value NULL: the first of the usual ones */
    char **by;                  /* group columns, if any_by */
    size_t nby, by_cap;
    bool any_by;
    double quantile[MAX_QUANTILES];
    size_t nquantile;
    const struct outlier_rule *rule;
    double factor, confidence, bin;
    bool strict;
};

/* Where things are in the table at hand. */
struct layout {
    size_t value, weight, time; /* TSV_NONE: no weight; time: count rows */
    bool timed;                 /* the order of rows or a column says when */
    size_t *by, nby;
    size_t *first, *last, nrun; /* runs of neighbouring group columns */
    struct field *run;
};

/* A sample that waits for its slot to come from memory: rows in no order touch another group's table each. */
struct pending {
    struct tally *tally;
    double x;
    uint64_t n;
};

struct stat {
    struct request want;
    struct layout at;
    struct groups groups;
    struct summary *summary;
    struct tally_work work;
    struct pending pending[AHEAD];
    size_t next;
    uint64_t rows, not_finite, dropped;
};

/* Finds the columns in a new header; exits if the value's or a group's is not there. */
void stat_look_up(const struct request *r, const struct tsv *t, struct layout *at);
/* Counts one row. */
void stat_add_row(struct stat *s, const struct tsv *t);
/* After the last row: groups in order of their columns, a summary of each. */
void stat_finish(struct stat *s);
/* The distribution of a group without its outliers, good until the next call, and how many those were. */
struct dist stat_load(struct stat *s, size_t group, uint64_t *dropped);
/* Says on stderr, and as #warning lines of t, what the reader of the results must know. */
void stat_warn(const struct stat *s, struct tsv *t);
void stat_free(struct stat *s);

#endif
