#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"

const char *const verdict_words[] = {"agree", "single", "disagree", "open", "missing"};

/* clang-format off */
const struct verdict_rule verdict_rules[] = {
    {"capacity_side",       0.05, RULE_EXPECTED | RULE_LAW},
    {"capacity_total",      0.05, RULE_EXPECTED | RULE_LAW},
    {"line",                0,    RULE_EXPECTED},
    {"sector",              0,    RULE_EXPECTED},
    {"fetch_default",       0,    RULE_EXPECTED},
    {"ways",                0,    RULE_EXPECTED},
    {"sets_side",           0.05, RULE_EXPECTED | RULE_LAW},
    {"sets_total",          0.05, RULE_LAW},
    {"index",               0,    0},
    {"policy",              0,    RULE_EXPECTED},
    {"policy_agreement",    0.01, RULE_ABOUT},
    {"policy_dirty",        0.05, 0},
    {"policy_repeats",      0,    RULE_ABOUT},
    {"policy_misread",      1,    RULE_ABOUT},
    {"slices",              0,    RULE_EXPECTED},
    {"slices_side",         0,    RULE_EXPECTED},
    {"slice_lines",         0.5,  RULE_ABOUT},
    {"slice_linear",        0,    0},
    {"slice_xor",           0,    RULE_LIST},
    {"slice_bits",          0,    0},
    {"slice_agreement",     0.01, RULE_ABOUT},
    {"subslices",           0,    0},
    {"grain",               0,    RULE_EXPECTED},
    {"sides",               0,    RULE_EXPECTED},
    {"sm_sides",            0,    RULE_EXPECTED | RULE_LIST},
    {"side_linear",         0,    0},
    {"side_mask",           0,    RULE_EXPECTED | RULE_SIDED | RULE_LIST},
    {"side_page",           0,    0},
    {"levels",              0,    0},
    {"latency_l1",          0.10, RULE_MANY},
    {"latency_local",       0.10, RULE_EXPECTED | RULE_MANY},
    {"latency_remote",      0.10, RULE_EXPECTED | RULE_MANY | RULE_SIDED},
    {"latency_dram",        0.10, RULE_EXPECTED | RULE_MANY},
    {"latency_dram_remote", 0.10, RULE_EXPECTED | RULE_MANY | RULE_SIDED},
    {"read_bw",             0.10, RULE_EXPECTED},
    {"write_bw",            0.10, RULE_EXPECTED},
    {"copy_bw",             0.10, 0},
    {"dram_bw",             0.10, RULE_EXPECTED},
    {"atom_bw",             0.10, 0},
    {"read_bw_own",         0.10, 0},
    {"read_bw_other",       0.10, 0},
    {"dram_write_bw",       0.10, 0},
    {"dram_copy_bw",        0.10, 0},
    {"read_bw_share",       0.10, RULE_ABOUT},
    {"slice_bw",            0.10, 0},
    {"slice_write_bw",      0.10, 0},
    {"slice_atom_bw",       0.10, 0},
    {"bw_inflight",         0.25, 0},
    {"write_allocate",      0,    RULE_EXPECTED},
    {"write_back",          0,    RULE_EXPECTED},
    {"dirty_ways",          0,    RULE_EXPECTED},
    {"tlb_reach",           0.15, RULE_EXPECTED},
    {"tlb_reach_inner",     0.25, RULE_LIST | RULE_ABOUT},
    {"tlb_reach_stride",    0.25, RULE_LIST | RULE_ABOUT},
    {"persist_kept",        0.10, RULE_EACH | RULE_ABOUT},
    {"fetch_set",           0,    RULE_LIST},
    {"fetch_hint",          0,    RULE_EACH},
    {"fetch_hint_start",    0,    RULE_EACH},
    {"l1_inclusive",        0,    RULE_EXPECTED},
    {NULL, 0, 0},
};
/* clang-format on */

#define OR " or "

/* Methods that differ only in what follows are one method. */
static const char *const families[] = {"evict_", NULL};

static size_t family_length(const char *method)
{
    for (size_t i = 0; families[i] != NULL; i++)
        if (strncmp(method, families[i], strlen(families[i])) == 0)
            return strlen(families[i]);
    return strlen(method) + 1;
}

