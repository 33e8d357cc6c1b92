/* A threshold between hits and misses from controls of both kinds. */
#include "controls.h"

#include <math.h>

/* How many of a sorted sample are <= v. */
static size_t up_to(const double *x, size_t n, double v)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (x[mid] <= v)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Every hit is a candidate: the threshold then lies between it and the next larger control. */
int controls_split(const double *hit, size_t nhit, const double *miss, size_t nmiss,
                   struct controls *c)
{
    double best = INFINITY, widest = 0;

    *c = (struct controls){.threshold = NAN, .nhit = nhit, .nmiss = nmiss};
    if (nhit < CONTROLS_LEAST || nmiss < CONTROLS_LEAST)
        return -1;
    for (size_t i = 0; i < nhit; i++) {
        size_t fast = up_to(miss, nmiss, hit[i]), slow = nhit - up_to(hit, nhit, hit[i]);
        double next = INFINITY, wrong;

        if (fast < nmiss)
            next = miss[fast];
        if (slow > 0)
            next = fmin(next, hit[nhit - slow]);
        wrong = (double)slow / (double)nhit + (double)fast / (double)nmiss;
        if (!isfinite(next) || wrong > best || (wrong == best && next - hit[i] <= widest))
            continue;
        best = wrong;
        widest = next - hit[i];
        c->threshold = (hit[i] + next) / 2;
        c->slow = slow;
        c->fast = fast;
    }
    if ((double)c->slow > CONTROLS_WRONG * (double)nhit ||
        (double)c->fast > CONTROLS_WRONG * (double)nmiss || !isfinite(c->threshold))
        return -1;
    return 0;
}

int controls_of(struct values *hit, struct values *miss, struct controls *c)
{
    int rc;

    values_sort(hit);
    values_sort(miss);
    rc = controls_split(hit->v, hit->n, miss->v, miss->n, c);
    values_free(hit);
    values_free(miss);
    return rc;
}
