/* Modes of the pairs' times, then groups of lines by the pairs that are slow, strongest first. */
#include "contend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"
#include "../share/lib/split.h"

/* A gap between modes is at least this share of the fastest mode, and the second gap this share of the first. */
enum { MOST = 8192 }; /* classes: with more than that, lines were not compared well */

static const double least_gap = 0.12, second_gap = 0.3;

void contend_alloc(struct contend *c, size_t lines, size_t pairs)
{
    memset(c, 0, sizeof *c);
    c->lines = lines;
    c->pairs = pairs;
    c->label = xcalloc(lines + 1, sizeof *c->label);
    c->size = xcalloc(lines + 1, sizeof *c->size);
    c->margin = xcalloc(lines + 1, sizeof *c->margin);
    c->group = xcalloc(lines + 1, sizeof *c->group);
}

void contend_free(struct contend *c)
{
    free(c->label);
    free(c->size);
    free(c->margin);
    free(c->group);
    memset(c, 0, sizeof *c);
}

enum contend_mode contend_mode_of(const struct contend *c, double cycles)
{
    if (cycles > c->limit[1])
        return CONTEND_SAME;
    return cycles > c->limit[0] ? CONTEND_PARTNER : CONTEND_OTHER;
}

/* Up to two places in v[] where a wide gap begins, widest first. */
static unsigned wide_gaps(const double *v, size_t n, size_t at[2])
{
    double least = least_gap * v[n / 20];
    unsigned found = 0;

    for (unsigned k = 0; k < 2; k++) {
        size_t best = 0;

        for (size_t i = 1; i < n; i++)
            if ((k == 0 || i != at[0]) && (best == 0 || v[i] - v[i - 1] > v[best] - v[best - 1]))
                best = i;
        if (best == 0 || v[best] - v[best - 1] < least ||
            (k == 1 && v[best] - v[best - 1] < second_gap * (v[at[0]] - v[at[0] - 1])))
            break;
        at[found++] = best;
    }
    return found;
}

static double median_of(const double *v, size_t from, size_t to)
{
    return (v[(from + to - 1) / 2] + v[(from + to) / 2]) / 2;
}

/* Modes of the times of all pairs; those of a line with itself count only when no other pair is slow. */
static void find_modes(struct contend *c, int with_self)
{
    double *v = xmalloc((c->pairs + 1) * sizeof *v);
    size_t n = 0, at[2] = {0, 0}, first, last;

    for (size_t i = 0; i < c->pairs; i++)
        if (with_self || c->pair[i].a != c->pair[i].b)
            v[n++] = c->pair[i].cycles;
    qsort(v, n, sizeof *v, split_order);
    c->modes = n < 2 ? 1 : 1 + wide_gaps(v, n, at);
    if (c->modes > 1) {
        first = c->modes == 3 && at[1] < at[0] ? at[1] : at[0];
        last = c->modes == 3 && at[1] > at[0] ? at[1] : at[0];
        c->level[CONTEND_OTHER] = median_of(v, 0, first);
        c->level[CONTEND_PARTNER] = first == last ? NAN : median_of(v, first, last);
        c->level[CONTEND_SAME] = median_of(v, last, n);
        c->limit[0] = (v[first] + v[first - 1]) / 2;
        c->limit[1] = (v[last] + v[last - 1]) / 2;
        c->gap = fmin(v[first] - v[first - 1], v[last] - v[last - 1]) / c->level[CONTEND_OTHER];
    }
    free(v);
}

/* Groups under construction: members in rings, and for every line the pairs that it takes part in. */
struct join {
    const struct contend *c;
    uint32_t *head, *next; /* a group's name is one of its lines */
    uint32_t *count;       /* of head */
    size_t *start;         /* pairs of line i: index[start[i] .. start[i + 1]) */
    uint32_t *index;
};

static void join_alloc(struct join *j, const struct contend *c)
{
    j->c = c;
    j->head = xmalloc((c->lines + 1) * sizeof *j->head);
    j->next = xmalloc((c->lines + 1) * sizeof *j->next);
    j->count = xmalloc((c->lines + 1) * sizeof *j->count);
    j->start = xcalloc(c->lines + 2, sizeof *j->start);
    j->index = xmalloc((2 * c->pairs + 1) * sizeof *j->index);
    for (uint32_t i = 0; i < c->lines; i++) {
        j->head[i] = j->next[i] = i;
        j->count[i] = 1;
    }
    for (size_t i = 0; i < c->pairs; i++) {
        j->start[c->pair[i].a + 1]++;
        j->start[c->pair[i].b + 1]++;
    }
    for (size_t i = 0; i < c->lines; i++)
        j->start[i + 1] += j->start[i];
    for (size_t i = c->pairs; i-- > 0;) {
        j->index[--j->start[c->pair[i].a + 1]] = (uint32_t)i;
        j->index[--j->start[c->pair[i].b + 1]] = (uint32_t)i;
    }
    memmove(j->start, j->start + 1, c->lines * sizeof *j->start);
    j->start[c->lines] = 2 * c->pairs;
}

static void join_free(struct join *j)
{
    free(j->head);
    free(j->next);
    free(j->count);
    free(j->start);
    free(j->index);
}

/* Pairs between two groups that say "same", less those that do not. */
static long votes(const struct join *j, uint32_t small, uint32_t big)
{
    const struct contend *c = j->c;
    long sum = 0;
    uint32_t line = small;

    do {
        for (size_t k = j->start[line]; k < j->start[line + 1]; k++) {
            const struct contend_pair *p = &c->pair[j->index[k]];

            if (j->head[p->a == line ? p->b : p->a] == big)
                sum += contend_mode_of(c, p->cycles) == CONTEND_SAME ? 1 : -1;
        }
    } while ((line = j->next[line]) != small);
    return sum;
}

