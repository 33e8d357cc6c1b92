/* Curves over size or any other column: mean, median and the band that holds 90 % of the samples, with knees marked when
 * a knee table is among the inputs. */
#include "plot.h"
#include "plot_marks.h"
#include "plot_script.h"
#include "plot_series.h"

#include "../share/lib/cli.h"
#include "../share/lib/columns.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct curve_words {
    const char *title, *xlabel, *ylabel;
    bool bytes; /* x is in bytes */
    bool spans; /* of memory that is spanned, not used: the L2's size is no mark on it */
};

static bool has_band(const struct series *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->point[i].q[POINT_Q95] > s->point[i].q[POINT_Q05])
            return true;
    return false;
}

static void write_blocks(struct plot *p, const struct series_set *set)
{
    for (size_t k = 0; k < set->n; k++) {
        plot_block(p, "curve", k);
        for (size_t i = 0; i < set->series[k].n; i++) {
            const struct point *at = &set->series[k].point[i];

            plot_number(p->to, at->x);
            fputc('\t', p->to);
            plot_number(p->to, at->mean);
            for (size_t q = 0; q < POINT_QUANTILES; q++) {
                fputc('\t', p->to);
                plot_number(p->to, at->q[q]);
            }
            fputc('\n', p->to);
        }
        plot_block_end(p);
    }
}

/* The band and the median of curve k, then its mean. In letters there is only the mean. */
static void plot_line(struct plot *p, const struct series_set *set, size_t k)
{
    const struct series *s = &set->series[k];
    bool single = set->n == 1, band = has_band(s);
    size_t ls = k % PLOT_COLORS + 1;

    if (band && !p->text)
        fprintf(
            p->to,
            "  $curve%zu using 1:3:7 with filledcurves linestyle %zu fillstyle transparent solid "
            "%s title %s, \\\n  $curve%zu using 1:5 with lines linestyle %zu linewidth 1.2 "
            "dashtype 2 title %s, \\\n",
            k, ls, single ? "0.18" : "0.10", single ? "'5 % to 95 %'" : "''", k, ls,
            single ? "'median'" : "''");
    fprintf(p->to, "  $curve%zu using 1:2 with %s linestyle %zu pointsize %s title ", k,
            p->text ? "points" : "linespoints", ls, s->n > 80 ? "0.35" : "0.6");
    if (single)
        fputs(band ? "'mean'" : "''", p->to);
    else
        plot_quote(p->to, s->label);
}

/* How to read the picture, and what is not drawn. The caller frees it. */
static char *legend_of(const struct series_set *set, size_t left_out)
{
    bool bands = set->n > 1 && has_band(&set->series[0]);
    char *rest = left_out > 0 ? xprintf("  The %zu highest curves of %zu are drawn.", set->n,
                                        set->n + left_out)
                              : xstrdup("");
    char *legend =
        xprintf("%s%s", bands ? "Lines: mean; dashed: median; bands: 5 % to 95 %." : "", rest);

    free(rest);
    return legend;
}

static struct span x_axis(struct plot *p, const struct series_set *set, bool bytes)
{
    struct span span = {set->x_min, set->x_max, false};

    if (bytes) {
        span.logarithmic = plot_bytes_axis(p, 'x', span.lo, span.hi);
    } else if (span.lo > 0 && span.hi / span.lo > 50) {
        span.logarithmic = true;
        fprintf(p->to, "set logscale x 10\nset xrange [%.10g:%.10g]\n", span.lo / 1.08,
                span.hi * 1.08);
    } else {
        double room = (span.hi - span.lo) * 0.03 + (span.hi > span.lo ? 0 : 0.5);

        fprintf(p->to, "set xrange [%.10g:%.10g]\n", span.lo - room, span.hi + room);
    }
    return span;
}

static void draw_axes(struct plot *p, const struct series_set *set, const struct curve_words *words,
                      bool room)
{
    double top = fmax(set->y_max, 0) * (room ? 1.3 : 1.1) + (set->y_max > 0 ? 0 : 1);

    fprintf(p->to, "set yrange [%.10g:%.10g]\nset xlabel ", fmin(0, set->y_min * 1.05), top);
    plot_quote(p->to, words->xlabel);
    fputs("\nset ylabel ", p->to);
    plot_quote(p->to, words->ylabel);
    fputs(set->n > 1 || has_band(&set->series[0]) ? "\nset bmargin KEYROOM\n" : "\n", p->to);
}

/* The fitted curve of l2knee -p, when it is among the inputs: its pieces, from the column before `fit` back to x. */
static bool write_fit(struct plot *p)
{
    const struct frame *f = plot_frame_with(p, PLOT_FIT_COLUMNS);
    size_t fit = f != NULL ? frame_find(f, "fit") : 0, part;

    if (fit < 2)
        return false;
    part = frame_find(f, "part");
    plot_block(p, "fit", 0);
    for (size_t row = 0; row < f->nrow; row++) {
        if (row > 0 &&
            (frame_cell(f, row, part) != frame_cell(f, row - 1, part) ||
             xframe_number(p->data, f, row, fit - 2) < xframe_number(p->data, f, row - 1, fit - 2)))
            fputc('\n', p->to);
        plot_number(p->to, xframe_number(p->data, f, row, fit - 2));
        fputc('\t', p->to);
        plot_number(p->to, xframe_number(p->data, f, row, fit));
        fputc('\n', p->to);
    }
    plot_block_end(p);
    fputs("set bmargin KEYROOM\n", p->to);
    return true;
}

