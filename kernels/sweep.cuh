/* Touches lines and records nothing: by one block of 1024 threads in order, four accesses of each thread in flight, or
 * by the whole grid. */

L2_INLINE uint64_t sweep_line(const l2_sweep_arg &a, uint64_t i)
{
    if (a.source == L2_SWEEP_POOL)
        return a.base + l2_pool_line(&a.pool, (uint32_t)i);
    if (a.source == L2_SWEEP_LIST)
        return a.base + ((const uint64_t *)a.list)[i];
    return a.base + a.start + i * a.stride;
}

template <int KIND> struct touch {
    static __device__ __forceinline__ uint32_t once(uint64_t p, uint64_t policy)
    {
        return load<KIND>::u32(p, policy);
    }
};

#define L2_DEFINE_TOUCH(KIND, SPELL)                                                \
    template <> struct touch<KIND> {                                                \
        static __device__ __forceinline__ uint32_t once(uint64_t p, uint64_t policy) \
        {                                                                           \
            asm volatile(SPELL ::"l"(p), "l"(policy) : "memory");                   \
            return 0;                                                               \
        }                                                                           \
    };
L2_DEFINE_TOUCH(L2_ST, "st.global.u64 [%0], %0;")
L2_DEFINE_TOUCH(L2_RED, "red.global.add.u64 [%0], 0;")
L2_DEFINE_TOUCH(L2_PREFETCH, "prefetch.global.L2 [%0];")
#if __CUDA_ARCH__ >= 800
L2_DEFINE_TOUCH(L2_ST_EVICT_FIRST, "st.global.L2::cache_hint.u64 [%0], %0, %1;")
L2_DEFINE_TOUCH(L2_ST_EVICT_LAST, "st.global.L2::cache_hint.u64 [%0], %0, %1;")
L2_DEFINE_TOUCH(L2_DISCARD, "discard.global.L2 [%0], 128;")
#define L2_TOUCHES_80(X) X(L2_ST_EVICT_FIRST, , ) X(L2_ST_EVICT_LAST, , ) X(L2_DISCARD, , )
#else
#define L2_TOUCHES_80(X)
#endif

template <int KIND> L2_INLINE uint32_t sweep_all(const l2_sweep_arg &a, uint64_t policy)
{
    uint64_t step = a.pin.sm < 0 ? (uint64_t)gridDim.x * blockDim.x : blockDim.x;
    uint64_t i = a.pin.sm < 0 ? (uint64_t)blockIdx.x * blockDim.x + threadIdx.x : threadIdx.x;
    uint32_t sink = 0;

#pragma unroll 1
    for (; i + 3 * step < a.n; i += 4 * step) {
        uint64_t p0 = sweep_line(a, i), p1 = sweep_line(a, i + step);
        uint64_t p2 = sweep_line(a, i + 2 * step), p3 = sweep_line(a, i + 3 * step);
        uint32_t v0 = touch<KIND>::once(p0, policy), v1 = touch<KIND>::once(p1, policy);
        uint32_t v2 = touch<KIND>::once(p2, policy), v3 = touch<KIND>::once(p3, policy);
        sink ^= v0 ^ v1 ^ v2 ^ v3;
    }
#pragma unroll 1
    for (; i < a.n; i += step)
        sink ^= touch<KIND>::once(sweep_line(a, i), policy);
    return sink;
}

extern "C" __global__ void __launch_bounds__(L2_BLOCK) l2_sweep(const __grid_constant__ l2_sweep_arg a)
{
    __shared__ volatile uint32_t dump;
    uint64_t policy = policy_of(a.kind);
    uint32_t sink = 0;

    if (a.pin.sm >= 0 && !claimed(a.pin))
        return;
    switch (a.kind) {
#define L2_CASE(KIND, BEGIN, END)            \
    case KIND:                               \
        sink = sweep_all<KIND>(a, policy);   \
        break;
        L2_LOADS(L2_CASE)
        L2_TOUCHES_80(L2_CASE)
        L2_CASE(L2_ATOM, , )
        L2_CASE(L2_ST, , )
        L2_CASE(L2_RED, , )
        L2_CASE(L2_PREFETCH, , )
#undef L2_CASE
    }
    dump = sink;
}
