/* Bandwidth and contention on the GPU. A stream runs once untimed (WARM passes), then once timed: from the first block's
 * start to the last block's end by the GPU's own timer. */
#include "access.h"
#include "cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#define HAMMER_TRIES 5
#define WARM         3 /* passes: lines settle, and copies of them on another side */

static const char *const op_names[] = {"read", "write", "copy", "atom"};

struct job {
    const struct stream *s;
    cu_function kernel;
    struct l2_stream_arg arg;
    unsigned grid;
    uint64_t *stamp; /* 4 a block */
    uint64_t moved;
};

static int find_kernel(struct cuda *c, const struct stream *s, cu_function *kernel)
{
    static const enum l2_kind usual[] = {L2_LD_CG, L2_ST, L2_LD_CG, L2_ATOM};
    enum l2_kind kind = s->kind;
    char name[80];

    if ((unsigned)s->op > STREAM_ATOM || s->passes == 0 || s->threads == 0 || s->threads > 1024 ||
        s->blocks == 0 || (uint64_t)s->blocks * s->threads > 1 << 30)
        return device_fail(&c->dev, "stream: %u blocks of %u threads, %u passes", s->blocks,
                           s->threads, s->passes);
    if (kind == L2_NOP || (s->op != STREAM_READ && kind == L2_LD_CG))
        kind = usual[s->op];
    if (cuda_kind_ok(c, kind) != 0)
        return -1;
    snprintf(name, sizeof name, "l2_%s%s_%s_%u_%u", s->list ? "list_" : "", op_names[s->op],
             access_name(kind), s->width, s->unroll);
    if (c->cu->module_function(kernel, c->module, name) != 0)
        return device_fail(
            &c->dev, "stream: no kernel to %s by %s%s, %u bytes at once, unrolled %u times",
            op_names[s->op], access_name(kind), s->list ? " from a list" : "", s->width, s->unroll);
    return 0;
}

/* Sets arg's per, every, from, to and groups. */
static int lay_out(struct cuda *c, const struct stream *s, struct l2_stream_arg *a)
{
    uint64_t bytes = s->op == STREAM_COPY ? s->bytes / 2 : s->bytes, groups;
    uint32_t take = s->every                  ? s->take
                    : s->list && s->nlist > 0 ? (uint32_t)(bytes / s->nlist)
                                              : s->width;

    a->every = s->every ? s->every : take;
    a->per = take / s->width;
    a->from = c->base + (s->list ? 0 : s->start);
    a->to = a->from + bytes;
    if (take == 0 || take % s->width != 0 || a->every < take || a->every % s->width != 0 ||
        s->start % 16 != 0 || bytes % s->width != 0)
        return device_fail(&c->dev, "stream: %u of every %u bytes, %u at once", take, a->every,
                           s->width);
    if (s->list != NULL) {
        for (size_t i = 0; i < s->nlist; i++)
            if (s->list[i] % 16 != 0 || cuda_inside(c, "stream", s->list[i], take) != 0)
                return device_fail(&c->dev,
                                   "stream: line %zu of the list is not in the buffer, at a "
                                   "multiple of 16",
                                   i);
        groups = s->side ? s->nlist / 2 : s->nlist;
    } else {
        if (cuda_inside(c, "stream", s->start, s->bytes) != 0)
            return -1;
        groups = bytes / a->every;
    }
    a->groups = (uint32_t)groups;
    if (groups == 0 || groups > 1u << 31)
        return device_fail(&c->dev, "stream: %s in parts of %u bytes", cli_size(s->bytes),
                           a->every);
    return 0;
}

/* SMs that take part, and of which side each is. */
static int choose_sms(struct cuda *c, const struct stream *s, struct job *j)
{
    struct l2_stream_arg *a = &j->arg;
    uint8_t side[L2_MAX_SMS] = {0};
    int fit = 0;

    if (cuda_ranks(c, s->sm, s->nsm) != 0 ||
        cuda_check(c, c->cu->occupancy(&fit, j->kernel, (int)s->threads, 0),
                   "asking how many blocks fit on an SM") != 0)
        return -1;
    a->mask = c->control + CTL_RANK;
    a->count = c->control + CTL_COUNT;
    a->drawn = c->control + CTL_DRAWN;
    a->blocks_sm = (uint32_t)((s->blocks + s->nsm - 1) / s->nsm);
    if (a->blocks_sm > (unsigned)fit)
        a->blocks_sm = (unsigned)fit;
    j->grid = c->dev.info.sms * (unsigned)fit;
    if (s->side == NULL)
        return 0;
    if (s->list == NULL)
        return device_fail(&c->dev, "stream: sides of SMs without a list for each");
    a->side = c->control + CTL_SIDE;
    for (size_t k = 0; k < s->nsm; k++)
        side[s->sm[k]] = s->side[k];
    return cuda_put(c, a->side, side, sizeof side);
}

