/* Searches the threshold, halves the groups that are two, and judges what is left by how much nearer lines are to their own
 * centre than to the next. */
#include "cluster.h"
#include "cluster_lead.h"
#include "halve.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"
#include "../share/lib/split.h"

enum { LEAST = 4 };
static const double multiples[] = {1.35, 1.5, 1.7, 2, 2.4, 3, 4, 6, 9};
static const double clip_noise = 12;
static const double most_uneven = 3;
static const double fine_width = 1.15;  /* times the noise: groups that hold noise alone */
static const double least_noise = 0.02; /* cycles: a simulated chip may have none */
static const double few_apart = 5;      /* groups nearer than so many noise / sqrt(dims) are one */
/* Distances of pure noise reach 1 + 3 / sqrt(2 dims) times the noise; this much more is allowed for its poor estimate. */
static const double wide_noise = 1.6;

void cluster_alloc(struct cluster *c, size_t lines, size_t dims)
{
    memset(c, 0, sizeof *c);
    c->lines = lines;
    c->dims = dims;
    c->stride = (dims + CLUSTER_CHECK - 1) / CLUSTER_CHECK * CLUSTER_CHECK;
    c->row = xcalloc(lines * c->stride + 1, sizeof *c->row);
    c->center = xcalloc(CLUSTER_MOST * c->stride, sizeof *c->center);
    c->label = xcalloc(lines + 1, sizeof *c->label);
    c->size = xcalloc(CLUSTER_MOST, sizeof *c->size);
    c->own = xcalloc(lines + 1, sizeof *c->own);
    c->other = xcalloc(lines + 1, sizeof *c->other);
    c->next = xcalloc(lines + 1, sizeof *c->next);
    c->margin = xcalloc(lines + 1, sizeof *c->margin);
}

void cluster_free(struct cluster *c)
{
    free(c->row);
    free(c->center);
    free(c->label);
    free(c->size);
    free(c->own);
    free(c->other);
    free(c->next);
    free(c->margin);
    memset(c, 0, sizeof *c);
}

/* How much nearer every line is to its own centre than to the next; the least but for 0.5 % is the groups' margin. */
static void measure_margins(struct cluster *c)
{
    double *v = xmalloc((c->lines + 1) * sizeof *v);
    size_t n = 0;

    for (size_t i = 0; i < c->lines; i++) {
        size_t k = c->size[c->label[i]];
        double apart;

        c->margin[i] = 1;
        if (k < 2 || c->next[i] == CLUSTER_NONE)
            continue;
        apart = sqrt((double)cluster_squares(c->center + c->label[i] * c->stride,
                                             c->center + c->next[i] * c->stride, c->stride, c->clip,
                                             INFINITY) /
                     (double)c->dims);
        v[n++] = c->margin[i] = halve_margin((double)c->own[i], k, (double)c->other[i],
                                             c->size[c->next[i]], apart, c->noise);
    }
    qsort(v, n, sizeof *v, split_order);
    c->least_margin = n > 0 ? v[n / 200] : 0;
    free(v);
}

/* A line is not clear when it is far beyond others of its place, or half way to another centre, or alone near one. */
static void mark_unclear(struct cluster *c)
{
    double far = fmax(c->different, CLUSTER_GAP * c->same);

    c->unclear = 0;
    for (size_t i = 0; i < c->lines; i++)
        if (c->own[i] > far || c->margin[i] < HALVE_MARGIN / 2 ||
            (c->size[c->label[i]] == 1 && c->other[i] < c->threshold)) {
            c->label[i] = CLUSTER_NONE;
            c->unclear++;
        }
}

/* Groups that lost all their lines as unclear are no groups. */
static void drop_empty(struct cluster *c)
{
    uint32_t *to = xmalloc((c->n + 1) * sizeof *to);
    size_t n = 0;

    memset(c->size, 0, c->n * sizeof *c->size);
    for (size_t i = 0; i < c->lines; i++)
        if (c->label[i] != CLUSTER_NONE)
            c->size[c->label[i]]++;
    for (size_t k = 0; k < c->n; k++) {
        to[k] = (uint32_t)n;
        if (c->size[k] > 0)
            c->size[n++] = c->size[k];
    }
    for (size_t i = 0; i < c->lines; i++)
        if (c->label[i] != CLUSTER_NONE)
            c->label[i] = to[c->label[i]];
    c->n = n;
    free(to);
}

