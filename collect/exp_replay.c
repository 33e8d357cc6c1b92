/* replay: the accesses of a pattern or a trace on the device, in order, every one timed: how l2predict is checked.
 *
 * Accesses of one SM that follow each other are one walk, at most walk_chunk of them; then the next SM goes on. Only one SM
 * works at a time, so the order is exactly the pattern's. Between two walks the list and the results pass through the
 * cache, in the same few thousand lines again and again. A line's level is not known here, only its cycles: l2level tells
 * the shares, with the levels of latency rows of the same device. */
#include "access.h"
#include "experiment.h"
#include "sides.h"
#include "../share/lib/mem.h"
#include "../share/lib/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct param params[] = {
    {"pattern", PARAM_TEXT, "", "",
     "NAME,param=value,... as for l2predict; several with ';' between; default: cyclic", 0, 0},
    {"trace", PARAM_TEXT, "", "", "a file of accesses, l2tsv(5), in place of patterns", 0, 0},
    {"warm", PARAM_U64, "1", "", "passes before the recorded ones", 0, 1e6},
    {"passes", PARAM_U64, "1", "", "passes recorded", 1, 1e6},
    {"seed", PARAM_U64, "1", "", "of random patterns: the accesses of l2predict with this seed", 0,
     9e15},
    {0},
};

enum { LINE = 128, SIDES = 3, UNKNOWN = 2 }; /* side 0: that of SM 0 */

struct replay {
    struct run *r;
    struct sides sides;
    uint8_t *sm_side;
    uint64_t used;  /* bytes for patterns; what evicts them is behind */
    uint64_t *hist; /* SIDES x TRACE_KINDS x CHASE_BINS */
    bool *seen;     /* SMs of this pattern */
    l2_access *list;
    uint32_t *cycles;
    size_t n; /* of the list */
    unsigned sm;
    uint8_t kind[TRACE_KINDS];
    uint64_t walks;
};

static unsigned home_of(void *context, uint64_t offset)
{
    return sides_of(context, offset);
}

static uint64_t *bins(const struct replay *y, unsigned side, unsigned kind)
{
    return y->hist + (side * TRACE_KINDS + kind) * (size_t)CHASE_BINS;
}

/* Runs what is in the list; kinds are told from the packed access again. */
static int flush(struct replay *y, bool record)
{
    struct device *d = y->r->dev;
    unsigned side = y->sm_side[y->sm];

    if (y->n == 0)
        return 0;
    if (d->ops->walk(d, (int)y->sm, y->list, y->n, y->cycles) != 0)
        return -1;
    y->walks++;
    for (size_t i = 0; record && i < y->n; i++) {
        uint32_t kind = l2_access_kind(y->list[i]), took = y->cycles[i];
        unsigned k = 0;

        while (y->kind[k] != kind)
            k++;
        bins(y, side, k)[took < CHASE_BINS ? took : CHASE_BINS - 1]++;
    }
    y->n = 0;
    return 0;
}

static int run_pass(struct replay *y, struct pattern *p, bool record)
{
    struct access a[256];
    size_t n;

    pattern_pass(p);
    while ((n = pattern_fill(p, a, 256)) > 0 && !run_stopped())
        for (size_t i = 0; i < n; i++) {
            if ((a[i].sm != y->sm || y->n == y->r->dev->walk_chunk) && flush(y, record) != 0)
                return -1;
            y->sm = a[i].sm;
            y->seen[a[i].sm] = true;
            y->list[y->n++] = l2_access_of(y->kind[a[i].kind], a[i].offset, a[i].bytes);
        }
    return flush(y, record);
}

static void put_rows(const struct replay *y, const struct pattern *p, uint64_t pass)
{
    static const char *const sides[SIDES] = {"0", "1", "-"};
    struct out *o = y->r->out;
    uint64_t sms = 0;

    for (unsigned k = 0; k < y->r->dev->info.sms; k++)
        sms += y->seen[k];
    for (unsigned side = 0; side < SIDES; side++)
        for (unsigned kind = 0; kind < TRACE_KINDS; kind++)
            for (uint32_t b = 0; b < CHASE_BINS; b++) {
                if (bins(y, side, kind)[b] == 0)
                    continue;
                out_str(o, y->r->exp->name);
                out_str(o, p->text);
                out_u64(o, sms);
                out_str(o, sides[side]);
                out_str(o, trace_kinds[kind]);
                out_u64(o, pass);
                out_u64(o, b);
                out_u64(o, bins(y, side, kind)[b]);
                out_row(o);
            }
}

/* Everything that the cache holds is replaced by lines that no pattern uses. */
static int evict_all(struct replay *y)
{
    struct device *d = y->r->dev;
    struct sweep w = {.sm = -1, .kind = L2_LD_CG, .start = y->used, .stride = LINE};

    w.n = (d->bytes - y->used) / LINE;
    return d->ops->sweep(d, &w);
}

