/* The device: the few operations that every experiment is written in. A GPU and a simulated GPU offer the same ones.
 *
 * Operations return 0, or -1 after writing one line to dev->error. Addresses are offsets in bytes into the device's one
 * buffer, which dev_alloc makes and whose start is aligned to 2 MiB. Cycles are of the SM's clock64 and include what the
 * timer itself costs: nothing is subtracted. */
#ifndef L2_DEVICE_H
#define L2_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../kernels/abi.h"

struct device_info {
    char name[96];
    char uuid[64];
    char driver[64];
    unsigned cc_major, cc_minor;
    unsigned sms;
    uint64_t l2_bytes;    /* by the API; 0 is unknown */
    uint64_t mem_bytes;   /* in all */
    uint64_t persist_max; /* most bytes of L2 that can be set aside, 0: none */
    uint64_t window_max;  /* most bytes of an access-policy window */
    unsigned bus_width;   /* bits */
    unsigned mem_mhz_max, sm_mhz_max;
};

/* What changes while one measures. Negative or 0 where the device does not say: then it is printed as "unknown". */
struct device_state {
    int sm_mhz, mem_mhz;
    double measured_mhz; /* clock64 against globaltimer */
    int locked;          /* 1, 0, -1 unknown */
    int temperature;     /* degrees Celsius */
    int processes;       /* other processes on the GPU */
    int ecc, mig;        /* 1, 0, -1 unknown */
    int64_t persisting;  /* bytes set aside, -1 unknown */
    int64_t fetch;       /* fetch granularity as read back, -1 unknown */
    char throttle[64];   /* reasons, or "none", or "unknown" */
};

/* One chain of a chase: a walker on an SM, at a node. chase() moves `at` on. */
struct chain {
    int sm;
    uint64_t at;
};

enum chase_record {
    CHASE_EACH,
    CHASE_TOTAL
}; /* time every hop, or the whole pass (cheaper by the timer's cost) */

#define CHASE_BINS 8192 /* cycles counted one by one; more than that is in the last bin */

struct chase {
    enum l2_kind kind; /* L2_LD_CG, L2_LD_CA, L2_LD_CV, L2_LD_NO_ALLOCATE */
    struct chain *chain;
    size_t nchain; /* walkers at once, each on its own SM */
    uint64_t warm; /* hops before the timed ones */
    uint64_t hops; /* timed hops of each chain */
    enum chase_record record;
    int carveout;    /* percent of L1 as shared memory, -1: the driver's choice */
    uint32_t *bins;  /* CHASE_EACH: nchain x CHASE_BINS counts, added to */
    uint64_t *total; /* CHASE_TOTAL: nchain sums of cycles, written */
    uint32_t *
        each; /* when not NULL and nchain is 1: cycles of each hop, in order (hops at most 1 << 20) */
};

/* Touches lines, records nothing. From one SM in the given order (a block of 1024 threads), or from all (sm < 0). */
struct sweep {
    int sm;
    enum l2_kind kind;
    const struct l2_pool *pool; /* the first n positions, or */
    const uint64_t *list;       /* n offsets (the list itself passes through the cache) */
    uint64_t start, stride;     /* neither: start, start + stride, ... */
    uint64_t n;
};

enum stream_op { STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_ATOM };

struct stream {
    enum stream_op op;
    uint64_t start, bytes; /* working set */
    uint32_t width;        /* bytes a thread moves at once: 4, 8, 16 */
    uint32_t take, every;  /* read only the first `take` bytes of every `every` (both 0: all) */
    uint32_t blocks, threads, unroll;
    const uint64_t *
        list; /* when not NULL: bytes / nlist at each of these nlist offsets, not [start, start + bytes) */
    size_t nlist;
    const int *sm; /* only these SMs work (nsm of them); NULL: all */
    size_t nsm;
    const uint8_t *
        side; /* with list and sm: 1 where sm[k] works on the second half of the list; NULL: all on all of it */
    uint32_t same;     /* so many neighbouring blocks move the same elements; 0: 1 */
    uint32_t passes;   /* over the working set in one launch at least, after some untimed ones */
    enum l2_kind kind; /* L2_LD_CG by default */
};

