/* Experiment bandwidth: bytes a second and a clock, over working set, blocks, threads, bytes a load, kind of load, and
 * which SMs use which lines.
 *
 * The time is the device's, of one launch that passes over the working set as often as `bytes` asks (a short one would
 * measure how SMs start and end), after some untimed passes. Combinations come in random order; column seq keeps it. With
 * set=own (other) every SM moves lines whose home is its own (another) side, half of the working set on each. With set=slice
 * the working set is lines of one slice, found by contention, at most half of what it keeps, and the SMs near it move them;
 * a launch for each of `slices` slices, whatever the sizes are. */
#include "access.h"
#include "contention.h"
#include "footprint.h"
#include "sides.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 128,
    SM_THREADS = 2048,
    AUTO_TURNS = 16,
    LEAST_SIDED = 4 << 20,
    BLOCK = 4096, /* what working sets are multiples of */
    SLICE_PART = 2,
    SLICE_TRIES = 1 << 16,
    L2_UNKNOWN = 32 << 20
};

static const struct param params[] = {
    {"op", PARAM_WORDS, "read,write,copy", "read|write|copy|atom", "what the threads do", 0, 0},
    {"kind", PARAM_WORDS, "no_allocate", "cg|ca|no_allocate",
     "operator of the loads; ca may hit in L1, and is not for copy", 0, 0},
    {"size", PARAM_SIZES, "auto", "bytes", "working set; auto: 1M to 4 x L2, 3 an octave", 4096,
     1e13},
    {"blocks", PARAM_SIZES, "auto", "",
     "thread blocks; auto: 16 times as many as fill every SM, so that a faster SM does more", 1,
     1e6},
    {"threads", PARAM_SIZES, "512", "", "threads a block", 32, 1024},
    {"width", PARAM_SIZES, "16", "bytes", "of one access: 4, 8 or 16 (atom: 4 or 8)", 4, 16},
    {"unroll", PARAM_SIZES, "4", "", "accesses in flight in each thread: 1, 2, 4 or 8", 1, 8},
    {"same", PARAM_SIZES, "1", "blocks",
     "neighbouring blocks that move the same bytes at the same time", 1, 1024},
    {"set", PARAM_WORDS, "all", "all|own|other|slice",
     "SMs and lines: any, each SM lines of its own side, or of another one, lines of one slice", 0,
     0},
    {"slices", PARAM_U64, "2", "", "of set=slice, drawn at random", 1, 1000},
    {"take", PARAM_SIZE, "0", "bytes", "read only so many of every `every` bytes; 0: all", 0, 4096},
    {"every", PARAM_SIZE, "0", "bytes", "the period of `take`", 0, 65536},
    {"bytes", PARAM_SIZE, "4G", "bytes", "moved in a timed launch at least", 1, 1e13},
    {"passes", PARAM_U64, "3", "", "timed launches", 1, 1e6},
    {0},
};

static const char *const op_names[] = {[STREAM_READ] = "read",
                                       [STREAM_WRITE] = "write",
                                       [STREAM_COPY] = "copy",
                                       [STREAM_ATOM] = "atom"};
enum set { SET_ALL, SET_OWN, SET_OTHER, SET_SLICE, SETS };
static const char *const set_names[] = {"all", "own", "other", "slice"};
static const enum l2_kind kinds[] = {L2_LD_CG, L2_LD_CA, L2_LD_NO_ALLOCATE};

struct combination {
    struct stream s;
    enum set set;
    size_t slice; /* number of set=slice */
};

/* Lines of one slice, and the SMs near it. */
struct slice {
    uint64_t *list;
    int *sm;
    size_t n, nsm;
};

struct plan {
    struct combination *v;
    size_t n, cap;
    uint64_t most;
    /* For set=own and other. */
    struct sides sides;
    uint32_t block;             /* bytes */
    uint64_t *blocks[2], *list; /* offsets, half of `most` on each side; list is for one launch */
    int *sm;
    uint8_t *side;
    struct slice *slice;
    size_t nslice;
};

