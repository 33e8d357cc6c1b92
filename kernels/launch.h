/* What a launch is told, for each kernel: shared by kernels/ and collect/cuda*.c, by nobody else. Addresses are the
 * device's own, except where they are called offsets (into the buffer at `base`). */
#ifndef L2_LAUNCH_H
#define L2_LAUNCH_H

#include "abi.h"

#define L2_MAX_SMS   512  /* SM ids are below this */
#define L2_FAST_BINS 2048 /* cycles counted in shared memory; more are counted in device memory */
#define L2_RING      4096 /* hops recorded in shared memory between two writes to device memory */
#define L2_WARM      48   /* accesses of the list by which a walk warms up, at most */
#define L2_BLOCK     1024 /* threads of a block that sweeps or searches */

/* Which SM works: the first block there that raises claim[sm] to this launch's epoch. */
struct l2_pin {
    uint64_t claim; /* uint32_t [L2_MAX_SMS] */
    uint32_t epoch;
    int32_t sm; /* -1: all */
};

struct l2_chase_arg {
    struct l2_pin pin; /* sm is not used: rank says which SMs */
    uint64_t rank;     /* int32_t [L2_MAX_SMS]: the chain of an SM, or -1 */
    uint64_t at;       /* uint64_t [nchain]: addresses of nodes, moved on */
    uint64_t total;    /* uint64_t [nchain] */
    uint64_t bins;     /* uint32_t [nchain][nbins], zero before */
    uint64_t each;     /* uint32_t [hops], 0: not wanted */
    uint64_t arrived;  /* uint32_t, zero before */
    uint64_t scratch;  /* 8 bytes that nothing else uses */
    uint64_t warm, hops;
    uint32_t nchain, nbins, kind, each_hop;
};

struct l2_walk_arg {
    struct l2_pin pin;
    uint64_t base, scratch; /* scratch: 128 bytes that nothing else uses */
    uint64_t list;          /* l2_access [n] */
    uint64_t cycles;        /* uint32_t [n] */
    uint32_t n, chunk;
};

enum l2_sweep_source { L2_SWEEP_POOL, L2_SWEEP_LIST, L2_SWEEP_STRIDE };

struct l2_sweep_arg {
    struct l2_pin pin;
    struct l2_pool pool;
    uint64_t base, list, start, stride, n; /* start: an offset */
    uint32_t kind, source;
};

/* A ring of `groups` groups of `per` elements of the kernel's width; the next group starts `every` bytes on. A thread does
 * `rounds` times `unroll` elements. With a list, SMs of side 1 use its second half. */
struct l2_stream_arg {
    struct l2_pin pin;
    uint64_t mask;  /* int32_t [L2_MAX_SMS]: an SM takes part when it is not negative; 0: all do */
    uint64_t count; /* uint32_t [L2_MAX_SMS]: blocks that came to an SM, zero before */
    uint64_t drawn; /* uint32_t [3]: numbers drawn, by all and by SMs of each side, zero before */
    uint64_t side;  /* uint8_t [L2_MAX_SMS], 0: not wanted */
    uint64_t list;  /* uint64_t [groups], [2][groups] with side: offsets of groups, 0: not wanted */
    uint64_t from, to; /* addresses of the first element; `to` for copies */
    uint64_t stamp;    /* uint64_t [blocks][4]: globaltimer and clock64 at start, at end */
    uint32_t per, every, groups, jump, rounds;
    uint32_t blocks, blocks_sm, same; /* same: so many neighbouring blocks move the same elements */
};

struct l2_hammer_arg {
    struct l2_pin pin;
    uint64_t a, b;                 /* addresses */
    uint64_t mask;                 /* as above */
    uint64_t sum;                  /* uint64_t [2]: cycles summed over SMs, SMs that took part */
    uint32_t accesses, kind, zero; /* zero is 0, which the compiler does not know */
};

struct l2_tip_arg {
    struct l2_pin pin;
    struct l2_tip_in in;
    uint64_t base, out; /* struct l2_tip_out */
};

struct l2_link_arg {
    uint64_t base, stride, next, n; /* next: uint32_t [n] */
};

struct l2_cycle_arg {
    struct l2_pin pin;
    uint64_t start, at, most,
        length; /* at: uint64_t, moved on; length: uint64_t, hops done, most if it goes on */
};

struct l2_ticks_arg {
    struct l2_pin pin;
    uint64_t ns, out; /* out: uint64_t [2]: cycles, nanoseconds */
};

#endif
