/* inclusion: does evicting a line from L2 take it out of L1? A line is loaded twice through L1 (ca), something is done to
 * L2 that L1 does not see, and the line is timed once more, through L1 (op ca) or past it (op cg). All in one walk, for L1
 * is empty when a launch begins.
 *
 * Cases: none (nothing is done), own (the line's eviction set is loaded by cg), other (the same with another line's set),
 * discard (discard.global.L2 of the line, compute capability 8.0), discard_other (of another line). Only own and discard
 * touch the line in L2, so none, other and discard_other are controls: by ca they hit L1, by cg they hit L2; own and discard
 * by cg say whether the line left L2 at all. The discard comes from the same SM and may empty L1 itself: it can show that
 * L1 keeps a line which L2 lost, never the opposite. */
#include "access.h"
#include "evset_params.h"
#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LIST = 8192, FENCE_NS = 2000 };
enum what { NONE, OWN, OTHER, DISCARD, DISCARD_OTHER, CASES };
static const char *const case_names[] = {"none", "own", "other", "discard", "discard_other"};
static const enum l2_kind probes[] = {L2_LD_CA, L2_LD_CG};

struct set {
    uint64_t number, target, line[L2_TIP_FOUND];
    uint32_t ways;
};

struct bench {
    struct evset_plan p;
    struct set *set;
    size_t nset;
    l2_access list[MOST_LIST];
    uint32_t cycles[MOST_LIST];
};

static void put_row(struct run *r, const struct bench *b, const struct set *s, enum what what,
                    enum l2_kind op, uint64_t rep, uint32_t first, uint32_t cycles)
{
    struct out *o = r->out;

    out_str(o, "inclusion");
    out_u64(o, s->number);
    out_i64(o, b->p.sm);
    out_str(o, evset_lines_names[b->p.lines]);
    out_u64(o, s->ways);
    out_str(o, case_names[what]);
    out_str(o, access_name(op));
    out_u64(o, rep);
    out_u64(o, first);
    out_u64(o, cycles);
    out_row(o);
}

/* The set's lines as often as the plan touches them, past L1. */
static size_t add_set(struct bench *b, const struct set *s, size_t n)
{
    uint32_t times = b->p.rounds + b->p.settle;

    for (uint32_t round = 0; round < times; round++)
        for (uint32_t i = 0; i < s->ways && n < MOST_LIST - 8; i++)
            for (uint32_t k = 0; k < b->p.touches; k++)
                b->list[n++] = l2_access_of(b->p.kind, s->line[i], 0);
    return n;
}

static size_t add_discard(struct bench *b, uint64_t offset, size_t n)
{
    b->list[n++] = l2_access_of(L2_DISCARD, offset, 128);
    b->list[n++] = l2_access_of(L2_FENCE, 0, 0);
    b->list[n++] = l2_access_of(L2_WAIT, FENCE_NS, 0);
    return n;
}

static int trial(struct run *r, struct bench *b, const struct set *s, const struct set *another,
                 enum what what, enum l2_kind op, uint64_t rep)
{
    size_t n = 0;

    b->list[n++] = l2_access_of(L2_LD_CA, s->target, 0);
    b->list[n++] = l2_access_of(L2_LD_CA, s->target, 0);
    if (what == OWN || what == OTHER)
        n = add_set(b, what == OWN ? s : another, n);
    if (what == DISCARD || what == DISCARD_OTHER)
        n = add_discard(b, what == DISCARD ? s->target : another->target, n);
    b->list[n++] = l2_access_of(op, s->target, 0);
    if (n > b->p.d->walk_chunk)
        return device_fail(r->dev, "%zu accesses do not fit in one walk of %zu", n,
                           b->p.d->walk_chunk);
    if (r->dev->ops->walk(r->dev, b->p.sm, b->list, n, b->cycles) != 0)
        return -1;
    put_row(r, b, s, what, op, rep, b->cycles[1], b->cycles[n - 1]);
    return 0;
}

static int find_sets(struct run *r, struct bench *b)
{
    struct l2_tip_out *out = xmalloc(sizeof *out);
    uint64_t targets = param_u64(r, "targets"), tries = param_u64(r, "tries");
    int rc = 0;

    b->set = xcalloc(targets, sizeof *b->set);
    for (uint64_t k = 0; k < targets && rc == 0 && !run_stopped(); k++) {
        struct set *s = &b->set[b->nset];

        s->number = k;
        s->target = evset_target(&b->p, &r->rng);
        rc = evset_find(&b->p, s->target, (uint32_t)tries, out);
        if (rc == 0 && out->status == L2_TIP_OK) {
            s->ways = out->nset;
            memcpy(s->line, out->found, s->ways * sizeof *s->line);
            b->nset++;
        }
        run_progress(r, (double)k + 1, 2 * (double)targets);
    }
    free(out);
    return rc;
}

/* Cases and ways to time alternate, so that a drift is in all of them. */
static int try_set(struct run *r, struct bench *b, size_t k, bool discard)
{
    const struct set *s = &b->set[k], *another = &b->set[(k + 1) % b->nset];

    for (uint64_t rep = 0; rep < param_u64(r, "reps") && !run_stopped(); rep++)
        for (int what = NONE; what < (discard ? CASES : DISCARD); what++)
            for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
                if (trial(r, b, s, another, (enum what)what, probes[i], rep) != 0)
                    return -1;
    return 0;
}

static int run_inclusion(struct run *r)
{
    struct bench *b = xcalloc(1, sizeof *b);
    bool discard = r->dev->info.cc_major >= 8;
    int rc;

    b->p = evset_plan_of(r);
    rc = evset_plan(&b->p, &r->rng);
    if (rc == 0)
        rc = find_sets(r, b);
    if (rc == 0 && b->nset < 2 && !run_stopped())
        rc = device_fail(
            r->dev,
            "%zu eviction sets found, two are needed: more targets=, tries= or pool=", b->nset);
    for (size_t k = 0; k < b->nset && rc == 0 && !run_stopped(); k++) {
        rc = try_set(r, b, k, discard);
        run_progress(r, (double)(b->nset + k + 1), 2 * (double)b->nset);
    }
    evset_plan_free(&b->p);
    free(b->set);
    free(b);
    return rc;
}

static const struct param params[] = {
    {"targets", PARAM_U64, "16", "lines", "random lines to find eviction sets of", 2, 1e4},
    {"reps", PARAM_U64, "10", "", "times each case", 1, 1e6},
    EVSET_PARAM_SM,
    EVSET_PARAM_LINE,
    EVSET_PARAM_POOL,
    {"tries", PARAM_U64, "4", "", "pools to try for a target", 1, 100},
    {0},
};

const struct experiment exp_inclusion = {
    .name = "inclusion",
    .summary = "a line in L1 whose line in L2 is evicted: does L1 keep it",
    .columns = "exp target sm lines ways case op rep first cycles",
    .params = params,
    .run = run_inclusion,
};