static const char *kind_name(const struct stream *s)
{
    return access_name(s->op == STREAM_WRITE ? L2_ST : s->op == STREAM_ATOM ? L2_ATOM : s->kind);
}

static void write_row(struct run *r, size_t seq, uint64_t pass, const struct combination *c,
                      const struct stream_result *got)
{
    const struct stream *s = &c->s;
    const uint64_t shape[] = {s->bytes,  s->blocks, s->threads, s->width,
                              s->unroll, s->same,   s->take,    s->every};
    struct out *o = r->out;

    out_str(o, r->exp->name);
    out_u64(o, seq);
    out_str(o, op_names[s->op]);
    out_str(o, kind_name(s));
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        out_u64(o, shape[i]);
    out_str(o, set_names[c->set]);
    out_u64(o, pass);
    out_double(o, got->ns);
    out_double(o, got->cycles);
    out_u64(o, got->moved);
    out_round(o, (double)got->moved / got->ns, 6);
    out_round(o, (double)got->moved / got->cycles, 6);
    out_row(o);
}

static const char *const shape_names[] = {"width", "threads", "unroll", "same", "blocks"};
enum { SHAPES = sizeof shape_names / sizeof *shape_names };

/* Launches that differ in nothing: an atomic has at most 8 bytes, whatever the width asked for. */
static bool twice(const struct plan *plan, const struct combination *c)
{
    for (size_t i = plan->n; i > 0; i--) {
        const struct combination *v = &plan->v[i - 1];

        if (v->set == c->set && v->slice == c->slice && v->s.op == c->s.op &&
            v->s.kind == c->s.kind && (v->s.bytes == c->s.bytes || c->set == SET_SLICE) &&
            v->s.width == c->s.width && v->s.threads == c->s.threads &&
            v->s.unroll == c->s.unroll && v->s.same == c->s.same && v->s.blocks == c->s.blocks)
            return true;
    }
    return false;
}

/* One number of each list. */
static void add_shape(const struct run *r, struct plan *plan, struct combination c,
                      const uint64_t number[SHAPES])
{
    struct stream *s = &c.s;

    s->width = (uint32_t)(s->op == STREAM_ATOM && number[0] > 8 ? 8 : number[0]);
    s->threads = (uint32_t)number[1];
    s->unroll = (uint32_t)number[2];
    s->same = (uint32_t)number[3];
    s->blocks = (uint32_t)number[4];
    if (param_auto(r, "blocks"))
        s->blocks = AUTO_TURNS * r->dev->info.sms * (SM_THREADS / s->threads);
    if (twice(plan, &c))
        return;
    plan->v = xgrow(plan->v, plan->n, &plan->cap, sizeof *plan->v);
    plan->v[plan->n++] = c;
}

/* All shapes of a launch of one operation, kind, size and set: the lists count like the digits of a number. */
static void add_shapes(const struct run *r, struct plan *plan, struct combination c)
{
    size_t at[SHAPES] = {0}, k;

    do {
        uint64_t number[SHAPES];
        size_t n;

        for (k = 0; k < SHAPES; k++) {
            const uint64_t *list = param_sizes(r, shape_names[k], &n);

            number[k] = n > 0 ? list[at[k]] : 0;
        }
        add_shape(r, plan, c, number);
        for (k = 0; k < SHAPES; k++) {
            param_sizes(r, shape_names[k], &n);
            if (++at[k] < n)
                break;
            at[k] = 0;
        }
    } while (k < SHAPES);
}

static void add_kinds(const struct run *r, struct plan *plan, struct combination c)
{
    bool loads = c.s.op == STREAM_READ || c.s.op == STREAM_COPY;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        c.s.kind = loads ? kinds[k] : L2_NOP;
        if (c.s.op == STREAM_COPY && kinds[k] == L2_LD_CA)
            continue;
        if (param_has(r, "kind", access_name(kinds[k])))
            add_shapes(r, plan, c);
    }
}

