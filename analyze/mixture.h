/* Levels of a memory hierarchy from latency histograms taken at many working-set sizes: a mixture whose components keep
 * their shape while their shares move with the size. Pure: arrays in, arrays out.
 *
 * Method. (1) The histograms, one a size and normalised, are averaged and smoothed; the range is cut at the valleys.
 * (2) Two neighbouring pieces belong to one level when the ratio of their shares is the same at every size: a shape cannot
 * change with the size, so a ratio that does proves two levels. (3) The tail that a level sends beyond its cut is the
 * least ratio of the next piece to it over all sizes (where the next level is absent), the "anchor" of separable mixtures
 * (Arora, Ge, Moitra, "Learning topic models - going beyond SVD", 2012, section 1); shares are corrected by it. A piece
 * that non-negative least squares explains wholly by small parts of the levels below it is a tail, and no level. */
#ifndef L2_MIXTURE_H
#define L2_MIXTURE_H

#include <stddef.h>

#define MIXTURE_MAX 8 /* levels at most */

struct mixture_options {
    double
        valley; /* a cut's density is at most this part of the lower of the peaks beside it (0.7) */
    double ratio;     /* pieces whose share ratio moves by less than this are one level (0.15) */
    double least;     /* a level has at least this share of the accesses at some size (0.02) */
    double most_tail; /* a tail is at most this part of its level (0.25) */
};

struct mixture {
    size_t nlevel;
    size_t cut[MIXTURE_MAX + 1]; /* level k is the bins cut[k] .. cut[k + 1] - 1 */
    double tail[MIXTURE_MAX];    /* part of level k's accesses that falls into level k + 1's bins */
    double *share;               /* nsize x nlevel, each row sums to 1 */
    double *shape; /* nlevel x nbin, each row sums to 1: the level's distribution within its cuts */
};

extern const struct mixture_options mixture_defaults;

/* hist: nsize x nbin counts (>= 0), each row with at least one count. Returns 0, or -1 when nothing is there to split
 * (no bin, no size, an empty row). Free with mixture_free. */
int mixture_fit(const double *hist, size_t nsize, size_t nbin, const struct mixture_options *o,
                struct mixture *m);
void mixture_free(struct mixture *m);

/* The shares of m's levels in another histogram (nbin counts as in mixture_fit, not all 0): its parts between the cuts,
 * corrected by the tails. share[] has room for m->nlevel. */
void mixture_share(const struct mixture *m, const double *hist, double *share);

/* The q-quantile of a distribution over bins (shape sums to 1), linear within a bin. */
double mixture_quantile(const double *shape, size_t nbin, double q);

#endif
