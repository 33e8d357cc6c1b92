/* l2level: what the levels behind a latency curve are. Reads raw rows of `latency` (whole distributions over working-set
 * sizes), finds the levels that a mean hides, each size's share of accesses in each level, and from the shares the
 * capacity that one SM sees and the capacity in all; from rows of order=back, how much hits. With rows of `replay` beside them: each pattern's shares. Cannot tell two levels apart whose latencies do not differ, nor
 * find a capacity that the sizes do not reach. */
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/out.h"
#include "../share/lib/tsv.h"
#include "findings.h"
#include "level.h"
#include "mixture.h"
#include "played.h"
#include "values.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <getopt.h>

enum { BINS = 8192, LEAST_SIZES = 3 };
/* Of what hits on the way back: how much it may differ from size to size, and what more the cache may hold: lines of others push
 * out 2 to 3 % on an H200 (l2toolchain(7)), bit-PLRU keeps 5 % less than the last lines. */
static const double SAME = 0.02, OTHERS = 0.06;

struct curve {
    double *size; /* ascending after curve_sort */
    double **row; /* BINS counts each */
    size_t n, cap, row_cap;
    uint64_t accesses;
    bool through_l1;
};

struct answer {
    struct mixture mix;
    struct memory memory;
    bool memories; /* told apart by their bodies */
    enum level_kind kind[MIXTURE_MAX];
    double *mean;             /* of each size */
    size_t usable;            /* sizes before translation shifts everything */
    const struct curve *back; /* what was walked backwards */
    double ways;              /* 0: unknown */
};

/* What must be the same in all rows, or the curve would be a mixture of experiments. */
static const char *const conditions[] = {"op",     "stride",   "order", "window",
                                         "chains", "carveout", "sm"};
enum { CONDITIONS = sizeof conditions / sizeof *conditions };

struct columns {
    size_t size, cycles, n, timing, order, condition[CONDITIONS];
    char *seen[CONDITIONS];
};

static void find_columns(const struct tsv *t, struct columns *c)
{
    c->size = xtsv_column(t, "size");
    c->cycles = xtsv_column(t, "cycles");
    c->n = xtsv_column(t, "n");
    c->timing = tsv_find(t, "timing");
    c->order = tsv_find(t, "order");
    for (size_t i = 0; i < CONDITIONS; i++)
        c->condition[i] = tsv_find(t, conditions[i]);
}

/* The way back belongs to the cycle. */
static void check_conditions(const struct tsv *t, struct columns *c, bool backwards)
{
    for (size_t i = 0; i < CONDITIONS; i++) {
        size_t at = c->condition[i];

        if (at == TSV_NONE || (backwards && at == c->order))
            continue;
        if (c->seen[i] == NULL)
            c->seen[i] = xstrndup(t->field[at].ptr, t->field[at].len);
        else if (!tsv_is(t, at, c->seen[i]))
            xtsv_bad_line(t,
                          "rows of several %s ('%s' and '%.*s'): keep one, with l2body awk or grep",
                          conditions[i], c->seen[i], (int)t->field[at].len, t->field[at].ptr);
    }
}

static double *row_of(struct curve *c, double size)
{
    for (size_t i = c->n; i > 0; i--)
        if (c->size[i - 1] == size)
            return c->row[i - 1];
    c->size = xgrow(c->size, c->n, &c->cap, sizeof *c->size);
    c->row = xgrow(c->row, c->n, &c->row_cap, sizeof *c->row);
    c->size[c->n] = size;
    c->row[c->n] = xcalloc(BINS, sizeof(double));
    return c->row[c->n++];
}

static void read_curves(struct tsv *t, struct curve *cycle, struct curve *back,
                        struct playeds *replays)
{
    struct columns col = {0};
    bool replay = false;
    enum tsv_event ev;

    while ((ev = xtsv_next(t)) != TSV_END) {
        uint64_t cycles, n;
        bool backwards;
        struct curve *c;

        if (ev == TSV_HEADER) {
            replay = played_header(replays, t);
            if (!replay)
                find_columns(t, &col);
            continue;
        }
        if (replay) {
            xplayed_row(replays, t);
            continue;
        }
        if (col.timing != TSV_NONE && !tsv_is(t, col.timing, "each"))
            continue;
        backwards = col.order != TSV_NONE && tsv_is(t, col.order, "back");
        check_conditions(t, &col, backwards);
        c = backwards ? back : cycle;
        cycles = xtsv_u64(t, col.cycles);
        n = xtsv_u64(t, col.n);
        row_of(c, xtsv_double(t, col.size))[cycles < BINS ? cycles : BINS - 1] += (double)n;
        c->accesses += n;
    }
    cycle->through_l1 = col.seen[0] != NULL && strcmp(col.seen[0], "ca") == 0;
    for (size_t i = 0; i < CONDITIONS; i++)
        free(col.seen[i]);
}

