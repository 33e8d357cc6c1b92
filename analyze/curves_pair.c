/* Curves of order=back beside those of order=cycle. */
#include "curves.h"
#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

/* The curve of the same labels but order=cycle, NULL when there is none. */
static struct one_curve *forwards_of(const struct curves *c, size_t order,
                                     const struct one_curve *back)
{
    for (size_t i = 0; i < c->n; i++) {
        struct one_curve *o = &c->curve[i];
        size_t g = 0;

        while (g < c->groups && strcmp(o->label[g], g == order ? "cycle" : back->label[g]) == 0)
            g++;
        if (g == c->groups)
            return o;
    }
    return NULL;
}

static void drop_group(struct curves *c, size_t g)
{
    free(c->group[g]);
    memmove(c->group + g, c->group + g + 1, (c->groups - g - 1) * sizeof *c->group);
    for (size_t i = 0; i < c->n; i++)
        for (struct one_curve *o = &c->curve[i]; o != NULL; o = o->back) {
            free(o->label[g]);
            memmove(o->label + g, o->label + g + 1, (c->groups - g - 1) * sizeof *o->label);
        }
    c->groups--;
}

void curves_pair(struct curves *c, bool keep)
{
    size_t order = 0, kept = 0;
    bool varies = keep;

    while (order < c->groups && strcmp(c->group[order], "order") != 0)
        order++;
    if (order == c->groups)
        return;
    for (size_t i = 0; i < c->n; i++) {
        struct one_curve *o = &c->curve[i];
        bool back = strcmp(o->label[order], "back") == 0;
        struct one_curve *forwards = back ? forwards_of(c, order, o) : NULL;

        if (forwards == NULL)
            continue;
        forwards->back = xmalloc(sizeof *o);
        *forwards->back = *o;
        o->n = 0;
    }
    for (size_t i = 0; i < c->n; i++)
        if (c->curve[i].n > 0)
            c->curve[kept++] = c->curve[i];
    c->n = kept;
    for (size_t i = 1; i < c->n; i++)
        varies = varies || strcmp(c->curve[i].label[order], c->curve[0].label[order]) != 0;
    if (!varies)
        drop_group(c, order);
}
