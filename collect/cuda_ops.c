/* Pointers, walks, sweeps and searches on the GPU: each operation checks what it is asked, hands it to one kernel and
 * fetches the result. */
#include "access.h"
#include "cuda.h"

#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"

#define WALK_MOST  (1u << 22) /* accesses of a launch */
#define CYCLE_MOST (1u << 21) /* hops of a launch: under two seconds */

int cuda_link(struct device *d, uint64_t base, uint64_t stride, const uint32_t *next, size_t n)
{
    struct cuda *c = cuda_of(d);
    struct l2_link_arg a = {.stride = stride, .n = n};

    if (n == 0 || stride < 8 || stride % 8 != 0 || base % 8 != 0 || n > d->bytes / stride + 1)
        return device_fail(d, "link: %zu nodes, %llu bytes apart", n, (unsigned long long)stride);
    if (cuda_inside(c, "link", base, (n - 1) * stride + 8) != 0)
        return -1;
    for (size_t k = 0; k < n; k++)
        if (next[k] >= n)
            return device_fail(d, "link: node %zu points to node %u of %zu", k, next[k], n);
    if (cuda_enter(c) != 0 || cuda_temp(c, n * sizeof *next) != 0 ||
        cuda_put(c, c->temp, next, n * sizeof *next) != 0)
        return -1;
    a.base = c->base + base;
    a.next = c->temp;
    if (cuda_launch(c, c->kernel[CUDA_LINK], n < 262144 ? (unsigned)((n + 255) / 256) : 1024, 256,
                    0, &a, "link") != 0)
        return -1;
    return cuda_wait(c, "link");
}

int cuda_cycle_length(struct device *d, uint64_t start, uint64_t most, uint64_t *length)
{
    struct cuda *c = cuda_of(d);
    cu_address at = c->control + CTL_SMALL;
    struct l2_cycle_arg a = {.at = at, .length = at + 8};
    uint64_t now[2];

    *length = 0;
    if (cuda_enter(c) != 0 || cuda_inside(c, "cycle_length", start, 8) != 0)
        return -1;
    now[0] = a.start = c->base + start;
    do {
        a.most = most - *length < CYCLE_MOST ? most - *length : CYCLE_MOST;
        if (a.most == 0)
            return 0;
        if (cuda_put(c, at, now, sizeof now[0]) != 0 ||
            cuda_on_sm(c, CUDA_CYCLE, 0, 32, 0, &a) != 0 || cuda_get(c, now, at, sizeof now) != 0)
            return -1;
        *length += now[1];
    } while (now[0] != a.start);
    return 0;
}

static int chase_ok(struct cuda *c, const struct chase *ch)
{
    bool load = ch->kind >= L2_LD_CG && ch->kind <= L2_LD_PF256;

    if (ch->nchain == 0 || ch->nchain > c->dev.info.sms || ch->nchain > L2_MAX_SMS)
        return device_fail(&c->dev, "chase: %zu chains on %u SMs", ch->nchain, c->dev.info.sms);
    if (!load)
        return device_fail(&c->dev, "chase: %s is no load",
                           access_name(ch->kind) ? access_name(ch->kind) : "?");
    if (ch->each != NULL && (ch->nchain != 1 || ch->hops > 1 << 20 || ch->record != CHASE_EACH))
        return device_fail(&c->dev, "chase: hops are recorded one by one for one chain, 1048576 at "
                                    "most");
    if (ch->carveout > 100)
        return device_fail(&c->dev, "chase: a carve-out of %d percent", ch->carveout);
    for (size_t k = 0; k < ch->nchain; k++)
        if (cuda_inside(c, "chase", ch->chain[k].at, 8) != 0 || cuda_sm_ok(c, ch->chain[k].sm) != 0)
            return -1;
    return cuda_kind_ok(c, ch->kind);
}

