/* Who has to leave a full set when some of its lines were stored to. */
#ifndef L2_VICTIM_H
#define L2_VICTIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of `ways` lines, 0 the oldest; `stored` of them were stored to, the oldest ones or the youngest. Another line came
 * in; then line `line` was there or not. */
struct victim_probe {
    uint64_t ways, stored, line;
    bool young, lost;
};

/* The oldest line; the oldest clean one; dirty ones before any other, so that none stays for long. */
enum victim_rule { VICTIM_OLDEST, VICTIM_CLEAN, VICTIM_DIRTY };

struct victim_fit {
    enum victim_rule rule;
    bool
        evicted; /* a dirty line beyond the limit left the set at once; else it was only written back */
    uint64_t limit;     /* dirty lines that a set keeps; 0: these probes do not tell */
    size_t n, wrong;    /* probes, those that contradict */
    size_t other_wrong; /* the best of the other rules */
};

/* Counts contradictions of every rule with every limit up to the ways. Of the stored lines the last `limit` are dirty.
 * -1 when more than 5 % contradict the best rule, or another rule does as well. */
int victim_fit(const struct victim_probe *p, size_t n, struct victim_fit *f);

#endif
