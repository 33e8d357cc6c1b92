/* The buffer that the experiments matrix and contend share, so that in one command they measure the same lines. */
#ifndef L2_BUFFER_H
#define L2_BUFFER_H

#include "experiment.h"

/* Bytes of the parameter "buffer"; auto is 256 MiB, or half of the device's memory where that is less. */
uint64_t buffer_bytes(const struct run *r);
/* Allocates it unless an experiment before left one of that size. 0, or -1 and dev->error. */
int buffer_make(struct run *r);

#endif
