/* Medians taken off, wild values cut off; the principal axis by power iteration, the widest split along it, two centres. */
#include "halve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"
#include "../share/lib/split.h"

enum { POWER = 12, ROUNDS = 5, LEAST = 4 };
static const double clip_noise = 5;

void halve_alloc(struct halve *h, size_t most, size_t dims)
{
    memset(h, 0, sizeof *h);
    h->dims = dims;
    h->upper = xcalloc(most + 1, 1);
    h->rest = xcalloc(most * dims + 1, sizeof *h->rest);
    h->center = xcalloc(2 * dims + 1, sizeof *h->center);
    h->work = xcalloc(2 * most + dims + 1, sizeof *h->work);
}

void halve_free(struct halve *h)
{
    free(h->upper);
    free(h->rest);
    free(h->center);
    free(h->work);
    memset(h, 0, sizeof *h);
}

static void take_rests(struct halve *h)
{
    float clip = (float)(clip_noise * h->noise);

    for (size_t d = 0; d < h->dims; d++) {
        float middle;

        for (size_t i = 0; i < h->n; i++)
            h->work[i] = (double)h->row[h->point[i] * h->stride + d];
        middle = (float)split_median(h->work, h->n);
        for (size_t i = 0; i < h->n; i++)
            h->rest[i * h->dims + d] =
                fmaxf(-clip, fminf(clip, h->row[h->point[i] * h->stride + d] - middle));
    }
}

static double dot(const float *a, const float *b, size_t n)
{
    double sum = 0;

    for (size_t d = 0; d < n; d++)
        sum += (double)(a[d] * b[d]);
    return sum;
}

/* The point farthest out is where the axis starts. */
static void find_axis(struct halve *h, float *axis)
{
    double far = -1;

    for (size_t i = 0; i < h->n; i++) {
        const float *r = h->rest + i * h->dims;
        double length = dot(r, r, h->dims);

        if (length > far) {
            far = length;
            memcpy(axis, r, h->dims * sizeof *axis);
        }
    }
    for (int round = 0; round < POWER; round++) {
        double *sum = h->work, length = 0;

        memset(sum, 0, h->dims * sizeof *sum);
        for (size_t i = 0; i < h->n; i++) {
            double along = dot(h->rest + i * h->dims, axis, h->dims);

            for (size_t d = 0; d < h->dims; d++)
                sum[d] += along * (double)h->rest[i * h->dims + d];
        }
        for (size_t d = 0; d < h->dims; d++)
            length += sum[d] * sum[d];
        for (size_t d = 0; d < h->dims && length > 0; d++)
            axis[d] = (float)(sum[d] / sqrt(length));
    }
}

static void split_along(struct halve *h, const float *axis)
{
    double *along = h->work, *sorted = h->work + h->n;
    struct split sp;

    for (size_t i = 0; i < h->n; i++)
        sorted[i] = along[i] = dot(h->rest + i * h->dims, axis, h->dims);
    qsort(sorted, h->n, sizeof *sorted, split_order);
    split_variance(sorted, h->n, &sp);
    for (size_t i = 0; i < h->n; i++)
        h->upper[i] = along[i] > (sorted[sp.below - 1] + sorted[sp.below]) / 2;
}

static void find_centers(struct halve *h, size_t count[2])
{
    memset(h->center, 0, 2 * h->dims * sizeof *h->center);
    count[0] = count[1] = 0;
    for (size_t i = 0; i < h->n; i++)
        count[h->upper[i] != 0]++;
    for (size_t i = 0; i < h->n; i++) {
        float *center = h->center + (h->upper[i] ? h->dims : 0);

        for (size_t d = 0; d < h->dims; d++)
            center[d] += h->rest[i * h->dims + d] / (float)count[h->upper[i] != 0];
    }
}

/* Root mean square distance. */
static double distance(const float *a, const float *b, size_t dims)
{
    double sum = 0;

    for (size_t d = 0; d < dims; d++)
        sum += (double)((a[d] - b[d]) * (a[d] - b[d]));
    return sqrt(sum / (double)dims);
}

static void move_points(struct halve *h)
{
    for (size_t i = 0; i < h->n; i++) {
        const float *r = h->rest + i * h->dims;

        h->upper[i] = distance(r, h->center, h->dims) > distance(r, h->center + h->dims, h->dims);
    }
}

static int judge(const struct halve *h, const size_t count[2])
{
    double apart = distance(h->center, h->center + h->dims, h->dims);
    double few = h->noise * h->noise * (1 / (double)count[0] + 1 / (double)count[1]);
    size_t near = 0;

    if (sqrt(fmax(apart * apart - few, 0)) <
        h->noise * fmax(HALVE_APART / sqrt((double)h->dims), HALVE_SIZE))
        return 0;
    for (size_t i = 0; i < h->n; i++) {
        const float *r = h->rest + i * h->dims;
        int up = h->upper[i] != 0;
        double own = distance(r, h->center + (up ? h->dims : 0), h->dims);
        double other = distance(r, h->center + (up ? 0 : h->dims), h->dims);

        near += halve_margin(own, count[up], other, count[!up], apart, h->noise) < HALVE_MARGIN;
    }
    return near * 50 <= h->n;
}

int halve_run(struct halve *h)
{
    size_t count[2];

    if (h->n < LEAST || !(h->noise > 0))
        return 0;
    take_rests(h);
    find_axis(h, h->center);
    split_along(h, h->center);
    for (int round = 0; round < ROUNDS; round++) {
        find_centers(h, count);
        if (count[0] < 2 || count[1] < 2)
            return 0;
        if (round + 1 < ROUNDS)
            move_points(h);
    }
    return judge(h, count);
}

double halve_margin(double own, size_t k, double other, size_t m, double apart, double noise)
{
    double left = (double)k / (double)(k - 1), n2 = noise * noise;
    double d2 = apart * apart - n2 * (1 / (double)k + 1 / (double)m);

    if (d2 <= 0)
        return 0;
    return (other * other - n2 / (double)m - own * own * left * left + n2 / (double)(k - 1)) / d2;
}
