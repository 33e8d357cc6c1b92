/* A verdict as options of GPGPU-Sim and Accel-Sim. Their L2 is a number of equal sub-partitions; the format of a cache is
 * TYPE:SETS:LINE:WAYS,REPLACEMENT:WRITE:ALLOCATE:WRITE_ALLOCATE:INDEX,MSHR... (gpu-cache.h of GPGPU-Sim 4). Their model has
 * no sides and no copies: a slice of each side is a sub-partition of its own. */
#include "verdict_print.h"

#include <math.h>
#include <string.h>

#include "../share/lib/cli.h"

/* A word that is known, or NULL. */
static const char *word_of(const struct verdict *v, const char *param)
{
    const struct verdict_row *r = verdict_get(v, param);

    if (r == NULL || (r->word != VERDICT_AGREE && r->word != VERDICT_SINGLE))
        return NULL;
    return r->value;
}

static void put_basis(FILE *to, const struct verdict *v)
{
    static const char *const params[] = {"slices",     "sets_total",     "sets_side", "ways",
                                         "line",       "sector",         "policy",    "index",
                                         "write_back", "write_allocate", NULL};

    for (size_t i = 0; params[i] != NULL; i++) {
        const struct verdict_row *r = verdict_get(v, params[i]);

        if (r == NULL)
            fprintf(to, "# %s: not measured\n", params[i]);
        else
            fprintf(to, "# %s: %s (%s, %zu of %zu methods)\n", params[i], r->value,
                    verdict_words[r->word], r->agree, r->methods);
    }
}

/* Sets of a slice: the nearest whole number to sets / slices, nan when something is not known. */
static double sets_of_slice(FILE *to, const struct verdict *v)
{
    const char *const pairs[][2] = {{"sets_side", "slices_side"}, {"sets_total", "slices"}};

    for (size_t i = 0; i < 2; i++) {
        const struct verdict_row *sets = verdict_get(v, pairs[i][0]);
        double slices = verdict_number(v, pairs[i][1]), n = verdict_number(v, pairs[i][0]) / slices;

        if (isnan(n))
            continue;
        fprintf(to, "# sets of a slice: %s / %s = %.5g, between %.5g and %.5g%s\n", pairs[i][0],
                pairs[i][1], n, sets->lo / slices, sets->hi / slices,
                sets->lo < sets->hi ? "; the nearest whole number is used" : "");
        return fmax(1, round(n));
    }
    return NAN;
}

static char replacement(FILE *to, const char *policy)
{
    if (policy != NULL && strcmp(policy, "fifo") == 0)
        return 'F';
    if (policy == NULL || strcmp(policy, "lru") != 0)
        fprintf(to, "# replacement: %s; L (LRU) stands in, the simulator has LRU and FIFO only\n",
                policy != NULL ? policy : "not known");
    return 'L';
}

static char write_policy(FILE *to, const char *back)
{
    if (back == NULL)
        fputs("# write-back is not known: B stands in\n", to);
    return back != NULL && strcmp(back, "no") == 0 ? 'T' : 'B';
}

static char write_allocation(FILE *to, const char *allocate)
{
    if (allocate == NULL)
        fputs("# write allocation is not known: L (lazy fetch on read) stands in\n", to);
    else if (strcmp(allocate, "no") == 0 || strcmp(allocate, "none") == 0)
        return 'N';
    else if (strstr(allocate, "fetch") != NULL)
        return 'F';
    return 'L';
}

static char set_index(FILE *to, const char *index)
{
    if (index != NULL && strcmp(index, "plain") == 0)
        return 'L';
    if (index == NULL)
        fputs("# set index is not known: P stands in\n", to);
    else
        fputs("# set index is a hash, which one is not known: P (IPOLY) stands in\n", to);
    return 'P';
}

static void put_partitions(FILE *to, double slices)
{
    double sub = fmod(slices, 2) == 0 ? 2 : 1;

    fprintf(to, "# channels of the memory are not measured; only the product, the slices, is\n");
    fprintf(to, "-gpgpu_n_mem %.0f\n", slices / sub);
    fprintf(to, "-gpgpu_n_sub_partition_per_mchannel %.0f\n", sub);
}

static void put_latencies(FILE *to, const struct verdict *v)
{
    static const char *const params[] = {"latency_local", "latency_remote", "latency_dram",
                                         "latency_dram_remote", NULL};

    for (size_t i = 0; params[i] != NULL; i++) {
        double cycles = verdict_number(v, params[i]);

        if (!isnan(cycles))
            fprintf(to, "# measured, as one thread sees it: %s %.4g cycles\n", params[i], cycles);
    }
    fputs("# not known: -gpgpu_l2_rop_latency and -dram_latency, the shares that its network adds\n"
          "# to these; fit them until the simulator's chase gives the latencies above\n",
          to);
}

void verdict_accelsim(FILE *to, const struct verdict *v, const struct prov *p)
{
    const char *device = prov_get(p, "device", 0);
    double slices = verdict_number(v, "slices"), ways = verdict_number(v, "ways");
    double line = verdict_number(v, "line"), sector = verdict_number(v, "sector"), sets;
    char r, w, a, i;

    fprintf(to, "# L2 of %s, by l2verdict %s\n", device != NULL ? device : "an unknown device",
            L2_VERSION);
    if (prov_simulated(p))
        fputs("# SIMULATED: nothing here was measured on a chip\n", to);
    put_basis(to, v);
    sets = sets_of_slice(to, v);
    if (!isnan(slices))
        put_partitions(to, slices);
    if (isnan(sets) || isnan(ways) || isnan(line)) {
        fputs("# no -gpgpu_cache:dl2 line: sets, slices, ways or line are not known\n", to);
    } else {
        r = replacement(to, word_of(v, "policy"));
        w = write_policy(to, word_of(v, "write_back"));
        a = write_allocation(to, word_of(v, "write_allocate"));
        i = set_index(to, word_of(v, "index"));
        if (isnan(sector))
            fputs("# sector is not known: S, which means 32 bytes, stands in\n", to);
        fputs(
            "# MSHRs and queues, A:192:4,32:0,32, are not measured: those of its file for QV100\n",
            to);
        fprintf(to, "-gpgpu_cache:dl2 %c:%.0f:%.0f:%.0f,%c:%c:m:%c:%c,A:192:4,32:0,32\n",
                !isnan(sector) && sector >= line ? 'N' : 'S', sets, line, ways, r, w, a, i);
    }
    put_latencies(to, v);
}
