/* Rows of l2collect replay: a latency histogram of each pattern and side, and the shares of known levels in it. */
#ifndef L2_PLAYED_H
#define L2_PLAYED_H

#include "../share/lib/out.h"
#include "../share/lib/tsv.h"
#include "level.h"
#include "memory.h"

#define PLAYED_BINS 8192

struct played {
    char *pattern, *side;
    double *hist;    /* PLAYED_BINS, of loads and atomics */
    uint64_t stores; /* accesses that have no answer */
};

struct playeds {
    struct played *p; /* in the order of reading; "all" of a pattern comes before its sides */
    size_t n, cap;
    size_t pattern, side, op, cycles, count; /* columns */
};

/* Whether the table just announced by TSV_HEADER is a replay; then its columns are looked up. */
bool played_header(struct playeds *l, const struct tsv *t);
/* Adds the row just read; exits when a number is none. */
void xplayed_row(struct playeds *l, const struct tsv *t);
/* One row a pattern and side, in the columns of l2predict but for the bytes; levels as m found them, named by kind[]; y,
 * when not NULL, tells memories apart. */
void played_print(const struct playeds *l, const struct mixture *m, const enum level_kind *kind,
                  const struct memory *y, struct out *o);
#define PLAYED_COLUMNS                                                                             \
    "exp pattern side n stores share_local share_remote share_dram share_dram_remote hit cycles"
void played_free(struct playeds *l);

#endif
