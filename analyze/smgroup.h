/* Groups of SMs that sit together: what one sees, the others see. Pure. */
#ifndef L2_SMGROUP_H
#define L2_SMGROUP_H

#include <stddef.h>
#include <stdint.h>

/* Groups of sms SMs from their latencies to each line (lines x sms, a line's values side by side), each less the SM's own
 * mean: single linkage (Gower and Ross, "Minimum spanning trees and single linkage cluster analysis", 1969), cut below the
 * first edge that is 1.4 times as long as the one before, of those beyond the shorter half. group[sms] gets numbers from 0
 * in the order of the SMs. How many groups there are; 0 when no edge stands out. Time sms^2 x lines. */
size_t smgroup(const float *cycles, size_t lines, size_t sms, uint32_t *group);

#endif
