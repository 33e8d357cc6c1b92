/* Rules of what a store makes readable, by counting contradictions. */
#include "storefit.h"

enum { STEP = 8 };

static int readable(const struct store_probe *p, enum store_rule rule, uint64_t size)
{
    uint64_t begin, end;

    if (rule == STORE_NOTHING)
        return 0;
    begin = p->probe / size * size;
    end = begin + size;
    return rule == STORE_WHOLE ? p->from <= begin && end <= p->to : p->from < end && begin < p->to;
}

static void try_rule(const struct store_probe *p, size_t n, enum store_rule rule, uint64_t size,
                     struct store_fit *f)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        wrong += readable(&p[i], rule, size) != (p[i].hit != 0);
    if (wrong < f->wrong) {
        f->rival_wrong = f->wrong;
        f->rule = rule;
        f->size = size;
        f->wrong = wrong;
    } else if (wrong < f->rival_wrong) {
        f->rival_wrong = wrong;
    }
}

int store_fit(const struct store_probe *p, size_t n, uint64_t most, struct store_fit *f)
{
    *f = (struct store_fit){STORE_NOTHING, 0, n, n + 1, n + 1};
    try_rule(p, n, STORE_NOTHING, 0, f);
    for (uint64_t size = STEP; size <= most; size += STEP) {
        try_rule(p, n, STORE_WHOLE, size, f);
        try_rule(p, n, STORE_TOUCHED, size, f);
    }
    return n > 0 && f->wrong * 20 <= n && f->rival_wrong > f->wrong ? 0 : -1;
}