static void sort_curve(struct curve *c)
{
    for (size_t i = 1; i < c->n; i++)
        for (size_t k = i; k > 0 && c->size[k] < c->size[k - 1]; k--) {
            double size = c->size[k], *row = c->row[k];

            c->size[k] = c->size[k - 1];
            c->row[k] = c->row[k - 1];
            c->size[k - 1] = size;
            c->row[k - 1] = row;
        }
}

static void solve(const struct curve *c, const struct mixture_options *o, struct answer *a)
{
    double *hist = xcalloc(c->n * BINS, sizeof *hist);

    a->mean = xcalloc(c->n, sizeof *a->mean);
    for (size_t s = 0; s < c->n; s++) {
        double sum = 0;

        memcpy(hist + s * BINS, c->row[s], BINS * sizeof *hist);
        for (size_t b = 0; b < BINS; b++) {
            sum += c->row[s][b];
            a->mean[s] += (double)b * c->row[s][b];
        }
        a->mean[s] /= sum > 0 ? sum : 1;
    }
    if (mixture_fit(hist, c->n, BINS, o, &a->mix) != 0)
        xdie(EXIT_FAILED,
             "no latencies to split into levels: need rows of 'latency' with timing=each");
    level_classify(&a->mix, c->size, c->n, c->through_l1, a->kind);
    for (a->usable = 0; a->usable < c->n; a->usable++)
        if (a->kind[a->mix.nlevel - 1] == LEVEL_SHIFTED &&
            a->mix.share[a->usable * a->mix.nlevel + a->mix.nlevel - 1] > 0.1)
            break;
    for (size_t k = 0; k + 1 < a->mix.nlevel; k++)
        if (a->kind[k] == LEVEL_DRAM && a->kind[k + 1] == LEVEL_DRAM_REMOTE)
            a->memories = memory_fit(hist, c->n, BINS, &a->mix, k, &a->memory) == 0;
    free(hist);
}

static size_t level_of(const struct answer *a, enum level_kind kind)
{
    size_t k = 0;

    while (k < a->mix.nlevel && a->kind[k] != kind)
        k++;
    return k;
}

static double share(const struct answer *a, size_t s, enum level_kind kind)
{
    size_t k = level_of(a, kind);

    return k < a->mix.nlevel ? a->mix.share[s * a->mix.nlevel + k] : 0;
}

/* The largest range of sizes where both levels have a real share and nothing else does: a plateau that is a mixture. */
static void put_sentence(const struct curve *c, const struct answer *a, struct prov *p)
{
    double from = 0, to = 0, remote = 0, mean = 0;
    size_t n = 0;

    for (size_t s = 0; s < a->usable; s++) {
        double r = share(a, s, LEVEL_REMOTE);

        if (r < 0.25 || r > 0.75 || share(a, s, LEVEL_LOCAL) > 0.05 ||
            share(a, s, LEVEL_DRAM_REMOTE) > 0.1)
            continue;
        from = n == 0 ? c->size[s] : from;
        to = c->size[s];
        remote += r;
        mean += a->mean[s];
        n++;
    }
    if (n == 0) {
        prov_addf(p, "#note %zu level%s: no plateau that is a mixture of levels", a->mix.nlevel,
                  a->mix.nlevel == 1 ? "" : "s");
        return;
    }
    remote /= (double)n;
    prov_addf(p,
              "#note between %s and %s %.0f %% of the accesses hit the other side and %.0f %% go "
              "to memory; "
              "the mean of %.0f cycles there is not a latency that any access has",
              cli_size((uint64_t)from), cli_size((uint64_t)to), 100 * remote, 100 * (1 - remote),
              mean / (double)n);
}

static const char *const latency_params[LEVEL_KINDS] = {
    [LEVEL_L1] = "latency_l1",
    [LEVEL_LOCAL] = "latency_local",
    [LEVEL_REMOTE] = "latency_remote",
    [LEVEL_DRAM] = "latency_dram",
    [LEVEL_DRAM_REMOTE] = "latency_dram_remote",
};

static void put_latencies(struct out *o, const struct curve *c, const struct answer *a)
{
    for (size_t k = 0; k < a->mix.nlevel; k++) {
        const double *shape = &a->mix.shape[k * BINS];

        if (latency_params[a->kind[k]] == NULL)
            continue;
        finding_put(o, latency_params[a->kind[k]], mixture_quantile(shape, BINS, 0.5),
                    mixture_quantile(shape, BINS, 0.25), mixture_quantile(shape, BINS, 0.75),
                    "level", c->accesses,
                    "median and quartiles of accesses that %s; the timer's cost is in it",
                    level_names[a->kind[k]].words);
    }
}

