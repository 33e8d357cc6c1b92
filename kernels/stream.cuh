/* Bandwidth: every thread takes every G-th element, G threads in all, so that consecutive warps are at consecutive
 * blocks of memory and all SMs move on together; `unroll` accesses of a thread are in flight. One kernel for each
 * operation, kind, width and unroll; the host makes the name (l2_read_cg_16_4). */

#define STREAM_READ  0
#define STREAM_WRITE 1
#define STREAM_COPY  2
#define STREAM_ATOM  3

template <int WIDTH> struct element; /* what a thread moves at once */
template <> struct element<4> {
    typedef uint32_t type;
    template <int KIND> static __device__ __forceinline__ type get(uint64_t p, uint64_t policy)
    {
        return load<KIND>::u32(p, policy);
    }
    static __device__ __forceinline__ uint32_t fold(type v)
    {
        return v;
    }
    static __device__ __forceinline__ type atom(uint64_t p)
    {
        type v;
        asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(p) : "memory");
        return v;
    }
};
template <> struct element<8> {
    typedef uint64_t type;
    template <int KIND> static __device__ __forceinline__ type get(uint64_t p, uint64_t policy)
    {
        return load<KIND>::u64(p, policy);
    }
    static __device__ __forceinline__ uint32_t fold(type v)
    {
        return (uint32_t)v ^ (uint32_t)(v >> 32);
    }
    static __device__ __forceinline__ type atom(uint64_t p)
    {
        type v;
        asm volatile("atom.global.add.u64 %0, [%1], 0;" : "=l"(v) : "l"(p) : "memory");
        return v;
    }
};
template <> struct element<16> {
    typedef uint4 type;
    template <int KIND> static __device__ __forceinline__ type get(uint64_t p, uint64_t policy)
    {
        return load<KIND>::v4(p, policy);
    }
    static __device__ __forceinline__ uint32_t fold(type v)
    {
        return v.x ^ v.y ^ v.z ^ v.w;
    }
};

template <int KIND> struct store { /* L2_ST; policies differ in the operand only */
    static __device__ __forceinline__ void put(uint64_t p, uint32_t v, uint64_t)
    {
        asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    }
    static __device__ __forceinline__ void put(uint64_t p, uint64_t v, uint64_t)
    {
        asm volatile("st.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
    }
    static __device__ __forceinline__ void put(uint64_t p, uint4 v, uint64_t policy)
    {
        if (KIND == L2_ST)
            asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                         : "memory");
#if __CUDA_ARCH__ >= 800
        else
            asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(p), "r"(v.x), "r"(v.y),
                         "r"(v.z), "r"(v.w), "l"(policy)
                         : "memory");
#endif
    }
};

template <int OP, int KIND, int WIDTH, int UNROLL>
L2_INLINE uint32_t stream_some(const uint64_t (&p)[UNROLL], uint64_t away, uint64_t policy)
{
    typedef typename element<WIDTH>::type type;
    uint32_t sink = 0;

    if constexpr (OP == STREAM_WRITE) {
        type v = {};
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            store<KIND>::put(p[k], v, policy);
    } else {
        type v[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            if constexpr (OP == STREAM_ATOM)
                v[k] = element<WIDTH>::atom(p[k]);
            else
                v[k] = element<WIDTH>::template get<KIND>(p[k], policy);
        }
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            if constexpr (OP == STREAM_COPY)
                store<L2_ST>::put(p[k] + away, v[k], 0);
            else
                sink ^= element<WIDTH>::fold(v[k]);
        }
    }
    return sink;
}

/* One pass: `count` elements of this thread, which is `within` a group of elements; groups are a.every bytes apart. */
template <int OP, int KIND, int WIDTH, int UNROLL>
L2_INLINE uint32_t stream_pass(const l2_stream_arg &a, uint32_t thread, uint64_t count, uint64_t policy)
{
    uint64_t p = a.from + (uint64_t)(thread / a.per) * a.every + thread % a.per * WIDTH;
    uint64_t step = (uint64_t)(a.threads / a.per) * a.every, away = a.to - a.from, at[UNROLL];
    uint32_t sink = 0;

#pragma unroll 1
    for (; count >= UNROLL; count -= UNROLL) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++, p += step)
            at[k] = p;
        sink ^= stream_some<OP, KIND, WIDTH, UNROLL>(at, away, policy);
    }
#pragma unroll 1
    for (; count > 0; count--, p += step) {
        const uint64_t one[1] = {p};
        sink ^= stream_some<OP, KIND, WIDTH, 1>(one, away, policy);
    }
    return sink;
}

/* The same over lines of the pool, by address. */
template <int OP, int KIND, int WIDTH, int UNROLL>
L2_INLINE uint32_t stream_pool(const l2_stream_arg &a, uint32_t thread, uint64_t count, uint64_t policy)
{
    uint64_t within = a.from + thread % a.per * WIDTH, at[UNROLL];
    uint32_t line = thread / a.per, jump = a.threads / a.per, sink = 0;

#pragma unroll 1
    for (; count >= UNROLL; count -= UNROLL) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++, line += jump)
            at[k] = within + l2_pool_nth(&a.pool, line);
        sink ^= stream_some<OP, KIND, WIDTH, UNROLL>(at, 0, policy);
    }
#pragma unroll 1
    for (; count > 0; count--, line += jump) {
        const uint64_t one[1] = {within + l2_pool_nth(&a.pool, line)};
        sink ^= stream_some<OP, KIND, WIDTH, 1>(one, 0, policy);
    }
    return sink;
}

