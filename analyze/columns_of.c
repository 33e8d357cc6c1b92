/* Columns by a list of names; one device only. */
#include "columns_of.h"

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

void xcolumns_of(const struct tsv *t, const char *const *names, size_t n, size_t *column)
{
    for (size_t i = 0; i < n; i++)
        column[i] = xtsv_column(t, names[i]);
}

void xone_device(const struct tsv *t)
{
    const char *one = prov_get(&t->prov, "uuid", 0), *two = prov_get(&t->prov, "uuid", 1);

    if (two != NULL)
        xdie(EXIT_FAILED, "%s: rows of two devices ('%s' and '%s'): give one at a time", t->file,
             one, two);
}

char *xword_of(const struct tsv *t, size_t column)
{
    return xstrndup(t->field[column].ptr, t->field[column].len);
}
