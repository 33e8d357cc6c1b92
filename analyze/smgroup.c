/* A minimum spanning tree of SMs by how alike their latencies are, cut where its edges become long. */
#include "smgroup.h"

#include <math.h>
#include <stdlib.h>

#include "../share/lib/mem.h"

static const double long_edge = 1.4;

struct edge {
    double length;
    size_t a, b;
};

static int by_length(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;

    return (a->length > b->length) - (a->length < b->length);
}

/* Variance over the lines of the difference between two SMs. */
static double unlike(const float *cycles, size_t lines, size_t sms, size_t a, size_t b)
{
    double mean = 0, sum = 0;

    for (size_t i = 0; i < lines; i++)
        mean += (double)(cycles[i * sms + a] - cycles[i * sms + b]) / (double)lines;
    for (size_t i = 0; i < lines; i++) {
        double d = (double)(cycles[i * sms + a] - cycles[i * sms + b]) - mean;

        sum += d * d;
    }
    return sum / (double)lines;
}

/* Prim's algorithm: sms - 1 edges. */
static void span(const float *cycles, size_t lines, size_t sms, struct edge *edge)
{
    double *near = xmalloc(sms * sizeof *near);
    size_t *to = xcalloc(sms, sizeof *to);
    char *done = xcalloc(sms, 1);

    for (size_t k = 0; k < sms; k++)
        near[k] = INFINITY;
    for (size_t n = 0, at = 0; n + 1 < sms; n++) {
        size_t best = 0;

        done[at] = 1;
        for (size_t k = 0; k < sms; k++) {
            double d;

            if (done[k])
                continue;
            d = unlike(cycles, lines, sms, at, k);
            if (d < near[k]) {
                near[k] = d;
                to[k] = at;
            }
            if (done[best] || near[k] < near[best])
                best = k;
        }
        edge[n] = (struct edge){sqrt(near[best]), best, to[best]};
        at = best;
    }
    free(near);
    free(to);
    free(done);
}

/* Joins the ends of the first n edges, and numbers what belongs together. */
static size_t number(const struct edge *edge, size_t n, size_t sms, uint32_t *group)
{
    size_t *name = xmalloc(sms * sizeof *name), groups = 0;

    for (size_t k = 0; k < sms; k++)
        name[k] = k;
    for (size_t i = 0; i < n; i++) {
        size_t from = name[edge[i].a], to = name[edge[i].b];

        for (size_t k = 0; k < sms; k++)
            if (name[k] == from)
                name[k] = to;
    }
    for (size_t k = 0; k < sms; k++) {
        size_t first = 0;

        while (name[first] != name[k])
            first++;
        group[k] = first == k ? (uint32_t)groups++ : group[first];
    }
    free(name);
    return groups;
}

size_t smgroup(const float *cycles, size_t lines, size_t sms, uint32_t *group)
{
    struct edge *edge = xmalloc((sms + 1) * sizeof *edge);
    size_t groups = 0;

    if (sms > 3 && lines > 0) {
        span(cycles, lines, sms, edge);
        qsort(edge, sms - 1, sizeof *edge, by_length);
        for (size_t n = sms / 2; n < sms - 1 && groups == 0; n++)
            if (edge[n].length > long_edge * edge[n - 1].length)
                groups = number(edge, n, sms, group);
    }
    free(edge);
    return groups;
}
