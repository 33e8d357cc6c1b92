/* What the host and the device code agree on: kinds of access, pools, searches. Plain C that nvcc and cc both read.
 *
 * Every address is an offset in bytes into the device's one buffer, whose start is aligned to 2 MiB. */
#ifndef L2_ABI_H
#define L2_ABI_H

#include <stdint.h>

#ifdef __CUDACC__
#define L2_BOTH static __host__ __device__ __forceinline__
#else
#define L2_BOTH static inline
#endif

/* Kinds of access. The names that people type and files carry are in collect/access.c. */
enum l2_kind {
    L2_NOP, /* what the timer costs: two clock reads and the store to shared memory that waits for a load */
    L2_LD_CG,          /* ld.global.cg: L1 bypassed */
    L2_LD_CA,          /* ld.global.ca: through L1 */
    L2_LD_CV,          /* ld.global.cv: volatile */
    L2_LD_EVICT_FIRST, /* cg loads with an L2 eviction priority ... */
    L2_LD_EVICT_LAST,
    L2_LD_NO_ALLOCATE, /* L1::no_allocate: not the same as cg */
    L2_LD_PF64,        /* cg loads with a prefetch-size hint L2::64B, L2::128B, L2::256B */
    L2_LD_PF128,
    L2_LD_PF256,
    L2_ST, /* st.global, `bytes` wide: over 16 bytes by neighbouring lanes of one warp */
    L2_ST_EVICT_FIRST,
    L2_ST_EVICT_LAST,
    L2_ATOM,     /* atom.global.add.u64 of 0, value returned: served at the line's home */
    L2_RED,      /* red.global.add.u64 of 0, nothing returned */
    L2_PREFETCH, /* prefetch.global.L2 */
    L2_DISCARD,  /* discard.global.L2, 128 bytes */
    L2_FENCE,    /* fence.sc.sys, or membar */
    L2_WAIT,     /* wait `offset` nanoseconds */
    L2_KINDS
};

/* One access of a walk, packed: offset in bits 0-39, bytes in 40-47 (0: 8 bytes), kind in 48-55. A load of more than 8
 * bytes is one request of a warp, 128 at most, at a multiple of 4. */
typedef uint64_t l2_access;

L2_BOTH l2_access l2_access_of(uint32_t kind, uint64_t offset, uint32_t bytes)
{
    return (offset & 0xffffffffffu) | (uint64_t)bytes << 40 | (uint64_t)kind << 48;
}
L2_BOTH uint64_t l2_access_offset(l2_access a)
{
    return a & 0xffffffffffu;
}
L2_BOTH uint32_t l2_access_bytes(l2_access a)
{
    uint32_t bytes = (uint32_t)(a >> 40) & 255;

    return bytes == 0 ? 8 : bytes;
}
L2_BOTH uint32_t l2_access_kind(l2_access a)
{
    return (uint32_t)(a >> 48) & 255;
}

/* A pool of lines whose order is computed from the position, so that no list of it takes room in the cache.
 * Without a side filter, position 0 .. 2^log2_lines - 1 are all lines of [base, base + 2^log2_lines * stride).
 * With one (side_mask != 0) there are half as many positions and each is a line of side `want`: the side of a line is the
 * parity of (offset & side_mask), xor the constant of its page; bit `flip` of the offset, one of side_mask's, is set so
 * that this comes out as wanted. */
#define L2_POOL_PAGES 1024
struct l2_pool {
    uint64_t base;      /* a multiple of 2^page_shift */
    uint64_t seed;      /* another seed, another order */
    uint64_t side_mask; /* 0: lines of all sides */
    uint32_t log2_lines;
    uint32_t stride;                        /* bytes from line to line: a power of two */
    uint32_t flip;                          /* a bit number, 1 << flip is in side_mask, >= stride */
    uint32_t want;                          /* side, 0 or 1 */
    uint32_t page_shift;                    /* 21 for pages of 2 MiB */
    uint32_t page_side[L2_POOL_PAGES / 32]; /* bit k: the constant of page k of the pool */
};

L2_BOTH uint32_t l2_parity(uint64_t x)
{
    x ^= x >> 32;
    x ^= x >> 16;
    x ^= x >> 8;
    x ^= x >> 4;
    return (0x6996u >> (x & 15)) & 1;
}

/* How many positions a pool has. */
L2_BOTH uint32_t l2_pool_size(const struct l2_pool *p)
{
    return 1u << (p->log2_lines - (p->side_mask != 0));
}

