/* The home side of every line of the buffer, from a few thousand timed atomics.
 *
 * Atomics to random lines show one or two modes. If two, other SMs must see the same pattern or its opposite (a chip whose
 * slices merely lie at two distances shows other patterns). Then every address bit within a page is flipped on a few lines:
 * a bit that always changes the side is in the mask, one that never does is not. One vote of a few lines gives each page
 * its constant, and fresh random lines check the whole. */
#include "sides.h"

#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"
#include "../share/lib/split.h"

enum { REPS = 5, LINES = 384, OTHERS = 6, FLIPS = 24, PAGE_VOTES = 3, CHECKS = 1000 };
enum { LOW_BIT = 5, PAGE_SHIFT = 21, GRAIN = 32, OTHER_BYTES = 64 << 20 };

int sides_probe(struct device *d, int sm, enum l2_kind kind, const uint64_t *offset, size_t n,
                unsigned reps, double *cycles)
{
    size_t each = (size_t)reps + 1, piece = (1 << 16) / each;
    l2_access *list = xmalloc(piece * each * sizeof *list);
    uint32_t *took = xmalloc(piece * each * sizeof *took);
    double *sample = xmalloc(reps * sizeof *sample);
    int rc = 0;

    for (size_t done = 0, m; done < n && rc == 0; done += m) {
        m = n - done < piece ? n - done : piece;
        for (size_t i = 0; i < m * each; i++)
            list[i] = l2_access_of(kind, offset[done + i / each], 0);
        rc = d->ops->walk(d, sm, list, m * each, took);
        for (size_t i = 0; i < m && rc == 0; i++) {
            for (unsigned k = 0; k < reps; k++)
                sample[k] = took[i * each + 1 + k];
            cycles[done + i] = split_median(sample, reps);
        }
    }
    free(list);
    free(took);
    free(sample);
    return rc;
}

static uint64_t random_line(struct rng *r, uint64_t bytes)
{
    return rng_below(r, bytes / GRAIN) * GRAIN;
}

/* Two modes: each with a tenth of the lines, and apart by more than half of the wider one's width and 2 %. */
static int two_modes(const double *cycles, size_t n, struct split *sp)
{
    double *sorted = xmalloc(n * sizeof *sorted);

    memcpy(sorted, cycles, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, split_order);
    split_variance(sorted, n, sp);
    free(sorted);
    return sp->below >= n / 10 && n - sp->below >= n / 10 && sp->gap > sp->width / 2 &&
           sp->gap > sp->low / 50;
}

/* Whether other SMs split the lines in the same two parts. */
static int others_agree(struct device *d, const struct sides *s, const uint64_t *line,
                        const double *mine, enum sides_kind *kind)
{
    double cycles[LINES];
    struct split sp;

    *kind = SIDES_TABLE;
    for (unsigned k = 1; k <= OTHERS && d->info.sms > 1; k++) {
        unsigned sm = ((unsigned)s->sm + k * d->info.sms / (OTHERS + 1)) % d->info.sms;
        size_t same = 0;

        if (sides_probe(d, (int)sm, L2_ATOM, line, LINES, REPS, cycles) != 0)
            return -1;
        if (!two_modes(cycles, LINES, &sp)) {
            *kind = SIDES_ONE;
            return 0;
        }
        for (size_t i = 0; i < LINES; i++)
            same += (cycles[i] > sp.at) == (mine[i] > s->threshold);
        if (same > LINES / 20 && same < LINES - LINES / 20)
            *kind = SIDES_MORE;
    }
    return 0;
}

