/* Bandwidth from the model: one untimed and one timed pass of all SMs over the working set run through the cache; the
 * time is that of the tightest limit: bytes of the busiest slice, of the link between sides, of memory, of the busiest
 * SM, and the loads in flight against the mean latency (Little's law). Further passes take as long as the timed one. */
#include "sim.h"

#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

/* Sectors of one line, moved by one SM; some wait until the host's caches have their sets. */
struct move {
    struct cache_ref ref;
    enum stream_op op;
    uint32_t sectors;
    int sm;
};
enum { AHEAD = 16 };

struct flow {
    struct sim *s;
    const struct stream *st;
    double *slice, *sm; /* bytes served by each slice of each side, moved by each SM */
    double link;        /* bytes between sides */
    double latency;     /* sum over bytes */
    double bytes;
    size_t nsm;
    struct move waits[AHEAD];
    size_t nwait;
};

enum { RESIDENT = 2048, LAUNCH = 2000 }; /* threads an SM holds; cycles a launch costs */

static int sm_of(const struct flow *f, uint64_t offset)
{
    uint64_t step = (uint64_t)f->st->threads * f->st->width;
    size_t k = (size_t)((offset - f->st->start) / step % f->st->blocks % f->nsm);

    return f->st->sm != NULL ? f->st->sm[k] : (int)k;
}

/* What a slice could have read in the time of these bytes. */
static double work(const struct chip *c, enum stream_op op, double bytes)
{
    if (op == STREAM_WRITE && c->slice_write_bytes > 0)
        return bytes * c->slice_bytes / c->slice_write_bytes;
    if (op == STREAM_ATOM)
        return bytes * (c->slice_atom_bytes > 0 ? c->slice_bytes / c->slice_atom_bytes : 2);
    return bytes;
}

static void do_move(struct flow *f, const struct move *m)
{
    struct sim *s = f->s;
    const struct chip *c = &s->cache.chip;
    struct cache_ref r = m->ref;
    uint32_t side = s->sm_side[m->sm], n = (uint32_t)__builtin_popcount(m->sectors), at;
    uint32_t sectors = m->sectors;
    enum stream_op op = m->op;
    struct cache_answer a;
    double bytes = n * c->sector;

    if (op == STREAM_WRITE)
        a = cache_store(&s->cache, r, side, (uint32_t)__builtin_ctz(sectors) * c->sector,
                        n * c->sector, 0);
    else if (op == STREAM_ATOM)
        a = cache_atomic(&s->cache, r, side, sectors);
    else
        a = cache_load(&s->cache, r, side, sectors, 0, 0);
    at = op == STREAM_READ && (c->copies != COPIES_NEVER || a.level == CACHE_LOCAL) ? side
                                                                                    : r.at.side;
    f->slice[at * c->slices + r.at.slice] += work(c, op, bytes);
    if (a.level == CACHE_REMOTE || a.level == CACHE_DRAM_REMOTE) {
        f->link += bytes;
        if (at != r.at.side)
            f->slice[r.at.side * c->slices + r.at.slice] += work(c, op, bytes);
    }
    f->latency += bytes * s->latency[a.level];
    f->sm[m->sm] += bytes;
    f->bytes += bytes;
}

static void do_moves(struct flow *f)
{
    for (size_t i = 0; i < f->nwait; i++)
        do_move(f, &f->waits[i]);
    f->nwait = 0;
}

static void move(struct flow *f, enum stream_op op, uint64_t offset, uint32_t sectors, int sm)
{
    struct move *m = &f->waits[f->nwait++];

    *m = (struct move){cache_ref(&f->s->cache, offset), op, sectors, sm};
    cache_prefetch(&f->s->cache, m->ref, f->s->sm_side[sm]);
    if (f->nwait == AHEAD)
        do_moves(f);
}

