/* What l2diff compares: the inputs, each an archive or a folder of a survey. */
#ifndef L2_DIFFDATA_H
#define L2_DIFFDATA_H

#include <stdbool.h>

#include "findings.h"
#include "group.h"

/* How the rows of an experiment become points; one line a kind, the last one for all others. */
struct diff_kind {
    const char *exp; /* NULL: any */
    const char *
        value; /* column compared; NULL: the rows are not compared, only what filters find in them */
    const char *weight; /* column, or NULL: a row is one sample */
    const char *leave;  /* columns that are no conditions here, with blanks around each */
    const char *
        over; /* different lines of a point: column `over` / column `by`, or what `over` says alone; NULL: */
    const char *by; /* every sample is independent */
};

/* The rows of one archive, grouped by their conditions. */
struct diff_archive {
    char *name;
    const struct diff_kind *kind;
    const char *value; /* column compared */
    char **column;     /* conditions, as in the groups' keys */
    size_t ncolumn;
    struct groups groups;
    char *parameters; /* as l2collect was given them, or NULL */
};

struct diff_param {
    char *name, *text, *unit, *verdict;
    double value, lo, hi; /* nan when text is no number */
};

struct diff_input {
    const char *name;
    struct diff_archive *archive;
    size_t narchive;
    struct diff_param *param;
    size_t nparam;
    struct findings findings; /* while reading: becomes param when there is no verdict */
    struct prov prov;
};

/* Reads a file, or all archives and the verdict (else the findings) of a folder. Exits 1 on bad data. */
void xdiff_read(struct diff_input *in, const char *path, bool strict);
const struct diff_archive *diff_archive_find(const struct diff_input *in, const char *name);
const struct diff_param *diff_param_find(const struct diff_input *in, const char *name);
/* Samples of a group that tell something new: no more than its different lines. */
double diff_independent(const struct diff_archive *a, const struct group *g, double n);
void diff_input_free(struct diff_input *in);

#endif