static int same_method(const char *a, const char *b)
{
    size_t n = family_length(a);

    return n == family_length(b) && strncmp(a, b, n) == 0;
}

/* Words by which a filter says that it could not decide. */
static int undecided(const char *text)
{
    static const char *const words[] = {"none", "unknown", "not decided", "undecided", "-", NULL};

    for (size_t i = 0; words[i] != NULL; i++)
        if (strcmp(text, words[i]) == 0)
            return 1;
    return strstr(text, OR) != NULL;
}

static int is_word(const char *unit)
{
    return strcmp(unit, "word") == 0 || strcmp(unit, "bits") == 0;
}

static void add_method(struct verdict_row *r, const struct finding *f)
{
    struct verdict_method *m;

    r->m = xrealloc(r->m, r->n + 1, sizeof *r->m);
    m = &r->m[r->n++];
    *m = (struct verdict_method){
        .name = xstrdup(f->method),
        .text = xstrdup(f->text),
        .note = xstrdup(f->note),
        .value = f->value,
        .lo = isnan(f->lo) ? f->value : f->lo,
        .hi = isnan(f->hi) ? f->value : f->hi,
        .n = f->n,
    };
    if (is_word(r->unit))
        m->open = undecided(f->text);
    else
        m->open = !isfinite(f->value);
    m->choice = is_word(r->unit) && strstr(f->text, OR) != NULL;
    m->weak = (m->open && !m->choice) || (!is_word(r->unit) && !(m->hi <= 2 * m->lo));
}

/* One more row of a list: the items stay sorted, so that their order in the input does not matter. */
static void add_item(struct verdict_method *m, const struct finding *f)
{
    char *list = m->text, *at = list, *joined;
    size_t before = 0;

    for (; *at != '\0'; at += strcspn(at, ";"), at += *at == ';') {
        size_t len = strcspn(at, ";");
        double item = strtod(at, NULL), value = isnan(f->value) ? 0 : f->value;
        int order = strncmp(at, f->text, len > strlen(f->text) ? len : strlen(f->text));

        if (isnan(f->value) ? order > 0 : item < value)
            break;
        before = (size_t)(at - list) + len;
    }
    if (before == 0)
        joined = xprintf("%s;%s", f->text, list);
    else
        joined = xprintf("%.*s;%s%s", (int)before, list, f->text, list + before);
    free(m->text);
    m->text = joined;
    m->value += f->value;
    m->lo = m->hi = m->value;
}

static struct verdict_method *list_of(struct verdict_row *r, const char *method)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->m[i].name, method) == 0)
            return &r->m[i];
    return NULL;
}

static void join(char **list, const char *item)
{
    char *joined = xprintf("%s;%s", *list, item);

    free(*list);
    *list = joined;
}

/* One more condition of a row whose methods are not compared: the values in the order of the conditions, or the one that
 * all have. */
static void add_condition(struct verdict_method *m, const struct finding *f)
{
    char *name = xprintf("%s, %s", m->name, f->method), *first;

    if (strchr(m->text, ';') != NULL) {
        join(&m->text, f->text);
    } else if (strcmp(m->text, f->text) != 0) {
        first = xstrdup(m->text);
        for (const char *at = m->name; (at = strstr(at, ", ")) != NULL; at++)
            join(&m->text, first);
        join(&m->text, f->text);
        free(first);
    }
    free(m->name);
    m->name = name;
    m->n += f->n;
}

static void gather(struct verdict_row *r, const struct findings *fs)
{
    const struct finding *f;

    for (size_t k = 0; (f = findings_get(fs, r->rule.param, k)) != NULL; k++) {
        struct verdict_method *m = (r->rule.flags & RULE_LIST) ? list_of(r, f->method) : NULL;

        if ((r->rule.flags & RULE_EACH) && r->n > 0)
            add_condition(&r->m[0], f);
        else if (m != NULL)
            add_item(m, f);
        else
            add_method(r, f);
    }
}

/* The better of two methods to take the value from. by_width: the narrower; else the one with more observations. */
static int better(const struct verdict_method *a, const struct verdict_method *b, int by_width)
{
    double width_a = a->hi / a->lo, width_b = b->hi / b->lo;

    if (a->open != b->open)
        return !a->open;
    if (a->weak != b->weak)
        return !a->weak;
    if (by_width && width_a != width_b)
        return width_a < width_b;
    return a->n > b->n;
}

