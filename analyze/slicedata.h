/* The rows of matrix and contend, as the mathematics wants them: lines numbered, repeats reduced to their median. */
#ifndef L2_SLICEDATA_H
#define L2_SLICEDATA_H

#include <stddef.h>
#include <stdint.h>

#include "../share/lib/tsv.h"
#include "contend.h"

enum slice_op { OP_LOAD, OP_ATOM, OPS };

/* Latencies of lines that were measured from every SM of the table; lines that some SM lacks are left out. */
struct slice_matrix {
    size_t lines, sms, dropped;
    uint32_t *line; /* numbers of the lines */
    uint32_t *sm;   /* SM ids, ascending */
    float *cycles;  /* lines x sms */
};

struct slice_pairs {
    size_t n;
    struct contend_pair *pair; /* a <= b, each once */
};

struct slice_data {
    size_t lines;
    uint64_t *offset; /* of each line, ascending */
    struct slice_matrix matrix[OPS];
    struct slice_pairs pairs[OPS];
    struct slice_pairs thread; /* of the textbook test, both operators */
    struct raw *raw;           /* rows until slice_data_finish */
};

/* Adds one row; the header must be of matrix or contend. Exits on a bad field. */
void xslice_data_header(struct slice_data *d, const struct tsv *t);
void xslice_data_add(struct slice_data *d, const struct tsv *t);
void slice_data_finish(struct slice_data *d);
void slice_data_free(struct slice_data *d);
/* The number of an offset, or (size_t)-1. */
size_t slice_data_find(const struct slice_data *d, uint64_t offset);
const char *slice_op_name(enum slice_op op);

#endif
