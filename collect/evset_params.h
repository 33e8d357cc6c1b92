/* What all experiments that look for eviction sets ask alike: the rows of their parameter tables, and the plan that they
 * ask for. */
#ifndef L2_EVSET_PARAMS_H
#define L2_EVSET_PARAMS_H

#include "evset.h"
#include "experiment.h"

#define EVSET_PARAM_SM                                                                             \
    {                                                                                              \
        "sm", PARAM_U64, "0", "", "the SM that looks", 0, 1e4                                      \
    }
#define EVSET_PARAM_LINES                                                                          \
    {                                                                                              \
        "lines", PARAM_WORD, "home", "home|remote|all",                                            \
            "lines of the SM's own side, of the other, or any", 0, 0                               \
    }
#define EVSET_PARAM_LINE                                                                           \
    {                                                                                              \
        "line", PARAM_SIZE, "128", "bytes", "bytes from line to line of the pool", 32, 65536       \
    }
#define EVSET_PARAM_POOL                                                                           \
    {                                                                                              \
        "pool", PARAM_SIZE, "auto", "bytes",                                                       \
            "memory of the pool; auto: 16 times the L2, at most 1G", 65536, 0x1p31                 \
    }

/* Sm, line and pool as the parameters say; home lines, L2_LD_CG, 2 votes, 20 checks of the whole set and 10 of each line;
 * the caller changes what its own parameters say, then calls evset_plan. */
struct evset_plan evset_plan_of(const struct run *r);

#endif
