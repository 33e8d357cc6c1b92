/* Dependent pointers: one thread a chain, each chain on its own SM. Cycles of every hop go into a histogram in shared
 * memory (rare long ones into device memory), or the whole pass is timed. */

/* Waits until `want` blocks have come here, a tenth of a second at most. */
L2_INLINE void meet(uint64_t counter, uint32_t want)
{
    uint64_t start = timer_now();

    if (want < 2)
        return;
    atomicAdd((uint32_t *)counter, 1u);
    while (*(volatile uint32_t *)counter < want && timer_now() - start < 100000000ull)
        ;
}

template <int KIND> L2_INLINE uint64_t follow(uint64_t p, uint64_t hops, uint64_t policy)
{
    for (; hops >= 16; hops -= 16) {
#pragma unroll
        for (int k = 0; k < 16; k++)
            p = load<KIND>::u64(p, policy);
    }
#pragma unroll 1
    for (; hops > 0; hops--)
        p = load<KIND>::u64(p, policy);
    return p;
}

/* Shared memory: slot (8 bytes, padded to 16), the bins, the ring. */
template <int KIND> L2_INLINE void chase_each(const l2_chase_arg &a, uint32_t chain, uint64_t policy, uint32_t *bins)
{
    uint32_t slot = shared_at(bins - 4), *ring = bins + L2_FAST_BINS;
    uint32_t *slow = (uint32_t *)a.bins + (uint64_t)chain * a.nbins, *each = (uint32_t *)a.each;
    uint64_t p = follow<KIND>(((uint64_t *)a.at)[chain], a.warm, policy);

    meet(a.arrived, a.nchain);
    /* The first round only fetches the code: it loads from the scratch line. */
#pragma unroll 1
    for (uint64_t h = 0; h < a.hops + 1; h++) {
        uint64_t q = h == 0 ? a.scratch : p, cycles = load<KIND>::hop(q, slot, policy);
        if (h == 0)
            continue;
        p = q;
        if (cycles < L2_FAST_BINS)
            bins[cycles]++;
        else
            atomicAdd(slow + (cycles < a.nbins ? cycles : a.nbins - 1), 1u);
        if (each) {
            uint64_t k = h - 1;
            ring[k % L2_RING] = (uint32_t)cycles;
            if (h % L2_RING == 0 || h == a.hops) {
                for (uint64_t i = k - k % L2_RING; i <= k; i++)
                    each[i] = ring[i % L2_RING];
                __threadfence();
            }
        }
    }
    ((uint64_t *)a.at)[chain] = p;
}

template <int KIND> L2_INLINE void chase_total(const l2_chase_arg &a, uint32_t chain, uint64_t policy)
{
    uint64_t p = follow<KIND>(((uint64_t *)a.at)[chain], a.warm, policy), start, end;
    __shared__ volatile uint64_t last;

    meet(a.arrived, a.nchain);
    start = clock_now();
    p = follow<KIND>(p, a.hops, policy);
    last = p;
    end = clock_now();
    ((uint64_t *)a.total)[chain] = end - start;
    ((uint64_t *)a.at)[chain] = last;
}

extern "C" __global__ void __launch_bounds__(32) l2_chase(const __grid_constant__ l2_chase_arg a)
{
    extern __shared__ __align__(16) uint32_t chase_shared[];
    uint32_t *bins = chase_shared + 4;
    uint64_t policy = policy_of(a.kind);
    uint32_t sm = sm_id();
    int32_t chain = sm < L2_MAX_SMS ? ((const int32_t *)a.rank)[sm] : -1;

    if (chain < 0 || !claimed(a.pin))
        return;
    if (a.each_hop)
        for (uint32_t i = threadIdx.x; i < L2_FAST_BINS; i += 32)
            bins[i] = 0;
    __syncwarp();
    if (threadIdx.x == 0) {
        switch (a.kind) {
#define L2_CASE(KIND, BEGIN, END)                                     \
    case KIND:                                                        \
        if (a.each_hop)                                               \
            chase_each<KIND>(a, (uint32_t)chain, policy, bins);       \
        else                                                          \
            chase_total<KIND>(a, (uint32_t)chain, policy);            \
        break;
            L2_LOADS(L2_CASE)
#undef L2_CASE
        }
    }
    __syncwarp();
    if (a.each_hop)
        for (uint32_t i = threadIdx.x; i < L2_FAST_BINS; i += 32)
            if (bins[i])
                ((uint32_t *)a.bins)[(uint64_t)chain * a.nbins + i] = bins[i];
}

/* Follows pointers from `at` until they come back to `start`. */
extern "C" __global__ void __launch_bounds__(32) l2_cycle(const __grid_constant__ l2_cycle_arg a)
{
    if (!claimed(a.pin) || threadIdx.x != 0)
        return;
    uint64_t p = *(uint64_t *)a.at, n = 0;
    do {
        p = load<L2_LD_CG>::u64(p, 0);
        n++;
    } while (p != a.start && n < a.most);
    *(uint64_t *)a.at = p;
    *(uint64_t *)a.length = n;
}

extern "C" __global__ void l2_link(const __grid_constant__ l2_link_arg a)
{
    const uint32_t *next = (const uint32_t *)a.next;
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t k = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; k < a.n; k += step)
        *(uint64_t *)(a.base + k * a.stride) = a.base + next[k] * a.stride;
}

/* Both clocks, read at two edges of the slower one about `ns` apart. */
extern "C" __global__ void __launch_bounds__(32) l2_ticks(const __grid_constant__ l2_ticks_arg a)
{
    if (!claimed(a.pin) || threadIdx.x != 0)
        return;
    uint64_t t0 = timer_now(), t1, c0, c1;
    while ((t1 = timer_now()) == t0)
        ;
    c0 = clock_now();
    t0 = t1;
    while (timer_now() - t0 < a.ns)
        ;
    uint64_t before = timer_now();
    while ((t1 = timer_now()) == before)
        ;
    c1 = clock_now();
    ((uint64_t *)a.out)[0] = c1 - c0;
    ((uint64_t *)a.out)[1] = t1 - t0;
}
