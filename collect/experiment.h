/* An experiment: a program over the device operations that writes rows. One file exp_NAME.c, one line in experiment.c. */
#ifndef L2_EXPERIMENT_H
#define L2_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../share/lib/out.h"
#include "../share/lib/rng.h"
#include "device.h"

enum param_type {
    PARAM_U64,   /* a whole number */
    PARAM_SIZE,  /* bytes; K M G T */
    PARAM_SIZES, /* a list of sizes: a,b,c  4K:256M:8 (8 an octave)  28M:34M:+64K  - (one a line on standard input) */
    PARAM_DOUBLE,
    PARAM_WORD,  /* one of words, separated by '|' in `unit` */
    PARAM_WORDS, /* some of them, a,b */
    PARAM_TEXT
};

struct param {
    const char *name; /* of its column too */
    enum param_type type;
    const char *value; /* default, as one would type it; "auto": the experiment chooses */
    const char *unit;  /* "bytes", "cycles", "" or, for a word, its choices "cg|ca|cv" */
    const char *help;  /* one line */
    double lo, hi;     /* bounds of a number, or of each in a list; both 0: any */
};

struct run {
    struct device *dev;
    struct out *out;
    struct rng rng; /* seeded by -s, the experiment's own stream */
    struct params *params;
    const struct experiment *exp;
    bool misfit; /* see run_misfit */
};

struct experiment {
    const char *name;
    const char *summary;
    const char *columns;        /* "exp size stride ... n": every row carries its parameters */
    const struct param *params; /* ends with name NULL */
    int (*run)(struct run *r);  /* 0, or -1 with dev->error; stops early when run_stopped() */
    bool cold;                  /* starts on an idle clock: no warm-up before it */
};

extern const struct experiment *const experiment_table[]; /* ends with NULL */
const struct experiment *experiment_find(const char *name);

/* Parameters by name. Asking for one that the experiment does not have, or by the wrong type, is a bug and aborts. */
uint64_t param_u64(const struct run *r, const char *name); /* PARAM_U64, PARAM_SIZE */
double param_double(const struct run *r, const char *name);
const char *param_text(const struct run *r, const char *name); /* PARAM_WORD, PARAM_TEXT */
bool param_has(const struct run *r, const char *name, const char *word); /* PARAM_WORDS */
bool param_auto(const struct run *r, const char *name); /* left at its default "auto" */
/* PARAM_SIZES; the array belongs to the parameters. */
const uint64_t *param_sizes(const struct run *r, const char *name, size_t *n);

/* Parameters that fit no device: the exit status will be that of wrong usage. Returns -1. */
#define run_misfit(r, ...) ((r)->misfit = true, device_fail((r)->dev, __VA_ARGS__))
/* Whether Ctrl-C (or a closed pipe) asks to stop; the rows written so far are kept. */
bool run_stopped(void);
/* "#KEY VALUE" in the table, at once. */
void run_note(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What was seen, the likely cause, the option that helps: on stderr and as "#warning". */
void run_warn(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Tells how far a run is, for the progress line on a terminal: done of total, in any unit. Also flushes rows. */
void run_progress(struct run *r, double done, double total);

#endif
