/* Names of the kinds of access, one table. */
#include "access.h"

#include <stddef.h>
#include <string.h>

static const char *const names[L2_KINDS] = {
    [L2_NOP] = "nop",
    [L2_LD_CG] = "cg",
    [L2_LD_CA] = "ca",
    [L2_LD_CV] = "cv",
    [L2_LD_EVICT_FIRST] = "evict_first",
    [L2_LD_EVICT_LAST] = "evict_last",
    [L2_LD_NO_ALLOCATE] = "no_allocate",
    [L2_LD_PF64] = "pf64",
    [L2_LD_PF128] = "pf128",
    [L2_LD_PF256] = "pf256",
    [L2_ST] = "st",
    [L2_ST_EVICT_FIRST] = "st_evict_first",
    [L2_ST_EVICT_LAST] = "st_evict_last",
    [L2_ATOM] = "atom",
    [L2_RED] = "red",
    [L2_PREFETCH] = "prefetch",
    [L2_DISCARD] = "discard",
    [L2_FENCE] = "fence",
    [L2_WAIT] = "wait",
};

const char *access_name(enum l2_kind kind)
{
    return (unsigned)kind < L2_KINDS ? names[kind] : NULL;
}

int access_kind(const char *name)
{
    for (int k = 0; k < L2_KINDS; k++)
        if (strcmp(names[k], name) == 0)
            return k;
    return -1;
}
