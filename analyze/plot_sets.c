/* From pool to policy: the tipping points of eviction sets, how lines survive others, how well policies agree. */
#include "plot.h"
#include "plot_script.h"
#include "plot_series.h"

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TARGETS = 5, SHOWN = 14, MOST = 40 };

/* The first search of a target's first pool: where it stands while rows go by. */
struct tipping {
    const char *target;
    double threshold, tip;
    size_t row[64], n;
    bool over;
};

struct tip_columns {
    size_t target, attempt, phase, test, n, cycles, threshold, status;
};

static struct tip_columns tip_columns(const struct frame *f)
{
    return (struct tip_columns){xframe_column(f, "target"),    xframe_column(f, "attempt"),
                                xframe_column(f, "phase"),     xframe_column(f, "test"),
                                xframe_column(f, "n"),         xframe_column(f, "cycles"),
                                xframe_column(f, "threshold"), xframe_column(f, "status")};
}

/* Tests of the whole pool, and the search up to the first line found, which another phase ends. */
static void tip_row(const struct plot *p, const struct frame *f, const struct tip_columns *c,
                    size_t row, struct tipping *t)
{
    const char *phase = frame_text(p->data, f, row, c->phase);
    bool search = strcmp(phase, "search") == 0;

    if (strcmp(phase, "end") == 0)
        t->tip = xframe_number(p->data, f, row, c->test);
    if (t->over || (strcmp(phase, "pool") != 0 && !search)) {
        t->over =
            t->over || (t->n > 0 && strcmp(phase, "confirm") == 0 &&
                        strcmp(frame_text(p->data, f, t->row[t->n - 1], c->phase), "search") == 0);
        return;
    }
    if (t->n < 64 && xframe_number(p->data, f, row, c->n) > 0)
        t->row[t->n++] = row;
}

static size_t read_tips(const struct plot *p, const struct frame *f, const struct tip_columns *c,
                        struct tipping *t)
{
    size_t n = 0;

    for (size_t row = 0; row < f->nrow; row++) {
        const char *target = frame_text(p->data, f, row, c->target);
        size_t k = 0;

        if (strcmp(frame_text(p->data, f, row, c->attempt), "0") != 0)
            continue;
        while (k < n && strcmp(t[k].target, target) != 0)
            k++;
        if (k == n && (n == TARGETS || strcmp(frame_text(p->data, f, row, c->status), "ok") != 0))
            continue;
        if (k == n)
            t[n++] = (struct tipping){.target = target,
                                      .threshold = xframe_number(p->data, f, row, c->threshold)};
        tip_row(p, f, c, row, &t[k]);
    }
    return n;
}

static void draw_tips(struct plot *p, const struct frame *f, const struct tip_columns *c,
                      const struct tipping *t, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        plot_block(p, "tip", k);
        for (size_t i = 0; i < t[k].n; i++)
            fprintf(p->to, "%.10g\t%.10g\n", xframe_number(p->data, f, t[k].row[i], c->n),
                    xframe_number(p->data, f, t[k].row[i], c->cycles));
        plot_block_end(p);
        if (t[k].tip > 0)
            fprintf(
                p->to,
                "set arrow from %.10g, graph 0 to %.10g, graph 1 nohead linestyle %zu linewidth 1 "
                "dashtype 2\n",
                t[k].tip, t[k].tip, k + 1);
    }
    fputs("plot ", p->to);
    for (size_t k = 0; k < n; k++) {
        char *name = xprintf("target %s: tips at %.0f", t[k].target, t[k].tip);

        fprintf(p->to, "%s$tip%zu using 1:2 with points linestyle %zu pointsize %s title ",
                k > 0 ? ", \\\n  " : "", k, k + 1, p->text ? "1" : "1.3");
        plot_quote(p->to, name);
        free(name);
    }
    fputc('\n', p->to);
}

/* A logarithmic axis of lines with names at 1, 2 and 5 of each decade: a pool is seldom two decades wide. */
static void lines_axis(struct plot *p, const char *label)
{
    fputs("set logscale x\nset format x '%.0s%c'\nset xtics add (20, 50", p->to);
    for (double decade = 100; decade < 1e9; decade *= 10)
        fprintf(p->to, ", %.0f, %.0f", 2 * decade, 5 * decade);
    fprintf(p->to, ")\nset xlabel '%s'\n", label);
}

void plot_tips(struct plot *p, const struct frame *f)
{
    struct tip_columns c = tip_columns(f);
    struct tipping t[TARGETS];
    size_t n = read_tips(p, f, &c, t);
    double threshold = 0;
    char *note;

    if (n == 0)
        xdie(EXIT_FAILED, "%s: nothing to draw: no target found its set in the first pool",
             f->file);
    for (size_t k = 0; k < n; k++)
        threshold += t[k].threshold / (double)n;
    note = xprintf(
        "load the target, n lines of a pool, then time the target: above %.0f cycles (line) it was "
        "evicted",
        threshold);
    plot_heading(p, "The first tipping point of some targets", NULL);
    plot_note(p, note);
    plot_single(p);
    lines_axis(p, "n: lines of the pool in between");
    fprintf(
        p->to,
        "set ylabel 'cycles of the target'\nset bmargin KEYROOM\nset offsets 0, 0, graph 0.05, "
        "graph 0.05\nset arrow from graph 0, first %.6g to graph 1, first %.6g nohead linestyle "
        "21\n",
        threshold, threshold);
    draw_tips(p, f, &c, t, n);
    free(note);
}