static void add_sets(const struct run *r, struct plan *plan, struct combination c)
{
    for (int set = SET_ALL; set < SETS; set++) {
        uint64_t n = set == SET_SLICE ? param_u64(r, "slices") : 1;

        c.set = (enum set)set;
        for (c.slice = 0; c.slice < n; c.slice++)
            if (param_has(r, "set", set_names[set]) && (set == SET_ALL || c.s.op != STREAM_COPY))
                add_kinds(r, plan, c);
    }
}

/* Working sets are whole multiples of BLOCK, so that every width and `every` up to it divides them. */
static void make_plan(struct run *r, struct plan *plan)
{
    struct sizes list = {0};

    footprint_sizes(r, 1 << 20, 3, false, &list);
    for (size_t i = 0; i < list.n; i++) {
        struct combination c = {.s = {.bytes = (list.v[i] + BLOCK - 1) / BLOCK * BLOCK,
                                      .take = (uint32_t)param_u64(r, "take"),
                                      .every = (uint32_t)param_u64(r, "every")}};

        c.s.passes = (uint32_t)ceil((double)param_u64(r, "bytes") / (double)c.s.bytes);
        plan->most = c.s.bytes > plan->most ? c.s.bytes : plan->most;
        for (int op = STREAM_READ; op <= STREAM_ATOM; op++) {
            c.s.op = (enum stream_op)op;
            if (param_has(r, "op", op_names[op]))
                add_sets(r, plan, c);
        }
    }
    sizes_free(&list);
}

static void shuffle_plan(struct rng *rng, struct plan *plan)
{
    for (size_t left = plan->n; plan->v != NULL && left > 1; left--) {
        size_t j = rng_below(rng, left);
        struct combination c = plan->v[left - 1];

        plan->v[left - 1] = plan->v[j];
        plan->v[j] = c;
    }
}

static int check(struct run *r, const struct plan *plan)
{
    for (size_t i = 0; i < plan->n; i++) {
        const struct stream *s = &plan->v[i].s;

        if (s->width != 4 && s->width != 8 && s->width != 16)
            return run_misfit(r, "width=%" PRIu32 " is not 4, 8 or 16", s->width);
        if (s->unroll != 1 && s->unroll != 2 && s->unroll != 4 && s->unroll != 8)
            return run_misfit(r, "unroll=%" PRIu32 " is not 1, 2, 4 or 8", s->unroll);
        if (s->same > s->blocks)
            return run_misfit(r, "same=%" PRIu32 " is more than blocks=%" PRIu32, s->same,
                              s->blocks);
        if ((s->take == 0) != (s->every == 0) || s->take > s->every || s->take % s->width != 0)
            return run_misfit(r,
                              "take=%" PRIu32 " every=%" PRIu32
                              ": give both, take a multiple of width=%" PRIu32
                              " and not above every",
                              s->take, s->every, s->width);
    }
    return 0;
}

/* The side of every SM; all 0 where there is one side. */
static int find_sides(struct run *r, struct plan *plan)
{
    struct device *d = r->dev;

    if (sides_find(d, 0, d->bytes, &r->rng, &plan->sides) != 0)
        return -1;
    plan->sm = xmalloc(d->info.sms * sizeof *plan->sm);
    plan->side = xcalloc(d->info.sms, 1);
    for (unsigned sm = 0; sm < d->info.sms; sm++) {
        unsigned side = 0;

        if (plan->sides.kind == SIDES_LINEAR &&
            sides_sm(d, &plan->sides, (int)sm, &r->rng, &side) != 0)
            return -1;
        plan->sm[sm] = (int)sm;
        plan->side[sm] = (uint8_t)side;
    }
    return 0;
}

