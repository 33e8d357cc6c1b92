/* The small language of access sequences, as typed after seq=.
 *
 *   sequences = sequence { ';' sequence }
 *   sequence  = { item }                     items stand one blank or newline apart
 *   item      = access | '(' sequence ')' [ '*' COUNT ]
 *   access    = [ KIND ':' ] line [ '..' line ] [ '?' ]
 *   line      = a letter a-z (0-25) or a number
 *
 * "a b c a? d?" loads lines 0, 1, 2, then 0 and 3 with their answers reported; "(0..16)*4 st:0 1?" goes four times over 17
 * lines, stores to line 0 and reports line 1. KIND is a name of collect/access.h; loads (cg) by default. '#' comments a line. */
#ifndef L2_SEQUENCE_H
#define L2_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct step {
    uint32_t line;
    uint8_t kind; /* enum l2_kind */
    bool report;
};

struct sequence {
    struct step *step;
    size_t n, cap;
};

struct sequences {
    struct sequence *seq;
    size_t n, cap;
};

#define SEQUENCE_STEPS 100000 /* most steps of one sequence */

/* Parses text and appends its sequences; empty ones are left out. 0, or -1 with a line in why[]: what and at which
 * character. */
int sequences_parse(struct sequences *s, const char *text, char *why, size_t why_size);
/* Appends an empty sequence and returns it, valid until the next one. */
struct sequence *sequences_add(struct sequences *s);
void sequence_step(struct sequence *q, uint32_t line, uint8_t kind, bool report);
/* The highest line number of all sequences; 0 when there is none. */
uint32_t sequences_most(const struct sequences *s);
void sequences_free(struct sequences *s);

#endif
