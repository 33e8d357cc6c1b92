/* The rows that l2diff prints: comparisons of two inputs, what they are worth together, and what is said of them. */
#ifndef L2_DIFFROWS_H
#define L2_DIFFROWS_H

#include <stdbool.h>

#include "../share/lib/out.h"
#include "diffdata.h"
#include "shift.h"

#define DIFF_COLUMNS                                                                               \
    "one other about archive param point left right unit shift lo hi percent p adjusted result "   \
    "says"

enum diff_about { DIFF_CONDITION, DIFF_PARAMETER, DIFF_CURVE, DIFF_POINT };
enum diff_result { DIFF_SAME, DIFF_DIFFERS, DIFF_UNSURE, DIFF_MISSING, DIFF_RESULTS };

struct diff_row {
    size_t one, other; /* inputs */
    enum diff_about about;
    const char *archive; /* or NULL */
    char *param, *point, *left, *right;
    char *unit;
    double base;        /* what percents are of */
    double margin;      /* a shift within it is no difference */
    struct shift shift; /* of other, less one; nan where there are no numbers */
    double adjusted;    /* p among all tests */
    bool exact;         /* counted or a word: equal or not */
    bool steep;         /* a curve meets the other within two steps */
    enum diff_result result;
    char *says;
};

struct diff_rows {
    struct diff_row *row;
    size_t n, cap;
};

/* How to judge: a shift within `within` (a share) is none; adjusted p below `alpha`; intervals of `confidence`. */
struct diff_rules {
    double within, alpha, confidence;
    void (*adjust)(double *p, size_t n, size_t *order);
};

/* Takes the words over: they must be on the heap. */
struct diff_row *diff_add(struct diff_rows *rows, struct diff_row row);
void diff_conditions(struct diff_rows *rows, const struct diff_input *in, size_t one, size_t other);
void diff_parameters(struct diff_rows *rows, const struct diff_input *in, size_t one, size_t other,
                     const struct diff_rules *rules);
void diff_points(struct diff_rows *rows, const struct diff_input *in, size_t one, size_t other,
                 const struct diff_rules *rules);
/* Results and words of all rows; parameters, curves and points only. */
void diff_judge(struct diff_rows *rows, const struct diff_rules *rules);
/* Comparisons of two inputs, conditions left out: how many, and how many differ. */
void diff_count(const struct diff_rows *rows, size_t one, size_t other, size_t count[DIFF_RESULTS]);
/* The input that differs more from each other one than they do among themselves, or n: none. *its and *theirs are the
 * shares of comparisons that differ. */
size_t diff_odd_one_out(const struct diff_rows *rows, size_t n, double *its, double *theirs);
void diff_print(struct out *o, const struct diff_rows *rows, const struct diff_input *in,
                bool only_differing);
void diff_rows_free(struct diff_rows *rows);

#endif
