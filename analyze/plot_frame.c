/* Reads tables into memory. Raw archives repeat few words very often, so a word is kept once, in a hash table with open
 * addressing, and a cell takes four bytes. */
#include "plot_frame.h"

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *s, size_t len)
{
    uint64_t h = len;

    for (; len >= 8; s += 8, len -= 8) {
        uint64_t chunk;

        memcpy(&chunk, s, 8);
        h = rng_mix(h ^ chunk);
    }
    for (; len > 0; s++, len--)
        h = h * 257 + (unsigned char)*s;
    return rng_mix(h);
}

static void grow_slots(struct frames *d)
{
    d->nslot = d->nslot == 0 ? 1024 : d->nslot * 2;
    free(d->slot);
    d->slot = xcalloc(d->nslot, sizeof *d->slot);
    for (size_t i = 0; i < d->nword; i++) {
        size_t at = hash_of(d->word[i].text, strlen(d->word[i].text)) & (d->nslot - 1);

        while (d->slot[at] != 0)
            at = (at + 1) & (d->nslot - 1);
        d->slot[at] = (uint32_t)(i + 1);
    }
}

static void new_word(struct frames *d, const struct tsv *t, const struct field *f)
{
    struct word *w;

    if (d->nword >= UINT32_MAX - 1)
        xtsv_bad_line(t, "too many different words for a picture");
    d->word = xgrow(d->word, d->nword, &d->word_cap, sizeof *d->word);
    w = &d->word[d->nword++];
    *w = (struct word){.text = xstrndup(f->ptr, f->len), .file = t->file, .line = t->line};
    w->number = parse_double(w->text, &w->value) == 0;
}

static uint32_t intern(struct frames *d, const struct tsv *t, const struct field *f)
{
    size_t at;

    if (2 * d->nword >= d->nslot)
        grow_slots(d);
    at = hash_of(f->ptr, f->len) & (d->nslot - 1);
    for (; d->slot[at] != 0; at = (at + 1) & (d->nslot - 1)) {
        const char *text = d->word[d->slot[at] - 1].text;

        if (strncmp(text, f->ptr, f->len) == 0 && text[f->len] == '\0')
            return d->slot[at] - 1;
    }
    new_word(d, t, f);
    d->slot[at] = (uint32_t)d->nword;
    return (uint32_t)(d->nword - 1);
}

static bool same_columns(const struct frame *f, const struct tsv *t)
{
    if (f->ncolumn != t->ncolumn)
        return false;
    for (size_t i = 0; i < f->ncolumn; i++)
        if (strcmp(f->column[i], t->column[i]) != 0)
            return false;
    return true;
}

/* The frame of the header just read: an earlier one with the same columns, or a new one. */
static size_t frame_for(struct frames *d, const struct tsv *t)
{
    struct frame *f;

    for (size_t i = 0; i < d->n; i++)
        if (same_columns(&d->frame[i], t))
            return i;
    d->frame = xgrow(d->frame, d->n, &d->cap, sizeof *d->frame);
    f = &d->frame[d->n];
    *f = (struct frame){.ncolumn = t->ncolumn, .file = t->file};
    f->column = xcalloc(t->ncolumn, sizeof *f->column);
    for (size_t i = 0; i < t->ncolumn; i++)
        f->column[i] = xstrdup(t->column[i]);
    return d->n++;
}

static void add_row(struct frames *d, struct frame *f, const struct tsv *t)
{
    f->cell = xgrow(f->cell, f->nrow, &f->cap, f->ncolumn * sizeof *f->cell);
    for (size_t i = 0; i < f->ncolumn; i++)
        f->cell[f->nrow * f->ncolumn + i] = intern(d, t, &t->field[i]);
    f->nrow++;
}

void xframes_read(struct frames *d, struct tsv *t)
{
    size_t at = 0;
    enum tsv_event ev;

    t->many_tables = true;
    while ((ev = xtsv_next(t)) != TSV_END) {
        if (ev == TSV_HEADER)
            at = frame_for(d, t);
        else
            add_row(d, &d->frame[at], t);
    }
    for (size_t i = 0; i < t->prov.n; i++)
        prov_add(&d->prov, t->prov.line[i], strlen(t->prov.line[i]));
}

void frames_free(struct frames *d)
{
    for (size_t i = 0; i < d->n; i++) {
        for (size_t c = 0; c < d->frame[i].ncolumn; c++)
            free(d->frame[i].column[c]);
        free(d->frame[i].column);
        free(d->frame[i].cell);
    }
    for (size_t i = 0; i < d->nword; i++)
        free(d->word[i].text);
    free(d->frame);
    free(d->word);
    free(d->slot);
    prov_free(&d->prov);
}

size_t frame_find(const struct frame *f, const char *name)
{
    for (size_t i = 0; i < f->ncolumn; i++)
        if (strcmp(f->column[i], name) == 0)
            return i;
    return TSV_NONE;
}

bool frame_has(const struct frame *f, const char *names, char *missing)
{
    char name[64];

    while (*names != '\0') {
        size_t len = strcspn(names, " ");

        memcpy(name, names, len);
        name[len] = '\0';
        if (frame_find(f, name) == TSV_NONE) {
            if (missing != NULL)
                strcpy(missing, name);
            return false;
        }
        names += len + (names[len] == ' ');
    }
    return true;
}

size_t xframe_column(const struct frame *f, const char *name)
{
    size_t column = frame_find(f, name);

    if (column == TSV_NONE)
        xdie(EXIT_FAILED, "%s: no column '%s'", f->file, name);
    return column;
}

uint32_t frame_cell(const struct frame *f, size_t row, size_t column)
{
    return f->cell[row * f->ncolumn + column];
}

const char *frame_text(const struct frames *d, const struct frame *f, size_t row, size_t column)
{
    return d->word[frame_cell(f, row, column)].text;
}

double xframe_number(const struct frames *d, const struct frame *f, size_t row, size_t column)
{
    const struct word *w = &d->word[frame_cell(f, row, column)];

    if (!w->number)
        xdie(EXIT_FAILED, "%s:%llu: column %s: not a number: '%.200s'", w->file,
             (unsigned long long)w->line, f->column[column], w->text);
    return w->value;
}

bool frame_varies(const struct frame *f, size_t column)
{
    for (size_t row = 1; row < f->nrow; row++)
        if (frame_cell(f, row, column) != frame_cell(f, 0, column))
            return true;
    return false;
}

bool frame_numeric(const struct frames *d, const struct frame *f, size_t column)
{
    for (size_t row = 0; row < f->nrow; row++)
        if (!d->word[frame_cell(f, row, column)].number)
            return false;
    return true;
}
