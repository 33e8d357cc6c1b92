/* What l2stat says about one group, and why its values spread. */
#ifndef L2_SUMMARY_H
#define L2_SUMMARY_H

#include "dist.h"

/* Why the middle 90 % of the values are wide. */
enum reason {
    REASON_NONE, /* they are not */
    REASON_MODES,
    REASON_TURNS, /* modes that follow one another in time */
    REASON_TAIL,
    REASON_DRIFT,
    REASON_WIDE,
    REASON_COUNT
};

struct summary {
    uint64_t n;
    double min, q05, q25, median, q75, q95, max, mean, sd, mad, ci_lo, ci_hi;
    double spread; /* (q95 - q05) / |median|; 0 if the median is 0 */
    enum reason why;
};

/* A spread above this needs a reason. */
#define SPREAD_LIMIT 0.3

/* `shift` is how far the mean moved in time (trend_shift), `confidence` that of ci_lo..ci_hi (NaN if too few samples). */
void summarize(const struct dist *d, double shift, double confidence, struct summary *s);
/* What to tell people, and what they can do. */
struct reason_text {
    const char *what, *hint;
};

extern const struct reason_text reason_text[REASON_COUNT];

/* Rules for outliers. A rule gives the interval of the values that it keeps. */
struct outlier_rule {
    const char *name;
    const char *summary;
    double factor; /* default */
    void (*limits)(const struct dist *d, double factor, double *lo, double *hi);
};

extern const struct outlier_rule outlier_rules[]; /* ends with name NULL */

#endif
