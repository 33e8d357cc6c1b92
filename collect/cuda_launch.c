/* Memory, launches and checks that all operations of the device "cuda" share.
 *
 * A kernel meant for one SM is launched with more blocks than there are SMs; each block looks where it is, and the first
 * one on the wanted SM raises that SM's claim to the launch's epoch and works. When no block came there, because
 * another program kept the SM busy, the launch is repeated with more blocks. */
#include "access.h"
#include "cuda.h"

#include <stdlib.h>
#include <string.h>

const char *const cuda_kernel_names[CUDA_KERNELS] = {
    [CUDA_CHASE] = "l2_chase", [CUDA_CYCLE] = "l2_cycle",   [CUDA_LINK] = "l2_link",
    [CUDA_TICKS] = "l2_ticks", [CUDA_WALK] = "l2_walk",     [CUDA_SWEEP] = "l2_sweep",
    [CUDA_TIP] = "l2_tip",     [CUDA_HAMMER] = "l2_hammer",
};

int cuda_check(struct cuda *c, cu_result status, const char *what)
{
    return status == 0 ? 0 : device_fail(&c->dev, "%s: %s", what, cuda_error(c->cu, status));
}

int cuda_enter(struct cuda *c)
{
    return cuda_check(c, c->cu->context_use(c->context), "making the context current");
}

int cuda_put(struct cuda *c, cu_address to, const void *from, size_t bytes)
{
    return cuda_check(c, c->cu->to_device(to, from, bytes), "copying to the GPU");
}

int cuda_get(struct cuda *c, void *to, cu_address from, size_t bytes)
{
    return cuda_check(c, c->cu->from_device(to, from, bytes), "copying from the GPU");
}

int cuda_zero(struct cuda *c, cu_address at, size_t bytes)
{
    return cuda_check(c, c->cu->fill(at, 0, bytes, c->stream), "clearing memory of the GPU");
}

int cuda_wait(struct cuda *c, const char *what)
{
    return cuda_check(c, c->cu->stream_wait(c->stream), what);
}

int cuda_temp(struct cuda *c, size_t bytes)
{
    if (bytes <= c->temp_bytes)
        return 0;
    if (c->temp != 0)
        c->cu->memory_free(c->temp);
    c->temp = 0;
    c->temp_bytes = 0;
    bytes = (bytes + (1 << 21) - 1) >> 21 << 21;
    if (cuda_check(c, c->cu->memory_alloc(&c->temp, bytes), "allocating room for results") != 0)
        return -1;
    c->temp_bytes = bytes;
    return 0;
}

int cuda_launch(struct cuda *c, cu_function f, unsigned blocks, unsigned threads, unsigned shared,
                void *arg, const char *what)
{
    void *args[] = {arg};

    return cuda_check(
        c, c->cu->launch(f, blocks, 1, 1, threads, 1, 1, shared, c->stream, args, NULL), what);
}

int cuda_on_sm(struct cuda *c, enum cuda_kernel k, int sm, unsigned threads, unsigned shared,
               void *arg)
{
    struct l2_pin *pin = arg;
    const char *what = cuda_kernel_names[k] + 3;
    cu_address claim = c->control + CTL_CLAIM + 4 * (cu_address)sm;

    if (cuda_sm_ok(c, sm) != 0)
        return -1;
    pin->claim = c->control + CTL_CLAIM;
    pin->sm = sm;
    for (unsigned blocks = 2 * c->dev.info.sms, tries = 0; tries < 7; blocks *= 2, tries++) {
        uint32_t seen;

        pin->epoch = ++c->epoch;
        if (cuda_launch(c, c->kernel[k], blocks, threads, shared, arg, what) != 0 ||
            cuda_wait(c, what) != 0 || cuda_get(c, &seen, claim, sizeof seen) != 0)
            return -1;
        if (seen == pin->epoch)
            return 0;
    }
    return device_fail(&c->dev, "%s: no block came to SM %d: is another program on this GPU?", what,
                       sm);
}

int cuda_ranks(struct cuda *c, const int *sm, size_t n)
{
    int32_t rank[L2_MAX_SMS];

    memset(rank, -1, sizeof rank);
    for (size_t k = 0; k < n; k++) {
        if (cuda_sm_ok(c, sm[k]) != 0)
            return -1;
        if (rank[sm[k]] >= 0)
            return device_fail(&c->dev, "SM %d is named twice", sm[k]);
        rank[sm[k]] = (int32_t)k;
    }
    return cuda_put(c, c->control + CTL_RANK, rank, sizeof rank);
}

int cuda_sm_ok(struct cuda *c, int sm)
{
    if (sm >= 0 && (unsigned)sm < c->dev.info.sms && sm < L2_MAX_SMS)
        return 0;
    return device_fail(&c->dev, "no SM %d: this GPU has %u", sm, c->dev.info.sms);
}

int cuda_inside(struct cuda *c, const char *what, uint64_t offset, uint64_t bytes)
{
    if (offset <= c->dev.bytes && bytes <= c->dev.bytes - offset)
        return 0;
    return device_fail(&c->dev, "%s: %llu bytes at %llu are not inside the buffer of %llu", what,
                       (unsigned long long)bytes, (unsigned long long)offset,
                       (unsigned long long)c->dev.bytes);
}

int cuda_pool_ok(struct cuda *c, const struct l2_pool *p)
{
    uint32_t bits = p->log2_lines;

    if (bits == 0 || bits > 31 || p->stride < 8 || (p->stride & (p->stride - 1)) != 0)
        return device_fail(&c->dev, "pool: 2^%u lines, %u bytes apart", bits, p->stride);
    if (p->side_mask != 0 &&
        (p->page_shift > 40 || (p->base & ((1ull << p->page_shift) - 1)) != 0 || p->flip > 40 ||
         (p->side_mask >> p->flip & 1) == 0 || 1ull << p->flip < p->stride ||
         ((uint64_t)p->stride << bits) > (uint64_t)L2_POOL_PAGES << p->page_shift))
        return device_fail(&c->dev, "pool: its side filter does not fit its base, stride or size");
    return cuda_inside(c, "pool", p->base, (uint64_t)p->stride << bits);
}

int cuda_kind_ok(struct cuda *c, enum l2_kind kind)
{
    static const unsigned char needs[L2_KINDS] = {
        [L2_LD_PF64] = 75,        [L2_LD_PF128] = 75,      [L2_LD_PF256] = 80,
        [L2_LD_EVICT_FIRST] = 80, [L2_LD_EVICT_LAST] = 80, [L2_ST_EVICT_FIRST] = 80,
        [L2_ST_EVICT_LAST] = 80,  [L2_DISCARD] = 80,
    };

    if (access_name(kind) == NULL)
        return device_fail(&c->dev, "no such kind of access: %d", (int)kind);
    if (c->cc >= needs[kind])
        return 0;
    return device_fail(
        &c->dev, "this kind of access (%s) needs compute capability %u.%u; this GPU has %u.%u",
        access_name(kind), needs[kind] / 10, needs[kind] % 10, c->cc / 10, c->cc % 10);
}