/* The blocks of each side by address, as long as no address bit within one changes the side. */
static int sort_blocks(struct run *r, struct plan *plan)
{
    struct device *d = r->dev;
    uint64_t same = 1ull << plan->sides.flip; /* bytes that one side has in a row */
    size_t most;

    if (plan->sides.kind != SIDES_LINEAR)
        return device_fail(d, plan->sides.kind == SIDES_ONE
                                  ? "set=own and other: this device has one side only"
                                  : "set=own and other: the side of a line is no XOR of its "
                                    "address bits here");
    plan->block = same < BLOCK ? (uint32_t)same : BLOCK;
    most = (size_t)(plan->most / 2 / plan->block);
    plan->list = xmalloc(2 * most * sizeof *plan->list);
    for (unsigned side = 0; side < 2; side++) {
        size_t n = 0;

        plan->blocks[side] = xmalloc(most * sizeof *plan->blocks[side]);
        for (uint64_t at = 0; at < d->bytes && n < most; at += plan->block)
            if (sides_of(&plan->sides, at) == side)
                plan->blocks[side][n++] = at;
        if (n < most)
            return device_fail(d,
                               "set=own and other: not with a working set of %s: a side has "
                               "too few lines in the buffer",
                               cli_size(plan->most));
    }
    return 0;
}

static int find_slice(struct run *r, const struct plan *plan, struct slice *s)
{
    struct device *d = r->dev;
    uint64_t l2 = d->info.l2_bytes > 0 ? d->info.l2_bytes : L2_UNKNOWN;
    size_t most = (size_t)(l2 / SLICE_PART / LINE), tries = most < SLICE_TRIES ? most : SLICE_TRIES;

    s->list = xmalloc((tries + 1) * sizeof *s->list);
    s->sm = xmalloc(d->info.sms * sizeof *s->sm);
    if (contention_slice(d, &r->rng, d->bytes, LINE, tries, s->list, &s->n) != 0)
        return -1;
    for (unsigned sm = 0; sm < d->info.sms; sm++)
        if (plan->sides.kind != SIDES_LINEAR ||
            plan->side[sm] == sides_of(&plan->sides, s->list[0]))
            s->sm[s->nsm++] = (int)sm;
    return 0;
}

static int find_slices(struct run *r, struct plan *plan)
{
    if (plan->sides.kind != SIDES_ONE && plan->sides.kind != SIDES_LINEAR)
        return device_fail(r->dev, "set=slice: the side of a line is no XOR of its address bits "
                                   "here, so the SMs near a slice are not known");
    plan->nslice = param_u64(r, "slices");
    plan->slice = xcalloc(plan->nslice, sizeof *plan->slice);
    for (size_t i = 0; i < plan->nslice; i++)
        if (find_slice(r, plan, &plan->slice[i]) != 0)
            return -1;
    return 0;
}

static int find_sets(struct run *r, struct plan *plan)
{
    bool blocks = param_has(r, "set", "own") || param_has(r, "set", "other");

    if (find_sides(r, plan) != 0 || (blocks && sort_blocks(r, plan) != 0))
        return -1;
    return param_has(r, "set", "slice") ? find_slices(r, plan) : 0;
}

/* Each SM reads lines of its own, as many as its block has in flight: loads of several SMs that meet at one line on their
 * way are answered together, and the slice would seem to give more than it can. (Stores do the contrary: those of one SM to
 * a line are merged.) */
static void share_lines(const struct slice *lines, struct stream *s)
{
    uint64_t flight = (uint64_t)s->threads * s->width * s->unroll;
    uint64_t n = lines->n * LINE / flight;

    s->nsm = n < lines->nsm ? n > 0 ? n : 1 : lines->nsm;
    n = s->nsm * flight / LINE;
    if (n > 0 && n < lines->n)
        s->nlist -= s->nlist % n;
}