static int run_pattern(struct replay *y, struct pattern *p)
{
    struct run *r = y->r;
    struct pattern_env env = {
        .sms = r->dev->info.sms, .context = &y->sides, .seed = param_u64(r, "seed")};
    uint64_t warm = param_u64(r, "warm"), passes = param_u64(r, "passes");
    char why[512];

    if (y->sides.kind == SIDES_LINEAR) {
        env.sm_side = y->sm_side;
        env.home = home_of;
    }
    if (pattern_start(p, &env, why, sizeof why) != 0)
        return device_fail(r->dev, "%s", why);
    memset(y->seen, 0, env.sms * sizeof *y->seen);
    y->walks = 0;
    if (evict_all(y) != 0)
        return -1;
    for (uint64_t pass = 0; pass < warm + passes && !run_stopped(); pass++) {
        memset(y->hist, 0, SIDES * TRACE_KINDS * CHASE_BINS * sizeof *y->hist);
        if (run_pass(y, p, pass >= warm) != 0)
            return -1;
        if (pass >= warm)
            put_rows(y, p, pass - warm);
    }
    run_note(r, "note %s: %" PRIu64 " walks", p->text, y->walks);
    return 0;
}

/* The patterns asked for; -1 with the device's error. */
static int parse(struct run *r, struct pattern **list, size_t *n)
{
    const char *trace = param_text(r, "trace"), *text = param_text(r, "pattern");
    char *copy = xstrdup(*text == '\0' && *trace == '\0' ? "cyclic" : text), *save = NULL, why[512];
    int failed = 0;

    *n = 0;
    *list = xcalloc(strlen(copy) + 2, sizeof **list);
    if (*trace != '\0')
        xpattern_trace(&(*list)[(*n)++], trace);
    for (char *w = strtok_r(copy, ";", &save); w != NULL && !failed; w = strtok_r(NULL, ";", &save))
        if (pattern_parse(&(*list)[*n], w, NULL, why, sizeof why) != 0)
            failed = run_misfit(r, "%s", why);
        else
            ++*n;
    free(copy);
    return failed;
}

/* The buffer, its sides, the side of every SM. */
static int prepare(struct replay *y, const struct pattern *list, size_t n)
{
    struct device *d = y->r->dev;
    uint64_t l2 = d->info.l2_bytes > 0 ? d->info.l2_bytes : 64u << 20;

    for (size_t i = 0; i < n; i++)
        y->used = list[i].bytes > y->used ? list[i].bytes : y->used;
    y->used = (y->used + (2u << 20) - 1) >> 21 << 21;
    if (d->ops->alloc(d, y->used + 2 * l2) != 0 ||
        sides_find(d, 0, y->used, &y->r->rng, &y->sides) != 0)
        return -1;
    for (unsigned sm = 0; sm < d->info.sms; sm++) {
        unsigned side = y->sides.kind == SIDES_ONE ? 0 : UNKNOWN;

        if (y->sides.kind == SIDES_LINEAR &&
            sides_sm(d, &y->sides, (int)sm, &y->r->rng, &side) != 0)
            return -1;
        y->sm_side[sm] = (uint8_t)side;
    }
    return 0;
}

static int run_replay(struct run *r)
{
    struct replay y = {.r = r};
    struct pattern *list;
    size_t n;
    int failed = parse(r, &list, &n);

    y.sm_side = xcalloc(r->dev->info.sms, sizeof *y.sm_side);
    y.seen = xcalloc(r->dev->info.sms, sizeof *y.seen);
    y.hist = xcalloc(SIDES * TRACE_KINDS * CHASE_BINS, sizeof *y.hist);
    y.list = xcalloc(r->dev->walk_chunk, sizeof *y.list);
    y.cycles = xcalloc(r->dev->walk_chunk, sizeof *y.cycles);
    for (unsigned k = 0; k < TRACE_KINDS; k++)
        y.kind[k] = (uint8_t)access_kind(trace_kinds[k]);
    failed = failed || prepare(&y, list, n);
    for (size_t i = 0; i < n && !failed && !run_stopped(); i++) {
        failed = run_pattern(&y, &list[i]);
        run_progress(r, (double)i + 1, (double)n);
    }
    for (size_t i = 0; i < n; i++)
        pattern_free(&list[i]);
    free(list);
    free(y.sm_side);
    free(y.seen);
    free(y.hist);
    free(y.list);
    free(y.cycles);
    sides_free(&y.sides);
    return failed;
}

const struct experiment exp_replay = {
    .name = "replay",
    .summary = "a pattern or trace in its order, every access timed: what l2predict predicts",
    .columns = "exp pattern sms side op pass cycles n",
    .params = params,
    .run = run_replay,
};
