/* The table of experiments: a new one is a file exp_NAME.c and a line here. */
#include "experiment.h"

#include <string.h>

/* One a line, so that two additions do not collide. */
/* clang-format off */
extern const struct experiment
    exp_latency,
    exp_bandwidth,
    exp_clock,
    exp_matrix,
    exp_contend,
    exp_evict,
    exp_linger,
    exp_survive,
    exp_stride,
    exp_replace,
    exp_sector,
    exp_partial,
    exp_sametag,
    exp_write,
    exp_dirty,
    exp_copies,
    exp_replay,
    exp_tlb,
    exp_inclusion,
    exp_persist,
    exp_pitch;

const struct experiment *const experiment_table[] = {
    &exp_latency,
    &exp_bandwidth,
    &exp_clock,
    &exp_matrix,
    &exp_contend,
    &exp_evict,
    &exp_linger,
    &exp_survive,
    &exp_stride,
    &exp_replace,
    &exp_sector,
    &exp_partial,
    &exp_sametag,
    &exp_write,
    &exp_dirty,
    &exp_copies,
    &exp_replay,
    &exp_tlb,
    &exp_inclusion,
    &exp_persist,
    &exp_pitch,
    NULL,
};
/* clang-format on */

const struct experiment *experiment_find(const char *name)
{
    for (const struct experiment *const *e = experiment_table; *e != NULL; e++)
        if (strcmp((*e)->name, name) == 0)
            return *e;
    return NULL;
}