/* This block's number among those that work, -1: it does not. */
L2_INLINE int32_t stream_rank(const l2_stream_arg &a)
{
    __shared__ int32_t rank;

    if (a.mask == 0)
        return (int32_t)blockIdx.x;
    if (threadIdx.x == 0) {
        rank = rank_of(a.mask);
        if (rank >= 0) {
            uint32_t before = atomicAdd((uint32_t *)a.count + sm_id(), 1u);
            rank = before < a.blocks_sm ? rank + (int32_t)(before * (a.blocks / a.blocks_sm)) : -1;
        }
    }
    __syncthreads();
    return rank;
}

template <int OP, int KIND, int WIDTH, int UNROLL, bool POOL> L2_INLINE void stream(const l2_stream_arg &a)
{
    __shared__ volatile uint32_t dump;
    int32_t rank = stream_rank(a);
    uint32_t thread = (uint32_t)rank * blockDim.x + threadIdx.x, sink = 0;
    uint64_t policy = policy_of(KIND), count = a.each + (thread < a.more), clock, timer;

    if (rank < 0)
        return;
    timer = timer_now();
    clock = clock_now();
    if (thread < a.threads) {
#pragma unroll 1
        for (uint32_t pass = 0; pass < a.passes; pass++) {
            if (POOL)
                sink ^= stream_pool<OP, KIND, WIDTH, UNROLL>(a, thread, count, policy);
            else
                sink ^= stream_pass<OP, KIND, WIDTH, UNROLL>(a, thread, count, policy);
        }
    }
    dump = sink;
    if (OP == STREAM_WRITE || OP == STREAM_COPY)
        __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        uint64_t *stamp = (uint64_t *)a.stamp + (uint64_t)rank * 4;
        stamp[0] = timer;
        stamp[1] = clock;
        stamp[2] = timer_now();
        stamp[3] = clock_now();
    }
}

#define L2_STREAM(OP, NAME, KNAME, KIND, WIDTH, UNROLL)                                   \
    extern "C" __global__ void __launch_bounds__(L2_BLOCK)                                \
        l2_##NAME##_##KNAME##_##WIDTH##_##UNROLL(const __grid_constant__ l2_stream_arg a) \
    {                                                                                     \
        stream<OP, KIND, WIDTH, UNROLL, false>(a);                                        \
    }
#define L2_STREAM_POOL(OP, NAME, KNAME, KIND, WIDTH, UNROLL)                                   \
    extern "C" __global__ void __launch_bounds__(L2_BLOCK)                                     \
        l2_pool_##NAME##_##KNAME##_##WIDTH##_##UNROLL(const __grid_constant__ l2_stream_arg a) \
    {                                                                                          \
        stream<OP, KIND, WIDTH, UNROLL, true>(a);                                              \
    }
#define L2_STREAM_UNROLLS(OP, NAME, KNAME, KIND, WIDTH) \
    L2_STREAM(OP, NAME, KNAME, KIND, WIDTH, 1)          \
    L2_STREAM(OP, NAME, KNAME, KIND, WIDTH, 2)          \
    L2_STREAM(OP, NAME, KNAME, KIND, WIDTH, 4)          \
    L2_STREAM(OP, NAME, KNAME, KIND, WIDTH, 8)

L2_STREAM_UNROLLS(STREAM_READ, read, cg, L2_LD_CG, 4)
L2_STREAM_UNROLLS(STREAM_READ, read, cg, L2_LD_CG, 8)
L2_STREAM_UNROLLS(STREAM_READ, read, cg, L2_LD_CG, 16)
L2_STREAM_UNROLLS(STREAM_READ, read, ca, L2_LD_CA, 16)
L2_STREAM(STREAM_READ, read, cv, L2_LD_CV, 16, 4)
L2_STREAM(STREAM_READ, read, no_allocate, L2_LD_NO_ALLOCATE, 16, 4)
L2_STREAM_UNROLLS(STREAM_WRITE, write, st, L2_ST, 4)
L2_STREAM_UNROLLS(STREAM_WRITE, write, st, L2_ST, 8)
L2_STREAM_UNROLLS(STREAM_WRITE, write, st, L2_ST, 16)
L2_STREAM_UNROLLS(STREAM_COPY, copy, cg, L2_LD_CG, 4)
L2_STREAM_UNROLLS(STREAM_COPY, copy, cg, L2_LD_CG, 8)
L2_STREAM_UNROLLS(STREAM_COPY, copy, cg, L2_LD_CG, 16)
L2_STREAM(STREAM_ATOM, atom, atom, L2_ATOM, 4, 4)
L2_STREAM_UNROLLS(STREAM_ATOM, atom, atom, L2_ATOM, 8)
L2_STREAM_POOL(STREAM_READ, read, cg, L2_LD_CG, 16, 4)
L2_STREAM_POOL(STREAM_READ, read, cg, L2_LD_CG, 16, 8)
L2_STREAM_POOL(STREAM_WRITE, write, st, L2_ST, 16, 4)
L2_STREAM_POOL(STREAM_ATOM, atom, atom, L2_ATOM, 8, 4)
#if __CUDA_ARCH__ >= 800
L2_STREAM(STREAM_READ, read, evict_first, L2_LD_EVICT_FIRST, 16, 4)
L2_STREAM(STREAM_READ, read, evict_last, L2_LD_EVICT_LAST, 16, 4)
L2_STREAM(STREAM_WRITE, write, st_evict_first, L2_ST_EVICT_FIRST, 16, 4)
L2_STREAM(STREAM_WRITE, write, st_evict_last, L2_ST_EVICT_LAST, 16, 4)
#endif
