/* Where lines live: the matrix of latencies ordered by what is alike, the distances between the fingerprints of lines, the
 * SMs by side and group, and how long all SMs together take for two lines. */
#include "plot.h"
#include "plot_bins.h"
#include "plot_grid.h"
#include "plot_script.h"

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TALL = 512, TICS = 12, SAMPLE = 700, BINS = 120 };

/* Atomics are served at a line's home, so they tell more. */
static const char *best_op(const struct plot *p, const struct frame *f)
{
    size_t column = frame_find(f, "op");

    for (size_t row = 0; row < f->nrow && column != TSV_NONE; row++)
        if (strcmp(frame_text(p->data, f, row, column), "atom") == 0)
            return "atom";
    return column != TSV_NONE && f->nrow > 0 ? frame_text(p->data, f, 0, column) : NULL;
}

static int by_float(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* Range of the colours: all but the 1 % at either end. */
static void color_range(struct plot *p, const struct grid *g)
{
    float *v = xmalloc((g->lines * g->sms + 1) * sizeof *v);
    size_t n = 0;

    for (size_t i = 0; i < g->lines * g->sms; i++)
        if (!isnan(g->cycles[i]))
            v[n++] = g->cycles[i];
    if (n == 0)
        xdie(EXIT_FAILED, "nothing to draw: no finite number in column cycles");
    qsort(v, n, sizeof *v, by_float);
    fprintf(p->to, "set cbrange [%.6g:%.6g]\n", (double)v[n / 100],
            fmax((double)v[n - 1 - n / 100], (double)v[n / 100] + 1));
    free(v);
}

/* Lines are averaged in bands of neighbours in the order where there are more than the picture has rows. */
static void matrix_block(struct plot *p, const struct grid *g)
{
    size_t rows = g->lines < TALL ? g->lines : TALL;

    plot_block(p, "matrix", 0);
    for (size_t r = 0; r < rows; r++) {
        size_t line = r * g->lines / rows;

        for (size_t s = 0; s < g->sms; s++) {
            fprintf(p->to, "%zu\t%zu\t", s, r);
            plot_number(p->to, (double)plot_grid_cycles(g, line, s));
            fputc('\n', p->to);
        }
    }
    plot_block_end(p);
    fprintf(p->to, "set xrange [-0.5:%zu.5]\nset yrange [-0.5:%zu.5]\n", g->sms - 1, rows - 1);
}

/* A line across where the side changes, and the names of the sides in their middles. */
static void side_marks(struct plot *p, const int *side, size_t n, double scale, char axis)
{
    const char *separator = "";
    size_t start = 0;

    if (n == 0 || side[n - 1] < 0) {
        fputs(axis == 'y' ? "unset ytics\n" : "", p->to);
        return;
    }
    fprintf(p->to, "set %ctics scale 0 (", axis);
    for (size_t i = 1; i <= n; i++) {
        if (i < n && side[i] == side[start])
            continue;
        if (side[start] >= 0)
            fprintf(p->to, "%s'side %d' %.6g", separator, side[start],
                    scale * (double)(start + i - 1) / 2);
        separator = side[start] >= 0 ? ", " : separator;
        start = i;
    }
    fputs(")\n", p->to);
    for (size_t i = 1; i < n && !p->text; i++)
        if (side[i] != side[i - 1])
            fprintf(p->to,
                    axis == 'x'
                        ? "set arrow from %.6g, graph 0 to %.6g, graph 1 nohead linestyle 22 "
                          "front\n"
                        : "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead "
                          "linestyle 22 front\n",
                    scale * (double)i - 0.5, scale * (double)i - 0.5);
}

static void matrix_axes(struct plot *p, const struct grid *g)
{
    size_t rows = g->lines < TALL ? g->lines : TALL;
    int *side = xmalloc((g->lines + g->sms + 1) * sizeof *side);

    for (size_t i = 0; i < g->lines; i++)
        side[i] = g->line[i].side;
    side_marks(p, side, g->lines, (double)rows / (double)g->lines, 'y');
    for (size_t i = 0; i < g->sms; i++)
        side[i] = g->sm[i].side;
    side_marks(p, side, g->sms, 1, 'x');
    free(side);
}

void plot_matrix(struct plot *p, const struct frame *f)
{
    const char *op = best_op(p, f);
    struct grid g = plot_grid_make(p, f, op);
    char *note =
        xprintf("%zu lines%s from %zu SMs%s", g.lines,
                g.mapped ? " in the order of side and slice" : " in the order of address", g.sms,
                g.sms > 0 && g.sm[0].side >= 0 ? " in the order of side and group" : "");
    char *title = xprintf("Latency of every line from every SM, by %s",
                          op != NULL && strcmp(op, "atom") == 0 ? "atomics" : "loads");

    plot_heading(p, title, note);
    plot_single(p);
    color_range(p, &g);
    fputs("set key off\nset grid noxtics noytics\nset rmargin 13\nset cblabel 'cycles'\n"
          "set xlabel 'SM'\nset ylabel 'line'\n",
          p->to);
    matrix_block(p, &g);
    matrix_axes(p, &g);
    fputs(p->text ? "plot $matrix0 using 1:2:(sprintf('%.0f', $3)) every 12:12 with labels\n"
                  : "plot $matrix0 using 1:2:3 with image\n",
          p->to);
    free(title);
    free(note);
    plot_grid_free(&g);
}

/* Root mean square difference of two lines over the SMs that have both; wild readings count at most `clip` each. */
static double distance(const struct grid *g, size_t a, size_t b, float clip)
{
    double sum = 0, n = 0;

    for (size_t s = 0; s < g->sms; s++) {
        float d = fabsf(plot_grid_cycles(g, a, s) - plot_grid_cycles(g, b, s));

        if (isnan(d))
            continue;
        d = d < clip ? d : clip;
        sum += (double)d * (double)d;
        n++;
    }
    return n > 0 ? sqrt(sum / n) : NAN;
}

static int by_x(const void *pa, const void *pb)
{
    double a = ((const struct point *)pa)->x, b = ((const struct point *)pb)->x;

    return (a > b) - (a < b);
}

/* Distances of pairs of lines, every pair of a random choice, or of those that l2slice gives one location. The points are
 * (log10 of the distance, 1). */
static struct series distances(const struct grid *g, bool one_location)
{
    size_t n = g->lines < SAMPLE ? g->lines : SAMPLE, m = 0;
    uint32_t *order = xmalloc((g->lines + 1) * sizeof *order);
    struct series s = {.point = xcalloc(n * n / 2 + 1, sizeof *s.point)};
    struct rng rng;

    rng_seed(&rng, 1);
    for (size_t i = 0; i < g->lines; i++)
        order[i] = (uint32_t)i;
    rng_shuffle(&rng, order, g->lines);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            int a = g->line[order[i]].location, b = g->line[order[j]].location;
            double d = NAN;

            if (!one_location || (g->mapped && a >= 0 && a == b))
                d = distance(g, order[i], order[j], 300);
            if (isfinite(d))
                s.point[m++] = (struct point){.x = log10(fmax(d, 0.01)), .n = 1};
        }
    s.n = m;
    free(order);
    qsort(s.point, m, sizeof *s.point, by_x);
    return s;
}

