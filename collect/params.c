/* Parses name=value by the experiment's table, and hands the values out by name and type. */
#include "params.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct value {
    const struct param *param;
    char *text;
    bool automatic;
    uint64_t u64;
    double number;
    struct sizes sizes;
};

struct params {
    const struct experiment *exp;
    struct value *value;
    size_t n;
};

static int out_of_bounds(const struct param *p, double v)
{
    return (p->lo < p->hi || p->lo > 0) && !(v >= p->lo && v <= p->hi);
}

static int refuse(char *why, size_t why_size, const struct param *p, const char *what,
                  const char *text)
{
    return cli_why(why, why_size, "%s: %s: '%s'", p->name, what, text);
}

static int refuse_bounds(char *why, size_t why_size, const struct param *p, const char *text)
{
    char what[96];

    snprintf(what, sizeof what, "not between %.15g and %.15g%s%s", p->lo, p->hi,
             p->unit[0] != '\0' ? " " : "", p->unit);
    return refuse(why, why_size, p, what, text);
}

/* Whether `word` of that length is one of the words in "a|b|c" or "a,b,c". */
static bool is_choice(const char *choices, char between, const char *word, size_t len)
{
    for (const char *c = choices; *c != '\0';) {
        const char *end = strchrnul(c, between);

        if ((size_t)(end - c) == len && strncmp(c, word, len) == 0)
            return true;
        c = *end == '\0' ? end : end + 1;
    }
    return false;
}

static int set_words(const struct param *p, const char *text, char *why, size_t why_size)
{
    for (const char *w = text;;) {
        const char *end = p->type == PARAM_WORDS ? strchrnul(w, ',') : w + strlen(w);

        if (!is_choice(p->unit, '|', w, (size_t)(end - w))) {
            char what[160];

            snprintf(what, sizeof what, "not %s %s", p->type == PARAM_WORDS ? "of" : "one of",
                     p->unit);
            return refuse(why, why_size, p, what, text);
        }
        if (*end == '\0')
            return 0;
        w = end + 1;
    }
}

static int set_sizes(struct value *v, const char *text, const struct sizes *list, char *why,
                     size_t why_size)
{
    char reason[160];

    v->sizes.n = 0;
    if (strcmp(text, "-") == 0) {
        if (list == NULL || list->n == 0)
            return refuse(why, why_size, v->param, "no sizes on standard input", text);
        for (size_t i = 0; i < list->n; i++)
            sizes_add(&v->sizes, list->v[i]);
    } else if (sizes_parse(&v->sizes, text, reason, sizeof reason) != 0) {
        return cli_why(why, why_size, "%s: %s", v->param->name, reason);
    }
    for (size_t i = 0; i < v->sizes.n; i++)
        if (out_of_bounds(v->param, (double)v->sizes.v[i])) {
            char word[24];

            snprintf(word, sizeof word, "%" PRIu64, v->sizes.v[i]);
            return refuse_bounds(why, why_size, v->param, word);
        }
    return 0;
}

static int set_number(struct value *v, const char *text, char *why, size_t why_size)
{
    const struct param *p = v->param;
    int bad;

    if (p->type == PARAM_DOUBLE) {
        bad = parse_double(text, &v->number);
    } else {
        bad = p->type == PARAM_SIZE ? parse_size(text, &v->u64) : parse_u64(text, &v->u64);
        v->number = (double)v->u64;
    }
    if (bad)
        return refuse(why, why_size, p,
                      p->type == PARAM_SIZE  ? "not a size such as 4096, 4K or 30M"
                      : p->type == PARAM_U64 ? "not a whole number"
                                             : "not a number",
                      text);
    return out_of_bounds(p, v->number) ? refuse_bounds(why, why_size, p, text) : 0;
}