/* The threshold from the noise upwards that leaves a gap in a sample of the lines, else the one that leaves the best; 0 when
 * there is none. The gap seen stays in same and different. */
static void find_threshold(struct cluster *c, size_t lines)
{
    double best = 0, same = 0, different = 0, unit = c->noise;

    c->threshold = 0;
    for (size_t k = 0; k < sizeof multiples / sizeof *multiples; k++) {
        if (cluster_lead(c, lines, multiples[k] * unit) != 0)
            continue;
        if (c->n > 1 && c->different >= CLUSTER_GAP * c->same) {
            c->threshold = sqrt(c->same * c->different);
            return;
        }
        if (c->n > 1 && c->different > best * c->same) {
            best = c->different / c->same;
            same = c->same;
            different = c->different;
            c->threshold = multiples[k] * unit;
        }
    }
    c->same = same;
    c->different = different;
}

/* Rows in an order that spreads every part of it over all lines, so that a beginning of it is a sample. */
static void fill_rows(struct cluster *c)
{
    size_t step = c->lines / CLUSTER_SAMPLE + 1, to = 0;

    for (size_t from = 0; from < step; from++)
        for (size_t i = from; i < c->lines; i += step)
            memcpy(c->row + to++ * c->stride, c->x + i * c->dims, c->dims * sizeof *c->row);
}

static void unshuffle_labels(struct cluster *c)
{
    size_t step = c->lines / CLUSTER_SAMPLE + 1, to = 0;
    uint32_t *label = xmalloc((c->lines + 1) * sizeof *label);

    memcpy(label, c->label, c->lines * sizeof *label);
    for (size_t from = 0; from < step; from++)
        for (size_t i = from; i < c->lines; i += step)
            c->label[i] = label[to++];
    free(label);
}

/* Half of the time, how long the shortest of m vectors of noise is, as a share of what they are on average (root mean
 * square). */
static double shortest(double m, double dims)
{
    return sqrt(gsl_cdf_chisq_Pinv(1 - pow(0.5, 1 / fmax(m, 1.5)), dims) / dims);
}

/* The nearest of many neighbours is nearer than neighbours are on average. With that put right, the groups' median width tells
 * whether most of them hold noise alone; then it is the better estimate. */
static double true_noise(struct cluster *c)
{
    double m = (double)(c->lines < CLUSTER_SAMPLE ? c->lines : CLUSTER_SAMPLE) / (double)c->n;
    double nearest = c->noise / shortest(m, (double)c->dims), width = INFINITY;
    double *v = xmalloc((c->lines + 1) * sizeof *v);
    size_t n = 0;

    for (size_t i = 0; i < c->lines; i++)
        if (c->size[c->label[i]] > 1) {
            double k = (double)c->size[c->label[i]];

            v[n++] = (double)c->own[i] * sqrt(k / (k - 1));
        }
    if (n > 0)
        width = split_median(v, n);
    free(v);
    c->fine = width <= fine_width * nearest;
    return fmax(fmin(nearest, width), least_noise);
}

/* Groups whose squared width is beyond noise: by a tenth, and by five times what so few lines of noise vary. */
static size_t wide_groups(const struct cluster *c)
{
    double *sum = xcalloc(c->n + 1, sizeof *sum);
    size_t wide = 0;

    for (size_t i = 0; i < c->lines; i++)
        sum[c->label[i]] += (double)(c->own[i] * c->own[i]) / (c->noise * c->noise);
    for (size_t k = 0; k < c->n; k++) {
        double n = (double)c->size[k];

        wide += n > 1 && sum[k] / (n - 1) > 1.1 + 5 * sqrt(2 / (n * (double)c->dims));
    }
    free(sum);
    return wide;
}

