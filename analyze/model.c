/* Facts to a chip: sets follow from the capacity where they were not counted, and what nobody measured is assumed as it is
 * on the chips that are known: LRU, 16 ways, lines of 128 bytes, copies always, hashed sets. */
#include "model.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/cli.h"
#include "../share/lib/data.h"
#include "../share/lib/mem.h"
#include "../share/lib/policy.h"

enum fact_type { NUMBER, WORD, BITS, LIST };
struct fact {
    const char *param;
    enum fact_type type;
    size_t at;
};

#define AT(field) offsetof(struct model_facts, field)
static const struct fact facts[] = {
    {"sides", NUMBER, AT(sides)},
    {"ways", NUMBER, AT(ways)},
    {"sets_side", NUMBER, AT(sets_side)},
    {"slices_side", NUMBER, AT(slices_side)},
    {"line", NUMBER, AT(line)},
    {"sector", NUMBER, AT(sector)},
    {"fetch_default", NUMBER, AT(fetch)},
    {"capacity_side", NUMBER, AT(capacity_side)},
    {"capacity_total", NUMBER, AT(capacity_total)},
    {"latency_local", NUMBER, AT(latency_local)},
    {"latency_remote", NUMBER, AT(latency_remote)},
    {"latency_dram", NUMBER, AT(latency_dram)},
    {"latency_dram_remote", NUMBER, AT(latency_dram_remote)},
    {"dirty_ways", NUMBER, AT(dirty_ways)},
    {"grain", NUMBER, AT(grain)},
    {"side_mask", BITS, AT(side_mask)},
    {"slice_bits", BITS, AT(slice_bits)},
    {"sm_sides", LIST, AT(sm_split)},
    {"policy", WORD, AT(policy)},
    {"write_allocate", WORD, AT(write_allocate)},
    {"write_back", WORD, AT(write_back)},
    {"copy_model", WORD, AT(copy_model)},
    {"evicted_first", WORD, AT(evicted_first)},
};

static uint64_t bits_of(const char *value)
{
    uint64_t mask = 0;
    char *end;

    for (const char *at = value; *at != '\0'; at = *end == ',' ? end + 1 : end) {
        unsigned long bit = strtoul(at, &end, 10);

        if (end == at || bit > 62 || (*end != '\0' && *end != ','))
            return 0;
        mask |= 1ull << bit;
    }
    return mask;
}

/* A verdict has a list in one row: "66;66". */
static void add_list(struct chip_list *list, const char *value)
{
    char *end;

    for (const char *at = value; list->n < CHIP_SIDES; at = end + 1) {
        unsigned long v = strtoul(at, &end, 10);

        if (end == at || v == 0 || (*end != '\0' && *end != ';'))
            return;
        list->v[list->n++] = v;
        if (*end == '\0')
            return;
    }
}

void model_fact(struct model_facts *f, const char *param, const char *value)
{
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        void *at = (char *)f + facts[i].at;
        uint64_t *number = at;
        struct chip_list *list = at;
        double v = NAN;

        if (strcmp(facts[i].param, param) != 0)
            continue;
        if (facts[i].type == NUMBER && (parse_double(value, &v) != 0 || !(v > 0 && v < 1e15)))
            return;
        if (facts[i].type == NUMBER && *number == 0)
            *number = (uint64_t)llround(v);
        else if (facts[i].type == LIST)
            add_list(list, value);
        else if (facts[i].type == BITS && *number == 0)
            *number = bits_of(value);
        else if (facts[i].type == WORD && *(char *)at == '\0')
            snprintf(at, sizeof f->policy, "%s", value);
    }
}

/* The fact, or what is assumed in its place, which is then said. */
static uint32_t fact_or(uint64_t fact, uint32_t assumed, const char *param, struct prov *p)
{
    if (fact > 0 && fact <= UINT32_MAX)
        return (uint32_t)fact;
    prov_addf(p, "#note model: %s is not in the table, %u assumed", param, assumed);
    return assumed;
}

static void build_words(struct chip *c, const struct model_facts *f, struct prov *p)
{
    struct policy policy;

    if (policy_find(f->policy, &policy) == 0)
        snprintf(c->policy, sizeof c->policy, "%s", policy.name);
    else
        prov_addf(p, "#note model: policy is not in the table, lru assumed");
    if (strcmp(f->write_allocate, "no") == 0)
        c->write_allocate = ALLOCATE_NONE;
    else if (strcmp(f->write_allocate, "fetch") == 0)
        c->write_allocate = ALLOCATE_FETCH;
    c->write_back = strcmp(f->write_back, "no") != 0;
    c->dirty_ways = f->dirty_ways < c->ways ? (uint32_t)f->dirty_ways : 0;
    c->evict_first = strcmp(f->evicted_first, "clean") == 0   ? FIRST_WASHED
                     : strcmp(f->evicted_first, "dirty") == 0 ? FIRST_DIRTY
                                                              : FIRST_ANY;
}

