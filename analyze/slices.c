/* Runs each method on the rows that it needs, and joins what they say line by line. */
#include "slices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"

enum { LEAST_NEIGHBOURS = 32, LEAST_BOUNDARIES = 8, MOST_GRAIN = 1 << 16, MOST_STEP = 8192 };

static uint32_t *unknown(size_t n)
{
    uint32_t *v = xmalloc((n + 1) * sizeof *v);

    memset(v, 0xff, (n + 1) * sizeof *v);
    return v;
}

static void run_contend(struct slices *s)
{
    for (int op = 0; op < OPS; op++) {
        const struct slice_pairs *p = &s->data->pairs[op];

        contend_alloc(&s->contend[op], s->data->lines, p->n);
        s->contend[op].pair = p->pair;
        if (p->n > 0)
            contend_run(&s->contend[op]);
    }
}

static void run_matrix(struct slices *s)
{
    const struct slice_matrix *atom = &s->data->matrix[OP_ATOM];

    for (int op = 0; op < OPS; op++) {
        const struct slice_matrix *m = &s->data->matrix[op];

        cluster_alloc(&s->place[op], m->lines, m->sms);
        s->place[op].x = m->cycles;
        if (m->lines > 0)
            cluster_run(&s->place[op]);
        for (size_t i = 0; i < m->lines && s->place[op].n > 0; i++)
            s->location[m->line[i]] = s->place[op].label[i];
        if (s->place[op].n > 0)
            s->fine = s->place[op].fine;
    }
    side_alloc(&s->side, atom->lines, atom->sms);
    s->side.cycles = atom->cycles;
    if (atom->lines > 0)
        side_run(&s->side);
    for (size_t i = 0; i < atom->lines && s->side.verdict == SIDE_OK; i++)
        if (s->side.line_side[i] != SIDE_NONE)
            s->side_of[atom->line[i]] = s->side.line_side[i];
}

/* Slices by atomics; or classes of partners by loads, cut by side where there are several. */
static void label_slices(struct slices *s)
{
    const struct contend *c = &s->contend[s->from = s->contend[OP_ATOM].n > 0 ? OP_ATOM : OP_LOAD];
    uint32_t sides = s->side.verdict == SIDE_OK ? s->side.sides : 1, *name;

    if (c->n == 0)
        return;
    if (s->from == OP_ATOM)
        sides = 1;
    name = unknown(c->n * sides);
    for (size_t i = 0; i < s->data->lines; i++) {
        uint32_t side = sides > 1 ? s->side_of[i] : 0;

        if (c->label[i] == CONTEND_NONE || side == LINEAR_NONE)
            continue;
        if (name[c->label[i] * sides + side] == LINEAR_NONE)
            name[c->label[i] * sides + side] = (uint32_t)s->slices++;
        s->slice_of[i] = name[c->label[i] * sides + side];
    }
    free(name);
}

struct vote {
    uint32_t location, slice, line;
};

static int by_location(const void *x, const void *y)
{
    const struct vote *a = x, *b = y;

    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    return (a->slice > b->slice) - (a->slice < b->slice);
}

static double choose2(double n)
{
    return n * (n - 1) / 2;
}

/* The slice that most lines of votes [0, n) of one location have; how many. */
static size_t majority(const struct vote *v, size_t n, uint32_t *slice)
{
    size_t best = 0;

    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && v[j].slice == v[i].slice;)
            j++;
        if (j - i > best) {
            best = j - i;
            *slice = v[i].slice;
        }
    }
    return best;
}

/* Gives each location the slice of most of its lines, and every line of it that guess. */
static size_t guess_slices(struct slices *s, struct vote *v)
{
    uint32_t *slice = unknown(s->data->lines);
    size_t n = 0, differ = 0;

    for (uint32_t i = 0; i < s->data->lines; i++)
        if (s->slice_of[i] != LINEAR_NONE && s->location[i] != LINEAR_NONE)
            v[n++] = (struct vote){s->location[i], s->slice_of[i], i};
    qsort(v, n, sizeof *v, by_location);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && v[j].location == v[i].location;)
            j++;
        differ += j - i - majority(v + i, j - i, &slice[v[i].location]);
    }
    for (size_t i = 0; i < s->data->lines; i++)
        if (s->location[i] != LINEAR_NONE)
            s->guess[i] = slice[s->location[i]];
    free(slice);
    s->differ = differ;
    return n;
}

static int by_guess(const void *x, const void *y)
{
    const struct vote *a = x, *b = y;

    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    return (a->slice > b->slice) - (a->slice < b->slice);
}

/* Of all pairs of lines with both labels, how many does the guess call alike as contention does. */
static void compare_methods(struct slices *s)
{
    struct vote *v = xmalloc((s->data->lines + 1) * sizeof *v);
    size_t n = guess_slices(s, v);
    double *of_guess = xcalloc(s->slices + 1, sizeof *of_guess),
           *of_slice = xcalloc(s->slices + 1, sizeof *of_slice);
    double both = 0, guessed = 0, measured = 0;

    for (size_t i = 0; i < n; i++) {
        v[i].location = s->guess[v[i].line];
        of_guess[v[i].location]++;
        of_slice[v[i].slice]++;
    }
    qsort(v, n, sizeof *v, by_guess);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && by_guess(&v[i], &v[j]) == 0;)
            j++;
        both += choose2((double)(j - i));
    }
    for (size_t k = 0; k < s->slices; k++) {
        guessed += choose2(of_guess[k]);
        measured += choose2(of_slice[k]);
    }
    s->agree_lines = n;
    s->agreement = n > 1 ? 1 - (guessed + measured - 2 * both) / choose2((double)n) : NAN;
    free(of_guess);
    free(of_slice);
    free(v);
}

