/* The plan of an eviction-set search from an experiment's parameters. */
#include "evset_params.h"

struct evset_plan evset_plan_of(const struct run *r)
{
    return (struct evset_plan){
        .d = r->dev,
        .sm = (int)param_u64(r, "sm"),
        .lines = EVSET_HOME,
        .level = EVSET_LOCAL,
        .kind = L2_LD_CG,
        .line = (uint32_t)param_u64(r, "line"),
        .pool_bytes = param_auto(r, "pool") ? evset_pool_bytes(r->dev) : param_u64(r, "pool"),
        .votes = 2,
        .check_all = 20,
        .check_one = 10,
    };
}
