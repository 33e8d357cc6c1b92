/* L1: small sets in recency order. TLB: one list of pages a level; a page is moved to its front in constant time.
 * A level that can hold every page of the buffer is left out: it never misses but once. */
#include "front.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define EMPTY 0xffffffffu

void l1_init(struct l1 *l, const struct chip *c)
{
    l->ways = c->l1_ways;
    l->sets = (uint32_t)(c->l1 / c->line / c->l1_ways);
    l->tag = c->l1 ? xmalloc((size_t)l->sets * l->ways * sizeof *l->tag) : NULL;
    l1_reset(l, c, -1);
}

void l1_free(struct l1 *l)
{
    free(l->tag);
    l->tag = NULL;
}

void l1_reset(struct l1 *l, const struct chip *c, int percent)
{
    uint64_t lines = c->l1 / c->line / c->l1_ways;

    if (l->tag == NULL)
        return;
    if (percent > 0)
        lines = lines * (uint64_t)(100 - percent) / 100;
    l->sets = lines > 0 ? (uint32_t)lines : 1;
    memset(l->tag, 0xff, (size_t)l->sets * l->ways * sizeof *l->tag);
}

bool l1_access(struct l1 *l, uint32_t line)
{
    uint32_t *tag, k = 0;
    bool hit;

    if (l->tag == NULL)
        return false;
    tag = l->tag + (size_t)(line % l->sets) * l->ways;
    while (k < l->ways - 1 && tag[k] != line)
        k++;
    hit = tag[k] == line;
    memmove(tag + 1, tag, k * sizeof *tag);
    tag[0] = line;
    return hit;
}

void l1_drop(struct l1 *l, uint32_t line)
{
    uint32_t *tag;

    if (l->tag == NULL)
        return;
    tag = l->tag + (size_t)(line % l->sets) * l->ways;
    for (uint32_t k = 0; k < l->ways; k++)
        if (tag[k] == line)
            tag[k] = EMPTY;
}

void tlb_init(struct tlb *t, const struct chip *c, uint64_t pages)
{
    t->levels = 0;
    for (uint32_t i = 0; i < c->tlb_pages.n; i++) {
        struct tlb_level *l = &t->level[t->levels];

        if (c->tlb_pages.v[i] >= pages)
            continue;
        t->levels++;
        l->pages = (uint32_t)pages;
        l->most = (uint32_t)c->tlb_pages.v[i];
        l->cycles = (uint32_t)c->tlb_cycles.v[i];
        l->held = 0;
        l->newer = xcalloc(pages + 1, sizeof *l->newer);
        l->older = xcalloc(pages + 1, sizeof *l->older);
        l->in = xcalloc(pages, sizeof *l->in);
        l->newer[pages] = l->older[pages] = l->pages;
    }
}

void tlb_free(struct tlb *t)
{
    for (uint32_t i = 0; i < t->levels; i++) {
        free(t->level[i].newer);
        free(t->level[i].older);
        free(t->level[i].in);
    }
    t->levels = 0;
}

static void take_out(struct tlb_level *l, uint32_t page)
{
    l->older[l->newer[page]] = l->older[page];
    l->newer[l->older[page]] = l->newer[page];
}

static bool level_access(struct tlb_level *l, uint32_t page)
{
    uint32_t end = l->pages, oldest = l->newer[end], newest;
    bool hit = l->in[page];

    if (l->older[end] == page)
        return true;
    if (hit) {
        take_out(l, page);
    } else if (l->held == l->most) {
        take_out(l, oldest);
        l->in[oldest] = false;
    } else {
        l->held++;
    }
    newest = l->older[end];
    l->in[page] = true;
    l->older[page] = newest;
    l->newer[page] = end;
    l->newer[newest] = page;
    l->older[end] = page;
    return hit;
}

uint32_t tlb_access(struct tlb *t, uint32_t page)
{
    uint32_t cycles = 0;

    for (uint32_t i = 0; i < t->levels; i++) {
        if (level_access(&t->level[i], page))
            break;
        cycles += t->level[i].cycles;
    }
    return cycles;
}