/* The points of a curve, or its law. */
static size_t survival_block(struct plot *p, const struct frame *f, const char *part, size_t k)
{
    size_t c_part = xframe_column(f, "part"), x = xframe_column(f, "others"),
           y = xframe_column(f, "share"), lo = xframe_column(f, "lo"), hi = xframe_column(f, "hi");
    size_t kind = xframe_column(f, "lines"), order = xframe_column(f, "order"), n = 0;

    plot_block(p, "survival", k);
    for (size_t row = 0; row < f->nrow; row++)
        if (strcmp(frame_text(p->data, f, row, c_part), part) == 0 &&
            frame_cell(f, row, kind) == frame_cell(f, 0, kind) &&
            frame_cell(f, row, order) == frame_cell(f, 0, order)) {
            double top = xframe_number(p->data, f, row, hi),
                   low = xframe_number(p->data, f, row, lo);

            fprintf(p->to, "%.10g\t%.6g\t", xframe_number(p->data, f, row, x),
                    100 * xframe_number(p->data, f, row, y));
            plot_number(p->to, 100 * low);
            fputc('\t', p->to);
            plot_number(p->to, 100 * top);
            fputc('\n', p->to);
            n++;
        }
    plot_block_end(p);
    return n;
}

void plot_survival(struct plot *p, const struct frame *f)
{
    char *what = xprintf("lines=%s order=%s", frame_text(p->data, f, 0, xframe_column(f, "lines")),
                         frame_text(p->data, f, 0, xframe_column(f, "order")));
    size_t law;

    plot_heading(p, "How a line survives others", what);
    plot_single(p);
    lines_axis(p, "lines in between");
    fputs("set autoscale xfix\nset yrange [-3:103]\nset ylabel '% that still hit'\nset bmargin "
          "KEYROOM\n",
          p->to);
    survival_block(p, f, "point", 0);
    law = survival_block(p, f, "fit", 1);
    fputs("plot ", p->to);
    if (law > 0)
        fputs("$survival1 using 1:2 with lines linestyle 2 title 'law that fits best', \\\n  ",
              p->to);
    fprintf(p->to, "$survival0 using %s linestyle 1 title 'measured, 95 %% interval'\n",
            p->text ? "1:2 with points" : "1:2:3:4 with yerrorbars");
    free(what);
}

struct agreement {
    const char *policy;
    double percent;
    bool fits;
};

/* The first candidates, best first, then the plain ones (whose names have no '_') that are not among them. Of others that
 * agree equally well, which behave alike, the first. */
static size_t read_agreements(const struct plot *p, const struct frame *f, struct agreement *a)
{
    size_t name = xframe_column(f, "policy"), share = xframe_column(f, "agreement"),
           fits = frame_find(f, "fits"), n = 0;

    for (size_t row = 0; row < f->nrow && n < MOST; row++) {
        const char *policy = frame_text(p->data, f, row, name);
        double percent = 100 * xframe_number(p->data, f, row, share);

        if (isfinite(percent) &&
            (strchr(policy, '_') == NULL || (n < SHOWN && !(n > 0 && a[n - 1].percent == percent))))
            a[n++] = (struct agreement){policy, percent,
                                        fits != TSV_NONE &&
                                            strcmp(frame_text(p->data, f, row, fits), "yes") == 0};
    }
    return n;
}

static int by_agreement(const void *x, const void *y)
{
    const struct agreement *a = x, *b = y;

    if (a->fits != b->fits)
        return a->fits ? -1 : 1;
    return (a->percent < b->percent) - (a->percent > b->percent);
}

static void draw_agreements(struct plot *p, const struct agreement *a, size_t n)
{
    static const char *const says[] = {"rejected", "fits"};
    const char *separator = "plot ";
    size_t count[2] = {0};

    for (size_t fits = 0; fits < 2; fits++) {
        plot_block(p, "agreement", fits);
        for (size_t i = 0; i < n; i++)
            if (a[i].fits == fits) {
                fprintf(p->to, "%.6g\t%zu\t%.3f\n", a[i].percent, n - 1 - i, a[i].percent);
                count[fits]++;
            }
        plot_block_end(p);
    }
    for (size_t fits = 0; fits < 2; fits++) {
        if (count[fits] == 0)
            continue;
        fprintf(p->to,
                p->text ? "%s$agreement%zu using 1:2 with points linestyle %d title '%s'"
                        : "%s$agreement%zu using 1:2:(0):1:($2-0.36):($2+0.36) with boxxyerror "
                          "linestyle %d linewidth 1 title '%s'",
                separator, fits, fits ? 3 : 7, says[fits]);
        separator = ", \\\n  ";
        if (!p->text)
            fprintf(p->to, "%s$agreement%zu using 1:2:3 with labels left offset 0.5, 0 notitle",
                    separator, fits);
    }
    fputc('\n', p->to);
}

void plot_agreement(struct plot *p, const struct frame *f)
{
    struct agreement a[MOST];
    size_t n = read_agreements(p, f, a);

    if (n == 0)
        xdie(EXIT_FAILED, "%s: nothing to draw: no candidate with answers", f->file);
    qsort(a, n, sizeof *a, by_agreement);
    plot_heading(p, "Answers that each policy foresees", NULL);
    plot_note(p, "random policies foresee shares of hits, not answers; one that is rejected early "
                 "was asked less");
    plot_single(p);
    fputs("set ytics (", p->to);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? ", " : "", p->to);
        plot_tic(p->to, a[i].policy);
        fprintf(p->to, " %zu", n - 1 - i);
    }
    fprintf(p->to,
            ")\nset yrange [-0.7:%zu.7]\nset xrange [0:112]\nset xtics 0, 20, 100\nset grid "
            "noytics\nset lmargin 26\n"
            "set xlabel '%% of the recorded answers'\nset bmargin KEYROOM\n",
            n - 1);
    draw_agreements(p, a, n);
}
