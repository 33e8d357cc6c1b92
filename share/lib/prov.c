/* Keeps the '#' lines of all tables read, each once and in the order met. */
#include "prov.h"
#include "cli.h"
#include "mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void prov_add(struct prov *p, const char *line, size_t len)
{
    for (size_t i = 0; i < p->n; i++)
        if (strncmp(p->line[i], line, len) == 0 && p->line[i][len] == '\0')
            return;
    p->line = xgrow(p->line, p->n, &p->cap, sizeof *p->line);
    p->line[p->n++] = xstrndup(line, len);
}

void prov_addf(struct prov *p, const char *fmt, ...)
{
    char line[4096];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    for (char *c = line; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    prov_add(p, line, strlen(line));
}

static const char *value_of(const char *line, const char *key)
{
    size_t len = strlen(key);

    if (line[0] != '#' || strncmp(line + 1, key, len) != 0 || line[1 + len] != ' ')
        return NULL;
    return line + 1 + len + 1;
}

const char *prov_get(const struct prov *p, const char *key, size_t k)
{
    for (size_t i = 0; i < p->n; i++) {
        const char *value = value_of(p->line[i], key);

        if (value != NULL && k-- == 0)
            return value;
    }
    return NULL;
}

double prov_number(const struct prov *p, const char *key)
{
    const char *word = prov_get(p, key, 0);
    double v;

    return word != NULL && parse_double(word, &v) == 0 ? v : NAN;
}

bool prov_simulated(const struct prov *p)
{
    const char *value;

    for (size_t k = 0; (value = prov_get(p, "simulated", k)) != NULL; k++)
        if (strcmp(value, "yes") == 0)
            return true;
    return false;
}

static size_t add_word(char *line, size_t at, size_t cap, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=.,:/@%?*";
    const char *quote = *word != '\0' && word[strspn(word, plain)] == '\0' ? "" : "'";
    int n = snprintf(line + at, cap - at, " %s%s%s", quote, word, quote);

    return n < 0 || at + (size_t)n >= cap ? cap - 1 : at + (size_t)n;
}

void prov_command(struct prov *p, int argc, char *const *argv)
{
    char line[4096];
    size_t at =
        (size_t)snprintf(line, sizeof line, "#by %s %s: %s", cli_prog, L2_VERSION, cli_prog);

    for (int i = 1; i < argc; i++)
        at = add_word(line, at, sizeof line, argv[i]);
    prov_addf(p, "%s", line);
}

void prov_write(FILE *to, const struct prov *p)
{
    for (size_t i = 0; i < p->n; i++) {
        fputs(p->line[i], to);
        fputc('\n', to);
    }
}

void prov_free(struct prov *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->line[i]);
    free(p->line);
    *p = (struct prov){0};
}