/* [from, from + bytes) in blocks of `take` of every `every` bytes, the parts of a line together. */
static void pass(struct flow *f, enum stream_op op, uint64_t from, uint64_t bytes)
{
    const struct stream *st = f->st;
    uint32_t line = f->s->cache.chip.line, sectors = 0;
    uint64_t every = st->every ? st->every : line, take = st->every ? st->take : line, at = ~0ull;

    for (uint64_t unit = from; unit < from + bytes; unit += every)
        for (uint64_t p = unit; p < unit + take && p < from + bytes;) {
            uint64_t next = (p | (line - 1)) + 1, end = unit + take < next ? unit + take : next;

            if (p / line != at / line && sectors != 0) {
                move(f, op, at, sectors, sm_of(f, at));
                sectors = 0;
            }
            sectors |= cache_sectors(&f->s->cache, p, (uint32_t)(end - p));
            at = p;
            p = end;
        }
    if (sectors != 0)
        move(f, op, at, sectors, sm_of(f, at));
}

/* The k-th piece of work goes to the SM with this number, of those that use half `side` of the list. */
static int sm_of_side(const struct flow *f, uint64_t k, unsigned side)
{
    const struct stream *st = f->st;
    size_t n = 0, at;

    for (size_t i = 0; i < f->nsm; i++)
        n += st->side[i] == side;
    at = n > 0 ? k % n : 0;
    for (size_t i = 0; i < f->nsm; i++)
        if (st->side[i] == side && at-- == 0)
            return st->sm[i];
    return -1;
}

static void move_block(struct flow *f, uint64_t from, uint64_t bytes, int sm)
{
    uint32_t line = f->s->cache.chip.line, part = bytes < line ? (uint32_t)bytes : line;

    for (uint64_t at = from; at < from + bytes; at += part)
        move(f, f->st->op, at, cache_sectors(&f->s->cache, at, part), sm);
}

/* The blocks of a list, in its order; with sides those of one side, then those of the other. */
static void list_pass(struct flow *f)
{
    const struct stream *st = f->st;
    uint64_t each = st->bytes / st->nlist;
    size_t half = st->side ? st->nlist / 2 : st->nlist;
    uint32_t some = (uint32_t)(st->threads * st->width / each) + 1; /* of a thread block */

    for (size_t i = 0; i < st->nlist; i++) {
        int sm = st->side ? sm_of_side(f, i % half / some % st->blocks, i >= half)
                          : sm_of(f, st->start + i * each);

        if (sm >= 0)
            move_block(f, st->list[i], each, sm);
    }
}

static void one_pass(struct flow *f)
{
    const struct stream *st = f->st;

    if (st->list != NULL) {
        list_pass(f);
    } else if (st->op == STREAM_COPY) {
        pass(f, STREAM_READ, st->start, st->bytes / 2);
        pass(f, STREAM_WRITE, st->start + st->bytes / 2, st->bytes / 2);
    } else {
        pass(f, st->op, st->start, st->bytes);
    }
    do_moves(f);
}

static double most(const double *v, size_t n)
{
    double m = 0;

    for (size_t i = 0; i < n; i++)
        m = v[i] > m ? v[i] : m;
    return m;
}

static double at_rate(double bytes, double rate)
{
    return rate > 0 ? bytes / rate : 0;
}

/* Cycles of the pass just counted. */
static double pass_cycles(const struct flow *f)
{
    const struct chip *c = &f->s->cache.chip;
    const struct stream *st = f->st;
    double per_cycle = 1000 / (double)c->sm_mhz,
           wgbps = c->dram_write_gbps > 0 ? c->dram_write_gbps : c->dram_gbps;
    double sms = (double)(st->blocks < f->nsm ? st->blocks : f->nsm), blocks = st->blocks / sms;
    double threads = blocks * st->threads < RESIDENT ? blocks * st->threads : RESIDENT;
    double flight = threads * st->unroll * st->width;
    double limits[5];

    if (c->sm_inflight > 0 && flight > c->sm_inflight)
        flight = c->sm_inflight;
    limits[0] = at_rate(most(f->slice, (size_t)c->sides * c->slices), c->slice_bytes);
    limits[1] = at_rate(f->link, c->side_link_bytes);
    limits[2] = at_rate((double)f->s->cache.count.dram_read * c->sector, c->dram_gbps * per_cycle) +
                at_rate((double)f->s->cache.count.dram_write * c->sector, wgbps * per_cycle);
    limits[3] = at_rate(most(f->sm, c->sms), c->sm_bytes);
    limits[4] = f->latency / (flight * sms);
    return most(limits, 5);
}

