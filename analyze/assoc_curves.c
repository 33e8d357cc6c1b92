/* The raw rows of survive and stride as points: hits and misses told apart by a cut in their cycles. */
#include "assoc_rows.h"
#include "../share/lib/mem.h"
#include "../share/lib/split.h"

#include <math.h>
#include <stdlib.h>

enum { FEW_LINES = 3 };

/* The cut between hits and misses of one experiment's readings. */
static double cut_of(double *cycles, size_t n)
{
    struct split sp;

    qsort(cycles, n, sizeof *cycles, split_order);
    split_variance(cycles, n, &sp);
    return sp.at;
}

static int by_n(const void *x, const void *y)
{
    double a = ((const struct survival *)x)->n, b = ((const struct survival *)y)->n;

    return (a > b) - (a < b);
}

/* Targets of a trial: rows of the first count and repeat. */
static double targets_of(const struct assoc_rows *r, size_t k)
{
    const struct survive_raw *first = NULL;
    double n = 0;

    for (size_t i = 0; i < r->nsraw; i++) {
        const struct survive_raw *x = &r->sraw[i];

        if (x->curve != k)
            continue;
        first = first == NULL ? x : first;
        n += x->n == first->n && x->rep == first->rep;
    }
    return n;
}

/* The other targets of a trial lie between, too: half of them were loaded after a target, and those of the other half
 * that are gone come in again before it is probed. */
static void count_targets(struct survival_curve *c, double targets)
{
    for (size_t i = 0; i < c->n; i++)
        c->s[i].n += (targets - 1) / 2 * (2 - c->s[i].hits / c->s[i].trials);
}

void assoc_finish_curve(struct assoc_rows *r, size_t k)
{
    struct survival_curve *c = &r->c[k];
    double *cycles = xcalloc(r->nsraw + 1, sizeof *cycles), cut;
    size_t n = 0;

    for (size_t i = 0; i < r->nsraw; i++)
        if (r->sraw[i].curve == k)
            cycles[n++] = r->sraw[i].cycles;
    cut = n > 1 ? cut_of(cycles, n) : 0;
    for (size_t i = 0; i < r->nsraw; i++) {
        size_t at = 0;

        if (r->sraw[i].curve != k)
            continue;
        while (at < c->n && c->s[at].n != r->sraw[i].n)
            at++;
        if (at == c->n) {
            c->s = xgrow(c->s, c->n, &c->cap, sizeof *c->s);
            c->s[c->n++] = (struct survival){.n = r->sraw[i].n};
        }
        c->s[at].trials++;
        c->s[at].hits += r->sraw[i].cycles <= cut;
    }
    qsort(c->s, c->n, sizeof *c->s, by_n);
    count_targets(c, targets_of(r, k));
    free(cycles);
}

static int by_stride(const void *x, const void *y)
{
    const struct stride_raw *a = x, *b = y;

    if (a->stride != b->stride)
        return a->stride < b->stride ? -1 : 1;
    return (a->lines > b->lines) - (a->lines < b->lines);
}

/* Slower than any hit: a fifth over the 99 % quantile of the accesses to few lines, which all hit. Where nothing ever
 * misses there is no second mode to look for. */
static double hit_limit(const struct stride_raw *raw, size_t n)
{
    double below = 0, all = 0, limit = 0;

    for (size_t i = 0; i < n; i++)
        all += raw[i].lines <= FEW_LINES ? raw[i].n : 0;
    while (below < 0.99 * all) {
        double next = INFINITY;

        for (size_t i = 0; i < n; i++)
            if (raw[i].lines <= FEW_LINES && raw[i].cycles > limit)
                next = fmin(next, raw[i].cycles);
        for (size_t i = 0; i < n; i++)
            below += raw[i].lines <= FEW_LINES && raw[i].cycles == next ? raw[i].n : 0;
        limit = next;
    }
    return limit * 1.2;
}

void assoc_finish_strides(struct assoc_rows *r)
{
    double all = 0;

    if (r->nraw > 0)
        qsort(r->raw, r->nraw, sizeof *r->raw, by_stride);
    r->stride_cut = hit_limit(r->raw, r->nraw);
    for (size_t i = 0; i < r->nraw; i++) {
        const struct stride_raw *x = &r->raw[i];

        if (i == 0 || by_stride(x, x - 1) != 0) {
            r->p = xgrow(r->p, r->np, &r->p_cap, sizeof *r->p);
            r->p[r->np++] = (struct stride_point){x->stride, x->lines, 0};
            all = 0;
        }
        r->p[r->np - 1].miss =
            (r->p[r->np - 1].miss * all + (x->cycles > r->stride_cut ? x->n : 0)) / (all + x->n);
        all += x->n;
    }
}