struct stream_result {
    double ns;      /* of the timed launch, by the device's timer */
    double cycles;  /* the same by clock64, mean over SMs */
    uint64_t moved; /* useful bytes */
};

/* All SMs (or those named) hammer two lines, half of the warps each; many pairs in one call. */
struct hammer {
    enum l2_kind kind;     /* L2_LD_CG or L2_ATOM */
    const uint64_t *a, *b; /* npair offsets each */
    size_t npair;
    uint32_t accesses; /* by each warp */
    uint32_t warps;    /* a block; one block an SM */
    const int *sm;     /* NULL: all */
    size_t nsm;
};

enum device_limit {
    LIMIT_FETCH,  /* L2 fetch granularity, bytes: a hint to the driver */
    LIMIT_PERSIST /* bytes of L2 set aside for persisting accesses */
};

struct device;

struct device_ops {
    const char *name;    /* "cuda", "sim" */
    const char *summary; /* for l2collect -l */
    const char *spec;    /* what may follow the colon: "cuda[:N]", "sim:NAME or sim:FILE" */
    /* Opens what follows "cuda:" or "sim:" (NULL: the default one); NULL and a line in why[] when it can't. */
    struct device *(*open)(const char *spec, uint64_t seed, char *why, size_t why_size);
    void (*close)(struct device *d); /* puts back the limits that were changed */
    void (*list)(void);              /* prints the ones there are, a line each, for l2collect -l */

    int (*alloc)(struct device *d,
                 uint64_t bytes); /* frees the buffer before it; contents are undefined */
    int (*state)(struct device *d, struct device_state *s);
    int (*limit)(struct device *d, enum device_limit which, uint64_t want, uint64_t *got);
    /* Accesses to [start, start + bytes) persist from the next launch on, with this hit ratio; bytes 0: no window. */
    int (*window)(struct device *d, uint64_t start, uint64_t bytes, double ratio);
    int (*reset_persisting)(struct device *d);

    /* Writes pointers: node k is at base + k * stride, and points to node next[k]. */
    int (*link)(struct device *d, uint64_t base, uint64_t stride, const uint32_t *next, size_t n);
    /* Follows the pointers from `start` on the device until they come back; the number of hops, at most `most`. */
    int (*cycle_length)(struct device *d, uint64_t start, uint64_t most, uint64_t *length);
    int (*chase)(struct device *d, struct chase *c);
    /* One warp on one SM does a list in order, every access timed; nothing but the list's lines is touched between two
     * accesses of one chunk (walk_chunk accesses). cycles[] of an access that cannot be timed is 0. */
    int (*walk)(struct device *d, int sm, const l2_access *list, size_t n, uint32_t *cycles);
    int (*sweep)(struct device *d, const struct sweep *s);
    int (*stream)(struct device *d, const struct stream *s, struct stream_result *r);
    /* Cycles an access, of each pair. */
    int (*hammer)(struct device *d, const struct hammer *h, double *cycles);
    int (*tip)(struct device *d, int sm, const struct l2_tip_in *in, struct l2_tip_out *out);
    /* Runs one SM for about `ms`, and reads both clocks around it. */
    int (*ticks)(struct device *d, int sm, double ms, uint64_t *cycles, uint64_t *ns);
};

struct device {
    const struct device_ops *ops;
    struct device_info info;
    bool simulated;
    uint64_t bytes;    /* of the buffer */
    size_t walk_chunk; /* accesses of a walk that run without touching any other memory */
    char spec[96];     /* "cuda:0", "sim:h200" */
    char error[512];   /* of the last operation that failed */
};

extern const struct device_ops cuda_device, sim_device;
extern const struct device_ops *const device_table[]; /* ends with NULL */

/* Opens "cuda", "cuda:1", "sim:h200", "sim:./my.dev"; spec NULL: the first GPU if there is one, else sim:h200 with a
 * warning. Exits 1 when it can't. */
struct device *xdevice_open(const char *spec, uint64_t seed);
int device_fail(struct device *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); /* -1 */

#endif