/* One launch; 1 when every chain was walked, 0 when some SM had no block. */
static int chase_once(struct cuda *c, const struct chase *ch, struct l2_chase_arg *a,
                      unsigned blocks, uint64_t *at)
{
    uint32_t claim[L2_MAX_SMS];
    unsigned shared = 16;

    a->pin.epoch = ++c->epoch;
    for (size_t k = 0; k < ch->nchain; k++)
        at[k] = c->base + ch->chain[k].at;
    if (a->each_hop) {
        shared += 4u * (L2_FAST_BINS + (a->each ? L2_RING : 0u));
        if (cuda_zero(c, a->bins, ch->nchain * CHASE_BINS * sizeof(uint32_t)) != 0)
            return -1;
    }
    if (cuda_put(c, a->at, at, ch->nchain * sizeof *at) != 0 || cuda_zero(c, a->arrived, 4) != 0 ||
        cuda_launch(c, c->kernel[CUDA_CHASE], blocks, 32, shared, a, "chase") != 0 ||
        cuda_wait(c, "chase") != 0 || cuda_get(c, claim, a->pin.claim, sizeof claim) != 0)
        return -1;
    for (size_t k = 0; k < ch->nchain; k++)
        if (claim[ch->chain[k].sm] != a->pin.epoch)
            return 0;
    return 1;
}

static int chase_results(struct cuda *c, struct chase *ch, const struct l2_chase_arg *a,
                         uint64_t *at)
{
    size_t n = ch->nchain * CHASE_BINS;

    if (cuda_get(c, at, a->at, ch->nchain * sizeof *at) != 0)
        return -1;
    for (size_t k = 0; k < ch->nchain; k++)
        ch->chain[k].at = at[k] - c->base;
    if (!a->each_hop)
        return cuda_get(c, ch->total, a->total, ch->nchain * sizeof *ch->total);
    if (a->each && cuda_get(c, ch->each, a->each, ch->hops * sizeof *ch->each) != 0)
        return -1;
    if (ch->bins == NULL)
        return 0;
    uint32_t *bins = xmalloc(n * sizeof *bins);
    int status = cuda_get(c, bins, a->bins, n * sizeof *bins);
    for (size_t i = 0; i < n && status == 0; i++)
        ch->bins[i] += bins[i];
    free(bins);
    return status;
}

int cuda_chase(struct device *d, struct chase *ch)
{
    struct cuda *c = cuda_of(d);
    struct l2_chase_arg a = {.warm = ch->warm, .hops = ch->hops, .nbins = CHASE_BINS};
    size_t bins = ch->nchain * CHASE_BINS * sizeof(uint32_t);
    uint64_t at[L2_MAX_SMS];
    int sm[L2_MAX_SMS], done = 0;

    if (cuda_enter(c) != 0 || chase_ok(c, ch) != 0 ||
        cuda_temp(c, bins + (ch->each ? ch->hops * sizeof *ch->each : 0)) != 0 ||
        cuda_check(c,
                   c->cu->function_set(c->kernel[CUDA_CHASE], CU_FUNC_CARVEOUT,
                                       ch->carveout < 0 ? -1 : ch->carveout),
                   "setting the L1 carve-out") != 0)
        return -1;
    for (size_t k = 0; k < ch->nchain; k++)
        sm[k] = ch->chain[k].sm;
    if (cuda_ranks(c, sm, ch->nchain) != 0)
        return -1;
    a.pin = (struct l2_pin){.claim = c->control + CTL_CLAIM, .sm = -1};
    a.rank = c->control + CTL_RANK;
    a.at = c->control + CTL_AT;
    a.total = c->control + CTL_TOTAL;
    a.arrived = c->control + CTL_ARRIVED;
    a.scratch = c->control + CTL_SCRATCH;
    a.bins = c->temp;
    a.each = ch->each ? c->temp + bins : 0;
    a.nchain = (uint32_t)ch->nchain;
    a.kind = ch->kind;
    a.each_hop = ch->record == CHASE_EACH;
    for (unsigned tries = 0, blocks = 2 * d->info.sms; tries < 7 && done == 0; tries++, blocks *= 2)
        done = chase_once(c, ch, &a, blocks, at);
    if (done == 0)
        return device_fail(d, "chase: not every SM had a block: is another program on this GPU?");
    return done < 0 ? -1 : chase_results(c, ch, &a, at);
}

