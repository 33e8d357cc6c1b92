/* The rows of the experiment clock, one panel for each quantity: how the SM clock warms up and differs between SMs, what
 * the timer costs, how noisy a hit is, and the chase timed by hop and as a whole. */
#include "plot.h"
#include "plot_bins.h"
#include "plot_script.h"
#include "plot_series.h"

#include "../share/lib/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 80 };

static const struct panel {
    const char *what, *x, *title, *xlabel, *ylabel;
    bool rare; /* rare values matter: logarithmic shares */
} panels[] = {
    {"warmup", "step", "SM clock while warming up", "step", "MHz", false},
    {"mhz", "sm", "SM clock of every SM", "SM", "MHz", false},
    {"timer", "value", "Two clock reads in a row", "cycles", "% of the reads", false},
    {"noise", "value", "One line hit again and again", "cycles", "% of the accesses", true},
    {"chase_each", "value", "Chase, every hop timed", "cycles", "% of the hops", false},
    {"chase_total", "step", "Chase, a pass timed as a whole", "pass", "cycles a hop", false},
};
enum { PANELS = sizeof panels / sizeof *panels };

/* The rows of one quantity as a series over the panel's column, or n = 0. */
static struct series_set *rows_of(const struct plot *p, const struct frame *f, const char *x)
{
    struct series_spec spec = {
        p->data, f,   xframe_column(f, x), xframe_column(f, "value"), xframe_column(f, "n"),
        "what",  true};

    return xseries_make(&spec);
}

static const struct series *find(const struct series_set *set, const char *what)
{
    for (size_t i = 0; i < set->n; i++)
        if (strcmp(set->series[i].label + strlen("what="), what) == 0)
            return &set->series[i];
    return NULL;
}

/* About four tics, at 1, 2 or 5 times a power of ten. */
static void few_tics(struct plot *p, double lo, double hi)
{
    double power = exp10(floor(log10((hi - lo) / 4))), times = (hi - lo) / 4 / power;

    fprintf(p->to, "set xrange [%.10g:%.10g]\nset xtics %.10g\n", lo, hi,
            fmax(1, power * (times < 1.5   ? 1
                             : times < 3.5 ? 2
                             : times < 7.5 ? 5
                                           : 10)));
}

static void draw_histogram(struct plot *p, const struct panel *panel, const struct series *s,
                           size_t k)
{
    double lo = s->point[0].x, hi = plot_bins_quantile(s, panel->rare ? 1 : 0.999);
    struct plot_bins b = plot_bins_make(s, lo, fmax(hi, lo + 1), BINS);

    plot_block(p, "clock", k);
    for (size_t i = 0; i < b.n; i++)
        if (b.share[i] > 0)
            fprintf(p->to, "%.10g\t%.6g\n", b.lo + ((double)i + 0.5) * b.width, 100 * b.share[i]);
    plot_block_end(p);
    few_tics(p, b.lo - b.width, b.lo + ((double)b.n + 1) * b.width);
    fprintf(p->to, "set boxwidth %.10g\n", 0.9 * b.width);
    fputs(panel->rare ? "set logscale y\nset yrange [*:200]\n" : "set yrange [0:*]\n", p->to);
    fprintf(p->to,
            p->text ? "plot $clock%zu using 1:2 with impulses\n"
                    : "plot $clock%zu using 1:2 with boxes linestyle 1\n",
            k);
    plot_bins_free(&b);
}

static void draw_points(struct plot *p, const struct series *s, size_t k)
{
    double lo = INFINITY, hi = -INFINITY, room;

    plot_block(p, "clock", k);
    for (size_t i = 0; i < s->n; i++) {
        lo = fmin(lo, s->point[i].mean);
        hi = fmax(hi, s->point[i].mean);
        fprintf(p->to, "%.10g\t%.10g\n", s->point[i].x, s->point[i].mean);
    }
    plot_block_end(p);
    room = fmax(0.15 * (hi - lo), 0.005 * hi);
    few_tics(p, s->point[0].x - 1, s->point[s->n - 1].x + 1);
    fprintf(p->to, "set yrange [%.10g:%.10g]\n", lo - room, hi + room);
    fprintf(p->to,
            "plot $clock%zu using 1:2 with linespoints linestyle 1 linewidth 1 pointsize 0.5\n", k);
}

static void draw_panel(struct plot *p, const struct panel *panel, const struct series *s, size_t k)
{
    fprintf(p->to, "unset logscale\nset title '%s%s%s'\nset xlabel '%s' offset 0, 0.5\n",
            panel->title, p->text ? ", " : "", p->text ? panel->ylabel : "", panel->xlabel);
    if (!p->text)
        fprintf(p->to, "set ylabel '%s' offset 1, 0\n", panel->ylabel);
    if (strcmp(panel->x, "value") == 0)
        draw_histogram(p, panel, s, k);
    else
        draw_points(p, s, k);
    plot_panel_done(p, k);
}

void plot_clock(struct plot *p, const struct frame *f)
{
    static const char *const xs[] = {"step", "sm", "value"};
    struct series_set *set[3];
    const struct series *s[PANELS] = {NULL};
    size_t n = 0, k = 0;

    for (size_t i = 0; i < 3; i++) {
        set[i] = rows_of(p, f, xs[i]);
        for (size_t j = 0; j < PANELS; j++)
            if (strcmp(panels[j].x, xs[i]) == 0 && (s[j] = find(set[i], panels[j].what)) != NULL)
                n++;
    }
    if (n == 0)
        xdie(EXIT_FAILED, "%s: nothing to draw: column what: none of its values is known: '%s'",
             f->file, frame_text(p->data, f, 0, xframe_column(f, "what")));
    plot_heading(p, "The clocks and the timer", NULL);
    plot_panels(p, n > 2 ? 2 : 1, n > 4 ? 3 : n > 1 ? 2 : 1);
    for (size_t j = 0; j < PANELS; j++)
        if (s[j] != NULL)
            draw_panel(p, &panels[j], s[j], k++);
    fputs("unset multiplot\n", p->to);
    for (size_t i = 0; i < 3; i++)
        series_free(set[i]);
}
