/* What l2diff says, as a forest of shifts in percent: parameters and curves as rows with intervals; or, when there are only
 * points (of one archive), the shift of every point in their order. */
#include "plot.h"
#include "plot_script.h"

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40 };

static const struct result_look {
    const char *result, *says;
    int style;
} looks[] = {{"same", "same", 3}, {"differs", "differs", 2}, {"unsure", "can't tell", 7}};
enum { LOOKS = sizeof looks / sizeof *looks };

struct bar {
    char *label;
    double at, lo, hi; /* percent */
    size_t look;
};

struct columns {
    size_t about, archive, param, point, shift, lo, hi, percent, result;
};

static struct columns find_columns(const struct frame *f)
{
    return (struct columns){
        xframe_column(f, "about"), xframe_column(f, "archive"), xframe_column(f, "param"),
        xframe_column(f, "point"), xframe_column(f, "shift"),   xframe_column(f, "lo"),
        xframe_column(f, "hi"),    xframe_column(f, "percent"), xframe_column(f, "result")};
}

static size_t look_of(const char *result)
{
    size_t i = 0;

    while (i < LOOKS && strcmp(looks[i].result, result) != 0)
        i++;
    return i;
}

/* Whether row is drawn, and how. Without an interval (counted) it is a point. */
static bool bar_of(const struct plot *p, const struct frame *f, const struct columns *c, size_t row,
                   bool points, struct bar *b)
{
    const char *about = frame_text(p->data, f, row, c->about);
    double shift = xframe_number(p->data, f, row, c->shift);
    double percent = xframe_number(p->data, f, row, c->percent);
    double scale = shift != 0 ? percent / shift : 0, lo = xframe_number(p->data, f, row, c->lo);
    double hi = xframe_number(p->data, f, row, c->hi);

    b->look = look_of(frame_text(p->data, f, row, c->result));
    if (b->look == LOOKS || !isfinite(percent) || strcmp(about, "condition") == 0 ||
        (strcmp(about, "point") == 0) != points)
        return false;
    b->at = percent;
    b->lo = isfinite(lo) ? lo * scale : percent;
    b->hi = isfinite(hi) ? hi * scale : percent;
    b->label = strcmp(about, "parameter") == 0
                   ? xstrdup(frame_text(p->data, f, row, c->param))
                   : xprintf("%s: %s", frame_text(p->data, f, row, c->archive),
                             frame_text(p->data, f, row, c->point));
    return true;
}

static struct bar *collect(const struct plot *p, const struct frame *f, bool points, size_t *n)
{
    struct columns c = find_columns(f);
    struct bar *bar = xcalloc(f->nrow + 1, sizeof *bar);

    *n = 0;
    for (size_t row = 0; row < f->nrow; row++)
        *n += bar_of(p, f, &c, row, points, &bar[*n]);
    return bar;
}

static void draw_bars(struct plot *p, const struct bar *bar, size_t n)
{
    const char *separator = "plot ";

    for (size_t look = 0; look < LOOKS; look++) {
        plot_block(p, "diff", look);
        for (size_t i = 0; i < n; i++)
            if (bar[i].look == look)
                fprintf(p->to, "%.6g\t%zu\t%.6g\t%.6g\n", bar[i].at, n - 1 - i, bar[i].lo,
                        bar[i].hi);
        plot_block_end(p);
    }
    for (size_t look = 0; look < LOOKS; look++) {
        bool any = false;

        for (size_t i = 0; i < n; i++)
            any = any || bar[i].look == look;
        if (!any)
            continue;
        fprintf(p->to,
                p->text ? "%s$diff%zu using 1:2 with points linestyle %d title "
                        : "%s$diff%zu using 1:2:3:4 with xerrorbars linestyle %d title ",
                separator, look, looks[look].style);
        plot_quote(p->to, looks[look].says);
        separator = ", \\\n  ";
    }
    fputc('\n', p->to);
}

static void axes(struct plot *p, const struct bar *bar, size_t n, bool points)
{
    size_t step = points ? (n + MOST - 1) / MOST : 1, longest = 8;

    for (size_t i = 0; i < n; i += step)
        longest = strlen(bar[i].label) > longest ? strlen(bar[i].label) : longest;
    fputs("set ytics (", p->to);
    for (size_t i = 0; i < n; i += step) {
        fputs(i > 0 ? ", " : "", p->to);
        plot_tic(p->to, bar[i].label);
        fprintf(p->to, " %zu", n - 1 - i);
    }
    fprintf(
        p->to,
        ")\nset yrange [-0.7:%zu.7]\nset lmargin %zu\nset offsets graph 0.03, graph 0.03, 0, 0\n"
        "set xlabel '%% of the first'\nset bmargin KEYROOM\nset arrow from 0, graph 0 to 0, "
        "graph 1 nohead linestyle 21\n",
        n - 1, longest < 34 ? longest + 2 : 36);
}

static char *names(const struct plot *p, const struct frame *f)
{
    return xprintf("%s against %s", frame_text(p->data, f, 0, xframe_column(f, "other")),
                   frame_text(p->data, f, 0, xframe_column(f, "one")));
}

void plot_diff(struct plot *p, const struct frame *f)
{
    size_t n;
    struct bar *bar = collect(p, f, false, &n);
    bool points = n == 0;
    char *title;

    if (points) {
        free(bar);
        bar = collect(p, f, true, &n);
    }
    if (n == 0)
        xdie(EXIT_FAILED, "%s: nothing to draw: no comparison of numbers", f->file);
    title = names(p, f);
    plot_heading(p, title, NULL);
    plot_single(p);
    axes(p, bar, n, points);
    draw_bars(p, bar, n);
    for (size_t i = 0; i < n; i++)
        free(bar[i].label);
    free(bar);
    free(title);
}
