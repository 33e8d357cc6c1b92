/* Random chips, so that what recovers chips can be tested against a known truth. */
#include "chip_draw.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "policy.h"

static uint32_t between(struct rng *r, uint32_t lo, uint32_t hi)
{
    return lo + (uint32_t)rng_below(r, hi - lo + 1);
}

static bool one_in(struct rng *r, uint32_t n)
{
    return rng_below(r, n) == 0;
}

/* A mask whose lowest bit is `low` and which has some higher bits below 2^21, inside a page. */
static uint64_t mask_from(struct rng *r, uint32_t low)
{
    uint64_t m = 1ull << low;

    for (uint32_t bit = low + 1; bit < 21; bit++)
        m |= (uint64_t)one_in(r, 3) << bit;
    return m;
}

/* Independent masks: their lowest bits differ. */
static void draw_masks(struct chip *c, struct rng *r, uint32_t slice_bits, uint32_t grain)
{
    uint32_t low = grain + 1, sides = c->sides == 4 ? 2 : c->sides - 1;

    c->slice_masks.n = slice_bits;
    c->side_masks.n = sides;
    for (uint32_t i = 0; i < slice_bits; i++)
        c->slice_masks.v[i] = mask_from(r, low++);
    low = low > 12 ? low : 12;
    for (uint32_t i = 0; i < sides; i++)
        c->side_masks.v[i] = mask_from(r, low++);
}

/* Slices as 2^k by XOR times n by modulo or table. */
static void draw_slices(struct chip *c, struct rng *r, const struct chip_draw *how)
{
    static const uint32_t parts[] = {1, 1, 2, 3, 5, 6, 7, 9, 11, 13};
    uint32_t line = (uint32_t)__builtin_ctz(c->line), grain = between(r, line, 12);
    uint32_t n = parts[rng_below(r, sizeof parts / sizeof *parts)], bits = between(r, 0, 3);

    c->slice_modulo = n;
    if (how->slices > 0) {
        c->slice_modulo = how->slices;
        for (bits = 0; bits < 3 && c->slice_modulo % 2 == 0 && one_in(r, 2); bits++)
            c->slice_modulo /= 2;
    }
    c->slices = (uint32_t)c->slice_modulo << bits;
    c->slice_order = one_in(r, 2) ? ORDER_MIXED : ORDER_PLAIN;
    c->slice_key = 0xffffffffffffu & ~((1ull << grain) - 1);
    draw_masks(c, r, bits, grain);
    if (!how->table || c->slice_modulo > 64)
        return;
    c->slice_table.n = (uint32_t)c->slice_modulo * 4;
    for (uint32_t i = 0; i < c->slice_table.n; i++)
        c->slice_table.v[i] = i % c->slice_modulo;
    for (uint32_t i = c->slice_table.n; i > 1; i--) {
        uint32_t j = (uint32_t)rng_below(r, i);
        uint64_t t = c->slice_table.v[i - 1];

        c->slice_table.v[i - 1] = c->slice_table.v[j];
        c->slice_table.v[j] = t;
    }
    c->slice_modulo = 1;
}

static void draw_latencies(struct chip *c, struct rng *r)
{
    c->timer = between(r, 2, 40);
    c->latency_local = between(r, 180, 320);
    c->latency_remote = c->latency_local + between(r, 80, 200);
    c->latency_dram = c->latency_remote + between(r, 90, 250);
    c->latency_dram_remote = c->latency_dram + between(r, 90, 250);
    c->spread_slice = between(r, 2, 8);
    c->spread_sm = between(r, 2, 8);
    c->spread_pair = between(r, 2, 10);
    c->l1 = 1024ull * between(r, 8, 64);
    c->l1_latency = between(r, 25, 40);
}

static void draw_noise(struct chip *c, struct rng *r)
{
    c->noise = 1 + 3 * rng_uniform(r);
    c->noise_dram = 4 + 14 * rng_uniform(r);
    c->outlier_rate = 0.002 * rng_uniform(r);
    c->outlier_cycles = between(r, 100, 1000);
    c->drift = one_in(r, 4) ? 0.01 * rng_uniform(r) : 0;
    c->drift_seconds = 0.05;
    c->neighbour = one_in(r, 8) ? 0.0005 * rng_uniform(r) : 0;
}

static void draw_writes(struct chip *c, struct rng *r)
{
    c->write_allocate = between(r, ALLOCATE_SECTOR, ALLOCATE_NONE);
    c->write_back = !one_in(r, 4);
    c->partial_store = between(r, PARTIAL_MASK, PARTIAL_FETCH);
    c->dirty_ways = one_in(r, 2) ? 0 : between(r, 1, c->ways - 1);
    c->dirty_excess = between(r, EXCESS_CLEAN, EXCESS_EVICT);
}

