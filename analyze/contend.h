/* Slices from contention: how long two lines take when all SMs hammer both. Pure.
 *
 * Two lines of one slice take longest; by atomics, a line and one of the partner slice on another side come in between
 * (by loads the two are alike, for a load is served by the own side's copy). Classes are the groups of lines that are slow
 * together; one wild reading joins no groups, since more pairs between them must say "same" than "different". Pairs a
 * little faster than the bulk of the slow ones say nothing: some lines of partner slices share more than others do and are
 * nearly as slow (on an H200 5270 cycles, where partners take 3950 and lines of one slice 5540 or 6730). Only groups
 * that were all compared with each other are classes, so that no class is counted twice. */
#ifndef L2_CONTEND_H
#define L2_CONTEND_H

#include <stddef.h>
#include <stdint.h>

#define CONTEND_NONE 0xffffffffu

struct contend_pair {
    uint32_t a, b; /* line numbers; equal: a line with itself, the reference */
    double cycles; /* median of the repeats */
};

enum contend_mode { CONTEND_OTHER, CONTEND_PARTNER, CONTEND_SAME, CONTEND_DOUBT };

struct contend {
    /* In. */
    size_t lines, pairs;
    const struct contend_pair *pair;

    /* Out. */
    unsigned modes;  /* 1: nothing seen, 2: different and same, 3: partners besides */
    double level[3]; /* median cycles of each mode: other, partner (nan), same */
    double limit[3]; /* partner begins, same may begin, same is certain */
    double gap; /* the narrower of the gaps between modes, as a share of level[CONTEND_OTHER] */
    size_t n;   /* classes */
    uint32_t *label; /* class of each line, CONTEND_NONE for lines in no pair */
    size_t *size;    /* lines of each class */
    double *
        margin; /* of each class: its fastest "same" less its slowest other pair, as a share of the distance between
                         the two modes; above 0 the class stands alone */
    size_t groups;   /* classes joined by partner pairs; equals n when there are no partners */
    uint32_t *group; /* of each class */
    size_t same;     /* pairs within a class */
    size_t
        conflicts; /* pairs within a class that say otherwise, or between classes that say "same" */
    char *
        doubt; /* of each line: nothing but a doubtful pair joins it to a class, so it has no label */
    size_t doubtful; /* such lines */
    size_t labelled; /* lines with a class */
    size_t loose;   /* lines in pairs that were not compared with every class: they have no label */
    size_t partial; /* of them, lines compared with some class: they may be of any other */
};

void contend_alloc(struct contend *c, size_t lines, size_t pairs);
void contend_free(struct contend *c);
/* 0, or -1 when the pairs show one mode only: n is then 0. */
int contend_run(struct contend *c);
/* Whether the classes are a count of slices: hardly a line was compared with some of them only, and hardly a pair says
 * otherwise. */
int contend_counts(const struct contend *c);
enum contend_mode contend_mode_of(const struct contend *c, double cycles);

#endif
