/* Rules of what a store makes readable, by counting contradictions. */
#include "storefit.h"

/* A probe reads no less: a block below that would be whole wherever it is touched. */
enum { LOAD_BYTES = 4 };

static int readable(const struct store_probe *p, enum store_rule rule, uint64_t size)
{
    uint64_t begin, end;

    if (rule == STORE_NOTHING)
        return 0;
    begin = p->probe / size * size;
    end = begin + size;
    return rule == STORE_WHOLE ? p->from <= begin && end <= p->to : p->from < end && begin < p->to;
}

static size_t contradictions(const struct store_probe *p, size_t n, enum store_rule rule,
                             uint64_t size)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        wrong += readable(&p[i], rule, size) != (p[i].hit != 0);
    return wrong;
}

/* Whether two rules foresee different answers anywhere. */
static int differs(const struct store_probe *p, size_t n, const struct store_fit *f,
                   enum store_rule rule, uint64_t size)
{
    for (size_t i = 0; i < n; i++)
        if (readable(&p[i], f->rule, f->size) != readable(&p[i], rule, size))
            return 1;
    return 0;
}

/* One candidate: it becomes the best one, or (rivals) the best that differs from it. */
static void candidate(const struct store_probe *p, size_t n, enum store_rule rule, uint64_t size,
                      int rivals, struct store_fit *f)
{
    size_t wrong = contradictions(p, n, rule, size);

    if (rivals && wrong < f->rival_wrong && differs(p, n, f, rule, size))
        f->rival_wrong = wrong;
    if (rivals || wrong >= f->wrong)
        return;
    f->rule = rule;
    f->size = size;
    f->wrong = wrong;
}

/* Every width that was stored, and twice the widest. */
static void candidates(const struct store_probe *p, size_t n, int rivals, struct store_fit *f)
{
    uint64_t last = 0, next = 1;

    candidate(p, n, STORE_NOTHING, 0, rivals, f);
    while (next > 0) {
        next = 0;
        for (size_t i = 0; i < n; i++)
            if (p[i].to - p[i].from > last && (next == 0 || p[i].to - p[i].from < next))
                next = p[i].to - p[i].from;
        last = next > 0 ? next : 2 * last;
        if (last == 0)
            return;
        if (last >= LOAD_BYTES)
            candidate(p, n, STORE_WHOLE, last, rivals, f);
        candidate(p, n, STORE_TOUCHED, last, rivals, f);
    }
}

int store_fit(const struct store_probe *p, size_t n, struct store_fit *f)
{
    *f = (struct store_fit){STORE_NOTHING, 0, n, n + 1, n + 1};
    candidates(p, n, 0, f);
    candidates(p, n, 1, f);
    return n > 0 && f->wrong * 20 <= n && f->rival_wrong > f->wrong ? 0 : -1;
}