static void use_slice(const struct run *r, const struct slice *lines, struct stream *s)
{
    s->list = lines->list;
    s->nlist = lines->n;
    s->sm = lines->sm;
    s->nsm = lines->nsm;
    if (param_auto(r, "blocks")) {
        if (s->op == STREAM_READ)
            share_lines(lines, s);
        s->blocks = (uint32_t)s->nsm;
    }
    s->bytes = s->nlist * LINE;
    s->passes = (uint32_t)ceil((double)param_u64(r, "bytes") / (double)s->bytes);
}

/* Half of the working set on each side: blocks for the SMs of side 0, then those for side 1. */
static void use_sides(const struct run *r, const struct plan *plan, enum set set, struct stream *s)
{
    size_t n = (size_t)(s->bytes / 2 / plan->block);

    for (unsigned side = 0; side < 2; side++)
        memcpy(plan->list + side * n, plan->blocks[set == SET_OWN ? side : !side],
               n * sizeof *plan->list);
    s->list = plan->list;
    s->nlist = 2 * n;
    s->bytes = 2 * n * plan->block;
    s->sm = plan->sm;
    s->nsm = r->dev->info.sms;
    s->side = plan->side;
}

/* c->s becomes what was launched. */
static int one_launch(struct run *r, const struct plan *plan, struct combination *c,
                      struct stream_result *got)
{
    struct stream s = c->s;

    if (c->set == SET_SLICE) {
        use_slice(r, &plan->slice[c->slice], &s);
        c->s = s;
    } else if (c->set != SET_ALL) {
        use_sides(r, plan, c->set, &s);
    }
    return r->dev->ops->stream(r->dev, &s, got);
}

static int run_plan(struct run *r, struct plan *plan)
{
    uint64_t passes = param_u64(r, "passes");

    for (size_t i = 0; i < plan->n; i++)
        for (uint64_t pass = 0; pass < passes && !run_stopped(); pass++) {
            struct stream_result got;

            if (one_launch(r, plan, &plan->v[i], &got) != 0)
                return -1;
            write_row(r, i, pass, &plan->v[i], &got);
            run_progress(r, (double)(i * passes + pass + 1), (double)(plan->n * passes));
        }
    return 0;
}

/* Sides and slices are found in a larger buffer: whole pages, and lines of one slice enough. */
static int allocate(struct run *r, const struct plan *plan, bool sided)
{
    uint64_t bytes = plan->most, least = sided ? LEAST_SIDED : 0;

    if (param_has(r, "set", "slice") && least < 4 * r->dev->info.l2_bytes)
        least = 4 * r->dev->info.l2_bytes;
    if (sided)
        bytes = (bytes + LEAST_SIDED - 1) / LEAST_SIDED * LEAST_SIDED;
    return r->dev->ops->alloc(r->dev, bytes > least ? bytes : least);
}

static int run_bandwidth(struct run *r)
{
    bool sided =
        param_has(r, "set", "own") || param_has(r, "set", "other") || param_has(r, "set", "slice");
    struct plan plan = {0};
    int failed;

    make_plan(r, &plan);
    failed = check(r, &plan);
    shuffle_plan(&r->rng, &plan);
    footprint_warn(r, plan.most);
    failed = failed || allocate(r, &plan, sided) != 0 || (sided && find_sets(r, &plan) != 0) ||
             run_plan(r, &plan) != 0;
    sides_free(&plan.sides);
    for (size_t i = 0; i < plan.nslice; i++) {
        free(plan.slice[i].list);
        free(plan.slice[i].sm);
    }
    free(plan.slice);
    free(plan.blocks[0]);
    free(plan.blocks[1]);
    free(plan.list);
    free(plan.sm);
    free(plan.side);
    free(plan.v);
    return failed ? -1 : 0;
}

const struct experiment exp_bandwidth = {
    .name = "bandwidth",
    .summary = "read, write, copy and atomics: bytes a second and a clock",
    .columns = "exp seq op kind size blocks threads width unroll same take every set pass ns "
               "cycles bytes gbps bpc",
    .params = params,
    .run = run_bandwidth,
};
