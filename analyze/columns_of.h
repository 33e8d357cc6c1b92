/* Looking up several columns of a table at once, and what filters of several tables check. */
#ifndef L2_COLUMNS_OF_H
#define L2_COLUMNS_OF_H

#include "../share/lib/tsv.h"

/* The numbers of `n` columns named in `names`, in that order; exits when one is not there. */
void xcolumns_of(const struct tsv *t, const char *const *names, size_t n, size_t *column);
/* Exits when the tables read so far come from two devices. */
void xone_device(const struct tsv *t);
/* The field as a string. The caller frees it. */
char *xword_of(const struct tsv *t, size_t column);

/* One of several experiments whose rows a filter takes. */
enum { ROW_COLUMNS = 12 };
struct row_kind {
    const char *exp, *tells; /* tells: a column that only its table has */
    const char *columns[ROW_COLUMNS];
    size_t ncolumn;
    void (*add)(void *rows, const struct tsv *t, const size_t *column);
};

/* Reads all tables; each row goes to the add() of its experiment, with the numbers of its columns. `kinds` ends with exp
 * NULL and is in the order of what tells headers apart. Exits on a row of another experiment ("not a row of NAMES"). */
void xrows_read(struct tsv *t, const struct row_kind *kinds, const char *names, void *rows);

#endif