/* Flips each bit below the page's size on random lines. */
static int find_mask(struct device *d, struct sides *s, struct rng *r)
{
    uint64_t line[2 * FLIPS];
    double cycles[2 * FLIPS];

    s->page_shift = PAGE_SHIFT;
    for (unsigned bit = LOW_BIT; bit < PAGE_SHIFT && 2ull << bit <= s->bytes; bit++) {
        unsigned changed = 0;

        for (size_t i = 0; i < FLIPS; i++) {
            line[i] = random_line(r, s->bytes >> (bit + 1) << (bit + 1));
            line[i + FLIPS] = line[i] ^ 1ull << bit;
        }
        if (sides_probe(d, s->sm, L2_ATOM, line, 2 * FLIPS, REPS, cycles) != 0)
            return -1;
        for (size_t i = 0; i < FLIPS; i++)
            changed += (cycles[i] > s->threshold) != (cycles[i + FLIPS] > s->threshold);
        if (changed >= FLIPS - FLIPS / 10)
            s->mask |= 1ull << bit;
        else if (changed > FLIPS / 10)
            s->mixed |= 1ull << bit;
    }
    while (s->mask != 0 && (s->mask >> s->flip & 1) == 0)
        s->flip++;
    return 0;
}

/* Bits that are mixed from some bit up to the page's size say that pages are smaller. */
static void shrink_page(struct sides *s)
{
    while (s->page_shift > LOW_BIT && s->mixed >> (s->page_shift - 1) & 1)
        s->mixed &= ~(1ull << --s->page_shift);
    s->mask &= (1ull << s->page_shift) - 1;
}

static int find_pages(struct device *d, struct sides *s, struct rng *r)
{
    uint64_t *line, page = 1ull << s->page_shift;
    double *cycles;
    int rc;

    s->npage = (size_t)(s->bytes >> s->page_shift);
    s->page_side = xcalloc(s->npage / 32 + 1, sizeof *s->page_side);
    line = xmalloc((s->npage * PAGE_VOTES + 1) * sizeof *line);
    cycles = xmalloc((s->npage * PAGE_VOTES + 1) * sizeof *cycles);
    for (size_t i = 0; i < s->npage * PAGE_VOTES; i++)
        line[i] = i / PAGE_VOTES * page + random_line(r, page);
    rc = sides_probe(d, s->sm, L2_ATOM, line, s->npage * PAGE_VOTES, REPS, cycles);
    for (size_t p = 0; p < s->npage && rc == 0; p++) {
        unsigned ones = 0;

        for (size_t i = p * PAGE_VOTES; i < (p + 1) * PAGE_VOTES; i++)
            ones += (cycles[i] > s->threshold) != l2_parity(line[i] & s->mask);
        s->page_side[p / 32] |= (uint32_t)(ones > PAGE_VOTES / 2) << p % 32;
    }
    free(line);
    free(cycles);
    return rc;
}

static int check(struct device *d, struct sides *s, struct rng *r)
{
    uint64_t line[CHECKS];
    double cycles[CHECKS];
    size_t right = 0;

    for (size_t i = 0; i < CHECKS; i++)
        line[i] = random_line(r, (uint64_t)s->npage << s->page_shift);
    if (sides_probe(d, s->sm, L2_ATOM, line, CHECKS, REPS, cycles) != 0)
        return -1;
    for (size_t i = 0; i < CHECKS; i++)
        right += sides_of(s, line[i]) == (cycles[i] > s->threshold);
    s->right = (double)right / CHECKS;
    s->checked = CHECKS;
    s->kind = s->right >= 0.99 ? SIDES_LINEAR : SIDES_TABLE;
    return 0;
}

