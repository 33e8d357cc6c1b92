/* dirty: written lines in one set. Sets of congruent lines are found as by evict; whole walks then run on one set.
 *
 * Line k of a set is found line k, line 0 the target, W the ways; kind cg: lines are only loaded, st: stored to as well.
 *   keep     W lines are brought in, `stored` of them stored to; line `line` is timed: how many dirty lines stay.
 *   order    `stored` lines are stored to, first or last in order of age (kind st_old, st_new), the set is filled up
 *            by loads, one more line comes in; line `line` is timed: who had to go.
 *   outlive  as order st_old, then `loaded` loads of the clean lines in turn, and line 0 is timed: how long it stays.
 *   cost     W lines, all stored to or none, then line `line` comes in and is timed: what evicting a dirty line costs.
 *   drop     W lines are loaded, line `line` is thrown away by discard.global.L2 and timed.
 *   discard  without a clock. A pointer at the start of each line is in memory; W lines are brought in, and in `stored`
 *            of them the pointer's lowest byte is set to 0, so that it leads to itself. Then these lines are thrown away
 *            by discard.global.L2 (kind discard), or not (none), or written back before that (flushed). vote 1: the old
 *            pointer came back, so the line was dirty; cycles is nan. Needs lines at multiples of 256 bytes.
 * vote is 1, too, when a timed line was missing. Discard needs compute capability 8.0. */
#include "access.h"
#include "evset_params.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DISCARD_NS = 2000, RESET = 2, OUTLIVE = 16, STORE_BYTES = 32, POINTER = 8, LIST = 65536 };
enum throw { THROW_NONE, THROW_FLUSHED, THROW_DISCARD };

struct bed {
    uint64_t number;
    uint32_t ways, threshold, nline;
    uint64_t line[L2_TIP_FOUND + 1]; /* the target, then the lines found */
};

struct bench {
    struct evset_plan p;
    struct bed *bed;
    size_t nbed;
    uint32_t rounds;
    l2_access list[LIST];
    uint32_t cycles[LIST];
    size_t n;
};

struct row {
    const char *what, *kind;
    uint32_t stored, loaded, line;
    uint64_t rep;
    double cycles;
    bool vote;
};

static void put_row(struct run *r, const struct bench *b, const struct bed *s,
                    const struct row *row)
{
    struct out *o = r->out;

    out_str(o, "dirty");
    out_u64(o, s->number);
    out_i64(o, b->p.sm);
    out_str(o, evset_lines_names[b->p.lines]);
    out_u64(o, s->ways);
    out_u64(o, s->threshold);
    out_str(o, row->what);
    out_str(o, row->kind);
    out_u64(o, row->stored);
    out_u64(o, row->loaded);
    out_u64(o, row->line);
    out_u64(o, row->rep);
    out_u64(o, s->line[row->line]);
    out_double(o, row->cycles);
    out_u64(o, row->vote);
    out_row(o);
}

static void load(struct bench *b, const struct bed *s, uint32_t line)
{
    b->list[b->n++] = l2_access_of(b->p.kind, s->line[line], 0);
}

/* Loaded before, so that it is there on a chip whose stores allocate nothing. */
static void store(struct bench *b, const struct bed *s, uint32_t line, uint32_t bytes)
{
    load(b, s, line);
    b->list[b->n++] = l2_access_of(L2_ST, s->line[line], bytes);
}

/* Is given time: it is a hint that takes effect later. */
static void discard_line(struct bench *b, const struct bed *s, uint32_t line)
{
    b->list[b->n++] = l2_access_of(L2_DISCARD, s->line[line], 0);
    b->list[b->n++] = l2_access_of(L2_FENCE, 0, 0);
    b->list[b->n++] = l2_access_of(L2_WAIT, DISCARD_NS, 0);
}

/* All lines, in order, some times: then lines of index `ways` and above were the last ones, and none is dirty. */
static void reset(struct bench *b, const struct bed *s)
{
    b->n = 0;
    for (uint32_t pass = 0; pass < RESET * b->rounds; pass++)
        for (uint32_t k = 0; k < s->nline; k++)
            load(b, s, k);
}

