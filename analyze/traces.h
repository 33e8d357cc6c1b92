/* The rows of replace as traces: one for each run of a sequence on a set, answers in order of their steps. Several archives
 * of one device may follow each other: their sets and sequences are numbered on. */
#ifndef L2_TRACES_H
#define L2_TRACES_H

#include "../share/lib/tsv.h"
#include "replay.h"

struct traces {
    struct trace *t; /* sorted by set, sequence, repeat */
    size_t n, cap;
    unsigned ways;  /* 0 before reading: the rows say */
    unsigned lines; /* line numbers are below this */
    unsigned known; /* in every set */
    size_t sets, answers;
    uint64_t set_base, seq_base, set_next, seq_next; /* while reading: of this run; of the next */
};

/* Reads all rows. Exits on malformed ones, on rows of two devices, on ways that differ or do not fit, and when no line can
 * ever have been evicted. Hits are loads of at most the row's threshold. */
void xtraces_read(struct tsv *t, struct traces *all);
/* How many traces, from index i on, belong to the set of trace i. */
size_t traces_of_set(const struct traces *all, size_t i);
void traces_free(struct traces *all);

#endif