/* An end of an interval for comparison: a survey compares dozens of 95 % intervals, so each is made one of 99.7 %, half as
 * wide again. */
static double widened(const struct verdict_method *m, int end)
{
    return end < 0 ? m->lo - (m->value - m->lo) / 2 : m->hi + (m->hi - m->value) / 2;
}

static int agree(const struct verdict_row *r, const struct verdict_method *a,
                 const struct verdict_method *b)
{
    if (is_word(r->unit) || (r->rule.flags & RULE_LIST))
        return strcmp(a->text, b->text) == 0;
    return (widened(a, -1) <= widened(b, 1) && widened(b, -1) <= widened(a, 1)) ||
           fabs(a->value - b->value) <= r->rule.within * fmax(fabs(a->value), fabs(b->value));
}

/* Whether an earlier method, of those that support the value, is the same one. */
static int counted(const struct verdict_row *r, size_t k, int supporters)
{
    for (size_t i = 0; i < k; i++)
        if (same_method(r->m[i].name, r->m[k].name) &&
            (!supporters || (r->m[i].agrees && !r->m[i].weak)))
            return 1;
    return 0;
}

static void count_methods(struct verdict_row *r)
{
    for (size_t k = 0; k < r->n; k++) {
        const struct verdict_method *m = &r->m[k];

        r->methods += !counted(r, k, 0);
        if (m->agrees && !m->weak && !r->m[r->best].open && !counted(r, k, 1)) {
            r->agree++;
            r->evidence += m->n;
        }
    }
    if (r->agree == 0) {
        r->agree = !r->m[r->best].open;
        r->evidence = r->m[r->best].n;
    }
}

/* All different values, best first. */
static char *all_values(const struct verdict_row *r)
{
    char *text = xstrdup(r->m[r->best].text), *longer;

    for (size_t i = 0; i < r->n; i++) {
        int seen = r->m[i].agrees || (r->m[i].open && !r->m[i].choice);

        for (size_t k = 0; k < i && !seen; k++)
            seen = !r->m[k].agrees && strcmp(r->m[k].text, r->m[i].text) == 0;
        if (seen)
            continue;
        longer = xprintf("%s or %s", text, r->m[i].text);
        free(text);
        text = longer;
    }
    return text;
}

/* Whether a text "a or b or c" has this word. */
static int chosen(const char *text, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = text; at != NULL; at = strstr(at, OR), at += at != NULL ? strlen(OR) : 0)
        if (strncmp(at, word, len) == 0 &&
            (at[len] == '\0' || strncmp(at + len, OR, strlen(OR)) == 0))
            return 1;
    return 0;
}

static void judge(struct verdict_row *r)
{
    int one, against = 0, by_width = !is_word(r->unit) && !(r->rule.flags & RULE_MANY);
    struct verdict_method *best;

    for (size_t i = 1; i < r->n; i++)
        if (better(&r->m[i], &r->m[r->best], by_width))
            r->best = i;
    best = &r->m[r->best];
    one = !is_word(r->unit) && strchr(best->text, ';') == NULL;
    r->lo = one ? best->lo : NAN;
    r->hi = one ? best->hi : NAN;
    for (size_t i = 0; i < r->n; i++) {
        struct verdict_method *m = &r->m[i];

        m->agrees = i == r->best ||
                    (m->choice ? chosen(m->text, best->text) : !m->open && agree(r, m, best));
        if (m->agrees || (m->open && !m->choice))
            continue;
        against = 1;
        r->lo = fmin(r->lo, r->m[i].lo);
        r->hi = fmax(r->hi, r->m[i].hi);
    }
    r->value = all_values(r);
    count_methods(r);
    r->word = best->open     ? VERDICT_OPEN
              : against      ? VERDICT_DISAGREE
              : r->agree > 1 ? VERDICT_AGREE
                             : VERDICT_SINGLE;
}

static void compare_api(struct verdict_row *r, const struct verdict_api *api, size_t napi)
{
    r->api = r->difference = NAN;
    for (size_t i = 0; i < napi; i++)
        if (strcmp(api[i].param, r->rule.param) == 0 && api[i].value > 0)
            r->api = api[i].value;
    if (r->word == VERDICT_AGREE || r->word == VERDICT_SINGLE)
        r->difference = r->m[r->best].value / r->api - 1;
}

