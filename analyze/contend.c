/* Modes of the pairs' times, then groups of lines by the pairs that are slow, the least doubtful first. */
#include "contend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"
#include "../share/lib/split.h"

/* A gap between modes is at least this share of the fastest mode, and the second gap this share of the first; between two
 * slow modes, from the 98th percentile of one to the 2nd of the other, this share of the fastest mode. */
static const double least_gap = 0.12, second_gap = 0.3, close_gap = 0.04;

enum {
    LEAST_MODE = 3,
    MOST = 8192
}; /* groups: with more than that, lines were not compared with each other */

void contend_alloc(struct contend *c, size_t lines, size_t pairs)
{
    memset(c, 0, sizeof *c);
    c->lines = lines;
    c->pairs = pairs;
    c->label = xcalloc(lines + 1, sizeof *c->label);
    c->size = xcalloc(lines + 1, sizeof *c->size);
    c->margin = xcalloc(lines + 1, sizeof *c->margin);
    c->group = xcalloc(lines + 1, sizeof *c->group);
    c->doubt = xcalloc(lines + 1, sizeof *c->doubt);
}

void contend_free(struct contend *c)
{
    free(c->label);
    free(c->size);
    free(c->margin);
    free(c->group);
    free(c->doubt);
    memset(c, 0, sizeof *c);
}

int contend_counts(const struct contend *c)
{
    return c->n > 0 && c->partial * 10 <= c->labelled && c->doubtful * 10 <= c->labelled &&
           c->conflicts * 50 <= c->same;
}

enum contend_mode contend_mode_of(const struct contend *c, double cycles)
{
    if (cycles > c->limit[1])
        return cycles > c->limit[2] ? CONTEND_SAME : CONTEND_DOUBT;
    return cycles > c->limit[0] ? CONTEND_PARTNER : CONTEND_OTHER;
}

/* The place in v[from, to) where the widest gap begins. */
static size_t widest_gap(const double *v, size_t from, size_t to)
{
    size_t best = from + 1;

    for (size_t i = from + 2; i < to; i++)
        if (v[i] - v[i - 1] > v[best] - v[best - 1])
            best = i;
    return best;
}

/* Where sorted times fall into two or three modes: first[0] is the number of times in the lowest, first[1] of the lower
 * two. The widest gap divides; then the lower part may have another gap (partners are below it), or the upper part two
 * modes whose tails nearly touch. One or two times by themselves are no mode, but wild readings. */
static unsigned divide(const double *v, size_t n, size_t first[2])
{
    size_t cut = n, low;
    struct split sp;
    double unit = n > 0 ? v[n / 20] : 0, wide = 0;

    for (size_t left = n; left > LEAST_MODE && n - cut < LEAST_MODE; left = cut) {
        cut = widest_gap(v, 0, left);
        wide = v[cut] - v[cut - 1];
        if (wide < least_gap * unit)
            return 1;
    }
    if (n - cut < LEAST_MODE)
        return 1;
    first[0] = first[1] = cut;
    low = cut > 1 ? widest_gap(v, 0, cut) : cut;
    if (cut - low >= LEAST_MODE &&
        v[low] - v[low - 1] > fmax(least_gap * unit, second_gap * wide)) {
        first[0] = low;
        return 3;
    }
    if (n - cut < 2 * LEAST_MODE)
        return 2;
    split_variance(v + cut, n - cut, &sp);
    if (sp.below < LEAST_MODE || n - cut - sp.below < LEAST_MODE || sp.gap < close_gap * unit ||
        sp.gap < sp.width / 2)
        return 2;
    first[1] = cut + sp.below;
    return 3;
}

static double median_of(const double *v, size_t from, size_t to)
{
    return (v[(from + to - 1) / 2] + v[(from + to) / 2]) / 2;
}

