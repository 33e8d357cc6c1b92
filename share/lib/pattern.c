/* The table of patterns, their parameters, and traces as a pattern. */
#include "pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "mem.h"

/* A trace: its accesses, again in every pass. */
static uint64_t trace_bytes(const struct pattern *p)
{
    return p->trace.bytes;
}

static int trace_start(struct pattern *p, const struct pattern_env *env, char *why, size_t size)
{
    if (p->trace.sms > env->sms)
        return cli_why(why, size, "SM %u: there are %u", p->trace.sms - 1, env->sms);
    p->state = xcalloc(1, sizeof(size_t));
    return 0;
}

static void trace_pass(struct pattern *p)
{
    *(size_t *)p->state = 0;
}

static size_t trace_fill(struct pattern *p, struct access *to, size_t room)
{
    size_t *at = p->state, n = p->trace.n - *at < room ? p->trace.n - *at : room;

    memcpy(to, p->trace.a + *at, n * sizeof *to);
    *at += n;
    return n;
}

static void trace_end(struct pattern *p)
{
    free(p->state);
    p->state = NULL;
}

static const struct pattern_param no_params[] = {{0}};
static const struct pattern_family trace_family = {trace_bytes, trace_start, trace_pass, trace_fill,
                                                   trace_end};
static const struct pattern_def pattern_trace = {"trace", "a table of accesses, as a file",
                                                 no_params, &trace_family};

const struct pattern_def *const pattern_table[] = {
    &pattern_cyclic,
    &pattern_shuffled,
    &pattern_random,
    &pattern_hot,
    &pattern_strided,
    &pattern_mixed,
    &pattern_tiled,
    &pattern_transpose,
    &pattern_stencil,
    &pattern_trace,
    NULL,
};

const struct pattern_def *pattern_find(const char *name)
{
    for (const struct pattern_def *const *d = pattern_table; *d != NULL; d++)
        if (strcmp((*d)->name, name) == 0)
            return *d;
    return NULL;
}

static int word_value(const struct pattern_param *k, const char *word, uint64_t *v)
{
    size_t len = strlen(word);
    const char *at = k->words;

    for (*v = 0; *at != '\0'; at += *at == '|', ++*v) {
        size_t n = strcspn(at, "|");

        if (n == len && strncmp(at, word, n) == 0)
            return 0;
        at += n;
    }
    return -1;
}

/* "32x8" */
static int shape_value(const char *word, uint64_t *v)
{
    const char *x = strchr(word, 'x');
    char *columns = x == NULL ? NULL : xstrndup(word, (size_t)(x - word));
    uint64_t w = 0, h = 0;
    int bad = x == NULL || parse_u64(columns, &w) != 0 || parse_u64(x + 1, &h) != 0 || w == 0 ||
              h == 0 || w > 4096 || h > 4096;

    free(columns);
    *v = w << 32 | h;
    return bad ? -1 : 0;
}

static int value_of(const struct pattern_param *k, const char *word, uint64_t *v, char *why,
                    size_t size)
{
    double share = 0;

    switch (k->type) {
    case PATTERN_WORD:
        if (word_value(k, word, v) != 0)
            return cli_why(why, size, "%s: not one of %s: '%s'", k->name, k->words, word);
        return 0;
    case PATTERN_SHAPE:
        if (shape_value(word, v) != 0)
            return cli_why(why, size, "%s: not a shape such as 32x8: '%s'", k->name, word);
        return 0;
    case PATTERN_SHARE:
        if (parse_double(word, &share) != 0 || !(share >= 0 && share <= 1))
            return cli_why(why, size, "%s: not between 0 and 1: '%s'", k->name, word);
        *v = (uint64_t)(share * 1e6 + 0.5);
        return 0;
    case PATTERN_SIZE:
    case PATTERN_NUMBER:
        if (parse_size(word, v) != 0)
            return cli_why(why, size, "%s: not a %s: '%s'", k->name,
                           k->type == PATTERN_SIZE ? "size" : "whole number", word);
        if (*v < k->lo || *v > k->hi)
            return cli_why(why, size, "%s: not between %" PRIu64 " and %" PRIu64 ": '%s'", k->name,
                           k->lo, k->hi, word);
        return 0;
    }
    return -1;
}

static size_t param_at(const struct pattern_def *d, const char *name, size_t len)
{
    size_t i = 0;

    while (d->params[i].name != NULL &&
           (strlen(d->params[i].name) != len || strncmp(d->params[i].name, name, len) != 0))
        i++;
    return i;
}

bool pattern_has(const struct pattern_def *d, const char *param)
{
    return d->params[param_at(d, param, strlen(param))].name != NULL;
}

uint64_t pattern_value(const struct pattern *p, const char *name)
{
    size_t i = param_at(p->def, name, strlen(name));

    if (p->def->params[i].name == NULL)
        abort();
    return p->value[i];
}

