/* A hash table of values, sorted when it is asked for. */
#include "tally.h"
#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

/* Multiplicative hash by the upper bits: the lower bits of a double that holds a small whole number are all 0. */
static size_t home(unsigned bits, double x)
{
    uint64_t pattern;

    memcpy(&pattern, &x, sizeof pattern);
    return (size_t)(pattern * 0x9e3779b97f4a7c15u >> (64 - bits));
}

static struct slot *find_slot(struct slot *slot, unsigned bits, double x)
{
    size_t i = home(bits, x), mask = ((size_t)1 << bits) - 1;

    while (slot[i].n != 0 && slot[i].x != x)
        i = (i + 1) & mask;
    return &slot[i];
}

static void grow_slots(struct tally *t)
{
    unsigned bits = t->slot == NULL ? 4 : t->bits + 1;
    struct slot *slot = xcalloc((size_t)1 << bits, sizeof *slot);

    for (size_t i = 0; t->slot != NULL && i < (size_t)1 << t->bits; i++)
        if (t->slot[i].n != 0)
            *find_slot(slot, bits, t->slot[i].x) = t->slot[i];
    free(t->slot);
    t->slot = slot;
    t->bits = bits;
}

void tally_add(struct tally *t, double x, uint64_t n)
{
    struct slot *s;

    if (t->slot == NULL || t->used >= ((size_t)3 << t->bits) / 4)
        grow_slots(t);
    x += 0.0; /* -0 becomes 0 */
    s = find_slot(t->slot, t->bits, x);
    if (s->n == 0 && n != 0) {
        s->x = x;
        t->used++;
    }
    s->n += n;
}

void tally_hint(const struct tally *t, double x)
{
    if (t->slot != NULL)
        __builtin_prefetch(&t->slot[home(t->bits, x)], 1);
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

    for (size_t i = 0; i < (size_t)1 << t->bits; i++)
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
