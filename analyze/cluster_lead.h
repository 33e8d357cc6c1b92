/* The steps that cluster.c puts together. Pure; for it alone. */
#ifndef L2_CLUSTER_LEAD_H
#define L2_CLUSTER_LEAD_H

#include "cluster.h"

enum { CLUSTER_CHECK = 16 /* stride is a multiple of it */, CLUSTER_SAMPLE = 2048 };

const float *cluster_row(const struct cluster *c, size_t line);
/* Sum of n clipped squares, a multiple of CLUSTER_CHECK, given up once it is past `stop`. */
float cluster_squares(const float *a, const float *b, size_t n, float clip, float stop);
/* Noise of one value: the distance of nearest neighbours, who share a place if the lines are many, is sqrt(2) of it. */
double cluster_noise(const struct cluster *c);
/* Groups of the first lines by a threshold, refined; -1 when there are more than half as many as lines. */
int cluster_lead(struct cluster *c, size_t lines, double threshold);
/* Assigns every line to its nearest centre; own, other and next are of it and of the next. */
void cluster_assign(struct cluster *c, size_t lines);
/* Centres become the means of their lines; groups without lines go. */
void cluster_recenter(struct cluster *c, size_t lines);
/* Joins groups whose centres are closer, squared, than lines of one place and `spare` allow; whether it did. */
int cluster_join(struct cluster *c, double spare);
/* The two distances that the gap lies between: same and different. */
void cluster_gap(struct cluster *c, size_t lines);

#endif
