/* What the files of gpu_ops share. */
#ifndef L2_OPS_H
#define L2_OPS_H

#include <stdint.h>

#include "collect/device.h"
#include "share/lib/rng.h"

#define MIB (1ull << 20)

extern struct device *dev;
extern struct rng rng;
extern char why[512]; /* of the operation that failed */

double now(void);                                                    /* seconds */
int bad(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* -1, and why */
int failed(void);                            /* -1, with the device's own message */
int ascending(const void *a, const void *b); /* for qsort of uint32_t */
uint32_t median(uint32_t *v, size_t n);      /* sorts v */
int need(uint64_t bytes);                    /* a buffer of so many at least */

int op_link(void); /* ops_chase.c */
int op_chase(void);
int op_chains(void);
int op_stream(void); /* ops_load.c */
int op_hammer(void);

#endif
