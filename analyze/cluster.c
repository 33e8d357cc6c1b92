/* Leader clustering with thresholds from the noise upwards, refined; groups that are two are halved; judged by the gap between
 * the own and the nearest other centre. */
#include "cluster.h"
#include "halve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"
#include "../share/lib/split.h"

enum { LANES = 8, CHECK = 16, QUERIES = 512, CANDIDATES = 2048, ROUNDS = 2, LEAST = 4 };
static const double multiples[] = {1.35, 1.5, 1.7, 2, 2.4, 3, 4, 6, 9};
static const double clip_noise = 12;
static const double most_uneven = 3;
static const double few_apart = 5; /* groups nearer than so many noise / sqrt(dims) are one */
/* Distances of pure noise reach 1 + 3 / sqrt(2 dims) times the noise; this much more is allowed for its poor estimate. */
static const double wide_noise = 1.6;

void cluster_alloc(struct cluster *c, size_t lines, size_t dims)
{
    memset(c, 0, sizeof *c);
    c->lines = lines;
    c->dims = dims;
    c->stride = (dims + CHECK - 1) / CHECK * CHECK;
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

/* Sum of clipped squares, given up once it is past `stop`. n is a multiple of CHECK. */
static float squares(const float *a, const float *b, size_t n, float clip, float stop)
{
    float sum = 0;

    for (size_t i = 0; i < n; i += CHECK) {
        float lane[LANES] = {0};

        for (size_t j = 0; j < CHECK; j += LANES)
            for (size_t k = 0; k < LANES; k++) {
                float d = a[i + j + k] - b[i + j + k], s = d * d;

                lane[k] += s < clip ? s : clip;
            }
        for (size_t k = 0; k < LANES; k++)
            sum += lane[k];
        if (sum > stop)
            break;
    }
    return sum;
}

static const float *row_of(const struct cluster *c, size_t line)
{
    return c->row + line * c->stride;
}

/* Noise of one value: the distance of nearest neighbours, who share a place if the lines are many, is sqrt(2) of it. */
static double find_noise(struct cluster *c)
{
    double nearest[QUERIES];
    size_t q = c->lines < QUERIES ? c->lines : QUERIES;
    size_t m = c->lines < CANDIDATES ? c->lines : CANDIDATES;

    for (size_t i = 0; i < q; i++) {
        size_t at = i * c->lines / q;
        float best = INFINITY;

        for (size_t j = 0; j < m; j++) {
            size_t to = j * c->lines / m;
            float s = to == at ? INFINITY
                               : squares(row_of(c, at), row_of(c, to), c->stride, INFINITY, best);

            best = s < best ? s : best;
        }
        nearest[i] = sqrt(best / (double)c->dims);
    }
    return split_median(nearest, q) / sqrt(2);
}

struct near {
    uint32_t at, next;
    float best, second;
};

/* The nearest centre, and the second nearest of more than one line: a line with a wild reading may stand alone, and must not
 * make its own place look crowded. Distances are squared. */
static struct near nearest(const struct cluster *c, const float *row)
{
    struct near v = {CLUSTER_NONE, CLUSTER_NONE, INFINITY, INFINITY};

    for (size_t k = 0; k < c->n; k++) {
        float s = squares(row, c->center + k * c->stride, c->stride, c->clip, v.second);

        if (s < v.best) {
            if (v.at != CLUSTER_NONE && c->size[v.at] > 1) {
                v.second = v.best;
                v.next = v.at;
            }
            v.best = s;
            v.at = (uint32_t)k;
        } else if (s < v.second && c->size[k] > 1) {
            v.second = s;
            v.next = (uint32_t)k;
        }
    }
    return v;
}

/* Each line joins the nearest centre within the threshold, which grows for a centre of few lines, or founds a group. The
 * centre is the running mean. -1 when there are more than `most` groups. */
static int lead(struct cluster *c, size_t lines, double threshold, size_t most)
{
    float limit = (float)(threshold * threshold * (double)c->dims);

    c->n = 0;
    for (size_t i = 0; i < lines; i++) {
        struct near v = nearest(c, row_of(c, i));
        uint32_t k = v.at;
        float *center;

        if (k == CLUSTER_NONE || v.best > limit * (1 + 1 / (float)c->size[k])) {
            if (c->n == most)
                return -1;
            k = (uint32_t)c->n++;
            c->size[k] = 0;
            memset(c->center + k * c->stride, 0, c->stride * sizeof *c->center);
        }
        center = c->center + k * c->stride;
        c->size[k]++;
        for (size_t d = 0; d < c->stride; d++)
            center[d] += (row_of(c, i)[d] - center[d]) / (float)c->size[k];
        c->label[i] = k;
    }
    return 0;
}

/* Assigns every line to its nearest centre; own and other are the distances to it and to the next. */
static void assign(struct cluster *c, size_t lines)
{
    for (size_t i = 0; i < lines; i++) {
        struct near v = nearest(c, row_of(c, i));

        c->label[i] = v.at;
        c->next[i] = v.next;
        c->own[i] = sqrtf(v.best / (float)c->dims);
        c->other[i] = sqrtf(v.second / (float)c->dims);
    }
}

/* Centres become the means of their lines; groups without lines go. */
static void recenter(struct cluster *c, size_t lines)
{
    uint32_t *to = xmalloc((c->n + 1) * sizeof *to);
    size_t n = 0;

    memset(c->size, 0, c->n * sizeof *c->size);
    for (size_t i = 0; i < lines; i++)
        c->size[c->label[i]]++;
    for (size_t k = 0; k < c->n; k++) {
        size_t size = c->size[k];

        to[k] = (uint32_t)n;
        if (size > 0)
            c->size[n++] = size;
    }
    c->n = n;
    memset(c->center, 0, n * c->stride * sizeof *c->center);
    for (size_t i = 0; i < lines; i++) {
        float *center = c->center + (c->label[i] = to[c->label[i]]) * c->stride;

        for (size_t d = 0; d < c->stride; d++)
            center[d] += row_of(c, i)[d] / (float)c->size[c->label[i]];
    }
    free(to);
}

/* Joins groups whose centres are closer, squared, than lines of one place and `spare` allow. */
static int join(struct cluster *c, double spare)
{
    int joined = 0;

    for (size_t i = 0; i < c->n; i++)
        for (size_t j = i + 1; j < c->n; j++) {
            float *a = c->center + i * c->stride, *b = c->center + j * c->stride;
            double few = 1 / (double)c->size[i] + 1 / (double)c->size[j];
            double limit = (c->noise * c->noise * few + (spare > 0 ? spare : 0)) * (double)c->dims;
            float share = (float)c->size[j] / (float)(c->size[i] + c->size[j]);

            if (squares(a, b, c->stride, c->clip, (float)limit) > (float)limit)
                continue;
            for (size_t d = 0; d < c->stride; d++)
                a[d] += (b[d] - a[d]) * share;
            c->size[i] += c->size[j];
            c->n--;
            memmove(b, c->center + c->n * c->stride, c->stride * sizeof *b);
            c->size[j--] = c->size[c->n];
            joined = 1;
        }
    return joined;
}

/* The two distances that the gap lies between. Leaving a line out of the centre of k lines puts it k / (k - 1) farther. */
static void measure_gap(struct cluster *c, size_t lines)
{
    double *own = xmalloc((lines + 1) * sizeof *own), *other = xmalloc((lines + 1) * sizeof *other);
    size_t n = 0;

    for (size_t i = 0; i < lines; i++) {
        double k = (double)c->size[c->label[i]];

        if (k > 1)
            own[n++] = c->own[i] * k / (k - 1);
        other[i] = c->other[i];
    }
    qsort(own, n, sizeof *own, split_order);
    qsort(other, lines, sizeof *other, split_order);
    c->same = n > 0 ? own[n - 1 - n / 200] : 0;
    c->different = other[lines / 200];
    free(own);
    free(other);
}

static int group(struct cluster *c, size_t lines, double threshold)
{
    size_t most = lines / 2 < CLUSTER_MOST ? lines / 2 : CLUSTER_MOST;

    if (lead(c, lines, threshold, most) != 0)
        return -1;
    for (int round = 0; round < ROUNDS; round++) {
        join(c, threshold * threshold - c->noise * c->noise);
        assign(c, lines);
        recenter(c, lines);
    }
    assign(c, lines);
    measure_gap(c, lines);
    return 0;
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
        apart =
            sqrt((double)squares(c->center + c->label[i] * c->stride,
                                 c->center + c->next[i] * c->stride, c->stride, c->clip, INFINITY) /
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
    double best = 0, same = 0, different = 0, unit = c->noise > 0 ? c->noise : 1e-3;

    c->threshold = 0;
    for (size_t k = 0; k < sizeof multiples / sizeof *multiples; k++) {
        if (group(c, lines, multiples[k] * unit) != 0)
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
    size_t step = c->lines / CANDIDATES + 1, to = 0;

    for (size_t from = 0; from < step; from++)
        for (size_t i = from; i < c->lines; i += step)
            memcpy(c->row + to++ * c->stride, c->x + i * c->dims, c->dims * sizeof *c->row);
}

static void unshuffle_labels(struct cluster *c)
{
    size_t step = c->lines / CANDIDATES + 1, to = 0;
    uint32_t *label = xmalloc((c->lines + 1) * sizeof *label);

    memcpy(label, c->label, c->lines * sizeof *label);
    for (size_t from = 0; from < step; from++)
        for (size_t i = from; i < c->lines; i += step)
            c->label[i] = label[to++];
    free(label);
}

/* The nearest of m neighbours in few dimensions is much nearer than sqrt(2) noise: by sqrt(2 ln m) deviations, each
 * 1 / sqrt(2 dims) of it. With that put right, a group's width tells whether it holds noise alone; most groups do, so the
 * noise is no more than their median width. */
static double true_noise(const struct cluster *c)
{
    double m = (double)(c->lines < CANDIDATES ? c->lines : CANDIDATES) / (double)c->n;
    double low = 1 - sqrt(2 * log(m > 2 ? m : 2)) / sqrt(2 * (double)c->dims);
    double *v = xmalloc((c->lines + 1) * sizeof *v), width = INFINITY;
    size_t n = 0;

    for (size_t i = 0; i < c->lines; i++)
        if (c->size[c->label[i]] > 1) {
            double k = (double)c->size[c->label[i]];

            v[n++] = (double)c->own[i] * sqrt(k / (k - 1));
        }
    if (n > 0)
        width = split_median(v, n);
    free(v);
    return fmin(c->noise / (low > 0.2 ? low : 0.2), width);
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
            v[i] = fabs((double)row_of(c, i)[d] - (double)c->center[c->label[i] * c->stride + d]);
        scale[d] = split_median(v, c->lines);
        sum += scale[d] / (double)c->dims;
    }
    for (size_t d = 0; d < c->dims && sum > 0; d++) {
        float by = (float)fmax(1 / most_uneven, fmin(most_uneven, sum / fmax(scale[d], 1e-9)));

        for (size_t i = 0; i < c->lines; i++)
            c->row[i * c->stride + d] *= by;
    }
    recenter(c, c->lines);
    assign(c, c->lines);
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
    recenter(c, c->lines);
    if (join(c, few_apart * few_apart * noise * noise / (double)c->dims))
        assign(c, c->lines);
    recenter(c, c->lines);
    assign(c, c->lines);
    recenter(c, c->lines);
    assign(c, c->lines);
    measure_gap(c, c->lines);
}

/* Groups by the best threshold, then refined; 0 when the lines' margins, or a gap between distances, support them. */
static int find_groups(struct cluster *c)
{
    c->noise = find_noise(c);
    c->clip = c->noise > 0 ? (float)(clip_noise * clip_noise * c->noise * c->noise) : INFINITY;
    find_threshold(c, c->lines < CANDIDATES ? c->lines : CANDIDATES);
    if (!(c->threshold > 0) || group(c, c->lines, c->threshold) != 0 || c->n < 2)
        return -1;
    even_noise(c);
    c->noise = find_noise(c);
    refine(c, true_noise(c));
    c->noise = true_noise(c);
    measure_margins(c);
    if (c->n > 1 && (c->different >= CLUSTER_GAP * c->same || c->least_margin >= HALVE_MARGIN))
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