/* Brings lines 0 .. ways - 1 in; the first `bytes` of those in [from, to) are stored to. */
static void fill(struct bench *b, const struct bed *s, uint32_t from, uint32_t to, uint32_t bytes)
{
    for (uint32_t pass = 1; pass < b->rounds; pass++)
        for (uint32_t k = 0; k < s->ways; k++)
            load(b, s, k);
    for (uint32_t k = 0; k < s->ways; k++)
        if (k >= from && k < to)
            store(b, s, k, bytes);
        else
            load(b, s, k);
}

static int walk(struct run *r, struct bench *b)
{
    b->list[b->n++] = l2_access_of(L2_FENCE, 0, 0);
    return r->dev->ops->walk(r->dev, b->p.sm, b->list, b->n, b->cycles);
}

/* What was prepared, then one line timed. */
static int timed(struct run *r, struct bench *b, const struct bed *s, struct row row)
{
    b->list[b->n++] = l2_access_of(L2_FENCE, 0, 0);
    load(b, s, row.line);
    if (walk(r, b) != 0)
        return -1;
    row.cycles = b->cycles[b->n - 2];
    row.vote = row.cycles > s->threshold;
    put_row(r, b, s, &row);
    return 0;
}

static int run_keep(struct run *r, struct bench *b, const struct bed *s, uint64_t rep)
{
    for (uint32_t k = 0; k < s->ways; k++)
        for (uint32_t stored = 0; stored <= s->ways; stored += s->ways) {
            reset(b, s);
            fill(b, s, 0, stored, STORE_BYTES);
            if (timed(r, b, s, (struct row){"keep", stored ? "st" : "cg", stored, 0, k, rep, 0, 0}))
                return -1;
        }
    return 0;
}

static int run_order(struct run *r, struct bench *b, const struct bed *s, uint64_t rep)
{
    uint32_t w = s->ways;

    for (uint32_t i = 0; i < 2 * w * w; i++) {
        uint32_t stored = i % w + 1, k = i / w % w;
        bool young = i / w / w;

        reset(b, s);
        fill(b, s, young ? w - stored : 0, young ? w : stored, STORE_BYTES);
        load(b, s, w);
        if (timed(r, b, s,
                  (struct row){"order", young ? "st_new" : "st_old", stored, 1, k, rep, 0, 0}))
            return -1;
    }
    return 0;
}

static int run_outlive(struct run *r, struct bench *b, const struct bed *s, uint64_t rep)
{
    uint32_t most = OUTLIVE * s->ways;

    for (uint32_t stored = 0; stored <= s->ways / 4; stored = stored == 0 ? 1 : stored * 2)
        for (uint32_t loaded = 1; loaded <= most; loaded += 1 + loaded / 4) {
            reset(b, s);
            fill(b, s, 0, stored, STORE_BYTES);
            for (uint32_t i = 0, k = s->ways; i < loaded;
                 i++, k = k + 1 < s->nline ? k + 1 : s->ways / 4)
                load(b, s, k);
            if (timed(r, b, s,
                      (struct row){"outlive", stored ? "st" : "cg", stored, loaded, 0, rep, 0, 0}))
                return -1;
        }
    return 0;
}

static int run_cost(struct run *r, struct bench *b, const struct bed *s, uint64_t rep)
{
    for (uint32_t k = s->ways; k < s->nline; k++)
        for (uint32_t stored = 0; stored <= s->ways; stored += s->ways) {
            reset(b, s);
            fill(b, s, 0, stored, STORE_BYTES);
            if (timed(r, b, s, (struct row){"cost", stored ? "st" : "cg", stored, 0, k, rep, 0, 0}))
                return -1;
        }
    return 0;
}

/* Whether a discard takes a line out that is only loaded: where not, it shows nothing of dirty lines either. */
static int run_drop(struct run *r, struct bench *b, const struct bed *s, uint64_t rep)
{
    for (uint32_t k = 0; k < s->ways && r->dev->info.cc_major >= 8; k++) {
        reset(b, s);
        fill(b, s, 0, 0, 0);
        discard_line(b, s, k);
        if (timed(r, b, s, (struct row){"drop", "discard", 0, 0, k, rep, 0, 0}))
            return -1;
    }
    return 0;
}

static int run_timed(struct run *r, struct bench *b)
{
    static int (*const cases[])(struct run *, struct bench *, const struct bed *,
                                uint64_t) = {run_keep, run_order, run_outlive, run_cost, run_drop};
    uint64_t reps = param_u64(r, "reps");

    for (size_t i = 0; i < b->nbed && !run_stopped(); i++) {
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (uint64_t rep = 0; rep < reps; rep++)
                if (cases[c](r, b, &b->bed[i], rep) != 0)
                    return -1;
        run_progress(r, (double)(b->nbed + i + 1), 3.0 * (double)b->nbed);
    }
    return 0;
}

