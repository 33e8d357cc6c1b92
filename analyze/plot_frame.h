/* Tables in memory, for pictures: every distinct word is kept once, a cell is the word's number. */
#ifndef L2_PLOT_FRAME_H
#define L2_PLOT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../share/lib/prov.h"
#include "../share/lib/tsv.h"

struct word {
    char *text;
    double value; /* when it is a number */
    bool number;
    const char *file; /* where it was first seen, for messages */
    uint64_t line;
};

/* All rows of the input that have the same columns. */
struct frame {
    char **column;
    size_t ncolumn;
    uint32_t *cell; /* nrow x ncolumn */
    size_t nrow, cap;
    const char *file; /* of its first header */
};

struct frames {
    struct frame *frame;
    size_t n, cap;
    struct word *word;
    size_t nword, word_cap;
    uint32_t *slot; /* hash table: number of the word + 1, or 0 */
    size_t nslot;
    struct prov prov;
};

/* Reads all tables of a stream. */
void xframes_read(struct frames *d, struct tsv *t);
void frames_free(struct frames *d);

/* A column's number, TSV_NONE when there is none. */
size_t frame_find(const struct frame *f, const char *name);
/* Whether it has every column of a list "a b c"; the first that is missing is copied to `missing` (64 bytes) if not NULL. */
bool frame_has(const struct frame *f, const char *names, char *missing);
/* The same, "PROG: FILE: no column NAME" and exit 1 without it. */
size_t xframe_column(const struct frame *f, const char *name);

uint32_t frame_cell(const struct frame *f, size_t row, size_t column);
const char *frame_text(const struct frames *d, const struct frame *f, size_t row, size_t column);
/* The cell's number, perhaps nan or inf; exits 1 with file:line, column and value when it is none. */
double xframe_number(const struct frames *d, const struct frame *f, size_t row, size_t column);
/* Whether two rows differ in the column; whether all its cells are numbers. */
bool frame_varies(const struct frame *f, size_t column);
bool frame_numeric(const struct frames *d, const struct frame *f, size_t column);

#endif
