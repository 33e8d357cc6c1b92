/* Every column that a program of this toolchain writes: what it holds, its unit, and its role for a filter. */
#ifndef L2_COLUMNS_H
#define L2_COLUMNS_H

#include <stddef.h>

enum column_type {
    COLUMN_WORD,  /* text without blanks, or a sentence (note) */
    COLUMN_WHOLE, /* a whole number of 64 bits; a minus only where the meaning says so */
    COLUMN_REAL   /* a decimal number; nan where there is none */
};

enum column_role {
    ROLE_PARAM, /* a condition: rows that differ in it are different measurements, so filters group by it */
    ROLE_ORDER, /* which repeat or when: rows that differ only in it are samples of one thing */
    ROLE_VALUE, /* what was measured or concluded */
    ROLE_WEIGHT /* how many accesses the row stands for */
};

struct column {
    const char *name;
    enum column_type type;
    enum column_role role;
    const char *unit; /* "bytes", "cycles", "ns", "" */
    const char *meaning;
};

extern const struct column column_table[]; /* ends with name NULL */

/* NULL for a column of other people's data. */
const struct column *column_find(const char *name);
const char *column_type_name(enum column_type type);
const char *column_role_name(enum column_role role);

#endif
