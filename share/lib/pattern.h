/* Named access patterns, by one table: cyclic, shuffled, random, hot, strided, mixed, tiled, transpose, stencil; or a
 * trace. A pattern is written "NAME,param=value,..." and makes passes, each a sequence of accesses.
 *
 * What l2predict predicts and what l2collect replay runs are the same accesses in the same order. */
#ifndef L2_PATTERN_H
#define L2_PATTERN_H

#include <stdbool.h>
#include <stdio.h>

#include "rng.h"
#include "trace.h"

#define PATTERN_SIDES  8 /* sides of a chip, at most */
#define PATTERN_PARAMS 16

enum pattern_type {
    PATTERN_SIZE,   /* bytes; K M G */
    PATTERN_NUMBER, /* a whole number; K M G are taken, too */
    PATTERN_SHARE,  /* 0 to 1, kept in millionths */
    PATTERN_SHAPE,  /* 32x8: columns x rows, kept as columns << 32 | rows */
    PATTERN_WORD    /* one of words, kept as its number */
};

struct pattern_param {
    const char *name;
    enum pattern_type type;
    const char *initial; /* as one would type it */
    const char *words;   /* PATTERN_WORD: choices with '|' between */
    uint64_t lo, hi;
    const char *help;
};

/* What a pattern must know of the chip. */
struct pattern_env {
    unsigned sms;           /* of the chip, at least 1 */
    const uint8_t *sm_side; /* the side of each SM; NULL when there is one side */
    /* The home side of an offset, as sm_side numbers them; NULL when there is one side. */
    unsigned (*home)(void *context, uint64_t offset);
    void *context;
    uint64_t seed;
};

struct pattern_def;

struct pattern {
    const struct pattern_def *def;
    uint64_t value[PATTERN_PARAMS];
    char *text;     /* "cyclic,size=40M": its name and what differs from the defaults */
    uint64_t bytes; /* of the buffer that it needs */
    struct trace trace;
    void *state; /* of the family's own type, while it runs */
};

/* How the patterns of one file are made. */
struct pattern_family {
    uint64_t (*bytes)(const struct pattern *p);
    int (*start)(struct pattern *p, const struct pattern_env *env, char *why, size_t why_size);
    void (*pass)(struct pattern *p);
    size_t (*fill)(struct pattern *p, struct access *to, size_t room);
    void (*end)(struct pattern *p);
};

struct pattern_def {
    const char *name, *summary;
    const struct pattern_param *params; /* ends with name NULL */
    const struct pattern_family *family;
};

extern const struct pattern_def pattern_cyclic, pattern_shuffled, pattern_random, pattern_hot,
    pattern_strided, pattern_mixed, pattern_tiled, pattern_transpose, pattern_stencil;
extern const struct pattern_def
    *const pattern_table[]; /* ends with NULL; the last one is "trace" */
const struct pattern_def *pattern_find(const char *name);

/* Parses "NAME,param=value,..."; `more` (NULL, or ending with NULL) are further "param=value" words. 0, or -1 and why. */
int pattern_parse(struct pattern *p, const char *text, char *const *more, char *why,
                  size_t why_size);
/* A file as a pattern whose text is the file's name; exits 1 when it can't be read. */
void xpattern_trace(struct pattern *p, const char *file);
uint64_t pattern_value(const struct pattern *p,
                       const char *name); /* aborts when there is none of that name */
bool pattern_has(const struct pattern_def *d, const char *param);
/* Ready for passes; may be called again with another env. 0, or -1 and why (an SM that is not there, one side only). */
int pattern_start(struct pattern *p, const struct pattern_env *env, char *why, size_t why_size);
/* The SM of walker k of n: from `first` on, spread over the chip. */
unsigned pattern_sm(unsigned first, size_t k, size_t n, unsigned sms);
/* Begins the next pass. */
void pattern_pass(struct pattern *p);
/* The next accesses of the pass, at most `room` (64 or more); 0 at its end. */
size_t pattern_fill(struct pattern *p, struct access *to, size_t room);
void pattern_free(struct pattern *p);
/* The table for people: patterns; or one pattern's parameters. */
void pattern_list(FILE *to);
void pattern_help(FILE *to, const struct pattern_def *d);

#endif
