/* Lists of sizes as people type them: "4K,8K", "4K:256M:8" (8 an octave), "28M:34M:+64K", or one a line in a file. */
#ifndef L2_SIZES_H
#define L2_SIZES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../share/lib/rng.h"

#define SIZES_MOST 1000000 /* longer lists are mistakes */

struct sizes {
    uint64_t *v;
    size_t n, cap;
};

/* Adds the sizes of a word; 0, or -1 and a reason in why[]. */
int sizes_parse(struct sizes *s, const char *word, char *why, size_t why_size);
/* Adds the sizes of a file: plain, one a line, or a table with a column `column`; '#' lines and empty ones are skipped. */
int sizes_read(struct sizes *s, FILE *from, const char *column, char *why, size_t why_size);
/* Sorts and drops what is there twice. */
void sizes_sort(struct sizes *s);
/* Random order. */
void sizes_shuffle(struct sizes *s, struct rng *r);
void sizes_add(struct sizes *s, uint64_t v);
void sizes_free(struct sizes *s);

#endif
