/* Whether L1 keeps a line that L2 has lost, from rows of the experiment inclusion. */
#ifndef L2_INCLUSION_H
#define L2_INCLUSION_H

#include "../share/lib/out.h"
#include "../share/lib/tsv.h"
#include "values.h"

enum inclusion_case {
    INCLUSION_NONE,
    INCLUSION_OWN,
    INCLUSION_OTHER,
    INCLUSION_DISCARD,
    INCLUSION_DISCARD_OTHER,
    INCLUSION_CASES
};
/* Cycles of the last load, by case and by operator: ca, cg. */
struct inclusion {
    struct values cycles[INCLUSION_CASES][2];
    size_t n;
};

enum inclusion_answer { INCLUSION_YES, INCLUSION_NO, INCLUSION_OPEN };

struct inclusion_verdict {
    enum inclusion_answer answer;
    size_t hits, n;     /* loads by ca that hit L1 after L2 lost the line */
    size_t gone, ncg;   /* loads by cg that found the line gone from L2 */
    size_t kept, nkept; /* controls: loads by ca that hit L1 although another line was evicted */
    double l1, l2;      /* thresholds in cycles; nan when the controls do not part */
    const char *why;    /* not decided because, or NULL */
};

/* Adds the row; column[] are case, op and cycles. Exits when a word is not known. */
void xinclusion_add(struct inclusion *i, const struct tsv *t, const size_t *column);
/* By eviction (what INCLUSION_OWN) or by discard (INCLUSION_DISCARD). Thresholds come from the controls; 95 % must agree. A
 * discard may empty L1 itself: then it decides nothing. */
struct inclusion_verdict inclusion_judge(const struct inclusion *i, enum inclusion_case what);
/* The findings l1_inclusive, a row a method; nothing when there are no rows. */
void inclusion_put(struct out *o, struct inclusion *i);
void inclusion_free(struct inclusion *i);

#endif