static int set_value(struct value *v, const char *text, const struct sizes *list, char *why,
                     size_t why_size)
{
    const struct param *p = v->param;
    int bad = 0;

    v->automatic = strcmp(text, "auto") == 0 && strcmp(p->value, "auto") == 0;
    if (!v->automatic && (p->type == PARAM_WORD || p->type == PARAM_WORDS))
        bad = set_words(p, text, why, why_size);
    else if (!v->automatic && p->type == PARAM_SIZES)
        bad = set_sizes(v, text, list, why, why_size);
    else if (!v->automatic && p->type != PARAM_TEXT)
        bad = set_number(v, text, why, why_size);
    if (bad)
        return -1;
    text = xstrdup(text);
    free(v->text);
    v->text = (char *)(uintptr_t)text;
    return 0;
}

struct params *params_new(const struct experiment *e)
{
    struct params *p = xcalloc(1, sizeof *p);
    char why[256];

    p->exp = e;
    while (e->params[p->n].name != NULL)
        p->n++;
    p->value = xcalloc(p->n + 1, sizeof *p->value);
    for (size_t i = 0; i < p->n; i++) {
        p->value[i].param = &e->params[i];
        if (set_value(&p->value[i], e->params[i].value, NULL, why, sizeof why) != 0) {
            fprintf(stderr, "%s: bug: %s: default: %s\n", cli_prog, e->name, why);
            abort();
        }
    }
    return p;
}

void params_free(struct params *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->value[i].text);
        sizes_free(&p->value[i].sizes);
    }
    free(p->value);
    free(p);
}

enum params_result params_set(struct params *p, const char *word, const struct sizes *list,
                              char *why, size_t why_size)
{
    const char *equals = strchrnul(word, '=');

    for (size_t i = 0; *equals != '\0' && i < p->n; i++) {
        const char *name = p->value[i].param->name;

        if (strlen(name) == (size_t)(equals - word) && strncmp(name, word, strlen(name)) == 0)
            return set_value(&p->value[i], equals + 1, list, why, why_size) == 0 ? PARAMS_SET
                                                                                 : PARAMS_BAD;
    }
    return PARAMS_UNKNOWN;
}

char *params_line(const struct params *p)
{
    char *line = xstrdup("");

    for (size_t i = 0; i < p->n; i++) {
        char *longer =
            xprintf("%s%s%s=%s", line, i > 0 ? " " : "", p->value[i].param->name, p->value[i].text);

        free(line);
        line = longer;
    }
    return line;
}

void params_help(FILE *to, const struct experiment *e)
{
    fprintf(to, "%s: %s\n\n", e->name, e->summary);
    for (const struct param *p = e->params; p->name != NULL; p++) {
        char left[96];

        snprintf(left, sizeof left, "%s=%s", p->name, p->value);
        fprintf(to, "  %-28s %s%s%s%s\n", left, p->help, p->unit[0] != '\0' ? " (" : "", p->unit,
                p->unit[0] != '\0' ? ")" : "");
    }
}

static const struct value *value_of(const struct run *r, const char *name, unsigned types)
{
    for (size_t i = 0; i < r->params->n; i++) {
        const struct value *v = &r->params->value[i];

        if (strcmp(v->param->name, name) == 0 && (types >> v->param->type & 1))
            return v;
    }
    fprintf(stderr, "%s: bug: %s has no parameter %s of this type\n", cli_prog,
            r->params->exp->name, name);
    abort();
}

uint64_t param_u64(const struct run *r, const char *name)
{
    return value_of(r, name, 1u << PARAM_U64 | 1u << PARAM_SIZE)->u64;
}

double param_double(const struct run *r, const char *name)
{
    return value_of(r, name, 1u << PARAM_DOUBLE)->number;
}

const char *param_text(const struct run *r, const char *name)
{
    return value_of(r, name, 1u << PARAM_WORD | 1u << PARAM_TEXT)->text;
}

bool param_has(const struct run *r, const char *name, const char *word)
{
    return is_choice(value_of(r, name, 1u << PARAM_WORDS)->text, ',', word, strlen(word));
}

bool param_auto(const struct run *r, const char *name)
{
    return value_of(r, name, ~0u)->automatic;
}

const uint64_t *param_sizes(const struct run *r, const char *name, size_t *n)
{
    const struct value *v = value_of(r, name, 1u << PARAM_SIZES);

    *n = v->sizes.n;
    return v->sizes.v;
}
