/* Which level answers the accesses, stacked over size (from l2level -s). */
#include "plot.h"
#include "plot_marks.h"
#include "plot_script.h"
#include "plot_series.h"

#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From near to far; a level of another name comes last. */
static const struct level_look {
    const char *name, *says;
} looks[] = {{"l1", "L1"},
             {"local", "own side of the L2"},
             {"remote", "other side of the L2"},
             {"dram", "memory"},
             {"dram_remote", "memory, by the other side"},
             {"shifted", "address translation"}};
enum { LOOKS = sizeof looks / sizeof *looks };

static const char *level_name(const struct series *s)
{
    return s->label + strlen("level=");
}

static size_t look_of(const struct series *s)
{
    size_t i = 0;

    while (i < LOOKS && strcmp(looks[i].name, level_name(s)) != 0)
        i++;
    return i;
}

static int nearer(const void *a, const void *b)
{
    size_t la = look_of(a), lb = look_of(b);

    return (la > lb) - (la < lb);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* All different x of all series, ascending. The caller frees them. */
static double *all_x(const struct series_set *set, size_t *n)
{
    size_t most = 0, kept = 0;
    double *x;

    for (size_t k = 0; k < set->n; k++)
        most += set->series[k].n;
    x = xcalloc(most, sizeof *x);
    most = 0;
    for (size_t k = 0; k < set->n; k++)
        for (size_t i = 0; i < set->series[k].n; i++)
            x[most++] = set->series[k].point[i].x;
    qsort(x, most, sizeof *x, ascending);
    for (size_t i = 0; i < most; i++)
        if (kept == 0 || x[i] > x[kept - 1])
            x[kept++] = x[i];
    *n = kept;
    return x;
}

static double share_at(const struct series *s, double x)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->point[i].x >= x)
            return s->point[i].x > x ? 0 : s->point[i].mean;
    return 0;
}

/* A block for each level: x, the sum of the shares below it, the sum with its own, in percent. */
static void write_stack(struct plot *p, const struct series_set *set)
{
    size_t n;
    double *x = all_x(set, &n), *base = xcalloc(n, sizeof *base);

    for (size_t k = 0; k < set->n; k++) {
        plot_block(p, "level", k);
        for (size_t i = 0; i < n; i++) {
            double share = 100 * share_at(&set->series[k], x[i]);

            fprintf(p->to, "%.10g\t%.6g\t%.6g\t%.6g\n", x[i], base[i], base[i] + share, share);
            base[i] += share;
        }
        plot_block_end(p);
    }
    free(x);
    free(base);
}

static void plot_stack(struct plot *p, const struct series_set *set)
{
    fputs("plot \\\n", p->to);
    for (size_t k = 0; k < set->n; k++) {
        const struct series *s = &set->series[k];
        size_t look = look_of(s);

        if (p->text)
            fprintf(p->to, "  $level%zu using 1:4 with points linestyle %zu title ", k, k + 1);
        else
            fprintf(p->to,
                    "  $level%zu using 1:2:3 with filledcurves linestyle %zu fillstyle solid 0.75 "
                    "title ",
                    k, look % PLOT_COLORS + 1);
        plot_quote(p->to, look < LOOKS ? looks[look].says : level_name(s));
        fputs(k + 1 < set->n ? ", \\\n" : "\n", p->to);
    }
}

void plot_levels(struct plot *p, const struct frame *f)
{
    struct series_spec spec = {
        p->data, f, xframe_column(f, "size"), xframe_column(f, "share"), TSV_NONE, "level", false};
    struct series_set *set = xseries_make(&spec);
    struct span span = {set->x_min, set->x_max, false};

    qsort(set->series, set->n, sizeof *set->series, nearer);
    span.logarithmic = plot_bytes_axis(p, 'x', span.lo, span.hi);
    plot_heading(p, "Who answers the accesses of a working set", set->constants);
    plot_note(p, p->text ? "% of the accesses, each level by itself" : NULL);
    plot_single(p);
    plot_mark_l2(p, span);
    fputs("set yrange [0:100]\nset xlabel 'working set'\nset ylabel '% of the accesses'\n"
          "set bmargin KEYROOM\n",
          p->to);
    write_stack(p, set);
    plot_stack(p, set);
    series_free(set);
}
