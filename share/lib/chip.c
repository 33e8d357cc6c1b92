/* Device files: one table of keys, from which the reader, the bounds, the defaults and the writer follow.
 *
 * What the table can't say (slices = 2^masks x modulo, and so on) is in chip_check's second table of conditions. */
#include "chip.h"
#include "cli.h"
#include "place.h"
#include "policy.h"
#include "rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum type { TEXT, U32, U64, SIZE, INT, REAL, WORD, LIST, MASKS, MASK };

struct key {
    const char *name;
    enum type type;
    size_t at;
    double lo, hi;       /* TEXT: hi is the room */
    const char *initial; /* as in a file */
    const char *words;   /* WORD: choices in the order of their values */
};

#define AT(field) offsetof(struct chip, field)

static const struct key keys[] = {
    {"name", TEXT, AT(name), 0, sizeof((struct chip *)0)->name, "default", NULL},
    {"about", TEXT, AT(about), 0, sizeof((struct chip *)0)->about, "a model", NULL},
    {"seed", U64, AT(seed), 0, 9e18, "1", NULL},
    {"cc_major", U32, AT(cc_major), 1, 99, "9", NULL},
    {"cc_minor", U32, AT(cc_minor), 0, 9, "0", NULL},
    {"sms", U32, AT(sms), 1, 1024, "4", NULL},
    {"sm_split", LIST, AT(sm_split), 0, 1024, "", NULL},
    {"sm_runs", LIST, AT(sm_runs), 1, 1024, "", NULL},
    {"sm_run", U32, AT(sm_run), 0, 1024, "0", NULL},
    {"sm_mhz", U32, AT(sm_mhz), 1, 10000, "1500", NULL},
    {"mem_mhz", U32, AT(mem_mhz), 1, 100000, "1000", NULL},
    {"bus_width", U32, AT(bus_width), 0, 65536, "256", NULL},
    {"memory", SIZE, AT(memory), 1 << 20, 0x1p46, "1G", NULL},
    {"l2_api", SIZE, AT(l2_api), 0, 0x1p40, "0", NULL},
    {"persist_max", SIZE, AT(persist_max), 0, 0x1p40, "0", NULL},
    {"window_max", SIZE, AT(window_max), 0, 0x1p40, "0", NULL},
    {"locked", INT, AT(locked), -1, 1, "-1", NULL},
    {"temperature", INT, AT(temperature), -1, 200, "40", NULL},
    {"processes", INT, AT(processes), 0, 1000, "0", NULL},
    {"ecc", INT, AT(ecc), -1, 1, "-1", NULL},
    {"mig", INT, AT(mig), -1, 1, "0", NULL},
    {"page", SIZE, AT(page), 4096, 0x1p30, "2M", NULL},
    {"extent", U32, AT(extent), 1, 1 << 20, "1", NULL},
    {"sides", U32, AT(sides), 1, CHIP_SIDES, "1", NULL},
    {"side_masks", MASKS, AT(side_masks), 0, 0x1p46, "", NULL},
    {"side_page", WORD, AT(side_page), 0, 0, "none", "none random"},
    {"slices", U32, AT(slices), 1, 1024, "1", NULL},
    {"slice_masks", MASKS, AT(slice_masks), 0, 0x1p46, "", NULL},
    {"slice_modulo", U64, AT(slice_modulo), 1, 1024, "1", NULL},
    {"slice_order", WORD, AT(slice_order), 0, 0, "plain", "plain mixed"},
    {"slice_table", LIST, AT(slice_table), 0, 1023, "", NULL},
    {"slice_key", MASK, AT(slice_key), 0, 0x1p63, "0xffffffffffff", NULL},
    {"sub_slices", U32, AT(sub_slices), 1, 16, "1", NULL},
    {"set_hash", WORD, AT(set_hash), 0, 0, "none", "none xor mix"},
    {"sets", U32, AT(sets), 1, 1 << 22, "64", NULL},
    {"ways", U32, AT(ways), 1, POLICY_WAYS, "16", NULL},
    {"line", U32, AT(line), 16, 256, "128", NULL},
    {"sector", U32, AT(sector), 8, 256, "32", NULL},
    {"fetch", U32, AT(fetch), 8, 256, "64", NULL},
    {"hint_lead", U32, AT(hint_lead), 0, 4096, "0", NULL},
    {"policy", TEXT, AT(policy), 0, sizeof((struct chip *)0)->policy, "lru", NULL},
    {"copies", WORD, AT(copies), 0, 0, "always", "always never second"},
    {"copy_insert", WORD, AT(copy_insert), 0, 0, "mru", "mru lru"},
    {"copy_drop", WORD, AT(copy_drop), 0, 0, "no", "no yes"},
    {"copy_store", WORD, AT(copy_store), 0, 0, "drop", "drop keep"},
    {"copy_fetch", WORD, AT(copy_fetch), 0, 0, "sectors", "sectors block"},
    {"write_allocate", WORD, AT(write_allocate), 0, 0, "sector", "sector fetch none"},
    {"write_back", WORD, AT(write_back), 0, 0, "yes", "no yes"},
    {"partial_store", WORD, AT(partial_store), 0, 0, "mask", "mask fetch"},
    {"dirty_ways", U32, AT(dirty_ways), 0, POLICY_WAYS, "0", NULL},
    {"dirty_excess", WORD, AT(dirty_excess), 0, 0, "clean", "clean evict"},
    {"evict_first", WORD, AT(evict_first), 0, 0, "any", "any dirty washed"},
    {"fetch_limit", WORD, AT(fetch_limit), 0, 0, "round", "round echo"},
    {"l1", SIZE, AT(l1), 0, 1 << 24, "0", NULL},
    {"l1_ways", U32, AT(l1_ways), 1, 64, "4", NULL},
    {"l1_latency", U32, AT(l1_latency), 0, 10000, "30", NULL},
    {"l1_inclusive", WORD, AT(l1_inclusive), 0, 0, "no", "no yes"},
    {"tlb_pages", LIST, AT(tlb_pages), 1, 1e9, "", NULL},
    {"tlb_cycles", LIST, AT(tlb_cycles), 0, 100000, "", NULL},
    {"timer", U32, AT(timer), 0, 1000, "0", NULL},
    {"latency_local", U32, AT(latency_local), 1, 50000, "200", NULL},
    {"latency_remote", U32, AT(latency_remote), 1, 50000, "300", NULL},
    {"latency_dram", U32, AT(latency_dram), 1, 50000, "450", NULL},
    {"latency_dram_remote", U32, AT(latency_dram_remote), 1, 50000, "600", NULL},
    {"atom_extra", U32, AT(atom_extra), 0, 10000, "0", NULL},
    {"store_latency", U32, AT(store_latency), 0, 10000, "20", NULL},
    {"dirty_evict", U32, AT(dirty_evict), 0, 10000, "0", NULL},
    {"spread_slice", REAL, AT(spread_slice), 0, 1000, "0", NULL},
    {"spread_sm", REAL, AT(spread_sm), 0, 1000, "0", NULL},
    {"spread_pair", REAL, AT(spread_pair), 0, 1000, "0", NULL},
    {"spread_sub", REAL, AT(spread_sub), 0, 1000, "0", NULL},
    {"noise", REAL, AT(noise), 0, 1000, "0", NULL},
    {"noise_dram", REAL, AT(noise_dram), 0, 1000, "0", NULL},
    {"outlier_rate", REAL, AT(outlier_rate), 0, 1, "0", NULL},
    {"outlier_cycles", REAL, AT(outlier_cycles), 0, 1e6, "0", NULL},
    {"drift", REAL, AT(drift), 0, 0.5, "0", NULL},
    {"drift_seconds", REAL, AT(drift_seconds), 1e-6, 1e6, "10", NULL},
    {"warmup_ms", REAL, AT(warmup_ms), 0, 1e6, "0", NULL},
    {"neighbour", REAL, AT(neighbour), 0, 100, "0", NULL},
    {"slice_bytes", REAL, AT(slice_bytes), 0, 1e6, "64", NULL},
    {"slice_write_bytes", REAL, AT(slice_write_bytes), 0, 1e6, "0", NULL},
    {"slice_atom_bytes", REAL, AT(slice_atom_bytes), 0, 1e6, "0", NULL},
    {"side_link_bytes", REAL, AT(side_link_bytes), 0, 1e9, "0", NULL},
    {"sm_bytes", REAL, AT(sm_bytes), 0, 1e6, "64", NULL},
    {"sm_inflight", REAL, AT(sm_inflight), 0, 1e9, "32768", NULL},
    {"dram_gbps", REAL, AT(dram_gbps), 0, 1e6, "100", NULL},
    {"dram_write_gbps", REAL, AT(dram_write_gbps), 0, 1e6, "0", NULL},
    {"service_load", REAL, AT(service_load), 0, 1e6, "1", NULL},
    {"service_atom", REAL, AT(service_atom), 0, 1e6, "2", NULL},
    {"service_partner", REAL, AT(service_partner), 0, 1, "0", NULL},
    {"service_bank", REAL, AT(service_bank), 0, 1, "0", NULL},
    {"service_banks", U32, AT(service_banks), 1, 65536, "8", NULL},
    {"fail_after", U64, AT(fail_after), 0, 9e18, "0", NULL},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* A number of the key's type within its bounds; 0, or -1 and what is wrong. */
static int number(const struct key *k, const char *word, uint64_t *u, double *d, char *why,
                  size_t size)
{
    bool mask = k->type == MASK || k->type == MASKS;
    char *end;
    int bad;

    if (k->type == REAL || k->type == INT) {
        bad = parse_double(word, d);
        if (k->type == INT && bad == 0 && *d != floor(*d))
            bad = -1;
    } else if (mask && strncmp(word, "0x", 2) == 0) {
        *u = strtoull(word, &end, 16);
        bad = *end != '\0' || end == word + 2 || strlen(word) > 18 ? -1 : 0;
    } else {
        bad = k->type == SIZE ? parse_size(word, u) : parse_u64(word, u);
    }
    if (bad != 0)
        return cli_why(why, size, "key %s: not a %s: '%s'", k->name,
                       k->type == SIZE ? "size"
                       : mask          ? "mask such as 0x1000"
                                       : "number",
                       word);
    if (k->type != REAL && k->type != INT)
        *d = (double)*u;
    if (!(*d >= k->lo && *d <= k->hi))
        return cli_why(why, size, "key %s: not between %.15g and %.15g: '%s'", k->name, k->lo,
                       k->hi, word);
    return 0;
}

static int word_of(const struct key *k, const char *value, uint32_t *out, char *why, size_t size)
{
    char words[64], *save = NULL;
    uint32_t i = 0;

    snprintf(words, sizeof words, "%s", k->words);
    for (char *w = strtok_r(words, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save), i++)
        if (strcmp(w, value) == 0) {
            *out = i;
            return 0;
        }
    return cli_why(why, size, "key %s: none of %s: '%s'", k->name, k->words, value);
}

static int list_of(const struct key *k, char *value, struct chip_list *l, char *why, size_t size)
{
    char *save = NULL;
    double d;

    l->n = 0;
    for (char *w = strtok_r(value, " \t", &save); w != NULL; w = strtok_r(NULL, " \t", &save)) {
        if (l->n == CHIP_LIST)
            return cli_why(why, size, "key %s: more than %d values", k->name, CHIP_LIST);
        if (number(k, w, &l->v[l->n], &d, why, size) != 0)
            return -1;
        l->n++;
    }
    return 0;
}

static int store(struct chip *c, const struct key *k, char *value, char *why, size_t size)
{
    char *at = (char *)c + k->at;
    uint64_t u = 0;
    double d = 0;

    if (k->type == TEXT) {
        if (strlen(value) >= (size_t)k->hi)
            return cli_why(why, size, "key %s: longer than %g: '%s'", k->name, k->hi - 1, value);
        memcpy(at, value, strlen(value) + 1);
        return 0;
    }
    if (k->type == WORD)
        return word_of(k, value, (uint32_t *)(void *)at, why, size);
    if (k->type == LIST || k->type == MASKS)
        return list_of(k, value, (struct chip_list *)(void *)at, why, size);
    if (number(k, value, &u, &d, why, size) != 0)
        return -1;
    if (k->type == REAL)
        memcpy(at, &d, sizeof d);
    else if (k->type == INT)
        *(int32_t *)(void *)at = (int32_t)d;
    else if (k->type == U32)
        *(uint32_t *)(void *)at = (uint32_t)u;
    else
        memcpy(at, &u, sizeof u);
    return 0;
}

void chip_default(struct chip *c)
{
    char value[64], why[128];

    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < KEYS; i++) {
        snprintf(value, sizeof value, "%s", keys[i].initial);
        if (store(c, &keys[i], value, why, sizeof why) != 0)
            abort();
    }
}

