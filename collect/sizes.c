/* Lists and ranges of sizes. A range by octaves is geometric and keeps both ends; it may miss no power of two of its
 * first size, whatever the rounding. */
#include "sizes.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sizes_add(struct sizes *s, uint64_t v)
{
    s->v = xgrow(s->v, s->n, &s->cap, sizeof *s->v);
    s->v[s->n++] = v;
}

void sizes_free(struct sizes *s)
{
    free(s->v);
    *s = (struct sizes){0};
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

void sizes_sort(struct sizes *s)
{
    size_t n = 0;

    if (s->n == 0)
        return;
    qsort(s->v, s->n, sizeof *s->v, by_size);
    for (size_t i = 0; i < s->n; i++)
        if (i == 0 || s->v[i] != s->v[n - 1])
            s->v[n++] = s->v[i];
    s->n = n;
}

void sizes_shuffle(struct sizes *s, struct rng *r)
{
    for (size_t i = s->n; i > 1; i--) {
        size_t j = rng_below(r, i);
        uint64_t v = s->v[i - 1];

        s->v[i - 1] = s->v[j];
        s->v[j] = v;
    }
}

static int refuse(char *why, size_t why_size, const char *what, const char *word)
{
    return cli_why(why, why_size, "%s: '%s'", what, word);
}

static int add_octaves(struct sizes *s, uint64_t lo, uint64_t hi, uint64_t each)
{
    double octaves = log2((double)hi / (double)lo);

    if (each == 0 || octaves * (double)each > SIZES_MOST)
        return -1;
    for (uint64_t k = 0; (double)k < octaves * (double)each - 1e-9; k++)
        sizes_add(s, (uint64_t)llround((double)lo * exp2((double)k / (double)each)));
    sizes_add(s, hi);
    return 0;
}

static int add_steps(struct sizes *s, uint64_t lo, uint64_t hi, uint64_t step)
{
    if (step == 0 || (hi - lo) / step > SIZES_MOST)
        return -1;
    for (uint64_t v = lo; v <= hi; v += step)
        sizes_add(s, v);
    return 0;
}

/* LO:HI:N or LO:HI:+STEP, cut at its colons. */
static int add_range(struct sizes *s, char *word)
{
    char *second = strchr(word, ':'), *third = strchr(second + 1, ':');
    uint64_t lo, hi, step;

    if (third == NULL)
        return -1;
    *second++ = *third++ = '\0';
    if (parse_size(word, &lo) != 0 || parse_size(second, &hi) != 0 || lo == 0 || lo > hi)
        return -1;
    if (*third == '+')
        return parse_size(third + 1, &step) != 0 ? -1 : add_steps(s, lo, hi, step);
    return parse_u64(third, &step) != 0 ? -1 : add_octaves(s, lo, hi, step);
}

int sizes_parse(struct sizes *s, const char *word, char *why, size_t why_size)
{
    char *copy = xstrdup(word), *rest = copy, *item;
    int bad = 0;

    while (!bad && (item = strsep(&rest, ",")) != NULL) {
        char whole[64];
        uint64_t v;

        snprintf(whole, sizeof whole, "%s", item);
        if (strchr(item, ':') != NULL)
            bad = add_range(s, item);
        else if ((bad = parse_size(item, &v)) == 0)
            sizes_add(s, v);
        if (bad)
            refuse(why, why_size,
                   "not a size such as 4K or 30M, nor a range such as 4K:256M:8 or 28M:34M:+64K",
                   whole);
    }
    free(copy);
    return bad;
}

/* The at-th TAB-separated field, ended by a NUL; NULL when there are not so many. */
static char *field_at(char *line, size_t at)
{
    char *f = NULL;

    for (size_t i = 0; i <= at; i++)
        if ((f = strsep(&line, "\t")) == NULL)
            return NULL;
    return f;
}

static int find_field(const char *line, const char *name, size_t *at)
{
    char *copy = xstrdup(line), *rest = copy, *f;
    int found = -1;

    for (size_t i = 0; found != 0 && (f = strsep(&rest, "\t")) != NULL; i++)
        if (strcmp(f, name) == 0) {
            *at = i;
            found = 0;
        }
    free(copy);
    return found;
}

int sizes_read(struct sizes *s, FILE *from, const char *column, char *why, size_t why_size)
{
    char *line = NULL;
    size_t cap = 0, at = 0;
    int bad = 0;

    while (!bad && getline(&line, &cap, from) > 0) {
        uint64_t v;
        char *f;

        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0' || find_field(line, column, &at) == 0)
            continue;
        f = field_at(line, at);
        bad = f == NULL || parse_size(f, &v) != 0;
        if (bad)
            refuse(why, why_size,
                   "standard input: not a size, one a line or in a column of that name",
                   f == NULL ? "" : f);
        else
            sizes_add(s, v);
    }
    free(line);
    return bad ? -1 : 0;
}
