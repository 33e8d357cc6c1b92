/* Block sizes by counting contradictions, and by times of partial reads. */
#include "block.h"

#include <math.h>

static size_t contradictions(const struct touch_probe *t, size_t n, uint64_t size)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        wrong += (t[i].touch / size == t[i].probe / size) != (t[i].hit != 0);
    return wrong;
}

/* A touch of the first step of two blocks that brings both: so answers a 256-byte hint on GH100. */
static void find_lead(const struct touch_probe *t, size_t n, uint64_t step, struct block_fit *f)
{
    uint64_t two = 2 * f->size;
    size_t beyond = 0, hit = 0;

    for (size_t i = 0; i < n; i++)
        if (t[i].touch % two < step && t[i].probe / f->size == t[i].touch / f->size + 1) {
            beyond++;
            hit += t[i].hit != 0;
        }
    if (beyond < LEAD_LEAST || hit < beyond)
        return;
    f->lead = two;
    f->lead_n = hit;
    f->wrong -= hit;
}

int block_from_touches(const struct touch_probe *t, size_t n, uint64_t step, uint64_t most,
                       struct block_fit *f)
{
    *f = (struct block_fit){.n = n, .wrong = n + 1, .rival_wrong = n + 1};
    for (uint64_t size = step; size <= most; size += step) {
        size_t wrong = contradictions(t, n, size);

        if (wrong < f->wrong) {
            f->rival = f->size;
            f->rival_wrong = f->wrong;
            f->size = size;
            f->wrong = wrong;
        } else if (wrong < f->rival_wrong) {
            f->rival = size;
            f->rival_wrong = wrong;
        }
    }
    if (f->size > 0)
        find_lead(t, n, step, f);
    return n > 0 && f->wrong * 20 <= n && f->rival_wrong > 2 * f->wrong ? 0 : -1;
}

static double time_of(const struct partial_time *p, size_t n, uint64_t take, uint64_t every)
{
    for (size_t i = 0; i < n; i++)
        if (p[i].take == take && p[i].every == every)
            return p[i].time;
    return NAN;
}

int block_from_partial(const struct partial_time *p, size_t n, struct block_bound *b)
{
    *b = (struct block_bound){0, NAN, NAN};
    for (size_t i = 0; i < n; i++) {
        double twice = p[i].time / time_of(p, n, p[i].every, p[i].every);

        if (p[i].every != 2 * p[i].take || !(twice < PARTIAL_SAVES) ||
            (b->size > 0 && p[i].take >= b->size))
            continue;
        *b = (struct block_bound){p[i].take, time_of(p, n, p[i].take / 2, p[i].every) / p[i].time,
                                  twice};
    }
    return b->size > 0 && b->half >= PARTIAL_SAVES ? 0 : -1;
}
