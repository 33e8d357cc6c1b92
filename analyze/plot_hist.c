/* Distributions: one above the other (histogram), as colour over size (density), or only their modes.
 *
 * A histogram row is scaled to its own highest bin: the rows show where the modes are, and the share of each bin is in the
 * data block for whoever wants it. */
#include "plot.h"
#include "plot_bins.h"
#include "plot_marks.h"
#include "plot_script.h"
#include "plot_series.h"

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 12, BINS = 150, DENSITY_BINS = 110 };

/* The distributions of the frame: points (value, mean, n). From l2stat -H the mean holds the bin's upper end. */
static struct series_set *distributions(const struct plot *p, const struct frame *f, const char *x,
                                        const char *y)
{
    struct series_spec spec = {p->data, f,   xframe_column(f, x), xframe_column(f, y), TSV_NONE,
                               NULL,    true};

    spec.weight = frame_find(f, "n");
    spec.group = p->group;
    return xseries_make(&spec);
}

static double mean_of(const struct series *s)
{
    double n = 0, mean = 0;

    for (size_t i = 0; i < s->n; i++) {
        n += s->point[i].n;
        mean += (s->point[i].x - mean) * s->point[i].n / n;
    }
    return mean;
}

/* Keeps `most` series, first and last among them, more where the mean moves than where nothing happens. */
static void keep_telling(struct series_set *set, size_t most)
{
    double *along = xcalloc(set->n + 1, sizeof *along), moved = 1e-9, step, next = 0;
    size_t kept = 0, n = set->n;

    for (size_t i = 1; i < n; i++)
        moved += fabs(mean_of(&set->series[i]) - mean_of(&set->series[i - 1]));
    for (size_t i = 1; i < n; i++)
        along[i] = along[i - 1] + 0.5 / (double)n +
                   fabs(mean_of(&set->series[i]) - mean_of(&set->series[i - 1])) / moved;
    step = along[n - 1] / (double)(most - 1);
    for (size_t i = 0; i < n && n > most; i++) {
        struct series swap = set->series[i];

        if (along[i] + 1e-12 < next && i + 1 < n)
            continue;
        next = fmax(next + step, along[i] + step / 2);
        set->series[i] = set->series[kept];
        set->series[kept++] = swap;
    }
    if (n > most)
        series_keep_first(set, kept);
    free(along);
}

static void value_range(const struct series_set *set, double *lo, double *hi)
{
    double room;

    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t i = 0; i < set->n; i++) {
        *lo = fmin(*lo, plot_bins_quantile(&set->series[i], 0.001));
        *hi = fmax(*hi, plot_bins_quantile(&set->series[i], 0.995));
    }
    room = (*hi - *lo) * 0.02 + 1e-9;
    *lo = floor(*lo - room);
    *hi = ceil(*hi + room);
}

static void step(struct plot *p, double lo, double hi, double base, double height, double share)
{
    for (int i = 0; i < 2; i++)
        fprintf(p->to, "%.10g\t%.6g\t%.6g\t%.6g\n", i == 0 ? lo : hi, base, base + height, share);
}

/* Row k as a block of (value, base, top, share), as steps. */
static void raw_row(struct plot *p, const struct series *s, size_t k, double lo, double hi)
{
    struct plot_bins b = plot_bins_make(s, lo, hi, BINS);
    double most = 0;

    for (size_t i = 0; i < b.n; i++)
        most = fmax(most, b.share[i]);
    plot_block(p, "row", k);
    for (size_t i = 0; i < b.n; i++)
        step(p, b.lo + (double)i * b.width, b.lo + (double)(i + 1) * b.width, (double)k,
             most > 0 ? 0.9 * b.share[i] / most : 0, b.share[i]);
    plot_block_end(p);
    plot_bins_free(&b);
}

/* The same of bins that are given: point.x to point.mean, empty ones left out. */
static void bins_row(struct plot *p, const struct series *s, size_t k, double lo, double hi)
{
    double most = 0, total = 0, end = lo;

    for (size_t i = 0; i < s->n; i++) {
        total += s->point[i].n;
        most = fmax(most, s->point[i].n / (s->point[i].mean - s->point[i].x));
    }
    plot_block(p, "row", k);
    for (size_t i = 0; i < s->n && s->point[i].x < hi; i++) {
        const struct point *at = &s->point[i];

        if (at->x > end)
            step(p, end, at->x, (double)k, 0, 0);
        step(p, at->x, at->mean, (double)k, 0.9 * at->n / (at->mean - at->x) / most, at->n / total);
        end = at->mean;
    }
    if (end < hi)
        step(p, end, hi, (double)k, 0, 0);
    plot_block_end(p);
}

