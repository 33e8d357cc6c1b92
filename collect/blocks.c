/* Picks cold blocks at random, of one side where wanted, and flushes the cache. */
#include "blocks.h"
#include "../share/lib/mem.h"

#include <stdlib.h>

enum { PAGE = 2 << 20 };

uint64_t blocks_next(struct blocks *b)
{
    if (b->used == b->n)
        abort();
    return b->at[b->used++];
}

void blocks_free(struct blocks *b)
{
    free(b->at);
    b->at = NULL;
}

int blocks_flush(struct run *r, const struct blocks *b)
{
    struct sweep all = {.sm = -1,
                        .kind = L2_LD_CG,
                        .start = b->flush_from,
                        .stride = b->line,
                        .n = b->flush_bytes / b->line};

    return r->dev->ops->sweep(r->dev, &all);
}

static bool near_as_a_whole(const struct blocks *b, const struct sides *s, uint64_t at)
{
    if (s->kind != SIDES_LINEAR)
        return true;
    for (uint64_t k = 0; k < b->bytes; k += b->line)
        if (sides_of(s, at + k) != 0)
            return false;
    return true;
}

/* Shuffles all blocks of the region and keeps those that fit, until there are n. */
static int choose(struct run *r, struct blocks *b, const struct sides *s, size_t all)
{
    uint32_t *order = xmalloc(all * sizeof *order);
    size_t have = 0;

    for (size_t i = 0; i < all; i++)
        order[i] = (uint32_t)i;
    rng_shuffle(&r->rng, order, all);
    for (size_t i = 0; i < all && have < b->n; i++)
        if (!b->home || near_as_a_whole(b, s, order[i] * b->bytes))
            b->at[have++] = order[i] * b->bytes;
    free(order);
    if (have < b->n)
        return device_fail(r->dev,
                           "only %zu of %zu blocks of %llu bytes lie on one side: use lines=all",
                           have, b->n, (unsigned long long)b->bytes);
    return 0;
}

int blocks_make(struct run *r, struct blocks *b)
{
    uint64_t l2 = r->dev->info.l2_bytes > 0 ? r->dev->info.l2_bytes : 64u << 20;
    size_t all = b->n * (b->home ? 5 : 2) / 2 + 256;
    uint64_t region = (all * b->bytes + PAGE - 1) / PAGE * PAGE;
    struct sides s = {0};
    int rc;

    b->used = 0;
    b->at = xmalloc((b->n + 1) * sizeof *b->at);
    b->flush_from = region;
    b->flush_bytes = (4 * l2 + PAGE - 1) / PAGE * PAGE;
    rc = r->dev->ops->alloc(r->dev, region + b->flush_bytes);
    if (rc == 0 && b->home)
        rc = sides_find(r->dev, b->sm, region, &r->rng, &s);
    if (rc == 0 && b->home && s.kind != SIDES_ONE && s.kind != SIDES_LINEAR)
        run_warn(r, "sides are no XOR of address bits: lines of all sides are used, and hits of "
                    "the far side are slower");
    if (rc == 0)
        rc = choose(r, b, &s, region / b->bytes);
    sides_free(&s);
    return rc == 0 ? blocks_flush(r, b) : -1;
}
