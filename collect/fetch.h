/* Measuring under several fetch granularities: the one that is found, then those that a parameter lists. */
#ifndef L2_FETCH_H
#define L2_FETCH_H

#include "experiment.h"

/* Measures under a granularity (0: the device does not tell); `found`: it is the one that was there before. */
typedef int (*fetch_body)(struct run *r, uint64_t fetch, bool found, void *data);

/* Runs `body` as found, then under every granularity of the PARAM_SIZES `name` that the device takes as it is asked for;
 * a warning for each that it rounds. What was found is put back at the end, after an error, too. */
int fetch_each(struct run *r, const char *name, fetch_body body, void *data);

#endif