/* Everything that is dirty goes to memory: the pool is many times the cache. */
static int flush(struct run *r, const struct bench *b)
{
    struct sweep all = {.sm = -1, .kind = b->p.kind, .stride = b->p.line};
    uint64_t bytes = r->dev->info.l2_bytes > 0 ? 4 * r->dev->info.l2_bytes : b->p.pool_bytes;

    all.n = (bytes < b->p.pool_bytes ? bytes : b->p.pool_bytes) / all.stride;
    return r->dev->ops->sweep(r->dev, &all);
}

static int flush_twice(struct run *r, const struct bench *b)
{
    int rc = flush(r, b);

    return rc == 0 ? flush(r, b) : rc;
}

static int point_all(struct run *r, const struct bench *b)
{
    static const uint32_t next[] = {1, 0}; /* from the line's start to the next pointer and back */

    for (size_t i = 0; i < b->nbed; i++)
        for (uint32_t k = 0; k < b->bed[i].ways; k++)
            if (r->dev->ops->link(r->dev, b->bed[i].line[k], POINTER, next, 2) != 0)
                return -1;
    return 0;
}

static int throw_away(struct run *r, struct bench *b, const struct bed *s, uint32_t stored)
{
    for (uint32_t k = 0; k < stored; k++)
        discard_line(b, s, k);
    return walk(r, b);
}

/* Which lines lead to themselves, as they were told to last. */
static int ask(struct run *r, const struct bench *b, const struct bed *s, struct row row)
{
    for (row.line = 0; row.line < row.stored; row.line++) {
        uint64_t hops;

        if (r->dev->ops->cycle_length(r->dev, s->line[row.line], 4, &hops) != 0)
            return -1;
        row.vote = hops == 2;
        put_row(r, b, s, &row);
    }
    return 0;
}

/* How many lines of a set are stored to in the n-th test. */
static uint32_t stored_of(const struct bed *s, uint32_t n)
{
    return n < s->ways ? n : s->ways;
}

/* One test of all sets at once, so that there is one flush (of two sweeps). */
static int discard_test(struct run *r, struct bench *b, enum throw how, uint32_t n, uint64_t rep)
{
    static const char *const names[] = {"none", "flushed", "discard"};

    if (point_all(r, b) != 0 || flush_twice(r, b) != 0)
        return -1;
    for (size_t i = 0; i < b->nbed; i++) {
        const struct bed *s = &b->bed[i];

        b->n = 0;
        fill(b, s, 0, stored_of(s, n), 1);
        b->list[b->n++] = l2_access_of(L2_FENCE, 0, 0);
        if (throw_away(r, b, s, how == THROW_DISCARD ? stored_of(s, n) : 0) != 0)
            return -1;
    }
    if (how == THROW_FLUSHED && flush_twice(r, b) != 0)
        return -1;
    for (size_t i = 0; i < b->nbed; i++) {
        const struct bed *s = &b->bed[i];

        b->n = 0;
        if ((how == THROW_FLUSHED && throw_away(r, b, s, stored_of(s, n)) != 0) ||
            ask(r, b, s, (struct row){"discard", names[how], stored_of(s, n), 0, 0, rep, NAN, 0}) !=
                0)
            return -1;
    }
    return 0;
}

/* 1, 2, 4 ... and all but one, and all. */
static uint32_t next_stored(uint32_t n, uint32_t most)
{
    return n + 1 >= most ? n + 1 : 2 * n < most ? 2 * n : most - 1;
}

static int run_discard(struct run *r, struct bench *b)
{
    const struct device_info *i = &r->dev->info;
    uint64_t reps = param_u64(r, "reps");
    uint32_t most = 0;

    for (size_t k = 0; k < b->nbed; k++)
        most = b->bed[k].ways > most ? b->bed[k].ways : most;
    if (i->cc_major < 8 || b->p.line % 256 != 0) {
        run_warn(r,
                 "no discard test (compute capability %u.%u, line=%u; 8.0 and a multiple of 256 "
                 "are needed): dirty lines are told by time alone",
                 i->cc_major, i->cc_minor, b->p.line);
        return 0;
    }
    if (discard_test(r, b, THROW_NONE, most, 0) != 0 ||
        discard_test(r, b, THROW_FLUSHED, most, 0) != 0)
        return -1;
    for (uint64_t rep = 0; rep < reps; rep++)
        for (uint32_t n = 1; n <= most && !run_stopped(); n = next_stored(n, most))
            if (discard_test(r, b, THROW_DISCARD, n, rep) != 0)
                return -1;
    return 0;
}