/* "8 MiB op=cg" for "size=8388608 op=cg". The caller frees it. */
static char *row_label(const char *label)
{
    const char *size = strstr(label, "size=");
    double bytes = size != NULL ? strtod(size + 5, NULL) : 0;
    const char *after = size != NULL ? size + strcspn(size, " ") : label;
    char *words, *whole;

    if (size == NULL || !(bytes > 0))
        return xstrdup(label);
    words = plot_size(bytes);
    whole = xprintf("%.*s%s%s", (int)(size - label), label, words, after);
    free(words);
    return whole;
}

static void row_tics(struct plot *p, const struct series_set *set, size_t rows)
{
    fprintf(p->to, "set yrange [-0.1:%zu]\nset ytics (", rows);
    for (size_t k = 0; k < rows; k++) {
        char *label = row_label(set->series[k].label);

        fputs(k > 0 ? ", " : "", p->to);
        plot_tic(p->to, label);
        fprintf(p->to, " %zu", k);
        free(label);
    }
    fputs(")\n", p->to);
}

static void draw_rows(struct plot *p, struct series_set *set, const char *what,
                      void (*row)(struct plot *, const struct series *, size_t, double, double))
{
    size_t all = set->n, rows;
    char *legend;
    char *title = xprintf("Distribution of %s", what);
    double lo, hi;

    keep_telling(set, ROWS);
    rows = set->n;
    legend = xprintf("%zu of %zu distributions, each scaled to its highest bin", rows, all);
    value_range(set, &lo, &hi);
    plot_heading(p, title, set->constants);
    plot_note(p, legend);
    plot_single(p);
    fprintf(p->to, "set key off\nset xrange [%.10g:%.10g]\nset xlabel ", lo, hi);
    plot_quote(p->to, what);
    fputc('\n', p->to);
    row_tics(p, set, rows);
    for (size_t k = 0; k < rows; k++)
        row(p, &set->series[k], k, lo, hi);
    fputs("plot \\\n", p->to);
    for (size_t k = rows; k-- > 0;)
        fprintf(p->to,
                p->text
                    ? "  $row%zu using 1:($3 - $2 > 0.03 ? $3 : NaN) with points linestyle %d%s\n"
                    : "  $row%zu using 1:2:3 with filledcurves linestyle %d%s\n",
                k, 1, k > 0 ? ", \\" : "");
    free(title);
    free(legend);
    series_free(set);
}

/* The rows without walks back where the same walks forwards are there, or both would be one cloud. The caller frees the
 * cells. */
static struct frame forwards(const struct plot *p, const struct frame *f)
{
    size_t order = frame_find(f, "order");
    struct frame g = *f;
    bool cycle = false;

    g.cell = xcalloc(f->nrow * f->ncolumn + 1, sizeof *g.cell);
    g.nrow = 0;
    for (size_t row = 0; row < f->nrow && order != TSV_NONE && !cycle; row++)
        cycle = strcmp(frame_text(p->data, f, row, order), "cycle") == 0;
    for (size_t row = 0; row < f->nrow; row++) {
        if (cycle && strcmp(frame_text(p->data, f, row, order), "back") == 0)
            continue;
        memcpy(g.cell + g.nrow * g.ncolumn, f->cell + row * f->ncolumn,
               f->ncolumn * sizeof *g.cell);
        g.nrow++;
    }
    return g;
}

void plot_histogram_raw(struct plot *p, const struct frame *f)
{
    const char *y = p->y != NULL ? p->y : frame_find(f, "gbps") != TSV_NONE ? "gbps" : "cycles";
    struct frame g = forwards(p, f);

    draw_rows(p, distributions(p, &g, y, y), y, raw_row);
    free(g.cell);
}

void plot_histogram(struct plot *p, const struct frame *f)
{
    draw_rows(p, distributions(p, f, "lo", "hi"), p->y != NULL ? p->y : "value", bins_row);
}

/* One filled box for every bin that is not empty: x, y, their ends, share. */
static void density_column(struct plot *p, const struct series *s, double x, double left,
                           double right, double lo, double hi)
{
    struct plot_bins b = plot_bins_make(s, lo, hi, DENSITY_BINS);

    for (size_t i = 0; i < b.n; i++)
        if (b.share[i] > 0)
            fprintf(p->to, "%.10g\t%.6g\t%.10g\t%.10g\t%.6g\t%.6g\t%.6g\n", x,
                    b.lo + ((double)i + 0.5) * b.width, left, right, b.lo + (double)i * b.width,
                    b.lo + ((double)i + 1.1) * b.width, 100 * b.share[i]);
    plot_bins_free(&b);
}