/* Boundaries between neighbours at distance `step`: from pairs that were hammered, and from labels. */
static size_t find_boundaries(const struct slices *s, uint64_t step, uint64_t *at, size_t *compared)
{
    const struct slice_data *d = s->data;
    const struct contend *c = &s->contend[s->from];
    size_t n = 0;

    *compared = 0;
    for (size_t i = 0; i < c->pairs; i++) {
        uint64_t a = d->offset[c->pair[i].a], b = d->offset[c->pair[i].b];

        if (b - a != step ||
            (s->slice_of[c->pair[i].a] != LINEAR_NONE && c->pair[i].b == c->pair[i].a + 1))
            continue;
        if (contend_mode_of(c, c->pair[i].cycles) == CONTEND_DOUBT)
            continue;
        ++*compared;
        if (contend_mode_of(c, c->pair[i].cycles) != CONTEND_SAME)
            at[n++] = b;
    }
    for (size_t i = 1; i < d->lines; i++)
        if (d->offset[i] - d->offset[i - 1] == step && s->slice_of[i] != LINEAR_NONE &&
            s->slice_of[i - 1] != LINEAR_NONE) {
            ++*compared;
            if (s->slice_of[i] != s->slice_of[i - 1])
                at[n++] = d->offset[i];
        }
    return n;
}

/* The smallest distance at which enough neighbours were compared, then the largest multiple of it that divides 19 of 20
 * boundaries. */
static void find_grain(struct slices *s)
{
    const struct slice_data *d = s->data;
    uint64_t *at = xmalloc((d->lines + s->contend[s->from].pairs + 1) * sizeof *at);

    for (uint64_t step = 8; step <= MOST_STEP && s->slices > 1 && s->grain == 0; step += 8) {
        size_t compared, n = find_boundaries(s, step, at, &compared);

        if (compared < LEAST_NEIGHBOURS || n < LEAST_BOUNDARIES)
            continue;
        s->grain_step = step;
        s->boundaries = n;
        for (uint64_t g = MOST_GRAIN / step * step; g >= step && s->grain == 0; g -= step) {
            size_t fit = 0;

            for (size_t i = 0; i < n; i++)
                fit += at[i] % g == 0;
            s->grain = fit * 20 >= n * 19 ? g : 0;
        }
    }
    free(at);
}

static void run_linear(struct slices *s)
{
    const struct contend *a = &s->contend[OP_ATOM];

    s->side_xor = (struct linear){.offset = s->data->offset, .label = s->side_of};
    s->slice_xor = (struct linear){.offset = s->data->offset, .label = s->slice_of};
    s->pair_xor = s->slice_xor;
    if (s->side.verdict == SIDE_OK && s->side.sides > 1 && s->side.seen + 1 >= s->side.sides) {
        s->side_xor.lines = s->data->lines;
        s->side_xor.classes = s->side.sides;
        linear_run(&s->side_xor);
    }
    if (s->slices > 1) {
        s->slice_xor.lines = s->data->lines;
        s->slice_xor.classes = s->slices;
        linear_run(&s->slice_xor);
    }
    if (s->from == OP_ATOM && a->groups < a->n && s->side_xor.linear) {
        s->pair_xor.lines = s->data->lines;
        s->pair_xor.classes = s->slices;
        s->pair_xor.page_shift = s->side_xor.page_shift;
        linear_run(&s->pair_xor);
    }
}

void slices_run(struct slices *s, const struct slice_data *d)
{
    memset(s, 0, sizeof *s);
    s->data = d;
    s->side_of = unknown(d->lines);
    s->slice_of = unknown(d->lines);
    s->guess = unknown(d->lines);
    s->location = unknown(d->lines);
    s->agreement = NAN;
    run_contend(s);
    run_matrix(s);
    label_slices(s);
    if (s->slices > 0 && s->fine)
        compare_methods(s);
    find_grain(s);
    run_linear(s);
}

void slices_free(struct slices *s)
{
    for (int op = 0; op < OPS; op++) {
        contend_free(&s->contend[op]);
        cluster_free(&s->place[op]);
    }
    side_free(&s->side);
    free(s->side_of);
    free(s->slice_of);
    free(s->guess);
    free(s->location);
}

size_t slices_page_constants(const struct slices *s, uint64_t *page, uint8_t *constant)
{
    const struct linear *l = &s->side_xor;
    size_t n = 0;

    for (size_t i = 0; i < s->data->lines; i++) {
        uint64_t at = l->page_shift >= 64 ? 0 : s->data->offset[i] >> l->page_shift;

        if (s->side_of[i] == LINEAR_NONE || (n > 0 && page[n - 1] == at))
            continue;
        page[n] = at;
        constant[n++] =
            (uint8_t)(gf2_parity(s->data->offset[i] & l->functions.row[0]) ^ s->side_of[i]);
    }
    return n;
}