/* One "param=value"; given[] keeps the words that were typed. */
static int set_word(struct pattern *p, const char *word, char **given, char *why, size_t size)
{
    const char *equals = strchr(word, '=');
    size_t at = equals == NULL ? 0 : param_at(p->def, word, (size_t)(equals - word)), len = 0;
    char known[256] = "";

    if (equals == NULL)
        return cli_why(why, size, "%s: not a param=value: '%s'", p->def->name, word);
    if (p->def->params[at].name == NULL) {
        for (const struct pattern_param *k = p->def->params; k->name != NULL; k++)
            len += (size_t)snprintf(known + len, sizeof known - len, " %s", k->name);
        return cli_why(why, size, "%s: no such parameter: '%s'; there are:%s", p->def->name, word,
                       known);
    }
    free(given[at]);
    given[at] = xstrdup(equals + 1);
    return value_of(&p->def->params[at], equals + 1, &p->value[at], why, size);
}

/* The name and what differs from the defaults, in the table's order. */
static char *text_of(const struct pattern *p, char *const *given)
{
    char *text = xstrdup(p->def->name), why[8];

    for (size_t i = 0; p->def->params[i].name != NULL; i++) {
        uint64_t initial = 0;
        char *longer;

        (void)value_of(&p->def->params[i], p->def->params[i].initial, &initial, why, sizeof why);
        if (given[i] == NULL || p->value[i] == initial)
            continue;
        longer = xprintf("%s,%s=%s", text, p->def->params[i].name, given[i]);
        free(text);
        text = longer;
    }
    return text;
}

static int set_all(struct pattern *p, char *words, char *const *more, char **given, char *why,
                   size_t size)
{
    char *save = NULL;

    for (size_t i = 0; p->def->params[i].name != NULL; i++)
        if (i == PATTERN_PARAMS ||
            value_of(&p->def->params[i], p->def->params[i].initial, &p->value[i], why, size) != 0)
            abort();
    for (char *w = strtok_r(words, ",", &save); w != NULL; w = strtok_r(NULL, ",", &save))
        if (set_word(p, w, given, why, size) != 0)
            return -1;
    for (; more != NULL && *more != NULL; more++)
        if (set_word(p, *more, given, why, size) != 0)
            return -1;
    return 0;
}

int pattern_parse(struct pattern *p, const char *text, char *const *more, char *why, size_t size)
{
    char *copy = xstrdup(text), *comma = strchr(copy, ','), *given[PATTERN_PARAMS] = {0};
    int failed;

    *p = (struct pattern){0};
    if (comma != NULL)
        *comma = '\0';
    p->def = pattern_find(copy);
    if (p->def == NULL || p->def == &pattern_trace) {
        failed = cli_why(why, size, "no such pattern: '%s'", copy);
    } else {
        failed =
            set_all(p, comma == NULL ? copy + strlen(copy) : comma + 1, more, given, why, size);
        if (!failed) {
            p->text = text_of(p, given);
            p->bytes = p->def->family->bytes(p);
        }
    }
    for (size_t i = 0; i < PATTERN_PARAMS; i++)
        free(given[i]);
    free(copy);
    return failed;
}

void xpattern_trace(struct pattern *p, const char *file)
{
    *p = (struct pattern){.def = &pattern_trace};
    xtrace_read(&p->trace, file);
    p->text = xstrdup(file);
    p->bytes = p->trace.bytes;
}

unsigned pattern_sm(unsigned first, size_t k, size_t n, unsigned sms)
{
    return (unsigned)((first + k * sms / n) % sms);
}

int pattern_start(struct pattern *p, const struct pattern_env *env, char *why, size_t size)
{
    if (p->state != NULL)
        p->def->family->end(p);
    return p->def->family->start(p, env, why, size);
}

void pattern_pass(struct pattern *p)
{
    p->def->family->pass(p);
}

size_t pattern_fill(struct pattern *p, struct access *to, size_t room)
{
    return p->def->family->fill(p, to, room);
}

void pattern_free(struct pattern *p)
{
    if (p->state != NULL)
        p->def->family->end(p);
    trace_free(&p->trace);
    free(p->text);
    *p = (struct pattern){0};
}

void pattern_list(FILE *to)
{
    for (const struct pattern_def *const *d = pattern_table; *d != NULL; d++)
        fprintf(to, "  %-12s %s\n", (*d)->name, (*d)->summary);
}

void pattern_help(FILE *to, const struct pattern_def *d)
{
    fprintf(to, "%s: %s\n", d->name, d->summary);
    for (const struct pattern_param *k = d->params; k->name != NULL; k++) {
        char *left = xprintf("%s=%s", k->name, k->initial);

        fprintf(to, "  %-18s %s%s%s%s\n", left, k->help, k->words ? " (" : "",
                k->words ? k->words : "", k->words ? ")" : "");
        free(left);
    }
}
