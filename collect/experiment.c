/* The table of experiments: a new one is a file exp_NAME.c and a line here. */
#include "experiment.h"

#include <string.h>

extern const struct experiment exp_latency, exp_bandwidth, exp_clock, exp_matrix, exp_contend;

const struct experiment *const experiment_table[] = {&exp_latency, &exp_bandwidth, &exp_clock,
                                                     &exp_matrix,  &exp_contend,   NULL};

const struct experiment *experiment_find(const char *name)
{
    for (const struct experiment *const *e = experiment_table; *e != NULL; e++)
        if (strcmp((*e)->name, name) == 0)
            return *e;
    return NULL;
}
