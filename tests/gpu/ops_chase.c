/* Pointers and chases. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/access.h"
#include "ops.h"
#include "share/lib/cli.h"
#include "share/lib/mem.h"

/* A random cycle over `bytes`, one node every 128 bytes. */
static size_t make_cycle(uint64_t bytes)
{
    size_t n = bytes / 128;
    uint32_t *next = xmalloc(n * sizeof *next);
    int status;

    rng_cycle(&rng, next, n);
    status = dev->ops->link(dev, 0, 128, next, n);
    free(next);
    return status == 0 ? n : 0;
}

int op_link(void)
{
    static const uint32_t two[] = {1, 2, 0, 4, 3};
    uint64_t length;
    size_t n;

    if (need(4 * MIB) != 0)
        return -1;
    if ((n = make_cycle(4 * MIB)) == 0 || dev->ops->cycle_length(dev, 0, 2 * n, &length) != 0)
        return failed();
    printf("  one cycle of %zu nodes: length %llu\n", n, (unsigned long long)length);
    if (length != n)
        return bad("length");
    if (dev->ops->cycle_length(dev, 0, 100, &length) != 0 || length != 100)
        return bad("at most 100: %llu", (unsigned long long)length);
    if (dev->ops->link(dev, 256, 64, two, 5) != 0 ||
        dev->ops->cycle_length(dev, 256 + 3 * 64, 10, &length) != 0)
        return failed();
    return length == 2 ? 0 : bad("a cycle of two: %llu", (unsigned long long)length);
}

static int chase_line(const char *what, enum l2_kind kind, uint64_t bytes, int carveout)
{
    static uint32_t bins[CHASE_BINS], each[4096];
    struct chain chain = {.sm = 5 % (int)dev->info.sms};
    uint64_t total, seen = 0, median_at = 0, n = bytes / 128;
    struct chase c = {.kind = kind,
                      .chain = &chain,
                      .nchain = 1,
                      .warm = 2 * n,
                      .hops = n < 4096 ? 4096 : n,
                      .carveout = carveout,
                      .bins = bins,
                      .total = &total};
    double start = now();

    memset(bins, 0, sizeof bins);
    if (n <= 4096)
        c.each = each;
    if (dev->ops->chase(dev, &c) != 0)
        return failed();
    for (uint64_t b = 0; b < CHASE_BINS; b++) {
        if (seen <= c.hops / 2 && seen + bins[b] > c.hops / 2)
            median_at = b;
        seen += bins[b];
    }
    c.record = CHASE_TOTAL;
    c.each = NULL;
    if (seen != c.hops || (n <= 4096 && median(each, 4096) != median_at))
        return bad("%llu hops in the bins, not %llu; median of each hop %u, of the bins %llu",
                   (unsigned long long)seen, (unsigned long long)c.hops, median(each, 4096),
                   (unsigned long long)median_at);
    if (dev->ops->chase(dev, &c) != 0)
        return failed();
    printf("  %-12s %8s: each hop median %llu, whole pass mean %.1f (%.0f ms)\n", what,
           cli_size(bytes), (unsigned long long)median_at, (double)total / (double)c.hops,
           (now() - start) * 1e3);
    return median_at > 10 && median_at < 3000 ? 0 : bad("median");
}

int op_chase(void)
{
    static const enum l2_kind kinds[] = {L2_LD_CG, L2_LD_CA, L2_LD_CV, L2_LD_NO_ALLOCATE};
    static const uint64_t sizes[] = {16 << 10, 1 << 20, 40 << 20, 160 << 20};

    if (need(160 * MIB) != 0)
        return -1;
    for (size_t i = 0; i < 4; i++) {
        if (make_cycle(sizes[i]) == 0)
            return failed();
        for (size_t k = 0; k < (i < 2 ? 4 : 1); k++)
            if (chase_line(access_name(kinds[k]), kinds[k], sizes[i], -1) != 0)
                return -1;
        if (i == 0 && chase_line("ca, all L1", L2_LD_CA, sizes[i], 0) != 0)
            return -1;
    }
    return 0;
}

int op_chains(void)
{
    size_t n = dev->info.sms, nodes;
    struct chain *chain = xcalloc(n, sizeof *chain);
    uint64_t *total = xcalloc(n, sizeof *total), lo = UINT64_MAX, hi = 0;
    struct chase c = {.kind = L2_LD_CG, .chain = chain, .nchain = n, .warm = 100, .hops = 2000};
    int status;

    if (need(4 * MIB) != 0)
        return -1;
    nodes = make_cycle(4 * MIB);
    for (size_t k = 0; k < n; k++)
        chain[k] = (struct chain){(int)k, k * (nodes / n) * 128};
    c.record = CHASE_TOTAL;
    c.total = total;
    c.carveout = -1;
    status = dev->ops->chase(dev, &c);
    for (size_t k = 0; k < n; k++) {
        lo = total[k] < lo ? total[k] : lo;
        hi = total[k] > hi ? total[k] : hi;
    }
    printf("  %zu chains at once: mean cycles %.1f to %.1f\n", n, (double)lo / 2000,
           (double)hi / 2000);
    free(chain);
    free(total);
    if (status != 0)
        return failed();
    return lo > 0 ? 0 : bad("a chain did not run");
}
