/* Groups of lines whose fingerprints are the same but for noise. A fingerprint is the latency of a line from each SM; lines
 * of one place in the cache share it. Pure.
 *
 * Distances are root mean squares over the dimensions, each difference cut off at a multiple of the noise, so that a wild
 * reading of one SM counts little. Lines are compared with the centres of the groups, never all with all: the time grows
 * with lines x groups x dims (leader clustering, Hartigan, "Clustering Algorithms", 1975, ch. 3, refined by Lloyd's
 * iteration). The threshold is searched from the noise upwards, and the first one wins that has lines nearer to their own
 * centre than to any other by a gap; a finer or a coarser one splits or joins groups. Then values are scaled to the same noise
 * for every SM, and groups that fall into two are halved (halve.h): places may lie as near as the noise of one value. The
 * result stands when nearly every line is nearer to its own centre than to the next by a margin. */
#ifndef L2_CLUSTER_H
#define L2_CLUSTER_H

#include <stddef.h>
#include <stdint.h>

#define CLUSTER_NONE 0xffffffffu
#define CLUSTER_MOST 4096 /* groups */
#define CLUSTER_GAP  1.5  /* times as far must other centres be as the own one */

struct cluster {
    /* In. */
    size_t lines, dims;
    const float *x; /* lines x dims, a line's values side by side */

    /* Out. */
    size_t n;        /* groups; 0: none that a gap supports */
    uint32_t *label; /* of each line, 0 .. n - 1, or CLUSTER_NONE where it is not clear */
    int pure;    /* whether a group holds nothing but noise; else its lines are of several places */
    int fine;    /* whether half of the lines or more are in such groups */
    size_t wide; /* groups that are wider than noise */
    size_t unclear;   /* lines without a label */
    size_t *size;     /* lines of each group */
    double noise;     /* root mean square of a value around its centre */
    double threshold; /* distance to a centre below which a line belongs to it */
    double
        same; /* largest distance of a line to its own centre (the line itself not in it), but for 0.5 % */
    double
        different; /* smallest distance of a line to another centre of more than one line, but for 0.5 % */

    double least_margin; /* of the lines but for 0.5 %, see halve_margin */

    /* Workspace. */
    size_t stride; /* dims, rounded up */
    float *row, *center, *own, *other, clip;
    uint32_t *next; /* the other centre */
    double *margin;
};

/* Makes room for lines x dims values; x may be set later. Everything is freed by cluster_free. */
void cluster_alloc(struct cluster *c, size_t lines, size_t dims);
void cluster_free(struct cluster *c);
/* 0; or -1 when no threshold separates groups: then n is 0, and same and different are those of the best one tried. (One
 * group alone is no result: lines that are all different by as much look the same.) */
int cluster_run(struct cluster *c);
/* How many groups the lines measured may have missed (Chao, "Nonparametric estimation of the number of classes in a
 * population", 1984): from the groups of one and of two lines. */
double cluster_missed(const size_t *size, size_t n);

#endif