int sides_find(struct device *d, int sm, uint64_t bytes, struct rng *r, struct sides *s)
{
    uint64_t line[LINES];
    double cycles[LINES];
    struct split sp;

    *s = (struct sides){.sm = sm, .bytes = bytes, .page_shift = PAGE_SHIFT};
    if (bytes < GRAIN)
        return device_fail(d, "sides: a buffer of %llu bytes has no lines",
                           (unsigned long long)bytes);
    for (size_t i = 0; i < LINES; i++)
        line[i] = random_line(r, bytes);
    if (sides_probe(d, sm, L2_ATOM, line, LINES, REPS, cycles) != 0)
        return -1;
    if (!two_modes(cycles, LINES, &sp)) {
        s->near = s->far = s->threshold = split_median(cycles, LINES);
        return 0;
    }
    s->near = sp.low;
    s->far = sp.high;
    s->threshold = sp.at;
    if (others_agree(d, s, line, cycles, &s->kind) != 0)
        return -1;
    if (s->kind != SIDES_TABLE)
        return 0;
    if (find_mask(d, s, r) != 0)
        return -1;
    shrink_page(s);
    if (s->mask == 0 || s->mixed != 0 || s->bytes >> s->page_shift == 0)
        return 0;
    return find_pages(d, s, r) != 0 || check(d, s, r) != 0 ? -1 : 0;
}

unsigned sides_of(const struct sides *s, uint64_t offset)
{
    uint64_t page = offset >> s->page_shift;

    return l2_parity(offset & s->mask) ^ (s->page_side[page / 32] >> (page & 31) & 1);
}

int sides_sm(struct device *d, const struct sides *s, int sm, struct rng *r, unsigned *side)
{
    uint64_t line[FLIPS];
    double cycles[FLIPS];
    unsigned far = 0;

    for (size_t i = 0; i < FLIPS; i++)
        line[i] = random_line(r, (uint64_t)s->npage << s->page_shift);
    if (sides_probe(d, sm, L2_ATOM, line, FLIPS, REPS, cycles) != 0)
        return -1;
    for (size_t i = 0; i < FLIPS; i++)
        far += (cycles[i] > s->threshold) != sides_of(s, line[i]);
    *side = far > FLIPS / 2;
    return 0;
}

/* The first SM that is near the far side. */
static int find_far_sm(struct device *d, const struct sides *s, struct rng *r, int *sm)
{
    unsigned side = 0;

    for (*sm = 0; *sm < (int)d->info.sms; ++*sm) {
        if (sides_sm(d, s, *sm, r, &side) != 0)
            return -1;
        if (side != 0)
            return 0;
    }
    *sm = -1;
    return 0;
}

int sides_other_sm(struct device *d, int sm, struct rng *r, int *other)
{
    struct sides s = {0};
    int rc = 0;

    *other = -1;
    if (d->ops->alloc(d, OTHER_BYTES) != 0 || sides_find(d, sm, OTHER_BYTES, r, &s) != 0)
        return -1;
    if (s.kind == SIDES_LINEAR)
        rc = find_far_sm(d, &s, r, other);
    sides_free(&s);
    return rc;
}

int sides_pool(const struct sides *s, unsigned want, struct l2_pool *p)
{
    uint64_t bytes = ((uint64_t)p->stride) << p->log2_lines, first = p->base >> s->page_shift;
    uint64_t npage = (bytes + (1ull << s->page_shift) - 1) >> s->page_shift;

    p->side_mask = 0;
    if (s->kind == SIDES_ONE)
        return 0;
    if (s->kind != SIDES_LINEAR || npage > L2_POOL_PAGES || first + npage > s->npage ||
        p->base & ((1ull << s->page_shift) - 1))
        return -1;
    p->flip = s->flip;
    while (p->flip < s->page_shift &&
           (1ull << p->flip < p->stride || (s->mask >> p->flip & 1) == 0))
        p->flip++;
    if (p->flip == s->page_shift || 1ull << p->flip >= bytes)
        return -1;
    p->side_mask = s->mask;
    p->page_shift = s->page_shift;
    p->want = want;
    memset(p->page_side, 0, sizeof p->page_side);
    for (uint64_t k = 0; k < npage; k++)
        p->page_side[k / 32] |= (s->page_side[(first + k) / 32] >> ((first + k) & 31) & 1)
                                << k % 32;
    return 0;
}

void sides_free(struct sides *s)
{
    free(s->page_side);
    s->page_side = NULL;
}