static void put_capacity(struct out *o, const char *param, const double *size, const double *hits,
                         size_t n, double ways, const char *what)
{
    struct capacity cap;

    if (n == 0 || capacity_fit(size, hits, n, ways, &cap) != 0) {
        cli_warn(
            "%s: not found: the sizes do not reach from where all accesses %s to where none do; "
            "measure more sizes (size=...)",
            param, what);
        return;
    }
    finding_put(o, param, cap.bytes, cap.lo, cap.hi, "level", n,
                "share of accesses that %s falls to half at %s; law: %s%s", what,
                cli_size((uint64_t)cap.half), capacity_law_names[cap.law],
                ways > 0 || cap.law == CAPACITY_RANDOM ? "" : "; ways unknown (-w narrows)");
}

/* One side: where hits in the own side end. In all: of what is not a local hit and belongs to the other side, the part
 * that still hits there; on a chip of one side both are the same. */
static void put_capacities(struct out *o, const struct curve *c, const struct answer *a)
{
    double *size = xcalloc(c->n, sizeof *size), *hits = xcalloc(c->n, sizeof *hits);
    size_t n = 0;

    for (size_t s = 0; s < a->usable; s++) {
        if (share(a, s, LEVEL_L1) > 0.02)
            continue;
        size[n] = c->size[s];
        hits[n++] = share(a, s, LEVEL_LOCAL);
    }
    put_capacity(o, "capacity_side", size, hits, n, a->ways, "hit the SM's own side");
    if (level_of(a, LEVEL_REMOTE) == a->mix.nlevel) {
        put_capacity(o, "capacity_total", size, hits, n, a->ways, "hit (one side)");
    } else {
        n = 0;
        for (size_t s = 0; s < a->usable; s++) {
            double hit = share(a, s, LEVEL_REMOTE), miss = share(a, s, LEVEL_DRAM_REMOTE);

            /* Memory has one latency: half of what is no local hit is the other side's. */
            if (level_of(a, LEVEL_DRAM_REMOTE) == a->mix.nlevel)
                miss = fmax(0, (1 - share(a, s, LEVEL_L1) - share(a, s, LEVEL_LOCAL)) / 2 - hit);
            if (hit + miss < 0.1)
                continue;
            size[n] = c->size[s];
            hits[n++] = hit / (hit + miss);
        }
        put_capacity(o, "capacity_total", size, hits, n, a->ways, "hit the other side");
    }
    free(size);
    free(hits);
}

/* Bytes that hit the SM's own side on the way back, of every size of which a fifth and more does not; sorted. */
static struct values count_hits(const struct answer *a)
{
    size_t local = level_of(a, LEVEL_LOCAL);
    struct values bytes = {0};
    double part[MIXTURE_MAX];

    for (size_t s = 0; s < a->back->n && local < a->mix.nlevel; s++) {
        mixture_share(&a->mix, a->back->row[s], part);
        if (part[local] < 0.8)
            values_add(&bytes, part[local] * a->back->size[s]);
    }
    values_sort(&bytes);
    return bytes;
}

/* What the way back finds is all that the own side holds, if it is the same for every size; but for lines of others that
 * came in meanwhile. */
static void put_counts(struct out *o, const struct answer *a)
{
    struct values bytes = count_hits(a);
    double lo, hi, spread;

    if (bytes.n >= LEAST_SIZES) {
        lo = bytes.v[0];
        hi = bytes.v[bytes.n - 1];
        spread = hi / lo - 1;
        if (spread > SAME)
            cli_warn("capacity_side: not counted: what hits on the way back differs by %.2g %% "
                     "from size to size, so the cache does not keep the last lines alone (as "
                     "under LRU)",
                     100 * spread);
        for (int k = 0; k < 2 && spread <= SAME; k++)
            if (k == 0 || level_of(a, LEVEL_REMOTE) == a->mix.nlevel)
                finding_put(o, k ? "capacity_total" : "capacity_side", values_median(&bytes), lo,
                            hi * (1 + OTHERS), "count", bytes.n,
                            "what hits the own side on the way back through a cycle; above it, "
                            "room for lines of others");
    }
    values_free(&bytes);
}

