/* The tipping-point search (tip.h) on the GPU: one block. Its first thread runs the search and touches and times the
 * target; warps 1 to 31 touch the other lines when told to. All state is in registers and shared memory. */

#define TIP_FN L2_INLINE

struct tip_shared {
    l2_tip_in in;
    l2_tip_out out;
    uint64_t slot;
    uint32_t front, from, n, skip, go, dump;
};

struct tip_side {
    tip_shared *s;
    uint64_t base;
    uint32_t kind;
};

L2_INLINE void tip_barrier()
{
    asm volatile("barrier.sync 0;" ::: "memory");
}
L2_INLINE uint64_t tip_now(tip_side *)
{
    return clock_now();
}
L2_INLINE void tip_touch(tip_side *side, uint64_t offset)
{
    uint64_t p = side->base + offset;
    uint32_t v = side->kind == L2_ATOM ? load<L2_ATOM>::u32(p, 0) : load<L2_LD_CG>::u32(p, 0);

    *(volatile uint32_t *)&side->s->dump = v;
}
/* The workers' part, from barrier to barrier. */
L2_INLINE void tip_lines(tip_side *side)
{
    *(volatile uint32_t *)&side->s->go = 1;
    tip_barrier();
    tip_barrier();
}

TIP_FN uint32_t tip_trial(tip_side *side, const l2_tip_in *in, const l2_tip_out *, uint32_t front, uint32_t from,
                          uint32_t n, uint32_t skip)
{
    volatile tip_shared *s = side->s;
    uint64_t p = side->base + in->target, cycles;

    s->front = front;
    s->from = from;
    s->n = n;
    s->skip = skip;
#pragma unroll 1
    for (uint32_t k = 0; k < in->settle; k++) {
        tip_touch(side, in->target);
        tip_lines(side);
    }
    tip_touch(side, in->target);
#pragma unroll 1
    for (uint32_t k = 0; k < in->rounds; k++)
        tip_lines(side);
    if (side->kind == L2_ATOM)
        cycles = load<L2_ATOM>::timed(p, shared_at(&side->s->slot), 0);
    else
        cycles = load<L2_LD_CG>::timed(p, shared_at(&side->s->slot), 0);
    return (uint32_t)cycles;
}

#include "tip.h"

template <int KIND> L2_INLINE uint32_t tip_load(tip_shared *s, uint64_t base, uint32_t position)
{
    uint64_t line = l2_pool_line(&s->in.pool, position);

    /* The pool may hold the target itself: that one is left out. */
    return (line ^ s->in.target) < s->in.pool.stride ? 0 : load<KIND>::u32(base + line, 0);
}

template <int KIND> L2_INLINE void tip_work(tip_shared *s, uint64_t base)
{
    const uint32_t step = L2_BLOCK - 32, t = threadIdx.x - 32;

#pragma unroll 1
    for (;;) {
        uint32_t i, n, sink = 0;

        tip_barrier();
        if (!*(volatile uint32_t *)&s->go)
            return;
        if (t < *(volatile uint32_t *)&s->front && t != *(volatile uint32_t *)&s->skip)
            sink = load<KIND>::u32(base + *(volatile uint64_t *)&s->out.found[t], 0);
        n = *(volatile uint32_t *)&s->n;
        i = *(volatile uint32_t *)&s->from + t;
#pragma unroll 1
        for (; i + 3 * step < n; i += 4 * step) {
            uint32_t v0 = tip_load<KIND>(s, base, i), v1 = tip_load<KIND>(s, base, i + step);
            uint32_t v2 = tip_load<KIND>(s, base, i + 2 * step), v3 = tip_load<KIND>(s, base, i + 3 * step);
            sink ^= v0 ^ v1 ^ v2 ^ v3;
        }
#pragma unroll 1
        for (; i < n; i += step)
            sink ^= tip_load<KIND>(s, base, i);
        *(volatile uint32_t *)&s->dump = sink;
        tip_barrier();
    }
}

extern "C" __global__ void __launch_bounds__(L2_BLOCK) l2_tip(const __grid_constant__ l2_tip_arg a)
{
    __shared__ tip_shared s;
    uint32_t words;

    if (!claimed(a.pin))
        return;
    for (uint32_t i = threadIdx.x; i < sizeof s.in / 4; i += L2_BLOCK)
        ((uint32_t *)&s.in)[i] = ((const uint32_t *)&a.in)[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        tip_side side = {&s, a.base, a.in.kind};
        tip_search(&side, &s.in, &s.out);
        *(volatile uint32_t *)&s.go = 0;
        tip_barrier();
    } else if (threadIdx.x >= 32) {
        if (a.in.kind == L2_ATOM)
            tip_work<L2_ATOM>(&s, a.base);
        else
            tip_work<L2_LD_CG>(&s, a.base);
    } else {
        return;
    }
    tip_barrier();
    words = (uint32_t)(offsetof(l2_tip_out, test) + s.out.ntests * sizeof(l2_tip_test)) / 4;
    for (uint32_t i = threadIdx.x ? threadIdx.x - 31 : 0; i < words; i += L2_BLOCK - 31)
        ((uint32_t *)a.out)[i] = ((uint32_t *)&s.out)[i];
}
