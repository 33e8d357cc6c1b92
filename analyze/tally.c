/* A hash table of values, sorted when it is asked for. */
#include "tally.h"
#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

static size_t hash_double(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    bits *= 0x9e3779b97f4a7c15u;
    return (size_t)(bits ^ bits >> 32);
}

static struct slot *find_slot(struct slot *slot, size_t mask, double x)
{
    size_t i = hash_double(x) & mask;

    while (slot[i].n != 0 && slot[i].x != x)
        i = (i + 1) & mask;
    return &slot[i];
}

static void grow_slots(struct tally *t)
{
    size_t mask = t->slot == NULL ? 15 : 2 * t->mask + 1;
    struct slot *slot = xcalloc(mask + 1, sizeof *slot);

    for (size_t i = 0; t->slot != NULL && i <= t->mask; i++)
        if (t->slot[i].n != 0)
            *find_slot(slot, mask, t->slot[i].x) = t->slot[i];
    free(t->slot);
    t->slot = slot;
    t->mask = mask;
}

void tally_add(struct tally *t, double x, uint64_t n)
{
    struct slot *s;

    if (t->slot == NULL || t->used > t->mask - t->mask / 4)
        grow_slots(t);
    x += 0.0; /* -0 becomes 0 */
    s = find_slot(t->slot, t->mask, x);
    if (s->n == 0 && n != 0) {
        s->x = x;
        t->used++;
    }
    s->n += n;
}

void tally_free(struct tally *t)
{
    free(t->slot);
    *t = (struct tally){0};
}

static int by_value(const void *a, const void *b)
{
    double x = ((const struct slot *)a)->x, y = ((const struct slot *)b)->x;

    return (x > y) - (x < y);
}

struct dist tally_dist(const struct tally *t, struct tally_work *w)
{
    struct slot *sorted = xmalloc(t->used * sizeof *sorted);
    uint64_t total = 0;
    size_t m = 0;

    for (size_t i = 0; i <= t->mask; i++)
        if (t->slot[i].n != 0)
            sorted[m++] = t->slot[i];
    qsort(sorted, m, sizeof *sorted, by_value);
    if (m > w->cap) {
        w->cap = m;
        w->x = xrealloc(w->x, m, sizeof *w->x);
        w->cum = xrealloc(w->cum, m, sizeof *w->cum);
    }
    for (size_t i = 0; i < m; i++) {
        w->x[i] = sorted[i].x;
        w->cum[i] = total += sorted[i].n;
    }
    free(sorted);
    return (struct dist){w->x, w->cum, m};
}

uint64_t tally_keep(struct dist *d, struct tally_work *w, double lo, double hi)
{
    uint64_t before = dist_n(d), below = dist_below(d, lo);
    size_t m = 0;

    for (size_t i = 0; i < d->m; i++)
        if (d->x[i] >= lo && d->x[i] <= hi) {
            w->x[m] = d->x[i];
            w->cum[m++] = d->cum[i] - below;
        }
    d->m = m;
    return before - (m > 0 ? dist_n(d) : 0);
}

void tally_work_free(struct tally_work *w)
{
    free(w->x);
    free(w->cum);
    *w = (struct tally_work){0};
}
