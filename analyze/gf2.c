/* Subspaces over GF(2) in reduced row echelon form. */
#include "gf2.h"

#include <stdio.h>
#include <string.h>

#include "../share/lib/rng.h"

enum { TRIES = 64, EXTRA = 12 };

unsigned gf2_parity(uint64_t x)
{
    return (unsigned)__builtin_parityll(x);
}

static uint64_t leading(uint64_t v)
{
    return 1ull << (63 - __builtin_clzll(v));
}

uint64_t gf2_reduce(const struct gf2 *s, uint64_t v)
{
    for (unsigned i = 0; i < s->n; i++)
        if (v & leading(s->row[i]))
            v ^= s->row[i];
    return v;
}

int gf2_add(struct gf2 *s, uint64_t v)
{
    unsigned at = 0;

    v = gf2_reduce(s, v);
    if (v == 0)
        return 0;
    for (unsigned i = 0; i < s->n; i++)
        if (s->row[i] & leading(v))
            s->row[i] ^= v;
    while (at < s->n && s->row[at] > v)
        at++;
    memmove(s->row + at + 1, s->row + at, (s->n - at) * sizeof *s->row);
    s->row[at] = v;
    s->n++;
    return 1;
}

/* In reduced form the leading bits are the dependent ones: each free bit f gives one u, f itself and the leading bits of
 * the rows that have f. */
void gf2_complement(const struct gf2 *s, uint64_t space, struct gf2 *out)
{
    struct gf2 in = {.n = 0};
    uint64_t lead = 0;

    for (unsigned i = 0; i < s->n; i++)
        gf2_add(&in, s->row[i] & space);
    for (unsigned i = 0; i < in.n; i++)
        lead |= leading(in.row[i]);
    out->n = 0;
    for (uint64_t bits = space & ~lead; bits != 0; bits &= bits - 1) {
        uint64_t f = bits & -bits, u = f;

        for (unsigned i = 0; i < in.n; i++)
            if (in.row[i] & f)
                u |= leading(in.row[i]);
        gf2_add(out, u);
    }
}

int gf2_equal(const struct gf2 *a, const struct gf2 *b)
{
    return a->n == b->n && memcmp(a->row, b->row, a->n * sizeof *a->row) == 0;
}

/* Whether every row holds for the share of all pairs. */
static int holds(const struct gf2 *f, const uint64_t *diff, uint64_t n, double share)
{
    for (unsigned k = 0; k < f->n; k++) {
        uint64_t even = 0;

        for (uint64_t i = 0; i < n; i++)
            even += !gf2_parity(diff[i] & f->row[k]);
        if ((double)even < share * (double)n)
            return 0;
    }
    return 1;
}

void gf2_functions(const uint64_t *diff, uint64_t n, uint64_t space, double share, uint64_t seed,
                   struct gf2 *out)
{
    struct gf2 all = {.n = 0}, found;
    struct rng r;

    for (uint64_t i = 0; i < n; i++)
        gf2_add(&all, diff[i] & space);
    gf2_complement(&all, space, out);
    rng_seed(&r, seed);
    for (int t = 0; t < TRIES && share < 1 && n > 0; t++) {
        struct gf2 some = {.n = 0};
        unsigned idle = 0;

        /* Enough pairs to span what is spanned: stop after EXTRA in a row that add nothing. */
        while (idle < EXTRA && some.n < 64)
            idle = gf2_add(&some, diff[rng_below(&r, n)] & space) ? 0 : idle + 1;
        gf2_complement(&some, space, &found);
        if (found.n > out->n && holds(&found, diff, n, share))
            *out = found;
    }
}

const char *gf2_bits(uint64_t v)
{
    static char text[256];
    size_t at = 0;

    if (v == 0)
        return "-";
    for (unsigned b = 0; b < 64 && at < sizeof text - 4; b++)
        if (v >> b & 1)
            at += (size_t)snprintf(text + at, sizeof text - at, at == 0 ? "%u" : ",%u", b);
    return text;
}
