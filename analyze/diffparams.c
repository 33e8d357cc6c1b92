/* Conditions and parameters of two inputs side by side. */
#include "diffrows.h"
#include "verdict.h"

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What should be alike before numbers are compared; `within` is relative, or absolute where it is above 1. */
static const struct condition {
    const char *key;
    double within; /* 0: words */
    const char *unit, *hint;
} conditions[] = {
    {"device", 0, "-", "another kind of chip"},
    {"uuid", 0, "-", "another chip"},
    {"simulated", 0, "-", "one is not real"},
    {"driver", 0, "-", "another driver may set the cache up in another way"},
    {"sms", 0.001, "SMs", "another kind of chip, or a part of it"},
    {"l2_bytes", 0.001, "bytes", "another kind of chip, or a part of its cache"},
    {"clock_measured_before", 0.01, "MHz", "cycles of what runs on another clock (memory) shift"},
    {"clock_sm_before", 0.01, "MHz", "cycles of what runs on another clock (memory) shift"},
    {"clock_mem_before", 0.01, "MHz", "latencies and bandwidth of memory shift"},
    {"clock_locked", 0, "-", "clocks may have moved in one of them"},
    {"temperature_before", 15, "degrees", "clocks may have been lowered"},
    {"throttle", 0, "-", "clocks were lowered"},
    {"processes", 0, "-", "a neighbour shares the cache"},
    {"ecc", 0, "-", "memory is slower with it"},
    {"mig", 0, "-", "a part of the chip has a part of the cache"},
    {"persisting", 0, "-", "the set-aside takes room in the cache"},
    {"fetch", 0, "-", "a miss fetches another number of bytes"},
};

/* All values of a key, sorted by order of appearance, ", " between; or the median of the numbers. */
static char *values_of(const struct prov *p, const char *key)
{
    char *all = NULL;
    const char *v;

    for (size_t k = 0; (v = prov_get(p, key, k)) != NULL && k < 8; k++) {
        char *longer = all == NULL ? xstrdup(v) : xprintf("%s, %s", all, v);

        free(all);
        all = longer;
    }
    return all;
}

static double median_of(const struct prov *p, const char *key)
{
    double v[64], median;
    size_t n = 0;
    const char *word;

    for (size_t k = 0; (word = prov_get(p, key, k)) != NULL && n < 64; k++)
        n += parse_double(word, &v[n]) == 0;
    if (n == 0)
        return NAN;
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && v[k - 1] > v[k]; k--) {
            double swap = v[k];

            v[k] = v[k - 1];
            v[k - 1] = swap;
        }
    median = (v[(n - 1) / 2] + v[n / 2]) / 2;
    return median;
}

static void add_condition(struct diff_rows *rows, size_t one, size_t other, const char *archive,
                          const char *key, const char *unit, char *left, char *right,
                          const char *hint)
{
    diff_add(rows, (struct diff_row){.one = one,
                                     .other = other,
                                     .about = DIFF_CONDITION,
                                     .archive = archive,
                                     .param = xstrdup(key),
                                     .left = left,
                                     .right = right,
                                     .unit = xstrdup(unit),
                                     .base = NAN,
                                     .shift = {NAN, NAN, NAN, NAN},
                                     .result = DIFF_DIFFERS,
                                     .says = xprintf("%s", hint)});
}

static void compare_numbers(struct diff_rows *rows, const struct diff_input *in, size_t one,
                            size_t other, const struct condition *c)
{
    double a = median_of(&in[one].prov, c->key), b = median_of(&in[other].prov, c->key);
    double allowed = c->within > 1 ? c->within : c->within * fmax(fabs(a), fabs(b));

    if (fabs(a - b) > allowed)
        add_condition(rows, one, other, NULL, c->key, c->unit, xprintf("%.10g", a),
                      xprintf("%.10g", b), c->hint);
}

/* The words of `mine` that `theirs` lacks. */
static char *other_words(const char *mine, const char *theirs)
{
    char *copy = xstrdup(mine), *padded = xprintf(" %s ", theirs), *list = xstrdup(""), *save;

    for (char *w = strtok_r(copy, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
        char *word = xprintf(" %s ", w), *longer;

        if (strstr(padded, word) == NULL) {
            longer = xprintf("%s%s%s", list, *list != '\0' ? " " : "", w);
            free(list);
            list = longer;
        }
        free(word);
    }
    free(copy);
    free(padded);
    return list;
}

static void compare_patterns(struct diff_rows *rows, const struct diff_input *in, size_t one,
                             size_t other)
{
    for (size_t i = 0; i < in[one].narchive; i++) {
        const struct diff_archive *a = &in[one].archive[i];
        const struct diff_archive *b = diff_archive_find(&in[other], a->name);

        if (b == NULL || a->parameters == NULL || b->parameters == NULL ||
            strcmp(a->parameters, b->parameters) == 0)
            continue;
        add_condition(rows, one, other, a->name, "parameters", "-",
                      other_words(a->parameters, b->parameters),
                      other_words(b->parameters, a->parameters),
                      "another pattern: only equal points are compared");
    }
}

void diff_conditions(struct diff_rows *rows, const struct diff_input *in, size_t one, size_t other)
{
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        const struct condition *c = &conditions[i];
        char *a, *b;

        if (c->within > 0) {
            compare_numbers(rows, in, one, other, c);
            continue;
        }
        a = values_of(&in[one].prov, c->key);
        b = values_of(&in[other].prov, c->key);
        if (a != NULL && b != NULL && strcmp(a, b) != 0) {
            add_condition(rows, one, other, NULL, c->key, c->unit, a, b, c->hint);
            continue;
        }
        free(a);
        free(b);
    }
    compare_patterns(rows, in, one, other);
}

