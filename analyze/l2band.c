/* l2band: bandwidths, how far the address translation reaches, what a persisting window keeps. From rows of bandwidth, tlb
 * and persist, any of them concatenated; a table of findings among them (l2slice's) gives the slices, and so the share of
 * what slices, 64 bytes and a clock allow.
 *
 * A bandwidth is the best of all shapes measured; its interval is that shape's repeats. What L1, or one answer for several
 * SMs, may be in (loads by ca, blocks that move the same, small working sets) counts only when nothing else was
 * measured. From the cache: working sets below the size
 * that the device says; from memory: 3 times that or more. */
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/out.h"
#include "../share/lib/tsv.h"
#include "band_rows.h"
#include "controls.h"
#include "findings.h"
#include "infer.h"
#include "law.h"
#include "reach.h"

#include <gsl/gsl_errno.h>

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY       3 /* times the L2: nothing of a pass is left in it, whatever its policy */
#define SLICE_BYTES  64.0
#define WINDOW_PART  4 /* windows up to this part of the L2 are controls that hit */
#define LEAST_SHAPES 5
#define SM_RESIDENT  2048.0
#define FILLED       0.95

static const struct rate {
    const char *param, *op, *set;
    bool memory;
} rates[] = {
    {"read_bw", "read", "all", false},     {"write_bw", "write", "all", false},
    {"copy_bw", "copy", "all", false},     {"atom_bw", "atom", "all", false},
    {"read_bw_own", "read", "own", false}, {"read_bw_other", "read", "other", false},
    {"dram_bw", "read", "all", true},      {"dram_write_bw", "write", "all", true},
    {"dram_copy_bw", "copy", "all", true},
};

static bool is_of(const struct band_rows *r, const struct band_shape *s, const struct rate *k)
{
    if (strcmp(s->op, k->op) != 0 || strcmp(s->set, k->set) != 0 || s->take > 0)
        return false;
    return k->memory ? s->size >= MEMORY * r->l2_bytes && r->l2_bytes > 0
                     : s->size < r->l2_bytes || r->l2_bytes == 0;
}

/* Bytes that an SM has in flight under a shape. */
static double in_flight(const struct band_rows *r, const struct band_shape *s)
{
    double threads = fmin(ceil(s->blocks / r->sms) * s->threads, SM_RESIDENT);

    return threads * s->unroll * s->width;
}

/* How surely the L2 alone gave it: 2; 1 when the working set is less than all SMs have in flight, so that several may have
 * read a line at once; 0 for loads that L1 may answer, or blocks that move the same. */
static int purity(const struct band_rows *r, const struct band_shape *s)
{
    if (strcmp(s->kind, "ca") == 0 || s->same != 1)
        return 0;
    return r->sms > 0 && s->size < r->sms * in_flight(r, s) ? 1 : 2;
}

/* Whether a says more of the L2 than b: purer, or equally pure and faster; of small working sets the larger. */
static bool better(const struct band_rows *r, const struct band_shape *a,
                   const struct band_shape *b)
{
    int pa = purity(r, a), pb = b == NULL ? -1 : purity(r, b);

    if (pa != pb)
        return pa > pb;
    if (pa == 1 && a->size != b->size)
        return a->size > b->size;
    return values_median(&a->gbps) > values_median(&b->gbps);
}

static const struct band_shape *best(const struct band_rows *r, const struct rate *k)
{
    const struct band_shape *b = NULL;

    for (size_t i = 0; i < r->nshape; i++)
        if (is_of(r, &r->shape[i], k) && better(r, &r->shape[i], b))
            b = &r->shape[i];
    return b;
}

static void put_rate(struct out *o, const struct band_rows *r, const struct rate *k,
                     const struct band_shape *s)
{
    static const char *const doubts[] = {
        "; L1 or one answer for several SMs may be in it",
        "; less than all SMs have in flight: one answer for several SMs may be in it", ""};
    double lo = s->gbps.v[0], hi = s->gbps.v[s->gbps.n - 1];
    bool kind = strcmp(s->kind, "-") != 0;

    finding_put(o, k->param, values_median(&s->gbps), lo, hi, "stream", s->gbps.n,
                "best shape: %s%s%s, working set %s, %g blocks of %g threads, %g bytes at once, %g "
                "in flight; least and greatest of its launches%s",
                s->op, kind ? " by " : "", kind ? s->kind : "", cli_size((uint64_t)s->size),
                s->blocks, s->threads, s->width, s->unroll, doubts[purity(r, s)]);
}