/* Between the neighbouring distances that lie furthest apart (as a ratio): how many pairs are below. 0 when none of a fifth
 * at least is there. */
static size_t widest_gap(const struct series *s, double *lo, double *hi)
{
    double widest = log10(1.2);
    size_t below = 0;

    for (size_t i = 0; i + 1 < s->n; i++)
        if (s->point[i + 1].x - s->point[i].x > widest) {
            widest = s->point[i + 1].x - s->point[i].x;
            *lo = pow(10, s->point[i].x);
            *hi = pow(10, s->point[i + 1].x);
            below = i + 1;
        }
    return below;
}

/* Bins of s in the range of all distances. */
static void distance_block(struct plot *p, const struct series *all, const struct series *s,
                           size_t k)
{
    double lo = all->point[0].x, hi = all->point[all->n - 1].x;
    double width = fmax((hi - lo) / BINS, 1e-6), total = (double)all->n;
    size_t at = 0;

    plot_block(p, "distance", k);
    for (size_t bin = 0; bin <= BINS; bin++) {
        double end = lo + (double)(bin + 1) * width;
        size_t n = 0;

        for (; at < s->n && (s->point[at].x < end || bin == BINS); at++)
            n++;
        if (n > 0)
            fprintf(p->to, "%.6g\t%.6g\t%.6g\t%.6g\n", pow(10, end - width / 2),
                    100 * (double)n / total, pow(10, end - width), pow(10, end));
    }
    plot_block_end(p);
    if (k == 0)
        fprintf(p->to, "FLOOR = %.6g\nset xrange [%.6g:%.6g]\n", 50 / total,
                pow(10, lo - 3 * width), pow(10, hi + 3 * width));
}

