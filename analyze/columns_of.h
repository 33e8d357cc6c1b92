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

#endif