/* Which blocks work: all of them, or as many as needed on each named SM; and how far a thread jumps. */
static int share_out(struct cuda *c, const struct stream *s, struct job *j)
{
    struct l2_stream_arg *a = &j->arg;
    uint64_t threads;

    a->same = s->same ? s->same : 1;
    if (a->same > s->blocks)
        return device_fail(&c->dev, "stream: %u of %u blocks move the same", a->same, s->blocks);
    j->grid = a->blocks = s->blocks / a->same * a->same;
    if (s->sm != NULL && choose_sms(c, s, j) != 0)
        return -1;
    threads = (uint64_t)(a->blocks / a->same) * s->threads;
    if (a->side)
        threads /= 2;
    threads = threads / a->per > 0 ? threads / a->per : 1;
    a->jump = (uint32_t)(threads % a->groups);
    return 0;
}

/* Passes -> rounds of each thread; returns the bytes that they move, once (a copy moves them twice). */
static uint64_t set_rounds(struct job *j, uint32_t passes)
{
    const struct stream *s = j->s;
    struct l2_stream_arg *a = &j->arg;
    uint64_t elements = (uint64_t)a->groups * a->per * passes * a->same * (a->side ? 2 : 1);
    uint64_t round = (uint64_t)a->blocks * s->threads * s->unroll;
    uint64_t rounds = (elements + round - 1) / round;

    a->rounds = (uint32_t)(rounds < UINT32_MAX ? rounds : UINT32_MAX);
    return a->rounds * round * s->width;
}

/* One launch; 1 when every SM that should take part did, 0 when not. */
static int run_once(struct cuda *c, struct job *j)
{
    uint32_t count[L2_MAX_SMS];

    if ((j->arg.mask && (cuda_zero(c, j->arg.count, sizeof count) != 0 ||
                         cuda_zero(c, j->arg.drawn, 3 * sizeof *count) != 0)) ||
        cuda_launch(c, j->kernel, j->grid, j->s->threads, 0, &j->arg, "stream") != 0 ||
        cuda_wait(c, "stream") != 0)
        return -1;
    if (!j->arg.mask)
        return 1;
    if (cuda_get(c, count, j->arg.count, sizeof count) != 0)
        return -1;
    for (size_t k = 0; k < j->s->nsm; k++)
        if (count[j->s->sm[k]] < j->arg.blocks_sm)
            return 0;
    return 1;
}

static int run_job(struct cuda *c, struct job *j)
{
    int done = 0;

    for (int tries = 0; tries < 6 && done == 0; tries++) {
        set_rounds(j, WARM);
        done = run_once(c, j);
        j->moved = set_rounds(j, j->s->passes);
        if (done > 0)
            done = run_once(c, j);
        if (done == 0)
            j->grid *= 2;
    }
    if (done == 0)
        return device_fail(&c->dev,
                           "stream: not every SM had its blocks: is another program on this GPU?");
    return done < 0 ? -1 : 0;
}

/* Blocks may have run one after another, so cycles are the whole time at the mean clock that the blocks saw. */
static void summarise(const struct job *j, struct stream_result *r)
{
    uint64_t first = UINT64_MAX, last = 0;
    double ns = 0, cycles = 0;

    for (uint32_t b = 0; b < j->arg.blocks; b++) {
        const uint64_t *t = j->stamp + 4 * (size_t)b;

        first = t[0] < first ? t[0] : first;
        last = t[2] > last ? t[2] : last;
        ns += (double)(t[2] - t[0]);
        cycles += (double)(t[3] - t[1]);
    }
    r->ns = (double)(last - first);
    r->cycles = ns > 0 ? r->ns * (cycles / ns) : 0;
}