/* A bijection of [0, 2^bits): odd multiplications and xor-shifts are each invertible modulo 2^bits. */
L2_BOTH uint32_t l2_scramble(uint32_t x, uint32_t bits, uint64_t seed)
{
    uint32_t mask = bits >= 32 ? 0xffffffffu : (1u << bits) - 1;
    uint32_t shift = bits / 2 + 1;

    for (int round = 0; round < 3; round++) {
        x = (x * ((uint32_t)(seed >> 32) | 1u) + (uint32_t)seed) & mask;
        x ^= x >> shift;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
    }
    return x & mask;
}

/* The k-th line of the pool by address -> its offset. */
L2_BOTH uint64_t l2_pool_nth(const struct l2_pool *p, uint32_t k)
{
    uint64_t offset = (uint64_t)k * p->stride;

    if (p->side_mask != 0) {
        uint64_t low = offset & ((1ull << p->flip) - 1);
        uint32_t page, side;

        offset = (offset - low) * 2 + low;
        page = (uint32_t)(offset >> p->page_shift);
        side = l2_parity((p->base + offset) & p->side_mask) ^
               (p->page_side[page / 32] >> (page & 31) & 1);
        offset |= (uint64_t)(side ^ p->want) << p->flip;
    }
    return p->base + offset;
}

/* Position -> offset of the line. */
L2_BOTH uint64_t l2_pool_line(const struct l2_pool *p, uint32_t position)
{
    return l2_pool_nth(p, l2_scramble(position, p->log2_lines - (p->side_mask != 0), p->seed));
}

/* The search for an eviction set, whole in one launch (kernels/tip.h has the steps, used by GPU and simulated device). */
#define L2_TIP_FOUND 64   /* lines that a set may have */
#define L2_TIP_TESTS 3800 /* tests kept, in shared memory until the search ends */

enum l2_tip_phase {
    L2_TIP_POOL,
    L2_TIP_SEARCH,
    L2_TIP_CONFIRM,
    L2_TIP_PRUNE,
    L2_TIP_CHECK_ALL,
    L2_TIP_CHECK_ONE,
    L2_TIP_EXTRA,
    L2_TIP_FIRST
};
enum l2_tip_status {
    L2_TIP_OK,
    L2_TIP_POOL_KEEPS, /* the whole pool does not evict the target: too small */
    L2_TIP_LOST,       /* evicted before a line was moved to the front, not after */
    L2_TIP_MANY,       /* more than L2_TIP_FOUND lines */
    L2_TIP_WEAK,       /* the set evicts too seldom */
    L2_TIP_LOOSE,      /* still evicts with a line left out, or (nfound 0) with no line at all */
    L2_TIP_TESTS_FULL  /* no room for more tests */
};

struct l2_tip_in {
    struct l2_pool pool;
    uint64_t target;    /* offset */
    uint32_t kind;      /* of the loads, L2_LD_CG */
    uint32_t threshold; /* evicted when the probe takes more cycles */
    uint32_t votes;     /* trials a test: this many, one more to decide when they differ (2) */
    uint32_t check_all; /* trials with the whole set (20) ... */
    uint32_t check_one; /* ... and leaving out each line in turn (10) */
    uint32_t extra;     /* more congruent lines wanted beyond the set */
    uint32_t reach;     /* prefix looked at first, one that often evicts; 0: the whole pool */
    uint32_t alone;     /* 1: no set, only about where the pool first evicts */
    uint32_t
        rounds; /* times the lines are touched before the probe: 1, more where replacement is not LRU */
    uint32_t settle;  /* times target and lines are touched before a trial begins: 0 under LRU */
    uint32_t touches; /* loads of a line in a row: 1; 2 where a line must hit once to be kept */
};

struct l2_tip_test {
    uint32_t n;      /* pool positions swept */
    uint16_t cycles; /* of the probe, at most 65535 */
    uint8_t phase;   /* enum l2_tip_phase */
    uint8_t skip;    /* found line left out, 255 none */
};

struct l2_tip_out {
    uint32_t status; /* enum l2_tip_status */
    uint32_t nfound; /* the set: found[0 .. nset), then extra lines */
    uint32_t nset;
    uint32_t ntests;
    uint32_t first; /* first tipping index: the least n at which the pool alone evicts */
    uint32_t tip[L2_TIP_FOUND];   /* pool position of each line; falling in the set, then rising */
    uint64_t found[L2_TIP_FOUND]; /* its offset */
    uint64_t cycles;              /* clock64 for the whole search */
    struct l2_tip_test test[L2_TIP_TESTS];
};

#endif
