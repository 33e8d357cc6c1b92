/* The writer of l2tsv(5). */
#include "out.h"
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void out_begin(struct out *o, FILE *to, const struct prov *p, const char *columns)
{
    *o = (struct out){.to = to, .ncolumn = 1};
    fputs("#l2tsv 1\n", to);
    prov_write(to, p);
    for (; *columns != '\0'; columns++) {
        o->ncolumn += *columns == ' ';
        fputc(*columns == ' ' ? '\t' : *columns, to);
    }
    fputc('\n', to);
}

static void next_field(struct out *o)
{
    if (o->at == o->ncolumn) {
        fprintf(stderr, "%s: bug: a row has more fields than its header\n", cli_prog);
        abort();
    }
    if (o->at++ > 0)
        putc_unlocked('\t', o->to);
}

void out_u64(struct out *o, uint64_t v)
{
    char digits[20];
    size_t at = sizeof digits;

    next_field(o);
    do
        digits[--at] = (char)('0' + v % 10);
    while ((v /= 10) != 0);
    fwrite(digits + at, 1, sizeof digits - at, o->to);
}

void out_i64(struct out *o, int64_t v)
{
    next_field(o);
    fprintf(o->to, "%" PRId64, v);
}

void out_double(struct out *o, double v)
{
    char word[40];
    int digits = 15;

    next_field(o);
    do
        snprintf(word, sizeof word, "%.*g", digits, v);
    while (++digits <= 17 && !isnan(v) && strtod(word, NULL) != v);
    fputs(isnan(v) ? "nan" : word, o->to);
}

void out_round(struct out *o, double v, int digits)
{
    next_field(o);
    if (isnan(v))
        fputs("nan", o->to);
    else
        fprintf(o->to, "%.*g", digits, v);
}

void out_strn(struct out *o, const char *s, size_t len)
{
    next_field(o);
    if (len == 0)
        putc_unlocked('-', o->to);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];

        putc_unlocked(c < ' ' || c == 127 || (c == '#' && i == 0 && o->at == 1) ? '_' : c, o->to);
    }
}

void out_str(struct out *o, const char *s)
{
    out_strn(o, s, strlen(s));
}

void out_row(struct out *o)
{
    if (o->at != o->ncolumn) {
        fprintf(stderr, "%s: bug: a row has %zu fields, its header %zu\n", cli_prog, o->at,
                o->ncolumn);
        abort();
    }
    putc_unlocked('\n', o->to);
    o->at = 0;
    o->rows++;
}

void out_end(struct out *o, const char *status)
{
    fprintf(o->to, "#end rows=%" PRIu64 " status=%s\n", o->rows, status);
}