static int check(struct sim *s, const struct stream *st)
{
    if (st->blocks == 0 || st->threads == 0 || st->unroll == 0 || st->passes == 0)
        return device_fail(&s->dev, "stream: blocks, threads, unroll and passes must not be 0");
    if (st->width != 4 && st->width != 8 && st->width != 16)
        return device_fail(&s->dev, "stream: width %u, not 4, 8 or 16", st->width);
    if (st->take > st->every || (st->every > 0 && st->take == 0))
        return device_fail(&s->dev, "stream: %u of every %u bytes", st->take, st->every);
    for (size_t i = 0; st->sm != NULL && i < st->nsm; i++)
        if (sim_sm(s, "stream", st->sm[i]) != 0)
            return -1;
    if (st->side != NULL && (st->sm == NULL || st->list == NULL))
        return device_fail(&s->dev, "stream: sides of SMs without a list for each");
    for (size_t i = 0; st->list != NULL && i < st->nlist; i++)
        if (sim_inside(s, "stream", st->list[i], st->bytes / st->nlist) != 0)
            return -1;
    if (st->list != NULL)
        return st->op != STREAM_COPY && st->nlist > 0
                   ? 0
                   : device_fail(&s->dev, "stream: a copy of a list, or none in it");
    return sim_inside(s, "stream", st->start, st->bytes);
}

static uint64_t useful(const struct stream *st)
{
    uint64_t once = st->every > 0 ? st->bytes / st->every * st->take : st->bytes;

    return once * (st->same ? st->same : 1);
}

/* The pass before the timed one; of a large working set its end alone, which fills the cache. */
static void untimed(struct flow *f)
{
    const struct stream *st = f->st;
    uint64_t room = chip_capacity(&f->s->cache.chip), every = st->every ? st->every : 4096;
    struct stream end = *st;

    if (st->bytes > 2 * room && st->list == NULL) {
        end.bytes = (room / every + 1) / 2 * 2 * every;
        end.start += (st->bytes - end.bytes) / every * every;
        f->st = &end;
    }
    one_pass(f);
    f->st = st;
}

int sim_stream(struct device *d, const struct stream *st, struct stream_result *r)
{
    struct sim *s = sim_of(d);
    const struct chip *c = &s->cache.chip;
    struct flow f = {.s = s, .st = st, .nsm = st->sm != NULL ? st->nsm : c->sms};
    double start;

    if (sim_begin(s, "stream") != 0 || check(s, st) != 0)
        return -1;
    f.slice = xcalloc((size_t)c->sides * c->slices, sizeof *f.slice);
    f.sm = xcalloc(c->sms, sizeof *f.sm);
    untimed(&f);
    memset(f.slice, 0, (size_t)c->sides * c->slices * sizeof *f.slice);
    memset(f.sm, 0, c->sms * sizeof *f.sm);
    f.link = f.latency = f.bytes = 0;
    memset(&s->cache.count, 0, sizeof s->cache.count);
    one_pass(&f);
    r->cycles = LAUNCH + pass_cycles(&f) * st->passes * (st->same ? st->same : 1) *
                             (1 + 0.004 * rng_uniform(&s->rng));
    r->moved = useful(st) * st->passes;
    start = s->now_ns;
    sim_spend(s, (uint64_t)r->cycles);
    r->ns = s->now_ns - start;
    free(f.slice);
    free(f.sm);
    return 0;
}
