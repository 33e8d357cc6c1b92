/* Knee against stride: where the rise of a chase is in its middle, and the law that all strides together follow. */
#include "pitch.h"

#include <gsl/gsl_cdf.h>

#include <math.h>

enum { ROUNDS = 20 };
#define LEAST_RISE 1.08

/* The mean at so many nodes, between the two points around it. */
static double at(const struct pitch_point *p, size_t n, double nodes)
{
    size_t k = 1;
    double part;

    while (k + 1 < n && p[k].nodes < nodes)
        k++;
    part = log(nodes / p[k - 1].nodes) / log(p[k].nodes / p[k - 1].nodes);
    part = fmax(0, fmin(1, part));
    return p[k - 1].cycles + part * (p[k].cycles - p[k - 1].cycles);
}

static double cross(const struct pitch_point *p, size_t n, double level)
{
    size_t k = 1;

    while (k < n && !(p[k - 1].cycles <= level && p[k].cycles > level))
        k++;
    if (k == n)
        return NAN;
    return p[k - 1].nodes * pow(p[k].nodes / p[k - 1].nodes,
                                (level - p[k - 1].cycles) / (p[k].cycles - p[k - 1].cycles));
}

int pitch_middle(const struct pitch_point *p, size_t n, struct pitch_fill *f)
{
    double base, top = 0, x, last = 0;
    size_t few;

    if (n < 4)
        return -1;
    base = p[0].cycles;
    for (size_t i = 0; i < n; i++)
        top = fmax(top, p[i].cycles);
    x = cross(p, n, (base + top) / 2);
    for (int i = 0; i < ROUNDS && x != last && !isnan(x); i++) {
        last = x;
        base = 0;
        few = 0;
        for (size_t k = 0; k < n && (few == 0 || p[k].nodes <= x / 4); k++, few++)
            base += (p[k].cycles - base) / (double)(few + 1);
        top = at(p, n, PITCH_PLATEAU * x);
        x = cross(p, n, (base + top) / 2);
    }
    if (isnan(x) || !(top > LEAST_RISE * base) || p[n - 1].nodes < 0.95 * PITCH_PLATEAU * x)
        return -1;
    f->nodes = x;
    f->width = log(cross(p, n, base + 0.8 * (top - base)) / cross(p, n, base + 0.2 * (top - base)));
    return isfinite(f->width) ? 0 : -1;
}

/* The law with the line between strides below - 1 and below; the sum of squares, infinite when it does not lie there. */
static double try_at(const struct pitch_fill *f, size_t n, size_t below, double *line)
{
    double bytes = 0, nodes = 0, sum = 0, ends = 1 + 2 * PITCH_SPREAD;

    for (size_t i = 0; i < n; i++)
        if (i < below)
            bytes += log(f[i].nodes * f[i].stride) / (double)below;
        else
            nodes += log(f[i].nodes) / (double)(n - below);
    *line = exp(bytes - nodes);
    for (size_t i = 0; i < n; i++)
        sum += pow(i < below ? log(f[i].nodes * f[i].stride) - bytes : log(f[i].nodes) - nodes, 2);
    /* A line at the first or the last stride is none: there is nothing to tell it from all bytes, or all nodes, alike. */
    if ((below == 1 && *line < f[0].stride * ends) ||
        (below == n - 1 && *line * ends > f[n - 1].stride))
        return INFINITY;
    return f[below - 1].stride > *line * ends || f[below].stride * ends < *line ? INFINITY : sum;
}

int pitch_line(const struct pitch_fill *f, size_t n, struct pitch_fit *fit)
{
    double best = INFINITY, width = 0, half;

    *fit = (struct pitch_fit){.spread = INFINITY};
    for (size_t below = 1; n >= 4 && below < n; below++) {
        double line, sum = try_at(f, n, below, &line);

        if (sum < best) {
            best = sum;
            *fit = (struct pitch_fit){.line = line, .below = below, .above = n - below};
        }
    }
    if (!isfinite(best))
        return -1;
    fit->spread = sqrt(best / (double)(n - 2));
    for (size_t i = 0; i < n; i++)
        width += f[i].width / (double)n;
    half = gsl_cdf_tdist_Pinv(0.975, (double)(n - 2)) * fmax(fit->spread, PITCH_LEAST) *
               sqrt(1 / (double)fit->below + 1 / (double)fit->above) +
           width / 8;
    fit->lo = fit->line * exp(-half);
    fit->hi = fit->line * exp(half);
    return fit->spread > PITCH_SPREAD ? -1 : 0;
}
