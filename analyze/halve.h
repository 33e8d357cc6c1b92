/* Whether points of many dimensions fall into two groups by more than their noise. Pure.
 *
 * In d dimensions the distances of noisy points from a centre are all nearly the same, so that two groups that lie no
 * farther apart than the noise of one value have nearly the same distances, and are still told apart by the place along the
 * line between their centres: there the noise is noise / (apart sqrt(d)) of the way. The line is sought along the first
 * principal axis (Ding and He, "K-means clustering via principal component analysis", ICML 2004), refined by Lloyd's
 * iteration; a point is never part of the centre that it is compared with. */
#ifndef L2_HALVE_H
#define L2_HALVE_H

#include <stddef.h>
#include <stdint.h>

#define HALVE_APART 7 /* least distance of two centres, in noise / sqrt(dims) */
#define HALVE_SIZE                                                                                 \
    0.7 /* and in noise: what is nearer need not be a place, but how it was measured */
#define HALVE_MARGIN 0.25 /* least margin but for one point in 50; see halve_margin */

struct halve {
    /* In. */
    size_t n, dims, stride; /* points; values of a point; from point to point in row */
    const float *row;
    const uint32_t *point; /* which rows */
    double noise;          /* standard deviation of a value */

    /* Out: n of them, made by halve_alloc for the most points. */
    char *upper; /* of each point: which of the two groups */

    /* Workspace. */
    float *rest, *center;
    double *work;
};

void halve_alloc(struct halve *h, size_t most, size_t dims);
void halve_free(struct halve *h);
/* 1 and upper[], or 0 when the points are one group as far as can be told. */
int halve_run(struct halve *h);
/* How much nearer a point is to its own centre (of k points, itself among them; k > 1) than to another (of m points): the
 * difference of the squared distances as a share of the centres' own, all freed from the noise of the centres. 1 on
 * average, 0 half way. Distances are root mean squares over the dimensions; 0 when the centres are no farther apart than noise. */
double halve_margin(double own, size_t k, double other, size_t m, double apart, double noise);

#endif
