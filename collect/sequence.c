/* Recursive descent over the grammar of sequence.h. */
#include "sequence.h"
#include "access.h"
#include "../share/lib/mem.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16, MOST_LINE = 255 };

struct parser {
    const char *text, *at;
    char *why;
    size_t why_size;
    struct sequence *q;
};

static int fail(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int fail(struct parser *p, const char *fmt, ...)
{
    char what[160];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    snprintf(p->why, p->why_size, "%s at character %zu: '%.20s'", what,
             (size_t)(p->at - p->text) + 1, p->at);
    return -1;
}

static void skip_blanks(struct parser *p)
{
    while (isspace((unsigned char)*p->at) || *p->at == '#')
        p->at += *p->at == '#' ? strcspn(p->at, "\n") : 1;
}

struct sequence *sequences_add(struct sequences *s)
{
    s->seq = xgrow(s->seq, s->n, &s->cap, sizeof *s->seq);
    s->seq[s->n] = (struct sequence){0};
    return &s->seq[s->n++];
}

void sequence_step(struct sequence *q, uint32_t line, uint8_t kind, bool report)
{
    q->step = xgrow(q->step, q->n, &q->cap, sizeof *q->step);
    q->step[q->n++] = (struct step){line, kind, report};
}

static int parse_line(struct parser *p, uint32_t *line)
{
    if (isdigit((unsigned char)*p->at)) {
        *line = 0;
        while (isdigit((unsigned char)*p->at) && *line <= MOST_LINE)
            *line = *line * 10 + (uint32_t)(*p->at++ - '0');
        return *line > MOST_LINE ? fail(p, "line over %d", MOST_LINE) : 0;
    }
    if (!islower((unsigned char)*p->at) || isalnum((unsigned char)p->at[1]) || p->at[1] == '_')
        return fail(p, "not a line (a letter a-z or a number)");
    *line = (uint32_t)(*p->at++ - 'a');
    return 0;
}

static int parse_kind(struct parser *p, uint8_t *kind)
{
    size_t len = strspn(p->at, "abcdefghijklmnopqrstuvwxyz_0123456789");
    char name[32];
    int k;

    *kind = L2_LD_CG;
    if (p->at[len] != ':')
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)len, p->at);
    k = access_kind(name);
    if (k < 0 || k == L2_WAIT || k == L2_NOP)
        return fail(p, "no kind of access '%s'", name);
    *kind = (uint8_t)k;
    p->at += len + 1;
    return 0;
}

static int parse_access(struct parser *p)
{
    uint32_t first, last;
    uint8_t kind;
    bool report;

    if (parse_kind(p, &kind) != 0 || parse_line(p, &first) != 0)
        return -1;
    last = first;
    if (strncmp(p->at, "..", 2) == 0) {
        p->at += 2;
        if (parse_line(p, &last) != 0)
            return -1;
    }
    report = *p->at == '?';
    p->at += report;
    for (int step = first <= last ? 1 : -1, line = (int)first;; line += step) {
        sequence_step(p->q, (uint32_t)line, kind, report);
        if (line == (int)last)
            break;
    }
    return p->q->n > SEQUENCE_STEPS ? fail(p, "over %d steps", SEQUENCE_STEPS) : 0;
}

static int parse_items(struct parser *p, int depth);

/* What stands between the brackets is in the sequence once when the count is read; it is then copied. */
static int parse_group(struct parser *p, int depth)
{
    size_t from = p->q->n, len;
    unsigned long count = 1;
    char *end;

    p->at++;
    if (depth == DEPTH)
        return fail(p, "brackets over %d deep", DEPTH);
    if (parse_items(p, depth + 1) != 0)
        return -1;
    if (*p->at != ')')
        return fail(p, "a bracket is not closed");
    p->at++;
    if (*p->at == '*') {
        count = isdigit((unsigned char)p->at[1]) ? strtoul(p->at + 1, &end, 10) : 0;
        if (count == 0 || count > SEQUENCE_STEPS)
            return fail(p, "not a repeat count");
        p->at = end;
    }
    len = p->q->n - from;
    if (len * count > SEQUENCE_STEPS)
        return fail(p, "over %d steps", SEQUENCE_STEPS);
    for (size_t i = 0; i < len * (count - 1); i++) {
        struct step s = p->q->step[from + i % len];

        sequence_step(p->q, s.line, s.kind, s.report);
    }
    return 0;
}

static int parse_items(struct parser *p, int depth)
{
    for (;;) {
        skip_blanks(p);
        if (*p->at == '\0' || *p->at == ';' || *p->at == ')')
            return 0;
        if ((*p->at == '(' ? parse_group(p, depth) : parse_access(p)) != 0)
            return -1;
        if (*p->at != '\0' && strchr(" \t\n;)#", *p->at) == NULL)
            return fail(p, "a blank is missing");
    }
}

int sequences_parse(struct sequences *s, const char *text, char *why, size_t why_size)
{
    struct parser p = {.text = text, .at = text, .why = why, .why_size = why_size};

    for (;;) {
        p.q = sequences_add(s);
        if (parse_items(&p, 0) != 0)
            return -1;
        if (*p.at == ')')
            return fail(&p, "a bracket that nothing opened");
        if (p.q->n == 0)
            s->n--;
        if (*p.at == '\0')
            return 0;
        p.at++;
    }
}

uint32_t sequences_most(const struct sequences *s)
{
    uint32_t most = 0;

    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->seq[i].n; k++)
            if (s->seq[i].step[k].line > most)
                most = s->seq[i].step[k].line;
    return most;
}

void sequences_free(struct sequences *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->seq[i].step);
    free(s->seq);
    *s = (struct sequences){0};
}
