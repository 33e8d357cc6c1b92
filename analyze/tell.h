/* Sequences that tell two policies apart, in the language that `replace` reads. Pure. */
#ifndef L2_TELL_H
#define L2_TELL_H

#include <stddef.h>

#include "../share/lib/policy.h"

/* What a sequence runs on: sets of `ways`, of which `lines` lines are known, after the loads of a reset
 * (policy_reset_loads); at most TELL_LINES. */
#define TELL_LINES 64
struct tell_bed {
    unsigned ways, lines;
};

/* Writes a sequence to text. Of two deterministic policies its answers differ whatever the set held before (of the
 * histories tried); of others the number of reported hits differs, by *deviations standard deviations a run. 0, or -1 when
 * none of many does: the policies then behave alike on full sets. */
int tell_apart(const struct policy *p, const struct policy *q, const struct tell_bed *bed,
               char *text, size_t size, double *deviations);

#endif
