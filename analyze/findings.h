/* The findings table: what a filter concludes, one row a parameter of the cache, in columns that all filters share.
 *
 * value is a number or a word; lo and hi bound it (a 95 % interval unless the note says otherwise; both equal to the
 * value when it was counted exactly; nan: no interval); n is how many observations it rests on. */
#ifndef L2_FINDINGS_H
#define L2_FINDINGS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../share/lib/out.h"
#include "../share/lib/tsv.h"

#define FINDINGS_COLUMNS "param value lo hi unit method n note"

/* A parameter that findings may name. unit "word": the value is no number; "bits": bit numbers with commas. */
struct finding_name {
    const char *name, *unit, *meaning;
};

extern const struct finding_name finding_names[]; /* ends with name NULL */
const struct finding_name *finding_find(const char *name);

void findings_begin(struct out *o, FILE *to, const struct prov *p);
/* One row. A param that the table above lacks is a bug and aborts; its unit comes from the table. The note says what a
 * reader must know, in one sentence; "-" when there is nothing to say. */
void finding_put(struct out *o, const char *param, double value, double lo, double hi,
                 const char *method, uint64_t n, const char *note, ...)
    __attribute__((format(printf, 8, 9)));
/* The same for a value that is a word, without an interval. */
void finding_word(struct out *o, const char *param, const char *word, const char *method,
                  uint64_t n, const char *note, ...) __attribute__((format(printf, 6, 7)));

/* A findings table read back. value is nan when text is no number. */
struct finding {
    char *param, *text, *unit, *method, *note;
    double value, lo, hi;
    uint64_t n;
};

struct findings {
    struct finding *f;
    size_t n;
};

/* Whether the table that was just announced by TSV_HEADER is a findings table. */
int findings_is(const struct tsv *t);
/* Adds the row just read by TSV_ROW; exits when a number is none. */
void xfindings_add(struct findings *fs, const struct tsv *t);
/* The k-th finding of a parameter, NULL after the last. */
const struct finding *findings_get(const struct findings *fs, const char *param, size_t k);
void findings_free(struct findings *fs);

#endif
