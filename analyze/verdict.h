/* From findings to a verdict: what all methods together say of each parameter. Pure: no I/O.
 *
 * Two methods agree when their intervals, widened from 95 to 99.7 %, overlap, or when their values differ by no more than the parameter's share in
 * verdict_rules[]; words and lists agree when they are equal. A method whose interval spans more than a factor of 2, or is
 * not finite, is weak: it may contradict, but it supports nobody. A method that leaves a few words ("lru or fifo") supports
 * each of them and contradicts all others. The value printed is that of the method with the
 * narrowest interval; where methods contradict each other, each different value is given, never a mean. */
#ifndef L2_VERDICT_H
#define L2_VERDICT_H

#include <stddef.h>
#include <stdint.h>

#include "findings.h"

enum verdict_word {
    VERDICT_AGREE,    /* two methods or more, none contradicts */
    VERDICT_SINGLE,   /* one method */
    VERDICT_DISAGREE, /* methods contradict */
    VERDICT_OPEN,     /* measured, and the methods themselves say that it is not decided */
    VERDICT_MISSING   /* nobody said anything (only with `all`) */
};
extern const char *const verdict_words[];

enum {
    RULE_EXPECTED = 1, /* a survey should find it */
    RULE_SIDED = 2,    /* only where the cache has several sides */
    RULE_LIST = 4,     /* several rows of one method are one value */
    RULE_ABOUT = 8,    /* about the data or a method, no property of the chip */
    RULE_LAW = 16,     /* found by laws that hold for LRU and its like only */
    RULE_EACH = 32,    /* methods are conditions: each different value is one of a list */
    RULE_MANY = 64 /* lo and hi are a spread: the method with most observations gives the value */
};

/* One line a parameter: how far values may lie apart when their intervals do not overlap, as a share of the larger.
 * Findings without a line may lie 5 % apart. */
struct verdict_rule {
    const char *param;
    double within;
    unsigned flags;
};
extern const struct verdict_rule
    verdict_rules[]; /* in the order of printing; ends with param NULL */

struct verdict_method {
    char *name, *text, *note;
    double value, lo, hi; /* value of a list of numbers: their sum */
    uint64_t n;
    int weak, open, agrees; /* agrees: with the value of the row */
    int choice;             /* open, but the value is one of a few: "lru or fifo" */
};

struct verdict_row {
    struct verdict_rule rule;
    const char *unit;
    struct verdict_method *m;
    size_t n, best;        /* m[best] is the value; n 0: missing */
    size_t methods, agree; /* different methods; those of them that support the value */
    enum verdict_word word;
    double api,
        difference;    /* what the driver says, and value / api - 1; nan when it says nothing */
    char *value;       /* one value, or each different one with " or " between */
    double lo, hi;     /* of the value; of all values when they contradict */
    char *doubt;       /* why it is open although methods agree, or NULL */
    uint64_t evidence; /* observations behind the methods that support the value */
};

/* What the driver's interface says of a parameter. */
struct verdict_api {
    const char *param;
    double value;
};

struct verdict {
    struct verdict_row *row;
    size_t n;
};

/* Adds to fs what follows from several findings: sets from capacity, totals from sides (the table in verdict_derive.c). */
void verdict_derive(struct findings *fs);
/* Adds read_bw_share, when read_bw, the slices and the SM clock are known and no filter said it. */
void verdict_share(struct findings *fs, double mhz);
/* One row a parameter that fs names, and with all != 0 a row for each expected one that it lacks. */
void verdict_make(struct verdict *v, const struct findings *fs, const struct verdict_api *api,
                  size_t napi, int all);
void verdict_free(struct verdict *v);
/* NULL when the verdict has no row of that name. */
const struct verdict_row *verdict_get(const struct verdict *v, const char *param);
/* Its number when methods agree or it is the only one; nan otherwise. */
double verdict_number(const struct verdict *v, const char *param);

#endif
