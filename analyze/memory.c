/* Two memory levels by their bodies; see memory.h. */
#include "memory.h"

#include <math.h>

enum { WINDOW = 16 };

static double counts(const double *hist, size_t from, size_t to)
{
    double sum = 0;

    for (size_t b = from; b < to; b++)
        sum += hist[b];
    return sum;
}

/* Where the body beyond the cut ends: counts of WINDOW bins below a tenth of their most. */
static size_t body_end(const double *hist, size_t cut, size_t nbin)
{
    double most = 0;

    for (size_t b = cut; b + WINDOW <= nbin; b++) {
        double sum = counts(hist, b, b + WINDOW);

        most = fmax(most, sum);
        if (most > 0 && sum < 0.1 * most)
            return b + WINDOW / 2;
    }
    return nbin;
}

int memory_fit(const double *hist, size_t nsize, size_t nbin, const struct mixture *m, size_t level,
               struct memory *y)
{
    double under = 0, tail = 0, gain = 0, runs = 0, most = 0;
    size_t best = 0;

    *y = (struct memory){m->nlevel, 0, 0, nbin, 0, 1};
    if (level + 2 != m->nlevel)
        return -1;
    y->from = m->cut[level];
    y->cut = m->cut[level + 1];
    for (size_t s = 0; s < nsize; s++)
        if (m->share[s * m->nlevel + level + 1] > most) {
            most = m->share[s * m->nlevel + level + 1];
            best = s;
        }
    if (most < 0.3)
        return -1;
    y->to = body_end(hist + best * nbin, y->cut, nbin);
    for (size_t s = 0; s < nsize; s++) {
        const double *share = &m->share[s * m->nlevel];

        if (share[level] < 0.1 || share[level + 1] > 0.02)
            continue;
        under += counts(hist + s * nbin, y->cut, y->to);
        tail += counts(hist + s * nbin, y->cut, nbin);
    }
    y->u = tail > 0 ? under / tail : 0;
    for (size_t s = 0; s < nsize; s++) {
        const double *share = &m->share[s * m->nlevel], *h = hist + s * nbin;
        double all = counts(h, y->from, nbin), own = counts(h, y->from, y->cut), x;

        if (share[level] < 0.2 || share[level + 1] < 0.3)
            continue;
        x = all * share[level] / (share[level] + share[level + 1]);
        gain += (counts(h, y->cut, y->to) - (x - own) * y->u) * x / ((all - x) * own);
        runs++;
    }
    if (runs == 0)
        return -1;
    y->g = gain / runs;
    y->level = level;
    return 0;
}

void memory_share(const struct memory *y, const double *hist, size_t nbin, double *share)
{
    double all = counts(hist, y->from, nbin), own = counts(hist, y->from, y->cut),
           other = counts(hist, y->cut, y->to), both, b, root, x;

    if (y->g <= 0 || all <= 0)
        return;
    b = y->u * own + other + y->g * own;
    root = b * b - 4 * y->u * y->g * all * own;
    x = b <= 0 ? 0 : 2 * y->g * all * own / (b + sqrt(fmax(0, root)));
    x = fmin(1, x / all);
    both = share[y->level] + share[y->level + 1];
    share[y->level] = both * x;
    share[y->level + 1] = both * (1 - x);
}
