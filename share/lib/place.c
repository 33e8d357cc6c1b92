/* Compiles a chip's hashes, and evaluates them. */
#include "place_join.h"
#include "rng.h"

#include <string.h>

static uint32_t log2_of(uint64_t x)
{
    return 63 - (uint32_t)__builtin_clzll(x);
}

uint64_t place_pivots(const struct chip *c)
{
    uint64_t row[2 * CHIP_LIST], all = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->side_masks.n + c->slice_masks.n; i++) {
        uint64_t m =
            i < c->side_masks.n ? c->side_masks.v[i] : c->slice_masks.v[i - c->side_masks.n];

        for (uint32_t k = 0; k < n; k++)
            if (m & (row[k] & -row[k]))
                m ^= row[k];
        row[n++] = m;
        all |= m & -m;
    }
    return all;
}

/* Packs the bits of `mask`, run by run, into a number. */
static int pack(struct place_bits *b, uint64_t mask)
{
    memset(b, 0, sizeof *b);
    while (mask != 0) {
        uint32_t from = (uint32_t)__builtin_ctzll(mask), len = 0;

        while (from + len < 64 && (mask >> (from + len) & 1))
            len++;
        if (b->n == PLACE_FIELDS)
            return -1;
        b->field[b->n].shift = (uint8_t)from;
        b->field[b->n].to = (uint8_t)b->bits;
        b->field[b->n].mask = (1ull << len) - 1;
        b->n++;
        b->bits += len;
        mask &= ~(((1ull << len) - 1) << from);
    }
    return 0;
}

static uint64_t packed(const struct place_bits *b, uint64_t address)
{
    uint64_t v = 0;

    for (uint32_t i = 0; i < b->n; i++)
        v |= (address >> b->field[i].shift & b->field[i].mask) << b->field[i].to;
    return v;
}

static void init_table(struct placer *p, const struct chip *c)
{
    memset(p->count, 0, sizeof p->count);
    p->table_n = c->slice_table.n;
    for (uint32_t i = 0; i < p->table_n; i++) {
        p->table[i] = (uint16_t)c->slice_table.v[i];
        p->rank[i] = p->count[p->table[i]]++;
    }
}

int placer_init(struct placer *p, const struct chip *c)
{
    uint64_t lines = ((1ull << 46) - 1) & ~(uint64_t)(c->line - 1), free = lines & ~place_pivots(c);

    memset(p, 0, sizeof *p);
    p->side_bits = c->side_masks.n;
    p->slice_bits = c->slice_masks.n;
    memcpy(p->side_mask, c->side_masks.v, sizeof p->side_mask);
    memcpy(p->slice_mask, c->slice_masks.v, sizeof p->slice_mask);
    init_table(p, c);
    p->modulo = p->table_n ? p->table_n : (uint32_t)c->slice_modulo;
    p->sets = c->sets;
    p->modulo_inverse = ~0ull / p->modulo + 1;
    p->sets_inverse = ~0ull / p->sets + 1;
    p->sub_slices = c->sub_slices;
    p->page_shift = log2_of(c->page);
    p->seed = rng_mix(c->seed ^ 0x706c616365);
    p->mixed = c->slice_order == ORDER_MIXED;
    p->side_page = c->side_page != 0;
    p->set_hash = c->set_hash;
    if (pack(&p->unit, free & c->slice_key) != 0)
        return -1;
    if (pack(&p->inside, free & ~c->slice_key) != 0)
        return -1;
    p->inside_mask = (1ull << p->inside.bits) - 1;
    return 0;
}

static uint32_t parity(uint64_t x)
{
    x ^= x >> 32;
    x ^= x >> 16;
    x ^= x >> 8;
    return (uint32_t)(0x6996u >> ((x ^ x >> 4) & 15)) & 1;
}

struct place_part place_within(const struct placer *p, uint64_t offset)
{
    uint64_t u = packed(&p->unit, offset), row = place_over(u, p->modulo_inverse, p->modulo);
    uint32_t slice = 0, side = 0;

    for (uint32_t k = 0; k < p->side_bits; k++)
        side |= parity(offset & p->side_mask[k]) << k;
    for (uint32_t k = 0; k < p->slice_bits; k++)
        slice = slice << 1 | parity(offset & p->slice_mask[k]);
    return (struct place_part){row << p->inside.bits | packed(&p->inside, offset),
                               (uint32_t)(u - row * p->modulo), slice << PLACE_SIDE_BITS | side};
}

struct place_part place_page(const struct placer *p, uint64_t physical)
{
    struct place_part part = place_within(p, physical);

    if (p->side_page)
        part.bits ^=
            place_hash(physical >> p->page_shift, p->seed ^ 0x70616765, 1u << p->side_bits);
    return part;
}

struct place place_of(const struct placer *p, uint64_t physical)
{
    return place_from(p, place_page(p, physical));
}