/* "first,high,kept,shared", as l2copies says it; else as on the chips that are known. */
static void build_copies(struct chip *c, const struct model_facts *f, struct prov *p)
{
    c->copy_store = STORE_KEEPS;
    c->copy_fetch = 1;
    prov_addf(p, "#note model: stores to copies are assumed to write to them, no table tells");
    if (f->copy_model[0] == '\0')
        prov_addf(p, "#note model: copy_model is not in the table, first,high,kept,shared assumed");
    if (strncmp(f->copy_model, "never", 5) == 0)
        c->copies = COPIES_NEVER;
    else if (strncmp(f->copy_model, "second", 6) == 0)
        c->copies = COPIES_SECOND;
    if (strstr(f->copy_model, ",low") != NULL)
        c->copy_insert = INSERT_LRU;
    c->copy_drop = strstr(f->copy_model, ",dropped") != NULL;
}

/* Address bits that choose a slice: those that were seen to, and all above them; else all above the grain. */
static uint64_t slice_key(const struct model_facts *f, uint32_t line)
{
    uint64_t grain = f->grain >= line ? f->grain : line;

    if (f->slice_bits == 0)
        return ~(grain - 1);
    return f->slice_bits | ~((2ull << (63 - __builtin_clzll(f->slice_bits))) - 1);
}

/* SMs and sides. */
static void build_sides(struct chip *c, const struct model_facts *f, struct prov *p)
{
    const char *said = prov_get(p, "sms", 0);
    uint64_t sms = 0;

    c->sides = fact_or(f->sides, f->capacity_total > f->capacity_side * 3 / 2 ? 2 : 1, "sides", p);
    if (f->sm_split.n == c->sides) {
        c->sm_split = f->sm_split;
        for (uint32_t i = 0; i < c->sides; i++)
            sms += f->sm_split.v[i];
        c->sms = (uint32_t)sms;
    } else {
        if (said == NULL || parse_u64(said, &sms) != 0 || sms < c->sides || sms > 1024)
            sms = c->sides * 16;
        c->sms = (uint32_t)sms;
        prov_addf(p, "#note model: sm_sides is not in the table, %u SMs in equal parts assumed",
                  c->sms);
    }
    if (c->sides == 1)
        return;
    c->side_masks.n = c->sides == 4 ? 2 : 1;
    c->side_masks.v[0] = f->side_mask != 0 ? f->side_mask : 0x1000;
    c->side_masks.v[1] = 0x2000;
    c->side_page = 1;
    build_copies(c, f, p);
}

int model_build(struct chip *c, const struct model_facts *f, struct prov *p, char *why, size_t size)
{
    uint64_t sets = f->sets_side;

    chip_default(c);
    snprintf(c->name, sizeof c->name, "table");
    snprintf(c->about, sizeof c->about, "from a table of findings");
    c->memory = 1ull << 36;
    c->set_hash = SET_XOR;
    c->line = fact_or(f->line, 128, "line", p);
    c->sector = fact_or(f->sector, 32, "sector", p);
    c->fetch = fact_or(f->fetch, 2 * c->sector, "fetch_default", p);
    c->ways = fact_or(f->ways, 16, "ways", p);
    build_sides(c, f, p);
    if (sets == 0)
        sets = (f->capacity_side > 0 ? f->capacity_side : f->capacity_total / c->sides) / c->line /
               c->ways;
    if (sets == 0)
        return cli_why(why, size, "no sets_side, capacity_side or capacity_total in the table");
    c->slices = f->slices_side > 0 && f->slices_side <= 1024 ? (uint32_t)f->slices_side : 1;
    c->slice_modulo = c->slices;
    c->slice_order = ORDER_MIXED;
    c->slice_key = slice_key(f, c->line);
    c->extent = 8;
    c->sets = (uint32_t)((sets + c->slices / 2) / c->slices);
    c->latency_local = fact_or(f->latency_local, 280, "latency_local", p);
    c->latency_dram = fact_or(f->latency_dram, 2 * c->latency_local, "latency_dram", p);
    c->latency_remote = c->latency_local;
    c->latency_dram_remote = c->latency_dram;
    if (c->sides > 1) {
        c->latency_remote =
            fact_or(f->latency_remote, c->latency_local * 8 / 5, "latency_remote", p);
        c->latency_dram_remote =
            fact_or(f->latency_dram_remote, c->latency_dram * 13 / 10, "latency_dram_remote", p);
    }
    build_words(c, f, p);
    return chip_check(c, why, size);
}