static void distance_note(struct plot *p, const struct series *all, const struct series *one)
{
    double lo = 0, hi = 0;
    size_t below = widest_gap(all, &lo, &hi);
    char *gap = below == 0 ? xstrdup("no gap between them")
                           : xprintf("the widest gap is from %.3g to %.3g cycles: %.3g %% of the "
                                     "pairs are nearer",
                                     lo, hi, 100 * (double)below / (double)all->n);
    char *note = one->n == 0 ? xprintf("%zu pairs of lines; %s", all->n, gap)
                             : xprintf("%zu pairs; %s; %.3g %% of one location, up to "
                                       "%.3g cycles apart",
                                       all->n, gap, 100 * (double)one->n / (double)all->n,
                                       pow(10, one->point[one->n - 1].x));

    plot_heading(p, "How far the fingerprints of two lines lie apart", note);
    plot_single(p);
    if (below > 0 && !p->text)
        fprintf(p->to,
                "set object rectangle from %.6g, graph 0 to %.6g, graph 1 behind fillcolor rgb "
                "'#A02020' fillstyle transparent solid 0.13 noborder\n",
                lo, hi);
    free(gap);
    free(note);
}

void plot_fingerprints(struct plot *p, const struct frame *f)
{
    static const char boxes[] =
        "$distance%d using (sqrt($3*$4)):2:3:4:(FLOOR):2 with boxxyerror linestyle %d "
        "fillstyle solid title '%s'";
    struct grid g = plot_grid_make(p, f, best_op(p, f));
    struct series all = distances(&g, false), one = distances(&g, true);

    if (all.n < 2)
        xdie(EXIT_FAILED, "%s: nothing to draw: fewer than three lines", f->file);
    distance_note(p, &all, &one);
    distance_block(p, &all, &all, 0);
    if (one.n > 0)
        distance_block(p, &all, &one, 1);
    fputs(one.n > 0 && !p->text ? "set bmargin KEYROOM\n" : "set key off\n", p->to);
    fputs("set logscale xy\nset format y '%g'\nset yrange [FLOOR:100]\nset xlabel 'root mean "
          "square difference over all SMs, cycles'\nset ylabel '% of the pairs'\nplot ",
          p->to);
    if (p->text) {
        fputs("$distance0 using 1:2 with impulses", p->to);
    } else {
        fprintf(p->to, boxes, 0, 1, "all pairs");
        if (one.n > 0) {
            fputs(", ", p->to);
            fprintf(p->to, boxes, 1, 2, "lines of one location, by l2slice -m");
        }
    }
    fputc('\n', p->to);
    free(all.point);
    free(one.point);
    plot_grid_free(&g);
}

/* Points of the SMs of one side, -1: of all whose side is not known. Returns how many. */
static size_t side_block(struct plot *p, const struct frame *f, int side)
{
    static const char *const names[] = {"sm", "local", "remote"};
    size_t column = xframe_column(f, "side"), n = 0;

    plot_block(p, "side", (size_t)(side + 1));
    for (size_t row = 0; row < f->nrow; row++) {
        if ((int)xframe_number(p->data, f, row, column) != side)
            continue;
        for (size_t k = 0; k < 3; k++) {
            plot_number(p->to, xframe_number(p->data, f, row, xframe_column(f, names[k])));
            fputc(k < 2 ? '\t' : '\n', p->to);
        }
        n++;
    }
    plot_block_end(p);
    return n;
}

