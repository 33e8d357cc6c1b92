/* The steps of clustering: noise, leaders, means, joins. */
#include "cluster_lead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"
#include "../share/lib/split.h"

enum { LANES = 8, QUERIES = 512, ROUNDS = 2 };

float cluster_squares(const float *a, const float *b, size_t n, float clip, float stop)
{
    float sum = 0;

    for (size_t i = 0; i < n; i += CLUSTER_CHECK) {
        float lane[LANES] = {0};

        for (size_t j = 0; j < CLUSTER_CHECK; j += LANES)
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

const float *cluster_row(const struct cluster *c, size_t line)
{
    return c->row + line * c->stride;
}

double cluster_noise(const struct cluster *c)
{
    double nearest[QUERIES];
    size_t q = c->lines < QUERIES ? c->lines : QUERIES;
    size_t m = c->lines < CLUSTER_SAMPLE ? c->lines : CLUSTER_SAMPLE;

    for (size_t i = 0; i < q; i++) {
        size_t at = i * c->lines / q;
        float best = INFINITY;

        for (size_t j = 0; j < m; j++) {
            size_t to = j * c->lines / m;
            float s = to == at ? INFINITY
                               : cluster_squares(cluster_row(c, at), cluster_row(c, to), c->stride,
                                                 INFINITY, best);

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
        float s = cluster_squares(row, c->center + k * c->stride, c->stride, c->clip, v.second);

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
        struct near v = nearest(c, cluster_row(c, i));
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
            center[d] += (cluster_row(c, i)[d] - center[d]) / (float)c->size[k];
        c->label[i] = k;
    }
    return 0;
}

void cluster_assign(struct cluster *c, size_t lines)
{
    for (size_t i = 0; i < lines; i++) {
        struct near v = nearest(c, cluster_row(c, i));

        c->label[i] = v.at;
        c->next[i] = v.next;
        c->own[i] = sqrtf(v.best / (float)c->dims);
        c->other[i] = sqrtf(v.second / (float)c->dims);
    }
}

void cluster_recenter(struct cluster *c, size_t lines)
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
            center[d] += cluster_row(c, i)[d] / (float)c->size[c->label[i]];
    }
    free(to);
}

int cluster_join(struct cluster *c, double spare)
{
    int joined = 0;

    for (size_t i = 0; i < c->n; i++)
        for (size_t j = i + 1; j < c->n; j++) {
            float *a = c->center + i * c->stride, *b = c->center + j * c->stride;
            double few = 1 / (double)c->size[i] + 1 / (double)c->size[j];
            double limit = (c->noise * c->noise * few + (spare > 0 ? spare : 0)) * (double)c->dims;
            float share = (float)c->size[j] / (float)(c->size[i] + c->size[j]);

            if (cluster_squares(a, b, c->stride, c->clip, (float)limit) > (float)limit)
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

/* Leaving a line out of the centre of k lines puts it k / (k - 1) farther. */
void cluster_gap(struct cluster *c, size_t lines)
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

int cluster_lead(struct cluster *c, size_t lines, double threshold)
{
    size_t most = lines / 2 < CLUSTER_MOST ? lines / 2 : CLUSTER_MOST;

    if (lead(c, lines, threshold, most) != 0)
        return -1;
    for (int round = 0; round < ROUNDS; round++) {
        cluster_join(c, threshold * threshold - c->noise * c->noise);
        cluster_assign(c, lines);
        cluster_recenter(c, lines);
    }
    cluster_assign(c, lines);
    cluster_gap(c, lines);
    return 0;
}
