/* The tipping-point search (tip.h) on the GPU: one block. Its first thread runs the search and touches and times the
 * target; warps 1 to 31 touch the other lines when told to. All state is in registers and shared memory. */

#define TIP_FN L2_INLINE

struct tip_shared {
    l2_tip_in in;
    l2_tip_out out;
    uint64_t base, slot;
    uint32_t front, from, n, skip, go, dump;
};
__shared__ tip_shared tip_here;

struct tip_side {
    int none;
};

L2_INLINE void tip_barrier()
{
    asm volatile("barrier.sync 0;" ::: "memory");
}
L2_INLINE uint64_t tip_now(tip_side *)
{
    return clock_now();
}
L2_INLINE void tip_touch()
{
    uint64_t p = tip_here.base + tip_here.in.target;
    uint32_t k = 0;

    do {
        uint32_t v = tip_here.in.kind == L2_ATOM ? load<L2_ATOM>::u32(p, 0) : load<L2_LD_CG>::u32(p, 0);

        *(volatile uint32_t *)&tip_here.dump = v; /* waits for the load */
    } while (++k < tip_here.in.touches);
}
/* The workers' part, from barrier to barrier. */
L2_INLINE void tip_lines()
{
    *(volatile uint32_t *)&tip_here.go = 1;
    tip_barrier();
    tip_barrier();
}

/* Compiled once, for every place that calls it: so its code has been fetched when it is timed. */
static __device__ __noinline__ uint32_t tip_gpu_trial(uint32_t front, uint32_t from, uint32_t n, uint32_t skip)
{
    uint64_t p = tip_here.base + tip_here.in.target;

    *(volatile uint32_t *)&tip_here.front = front;
    *(volatile uint32_t *)&tip_here.from = from;
    *(volatile uint32_t *)&tip_here.n = n;
    *(volatile uint32_t *)&tip_here.skip = skip;
#pragma unroll 1
    for (uint32_t k = 0; k < tip_here.in.settle; k++) {
        tip_touch();
        tip_lines();
    }
    tip_touch();
#pragma unroll 1
    for (uint32_t k = 0; k < tip_here.in.rounds; k++)
        tip_lines();
    if (tip_here.in.kind == L2_ATOM)
        return (uint32_t)load<L2_ATOM>::timed(p, shared_at(&tip_here.slot), 0);
    return (uint32_t)load<L2_LD_CG>::timed(p, shared_at(&tip_here.slot), 0);
}

TIP_FN uint32_t tip_trial(tip_side *, const l2_tip_in *, const l2_tip_out *, uint32_t front, uint32_t from, uint32_t n,
                          uint32_t skip)
{
    return tip_gpu_trial(front, from, n, skip);
}

#include "tip.h"

/* A load when `on`, without a branch. */
template <int KIND> L2_INLINE uint32_t load_if(uint64_t p, bool on)
{
    if (KIND == L2_ATOM) {
        uint64_t v;
        asm volatile("{\n\t.reg .pred on;\n\tsetp.ne.u32 on, %2, 0;\n\tmov.u64 %0, 0;\n\t"
                     "@on atom.global.add.u64 %0, [%1], 0;\n\t}"
                     : "=&l"(v)
                     : "l"(p), "r"((uint32_t)on));
        return (uint32_t)v;
    }
    uint32_t v;
    asm volatile("{\n\t.reg .pred on;\n\tsetp.ne.u32 on, %2, 0;\n\tmov.u32 %0, 0;\n\t"
                 "@on ld.global.cg.u32 %0, [%1];\n\t}"
                 : "=&r"(v)
                 : "l"(p), "r"((uint32_t)on));
    return v;
}

/* The pool may hold the target itself: that one is left out. */
template <int KIND> L2_INLINE uint32_t tip_load(uint64_t base, uint32_t position)
{
    uint64_t line = l2_pool_line(&tip_here.in.pool, position);

    return load_if<KIND>(base + line, (line ^ tip_here.in.target) >= tip_here.in.pool.stride);
}

template <int KIND> L2_INLINE void tip_work(uint64_t base)
{
    const uint32_t step = L2_BLOCK - 32, t = threadIdx.x - 32;

#pragma unroll 1
    for (;;) {
        uint32_t i, n, sink = 0;

        tip_barrier();
        if (!*(volatile uint32_t *)&tip_here.go)
            return;
        if (t < *(volatile uint32_t *)&tip_here.front && t != *(volatile uint32_t *)&tip_here.skip) {
            uint32_t k = 0;

            do {
                sink = load<KIND>::u32(base + *(volatile uint64_t *)&tip_here.out.found[t], 0);
                *(volatile uint32_t *)&tip_here.dump = sink;
            } while (++k < tip_here.in.touches);
        }
        n = *(volatile uint32_t *)&tip_here.n;
        i = *(volatile uint32_t *)&tip_here.from + t;
        if (tip_here.in.touches > 1)
#pragma unroll 1
            for (; i < n; i += step) { /* one after the other, each until it is there */
                *(volatile uint32_t *)&tip_here.dump = tip_load<KIND>(base, i);
                sink ^= tip_load<KIND>(base, i);
            }
#pragma unroll 1
        for (; i + 3 * step < n; i += 4 * step) {
            uint32_t v0 = tip_load<KIND>(base, i), v1 = tip_load<KIND>(base, i + step);
            uint32_t v2 = tip_load<KIND>(base, i + 2 * step), v3 = tip_load<KIND>(base, i + 3 * step);
            sink ^= v0 ^ v1 ^ v2 ^ v3;
        }
#pragma unroll 1
        for (; i < n; i += step)
            sink ^= tip_load<KIND>(base, i);
        *(volatile uint32_t *)&tip_here.dump = sink;
        tip_barrier();
    }
}

extern "C" __global__ void __launch_bounds__(L2_BLOCK) l2_tip(const __grid_constant__ l2_tip_arg a)
{
    uint32_t words;

    if (!claimed(a.pin))
        return;
    for (uint32_t i = threadIdx.x; i < sizeof tip_here.in / 4; i += L2_BLOCK)
        ((uint32_t *)&tip_here.in)[i] = ((const uint32_t *)&a.in)[i];
    if (threadIdx.x == 0)
        tip_here.base = a.base;
    __syncthreads();
    if (threadIdx.x == 0) {
        tip_side side = {0};
        tip_search(&side, &tip_here.in, &tip_here.out);
        *(volatile uint32_t *)&tip_here.go = 0;
        tip_barrier();
    } else if (threadIdx.x >= 32) {
        if (a.in.kind == L2_ATOM)
            tip_work<L2_ATOM>(a.base);
        else
            tip_work<L2_LD_CG>(a.base);
    } else {
        return;
    }
    tip_barrier();
    words = (uint32_t)(offsetof(l2_tip_out, test) + tip_here.out.ntests * sizeof(l2_tip_test)) / 4;
    for (uint32_t i = threadIdx.x ? threadIdx.x - 31 : 0; i < words; i += L2_BLOCK - 31)
        ((uint32_t *)a.out)[i] = ((uint32_t *)&tip_here.out)[i];
}
