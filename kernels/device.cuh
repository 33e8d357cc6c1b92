/* What all kernels use: the SM's number and clocks, the claim, every load spelled once, plain and timed.
 *
 * A timed load is one block of assembly: clock, load, store of the value to shared memory, clock. The store waits for
 * the value, so the second clock is read after the load has come back. Plain loads do not tell the compiler that they
 * touch memory: no kernel writes what it loads by them. */
#ifndef L2_DEVICE_CUH
#define L2_DEVICE_CUH

#include "launch.h"

#define L2_INLINE static __device__ __forceinline__

L2_INLINE uint32_t sm_id()
{
    uint32_t v;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(v));
    return v;
}
L2_INLINE uint64_t clock_now()
{
    uint64_t v;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(v)::"memory");
    return v;
}
L2_INLINE uint64_t timer_now()
{
    uint64_t v;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(v)::"memory");
    return v;
}
/* The 32-bit address of something in shared memory. */
L2_INLINE uint32_t shared_at(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* Whether this block is the one that works on its SM; the same answer for every thread. One barrier. */
L2_INLINE bool claimed(const l2_pin &pin)
{
    __shared__ uint32_t mine;

    if (threadIdx.x == 0) {
        uint32_t sm = sm_id();
        mine = (pin.sm < 0 || (uint32_t)pin.sm == sm) && sm < L2_MAX_SMS &&
               atomicMax((uint32_t *)pin.claim + sm, pin.epoch) < pin.epoch;
    }
    __syncthreads();
    return mine != 0;
}

/* Policies for loads and stores with an eviction priority. */
L2_INLINE uint64_t policy_first()
{
    uint64_t v = 0;
#if __CUDA_ARCH__ >= 800
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(v));
#endif
    return v;
}
L2_INLINE uint64_t policy_last()
{
    uint64_t v = 0;
#if __CUDA_ARCH__ >= 800
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(v));
#endif
    return v;
}
L2_INLINE uint64_t policy_of(uint32_t kind)
{
    return kind == L2_LD_EVICT_LAST || kind == L2_ST_EVICT_LAST ? policy_last() : policy_first();
}

/* Every load: its kind, how it begins, what follows the address. */
#if __CUDA_ARCH__ >= 800
#define L2_LOADS_80(X)                                        \
    X(L2_LD_EVICT_FIRST, "ld.global.cg.L2::cache_hint", ", hint") \
    X(L2_LD_EVICT_LAST, "ld.global.cg.L2::cache_hint", ", hint")  \
    X(L2_LD_PF256, "ld.global.cg.L2::256B", "")
#else
#define L2_LOADS_80(X)
#endif
#if __CUDA_ARCH__ >= 750
#define L2_LOADS_75(X)                        \
    X(L2_LD_PF64, "ld.global.cg.L2::64B", "") \
    X(L2_LD_PF128, "ld.global.cg.L2::128B", "")
#else
#define L2_LOADS_75(X)
#endif
#define L2_LOADS(X)                                       \
    X(L2_LD_CG, "ld.global.cg", "")                       \
    X(L2_LD_CA, "ld.global.ca", "")                       \
    X(L2_LD_CV, "ld.global.cv", "")                       \
    X(L2_LD_NO_ALLOCATE, "ld.global.L1::no_allocate", "") \
    L2_LOADS_75(X)                                        \
    L2_LOADS_80(X)

#define L2_ASM_OPEN "{\n\t.reg .b64 at, hint;\n\tmov.b64 at, %"
#define L2_TIMED_END "\n\tst.volatile.shared.u32 [%4], %2;\n\tmov.u64 %1, %%clock64;\n\t}"

template <int KIND> struct load;

/* One word; its name is the width in the instruction, too. */
#define L2_PLAIN_LOAD(WIDTH, TYPE, REGISTER, BEGIN, END)                                           \
    static __device__ __forceinline__ TYPE WIDTH(uint64_t p, uint64_t policy)                      \
    {                                                                                              \
        TYPE v;                                                                                    \
        asm volatile(L2_ASM_OPEN "1;\n\tmov.b64 hint, %2;\n\t" BEGIN "." #WIDTH " %0, [at]" END    \
                                 ";\n\t}"                                                          \
                     : REGISTER(v)                                                                 \
                     : "l"(p), "l"(policy));                                                       \
        return v;                                                                                  \
    }

