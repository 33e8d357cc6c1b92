/* sector: what comes along with a touched sector. A cold block is touched at one place and timed at another, for each
 * fetch granularity that the device accepts (as read back) and each kind of touch.
 *
 * Rows of case default are measured before any limit is set. The touch is timed, too (column first): it must miss. As a
 * control some probes follow a touch in another line, far from them (touch -1): these must miss, whatever is fetched.
 * Probes are by cg. The limit is put back at the end, also after an error. */
#include "access.h"
#include "blocks.h"
#include "experiment.h"
#include "fetch.h"
#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SETTLE_NS = 1000 };

/* Places of touches and probes in a block of four spans: touches in the second one, probes from half a span before it
 * to half a span behind, the controls' touch in the middle of the last. */
struct grid {
    uint64_t span, step;
    int ntouch, nprobe;
    uint64_t reps;
};

struct trial {
    int touch, probe; /* steps from the base; touch -1: the control */
    uint64_t rep, base;
    size_t at; /* of the touch in the list */
};

static size_t trials_of(const struct grid *g)
{
    return (size_t)(g->ntouch + 1) * (size_t)g->nprobe * g->reps;
}

static void put_row(struct run *r, uint64_t fetch, bool found, const char *op, const struct grid *g,
                    const struct trial *t, const uint32_t *cycles, size_t probe_at)
{
    struct out *o = r->out;

    out_str(o, "sector");
    out_u64(o, fetch);
    out_str(o, found ? "default" : "set");
    out_str(o, op);
    out_u64(o, param_u64(r, "sm"));
    out_str(o, param_text(r, "lines"));
    out_i64(o, t->touch < 0 ? -1 : t->touch * (int64_t)g->step);
    out_i64(o, t->probe * (int64_t)g->step);
    out_u64(o, t->rep);
    out_u64(o, t->base);
    out_u64(o, cycles[t->at]);
    out_u64(o, cycles[probe_at]);
    out_row(o);
}

static void make_trials(struct run *r, const struct grid *g, struct blocks *b, struct trial *t)
{
    size_t n = trials_of(g);
    uint32_t *order = xmalloc(n * sizeof *order);

    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    rng_shuffle(&r->rng, order, n);
    for (size_t i = 0; i < n; i++) {
        size_t k = order[i];

        t[i].probe = (int)(k % (size_t)g->nprobe) - (int)(g->span / g->step / 2);
        t[i].touch = (int)(k / (size_t)g->nprobe % (size_t)(g->ntouch + 1)) - 1;
        t[i].rep = k / (size_t)g->nprobe / (size_t)(g->ntouch + 1);
        t[i].base = blocks_next(b) + g->span;
    }
    free(order);
}

/* Whether all that it brings is there when it ends; what a prefetch-size hint asks for besides may come later. */
static bool waited_for(enum l2_kind kind)
{
    return (kind >= L2_LD_CG && kind < L2_LD_PF64) || kind == L2_ATOM;
}

/* All trials of one granularity and kind of touch, in one walk. */
static int run_case(struct run *r, const struct grid *g, struct blocks *b, uint64_t fetch,
                    bool found, const char *op)
{
    enum l2_kind kind = (enum l2_kind)access_kind(op);
    size_t n = trials_of(g), len = 0;
    struct trial *t = xmalloc(n * sizeof *t);
    l2_access *list = xmalloc(n * 4 * sizeof *list);
    uint32_t *cycles = xmalloc(n * 4 * sizeof *cycles);
    int rc;

    make_trials(r, g, b, t);
    for (size_t i = 0; i < n; i++) {
        uint64_t touched = t[i].touch < 0 ? g->span * 5 / 2 : (uint64_t)t[i].touch * g->step;

        t[i].at = len;
        list[len++] = l2_access_of(kind, t[i].base + touched, 0);
        if (!waited_for(kind)) {
            list[len++] = l2_access_of(L2_FENCE, 0, 0);
            list[len++] = l2_access_of(L2_WAIT, SETTLE_NS, 0);
        }
        list[len++] =
            l2_access_of(L2_LD_CG, t[i].base + (uint64_t)((int64_t)g->step * t[i].probe), 0);
    }
    rc = r->dev->ops->walk(r->dev, (int)param_u64(r, "sm"), list, len, cycles);
    for (size_t i = 0; i < n && rc == 0; i++)
        put_row(r, fetch, found, op, g, &t[i], cycles, (i + 1 < n ? t[i + 1].at : len) - 1);
    free(t);
    free(list);
    free(cycles);
    return rc;
}

