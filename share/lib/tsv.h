/* Reading l2tsv(5): tables with '#' lines, a header row and rows, from files or standard input.
 *
 * The reader owns one line and the fields in it, valid until the next call. Several files, and several tables in one
 * file, are read as one stream. Whatever is malformed ends the program with "PROG: FILE:LINE: what: 'value'". */
#ifndef L2_TSV_H
#define L2_TSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prov.h"

struct field {
    const char *ptr; /* not terminated by a NUL */
    size_t len;
};

enum tsv_event {
    TSV_END,    /* no more input */
    TSV_HEADER, /* a header unlike the last one: look up the columns (first comes before any row) */
    TSV_ROW
};

struct tsv {
    struct field *field; /* the row, ncolumn of them */
    char **column;       /* the names in the header */
    size_t ncolumn;
    const char *file; /* place of the line, for messages */
    uint64_t line;
    size_t table;     /* its number, from 1: also where the header is that of the table before */
    struct prov prov; /* '#' lines of all tables so far, without #l2tsv and #end */
    bool incomplete;  /* a table had no #end or an #end whose status is not ok (warned about) */
    bool
        many_tables; /* set by the caller: tables may have different headers (else that is an error) */
    bool strict;     /* set by the caller: an incomplete table is an error */
    struct tsv_source *source; /* the reader's own */
};

/* Opens the files of a NULL-terminated list, or standard input when it is empty; "-" is standard input.
 * Files compressed with gzip are read through gzip -dc. */
struct tsv *xtsv_open(char *const *files);
enum tsv_event xtsv_next(struct tsv *t);
void tsv_close(struct tsv *t);

/* A column's number; TSV_NONE (or exit) when the table has none of that name. */
#define TSV_NONE ((size_t)-1)
size_t tsv_find(const struct tsv *t, const char *name);
size_t xtsv_column(const struct tsv *t, const char *name);

/* The row's field as a number: it must fill the field; no hex, no blanks. xtsv_double takes nan and inf. */
uint64_t xtsv_u64(const struct tsv *t, size_t column);
int64_t xtsv_i64(const struct tsv *t, size_t column);
double xtsv_double(const struct tsv *t, size_t column);
bool tsv_is(const struct tsv *t, size_t column, const char *word);

/* "PROG: FILE:LINE: column NAME: message: 'value'", exit 1. */
void xtsv_bad(const struct tsv *t, size_t column, const char *message) __attribute__((noreturn));
/* "PROG: FILE:LINE: message", exit 1. */
void xtsv_bad_line(const struct tsv *t, const char *fmt, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#endif
