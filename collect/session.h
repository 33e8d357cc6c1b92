/* Runs experiments on a device, each a whole table: '#' lines, warnings, rows, the #end line. */
#ifndef L2_SESSION_H
#define L2_SESSION_H

#include "experiment.h"

struct session {
    struct device *dev;
    FILE *to;
    uint64_t seed;
    bool quiet;     /* no progress line, and warnings only in the table */
    struct prov by; /* the command line */
    int error;      /* errno of the first write that failed, 0: none */
};

/* From now on Ctrl-C and a closed pipe end a run in order; a Ctrl-C two seconds later ends the program. */
void session_signals(void);
/* The exit status: EXIT_FAILED when the run was interrupted, the device failed or the rows can't be written, EXIT_USAGE for
 * parameters that fit no device; one line on stderr says which. */
int session_run(struct session *s, const struct experiment *e, struct params *p);

#endif