/* Curves of different conditions would be one cloud. */
static void warn_mixed(const struct plot *p, const struct frame *f)
{
    struct series_spec spec = {
        p->data, f, xframe_column(f, "size"), xframe_column(f, "cycles"), TSV_NONE, NULL, false};
    struct series_set *set = xseries_make(&spec);

    if (set->n > 1)
        cli_warn("%s: %zu curves are drawn as one (%s, %s%s): choose one with l2body awk", f->file,
                 set->n, set->series[0].label, set->series[1].label, set->n > 2 ? ", ..." : "");
    series_free(set);
}

static double size_of(const struct series *s)
{
    return strtod(s->label + strlen("size="), NULL);
}

static void density_blocks(struct plot *p, const struct series_set *set, double lo, double hi)
{
    plot_block(p, "density", 0);
    for (size_t k = 0; k < set->n; k++) {
        double x = size_of(&set->series[k]);
        double before = k > 0 ? size_of(&set->series[k - 1]) : x / 1.05;
        double after = k + 1 < set->n ? size_of(&set->series[k + 1]) : x * 1.05;

        density_column(p, &set->series[k], x, sqrt(before * x), sqrt(x * after), lo, hi);
    }
    plot_block_end(p);
}

void plot_density(struct plot *p, const struct frame *f)
{
    struct plot by_size = *p;
    struct series_set *set;
    double lo, hi;
    struct span span;
    char *knees;
    struct frame g = forwards(p, f);

    warn_mixed(p, &g);
    by_size.group = "size";
    set = distributions(&by_size, &g, "cycles", "cycles");
    span = (struct span){size_of(&set->series[0]), size_of(&set->series[set->n - 1]), true};
    value_range(set, &lo, &hi);
    span.logarithmic = plot_bytes_axis(p, 'x', span.lo, span.hi);
    knees = plot_mark_knees(p, span, true);
    plot_mark_l2(p, span);
    plot_heading(p, "Every latency behind the mean", set->constants);
    plot_note(p, knees);
    plot_note(p, "Colour: share of the accesses of a working set that took so many cycles");
    plot_single(p);
    fprintf(p->to,
            "set key off\nset rmargin 12\nset yrange [0:%.10g]\nset logscale cb\nset cbrange "
            "[0.1:100]\n"
            "set cblabel '%% of the accesses'\nset xlabel 'working set'\n"
            "set ylabel 'latency in cycles of the SM clock'\n",
            hi * (*knees ? 1.2 : 1.05));
    density_blocks(p, set, lo, hi);
    fputs(p->text ? "plot $density0 using 1:($7 >= 5 ? $2 : NaN) with points\n"
                  : "plot $density0 using 1:2:3:4:5:6:7 with boxxyerror palette fillstyle solid\n",
          p->to);
    free(knees);
    free(g.cell);
    series_free(set);
}

void plot_modes(struct plot *p, const struct frame *f)
{
    size_t column[5], x;
    static const char *const names[5] = {"centre", "weight", "iqr", "lo", "hi"};
    double lo = INFINITY, hi = 0;
    bool bytes;

    x = xframe_column(f, p->x != NULL ? p->x : "size");
    bytes = strcmp(f->column[x], "size") == 0;
    for (size_t i = 0; i < 5; i++)
        column[i] = xframe_column(f, names[i]);
    plot_block(p, "modes", 0);
    for (size_t row = 0; row < f->nrow; row++) {
        double at = xframe_number(p->data, f, row, x);

        lo = fmin(lo, at);
        hi = fmax(hi, at);
        plot_number(p->to, at);
        for (size_t i = 0; i < 5; i++) {
            fputc('\t', p->to);
            plot_number(p->to, xframe_number(p->data, f, row, column[i]));
        }
        fputc('\n', p->to);
    }
    plot_block_end(p);
    plot_heading(p, "Modes of the distributions", NULL);
    plot_note(p, "Area and colour: share of the samples in the mode; bar: its interquartile range");
    plot_single(p);
    if (bytes)
        plot_bytes_axis(p, 'x', lo, hi);
    fputs("set key off\nset rmargin 12\nset yrange [0:*]\nset cbrange [0:1]\nset ylabel 'centre of "
          "the mode'\n"
          "set cblabel 'share of the samples'\nset xlabel ",
          p->to);
    plot_quote(p->to, bytes ? "working set" : f->column[x]);
    fputs(p->text ? "\nplot $modes0 using 1:2 with points\n"
                  : "\nplot $modes0 using 1:2:($2-$4/2):($2+$4/2) with yerrorbars linestyle 21 "
                    "pointtype -1, \\\n"
                    "  $modes0 using 1:2:(0.4 + 2 * sqrt($3)):3 with points pointtype 7 "
                    "pointsize variable linecolor palette\n",
          p->to);
}
