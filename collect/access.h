/* The kinds of access by the names that people type and files carry. */
#ifndef L2_ACCESS_H
#define L2_ACCESS_H

#include "../kernels/abi.h"

/* "cg", "st", "atom", ...; NULL for a number that is no kind. */
const char *access_name(enum l2_kind kind);
/* The kind of a name, or -1. */
int access_kind(const char *name);

#endif
