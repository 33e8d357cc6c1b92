/* Bins of weighted values. */
#include "plot_bins.h"

#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>

double plot_bins_quantile(const struct series *s, double p)
{
    double total = 0, below = 0;

    for (size_t i = 0; i < s->n; i++)
        total += s->point[i].n;
    for (size_t i = 0; i < s->n; i++) {
        below += s->point[i].n;
        if (below >= p * total)
            return s->point[i].x;
    }
    return s->point[s->n - 1].x;
}

static bool all_whole(const struct series *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->point[i].x != floor(s->point[i].x))
            return false;
    return true;
}

struct plot_bins plot_bins_make(const struct series *s, double lo, double hi, size_t most)
{
    bool whole = all_whole(s);
    struct plot_bins b = {.lo = whole ? lo - 0.5 : lo};
    double total = 0;

    b.width = (hi - b.lo) / (double)most;
    if (whole)
        b.width = fmax(1, ceil(b.width));
    if (!(b.width > 0))
        b.width = fmax(fabs(lo) * 1e-3, 1e-9);
    b.n = (size_t)fmin((double)most, ceil((hi - b.lo) / b.width + 1e-9)) + 1;
    b.share = xcalloc(b.n, sizeof *b.share);
    for (size_t i = 0; i < s->n; i++) {
        double bin = floor((s->point[i].x - b.lo) / b.width);

        total += s->point[i].n;
        if (bin >= 0 && bin < (double)b.n)
            b.share[(size_t)bin] += s->point[i].n;
        else
            b.beyond += s->point[i].n;
    }
    for (size_t i = 0; i < b.n; i++)
        b.share[i] /= total;
    b.beyond /= total;
    return b;
}

void plot_bins_free(struct plot_bins *b)
{
    free(b->share);
}