/* One SM more, on a side: the last run grows, or others begin, those of sides between without any SM. */
static int add_sm(struct chip_list *runs, uint32_t sides, uint64_t side)
{
    while (runs->n == 0 || (runs->n - 1) % sides != side) {
        if (runs->n == CHIP_LIST)
            return -1;
        runs->v[runs->n++] = 0;
    }
    runs->v[runs->n - 1]++;
    return 0;
}

void xmodel_sms(struct chip *c, const char *file, struct prov *p)
{
    char *files[] = {xstrdup(file), NULL};
    struct tsv *t = xtsv_open(files);
    uint8_t was[1024] = {0};
    uint32_t sms = 0;
    enum tsv_event ev;

    chip_sm_sides(c, was);
    c->sm_runs.n = c->sm_split.n = 0;
    while ((ev = xtsv_next(t)) != TSV_END) {
        size_t sm = tsv_find(t, "sm"), side = tsv_find(t, "side");
        uint64_t at;

        if (sm == TSV_NONE || side == TSV_NONE)
            xtsv_bad_line(t, "no columns sm and side: not what l2slice -s prints");
        if (ev != TSV_ROW)
            continue;
        if (xtsv_u64(t, sm) != sms || sms++ == sizeof was)
            xtsv_bad(t, sm, "SMs do not follow each other from 0 on");
        at = c->sides == 1 ? 0 : xtsv_u64(t, side);
        if (at >= c->sides)
            xtsv_bad(t, side, "the model has fewer sides");
        /* Side 0 of the table is that of its SM 0, wherever the model has it. */
        at = at == 0 ? was[0] : at == was[0] ? 0 : at;
        if (add_sm(&c->sm_runs, c->sides, at) != 0)
            xtsv_bad(t, sm, "too many runs of SMs");
    }
    if (sms == 0)
        xdie(EXIT_FAILED, "%s: no SMs", file);
    c->sms = sms;
    prov_addf(p, "#note model: sides of %u SMs from %s", sms, file);
    tsv_close(t);
    free(files[0]);
}

static void read_table(struct chip *c, const char *file, struct prov *p)
{
    struct model_facts *f = xcalloc(1, sizeof *f);
    char *files[] = {xstrdup(file), NULL}, why[256];
    struct tsv *t = xtsv_open(files);
    enum tsv_event ev;

    t->many_tables = true;
    while ((ev = xtsv_next(t)) != TSV_END) {
        size_t param = tsv_find(t, "param"), value = tsv_find(t, "value");
        char *name, *text;

        if (param == TSV_NONE || value == TSV_NONE)
            xtsv_bad_line(t, "no columns param and value: not a table of findings");
        if (ev != TSV_ROW)
            continue;
        name = xstrndup(t->field[param].ptr, t->field[param].len);
        text = xstrndup(t->field[value].ptr, t->field[value].len);
        model_fact(f, name, text);
        free(name);
        free(text);
    }
    for (size_t i = 0; i < t->prov.n; i++)
        prov_add(p, t->prov.line[i], strlen(t->prov.line[i]));
    if (model_build(c, f, p, why, sizeof why) != 0)
        xdie(EXIT_FAILED, "%s: %s", file, why);
    tsv_close(t);
    free(files[0]);
    free(f);
}

/* Whether the file's first bytes are a table's. */
static bool is_table(FILE *f)
{
    char begin[7] = "";
    size_t n = fread(begin, 1, 6, f);

    rewind(f);
    return n >= 2 && (memcmp(begin, "#l2tsv", 6) == 0 || memcmp(begin, "\x1f\x8b", 2) == 0);
}

void xmodel_read(struct chip *c, const char *name, struct prov *p)
{
    char *path, *folder, why[256];
    FILE *f;

    if (strchr(name, '/') != NULL || strchr(name, '.') != NULL) {
        path = xstrdup(name);
    } else {
        folder = xdata_path("devices");
        path = xprintf("%s/%s.dev", folder, name);
        free(folder);
    }
    f = fopen(path, "r");
    if (f == NULL)
        xdie(EXIT_FAILED, "%s: %s", path, strerror(errno));
    if (is_table(f)) {
        read_table(c, path, p);
    } else if (chip_read(c, f, path, why, sizeof why) != 0) {
        xdie(EXIT_FAILED, "%s", why);
    }
    fclose(f);
    prov_addf(p, "#note model %s: %s", name, c->about);
    free(path);
}