/* Modes of the times of all pairs; those of a line with itself count only when no other pair is slow. */
static void find_modes(struct contend *c, int with_self)
{
    double *v = xmalloc((c->pairs + 1) * sizeof *v);
    size_t n = 0, first[2];

    for (size_t i = 0; i < c->pairs; i++)
        if (with_self || c->pair[i].a != c->pair[i].b)
            v[n++] = c->pair[i].cycles;
    qsort(v, n, sizeof *v, split_order);
    c->modes = divide(v, n, first);
    if (c->modes > 1) {
        c->level[CONTEND_OTHER] = median_of(v, 0, first[0]);
        c->level[CONTEND_PARTNER] = c->modes == 2 ? NAN : median_of(v, first[0], first[1]);
        c->level[CONTEND_SAME] = median_of(v, first[1], n);
        for (int k = 0; k < 2; k++)
            c->limit[k] = (v[first[k]] + v[first[k] - 1]) / 2;
        /* What is below the bulk of the slowest mode is in doubt: partners may meet in more than one place. */
        c->limit[2] = split_bulk(v + first[1], n - first[1], close_gap * v[n / 20], c->limit[1]);
        c->gap = fmin(v[first[0]] - v[first[0] - 1], v[first[1]] - v[first[1] - 1]) /
                 c->level[CONTEND_OTHER];
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

static long vote_same(const struct contend *c, double cycles)
{
    enum contend_mode mode = contend_mode_of(c, cycles);

    return mode == CONTEND_SAME ? 1 : mode == CONTEND_DOUBT ? 0 : -1;
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
                sum += vote_same(c, p->cycles);
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

/* Those nearest to the middle of their mode first, wild ones last, when the groups can outvote them. */
static int by_doubt(const void *x, const void *y)
{
    double level = sorted_of->level[CONTEND_SAME];
    double a = fabs(sorted_of->pair[*(const uint32_t *)x].cycles - level);
    double b = fabs(sorted_of->pair[*(const uint32_t *)y].cycles - level);

    return (a > b) - (a < b);
}

static void join_all(struct contend *c, struct join *j)
{
    uint32_t *same = xmalloc((c->pairs + 1) * sizeof *same);
    size_t n = 0;

    for (size_t i = 0; i < c->pairs; i++)
        if (contend_mode_of(c, c->pair[i].cycles) == CONTEND_SAME)
            same[n++] = (uint32_t)i;
    sorted_of = c;
    qsort(same, n, sizeof *same, by_doubt);
    for (size_t i = 0; i < n; i++)
        join_pair(j, c->pair[same[i]].a, c->pair[same[i]].b);
    free(same);
}

/* Of two lines that nothing but a doubtful pair joins, the one without a class has none; of two such, the one that was
 * compared with fewer. */
static void mark_doubt(struct contend *c, const struct join *j)
{
    c->doubtful = 0;
    memset(c->doubt, 0, c->lines);
    for (size_t i = 0; i < c->pairs; i++) {
        uint32_t a = c->pair[i].a, b = c->pair[i].b, line = a;

        if (j->head[a] == j->head[b] || contend_mode_of(c, c->pair[i].cycles) != CONTEND_DOUBT)
            continue;
        if (j->count[j->head[a]] > 1 ||
            (j->count[j->head[b]] == 1 &&
             j->start[b + 1] - j->start[b] < j->start[a + 1] - j->start[a]))
            line = b;
        if (j->count[j->head[line]] > 1 || c->doubt[line])
            continue;
        c->doubt[line] = 1;
        c->doubtful++;
    }
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
        if (j->start[i] == j->start[i + 1] || c->doubt[i])
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
    c->conflicts = c->partial = c->same = 0;
    for (size_t i = 0; i < c->pairs; i++) {
        const struct contend_pair *p = &c->pair[i];
        uint32_t a = c->label[p->a], b = c->label[p->b];

        if (c->doubt[p->a] || c->doubt[p->b] || p->a == p->b)
            continue;
        c->partial += (a == CONTEND_NONE) != (b == CONTEND_NONE);
        if (a == CONTEND_NONE || b == CONTEND_NONE)
            continue;
        c->same += a == b;
        c->conflicts += vote_same(c, p->cycles) == (a == b ? -1 : 1);
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

/* What the pairs between two groups say: 0 nothing, else odd, and above 0 when most of them are partners. */
static signed char *compare_groups(const struct contend *c)
{
    signed char *vote = xcalloc(c->n * c->n + 1, 1);

    for (size_t i = 0; i < c->pairs; i++) {
        size_t a = c->label[c->pair[i].a], b = c->label[c->pair[i].b];
        enum contend_mode mode = contend_mode_of(c, c->pair[i].cycles);
        int by = mode == CONTEND_DOUBT ? 0 : mode == CONTEND_PARTNER ? 2 : -2;
        signed char *v;

        if (a == b || a == CONTEND_NONE || b == CONTEND_NONE)
            continue;
        v = &vote[(a < b ? a : b) * c->n + (a < b ? b : a)];
        *v = (signed char)((*v == 0 ? -1 : *v) + (*v > -120 && *v < 120 ? by : 0));
    }
    return vote;
}

static signed char vote_of(const struct contend *c, const signed char *vote, size_t a, size_t b)
{
    return a == b ? 1 : vote[(a < b ? a : b) * c->n + (a < b ? b : a)];
}

struct rank {
    size_t compared;
    uint32_t group;
};

static int by_rank(const void *x, const void *y)
{
    const struct rank *a = x, *b = y;

    if (a->compared != b->compared)
        return a->compared > b->compared ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

/* Groups that were compared with all kept before them, those with most comparisons first. */
static void choose_kept(const struct contend *c, const signed char *vote, char *keep)
{
    struct rank *rank = xcalloc(c->n + 1, sizeof *rank);

    for (uint32_t a = 0; a < c->n; a++) {
        rank[a].group = a;
        for (size_t b = 0; b < c->n; b++)
            rank[a].compared += vote_of(c, vote, a, b) != 0;
    }
    qsort(rank, c->n, sizeof *rank, by_rank);
    for (size_t i = 0; i < c->n; i++) {
        int all = 1;

        for (size_t b = 0; b < c->n && all; b++)
            all = !keep[b] || vote_of(c, vote, rank[i].group, b) != 0;
        keep[rank[i].group] = (char)all;
    }
    free(rank);
}

static uint32_t root(uint32_t *up, uint32_t k)
{
    while (up[k] != k)
        k = up[k] = up[up[k]];
    return k;
}

/* Numbers the classes kept, and the groups that partner pairs join them to. */
static void renumber(struct contend *c, const signed char *vote, const char *keep)
{
    uint32_t *up = xmalloc((c->n + 1) * sizeof *up), *to = xmalloc((c->n + 1) * sizeof *to);
    uint32_t *name = xmalloc((c->n + 1) * sizeof *name), n = 0;

    for (uint32_t k = 0; k < c->n; k++) {
        up[k] = k;
        name[k] = to[k] = CONTEND_NONE;
        for (uint32_t b = 0; b < k && keep[k]; b++)
            if (keep[b] && vote_of(c, vote, k, b) > 0)
                up[root(up, b)] = root(up, k);
    }
    c->groups = 0;
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t r = root(up, k);

        if (!keep[k])
            continue;
        if (name[r] == CONTEND_NONE)
            name[r] = (uint32_t)c->groups++;
        c->group[n] = name[r];
        c->size[n] = c->size[k];
        to[k] = n++;
    }
    c->loose = 0;
    for (size_t i = 0; i < c->lines; i++)
        if (c->label[i] != CONTEND_NONE)
            c->loose += (c->label[i] = to[c->label[i]]) == CONTEND_NONE;
    c->n = n;
    c->labelled = 0;
    for (uint32_t k = 0; k < n; k++)
        c->labelled += c->size[k];
    free(up);
    free(to);
    free(name);
}

static void keep_compared(struct contend *c)
{
    signed char *vote = compare_groups(c);
    char *keep = xcalloc(c->n + 1, 1);

    choose_kept(c, vote, keep);
    renumber(c, vote, keep);
    free(vote);
    free(keep);
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
    mark_doubt(c, &j);
    number_classes(c, &j);
    join_free(&j);
    if (c->n > MOST) {
        c->n = 0;
        c->modes = 1;
        return -1;
    }
    keep_compared(c);
    find_margins(c);
    return 0;
}
