/* Contention: one block an SM; half of its warps go to line a, the others to line b, one lane each, and every access
 * waits for the one before. */

/* An SM's rank among those that work, -1: it does not. */
L2_INLINE int32_t rank_of(uint64_t mask)
{
    uint32_t sm = sm_id();

    if (sm >= L2_MAX_SMS)
        return -1;
    return mask ? ((const int32_t *)mask)[sm] : (int32_t)sm;
}

template <int KIND> L2_INLINE uint32_t hammer_line(uint64_t p, const l2_hammer_arg &a)
{
    uint32_t v = 0;

#pragma unroll 1
    for (uint32_t i = 0; i < a.accesses; i++)
        v = load<KIND>::u32(p + (v & a.zero), 0);
    return v;
}

extern "C" __global__ void __launch_bounds__(L2_BLOCK) l2_hammer(const __grid_constant__ l2_hammer_arg a)
{
    __shared__ volatile uint32_t dump;
    uint32_t warp = threadIdx.x / 32, v = 0;
    uint64_t line = warp & 1 ? a.b : a.a, start;

    if (rank_of(a.mask) < 0 || !claimed(a.pin))
        return;
    start = clock_now();
    if (threadIdx.x % 32 == 0) {
        if (a.kind == L2_ATOM)
            v = hammer_line<L2_ATOM>(line, a);
        else
            v = hammer_line<L2_LD_CG>(line, a);
        dump = v;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd((unsigned long long *)a.sum, (unsigned long long)(clock_now() - start));
        atomicAdd((unsigned long long *)a.sum + 1, 1ull);
    }
}
