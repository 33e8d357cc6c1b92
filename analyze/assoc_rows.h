/* The rows of evict, survive and stride, collected from any order into what analyze/assoc.h works on. */
#ifndef L2_ASSOC_ROWS_H
#define L2_ASSOC_ROWS_H

#include <stdbool.h>

#include "../share/lib/tsv.h"
#include "assoc.h"

struct set_line {
    uint32_t rank;
    uint64_t tip, offset;
    bool more; /* found beyond the set */
};

/* One try at one target. */
struct attempt {
    uint64_t target, attempt;
    size_t run;   /* number of the table: another run's buffer lies elsewhere */
    char *kind;   /* "home", "remote", "all" */
    char *status; /* as the device saw it */
    int64_t sm;
    uint64_t offset; /* of the target */
    double positions, threshold, line, first, cycles;
    double hit, miss;             /* median cycles of the probes that hit, that missed; nan: none */
    uint64_t all_over, all_n;     /* check with the whole set: probes over the threshold, probes */
    uint64_t worst_over, worst_n; /* the same leaving one line out: the line that does worst */
    uint64_t tag_over[64], tag_n[64]; /* same-tag test: distance (i - 32) x 32 bytes */
    struct set_line *set;
    size_t nset, nline, cap;     /* lines of the set; with those beyond it */
    struct attempt_tests *tests; /* the raw tests, until attempts_finish */
    bool verified;               /* by this program, from the tests */
};

/* A search for the first tipping index alone. */
struct tip_alone {
    uint64_t target;
    size_t run;
    int64_t sm;
    char *kind;
    double positions,
        tip; /* tip: the middle of what the tests leave, nan where they say nothing or disagree */
    struct tip_votes *vote;
    size_t nvote, cap;
};

struct stride_raw {
    double stride, lines, cycles, n;
};

struct survive_raw {
    size_t curve;
    double n, cycles, rep;
};

struct survival_curve {
    char *kind, *order, *loader;
    double positions, line;
    struct survival *s;
    size_t n, cap;
};

struct assoc_rows {
    struct attempt *a;
    size_t na, a_cap;
    struct tip_alone *tip;
    size_t ntip, tip_cap;
    struct survival_curve *c;
    size_t nc, c_cap;
    struct stride_point *p;
    size_t np, p_cap;
    double stride_cut; /* cycles that separate hits from misses in the stride rows */
    struct stride_raw *raw;
    size_t nraw, raw_cap;
    struct survive_raw *sraw;
    size_t nsraw, sraw_cap;
};

/* Reads all rows; exits on malformed ones and on rows of two devices. A table that is there twice is warned of and counted
 * once. */
void xassoc_read(struct tsv *t, struct assoc_rows *r);
void assoc_rows_free(struct assoc_rows *r);

/* The points of curve k from its raw rows; of all strides. */
void assoc_finish_curve(struct assoc_rows *r, size_t k);
void assoc_finish_strides(struct assoc_rows *r);

/* The line's size from the same-tag test of the attempts: what most targets say (say of targets; others of the set may lie
 * beside one by chance, but not beside most), else all together (pooled). bytes 0: nothing. */
struct same_tag {
    double bytes;
    size_t targets, say;
    bool pooled;
};
struct same_tag same_tag_of(const struct attempt *const *final, size_t n);

#endif