#define L2_DEFINE_LOAD(KIND, BEGIN, END)                                                           \
    template <> struct load<KIND> {                                                                \
        L2_PLAIN_LOAD(u32, uint32_t, "=r", BEGIN, END)                                             \
        L2_PLAIN_LOAD(u64, uint64_t, "=l", BEGIN, END)                                             \
        static __device__ __forceinline__ uint4 v4(uint64_t p, uint64_t policy)                    \
        {                                                                                          \
            uint4 v;                                                                               \
            asm volatile(L2_ASM_OPEN "4;\n\tmov.b64 hint, %5;\n\t" BEGIN                           \
                                     ".v4.u32 {%0, %1, %2, %3}, [at]" END ";\n\t}"                 \
                         : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)                              \
                         : "l"(p), "l"(policy));                                                   \
            return v;                                                                              \
        }                                                                                          \
        /* Cycles of one load; slot is 4 bytes of shared memory. */                                \
        static __device__ __forceinline__ uint64_t timed(uint64_t p, uint32_t slot,                \
                                                         uint64_t policy)                          \
        {                                                                                          \
            uint64_t t0, t1;                                                                       \
            uint32_t v;                                                                            \
            asm volatile(L2_ASM_OPEN "3;\n\tmov.b64 hint, %5;\n\tmov.u64 %0, %%clock64;\n\t" BEGIN \
                                     ".u32 %2, [at]" END ";" L2_TIMED_END                          \
                         : "=&l"(t0), "=&l"(t1), "=&r"(v)                                          \
                         : "l"(p), "r"(slot), "l"(policy)                                          \
                         : "memory");                                                              \
            return t1 - t0;                                                                        \
        }                                                                                          \
        /* The same for a pointer, which moves on; slot is 8 bytes of shared memory. */            \
        static __device__ __forceinline__ uint64_t hop(uint64_t &p, uint32_t slot,                 \
                                                       uint64_t policy)                            \
        {                                                                                          \
            uint64_t t0, t1, v;                                                                    \
            asm volatile(L2_ASM_OPEN "3;\n\tmov.b64 hint, %5;\n\tmov.u64 %0, %%clock64;\n\t" BEGIN \
                                     ".u64 %2, [at]" END ";\n\t"                                   \
                                     "st.volatile.shared.u64 [%4], %2;\n\t"                        \
                                     "mov.u64 %1, %%clock64;\n\t}"                                 \
                         : "=&l"(t0), "=&l"(t1), "=&l"(v)                                          \
                         : "l"(p), "r"(slot), "l"(policy)                                          \
                         : "memory");                                                              \
            p = v;                                                                                 \
            return t1 - t0;                                                                        \
        }                                                                                          \
    };

L2_LOADS(L2_DEFINE_LOAD)

/* atom.add of 0 as a load: 8 bytes, served at the line's home. */
template <> struct load<L2_ATOM> {
    static __device__ __forceinline__ uint32_t u32(uint64_t p, uint64_t)
    {
        uint64_t v;
        asm volatile("atom.global.add.u64 %0, [%1], 0;" : "=l"(v) : "l"(p));
        return (uint32_t)v;
    }
    static __device__ __forceinline__ uint64_t timed(uint64_t p, uint32_t slot, uint64_t)
    {
        uint64_t t0, t1, v;
        asm volatile("mov.u64 %0, %%clock64;\n\tatom.global.add.u64 %2, [%3], 0;\n\t"
                     "st.volatile.shared.u64 [%4], %2;\n\tmov.u64 %1, %%clock64;"
                     : "=&l"(t0), "=&l"(t1), "=&l"(v)
                     : "l"(p), "r"(slot)
                     : "memory");
        return t1 - t0;
    }
};

#endif