/* The lines of one group, n of them. */
static size_t members(const struct cluster *c, uint32_t group, uint32_t *line)
{
    size_t n = 0;

    for (uint32_t i = 0; i < c->lines; i++)
        if (c->label[i] == group)
            line[n++] = i;
    return n;
}

/* SMs differ in noise. Values are scaled so that every SM has the same, from the median residual. */
static void even_noise(struct cluster *c)
{
    double *v = xmalloc((c->lines + 1) * sizeof *v), *scale = xmalloc(c->dims * sizeof *scale);
    double sum = 0;

    for (size_t d = 0; d < c->dims; d++) {
        for (size_t i = 0; i < c->lines; i++)
            v[i] =
                fabs((double)cluster_row(c, i)[d] - (double)c->center[c->label[i] * c->stride + d]);
        scale[d] = split_median(v, c->lines);
        sum += scale[d] / (double)c->dims;
    }
    for (size_t d = 0; d < c->dims && sum > 0; d++) {
        float by = (float)fmax(1 / most_uneven, fmin(most_uneven, sum / fmax(scale[d], 1e-9)));

        for (size_t i = 0; i < c->lines; i++)
            c->row[i * c->stride + d] *= by;
    }
    cluster_recenter(c, c->lines);
    cluster_assign(c, c->lines);
    free(v);
    free(scale);
}

/* Halves groups until none falls into two, then joins what the halves of different groups may have in common. */
static void refine(struct cluster *c, double noise)
{
    uint32_t *line = xmalloc((c->lines + 1) * sizeof *line);
    struct halve h;

    halve_alloc(&h, c->lines, c->dims);
    h.row = c->row;
    h.stride = c->stride;
    h.point = line;
    h.noise = noise;
    for (uint32_t k = 0; k < c->n;) {
        h.n = members(c, k, line);
        if (c->n == CLUSTER_MOST || !halve_run(&h)) {
            k++;
            continue;
        }
        for (size_t i = 0; i < h.n; i++)
            if (h.upper[i])
                c->label[line[i]] = (uint32_t)c->n;
        c->n++;
    }
    halve_free(&h);
    free(line);
    cluster_recenter(c, c->lines);
    if (cluster_join(c, few_apart * few_apart * noise * noise / (double)c->dims))
        cluster_assign(c, c->lines);
    for (int round = 0; round < 2; round++) {
        cluster_recenter(c, c->lines);
        cluster_assign(c, c->lines);
    }
    cluster_gap(c, c->lines);
}

/* Groups by the best threshold, then refined; 0 when the lines' margins, or a gap between distances, support them. */
static int find_groups(struct cluster *c)
{
    c->noise = fmax(cluster_noise(c), least_noise);
    c->clip = (float)(clip_noise * clip_noise * c->noise * c->noise);
    find_threshold(c, c->lines < CLUSTER_SAMPLE ? c->lines : CLUSTER_SAMPLE);
    if (!(c->threshold > 0) || cluster_lead(c, c->lines, c->threshold) != 0 || c->n < 2)
        return -1;
    even_noise(c);
    c->noise = fmax(cluster_noise(c), least_noise);
    refine(c, true_noise(c));
    c->noise = true_noise(c);
    measure_margins(c);
    if (c->n > 1 &&
        (c->different >= CLUSTER_GAP * c->same || (c->fine && c->least_margin >= HALVE_MARGIN)))
        return 0;
    return -1;
}

int cluster_run(struct cluster *c)
{
    fill_rows(c);
    if (c->lines < LEAST || find_groups(c) != 0) {
        c->n = 0;
        c->unclear = c->lines;
        return -1;
    }
    c->wide = wide_groups(c);
    c->pure = c->same <= wide_noise * (1 + 3 / sqrt(2 * (double)c->dims)) * c->noise;
    mark_unclear(c);
    drop_empty(c);
    unshuffle_labels(c);
    return 0;
}

double cluster_missed(const size_t *size, size_t n)
{
    double once = 0, twice = 0;

    for (size_t k = 0; k < n; k++) {
        once += size[k] == 1;
        twice += size[k] == 2;
    }
    return once * (once - 1) / (2 * (twice + 1));
}
