/* Capacities from a cycle walked backwards (l2collect latency order=back). Pure: no I/O.
 *
 * Right after a walk forwards, the walk back meets first what was met last. So under LRU, and under whatever keeps the last W lines
 * of a set of W ways, it hits exactly the lines that are in the cache: of n lines n up to the capacity C, then C, however
 * unevenly sets fill and whatever W is. The whole walk takes n y = T n + r max(0, n - C) cycles, a line with a bend at C, and
 * another bend at a second level. Near C some sets are full and others not; away from it both lines are exact. */
#ifndef L2_COUNT_H
#define L2_COUNT_H

#include <stddef.h>

#include "knee.h"

/* Gives the rises of `fit`, knees of the cycle walked forwards, the capacities at which the lines of x y bend: where those
 * through the points before and after the rise meet (least squares, 3 points at least). y is the mean of a hop backwards, x
 * the working set, increasing. nan where the points between lie far above both lines: the rise is two, or much of the
 * cache is still empty when other parts are full. A capacity stays what it is at an edge, of a fall, of the laws random and
 * reach, and where its standard error is above 1.5 %: the cache then keeps other lines than the last ones. */
void count_capacities(const double *x, const double *y, size_t n, struct knee_fit *fit);

#endif
