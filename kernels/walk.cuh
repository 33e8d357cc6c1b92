/* One warp does a list of accesses in order, each timed.
 *
 * A chunk of the list is copied to shared memory first, and an access's cycles overwrite its slot there, so that within
 * a chunk nothing is touched but the list's lines. Before the first chunk the same code runs over every kind of access
 * on a scratch line: instructions are fetched then. Loads and atomics are timed until the value is there; a store, a
 * reduction, a prefetch or a discard until it is issued; a fence until it is passed. */

/* Every store: the clock is read by all lanes, the first `lanes` of them store. %0 %1 clocks, %2 address, %3 lane,
 * %4 lanes, %5 value, %6 policy. */
#define L2_TIMED_STORE(BEGIN, VALUE, END)                                                        \
    asm volatile("{\n\t.reg .pred on;\n\t.reg .b64 hint;\n\t.reg .b16 half;\n\t.reg .b64 wide;\n\t" \
                 "mov.b64 hint, %6;\n\tcvt.u16.u32 half, %5;\n\tcvt.u64.u32 wide, %5;\n\t"       \
                 "setp.lt.u32 on, %3, %4;\n\tmov.u64 %0, %%clock64;\n\t@on " BEGIN " [%2], " VALUE END \
                 ";\n\tmov.u64 %1, %%clock64;\n\t}"                                              \
                 : "=&l"(t0), "=&l"(t1)                                                          \
                 : "l"(p), "r"(lane), "r"(lanes), "r"(0x5a5a5a00u + lane), "l"(policy)           \
                 : "memory")

/* `bytes` at p, as lanes x unit with the widest unit that both are multiples of. */
#define L2_STORES(BEGIN, END)                                                      \
    switch (unit) {                                                                \
    case 1:                                                                        \
        L2_TIMED_STORE(BEGIN ".u8", "half", END);                                  \
        break;                                                                     \
    case 2:                                                                        \
        L2_TIMED_STORE(BEGIN ".u16", "half", END);                                 \
        break;                                                                     \
    case 4:                                                                        \
        L2_TIMED_STORE(BEGIN ".u32", "%5", END);                                   \
        break;                                                                     \
    case 8:                                                                        \
        L2_TIMED_STORE(BEGIN ".u64", "wide", END);                                 \
        break;                                                                     \
    default:                                                                       \
        L2_TIMED_STORE(BEGIN ".v4.u32", "{%5, %5, %5, %5}", END);                  \
    }

L2_INLINE uint64_t walk_store(uint32_t kind, uint64_t p, uint32_t bytes, uint64_t policy)
{
    uint32_t low = (uint32_t)p | bytes | 16, unit = low & (0u - low);
    uint32_t lane = threadIdx.x, lanes = bytes / unit;
    uint64_t t0 = 0, t1 = 0;

    p += lane * unit;
#if __CUDA_ARCH__ >= 800
    if (kind != L2_ST) {
        L2_STORES("st.global.L2::cache_hint", ", hint");
        return t1 - t0;
    }
#endif
    L2_STORES("st.global", "");
    return t1 - t0;
}

/* What is timed only until it is issued. */
#define L2_TIMED_ISSUE(SPELL)                                                    \
    asm volatile("mov.u64 %0, %%clock64;\n\t" SPELL "\n\tmov.u64 %1, %%clock64;" \
                 : "=&l"(t0), "=&l"(t1)                                          \
                 : "l"(p)                                                        \
                 : "memory")

L2_INLINE uint64_t walk_wait(uint64_t ns)
{
    uint64_t start = timer_now();

    while (timer_now() - start < ns)
        ;
    return 0;
}

/* What one lane does. */
L2_INLINE uint64_t walk_lane(uint32_t kind, uint64_t p, uint64_t ns, uint32_t slot, uint64_t policy)
{
    uint64_t t0 = 0, t1 = 0;

    switch (kind) {
#define L2_CASE(KIND, BEGIN, END) \
    case KIND:                    \
        return load<KIND>::timed(p, slot, policy);
        L2_LOADS(L2_CASE)
#undef L2_CASE
    case L2_ATOM:
        return load<L2_ATOM>::timed(p, slot, 0);
    case L2_RED:
        L2_TIMED_ISSUE("red.global.add.u64 [%2], 0;");
        break;
    case L2_PREFETCH:
        L2_TIMED_ISSUE("prefetch.global.L2 [%2];");
        break;
#if __CUDA_ARCH__ >= 800
    case L2_DISCARD:
        L2_TIMED_ISSUE("discard.global.L2 [%2], 128;");
        break;
#endif
    case L2_WAIT:
        return walk_wait(ns);
    case L2_NOP:
        asm volatile("mov.u64 %0, %%clock64;\n\tst.volatile.shared.u32 [%2], %3;\n\tmov.u64 %1, %%clock64;"
                     : "=&l"(t0), "=&l"(t1)
                     : "r"(slot), "r"(kind)
                     : "memory");
        break;
    }
    return t1 - t0;
}