static void put_share(struct out *o, const struct band_rows *r, const struct band_shape *s)
{
    double limit = r->slices * SLICE_BYTES * r->mhz * 1e-3;

    if (!(limit > 0))
        return;
    finding_put(o, "read_bw_share", values_median(&s->gbps) / limit, s->gbps.v[0] / limit,
                s->gbps.v[s->gbps.n - 1] / limit, "stream", s->gbps.n,
                "of %.0f GB/s: %g slices of %g bytes a clock at %.0f MHz, the SM clock", limit,
                r->slices, SLICE_BYTES, r->mhz);
}

static int by_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Reads of the best shape's working set by all shapes: bandwidth over bytes in flight is a line, then a shelf. */
static void put_in_flight(struct out *o, const struct band_rows *r, const struct band_shape *top)
{
    double(*point)[2] = xcalloc(r->nshape + 1, sizeof *point);
    double *x = xcalloc(r->nshape + 1, sizeof *x), *y = xcalloc(r->nshape + 1, sizeof *y);
    const struct law_rule rule = {LAW_SATURATION, 0, 0.02, 0.95, 0};
    struct law_fit fit;
    size_t n = 0, m = 0;

    for (size_t i = 0; i < r->nshape && r->sms > 0; i++) {
        const struct band_shape *s = &r->shape[i];

        if (s->size != top->size || strcmp(s->op, top->op) != 0 ||
            strcmp(s->kind, top->kind) != 0 || strcmp(s->set, top->set) != 0 || s->take > 0 ||
            s->same != top->same || s->blocks < r->sms)
            continue;
        point[n][0] = in_flight(r, s);
        point[n++][1] = values_median(&s->gbps);
    }
    qsort(point, n, sizeof *point, by_first);
    /* The best of those with equally much in flight. */
    for (size_t i = 0; i < n; i++) {
        if (m == 0 || point[i][0] != x[m - 1]) {
            x[m] = point[i][0];
            y[m++] = point[i][1];
        } else {
            y[m - 1] = fmax(y[m - 1], point[i][1]);
        }
    }
    if (m >= LEAST_SHAPES && law_fit(&rule, x, y, m, &fit) == 0 && fit.at > x[0] &&
        fit.at < x[m - 1] && y[m - 1] > FILLED * fit.rise / 2)
        finding_put(o, "bw_inflight", fit.at, fit.lo, fit.hi, "saturation", m,
                    "bytes in flight in each SM where reading meets its limit of %.0f GB/s; at the "
                    "SM clock that is a latency of %.0f cycles",
                    fit.rise, fit.at * r->sms / fit.rise * r->mhz * 1e-3);
    free(point);
    free(x);
    free(y);
}

static void put_rates(struct out *o, const struct band_rows *r)
{
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
        const struct band_shape *s = best(r, &rates[k]);

        if (s == NULL)
            continue;
        put_rate(o, r, &rates[k], s);
        if (strcmp(rates[k].param, "read_bw") == 0) {
            put_share(o, r, s);
            put_in_flight(o, r, s);
        }
    }
}

