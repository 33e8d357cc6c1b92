/* Bandwidth: every thread takes every G-th element, G threads in all, so that consecutive warps are at consecutive
 * blocks of memory; `unroll` accesses of a thread are in flight. One kernel for each operation, kind, width and unroll;
 * the host makes the name (l2_read_cg_16_4). */

#define STREAM_READ  0
#define STREAM_WRITE 1
#define STREAM_COPY  2
#define STREAM_ATOM  3

/* Where groups of elements are: one after another, or as a list says. */
#define STREAM_RANGE 0
#define STREAM_LIST  1

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

/* The working set is a ring of a.groups groups of `per` elements; each time a thread goes a.jump groups on. So passes flow
 * into each other: all threads have as much to do, and a line is not always moved by the same SM. */
template <int OP, int KIND, int WIDTH, int UNROLL, int PLACE>
L2_INLINE uint32_t stream_ring(const l2_stream_arg &a, uint32_t thread, uint32_t side, uint64_t policy)
{
    const uint64_t *list = (const uint64_t *)a.list + (PLACE == STREAM_LIST ? side * a.groups : 0);
    uint64_t from = a.from + thread % a.per * WIDTH, away = a.to - a.from, at[UNROLL];
    uint32_t group = thread / a.per % a.groups, sink = 0;

#pragma unroll 1
    for (uint32_t round = 0; round < a.rounds; round++) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            at[k] = from + (PLACE == STREAM_LIST ? list[group] : (uint64_t)group * a.every);
            group += a.jump;
            group -= group >= a.groups ? a.groups : 0;
        }
        sink ^= stream_some<OP, KIND, WIDTH, UNROLL>(at, away, policy);
    }
    return sink;
}

/* One block's work: the timer belongs to `rank`, the elements to `turn`. */
template <int OP, int KIND, int WIDTH, int UNROLL, int PLACE>
L2_INLINE void stream_block(const l2_stream_arg &a, uint32_t rank, uint32_t turn, uint32_t side)
{
    __shared__ volatile uint32_t dump;
    uint64_t *stamp = (uint64_t *)a.stamp + (uint64_t)rank * 4;

    if (threadIdx.x == 0) {
        stamp[0] = timer_now();
        stamp[1] = clock_now();
    }
    dump = stream_ring<OP, KIND, WIDTH, UNROLL, PLACE>(a, turn / a.same * blockDim.x + threadIdx.x, side,
                                                      policy_of(KIND));
    if (OP == STREAM_WRITE || OP == STREAM_COPY)
        __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        stamp[2] = timer_now();
        stamp[3] = clock_now();
    }
}

/* Whether this block is one of the first a.blocks_sm on an SM that takes part. */
L2_INLINE bool stream_stays(const l2_stream_arg &a)
{
    __shared__ bool stays;

    if (threadIdx.x == 0)
        stays = rank_of(a.mask) >= 0 && atomicAdd((uint32_t *)a.count + sm_id(), 1u) < a.blocks_sm;
    __syncthreads();
    return stays;
}

/* All blocks of the launch work once each: the hardware gives an SM a new one when an old one ends, so faster SMs move
 * more. When only some SMs take part, blocks that stay draw numbers instead, with the same effect. */
template <int OP, int KIND, int WIDTH, int UNROLL, int PLACE> L2_INLINE void stream(const l2_stream_arg &a)
{
    __shared__ uint32_t drawn[2];
    uint32_t side = 0;

    if (a.mask == 0) {
        stream_block<OP, KIND, WIDTH, UNROLL, PLACE>(a, blockIdx.x, blockIdx.x, 0);
        return;
    }
    if (!stream_stays(a))
        return;
    if (PLACE == STREAM_LIST && a.side)
        side = ((const uint8_t *)a.side)[sm_id()];
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) {
            drawn[0] = atomicAdd((uint32_t *)a.drawn, 1u);
            drawn[1] = a.side ? atomicAdd((uint32_t *)a.drawn + 1 + side, 1u) : drawn[0];
        }
        __syncthreads();
        if (drawn[0] >= a.blocks)
            return;
        stream_block<OP, KIND, WIDTH, UNROLL, PLACE>(a, drawn[0], drawn[1], side);
    }
}

#define L2_STREAM(OP, NAME, KNAME, KIND, WIDTH, UNROLL)                                   \
    extern "C" __global__ void __launch_bounds__(L2_BLOCK)                                \
        l2_##NAME##_##KNAME##_##WIDTH##_##UNROLL(const __grid_constant__ l2_stream_arg a) \
    {                                                                                     \
        stream<OP, KIND, WIDTH, UNROLL, STREAM_RANGE>(a);                                        \
    }