L2_INLINE uint64_t walk_fence()
{
    uint64_t t0, t1;

    asm volatile("mov.u64 %0, %%clock64;\n\tfence.sc.sys;\n\tmov.u64 %1, %%clock64;"
                 : "=&l"(t0), "=&l"(t1)::"memory");
    return t1 - t0;
}

L2_INLINE bool walk_stores(uint32_t kind)
{
    return kind == L2_ST || kind == L2_ST_EVICT_FIRST || kind == L2_ST_EVICT_LAST;
}

/* Loads of up to 4 bytes, or of 8 that lie in one sector, are one lane's; others are 4 bytes from each of neighbouring
 * lanes, one request, which has come back when the slowest of them has. */
L2_INLINE uint32_t walk_lanes(uint32_t kind, uint64_t offset, uint32_t bytes)
{
    uint32_t lanes = (bytes + 3) / 4;
    bool one = bytes <= 4 || (bytes <= 8 && offset % 8 == 0);

    return kind < L2_LD_CG || kind > L2_LD_PF256 || one ? 1 : lanes < 32 ? lanes : 32;
}

/* All kinds, stores in all widths: to fetch their code. */
L2_INLINE uint32_t walk_warm_list(volatile uint64_t *list)
{
    uint32_t n = 0;

    for (uint32_t kind = 0; kind < L2_KINDS; kind++)
        for (uint32_t bytes = 1; bytes <= (walk_stores(kind) ? 16u : 1u); bytes *= 2)
            list[n++] = l2_access_of(kind, 0, bytes);
    return n;
}

extern "C" __global__ void __launch_bounds__(32) l2_walk(const __grid_constant__ l2_walk_arg a)
{
    extern __shared__ __align__(16) uint64_t walk_shared[];
    volatile uint64_t *list = walk_shared + 2;
    uint32_t slot = shared_at(walk_shared), lane = threadIdx.x, left = a.n, chunk;
    uint64_t first = policy_first(), last = policy_last(), base;

    if (!claimed(a.pin))
        return;
    /* Rounds 0 and 1 warm up, on the scratch line. */
#pragma unroll 1
    for (uint32_t round = 0; round < 2 || left > 0; round++) {
        const uint64_t *from = (const uint64_t *)a.list + (a.n - left);
        base = round < 2 ? a.scratch : a.base;
        if (round < 2) {
            chunk = walk_warm_list(list);
        } else {
            chunk = left < a.chunk ? left : a.chunk;
            for (uint32_t i = lane; i < chunk; i += 32)
                list[i] = load<L2_LD_CG>::u64((uint64_t)(from + i), 0);
        }
        __syncwarp();
#pragma unroll 1
        for (uint32_t i = 0; i < chunk; i++) {
            l2_access access = list[i];
            uint32_t kind = l2_access_kind(access);
            uint64_t offset = l2_access_offset(access), cycles = 0;
            uint64_t policy = kind == L2_LD_EVICT_LAST || kind == L2_ST_EVICT_LAST ? last : first;

            __syncwarp();
            if (walk_stores(kind))
                cycles = walk_store(kind, base + offset, l2_access_bytes(access), policy);
            else if (kind == L2_FENCE)
                cycles = walk_fence();
            else if (lane < walk_lanes(kind, offset, l2_access_bytes(access)))
                cycles = walk_lane(kind, base + offset + lane * 4, offset, slot, policy);
            __syncwarp();
            if (lane == 0)
                list[i] = cycles;
        }
        __syncwarp();
        if (round < 2)
            continue;
        for (uint32_t i = lane; i < chunk; i += 32)
            ((uint32_t *)a.cycles)[a.n - left + i] = (uint32_t)(list[i] > 0xffffffffu ? 0xffffffffu : list[i]);
        left -= chunk;
        __syncwarp();
    }
}