/* Looks for sets; those that are found are in b->bed. */
static int find_sets(struct run *r, struct bench *b)
{
    struct l2_tip_out *out = xcalloc(1, sizeof *out);
    uint64_t want = param_u64(r, "sets");
    int rc = 0;

    b->bed = xcalloc(want, sizeof *b->bed);
    for (uint64_t tries = 0; b->nbed < want && tries < 3 * want && rc == 0 && !run_stopped();
         tries++) {
        struct bed *s = &b->bed[b->nbed];

        s->number = b->nbed;
        s->line[0] = evset_target(&b->p, &r->rng);
        rc = evset_threshold(&b->p, s->line[0], &s->threshold);
        if (rc != 0 || (rc = evset_find(&b->p, s->line[0], 4, out)) != 0 ||
            out->status != L2_TIP_OK || out->nfound == out->nset)
            continue;
        s->ways = out->nset;
        s->nline = out->nfound + 1;
        memcpy(s->line + 1, out->found, out->nfound * sizeof *out->found);
        b->nbed++;
        run_progress(r, (double)b->nbed, 3.0 * (double)want);
    }
    if (rc == 0 && b->nbed < want && !run_stopped())
        run_warn(r, "%zu of %llu sets found; the last search ended with '%s': try lines= or pool=",
                 b->nbed, (unsigned long long)want, evset_status(out->status));
    free(out);
    return rc;
}

/* What is written to a line of the other side is kept there: here a store takes the copy away, or changes only that. */
static int refuse_remote(struct run *r)
{
    int sm;

    if (sides_other_sm(r->dev, (int)param_u64(r, "sm"), &r->rng, &sm) != 0)
        return -1;
    if (sm < 0)
        return device_fail(r->dev, "lines=remote: this device has no other side that can be told "
                                   "by an XOR of address bits: use lines=home or all");
    return device_fail(r->dev,
                       "lines=remote: written data stay at a line's home, not in this side's copy: "
                       "use lines=home with an SM of that side, such as sm=%d",
                       sm);
}

static int run_dirty(struct run *r)
{
    enum evset_lines lines = evset_lines_of(param_text(r, "lines"));
    struct bench *b;
    int rc;

    if (lines == EVSET_REMOTE)
        return refuse_remote(r);
    b = xcalloc(1, sizeof *b);
    b->p = evset_plan_of(r);
    b->p.lines = lines;
    b->p.extra = (uint32_t)param_u64(r, "extra");
    rc = evset_plan(&b->p, &r->rng);
    b->rounds = b->p.rounds > 0 ? b->p.rounds : 1;
    if (rc == 0)
        rc = find_sets(r, b);
    if (rc == 0)
        rc = run_timed(r, b);
    if (rc == 0 && b->nbed > 0)
        rc = run_discard(r, b);
    evset_plan_free(&b->p);
    free(b->bed);
    free(b);
    return rc;
}

static const struct param params[] = {
    {"sets", PARAM_U64, "6", "", "sets to measure", 1, 1000},
    {"extra", PARAM_U64, "8", "lines", "congruent lines beyond the ways", 1, 40},
    {"reps", PARAM_U64, "2", "", "repeats of each trial", 1, 1000},
    EVSET_PARAM_SM,
    {"lines", PARAM_WORD, "home", "home|remote|all",
     "sets of lines of the SM's own side, or any; remote says which SM to take instead", 0, 0},
    {"line", PARAM_SIZE, "256", "bytes",
     "bytes from line to line of the pool; the discard test needs a multiple of 256", 32, 65536},
    EVSET_PARAM_POOL,
    {0},
};

const struct experiment exp_dirty = {
    "dirty",
    "written lines in one set: how many stay, who goes first, what it costs",
    "exp set sm lines ways threshold case kind stored loaded line rep offset cycles vote",
    params,
    run_dirty,
    false,
};
