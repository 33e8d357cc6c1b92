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

static const struct row_kind *kind_of(const struct tsv *t, const struct row_kind *kinds)
{
    while (kinds->exp != NULL && tsv_find(t, kinds->tells) == TSV_NONE)
        kinds++;
    return kinds;
}

void xrows_read(struct tsv *t, const struct row_kind *kinds, const char *names, void *rows)
{
    size_t column[ROW_COLUMNS] = {0}, exp = 0;
    const struct row_kind *k = kinds;
    enum tsv_event ev;

    t->many_tables = true;
    while ((ev = xtsv_next(t)) != TSV_END) {
        if (ev == TSV_HEADER) {
            xone_device(t);
            exp = xtsv_column(t, "exp");
            k = kind_of(t, kinds);
            xcolumns_of(t, k->columns, k->ncolumn, column);
        } else if (k->exp != NULL && tsv_is(t, exp, k->exp)) {
            k->add(rows, t, column);
        } else {
            char *message = xprintf("not a row of %s", names);

            xtsv_bad(t, exp, message);
        }
    }
    xone_device(t);
}