static void draw_set(struct plot *p, struct series_set *set, const struct curve_words *words)
{
    size_t left_out = series_keep_best(set, PLOT_SERIES);
    struct span span = x_axis(p, set, words->bytes);
    char *knees = plot_mark_knees(p, span, words->bytes), *legend = legend_of(set, left_out);
    bool fit;

    if (words->bytes && !words->spans)
        plot_mark_l2(p, span);
    plot_heading(p, words->title, set->constants);
    plot_note(p, knees);
    plot_note(p, legend);
    if (p->text)
        plot_note(p, words->ylabel);
    plot_single(p);
    draw_axes(p, set, words, *knees != '\0');
    write_blocks(p, set);
    fit = write_fit(p);
    fputs("plot \\\n", p->to);
    for (size_t k = 0; k < set->n; k++) {
        plot_line(p, set, k);
        fputs(k + 1 < set->n || fit ? ", \\\n" : "\n", p->to);
    }
    if (fit)
        fputs("  $fit0 using 1:2 with lines linestyle 22 title 'fit'\n", p->to);
    free(knees);
    free(legend);
    series_free(set);
}

static void draw(struct plot *p, const struct frame *f, const char *x, const char *y,
                 const char *weight, const struct curve_words *words)
{
    struct series_spec spec = {
        p->data, f, xframe_column(f, p->x ? p->x : x), TSV_NONE, TSV_NONE, p->group, false};

    if (y != NULL)
        spec.y = xframe_column(f, p->y ? p->y : y);
    if (y != NULL && weight != NULL)
        spec.weight = frame_find(f, weight);
    draw_set(p, xseries_make(&spec), words);
}

static const struct curve_words latency_words = {"Latency of dependent loads by working set",
                                                 "working set", "latency in cycles of the SM clock",
                                                 true, false};
static const struct curve_words bandwidth_words = {"Bandwidth by working set", "working set",
                                                   "bandwidth in GB/s", true, false};
static const struct curve_words tlb_words = {"Latency of one line a page by memory spanned",
                                             "memory spanned", "latency in cycles of the SM clock",
                                             true, true};

void plot_latency_raw(struct plot *p, const struct frame *f)
{
    draw(p, f, "size", "cycles", "n", &latency_words);
}

void plot_latency_stat(struct plot *p, const struct frame *f)
{
    draw(p, f, "size", NULL, NULL, &latency_words);
}

void plot_bandwidth_raw(struct plot *p, const struct frame *f)
{
    draw(p, f, "size", "gbps", NULL, &bandwidth_words);
}

void plot_bandwidth_stat(struct plot *p, const struct frame *f)
{
    draw(p, f, "size", NULL, NULL, &bandwidth_words);
}

void plot_tlb(struct plot *p, const struct frame *f)
{
    p->group = p->group != NULL ? p->group : "stride";
    draw(p, f, "size", "cycles", "n", &tlb_words);
}

/* "cycles" or "size in bytes". The caller frees it. */
static char *with_unit(const char *name, bool bytes)
{
    const struct column *known = column_find(name);
    bool say = !bytes && known != NULL && known->unit[0] != '\0' && strcmp(known->unit, name) != 0;

    return xprintf("%s%s%s", name, say ? " in " : "", say ? known->unit : "");
}

static bool in_bytes(const char *name)
{
    const struct column *known = column_find(name);
    size_t len = strlen(name);

    return (known != NULL && strcmp(known->unit, "bytes") == 0) ||
           (len > 6 && strcmp(name + len - 6, "_bytes") == 0);
}

void plot_curve(struct plot *p, const struct frame *f)
{
    char *title, *xlabel, *ylabel;
    bool bytes;

    if (p->x == NULL || p->y == NULL)
        xdie(EXIT_FAILED, "%s: nothing to draw: name the columns with -x and -y", f->file);
    bytes = in_bytes(p->x);
    title = xprintf("%s by %s", p->y, p->x);
    xlabel = with_unit(p->x, bytes);
    ylabel = with_unit(p->y, false);
    draw(p, f, p->x, p->y, "n", &(struct curve_words){title, xlabel, ylabel, bytes, false});
    free(title);
    free(xlabel);
    free(ylabel);
}

void plot_fit(struct plot *p, const struct frame *f)
{
    size_t fit = xframe_column(f, "fit");

    if (fit < 2)
        xdie(EXIT_FAILED, "%s: nothing to draw: no two columns before column fit", f->file);
    p->x = f->column[fit - 2];
    p->y = f->column[fit - 1];
    plot_curve(p, f);
}