/* Cuts the line into key and value; 0 when there is nothing on it. */
static int cut(char *line, char **key, char **value)
{
    size_t len;

    line[strcspn(line, "#\n")] = '\0';
    line += strspn(line, " \t");
    len = strlen(line);
    while (len > 0 && strchr(" \t\r", line[len - 1]) != NULL)
        line[--len] = '\0';
    *key = line;
    line += strcspn(line, " \t");
    *value = line + strspn(line, " \t");
    *line = '\0';
    return len > 0;
}

static int line_of(struct chip *c, char *line, bool *seen, char *why, size_t size)
{
    char *key, *value;

    if (!cut(line, &key, &value))
        return 0;
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].name, key) != 0)
            continue;
        if (seen[i])
            return cli_why(why, size, "key %s is there twice", key);
        if (*value == '\0' && keys[i].type != LIST && keys[i].type != MASKS)
            return cli_why(why, size, "key %s has no value", key);
        seen[i] = true;
        return store(c, &keys[i], value, why, size);
    }
    return cli_why(why, size, "unknown key: '%s'", key);
}

int chip_read(struct chip *c, FILE *from, const char *file, char *why, size_t why_size)
{
    bool seen[KEYS] = {false};
    char *line = NULL, bad[256];
    size_t cap = 0, number_of = 0;
    int status = 0;

    chip_default(c);
    while (status == 0 && getline(&line, &cap, from) >= 0) {
        number_of++;
        status = line_of(c, line, seen, bad, sizeof bad);
    }
    free(line);
    if (ferror(from))
        return cli_why(why, why_size, "%s: can't be read", file);
    if (status != 0)
        return cli_why(why, why_size, "%s:%zu: %s", file, number_of, bad);
    if (chip_check(c, bad, sizeof bad) != 0)
        return cli_why(why, why_size, "%s: %s", file, bad);
    return 0;
}