int cuda_stream(struct device *d, const struct stream *s, struct stream_result *r)
{
    struct cuda *c = cuda_of(d);
    struct job j = {.s = s};
    size_t bytes;
    int status;

    if (cuda_enter(c) != 0 || find_kernel(c, s, &j.kernel) != 0 || lay_out(c, s, &j.arg) != 0 ||
        share_out(c, s, &j) != 0)
        return -1;
    bytes = j.arg.blocks * 4 * sizeof(uint64_t);
    if (cuda_temp(c, bytes + s->nlist * sizeof *s->list) != 0)
        return -1;
    j.arg.stamp = c->temp;
    j.arg.list = c->temp + bytes;
    status = s->list ? cuda_put(c, j.arg.list, s->list, s->nlist * sizeof *s->list) : 0;
    if (status == 0)
        status = run_job(c, &j);
    j.stamp = xmalloc(bytes);
    if (status == 0)
        status = cuda_get(c, j.stamp, j.arg.stamp, bytes);
    if (status == 0)
        summarise(&j, r);
    free(j.stamp);
    r->moved = j.moved * (s->op == STREAM_COPY ? 2 : 1);
    if (status == 0 && !(r->ns > 0))
        return device_fail(d, "stream: too short for the GPU's timer: more passes or more bytes");
    return status;
}

static int hammer_ok(struct cuda *c, const struct hammer *h)
{
    if (h->kind != L2_LD_CG && h->kind != L2_ATOM)
        return device_fail(&c->dev, "hammer: by cg or atom, not %s", access_name(h->kind));
    if (h->warps < 2 || h->warps > 32 || h->accesses == 0)
        return device_fail(&c->dev, "hammer: %u warps, %u accesses", h->warps, h->accesses);
    for (size_t i = 0; i < h->npair; i++)
        if (h->a[i] % 8 != 0 || h->b[i] % 8 != 0 || cuda_inside(c, "hammer", h->a[i], 8) != 0 ||
            cuda_inside(c, "hammer", h->b[i], 8) != 0)
            return device_fail(&c->dev, "hammer: pair %zu: not two multiples of 8 in the buffer",
                               i);
    return 0;
}

/* Launches every pair whose sum of SMs is not `want` yet, all queued; then fetches the sums. */
static int hammer_round(struct cuda *c, const struct hammer *h, uint64_t *sum, uint64_t want,
                        unsigned grid)
{
    struct l2_hammer_arg a = {.accesses = h->accesses, .kind = h->kind};
    cu_address sums = c->temp;

    a.mask = h->sm ? c->control + CTL_RANK : 0;
    a.pin = (struct l2_pin){.claim = c->control + CTL_CLAIM, .sm = -1};
    if (cuda_put(c, sums, sum, h->npair * 2 * sizeof *sum) != 0)
        return -1;
    for (size_t i = 0; i < h->npair; i++) {
        if (sum[2 * i + 1] == want)
            continue;
        a.a = c->base + h->a[i];
        a.b = c->base + h->b[i];
        a.sum = sums + i * 2 * sizeof *sum;
        a.pin.epoch = ++c->epoch;
        if (cuda_launch(c, c->kernel[CUDA_HAMMER], grid, h->warps * 32, 0, &a, "hammer") != 0)
            return -1;
    }
    if (cuda_wait(c, "hammer") != 0)
        return -1;
    return cuda_get(c, sum, sums, h->npair * 2 * sizeof *sum);
}

int cuda_hammer(struct device *d, const struct hammer *h, double *cycles)
{
    struct cuda *c = cuda_of(d);
    uint64_t want = h->sm ? h->nsm : d->info.sms, *sum;
    unsigned grid = h->sm ? 2 * d->info.sms : d->info.sms;
    size_t left = h->npair;
    int status = 0;

    if (cuda_enter(c) != 0 || hammer_ok(c, h) != 0 ||
        (h->sm && cuda_ranks(c, h->sm, h->nsm) != 0) ||
        cuda_temp(c, h->npair * 2 * sizeof *sum) != 0)
        return -1;
    sum = xcalloc(2 * h->npair + 1, sizeof *sum);
    for (int tries = 0; tries < HAMMER_TRIES && left > 0 && status == 0; tries++, grid *= 2) {
        for (size_t i = 0; i < h->npair; i++)
            if (sum[2 * i + 1] != want)
                sum[2 * i] = sum[2 * i + 1] = 0;
        status = hammer_round(c, h, sum, want, grid);
        left = 0;
        for (size_t i = 0; i < h->npair && status == 0; i++)
            left += sum[2 * i + 1] != want;
    }
    for (size_t i = 0; i < h->npair && status == 0 && left == 0; i++)
        cycles[i] = (double)sum[2 * i] / (double)want / h->accesses;
    free(sum);
    if (status == 0 && left > 0)
        return device_fail(d, "hammer: not every SM took part: is another program on this GPU?");
    return status;
}
