#include "plot_grid.h"
#include "plot_script.h"

#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Different values of a column, ascending. */
static double *different(const struct plot *p, const struct frame *f, size_t column, size_t *n)
{
    double *v = xmalloc((f->nrow + 1) * sizeof *v);
    size_t kept = 0;

    for (size_t row = 0; row < f->nrow; row++)
        v[row] = xframe_number(p->data, f, row, column);
    if (f->nrow > 0)
        qsort(v, f->nrow, sizeof *v, ascending);
    for (size_t i = 0; i < f->nrow; i++)
        if (kept == 0 || v[i] > v[kept - 1])
            v[kept++] = v[i];
    *n = kept;
    return v;
}

static size_t position(const double *v, size_t n, double x)
{
    const double *at = n > 0 ? bsearch(&x, v, n, sizeof *v, ascending) : NULL;

    return at != NULL ? (size_t)(at - v) : n;
}

static void fill(struct grid *g, const struct plot *p, const struct frame *f, const char *op,
                 const double *offset, const double *sm)
{
    size_t at_op = frame_find(f, "op"), at_offset = xframe_column(f, "offset");
    size_t at_sm = xframe_column(f, "sm"), at_cycles = xframe_column(f, "cycles");
    uint32_t *n = xcalloc(g->lines * g->sms + 1, sizeof *n);

    g->cycles = xcalloc(g->lines * g->sms + 1, sizeof *g->cycles);
    for (size_t row = 0; row < f->nrow; row++) {
        double cycles = xframe_number(p->data, f, row, at_cycles);
        size_t i = position(offset, g->lines, xframe_number(p->data, f, row, at_offset)) * g->sms +
                   position(sm, g->sms, xframe_number(p->data, f, row, at_sm));

        if (!isfinite(cycles) || (op != NULL && at_op != TSV_NONE &&
                                  strcmp(frame_text(p->data, f, row, at_op), op) != 0))
            continue;
        g->cycles[i] += ((float)cycles - g->cycles[i]) / (float)++n[i];
    }
    for (size_t i = 0; i < g->lines * g->sms; i++)
        if (n[i] == 0)
            g->cycles[i] = NAN;
    free(n);
}

static int whole(const struct plot *p, const struct frame *f, size_t row, const char *column)
{
    return (int)xframe_number(p->data, f, row, xframe_column(f, column));
}

static void use_map(struct grid *g, const struct plot *p, const double *offset)
{
    const struct frame *map = plot_frame_with(p, "offset slice side location");

    for (size_t row = 0; map != NULL && row < map->nrow; row++) {
        size_t i = position(offset, g->lines,
                            xframe_number(p->data, map, row, xframe_column(map, "offset")));

        if (i == g->lines)
            continue;
        g->line[i].side = whole(p, map, row, "side");
        g->line[i].slice = whole(p, map, row, "slice");
        g->line[i].location = whole(p, map, row, "location");
        g->mapped = g->mapped || g->line[i].side >= 0 || g->line[i].slice >= 0;
    }
}

static void use_sms(struct grid *g, const struct plot *p, const double *sm)
{
    const struct frame *map = plot_frame_with(p, "sm side group local remote");

    for (size_t row = 0; map != NULL && row < map->nrow; row++) {
        size_t i = position(sm, g->sms, xframe_number(p->data, map, row, xframe_column(map, "sm")));

        if (i == g->sms)
            continue;
        g->sm[i].side = whole(p, map, row, "side");
        g->sm[i].group = whole(p, map, row, "group");
    }
}

static int order(int a, int b)
{
    return (a > b) - (a < b);
}

static int by_place(const void *pa, const void *pb)
{
    const struct grid_line *a = pa, *b = pb;
    int o = order(a->side, b->side);

    o = o != 0 ? o : order(a->slice, b->slice);
    o = o != 0 ? o : order(a->location, b->location);
    return o != 0 ? o : (a->offset > b->offset) - (a->offset < b->offset);
}

static int by_group(const void *pa, const void *pb)
{
    const struct grid_sm *a = pa, *b = pb;
    int o = order(a->side, b->side);

    o = o != 0 ? o : order(a->group, b->group);
    return o != 0 ? o : (a->id > b->id) - (a->id < b->id);
}

struct grid plot_grid_make(const struct plot *p, const struct frame *f, const char *op)
{
    struct grid g = {0};
    double *offset = different(p, f, xframe_column(f, "offset"), &g.lines);
    double *sm = different(p, f, xframe_column(f, "sm"), &g.sms);

    fill(&g, p, f, op, offset, sm);
    g.line = xcalloc(g.lines + 1, sizeof *g.line);
    g.sm = xcalloc(g.sms + 1, sizeof *g.sm);
    for (size_t i = 0; i < g.lines; i++)
        g.line[i] = (struct grid_line){.offset = offset[i], -1, -1, -1, .at = i};
    for (size_t i = 0; i < g.sms; i++)
        g.sm[i] = (struct grid_sm){sm[i], -1, -1, i};
    use_map(&g, p, offset);
    use_sms(&g, p, sm);
    qsort(g.line, g.lines, sizeof *g.line, by_place);
    qsort(g.sm, g.sms, sizeof *g.sm, by_group);
    free(offset);
    free(sm);
    return g;
}

float plot_grid_cycles(const struct grid *g, size_t line, size_t sm)
{
    return g->cycles[g->line[line].at * g->sms + g->sm[sm].at];
}

void plot_grid_free(struct grid *g)
{
    free(g->line);
    free(g->sm);
    free(g->cycles);
    *g = (struct grid){0};
}