static bool power_of_two(uint64_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
}

static bool sums_to(const struct chip_list *l, uint64_t total)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < l->n; i++)
        sum += l->v[i];
    return sum == total;
}

static uint64_t table_slices(const struct chip_list *l)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < l->n; i++)
        most = l->v[i] > most ? l->v[i] : most;
    return most + 1;
}

/* Whether every number below the largest is in the list. */
static bool table_whole(const struct chip_list *l)
{
    bool seen[CHIP_LIST * 2] = {false};
    uint64_t n = 0;

    for (uint32_t i = 0; i < l->n; i++) {
        n += !seen[l->v[i]];
        seen[l->v[i]] = true;
    }
    return l->n == 0 || n == table_slices(l);
}

int chip_check(const struct chip *c, char *why, size_t why_size)
{
    struct policy p;
    uint64_t low = 0, parts = c->slice_table.n ? table_slices(&c->slice_table) : c->slice_modulo;

    for (uint32_t i = 0; i < c->side_masks.n; i++)
        low |= c->side_masks.v[i];
    for (uint32_t i = 0; i < c->slice_masks.n; i++)
        low |= c->slice_masks.v[i];
    const struct {
        bool holds;
        const char *what;
    } rules[] = {
        {policy_find(c->policy, &p) == 0, "policy: not known"},
        {power_of_two(c->line) && power_of_two(c->sector) && power_of_two(c->fetch) &&
             power_of_two(c->page),
         "line, sector, fetch and page must be powers of two"},
        {c->sector <= c->line && c->line / c->sector <= 4, "a line has 1 to 4 sectors"},
        {c->sector <= 64, "sectors over 64 bytes are not modelled"},
        {c->fetch >= c->sector, "fetch is less than a sector"},
        {c->line <= c->page, "line is larger than page"},
        {c->memory / c->line < 0xffffffffu, "memory has more than 2^32 - 2 lines"},
        {c->memory / c->page >= 1, "memory is less than a page"},
        {power_of_two(c->sides), "sides must be 1, 2 or 4"},
        {c->side_masks.n == (c->sides == 4 ? 2 : c->sides - 1),
         "side_masks: one for 2 sides, two for 4"},
        {c->slice_masks.n <= 10 && c->slices == (1u << c->slice_masks.n) * parts,
         "slices must be 2^(slice_masks) x slice_modulo (or the numbers in slice_table)"},
        {c->slice_table.n == 0 || c->slice_modulo == 1,
         "slice_table and slice_modulo exclude each other"},
        {table_whole(&c->slice_table), "slice_table leaves a slice out"},
        {(low & (c->line - 1)) == 0, "masks must not use bits below the line"},
        {(uint32_t)__builtin_popcountll(place_pivots(c)) == c->side_masks.n + c->slice_masks.n,
         "side_masks and slice_masks must be linearly independent"},
        {c->sm_split.n == 0 || (c->sm_split.n == c->sides && sums_to(&c->sm_split, c->sms)),
         "sm_split: one number a side, together sms"},
        {c->sm_runs.n == 0 || sums_to(&c->sm_runs, c->sms), "sm_runs: together sms"},
        {c->tlb_pages.n == c->tlb_cycles.n && c->tlb_pages.n <= 4,
         "tlb_pages and tlb_cycles: as many of each, at most 4"},
        {c->dirty_ways <= c->ways, "dirty_ways is more than ways"},
        {c->l1 == 0 || c->l1 >= c->l1_ways * c->line, "l1 is less than one set"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!rules[i].holds)
            return cli_why(why, why_size, "%s", rules[i].what);
    return 0;
}

static void write_real(FILE *to, double d)
{
    char text[40];

    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, d);
        if (strtod(text, NULL) == d)
            break;
    }
    fputs(text, to);
}