/* Lines of one slice: the best shape's launches, of all slices with it. */
static void put_slices(struct out *o, const struct band_rows *r)
{
    static const char *const params[][2] = {
        {"slice_bw", "read"}, {"slice_write_bw", "write"}, {"slice_atom_bw", "atom"}};

    for (size_t k = 0; k < sizeof params / sizeof *params; k++) {
        const struct band_shape *b = NULL;

        for (size_t i = 0; i < r->nshape; i++) {
            const struct band_shape *s = &r->shape[i];

            if (strcmp(s->set, "slice") == 0 && strcmp(s->op, params[k][1]) == 0 && s->bpc.n > 0 &&
                s->take <= 0 && (b == NULL || values_median(&s->bpc) > values_median(&b->bpc)))
                b = s;
        }
        if (b != NULL)
            finding_put(o, params[k][0], values_median(&b->bpc), b->bpc.v[0],
                        b->bpc.v[b->bpc.n - 1], "one_slice", b->bpc.n,
                        "%.3g of %g bytes a clock; %g bytes of lines of one slice, %g blocks of %g "
                        "threads, %g in flight; least and greatest of its launches%s",
                        values_median(&b->bpc) / SLICE_BYTES, SLICE_BYTES, b->size, b->blocks,
                        b->threads, b->unroll,
                        b->size < b->blocks * b->threads * b->unroll * b->width
                            ? "; less than is in flight: one answer for several SMs may be in it"
                            : "");
    }
}

static void put_level(struct out *o, const char *param, const struct reach_level *l,
                      const char *method, size_t n, const char *how)
{
    finding_put(o, param, rint(l->at), rint(l->lo), rint(l->hi), method, n,
                "%.1f to %.1f cycles, %s", l->before, l->after, how);
}

/* The points of one stride; the least stride gives the reach itself. */
static void put_stride(struct out *o, const struct band_page *p, size_t n, bool least)
{
    const char *param = least ? "tlb_reach" : "tlb_reach_stride";
    char *method = xprintf("pages_of_%s", cli_size((uint64_t)p->stride));
    double *x = xcalloc(n, sizeof *x), *y = xcalloc(n, sizeof *y);
    struct reach reach;

    for (size_t i = 0; i < n; i++) {
        x[i] = p[i].size;
        y[i] = p[i].cycles;
    }
    if (reach_find(x, y, n, &reach) != 0) {
        finding_word(o, param, "not decided", method, n, "too few points, %zu", n);
    } else {
        for (size_t i = 0; i < reach.ninner; i++)
            put_level(o, "tlb_reach_inner", &reach.inner[i], method, n, "a step");
        if (reach.found)
            put_level(o, param, &reach.outer, method, n,
                      reach.step ? "a step" : "growing as 1 - reach/size");
        else
            finding_word(o, param, "none", method, n, "no rise of %g %% up to %s", 100 * REACH_RISE,
                         cli_size((uint64_t)x[n - 1]));
    }
    free(x);
    free(y);
    free(method);
}

static void put_reach(struct out *o, const struct band_rows *r)
{
    for (size_t i = 0, n; i < r->npage; i += n) {
        for (n = 1; i + n < r->npage && r->page[i + n].stride == r->page[i].stride;)
            n++;
        put_stride(o, &r->page[i], n, i == 0);
    }
}

static void join(struct values *to, const struct values *from)
{
    for (size_t i = 0; i < from->n; i++)
        values_add(to, from->v[i]);
}

static int split(const struct band_rows *r, struct controls *c)
{
    struct values hit = {0}, miss = {0};
    double least = INFINITY;

    for (size_t i = 0; i < r->nwindow; i++)
        least = fmin(least, r->window[i].size);
    for (size_t i = 0; i < r->nwindow; i++) {
        const struct band_window *w = &r->window[i];

        if (w->size <= fmax(least, r->l2_bytes / WINDOW_PART))
            join(&hit, &w->cycles[BAND_LOADED]);
        join(&miss, &w->cycles[BAND_PLAIN]);
    }
    return controls_of(&hit, &miss, c);
}

static size_t kept(const struct band_window *w, double threshold)
{
    size_t n = 0;

    for (size_t i = 0; i < w->cycles[BAND_KEPT].n; i++)
        n += w->cycles[BAND_KEPT].v[i] <= threshold;
    return n;
}