static int is_one_sided(const struct findings *fs)
{
    const struct finding *f;

    for (size_t k = 0; (f = findings_get(fs, "sides", k)) != NULL; k++)
        if (f->value == 1)
            return 1;
    return 0;
}

static void add_row(struct verdict *v, const struct findings *fs, struct verdict_rule rule,
                    const struct verdict_api *api, size_t napi, int wanted)
{
    const struct finding *f = findings_get(fs, rule.param, 0);
    struct verdict_row r = {.rule = rule, .unit = "-", .lo = NAN, .hi = NAN};

    if (f == NULL && !wanted)
        return;
    if (f != NULL) {
        r.unit = f->unit;
        gather(&r, fs);
        judge(&r);
    } else {
        r.unit = finding_find(rule.param)->unit;
        r.word = VERDICT_MISSING;
        r.value = xstrdup("-");
    }
    compare_api(&r, api, napi);
    v->row = xrealloc(v->row, v->n + 1, sizeof *v->row);
    v->row[v->n++] = r;
}

/* Whether a policy evicts a line with the ways-th new line of its set, as the laws for sets and capacities suppose. */
static int lawful(const char *policy)
{
    static const char *const names[] = {"lru", "fifo", "plru", "bitplru", "nru", NULL};

    while (*policy != '\0') {
        const char *end = strstr(policy, OR);
        size_t len = end != NULL ? (size_t)(end - policy) : strlen(policy);
        int k = 0;

        while (names[k] != NULL && (strlen(names[k]) != len || strncmp(names[k], policy, len) != 0))
            k++;
        if (names[k] == NULL)
            return 0;
        policy += len + (end != NULL ? strlen(OR) : 0);
    }
    return 1;
}

/* Under other policies the methods err together, so that their agreement says nothing. */
static void doubt_laws(struct verdict *v)
{
    const struct verdict_row *policy = verdict_get(v, "policy");

    if (policy == NULL || policy->n == 0 || lawful(policy->value))
        return;
    for (size_t i = 0; i < v->n; i++) {
        struct verdict_row *r = &v->row[i];

        if (!(r->rule.flags & RULE_LAW) || r->n == 0)
            continue;
        r->word = VERDICT_OPEN;
        r->difference = NAN;
        r->doubt = xprintf("the laws behind these methods hold for LRU and its like, and the "
                           "policy is %s",
                           policy->value);
    }
}

void verdict_make(struct verdict *v, const struct findings *fs, const struct verdict_api *api,
                  size_t napi, int all)
{
    int one_sided = is_one_sided(fs);

    v->row = NULL;
    v->n = 0;
    for (const struct verdict_rule *k = verdict_rules; k->param != NULL; k++)
        add_row(v, fs, *k, api, napi,
                all && (k->flags & RULE_EXPECTED) && !((k->flags & RULE_SIDED) && one_sided));
    for (size_t i = 0; i < fs->n; i++)
        if (verdict_get(v, fs->f[i].param) == NULL)
            add_row(v, fs, (struct verdict_rule){fs->f[i].param, 0.05, 0}, api, napi, 0);
    doubt_laws(v);
}

void verdict_free(struct verdict *v)
{
    for (size_t i = 0; i < v->n; i++) {
        for (size_t k = 0; k < v->row[i].n; k++) {
            free(v->row[i].m[k].name);
            free(v->row[i].m[k].text);
            free(v->row[i].m[k].note);
        }
        free(v->row[i].m);
        free(v->row[i].value);
        free(v->row[i].doubt);
    }
    free(v->row);
    v->row = NULL;
    v->n = 0;
}

const struct verdict_row *verdict_get(const struct verdict *v, const char *param)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->row[i].rule.param, param) == 0)
            return &v->row[i];
    return NULL;
}

double verdict_number(const struct verdict *v, const char *param)
{
    const struct verdict_row *r = verdict_get(v, param);

    if (r == NULL || (r->word != VERDICT_AGREE && r->word != VERDICT_SINGLE))
        return NAN;
    return r->m[r->best].value;
}