static void write_word(FILE *to, const char *words, uint32_t k)
{
    while (k-- > 0)
        words += strcspn(words, " ") + 1;
    fprintf(to, "%.*s", (int)strcspn(words, " "), words);
}

static void write_value(FILE *to, const struct key *k, const void *at)
{
    const struct chip_list *l = at;
    uint64_t u;
    double d;

    switch (k->type) {
    case TEXT:
        fputs(at, to);
        break;
    case WORD:
        write_word(to, k->words, *(const uint32_t *)at);
        break;
    case LIST:
    case MASKS:
        for (uint32_t i = 0; i < l->n; i++)
            fprintf(to, k->type == LIST ? "%s%" PRIu64 : "%s0x%" PRIx64, i > 0 ? " " : "", l->v[i]);
        break;
    case REAL:
        memcpy(&d, at, sizeof d);
        write_real(to, d);
        break;
    case INT:
        fprintf(to, "%" PRId32, *(const int32_t *)at);
        break;
    case U32:
        fprintf(to, "%" PRIu32, *(const uint32_t *)at);
        break;
    default:
        memcpy(&u, at, sizeof u);
        fprintf(to, k->type == MASK ? "0x%" PRIx64 : "%" PRIu64, u);
    }
}

void chip_write(const struct chip *c, FILE *to)
{
    for (size_t i = 0; i < KEYS; i++) {
        fprintf(to, "%s ", keys[i].name);
        write_value(to, &keys[i], (const char *)c + keys[i].at);
        fputc('\n', to);
    }
}

uint64_t chip_capacity(const struct chip *c)
{
    return (uint64_t)c->sides * c->slices * c->sets * c->ways * c->line;
}

void chip_sm_sides(const struct chip *c, uint8_t *side)
{
    uint32_t left[CHIP_SIDES] = {0}, at = 0, s = 0;
    struct rng r;

    for (uint32_t i = 0; i < c->sm_runs.n; i++)
        for (uint64_t k = 0; k < c->sm_runs.v[i] && at < c->sms; k++)
            side[at++] = (uint8_t)(i % c->sides);
    rng_seed(&r, c->seed ^ 0x534d);
    for (uint32_t i = 0; i < c->sides; i++)
        left[i] = c->sm_split.n ? (uint32_t)c->sm_split.v[i]
                                : c->sms / c->sides + (i < c->sms % c->sides);
    while (at < c->sms) {
        uint32_t run = c->sm_run == 0 ? c->sms : 1 + (uint32_t)rng_below(&r, 2 * c->sm_run - 1);

        for (; run > 0 && left[s] > 0; run--, left[s]--)
            side[at++] = (uint8_t)s;
        s = (s + 1) % c->sides;
    }
}