static void draw_cache(struct chip *c, struct rng *r, const struct chip_draw *how)
{
    uint32_t lines = how->max_lines > 0 ? how->max_lines : 8192, per_set;
    struct policy p = policy_at(rng_below(r, policy_count_plain()));

    c->ways = between(r, 4, 24);
    per_set = c->sides * c->slices * c->ways;
    c->sets = lines / 4 / per_set < 8 ? 8 : lines / 4 / per_set;
    c->sets = between(r, c->sets, lines / per_set > c->sets ? lines / per_set : c->sets + 8);
    c->set_hash = one_in(r, 4) ? SET_NONE : one_in(r, 2) ? SET_XOR : SET_MIX;
    memcpy(c->policy, how->policy != NULL ? how->policy : p.name,
           how->policy != NULL ? strlen(how->policy) + 1 : sizeof c->policy);
    c->fetch = c->sector << between(r, 0, (uint32_t)__builtin_ctz(c->line / c->sector));
    c->l2_api = chip_capacity(c);
}

void chip_draw(struct chip *c, struct rng *r, const struct chip_draw *how)
{
    chip_default(c);
    c->seed = rng_u64(r) >> 16;
    memcpy(c->name, "drawn", 6);
    memcpy(c->about, "a randomly drawn chip", 22);
    c->sides = how->sides > 0 ? how->sides : one_in(r, 8) ? 4 : between(r, 1, 2);
    c->sms = c->sides * between(r, 4, 8);
    c->sm_run = between(r, 0, 3);
    c->memory = 1ull << 30;
    c->line = one_in(r, 3) ? 64 : 128;
    c->sector = 32;
    c->extent = between(r, 1, 8);
    if (how->copies) {
        c->copies = between(r, COPIES_ALWAYS, COPIES_SECOND);
        c->copy_insert = between(r, INSERT_MRU, INSERT_LRU);
        c->copy_drop = one_in(r, 2);
    }
    c->side_page = c->sides > 1 && one_in(r, 2);
    draw_slices(c, r, how);
    draw_cache(c, r, how);
    draw_latencies(c, r);
    draw_writes(c, r);
    if (how->noise)
        draw_noise(c, r);
    c->persist_max = chip_capacity(c) / 2;
    c->window_max = 1 << 27;
    c->service_partner = 0.6;
    c->service_load = c->service_atom = 20.0 / c->sms;
}

static int number_word(const char *word, const char *name, uint32_t most, uint32_t *value)
{
    size_t len = strlen(name);
    uint64_t v;

    if (strncmp(word, name, len) != 0 || word[len] != '=')
        return 0;
    if (parse_u64(word + len + 1, &v) != 0 || v == 0 || v > most)
        return -1;
    *value = (uint32_t)v;
    return 1;
}

/* 1: taken; 0: not known; -1: bad value. */
static int draw_word(struct chip_draw *how, char *word)
{
    struct policy p;
    int got;

    if (strcmp(word, "noise") == 0)
        return how->noise = true;
    if (strcmp(word, "table") == 0)
        return how->table = true;
    if (strcmp(word, "copies") == 0)
        return how->copies = true;
    if (strncmp(word, "policy=", 7) == 0) {
        how->policy = word + 7;
        return policy_find(how->policy, &p) == 0 ? 1 : -1;
    }
    if ((got = number_word(word, "lines", 1 << 22, &how->max_lines)) != 0 ||
        (got = number_word(word, "slices", 512, &how->slices)) != 0)
        return got;
    got = number_word(word, "sides", CHIP_SIDES, &how->sides);
    return got == 1 && how->sides == 3 ? -1 : got;
}

int chip_draw_words(struct chip *c, const char *words, char *why, size_t why_size)
{
    struct chip_draw how = {0};
    char copy[256], *save = NULL, *word;
    uint64_t seed;
    struct rng r;

    snprintf(copy, sizeof copy, "%s", words);
    word = strtok_r(copy, ",", &save);
    if (word == NULL || parse_u64(word, &seed) != 0)
        return cli_why(why, why_size, "draw: a seed comes first: '%s'", words);
    while ((word = strtok_r(NULL, ",", &save)) != NULL)
        if (draw_word(&how, word) <= 0) {
            snprintf(
                why, why_size,
                "draw: not noise, table, copies, lines=N, sides=1|2|4, slices=N, policy=NAME: '%s'",
                word);
            return -1;
        }
    rng_seed(&r, seed);
    chip_draw(c, &r, &how);
    return chip_check(c, why, why_size);
}