static void join_pair(struct join *j, uint32_t a, uint32_t b)
{
    uint32_t small = j->head[a], big = j->head[b], line, swap;

    if (small == big)
        return;
    if (j->count[small] > j->count[big]) {
        swap = small;
        small = big;
        big = swap;
    }
    if (votes(j, small, big) <= 0)
        return;
    line = small;
    do
        j->head[line] = big;
    while ((line = j->next[line]) != small);
    j->count[big] += j->count[small];
    swap = j->next[small];
    j->next[small] = j->next[big];
    j->next[big] = swap;
}

static const struct contend *sorted_of;

static int by_strength(const void *x, const void *y)
{
    double a = sorted_of->pair[*(const uint32_t *)x].cycles,
           b = sorted_of->pair[*(const uint32_t *)y].cycles;

    return (a < b) - (a > b);
}

static void join_all(struct contend *c, struct join *j)
{
    uint32_t *same = xmalloc((c->pairs + 1) * sizeof *same);
    size_t n = 0;

    for (size_t i = 0; i < c->pairs; i++)
        if (contend_mode_of(c, c->pair[i].cycles) == CONTEND_SAME)
            same[n++] = (uint32_t)i;
    sorted_of = c;
    qsort(same, n, sizeof *same, by_strength);
    for (size_t i = 0; i < n; i++)
        join_pair(j, c->pair[same[i]].a, c->pair[same[i]].b);
    free(same);
}

/* Classes numbered in the order of the lines. */
static void number_classes(struct contend *c, const struct join *j)
{
    uint32_t *name = xmalloc((c->lines + 1) * sizeof *name);

    memset(name, 0xff, c->lines * sizeof *name);
    c->n = 0;
    for (uint32_t i = 0; i < c->lines; i++) {
        uint32_t h = j->head[i];

        c->label[i] = CONTEND_NONE;
        if (j->start[i] == j->start[i + 1])
            continue;
        if (name[h] == CONTEND_NONE) {
            name[h] = (uint32_t)c->n;
            c->size[c->n++] = 0;
        }
        c->label[i] = name[h];
        c->size[name[h]]++;
    }
    free(name);
}

/* For each class the slowest pair that leaves it and the fastest that stays inside. */
static void find_margins(struct contend *c)
{
    double *leave = xcalloc(c->n + 1, sizeof *leave), *stay = xmalloc((c->n + 1) * sizeof *stay);
    double scale = c->level[CONTEND_SAME] - c->level[CONTEND_OTHER];

    for (size_t k = 0; k < c->n; k++)
        stay[k] = c->level[CONTEND_SAME];
    c->conflicts = 0;
    for (size_t i = 0; i < c->pairs; i++) {
        const struct contend_pair *p = &c->pair[i];
        uint32_t a = c->label[p->a], b = c->label[p->b];

        if (p->a == p->b)
            continue;
        c->conflicts += (a == b) != (contend_mode_of(c, p->cycles) == CONTEND_SAME);
        if (a == b) {
            stay[a] = fmin(stay[a], p->cycles);
        } else {
            leave[a] = fmax(leave[a], p->cycles);
            leave[b] = fmax(leave[b], p->cycles);
        }
    }
    for (size_t k = 0; k < c->n; k++)
        c->margin[k] = (stay[k] - leave[k]) / scale;
    free(leave);
    free(stay);
}

static uint32_t root(uint32_t *up, uint32_t k)
{
    while (up[k] != k)
        k = up[k] = up[up[k]];
    return k;
}

/* Partner pairs join classes to groups, and every two classes should have been compared. */
static void find_groups(struct contend *c)
{
    signed char *vote = c->n > MOST ? NULL : xcalloc(c->n * c->n + 1, 1);
    uint32_t *up = xmalloc((c->n + 1) * sizeof *up), *name = xmalloc((c->n + 1) * sizeof *name);

    for (uint32_t k = 0; k < c->n; k++) {
        up[k] = k;
        name[k] = CONTEND_NONE;
    }
    for (size_t i = 0; i < c->pairs && vote != NULL; i++) {
        uint32_t a = c->label[c->pair[i].a], b = c->label[c->pair[i].b];
        uint32_t lo = a < b ? a : b, hi = a < b ? b : a;

        /* Odd: compared. The rest is the vote for partners. */
        if (a != b) {
            signed char *v = &vote[lo * c->n + hi];
            int by = contend_mode_of(c, c->pair[i].cycles) == CONTEND_PARTNER ? 2 : -2;

            *v = (signed char)((*v | 1) + (*v > -120 && *v < 120 ? by : 0));
        }
    }
    c->untested = vote == NULL ? c->n : 0;
    for (uint32_t lo = 0; lo < c->n && vote != NULL; lo++)
        for (uint32_t hi = lo + 1; hi < c->n; hi++) {
            c->untested += vote[lo * c->n + hi] == 0;
            if (vote[lo * c->n + hi] > 1)
                up[root(up, lo)] = root(up, hi);
        }
    c->groups = 0;
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t r = root(up, k);

        if (name[r] == CONTEND_NONE)
            name[r] = (uint32_t)c->groups++;
        c->group[k] = name[r];
    }
    free(vote);
    free(up);
    free(name);
}

int contend_run(struct contend *c)
{
    struct join j;

    c->n = 0;
    find_modes(c, 0);
    if (c->modes == 1)
        find_modes(c, 1);
    if (c->modes == 1)
        return -1;
    join_alloc(&j, c);
    join_all(c, &j);
    number_classes(c, &j);
    join_free(&j);
    find_margins(c);
    find_groups(c);
    return 0;
}