static const char *const ops[] = {"cg",         "ca",          "cv",      "evict_first",
                                  "evict_last", "no_allocate", "pf64",    "pf128",
                                  "pf256",      "atom",        "prefetch"};
enum { OPS = sizeof ops / sizeof *ops };

/* Whether this kind of touch is wanted; hints of prefetch sizes came with compute capability 7.5. */
static bool wanted(const struct run *r, const char *op)
{
    const struct device_info *i = &r->dev->info;

    return param_has(r, "op", op) &&
           (strncmp(op, "pf", 2) != 0 || i->cc_major * 10 + i->cc_minor >= 75);
}

struct plan {
    struct grid g;
    struct blocks b;
};

static int run_ops(struct run *r, uint64_t fetch, bool found, void *data)
{
    struct plan *p = data;

    for (size_t k = 0; k < OPS && !run_stopped(); k++)
        if (wanted(r, ops[k]) && run_case(r, &p->g, &p->b, fetch, found, ops[k]) != 0)
            return -1;
    run_progress(r, (double)p->b.used, (double)p->b.n);
    return 0;
}

static int run_sector(struct run *r)
{
    struct plan p = {.g = {.span = param_u64(r, "span"), .step = param_u64(r, "step")}};
    size_t nfetch, nop = 0;
    int rc;

    p.g.reps = param_u64(r, "reps");
    p.g.ntouch = (int)(p.g.span / p.g.step);
    p.g.nprobe = 2 * p.g.ntouch;
    p.b = (struct blocks){.sm = (int)param_u64(r, "sm"),
                          .home = strcmp(param_text(r, "lines"), "home") == 0,
                          .bytes = 4 * p.g.span,
                          .line = param_u64(r, "line")};
    if (p.g.step % 8 != 0 || p.g.span % (2 * p.g.step) != 0 || p.b.bytes % p.b.line != 0)
        return run_misfit(r,
                          "span=%llu step=%llu: step must be a multiple of 8, span one of twice "
                          "the step, four spans one of line=%llu",
                          (unsigned long long)p.g.span, (unsigned long long)p.g.step,
                          (unsigned long long)p.b.line);
    param_sizes(r, "fetch", &nfetch);
    for (size_t k = 0; k < OPS; k++)
        nop += wanted(r, ops[k]);
    p.b.n = (nfetch + 1) * nop * trials_of(&p.g);
    rc = blocks_make(r, &p.b);
    if (rc == 0)
        rc = fetch_each(r, "fetch", run_ops, &p);
    blocks_free(&p.b);
    return rc;
}

static const struct param params[] = {
    {"fetch", PARAM_SIZES, "32,64,128", "bytes",
     "fetch granularities to set, after the one that is found", 1, 65536},
    {"op", PARAM_WORDS, "cg,pf128,pf256",
     "cg|ca|cv|evict_first|evict_last|no_allocate|pf64|pf128|pf256|atom|prefetch",
     "kind of the touch; pf: a prefetch-size hint", 0, 0},
    {"span", PARAM_SIZE, "256", "bytes", "bytes that are touched; probes reach half as far beyond",
     64, 65536},
    {"step", PARAM_SIZE, "32", "bytes", "bytes from touch to touch and probe to probe", 8, 4096},
    {"reps", PARAM_U64, "4", "", "repeats of each pair, in random order on new blocks", 1, 1000},
    {"sm", PARAM_U64, "0", "", "the SM that walks", 0, 1e4},
    {"lines", PARAM_WORD, "home", "home|all", "lines of the SM's own side, or any", 0, 0},
    {"line", PARAM_SIZE, "128", "bytes", "bytes from load to load of a flush: at most a line", 8,
     65536},
    {0},
};

const struct experiment exp_sector = {
    "sector",
    "touch one sector of a cold line, time another: sector, fetch granularity",
    "exp fetch case op sm lines touch probe rep offset first cycles",
    params,
    run_sector,
    false,
};
