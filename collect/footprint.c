/* 4 x L2: what is left of a working set in an L2 of any policy is then a small part of it. */
#include "footprint.h"
#include "../share/lib/cli.h"

#include <inttypes.h>

#define LEAST ((uint64_t)64 << 20) /* for a device that does not know its L2 */

static void add_range(struct sizes *s, uint64_t from, uint64_t to, unsigned octave)
{
    char word[80], why[160];

    if (from >= to)
        return;
    snprintf(word, sizeof word, "%" PRIu64 ":%" PRIu64 ":%u", from, to, octave);
    sizes_parse(s, word, why, sizeof why);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void footprint_sizes(const struct run *r, uint64_t first, unsigned octave, bool fine,
                     struct sizes *s)
{
    uint64_t l2 = fine ? r->dev->info.l2_bytes : 0;
    uint64_t most = larger(4 * r->dev->info.l2_bytes, LEAST);
    size_t n;
    const uint64_t *given = param_sizes(r, "size", &n);

    if (!param_auto(r, "size")) {
        for (size_t i = 0; i < n; i++)
            sizes_add(s, given[i]);
        return;
    }
    add_range(s, first, l2 / 4, octave);
    add_range(s, larger(first, l2 / 4), l2 + l2 / 4, 2 * octave);
    add_range(s, larger(first, l2 + l2 / 4), 2 * l2, octave);
    add_range(s, larger(first, 2 * l2), most, l2 > 0 ? octave / 2 : octave);
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