/* One access of a walk: inside the buffer, aligned, wide enough for one warp. */
static int access_ok(struct cuda *c, l2_access a)
{
    uint64_t offset = l2_access_offset(a), unit;
    uint32_t kind = l2_access_kind(a), bytes = l2_access_bytes(a), align = 4;

    if (kind == L2_NOP || kind == L2_FENCE)
        return 0;
    if (kind == L2_WAIT)
        return offset <= 1000000000 ? 0 : device_fail(&c->dev, "walk: waits over a second");
    if (cuda_kind_ok(c, kind) != 0)
        return -1;
    if (kind == L2_ST || kind == L2_ST_EVICT_FIRST || kind == L2_ST_EVICT_LAST) {
        unit = (offset | bytes | 16) & (0 - (offset | bytes | 16));
        if (bytes / unit > 32)
            return device_fail(&c->dev,
                               "walk: a store of %u bytes at %llu needs more than one warp", bytes,
                               (unsigned long long)offset);
        return cuda_inside(c, "walk", offset, bytes);
    }
    if (kind >= L2_LD_CG && kind <= L2_LD_PF256 && bytes > 8) {
        if (bytes > 128)
            return device_fail(&c->dev, "walk: a load of %u bytes needs more than one warp", bytes);
        return offset % 4 == 0 ? cuda_inside(c, "walk", offset, (bytes + 3) / 4 * 4)
                               : device_fail(&c->dev, "walk: %s at %llu: not a multiple of 4",
                                             access_name(kind), (unsigned long long)offset);
    }
    if (kind == L2_ATOM || kind == L2_RED)
        align = 8;
    else if (kind == L2_DISCARD)
        align = 128;
    if (offset % align != 0)
        return device_fail(&c->dev, "walk: %s at %llu: not a multiple of %u", access_name(kind),
                           (unsigned long long)offset, align);
    return cuda_inside(c, "walk", offset, align);
}

int cuda_walk(struct device *d, int sm, const l2_access *list, size_t n, uint32_t *cycles)
{
    struct cuda *c = cuda_of(d);
    struct l2_walk_arg a = {.chunk = (uint32_t)(n < d->walk_chunk ? n : d->walk_chunk)};
    unsigned shared;

    for (size_t i = 0; i < n; i++)
        if (access_ok(c, list[i]) != 0)
            return -1;
    if (cuda_enter(c) != 0 || cuda_temp(c, (n < WALK_MOST ? n : WALK_MOST) * 12) != 0)
        return -1;
    shared = (a.chunk < L2_WARM ? L2_WARM : a.chunk) * 8 + 16;
    a.base = c->base;
    a.scratch = c->control + CTL_SCRATCH;
    for (size_t done = 0; done < n; done += a.n) {
        a.n = (uint32_t)(n - done < WALK_MOST ? n - done : WALK_MOST);
        a.list = c->temp;
        a.cycles = c->temp + (cu_address)a.n * 8;
        if (cuda_put(c, a.list, list + done, a.n * sizeof *list) != 0 ||
            cuda_on_sm(c, CUDA_WALK, sm, 32, shared, &a) != 0 ||
            cuda_get(c, cycles + done, a.cycles, a.n * sizeof *cycles) != 0)
            return -1;
    }
    return 0;
}

