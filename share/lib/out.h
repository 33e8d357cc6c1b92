/* Writing l2tsv(5): the '#' lines, the header, rows field by field, the #end line. */
#ifndef L2_OUT_H
#define L2_OUT_H

#include <stdint.h>
#include <stdio.h>

#include "prov.h"

struct out {
    FILE *to;
    size_t ncolumn, at; /* columns of the table, fields written of this row */
    uint64_t rows;
};

/* "#l2tsv 1", the provenance, then the header; columns are names with one blank between. */
void out_begin(struct out *o, FILE *to, const struct prov *p, const char *columns);

/* The fields of a row, in the order of the columns. A number too many or too few is a bug and aborts. */
void out_u64(struct out *o, uint64_t v);
void out_i64(struct out *o, int64_t v);
/* The shortest decimal that reads back as the same double. */
void out_double(struct out *o, double v);
/* At most `digits` significant digits, for results. */
void out_round(struct out *o, double v, int digits);
/* A word: TAB, newline and other control bytes become '_', an empty one '-'. */
void out_str(struct out *o, const char *s);
void out_strn(struct out *o, const char *s, size_t len);
void out_row(struct out *o);

/* "#end rows=N status=STATUS". */
void out_end(struct out *o, const char *status);

#endif