#define L2_STREAM_LIST(OP, NAME, KNAME, KIND, WIDTH, UNROLL)                                   \
    extern "C" __global__ void __launch_bounds__(L2_BLOCK)                                     \
        l2_list_##NAME##_##KNAME##_##WIDTH##_##UNROLL(const __grid_constant__ l2_stream_arg a) \
    {                                                                                          \
        stream<OP, KIND, WIDTH, UNROLL, STREAM_LIST>(a);                                       \
    }
#define L2_STREAM_LISTS(OP, NAME, KNAME, KIND, WIDTH) \
    L2_STREAM_LIST(OP, NAME, KNAME, KIND, WIDTH, 1)   \
    L2_STREAM_LIST(OP, NAME, KNAME, KIND, WIDTH, 2)   \
    L2_STREAM_LIST(OP, NAME, KNAME, KIND, WIDTH, 4)   \
    L2_STREAM_LIST(OP, NAME, KNAME, KIND, WIDTH, 8)
#define L2_STREAM_UNROLLS(OP, NAME, KNAME, KIND, WIDTH) \
    L2_STREAM(OP, NAME, KNAME, KIND, WIDTH, 1)          \
    L2_STREAM(OP, NAME, KNAME, KIND, WIDTH, 2)          \
    L2_STREAM(OP, NAME, KNAME, KIND, WIDTH, 4)          \
    L2_STREAM(OP, NAME, KNAME, KIND, WIDTH, 8)

L2_STREAM_UNROLLS(STREAM_READ, read, cg, L2_LD_CG, 4)
L2_STREAM_UNROLLS(STREAM_READ, read, cg, L2_LD_CG, 8)
L2_STREAM_UNROLLS(STREAM_READ, read, cg, L2_LD_CG, 16)
L2_STREAM_UNROLLS(STREAM_READ, read, ca, L2_LD_CA, 4)
L2_STREAM_UNROLLS(STREAM_READ, read, ca, L2_LD_CA, 8)
L2_STREAM_UNROLLS(STREAM_READ, read, ca, L2_LD_CA, 16)
L2_STREAM(STREAM_READ, read, cv, L2_LD_CV, 16, 4)
L2_STREAM_UNROLLS(STREAM_READ, read, no_allocate, L2_LD_NO_ALLOCATE, 4)
L2_STREAM_UNROLLS(STREAM_READ, read, no_allocate, L2_LD_NO_ALLOCATE, 8)
L2_STREAM_UNROLLS(STREAM_READ, read, no_allocate, L2_LD_NO_ALLOCATE, 16)
L2_STREAM_UNROLLS(STREAM_WRITE, write, st, L2_ST, 4)
L2_STREAM_UNROLLS(STREAM_WRITE, write, st, L2_ST, 8)
L2_STREAM_UNROLLS(STREAM_WRITE, write, st, L2_ST, 16)
L2_STREAM_UNROLLS(STREAM_COPY, copy, cg, L2_LD_CG, 4)
L2_STREAM_UNROLLS(STREAM_COPY, copy, cg, L2_LD_CG, 8)
L2_STREAM_UNROLLS(STREAM_COPY, copy, cg, L2_LD_CG, 16)
L2_STREAM_UNROLLS(STREAM_COPY, copy, no_allocate, L2_LD_NO_ALLOCATE, 4)
L2_STREAM_UNROLLS(STREAM_COPY, copy, no_allocate, L2_LD_NO_ALLOCATE, 8)
L2_STREAM_UNROLLS(STREAM_COPY, copy, no_allocate, L2_LD_NO_ALLOCATE, 16)
L2_STREAM_UNROLLS(STREAM_ATOM, atom, atom, L2_ATOM, 4)
L2_STREAM_UNROLLS(STREAM_ATOM, atom, atom, L2_ATOM, 8)
L2_STREAM_LISTS(STREAM_READ, read, cg, L2_LD_CG, 16)
L2_STREAM_LISTS(STREAM_READ, read, no_allocate, L2_LD_NO_ALLOCATE, 16)
L2_STREAM_LISTS(STREAM_WRITE, write, st, L2_ST, 16)
L2_STREAM_LISTS(STREAM_ATOM, atom, atom, L2_ATOM, 8)
#if __CUDA_ARCH__ >= 800
L2_STREAM(STREAM_READ, read, evict_first, L2_LD_EVICT_FIRST, 16, 4)
L2_STREAM(STREAM_READ, read, evict_last, L2_LD_EVICT_LAST, 16, 4)
L2_STREAM(STREAM_WRITE, write, st_evict_first, L2_ST_EVICT_FIRST, 16, 4)
L2_STREAM(STREAM_WRITE, write, st_evict_last, L2_ST_EVICT_LAST, 16, 4)
#endif