static int sweep_ok(struct cuda *c, const struct sweep *s)
{
    static const uint8_t none[] = {L2_NOP, L2_FENCE, L2_WAIT};
    uint64_t last = s->n - 1, bytes = s->kind == L2_DISCARD ? 128 : 8;

    for (size_t i = 0; i < sizeof none; i++)
        if (s->kind == none[i])
            return device_fail(&c->dev, "sweep: %s touches no line", access_name(s->kind));
    if (cuda_kind_ok(c, s->kind) != 0)
        return -1;
    if (s->pool != NULL) {
        if (s->n > l2_pool_size(s->pool))
            return device_fail(&c->dev, "sweep: %llu lines of a pool of %u",
                               (unsigned long long)s->n, l2_pool_size(s->pool));
        return cuda_pool_ok(c, s->pool);
    }
    for (uint64_t i = 0; s->list != NULL && i < s->n; i++)
        if (s->list[i] % bytes != 0 || cuda_inside(c, "sweep", s->list[i], bytes) != 0)
            return device_fail(&c->dev, "sweep: bad offset %llu", (unsigned long long)s->list[i]);
    if (s->list != NULL)
        return 0;
    if (s->start % bytes != 0 || s->stride % bytes != 0)
        return device_fail(&c->dev, "sweep: start or stride is no multiple of %llu",
                           (unsigned long long)bytes);
    if (s->stride != 0 && last > c->dev.bytes / s->stride)
        return device_fail(&c->dev, "sweep: reaches beyond the buffer");
    return cuda_inside(c, "sweep", s->start, last * s->stride + bytes);
}

int cuda_sweep(struct device *d, const struct sweep *s)
{
    struct cuda *c = cuda_of(d);
    struct l2_sweep_arg a = {.n = s->n, .start = s->start, .stride = s->stride, .kind = s->kind};

    if (s->n == 0)
        return 0;
    if (cuda_enter(c) != 0 || sweep_ok(c, s) != 0)
        return -1;
    a.base = c->base;
    a.source = s->pool ? L2_SWEEP_POOL : s->list ? L2_SWEEP_LIST : L2_SWEEP_STRIDE;
    if (s->pool != NULL) {
        a.pool = *s->pool;
    } else if (s->list != NULL) {
        if (cuda_temp(c, s->n * sizeof *s->list) != 0 ||
            cuda_put(c, c->temp, s->list, s->n * sizeof *s->list) != 0)
            return -1;
        a.list = c->temp;
    }
    if (s->sm >= 0)
        return cuda_on_sm(c, CUDA_SWEEP, s->sm, L2_BLOCK, 0, &a);
    a.pin.sm = -1;
    if (cuda_launch(c, c->kernel[CUDA_SWEEP], d->info.sms, L2_BLOCK, 0, &a, "sweep") != 0)
        return -1;
    return cuda_wait(c, "sweep");
}

int cuda_tip(struct device *d, int sm, const struct l2_tip_in *in, struct l2_tip_out *out)
{
    struct cuda *c = cuda_of(d);
    struct l2_tip_arg a = {.in = *in, .out = c->control + CTL_TIP};

    _Static_assert(sizeof(struct l2_tip_out) <= CTL_BYTES - CTL_TIP, "room for the result");
    if (in->kind != L2_LD_CG && in->kind != L2_ATOM)
        return device_fail(d, "tip: searches with cg or atom, not %s", access_name(in->kind));
    if (in->target % 8 != 0 || in->pool.base % 8 != 0)
        return device_fail(d, "tip: target or pool is no multiple of 8");
    if (cuda_enter(c) != 0 || cuda_pool_ok(c, &in->pool) != 0 ||
        cuda_inside(c, "tip", in->target, 8) != 0)
        return -1;
    a.base = c->base;
    a.in.rounds = in->rounds > 0 ? in->rounds : 1;
    if (cuda_on_sm(c, CUDA_TIP, sm, L2_BLOCK, 0, &a) != 0)
        return -1;
    return cuda_get(c, out, a.out, sizeof *out);
}

int cuda_ticks(struct device *d, int sm, double ms, uint64_t *cycles, uint64_t *ns)
{
    struct cuda *c = cuda_of(d);
    struct l2_ticks_arg a = {.ns = (uint64_t)(ms * 1e6), .out = c->control + CTL_SMALL};
    uint64_t got[2];

    if (cuda_enter(c) != 0 || cuda_on_sm(c, CUDA_TICKS, sm, 32, 0, &a) != 0 ||
        cuda_get(c, got, a.out, sizeof got) != 0)
        return -1;
    *cycles = got[0];
    *ns = got[1];
    return 0;
}
