/* sametag: where a line ends, from the full set of congruent lines that a search has found.
 *
 * x is the target, L1 .. LW the lines that evict it, W the ways. Every trial brings LW in anew and fills the set with
 * x, L1 .. LW-1; then
 *   instead: LW at a distance is loaded. While that address has LW's tag it takes a way of this set, and x is lost.
 *   also:    LW-1 at a distance is loaded, just after LW-1 at +0. While it has LW-1's tag nothing is evicted: x stays,
 *            whether the sector had to be fetched (column first is slow) or came along with +0.
 * An address of another line belongs to another set as a rule (to this one by chance), so `instead` tells where the
 * line ends and `also` that it was one tag and not a neighbour in the set. */
#include "evset_params.h"
#include "../share/lib/mem.h"

#include <stdlib.h>

enum { MOST_ROUNDS = 64, LIST = (MOST_ROUNDS + 2) * (L2_TIP_FOUND + 2) };

struct bench {
    struct evset_plan p;
    struct l2_tip_out *out;
    uint64_t set, target;
    uint32_t threshold;
    l2_access list[LIST];
    uint32_t cycles[LIST];
};

static void put_row(struct run *r, const struct bench *b, const char *what, int by, uint64_t rep,
                    size_t n)
{
    struct out *o = r->out;

    out_str(o, "sametag");
    out_u64(o, b->set);
    out_i64(o, b->p.sm);
    out_str(o, evset_lines_names[b->p.lines]);
    out_u64(o, b->out->nset);
    out_u64(o, b->threshold);
    out_str(o, what);
    out_i64(o, by);
    out_u64(o, rep);
    out_u64(o, b->target);
    out_u64(o, b->cycles[n - 2]);
    out_u64(o, b->cycles[n - 1]);
    out_row(o);
}

/* Fills the set with x and all lines but `skip`, as often as the policy asks for. */
static size_t fill(const struct bench *b, l2_access *list, uint32_t skip)
{
    size_t n = 0;

    for (uint32_t round = 0; round < b->p.rounds; round++) {
        list[n++] = l2_access_of(b->p.kind, b->target, 0);
        for (uint32_t i = 0; i < b->out->nset; i++)
            if (i != skip)
                list[n++] = l2_access_of(b->p.kind, b->out->found[i], 0);
    }
    return n;
}

static int one_trial(struct run *r, struct bench *b, bool also, int by, uint64_t rep)
{
    uint32_t last = b->out->nset - 1, moved = also ? last - 1 : last;
    size_t n = fill(b, b->list, moved); /* now the moved line is out */

    if (also)
        n += fill(b, b->list + n, last);
    b->list[n++] = l2_access_of(b->p.kind, b->out->found[moved] + (uint64_t)(int64_t)by, 0);
    b->list[n++] = l2_access_of(b->p.kind, b->target, 0);
    if (r->dev->ops->walk(r->dev, b->p.sm, b->list, n, b->cycles) != 0)
        return -1;
    put_row(r, b, also ? "also" : "instead", by, rep, n);
    return 0;
}

static int one_set(struct run *r, struct bench *b)
{
    int span = (int)param_u64(r, "span"), step = (int)param_u64(r, "step");
    uint64_t reps = param_u64(r, "reps");
    uint32_t last = b->out->nset - 1;

    for (int by = -span; by < span; by += step)
        for (uint64_t rep = 0; rep < 2 * reps; rep++) {
            uint64_t moved = b->out->found[rep % 2 == 0 ? last : last - 1];

            if (by < 0 && moved < (uint64_t)-by)
                continue;
            if (one_trial(r, b, rep % 2 != 0, by, rep / 2) != 0)
                return -1;
        }
    return 0;
}

static int sets(struct run *r, struct bench *b)
{
    uint64_t want = param_u64(r, "sets"), tries = 0;

    while (b->set < want && tries++ < 3 * want && !run_stopped()) {
        b->target = evset_target(&b->p, &r->rng);
        if (evset_threshold(&b->p, b->target, &b->threshold) != 0 ||
            evset_find(&b->p, b->target, 4, b->out) != 0)
            return -1;
        if (b->out->status != L2_TIP_OK || b->out->nset < 2)
            continue;
        if (one_set(r, b) != 0)
            return -1;
        b->set++;
        run_progress(r, (double)b->set, (double)want);
    }
    if (b->set < want && !run_stopped())
        run_warn(r, "%llu of %llu sets found; the last search ended with '%s': try lines= or pool=",
                 (unsigned long long)b->set, (unsigned long long)want,
                 evset_status(b->out->status));
    return 0;
}

static int run_sametag(struct run *r)
{
    struct bench *b = xcalloc(1, sizeof *b);
    uint64_t span = param_u64(r, "span"), step = param_u64(r, "step");
    int rc;

    b->out = xcalloc(1, sizeof *b->out);
    b->p = evset_plan_of(r);
    b->p.lines = evset_lines_of(param_text(r, "lines"));
    rc = span % step == 0 && step % 8 == 0
             ? evset_plan(&b->p, &r->rng)
             : run_misfit(r, "step=%llu must be a multiple of 8 that divides span=%llu",
                          (unsigned long long)step, (unsigned long long)span);
    if (rc == 0)
        rc = sets(r, b);
    evset_plan_free(&b->p);
    free(b->out);
    free(b);
    return rc;
}

static const struct param params[] = {
    {"sets", PARAM_U64, "8", "", "sets to measure", 1, 1000},
    {"span", PARAM_SIZE, "256", "bytes", "farthest distance from the line's address", 32, 4096},
    {"step", PARAM_SIZE, "32", "bytes", "from distance to distance", 8, 4096},
    {"reps", PARAM_U64, "3", "", "repeats of each trial", 1, 1000},
    EVSET_PARAM_SM,
    EVSET_PARAM_LINES,
    EVSET_PARAM_LINE,
    EVSET_PARAM_POOL,
    {0},
};

const struct experiment exp_sametag = {
    "sametag",
    "a full set, and an address near one of its lines: where the line ends",
    "exp set sm lines ways threshold case by rep offset first cycles",
    params,
    run_sametag,
    false,
};
