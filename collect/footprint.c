/* 4 x L2: what is left of a working set in an L2 of any policy is then a small part of it. */
#include "footprint.h"
#include "../share/lib/cli.h"

#include <inttypes.h>

#define LEAST ((uint64_t)64 << 20) /* for a device that does not know its L2 */

void footprint_sizes(const struct run *r, uint64_t first, unsigned octave, struct sizes *s)
{
    uint64_t most = 4 * r->dev->info.l2_bytes > LEAST ? 4 * r->dev->info.l2_bytes : LEAST;
    char word[80], why[160];
    size_t n;
    const uint64_t *given = param_sizes(r, "size", &n);

    if (param_auto(r, "size")) {
        snprintf(word, sizeof word, "%" PRIu64 ":%" PRIu64 ":%u", first, most, octave);
        sizes_parse(s, word, why, sizeof why);
        return;
    }
    for (size_t i = 0; i < n; i++)
        sizes_add(s, given[i]);
}

void footprint_warn(struct run *r, uint64_t most)
{
    uint64_t want = 4 * r->dev->info.l2_bytes;

    if (most < want)
        run_warn(r,
                 "the largest working set, %s, is less than 4 x L2 (%s): the last level seen may "
                 "not be memory; "
                 "size=4K:%s:8 reaches it",
                 cli_size(most), cli_size(want / 4), cli_size(want));
}
