/* Ways and sets from three kinds of evidence: tipping indices, survival curves, stride scans. Pure. */
#ifndef L2_ASSOC_H
#define L2_ASSOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An estimate with its 95 % interval. */
struct estimate {
    double value, lo, hi;
};

/* Sets from first tipping indices. In a pool of `positions` lines in random order over S sets, the W-th of the m lines of
 * the target's set has a mean position of W (positions + 1) / (m + 1) (order statistics of draws without replacement; for a
 * large pool a Gamma law with W events, mean W S, relative deviation 1 / sqrt(W)). m is positions / S where the index
 * spreads lines evenly; where at random, the mean over sets is that of m + 1 = positions / S. The value lies halfway, the
 * interval holds both. It is Student's for the mean of k independent indices. When a share `lost` of the searches failed,
 * it is wider by what these would do if their indices were a standard deviation off.
 * spread: the measured relative deviation. 0, or -1 with k below three. */
int sets_from_tips(const double *first, size_t n, size_t k, double positions, double ways,
                   double lost, struct estimate *sets, double *spread);
/* How many different ones there are: targets of one set share their index in the same pool. first[] is sorted. */
size_t tips_different(double *first, size_t n);

/* Sets from coincidences: of `all` pairs of random targets, `pairs` lay in one set: S = all / pairs, with the exact Poisson
 * interval of the pairs (Garwood 1936). Without a pair only lo is finite. */
void sets_from_pairs(double all, size_t pairs, struct estimate *sets);

/* One point of a survival curve: of `trials` lines, `hits` still hit after n other lines. */
struct survival {
    double n, hits, trials;
};

enum survival_law {
    SURVIVAL_LRU, /* gone with the W-th other line of the set: hypergeometric in a finite pool, Poisson in a large one */
    SURVIVAL_RANDOM /* each other line takes it with the same chance: exp(-n / capacity);
                     * a cache of one way has the same curve */
};

struct survival_fit {
    enum survival_law law;
    struct estimate ways,
        sets;         /* LRU; of SURVIVAL_RANDOM only sets.value = capacity in lines, ways 1 */
    double log_ratio; /* log likelihood of this law less that of the other */
};

/* Most likely law and parameters, ways 1 to 64, by profile likelihood. 0; -1 when the curve does not fall from above 0.9 to
 * below 0.1, which needs smaller or larger n. */
int survival_fit(const struct survival *s, size_t n, double positions, struct survival_fit *f);
/* P(hit) under the LRU law. */
double survival_lru(double n, double positions, double sets, double ways);

/* One point of a stride scan: the share of accesses that miss when `lines` lines lie `stride` bytes apart. */
struct stride_point {
    double stride, lines, miss;
};

struct stride_fit {
    bool spike;           /* some stride holds far fewer lines than the first */
    double widest;        /* the largest stride that was tried with more than `most_ways` lines */
    double stride, lines; /* least stride of the deepest spike; most lines there that all hit */
    double
        nset; /* sets that those lines lie in: one over the share that misses with one line more */
    double ways, sets; /* lines / nset, and stride / line x nset */
};

/* points sorted by stride, then lines. -1 when no stride has a point without misses. */
int stride_fit(const struct stride_point *p, size_t n, double line, struct stride_fit *f);

#endif
