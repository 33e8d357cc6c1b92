/* A verdict as Markdown. Cells are padded, so that it reads on a terminal as well; '|' in a text is escaped. */
#include "verdict_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

enum { CELLS = 7 };

static char *append(char *text, char *more)
{
    char *longer = xprintf("%s%s", text, more);

    free(text);
    free(more);
    return longer;
}

char *verdict_methods(const struct verdict_row *r)
{
    char *text = xstrdup("");

    for (size_t i = 0; i < r->n; i++) {
        const struct verdict_method *m = &r->m[i];
        const char *says = m->open && !m->choice ? " (open)"
                           : !m->agrees          ? " (differs)"
                           : m->weak             ? " (weak)"
                                                 : "";

        text = append(text, xprintf("%s%s %s", i ? "; " : "", m->name, m->text));
        if (isfinite(m->lo) && isfinite(m->hi) && m->lo < m->hi)
            text = append(text, xprintf(" [%.6g, %.6g]", m->lo, m->hi));
        text = append(text, xprintf(" n=%" PRIu64 "%s", m->n, says));
    }
    return text;
}

/* 30801920 -> "29.375 MiB", others in full or to four digits. */
static char *number(double v, const char *unit)
{
    static const char *const names[] = {"KiB", "MiB", "GiB", "TiB"};
    double size = v / 1024;
    int k = 0;

    if (!isfinite(v))
        return xstrdup("-");
    if (strcmp(unit, "bytes") != 0 || v < 4096)
        return xprintf(v == floor(v) && fabs(v) < 1e9 ? "%.0f" : "%.4g", v);
    for (; size >= 1024 && k < 3; k++)
        size /= 1024;
    return xprintf("%.4g %s", size, names[k]);
}

/* The value of a row, each one where methods contradict. */
static char *value_of(const struct verdict_row *r)
{
    const struct verdict_method *best = r->n > 0 ? &r->m[r->best] : NULL;
    char *text, *size;

    if (best == NULL || (r->rule.flags & RULE_LIST) || isnan(best->value))
        return xstrdup(r->value);
    text = number(best->value, r->unit);
    for (size_t i = 0; i < r->n; i++)
        if (!r->m[i].agrees && !r->m[i].open) {
            size = number(r->m[i].value, r->unit);
            text = append(text, xprintf(" or %s", size));
            free(size);
        }
    return strcmp(r->unit, "bytes") == 0 ? text : append(text, xprintf(" %s", r->unit));
}

static void fill(const struct verdict_row *r, char *cell[CELLS])
{
    char *lo = number(r->lo, r->unit), *hi = number(r->hi, r->unit);
    char *api = number(r->api, r->unit);

    cell[0] = xstrdup(r->rule.param);
    cell[1] = value_of(r);
    cell[2] = r->lo < r->hi ? xprintf("%s to %s", lo, hi) : xstrdup("");
    cell[3] = xstrdup(verdict_words[r->word]);
    cell[4] = xprintf("%zu of %zu", r->agree, r->methods);
    cell[5] = isnan(r->api)          ? xstrdup("")
              : isnan(r->difference) ? xstrdup(api)
                                     : xprintf("%s (%+.2g %%)", api, 100 * r->difference);
    cell[6] = verdict_methods(r);
    if (r->doubt != NULL)
        cell[6] = append(cell[6], xprintf("; %s", r->doubt));
    free(lo);
    free(hi);
    free(api);
}

static void put_text(FILE *to, const char *text, size_t width)
{
    size_t n = 0;

    for (; *text != '\0'; text++, n++) {
        if (*text == '|' || *text == '\\' || *text == '<' || *text == '`' || *text == '*') {
            putc('\\', to);
            n++;
        }
        putc(*text, to);
    }
    for (; n < width; n++)
        putc(' ', to);
}

static void put_row(FILE *to, char *const cell[CELLS], const size_t width[CELLS])
{
    for (int c = 0; c < CELLS; c++) {
        fputs(c == 0 ? "| " : " | ", to);
        put_text(to, cell[c], c == CELLS - 1 ? 0 : width[c]);
    }
    fputs(" |\n", to);
}

static void put_title(FILE *to, const struct prov *p)
{
    const char *device = prov_get(p, "device", 0), *driver = prov_get(p, "driver", 0);

    fputs("**", to);
    put_text(to, device != NULL ? device : "unknown device", 0);
    fputs("**", to);
    if (driver != NULL) {
        fputs(", driver ", to);
        put_text(to, driver, 0);
    }
    fputs(prov_simulated(p) ? ". **SIMULATED: nothing here was measured on a chip.**\n\n" : "\n\n",
          to);
}

void verdict_markdown(FILE *to, const struct verdict *v, const struct prov *p)
{
    static char *title[CELLS] = {"parameter", "value",  "interval", "verdict",
                                 "methods",   "driver", "by"};
    char *(*cell)[CELLS] = xcalloc(v->n + 1, sizeof *cell);
    size_t width[CELLS] = {0};
    size_t rows = 0;

    for (size_t i = 0; i < v->n; i++)
        if (!(v->row[i].rule.flags & RULE_ABOUT))
            fill(&v->row[i], cell[rows++]);
    for (int c = 0; c < CELLS; c++) {
        width[c] = strlen(title[c]);
        for (size_t i = 0; i < rows; i++)
            width[c] = strlen(cell[i][c]) > width[c] ? strlen(cell[i][c]) : width[c];
    }
    put_title(to, p);
    put_row(to, title, width);
    for (int c = 0; c < CELLS; c++)
        fputs("|---", to);
    fputs("|\n", to);
    for (size_t i = 0; i < rows; i++) {
        put_row(to, cell[i], width);
        for (int c = 0; c < CELLS; c++)
            free(cell[i][c]);
    }
    free(cell);
}
