/* The GPU behind the device "cuda": its driver handles, and launches of one kernel on one SM. Used by cuda*.c only. */
#ifndef L2_CUDA_H
#define L2_CUDA_H

#include "../kernels/launch.h"
#include "cuda_driver.h"
#include "device.h"

enum cuda_kernel {
    CUDA_CHASE,
    CUDA_CYCLE,
    CUDA_LINK,
    CUDA_TICKS,
    CUDA_WALK,
    CUDA_SWEEP,
    CUDA_HAMMER,
    CUDA_TIP,
    CUDA_KERNELS
};

/* Small things in device memory, apart from the buffer: where each is, in bytes. */
enum {
    CTL_CLAIM = 0,
    CTL_RANK = 4 * L2_MAX_SMS,
    CTL_COUNT = 8 * L2_MAX_SMS,
    CTL_AT = 12 * L2_MAX_SMS,
    CTL_TOTAL = 20 * L2_MAX_SMS,
    CTL_ARRIVED = 28 * L2_MAX_SMS,
    CTL_SCRATCH = 32 * L2_MAX_SMS,
    CTL_SMALL = 33 * L2_MAX_SMS,
    CTL_DRAWN = 48 * L2_MAX_SMS,
    CTL_SIDE = 50 * L2_MAX_SMS,
    CTL_TIP = 64 * L2_MAX_SMS,
    CTL_BYTES = 128 * L2_MAX_SMS
};

struct cuda {
    struct device dev; /* first */
    const struct cuda_driver *cu;
    cu_device gpu;
    cu_context context;
    cu_module module;
    cu_stream stream;
    cu_function kernel[CUDA_KERNELS];
    cu_address raw, base; /* the buffer as allocated; its start, aligned */
    cu_address control;   /* CTL_... */
    cu_address temp;      /* lists and results of any length */
    size_t temp_bytes;
    uint32_t epoch; /* of the last launch that claimed an SM */
    unsigned cc;    /* 90 for 9.0 */
    unsigned threads_sm, shared_max;
    int idle_mhz;            /* before the first launch */
    size_t was[2];           /* limits at the start: fetch, persist */
    bool changed[2], window; /* what close has to put back */
    struct cuda *next;       /* of those open */
};

static inline struct cuda *cuda_of(struct device *d)
{
    return (struct cuda *)d;
}

/* 0, or -1 with "WHAT: the driver's error" in dev.error. */
int cuda_check(struct cuda *c, cu_result status, const char *what);
/* Makes the context current. First in every operation. */
int cuda_enter(struct cuda *c);
/* At least `bytes` at c->temp; what was there is lost. */
int cuda_temp(struct cuda *c, size_t bytes);
int cuda_put(struct cuda *c, cu_address to, const void *from, size_t bytes);
int cuda_get(struct cuda *c, void *to, cu_address from, size_t bytes);
int cuda_zero(struct cuda *c, cu_address at, size_t bytes);
int cuda_wait(struct cuda *c, const char *what);

int cuda_launch(struct cuda *c, cu_function f, unsigned blocks, unsigned threads, unsigned shared,
                void *arg, const char *what);
/* Launches a kernel whose argument begins with struct l2_pin until one block has claimed that SM; waits. */
int cuda_on_sm(struct cuda *c, enum cuda_kernel k, int sm, unsigned threads, unsigned shared,
               void *arg);
/* Writes rank k for sm[k], -1 for the others, to CTL_RANK. */
int cuda_ranks(struct cuda *c, const int *sm, size_t n);

int cuda_sm_ok(struct cuda *c, int sm);
int cuda_inside(struct cuda *c, const char *what, uint64_t offset, uint64_t bytes);
int cuda_pool_ok(struct cuda *c, const struct l2_pool *p);
/* Whether this GPU has this kind of access at all. */
int cuda_kind_ok(struct cuda *c, enum l2_kind kind);

extern const char *const cuda_kernel_names[CUDA_KERNELS];

/* cuda_ops.c, cuda_stream.c */
int cuda_link(struct device *d, uint64_t base, uint64_t stride, const uint32_t *next, size_t n);
int cuda_cycle_length(struct device *d, uint64_t start, uint64_t most, uint64_t *length);
int cuda_chase(struct device *d, struct chase *c);
int cuda_walk(struct device *d, int sm, const l2_access *list, size_t n, uint32_t *cycles);
int cuda_sweep(struct device *d, const struct sweep *s);
int cuda_tip(struct device *d, int sm, const struct l2_tip_in *in, struct l2_tip_out *out);
int cuda_ticks(struct device *d, int sm, double ms, uint64_t *cycles, uint64_t *ns);
int cuda_stream(struct device *d, const struct stream *s, struct stream_result *r);
int cuda_hammer(struct device *d, const struct hammer *h, double *cycles);

#endif