/* The interval of a difference from the intervals of both: their halves on that side, added as independent ones. */
static struct shift difference(const struct diff_param *a, const struct diff_param *b,
                               double confidence)
{
    double a_lo = isnan(a->lo) ? a->value : a->lo, a_hi = isnan(a->hi) ? a->value : a->hi;
    double b_lo = isnan(b->lo) ? b->value : b->lo, b_hi = isnan(b->hi) ? b->value : b->hi;
    double down = hypot(b->value - b_lo, a_hi - a->value);
    double up = hypot(b_hi - b->value, a->value - a_lo), shift = b->value - a->value;
    double toward_zero = shift > 0 ? down : up;
    double z = gsl_cdf_ugaussian_Qinv((1 - confidence) / 2) * fabs(shift) / toward_zero;
    struct shift s = {shift, shift - down, shift + up, NAN};

    if (isfinite(down) && isfinite(up))
        s.p = shift == 0 ? 1 : toward_zero > 0 ? fmin(1, 2 * gsl_cdf_ugaussian_Q(z)) : 0;
    return s;
}

static bool counted(const struct diff_param *p)
{
    return isnan(p->value) ||
           (strcmp(p->unit, "share") != 0 && p->lo == p->value && p->hi == p->value);
}

/* Of the data or a method, and no property of the chip. */
static bool aside(const char *param)
{
    for (const struct verdict_rule *k = verdict_rules; k->param != NULL; k++)
        if (strcmp(k->param, param) == 0)
            return k->flags & RULE_ABOUT;
    return false;
}

static bool sure(const struct diff_param *p)
{
    return strcmp(p->verdict, "agree") == 0 || strcmp(p->verdict, "single") == 0;
}

static void only_one(struct diff_rows *rows, size_t one, size_t other, const struct diff_param *p,
                     bool left, const char *who)
{
    diff_add(rows, (struct diff_row){.one = one,
                                     .other = other,
                                     .about = DIFF_PARAMETER,
                                     .param = xstrdup(p->name),
                                     .left = xstrdup(left ? p->text : "-"),
                                     .right = xstrdup(left ? "-" : p->text),
                                     .unit = xstrdup(p->unit),
                                     .base = NAN,
                                     .shift = {NAN, NAN, NAN, NAN},
                                     .result = DIFF_MISSING,
                                     .says = xprintf("only in %s", who)});
}

static void compare(struct diff_rows *rows, size_t one, size_t other, const struct diff_param *a,
                    const struct diff_param *b, const struct diff_rules *rules)
{
    struct diff_row *r =
        diff_add(rows, (struct diff_row){.one = one,
                                         .other = other,
                                         .about = DIFF_PARAMETER,
                                         .param = xstrdup(a->name),
                                         .left = xstrdup(a->text),
                                         .right = xstrdup(b->text),
                                         .unit = xstrdup(b->unit),
                                         .base = fabs(a->value),
                                         .shift = {b->value - a->value, NAN, NAN, NAN},
                                         .margin = rules->within * fabs(a->value),
                                         .exact = counted(a) && counted(b)});

    if (!sure(a) || !sure(b)) {
        r->result = DIFF_UNSURE;
        r->says = xprintf("can't tell: the verdict is %s in one and %s in the other", a->verdict,
                          b->verdict);
    } else if (!r->exact) {
        r->shift = difference(a, b, rules->confidence);
    }
}

static bool is_missing(const struct diff_param *p)
{
    return p == NULL || strcmp(p->verdict, "missing") == 0;
}

void diff_parameters(struct diff_rows *rows, const struct diff_input *in, size_t one, size_t other,
                     const struct diff_rules *rules)
{
    for (size_t i = 0; i < in[one].nparam; i++) {
        const struct diff_param *a = &in[one].param[i], *b = diff_param_find(&in[other], a->name);

        if (aside(a->name) || (is_missing(a) && is_missing(b)))
            continue;
        if (is_missing(a) || is_missing(b))
            only_one(rows, one, other, is_missing(a) ? b : a, !is_missing(a),
                     in[is_missing(a) ? other : one].name);
        else
            compare(rows, one, other, a, b, rules);
    }
    for (size_t i = 0; i < in[other].nparam; i++) {
        const struct diff_param *b = &in[other].param[i];

        if (!aside(b->name) && !is_missing(b) && diff_param_find(&in[one], b->name) == NULL)
            only_one(rows, one, other, b, false, in[other].name);
    }
}
