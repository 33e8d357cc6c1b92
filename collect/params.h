/* Parameters of an experiment, NAME=VALUE by its table of struct param. The accessors that experiments use are in
 * experiment.h. */
#ifndef L2_PARAMS_H
#define L2_PARAMS_H

#include <stdio.h>

#include "experiment.h"
#include "sizes.h"

struct params;

/* All at their defaults. */
struct params *params_new(const struct experiment *e);
void params_free(struct params *p);

enum params_result { PARAMS_SET, PARAMS_UNKNOWN, PARAMS_BAD };
/* Takes "name=value"; list holds the sizes that "-" stands for. PARAMS_BAD has its reason in why[]. */
enum params_result params_set(struct params *p, const char *word, const struct sizes *list,
                              char *why, size_t why_size);
/* "size=auto stride=128 ...", as they are now. The caller frees it. */
char *params_line(const struct params *p);
/* The table for people: name, default, unit, meaning. */
void params_help(FILE *to, const struct experiment *e);

#endif
