/* Heat maps of any three columns; touch/probe tables, stores and victims as several maps of one table.
 *
 * The axes list the different values of their columns in order, whatever the distances between them; a cell is the median
 * of its rows. Numbers stand in the cells while there is room. */
#include "plot.h"
#include "plot_script.h"
#include "plot_series.h"

#include "../share/lib/cli.h"
#include "../share/lib/columns.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TICS = 24, WITH_NUMBERS = 400, MOST_CELLS = 4000000 };

struct axis {
    size_t column;
    uint32_t *word; /* different ones, in order */
    size_t n;
};

struct map {
    struct axis x, y;
    double *z; /* y.n rows of x.n, nan where there is no row */
    double lo, hi;
};

static int compare(const void *pa, const void *pb, void *context)
{
    const struct frames *d = context;
    const struct word *a = &d->word[*(const uint32_t *)pa], *b = &d->word[*(const uint32_t *)pb];

    if (a->number && b->number && a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return strcmp(a->text, b->text);
}

/* Rows that have this word in this column; TSV_NONE: all. */
struct pick {
    size_t column;
    uint32_t word;
};

static const struct pick all[2] = {{TSV_NONE, 0}, {TSV_NONE, 0}};

static bool fits(const struct frame *f, size_t row, const struct pick pick[2])
{
    for (size_t k = 0; k < 2; k++)
        if (pick[k].column != TSV_NONE && frame_cell(f, row, pick[k].column) != pick[k].word)
            return false;
    return true;
}

/* Of the rows that fit both picks; place[word] is the position of a word on the axis. */
static struct axis axis_make(const struct frames *d, const struct frame *f, size_t column,
                             const struct pick pick[2], size_t *place)
{
    struct axis a = {.column = column};
    size_t cap = 0;

    for (size_t i = 0; i < d->nword; i++)
        place[i] = TSV_NONE;
    for (size_t row = 0; row < f->nrow; row++) {
        uint32_t word = frame_cell(f, row, column);

        if (place[word] != TSV_NONE || !fits(f, row, pick))
            continue;
        place[word] = 0;
        a.word = xgrow(a.word, a.n, &cap, sizeof *a.word);
        a.word[a.n++] = word;
    }
    if (a.n > 1)
        qsort_r(a.word, a.n, sizeof *a.word, compare, (void *)(uintptr_t)d);
    for (size_t i = 0; i < a.n; i++)
        place[a.word[i]] = i;
    return a;
}

struct sample {
    size_t cell;
    double z;
};

static int compare_samples(const void *pa, const void *pb)
{
    const struct sample *a = pa, *b = pb;

    if (a->cell != b->cell)
        return a->cell < b->cell ? -1 : 1;
    return (a->z > b->z) - (a->z < b->z);
}

static void fill_cells(struct map *m, const struct sample *s, size_t n)
{
    size_t end;

    m->z = xcalloc(m->x.n * m->y.n, sizeof *m->z);
    m->lo = INFINITY;
    m->hi = -INFINITY;
    for (size_t i = 0; i < m->x.n * m->y.n; i++)
        m->z[i] = NAN;
    for (size_t at = 0; at < n; at = end) {
        double middle;

        for (end = at + 1; end < n && s[end].cell == s[at].cell; end++)
            ;
        middle = (s[at + (end - at - 1) / 2].z + s[at + (end - at) / 2].z) / 2;
        m->z[s[at].cell] = middle;
        m->lo = fmin(m->lo, middle);
        m->hi = fmax(m->hi, middle);
    }
}

/* The map of the rows that fit both picks. */
static struct map map_make(const struct plot *p, const struct frame *f, const size_t xyz[3],
                           const struct pick pick[2])
{
    size_t *px = xcalloc(p->data->nword + 1, sizeof *px),
           *py = xcalloc(p->data->nword + 1, sizeof *py);
    struct map m = {.x = axis_make(p->data, f, xyz[0], pick, px),
                    .y = axis_make(p->data, f, xyz[1], pick, py)};
    struct sample *s = xcalloc(f->nrow + 1, sizeof *s);
    size_t n = 0;

    if (m.x.n * m.y.n > MOST_CELLS)
        xdie(EXIT_FAILED,
             "%s: nothing to draw: %zu different %s times %zu different %s are too many", f->file,
             m.x.n, f->column[xyz[0]], m.y.n, f->column[xyz[1]]);
    for (size_t row = 0; row < f->nrow; row++) {
        if (!fits(f, row, pick))
            continue;
        s[n] =
            (struct sample){py[frame_cell(f, row, xyz[1])] * m.x.n + px[frame_cell(f, row, xyz[0])],
                            xframe_number(p->data, f, row, xyz[2])};
        n += isfinite(s[n].z) ? 1 : 0;
    }
    if (n == 0)
        xdie(EXIT_FAILED, "%s: nothing to draw: no finite number in column %s", f->file,
             f->column[xyz[2]]);
    qsort(s, n, sizeof *s, compare_samples);
    fill_cells(&m, s, n);
    free(px);
    free(py);
    free(s);
    return m;
}

static void map_free(struct map *m)
{
    free(m->x.word);
    free(m->y.word);
    free(m->z);
}

static void axis_tics(struct plot *p, const struct frame *f, const struct axis *a, char name)
{
    const struct column *known = column_find(f->column[a->column]);
    bool bytes = known != NULL && strcmp(known->unit, "bytes") == 0;
    size_t step = (a->n + TICS - 1) / TICS;

    fprintf(p->to, "set %crange [-0.5:%zu.5]\nset %ctics %s(", name, a->n - 1, name,
            name == 'x' && a->n > 12 ? "rotate by -45 " : "");
    for (size_t i = 0; i < a->n; i += step) {
        const struct word *w = &p->data->word[a->word[i]];
        char *label =
            bytes && w->number && w->value >= 1024 ? plot_size(w->value) : xstrdup(w->text);

        fputs(i > 0 ? ", " : "", p->to);
        plot_tic(p->to, label);
        fprintf(p->to, " %zu", i);
        free(label);
    }
    fprintf(p->to, ")\nset %clabel ", name);
    plot_quote(p->to, f->column[a->column]);
    fputc('\n', p->to);
}

static void write_map(struct plot *p, const struct map *m, size_t k)
{
    plot_block(p, "map", k);
    for (size_t y = 0; y < m->y.n; y++)
        for (size_t x = 0; x < m->x.n; x++) {
            fprintf(p->to, "%zu\t%zu\t", x, y);
            plot_number(p->to, m->z[y * m->x.n + x]);
            fputc('\n', p->to);
        }
    plot_block_end(p);
}

/* In one of `columns` panels side by side. Cells are boxes while they are few (crisp, in every format), an image when
 * they are many; numbers stand in them where there is room. */
static void plot_map(struct plot *p, const struct map *m, size_t k, size_t columns)
{
    bool boxes = m->x.n * m->y.n <= WITH_NUMBERS && m->x.n <= 20;

    if (p->text) {
        fprintf(p->to, "plot $map%zu using 1:2:(sprintf('%%.0f', $3)) with labels\n", k);
        return;
    }
    if (!boxes) {
        fprintf(p->to, "plot $map%zu using 1:2:3 with image pixels\n", k);
        return;
    }
    fprintf(
        p->to,
        "plot $map%zu using 1:2:($1-0.48):($1+0.48):($2-0.48):($2+0.48):3 with boxxyerror palette "
        "fillstyle solid noborder",
        k);
    if (m->x.n * columns > 20) {
        fputc('\n', p->to);
        return;
    }
    fprintf(p->to,
            ", \\\n  $map%zu using 1:2:(sprintf('%%.4g', $3)):(($3-%.10g) > 0.5*%.10g ? 0xFFFFFF : "
            "0x202020) "
            "with labels font SMALL textcolor rgb variable\n",
            k, m->lo, fmax(m->hi - m->lo, 1e-9));
}

static void color_axis(struct plot *p, const char *name, double lo, double hi)
{
    const struct column *known = column_find(name);
    bool unit = known != NULL && known->unit[0] != '\0' && strcmp(known->unit, name) != 0;
    char *label = xprintf("%s%s%s", name, unit ? " in " : "", unit ? known->unit : "");

    fprintf(p->to, "set key off\nset grid noxtics noytics\nset cbrange [%.10g:%.10g]\nset cblabel ",
            lo, hi > lo ? hi : lo + 1);
    plot_quote(p->to, label);
    fputc('\n', p->to);
    free(label);
}

void plot_heat(struct plot *p, const struct frame *f)
{
    size_t xyz[3];
    struct map m;
    char *title;

    if (p->x == NULL || p->y == NULL || p->z == NULL)
        xdie(EXIT_FAILED, "%s: nothing to draw: name the columns with -x, -y and -z", f->file);
    xyz[0] = xframe_column(f, p->x);
    xyz[1] = xframe_column(f, p->y);
    xyz[2] = xframe_column(f, p->z);
    m = map_make(p, f, xyz, all);
    title = xprintf("%s over %s and %s", p->z, p->x, p->y);
    plot_heading(p, title, NULL);
    plot_single(p);
    fputs("set rmargin 14\n", p->to);
    color_axis(p, p->z, m.lo, m.hi);
    axis_tics(p, f, &m.x, 'x');
    axis_tics(p, f, &m.y, 'y');
    write_map(p, &m, 0);
    plot_map(p, &m, 0, 1);
    free(title);
    map_free(&m);
}

/* A bandwidth for every number of threads and bytes a load. */
void plot_surface(struct plot *p, const struct frame *f)
{
    p->x = p->x != NULL ? p->x : "threads";
    p->y = p->y != NULL ? p->y : "width";
    p->z = p->z != NULL ? p->z : "gbps";
    p->title = p->title != NULL ? p->title : "Bandwidth over threads a block and bytes a load";
    plot_heat(p, f);
}

static void panel(struct plot *p, const struct frame *f, const struct map *m, const char *title,
                  const char *x, const char *y, size_t k, size_t columns)
{
    fputs("set title ", p->to);
    plot_quote(p->to, title);
    fputs(" noenhanced\n", p->to);
    axis_tics(p, f, &m->x, 'x');
    axis_tics(p, f, &m->y, 'y');
    fprintf(p->to, "set xlabel '%s' offset 0, 0.7\nset ylabel '%s'\n", x, y);
    plot_map(p, m, k, columns);
    plot_panel_done(p, k);
}

/* Several maps of one table, each of the rows that fit its picks, with one scale of colours. */
enum { PANELS = 12 };
struct panels {
    struct pick pick[PANELS][2];
    char *title[PANELS];
    size_t n;
    const char *heading, *note, *x, *y; /* labels of the axes */
};

static void draw_panels(struct plot *p, const struct frame *f, const size_t xyz[3],
                        struct panels *all_panels, size_t rows, size_t columns)
{
    struct map m[PANELS];
    double lo = INFINITY, hi = -INFINITY;

    for (size_t k = 0; k < all_panels->n; k++) {
        m[k] = map_make(p, f, xyz, all_panels->pick[k]);
        lo = fmin(lo, m[k].lo);
        hi = fmax(hi, m[k].hi);
        write_map(p, &m[k], k);
    }
    plot_heading(p, all_panels->heading, NULL);
    plot_note(p, all_panels->note);
    plot_panels(p, rows, columns);
    color_axis(p, "cycles", lo, hi);
    fputs("unset colorbox\n", p->to);
    for (size_t k = 0; k < all_panels->n; k++) {
        m[k].lo = lo;
        m[k].hi = hi;
        panel(p, f, &m[k], all_panels->title[k], all_panels->x, all_panels->y, k, columns);
        free(all_panels->title[k]);
        map_free(&m[k]);
    }
    fputs("unset multiplot\n", p->to);
}

static bool any_row(const struct frame *f, const struct pick pick[2])
{
    for (size_t row = 0; row < f->nrow; row++)
        if (fits(f, row, pick))
            return true;
    return false;
}

static void add_panel(struct panels *a, const struct frame *f, struct pick one, struct pick two,
                      char *title)
{
    const struct pick pick[2] = {one, two};

    if (a->n < PANELS && any_row(f, pick)) {
        a->pick[a->n][0] = one;
        a->pick[a->n][1] = two;
        a->title[a->n++] = title;
    } else {
        free(title);
    }
}

/* A panel for every granularity and kind of touch. */
void plot_sector(struct plot *p, const struct frame *f)
{
    const size_t xyz[3] = {xframe_column(f, "probe"), xframe_column(f, "touch"),
                           xframe_column(f, "cycles")};
    size_t *place = xcalloc(p->data->nword + 1, sizeof *place), op = xframe_column(f, "op");
    struct axis fetch = axis_make(p->data, f, xframe_column(f, "fetch"), all, place),
                ops = axis_make(p->data, f, op, all, place);
    size_t columns;
    struct panels a = {
        .heading = "Touch one sector of a cold line, time another",
        .note = "Median cycles of the probe: few where the sector came along with the touched one",
        .x = "probed byte",
        .y = "touched byte (-1 none)"};

    for (size_t k = 0; k < fetch.n; k++)
        for (size_t i = 0; i < ops.n; i++)
            add_panel(&a, f, (struct pick){fetch.column, fetch.word[k]},
                      (struct pick){op, ops.word[i]},
                      xprintf("granularity %s B, touch by %s", p->data->word[fetch.word[k]].text,
                              p->data->word[ops.word[i]].text));
    columns = a.n < 2 ? 1 : ops.n == 3 ? 3 : 2;
    draw_panels(p, f, xyz, &a, (a.n + columns - 1) / columns, columns);
    free(fetch.word);
    free(ops.word);
    free(place);
}

static uint32_t word_of(const struct frames *d, const char *text)
{
    uint32_t i = 0;

    while (i < d->nword && strcmp(d->word[i].text, text) != 0)
        i++;
    return i;
}

/* What a store of so many bytes leaves readable: to a cold line, aligned or not, or to one that was there. */
void plot_store(struct plot *p, const struct frame *f)
{
    static const struct {
        const char *what, *resident, *title;
    } kinds[] = {{"aligned", "no", "stored at +0 to a cold line"},
                 {"straddle", "no", "stored across a border"},
                 {"fill", "no", "several stores side by side"},
                 {"aligned", "yes", "stored to a line that was there"}};
    const size_t xyz[3] = {xframe_column(f, "probe"), xframe_column(f, "bytes"),
                           xframe_column(f, "cycles")};
    struct panels a = {
        .heading = "Store to a line, then time each sector",
        .note = "Median cycles of the load: few where the stored line can be read at once",
        .x = "probed byte",
        .y = "bytes of a store"};

    for (size_t k = 0; k < 4; k++)
        add_panel(&a, f, (struct pick){xframe_column(f, "case"), word_of(p->data, kinds[k].what)},
                  (struct pick){xframe_column(f, "resident"), word_of(p->data, kinds[k].resident)},
                  xstrdup(kinds[k].title));
    if (a.n == 0)
        xdie(EXIT_FAILED, "%s: nothing to draw: no row of a store", f->file);
    draw_panels(p, f, xyz, &a, (a.n + 1) / 2, a.n > 1 ? 2 : 1);
}

/* For every number of stored lines: which line of the set a new one evicts. */
void plot_dirty(struct plot *p, const struct frame *f)
{
    const size_t xyz[3] = {xframe_column(f, "line"), xframe_column(f, "stored"),
                           xframe_column(f, "cycles")};
    struct panels a = {
        .heading = "A full set, some of its lines stored to, one more comes in",
        .note = "Median cycles of a load of each line, 0 the oldest: many where it had to leave",
        .x = "line",
        .y = "lines stored to"};
    const struct pick order = {xframe_column(f, "case"), word_of(p->data, "order")};
    size_t kind = xframe_column(f, "kind");

    add_panel(&a, f, order, (struct pick){kind, word_of(p->data, "st_old")},
              xstrdup("the oldest lines were stored to"));
    add_panel(&a, f, order, (struct pick){kind, word_of(p->data, "st_new")},
              xstrdup("the youngest lines were stored to"));
    if (a.n == 0)
        xdie(EXIT_FAILED, "%s: nothing to draw: no row of case order", f->file);
    draw_panels(p, f, xyz, &a, 1, a.n);
}