/* The window of one set-aside of which most bytes surely stay. */
static void put_aside(struct out *o, const struct band_rows *r, double persist,
                      const struct controls *c)
{
    char *method = xprintf("set_aside_%s", cli_size((uint64_t)persist));
    const struct band_window *top = NULL;
    double most = -1, whole = 0, lo, hi;

    for (size_t i = 0; i < r->nwindow; i++) {
        const struct band_window *w = &r->window[i];
        size_t n = w->cycles[BAND_KEPT].n, k = kept(w, c->threshold);

        if (w->persist != persist || proportion_wilson(k, n, 0.95, &lo, &hi) != 0)
            continue;
        if (lo * w->size > most) {
            most = lo * w->size;
            top = w;
        }
        if ((double)k >= FILLED * (double)n)
            whole = fmax(whole, w->size);
    }
    if (top != NULL) {
        size_t n = top->cycles[BAND_KEPT].n, k = kept(top, c->threshold);

        proportion_wilson(k, n, 0.95, &lo, &hi);
        finding_put(o, "persist_kept", (double)k / (double)n * top->size, lo * top->size,
                    hi * top->size, method, n,
                    "%zu of %zu lines of a window of %s stay; windows up to %s stay as a whole", k,
                    n, cli_size((uint64_t)top->size), cli_size((uint64_t)whole));
    }
    free(method);
}

static void put_windows(struct out *o, const struct band_rows *r)
{
    struct controls c;
    int bad;

    if (r->nwindow == 0)
        return;
    bad = split(r, &c);
    for (size_t i = 0; i < r->nwindow; i++) {
        bool seen = false;

        for (size_t k = 0; k < i && !seen; k++)
            seen = r->window[k].persist == r->window[i].persist;
        if (!seen && !bad)
            put_aside(o, r, r->window[i].persist, &c);
    }
    if (bad)
        finding_word(o, "persist_kept", "not decided", "set_aside", c.nhit + c.nmiss,
                     "the controls do not part hits from misses: %zu of %zu hits are slow, %zu of "
                     "%zu misses fast",
                     c.slow, c.nhit, c.fast, c.nmiss);
}

/* What stays, for every window and set-aside. */
static void print_windows(struct out *o, const struct band_rows *r)
{
    struct controls c;

    if (r->nwindow == 0 || split(r, &c) != 0)
        return;
    for (size_t i = 0; i < r->nwindow; i++) {
        const struct band_window *w = &r->window[i];
        size_t n = w->cycles[BAND_KEPT].n, k = kept(w, c.threshold);
        double lo, hi;

        if (proportion_wilson(k, n, 0.95, &lo, &hi) != 0)
            continue;
        out_double(o, w->persist);
        out_double(o, w->size);
        out_round(o, (double)k / (double)n, 6);
        out_round(o, lo, 6);
        out_round(o, hi, 6);
        out_u64(o, n);
        out_row(o);
    }
}

static const struct cli_opt opts[] = {
    {'s', "slices", "N", "slices of the whole cache (default: as a table of findings says)"},
    {'S', "strict", NULL, "an incomplete input is an error"},
    {'w', "windows", NULL, "print the share of every persisting window that stays, not findings"},
    {0, NULL, NULL, NULL},
};
static const struct cli_usage usage = {
    "[-Sw] [-s slices] [file...]",
    "Finds bandwidths, TLB reach and what a persisting window keeps, from rows of bandwidth, tlb "
    "and persist.",
    opts};

int main(int argc, char **argv)
{
    struct band_rows r = {0};
    double slices = 0;
    bool strict = false, windows = false;
    struct tsv *t;
    struct out o;
    int c;

    cli_start("l2band");
    gsl_set_error_handler_off();
    while ((c = xcli_next(argc, argv, &usage)) != -1)
        if (c == 's')
            slices = (double)xparse_u64("-s", optarg, 1, 1000000);
        else if (c == 'w')
            windows = true;
        else
            strict = true;
    t = xtsv_open(argv + optind);
    t->strict = strict;
    xband_read(t, &r);
    if (slices > 0)
        r.slices = slices;
    prov_command(&t->prov, argc, argv);
    if (windows) {
        out_begin(&o, stdout, &t->prov, "persist size share lo hi n");
        print_windows(&o, &r);
    } else {
        findings_begin(&o, stdout, &t->prov);
        put_rates(&o, &r);
        put_slices(&o, &r);
        put_reach(&o, &r);
        put_windows(&o, &r);
    }
    out_end(&o, "ok");
    band_rows_free(&r);
    tsv_close(t);
    xclose_stdout();
    return EXIT_OK;
}