static void print_findings(const struct curve *c, const struct answer *a, struct prov *p)
{
    struct out o;

    put_sentence(c, a, p);
    findings_begin(&o, stdout, p);
    finding_put(&o, "levels", (double)a->mix.nlevel, (double)a->mix.nlevel, (double)a->mix.nlevel,
                "level", c->n, "%s",
                level_of(a, LEVEL_REMOTE) < a->mix.nlevel ? "two sides or more" : "one side");
    put_latencies(&o, c, a);
    put_capacities(&o, c, a);
    put_counts(&o, a);
    out_end(&o, "ok");
}

static void print_shares(const struct curve *c, const struct answer *a, struct prov *p)
{
    struct out o;

    put_sentence(c, a, p);
    out_begin(&o, stdout, p, "exp size level share mean");
    for (size_t s = 0; s < c->n; s++)
        for (size_t k = 0; k < a->mix.nlevel; k++) {
            out_str(&o, "level");
            out_double(&o, c->size[s]);
            out_str(&o, level_names[a->kind[k]].name);
            out_round(&o, a->mix.share[s * a->mix.nlevel + k], 6);
            out_round(&o, a->mean[s], 7);
            out_row(&o);
        }
    out_end(&o, "ok");
}

static void print_levels(const struct curve *c, const struct answer *a, struct prov *p)
{
    static const double quantiles[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    struct out o;

    (void)c;
    out_begin(&o, stdout, p, "exp level from to q05 q25 median q75 q95 tail");
    for (size_t k = 0; k < a->mix.nlevel; k++) {
        out_str(&o, "levels");
        out_str(&o, level_names[a->kind[k]].name);
        out_u64(&o, a->mix.cut[k]);
        out_u64(&o, a->mix.cut[k + 1]);
        for (size_t q = 0; q < sizeof quantiles / sizeof *quantiles; q++)
            out_round(&o, mixture_quantile(&a->mix.shape[k * BINS], BINS, quantiles[q]), 6);
        out_round(&o, a->mix.tail[k], 4);
        out_row(&o);
    }
    out_end(&o, "ok");
}

static void print_replays(const struct playeds *l, const struct answer *a, struct prov *p)
{
    struct out o;

    if (prov_get(p, "uuid", 1) != NULL)
        cli_warn("rows of several devices: a replay needs the latency rows of its own device");
    out_begin(&o, stdout, p, PLAYED_COLUMNS);
    played_print(l, &a->mix, a->kind, a->memories ? &a->memory : NULL, &o);
    out_end(&o, "ok");
}

static const struct cli_opt opts[] = {
    {'s', "shares", NULL, "print each size's share of accesses in each level"},
    {'l', "levels", NULL, "print the levels: range, quantiles, tail"},
    {'w', "ways", "N", "ways of a set, to correct the capacity (default: unknown)"},
    {'r', "ratio", "R", "pieces whose share ratio moves by less are one level (0.15)"},
    {'S', "strict", NULL, "an incomplete input is an error"},
    {0, NULL, NULL, NULL},
};
static const struct cli_usage usage = {
    "[-s | -l] [-w ways] [-r ratio] [file...]",
    "Finds the levels behind a latency curve, their shares at each size, and the capacities.",
    opts};

int main(int argc, char **argv)
{
    void (*print)(const struct curve *, const struct answer *, struct prov *) = print_findings;
    struct mixture_options o = mixture_defaults;
    struct curve c = {0}, back = {0};
    struct playeds replays = {0};
    struct answer a = {.back = &back};
    bool strict = false;
    struct tsv *t;
    int letter;

    cli_start("l2level");
    while ((letter = xcli_next(argc, argv, &usage)) != -1)
        switch (letter) {
        case 's':
            print = print_shares;
            break;
        case 'l':
            print = print_levels;
            break;
        case 'w':
            a.ways = xparse_double("-w", optarg, 1, 1024);
            break;
        case 'r':
            o.ratio = xparse_double("-r", optarg, 0.001, 1);
            break;
        case 'S':
            strict = true;
            break;
        }
    t = xtsv_open(argv + optind);
    t->strict = strict;
    t->many_tables = true;
    read_curves(t, &c, &back, &replays);
    if (c.n == 0)
        xdie(EXIT_FAILED, "%s: no rows with timing=each%s", t->file,
             replays.n > 0 ? "; a replay needs latency rows of its device beside it"
             : back.n > 0  ? " and order=cycle: rows of order=back alone do not tell the levels"
                           : "");
    sort_curve(&c);
    solve(&c, &o, &a);
    prov_command(&t->prov, argc, argv);
    if (replays.n > 0)
        print_replays(&replays, &a, &t->prov);
    else
        print(&c, &a, &t->prov);
    played_free(&replays);
    tsv_close(t);
    xclose_stdout();
    return EXIT_OK;
}
