/* l2plot: tables -> one gnuplot script with the data inside, chosen by what the rows are. */
#include "plot.h"
#include "plot_marks.h"
#include "plot_script.h"

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIX_PANELS 1.6 /* heights of one picture: the panels of a table of sectors */

static const char *const terminals[] = {"png", "svg", "pdf", "dumb", NULL};

static const char *xterminal(const char *word, const char *option)
{
    for (size_t i = 0; terminals[i] != NULL; i++)
        if (strcmp(word, terminals[i]) == 0)
            return terminals[i];
    xdie(EXIT_USAGE, "%s: not png, svg, pdf or dumb: '%s'", option, word);
}

/* By the end of the output's name; letters when there is no output. */
static const char *terminal_of(const char *output)
{
    const char *dot = output != NULL ? strrchr(output, '.') : NULL;

    if (output == NULL || (dot != NULL && strcmp(dot, ".txt") == 0))
        return "dumb";
    return xterminal(dot != NULL ? dot + 1 : "", "-o without -T: end of the name");
}

static bool exp_fits(const struct frames *d, const struct frame *f, const char *exp)
{
    size_t column = frame_find(f, "exp");

    return exp == NULL || column == TSV_NONE || f->nrow == 0 ||
           strcmp(frame_text(d, f, 0, column), exp) == 0;
}

static bool named(const struct plot_kind *k, const char *name)
{
    return strcmp(k->name, name) == 0;
}

/* The kind for a table: by name, or the first that fits. NULL when there is none. */
static const struct plot_kind *kind_for(const struct plot *p, const struct frame *f,
                                        const char *name)
{
    for (const struct plot_kind *k = plot_kinds; k->name != NULL; k++) {
        if (name != NULL ? !named(k, name) : k->columns[0] == '\0')
            continue;
        if (exp_fits(p->data, f, k->exp) && frame_has(f, k->columns, NULL))
            return k;
    }
    return NULL;
}

static _Noreturn void refuse(const struct plot *p, const char *name)
{
    const struct frame *f = &p->data->frame[0];
    const struct plot_kind *k = plot_kinds;
    char missing[64];

    if (name == NULL && plot_frame_with(p, PLOT_KNEE_COLUMNS) == f)
        xdie(EXIT_FAILED, "%s: nothing to draw: knees mark a curve: give the curve's file too",
             f->file);
    if (name == NULL)
        xdie(EXIT_FAILED,
             "%s: nothing to draw: no kind of picture fits its columns (-l lists them); "
             "name two with -x and -y",
             f->file);
    while (!named(k, name))
        k++;
    if (!exp_fits(p->data, f, k->exp))
        xdie(EXIT_FAILED, "%s: nothing to draw: column exp: not %s: '%s'", f->file, k->exp,
             frame_text(p->data, f, 0, frame_find(f, "exp")));
    frame_has(f, k->columns, missing);
    xdie(EXIT_FAILED, "%s: nothing to draw: %s needs a column '%s'", f->file, name, missing);
}

static const struct plot_kind *choose(const struct plot *p, const char *name,
                                      const struct frame **frame)
{
    const struct plot_kind *kind = NULL;

    for (size_t i = 0; i < p->data->n && kind == NULL; i++) {
        *frame = &p->data->frame[i];
        kind = kind_for(p, *frame, name);
    }
    if (kind == NULL)
        refuse(p, name);
    if ((*frame)->nrow == 0)
        xdie(EXIT_FAILED, "%s: nothing to draw: the table has no rows (column %s)", (*frame)->file,
             (*frame)->column[0]);
    return kind;
}

static void list_kinds(void)
{
    for (const struct plot_kind *k = plot_kinds; k->name != NULL; k++)
        printf("%-12s %-28s %s\n", k->name, k->columns[0] ? k->columns : "-x -y", k->summary);
    xclose_stdout();
    exit(EXIT_OK);
}

static const char *xkind(const char *name)
{
    for (const struct plot_kind *k = plot_kinds; k->name != NULL; k++)
        if (named(k, name))
            return k->name;
    xdie(EXIT_USAGE, "-t: no such kind of picture (-l lists them): '%s'", name);
}

static const struct cli_opt options[] = {
    {'T', "terminal", "TERM",
     "png, svg, pdf, or dumb (letters); default: by the end of -o, or dumb"},
    {'o', "output", "FILE", "where gnuplot puts the picture; default: its standard output"},
    {'t', "type", "KIND", "which kind of picture; default: by the columns"},
    {'x', "x", "COLUMN", "horizontal axis"},
    {'y', "y", "COLUMN", "vertical axis"},
    {'z', "z", "COLUMN", "colour of a heat map"},
    {'g', "group", "COLUMN", "one curve for each of its values"},
    {'n', "title", "TEXT", "title, instead of the kind's own"},
    {'l', "list", NULL, "list the kinds of pictures and the columns they need"},
    {'S', "strict", NULL, "an incomplete input is an error"},
    {0, NULL, NULL, NULL},
};

static const struct cli_usage usage = {
    "[-T png|svg|pdf|dumb] [-o FILE] [-t KIND] [-x COL] [-y COL] [-z COL] [-g COL] [FILE...] | "
    "gnuplot",
    "Writes one self-contained gnuplot script for what the rows are.", options};

int main(int argc, char **argv)
{
    struct frames data = {0};
    struct plot plot = {.to = stdout, .data = &data};
    const char *term = NULL, *output = NULL, *name = NULL;
    const struct plot_kind *kind;
    const struct frame *frame = NULL;
    struct tsv *t;
    bool strict = false;
    int c;

    cli_start("l2plot");
    while ((c = xcli_next(argc, argv, &usage)) != -1)
        switch (c) {
        case 'T':
            term = xterminal(optarg, "-T");
            break;
        case 'o':
            output = optarg;
            break;
        case 't':
            name = xkind(optarg);
            break;
        case 'x':
            plot.x = optarg;
            break;
        case 'y':
            plot.y = optarg;
            break;
        case 'z':
            plot.z = optarg;
            break;
        case 'g':
            plot.group = optarg;
            break;
        case 'n':
            plot.title = optarg;
            break;
        case 'S':
            strict = true;
            break;
        case 'l':
            list_kinds();
        }
    if (term == NULL)
        term = terminal_of(output);
    if (name == NULL && plot.x != NULL && plot.y != NULL)
        name = plot.z != NULL ? "heat" : "curve";
    t = xtsv_open(argv + optind);
    t->strict = strict;
    xframes_read(&data, t);
    plot.text = strcmp(term, "dumb") == 0;
    kind = choose(&plot, name, &frame);
    plot_begin(&plot, term, output, kind->name, strcmp(kind->name, "sector") == 0 ? SIX_PANELS : 1);
    kind->draw(&plot, frame);
    tsv_close(t);
    frames_free(&data);
    xclose_stdout();
    return EXIT_OK;
}