void plot_sms(struct plot *p, const struct frame *f)
{
    const char *separator = "plot ";
    size_t n[PLOT_COLORS + 1];

    for (int side = -1; side < PLOT_COLORS; side++)
        n[side + 1] = side_block(p, f, side);
    plot_heading(p, "What every SM sees of its own and of other sides", NULL);
    plot_note(p, "Filled: mean latency of the lines of its own side; open: of the other sides'");
    plot_single(p);
    fputs("set xlabel 'SM'\nset ylabel 'mean latency in cycles'\nset bmargin KEYROOM\n"
          "set xrange [-1:*]\nset offsets 0, 1, graph 0.05, graph 0.05\n",
          p->to);
    for (int side = -1; side < PLOT_COLORS; side++) {
        if (n[side + 1] == 0)
            continue;
        fprintf(p->to,
                "%s$side%d using 1:2 with points linestyle %d pointtype 7 pointsize 0.8 title ",
                separator, side + 1, (side + PLOT_COLORS) % PLOT_COLORS + 1);
        fprintf(p->to, side < 0 ? "'side not known'" : "'SMs of side %d'", side);
        fprintf(p->to,
                ", $side%d using 1:3 with points linestyle %d pointtype 6 pointsize 0.8 notitle",
                side + 1, (side + PLOT_COLORS) % PLOT_COLORS + 1);
        separator = ", \\\n  ";
    }
    fputc('\n', p->to);
}

/* Rows of contend by whether both lines are one. */
static struct series contend_rows(const struct plot *p, const struct frame *f, bool same)
{
    size_t a = xframe_column(f, "a"), b = xframe_column(f, "b"),
           cycles = xframe_column(f, "cycles");
    struct series s = {.point = xcalloc(f->nrow + 1, sizeof *s.point)};

    for (size_t row = 0; row < f->nrow; row++) {
        double x = xframe_number(p->data, f, row, cycles);

        if (isfinite(x) && (frame_cell(f, row, a) == frame_cell(f, row, b)) == same)
            s.point[s.n++] = (struct point){.x = x, .n = 1};
    }
    if (s.n > 0)
        qsort(s.point, s.n, sizeof *s.point, by_x);
    return s;
}

static void contend_block(struct plot *p, const struct series *s, size_t k, double lo, double hi)
{
    struct plot_bins b = plot_bins_make(s, lo, hi, BINS);

    plot_block(p, "contend", k);
    for (size_t i = 0; i < b.n; i++)
        if (b.share[i] > 0)
            fprintf(p->to, "%.6g\t%.6g\t%.6g\t%.6g\n", b.lo + ((double)i + 0.5) * b.width,
                    100 * b.share[i], b.lo + (double)i * b.width, b.lo + ((double)i + 1) * b.width);
    plot_block_end(p);
    plot_bins_free(&b);
}

void plot_contend(struct plot *p, const struct frame *f)
{
    struct series two = contend_rows(p, f, false), one = contend_rows(p, f, true);
    double lo, hi;

    if (two.n == 0)
        xdie(EXIT_FAILED, "%s: nothing to draw: no pair of two lines", f->file);
    lo = fmin(two.point[0].x, one.n > 0 ? one.point[0].x : INFINITY);
    hi = fmax(plot_bins_quantile(&two, 0.9995), one.n > 0 ? plot_bins_quantile(&one, 0.99) : 0);
    plot_heading(p, "All SMs hammer two lines: how long an access takes", NULL);
    plot_note(p, "Lines of one slice queue up behind each other: the slow mode, where a line with "
                 "itself is, too");
    plot_single(p);
    contend_block(p, &two, 0, lo, hi + 1);
    fprintf(p->to, "FLOOR = %.6g\n", 50 / (double)two.n);
    fprintf(p->to,
            "set logscale y\nset yrange [FLOOR:200]\nset format y '%%g'\nset xlabel 'cycles an "
            "access'\n"
            "set ylabel '%% of the pairs'\nset bmargin KEYROOM\nset xrange [%.6g:%.6g]\n",
            lo - (hi - lo) * 0.03, hi + (hi - lo) * 0.05);
    if (one.n > 0)
        contend_block(p, &one, 1, lo, hi + 1);
    fputs(
        p->text
            ? "plot $contend0 using 1:2 with impulses title 'two lines'"
            : "plot $contend0 using 1:2:3:4:(FLOOR):2 with boxxyerror linestyle 1 fillstyle solid "
              "title 'two lines'",
        p->to);
    if (one.n > 0)
        fputs(", $contend1 using 1:2 with points linestyle 2 title 'a line with itself'", p->to);
    fputc('\n', p->to);
    free(two.point);
    free(one.point);
}
