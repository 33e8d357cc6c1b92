/* Bandwidth and contention. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/access.h"
#include "ops.h"
#include "share/lib/cli.h"
#include "share/lib/mem.h"

static int stream_line(const char *what, struct stream s)
{
    struct stream_result r;
    double start = now();

    if (dev->ops->stream(dev, &s, &r) != 0)
        return failed();
    printf("  %-22s %7s width %2u unroll %u blocks %4u x %4u: %8.1f GB/s, %7.1f bytes a clock, "
           "%.0f us (%.0f ms in all)\n",
           what, cli_size(s.bytes), s.width, s.unroll, s.blocks, s.threads, (double)r.moved / r.ns,
           (double)r.moved / r.cycles, r.ns / 1e3, (now() - start) * 1e3);
    return r.ns > 0 && r.moved > 0 ? 0 : bad("nothing moved");
}

int op_stream(void)
{
    enum { BLOCKS = 1024 };
    unsigned sms = dev->info.sms;
    struct stream s = {.bytes = 24 * MIB,
                       .width = 16,
                       .blocks = 2 * sms,
                       .threads = 1024,
                       .unroll = 4,
                       .passes = 200,
                       .kind = L2_LD_CG};
    struct stream v;
    int *half = xcalloc(sms, sizeof *half), status = 0;
    uint64_t list[BLOCKS];

    if (need(512 * MIB) != 0)
        return -1;
    for (uint32_t unroll = 1; unroll <= 8 && status == 0; unroll *= 2)
        for (uint32_t blocks = sms; blocks <= 2 * sms && status == 0; blocks += sms) {
            v = s;
            v.unroll = unroll;
            v.blocks = blocks;
            status = stream_line("read", v);
        }
    for (uint32_t width = 4; width <= 8 && status == 0; width *= 2) {
        v = s;
        v.width = width;
        status = stream_line("read", v);
    }
    static const struct {
        const char *what;
        struct stream s;
    } more[] = {
        {"read, 512 threads", {.threads = 512}},
        {"read, 256 threads", {.threads = 256}},
        {"read 4 MiB", {.bytes = 4 * MIB}},
        {"read 40 MiB", {.bytes = 40 * MIB}},
        {"read from memory", {.bytes = 512 * MIB, .passes = 4}},
        {"read 32 of 64 bytes", {.take = 32, .every = 64}},
        {"read 32 of 64, memory", {.take = 32, .every = 64, .bytes = 512 * MIB, .passes = 4}},
        {"write", {.op = STREAM_WRITE}},
        {"write to memory", {.op = STREAM_WRITE, .bytes = 512 * MIB, .passes = 4}},
        {"copy", {.op = STREAM_COPY}},
        {"atom", {.op = STREAM_ATOM, .width = 8, .passes = 10}},
        {"read ca", {.kind = L2_LD_CA}},
        {"read no_allocate", {.kind = L2_LD_NO_ALLOCATE}},
    };
    for (size_t i = 0; i < sizeof more / sizeof more[0] && status == 0; i++) {
        v = more[i].s;
        v.bytes = v.bytes ? v.bytes : s.bytes;
        v.width = v.width ? v.width : s.width;
        v.threads = v.threads ? v.threads : s.threads;
        v.passes = v.passes ? v.passes : s.passes;
        v.kind = v.kind ? v.kind : s.kind;
        v.unroll = s.unroll;
        v.blocks = s.blocks * (1024 / v.threads);
        status = stream_line(more[i].what, v);
    }
    for (unsigned k = 0; k < sms / 2; k++)
        half[k] = (int)(2 * k);
    v = s;
    v.sm = half;
    v.nsm = sms / 2;
    v.blocks = sms;
    status = status ? status : stream_line("read, every other SM", v);
    v = s;
    v.list = list;
    v.nlist = BLOCKS;
    for (size_t i = 0; i < BLOCKS; i++)
        list[i] = i * 37 % BLOCKS * (s.bytes / BLOCKS);
    status = status ? status : stream_line("read, list of blocks", v);
    free(half);
    return status;
}

int op_hammer(void)
{
    enum { N = 200 };
    static const enum l2_kind kinds[] = {L2_LD_CG, L2_ATOM};
    uint64_t a[N], b[N];
    double cycles[N];

    if (need(64 * MIB) != 0)
        return -1;
    for (int i = 0; i < N; i++) {
        a[i] = 0;
        b[i] = (uint64_t)i * 4096;
    }
    for (int k = 0; k < 2; k++) {
        struct hammer h = {
            .kind = kinds[k], .a = a, .b = b, .npair = N, .accesses = 40, .warps = 32};
        uint32_t sorted[N];
        double start = now();

        if (dev->ops->hammer(dev, &h, cycles) != 0)
            return failed();
        printf("  %-4s against itself %.0f; %d others in %.1f ms:", access_name(kinds[k]),
               cycles[0], N - 1, (now() - start) * 1e3);
        for (int i = 0; i < N; i++)
            sorted[i] = (uint32_t)cycles[i];
        qsort(sorted, N, sizeof *sorted, ascending);
        for (int i = 0; i < N; i += 9)
            printf(" %u", sorted[i]);
        printf("\n");
    }
    return 0;
}
