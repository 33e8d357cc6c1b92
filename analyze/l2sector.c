/* l2sector: line, sector and what a miss fetches. From sector rows (touch and probe), partial rows (bandwidth of partial
 * reads), sametag rows (an address near a line of a full set) and pitch rows (how many nodes fit at each stride), any of
 * them or all concatenated: each method is a finding of its own. What the controls do not allow is "not decided". */
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/out.h"
#include "../share/lib/tsv.h"
#include "block.h"
#include "controls.h"
#include "findings.h"
#include "infer.h"
#include "pitch.h"
#include "sector_rows.h"

#include <gsl/gsl_errno.h>

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SURE 0.95

/* What one group of touches says. */
struct verdict {
    struct controls controls;
    struct block_fit fit;
    size_t cold, touched; /* touches that missed, touches timed */
    const char *why;      /* not decided because, or NULL */
};

static uint64_t distance(int64_t a, int64_t b)
{
    return (uint64_t)(a > b ? a - b : b - a);
}

/* The least distance between two places that were probed, and the most that a block could be told to have. */
static void reach(const struct touches *t, uint64_t *step, uint64_t *most)
{
    *step = *most = 0;
    for (size_t i = 0; i < t->n; i++) {
        uint64_t d = distance(t->row[i].probe, t->row[0].probe);

        if (d > 0 && (*step == 0 || d < *step))
            *step = d;
        if (t->row[i].touch >= 0 && distance(t->row[i].touch, t->row[i].probe) > *most)
            *most = distance(t->row[i].touch, t->row[i].probe);
    }
}

static int split(const struct touches *t, struct controls *c)
{
    struct values hit = {0}, miss = {0};

    for (size_t i = 0; i < t->n; i++)
        if (t->row[i].touch < 0)
            values_add(&miss, t->row[i].cycles);
        else if (t->row[i].touch == t->row[i].probe)
            values_add(&hit, t->row[i].cycles);
    return controls_of(&hit, &miss, c);
}

/* Everything but the controls: the touch at another place than the probe. */
static void fit(const struct touches *t, struct verdict *v)
{
    struct touch_probe *p = xmalloc((t->n + 1) * sizeof *p);
    uint64_t step, most;
    size_t n = 0;

    reach(t, &step, &most);
    for (size_t i = 0; i < t->n; i++) {
        const struct touch_row *r = &t->row[i];

        if (r->touch < 0)
            continue;
        v->touched++;
        v->cold += r->first > v->controls.threshold;
        if (r->touch != r->probe)
            p[n++] =
                (struct touch_probe){r->base + (uint64_t)r->touch, r->base + (uint64_t)r->probe,
                                     r->cycles <= v->controls.threshold};
    }
    if (step == 0 || block_from_touches(p, n, step, most, &v->fit) != 0)
        v->why = "no block size fits the probes";
    /* A prefetch is timed only until it is issued. */
    if (strcmp(t->op, "prefetch") != 0 && (double)v->cold < SURE * (double)v->touched)
        v->why = "the touched lines were not cold";
    free(p);
}

static struct verdict judge(const struct touches *t)
{
    struct verdict v = {.why = NULL};

    if (split(t, &v.controls) != 0)
        v.why = "the controls do not part hits from misses";
    else
        fit(t, &v);
    return v;
}

static void put_verdict(struct out *o, const char *param, const char *method,
                        const struct touches *t, const struct verdict *v)
{
    char *limit = t->fetch == 0 ? xstrdup("limit not told")
                                : xprintf("limit %llu", (unsigned long long)t->fetch);
    double lo, hi;

    if (v->why != NULL) {
        finding_word(o, param, "not decided", method, t->n, "%s; %s", limit, v->why);
    } else {
        char *lead = v->fit.lead == 0
                         ? xstrdup("")
                         : xprintf("a touch at the start of %llu brings all of them (%zu probes); ",
                                   (unsigned long long)v->fit.lead, v->fit.lead_n);

        proportion_exact(v->fit.wrong, v->fit.n, 0.95, &lo, &hi);
        finding_put(o, param, (double)v->fit.size, (double)v->fit.size, (double)v->fit.size, method,
                    v->fit.n,
                    "%s; %s%zu of %zu probes contradict it (below %.2g %%), %zu contradict %llu; "
                    "touches that missed: %zu of %zu",
                    limit, lead, v->fit.wrong, v->fit.n, 100 * hi, v->fit.rival_wrong,
                    (unsigned long long)v->fit.rival, v->cold, v->touched);
        free(lead);
    }
    free(limit);
}

/* "32 brings 32, 64 brings 64": by cg, under each limit. */
static void put_promoted(struct out *o, const struct sector_rows *r, const struct verdict *v)
{
    char *text = xstrdup("");
    size_t n = 0, more = 0;

    for (size_t i = 0; i < r->ntouches; i++) {
        const struct touches *t = &r->touches[i];
        char *longer;

        if (strcmp(t->op, "cg") != 0 || t->fetch == 0 || v[i].why != NULL)
            continue;
        longer =
            xprintf("%s%s%llu%s brings %llu", text, n > 0 ? ", " : "", (unsigned long long)t->fetch,
                    t->found ? " (as found)" : "", (unsigned long long)v[i].fit.size);
        free(text);
        text = longer;
        more += v[i].fit.size > t->fetch;
        n++;
    }
    if (n > 0)
        finding_word(o, "fetch_promoted", more > 0 ? "yes" : "no", "touch_probe", n,
                     "a limit of %s", text);
    free(text);
}

/* The smallest block that plain loads bring is a sector, the largest one is no more than a line. (A prefetch-size hint may
 * bring a neighbour of the line.) */
static void put_extremes(struct out *o, const struct sector_rows *r, const struct verdict *v)
{
    size_t least = SIZE_MAX, most = SIZE_MAX;

    for (size_t i = 0; i < r->ntouches; i++) {
        if (v[i].why != NULL || strcmp(r->touches[i].op, "cg") != 0)
            continue;
        if (least == SIZE_MAX || v[i].fit.size < v[least].fit.size)
            least = i;
        if (most == SIZE_MAX || v[i].fit.size > v[most].fit.size)
            most = i;
    }
    if (least != SIZE_MAX)
        put_verdict(o, "sector", "touch_probe", &r->touches[least], &v[least]);
    if (most != SIZE_MAX)
        finding_put(o, "line", (double)v[most].fit.size, (double)v[most].fit.size, NAN,
                    "touch_probe", v[most].fit.n,
                    "at least: the largest block that came along (cg, limit %llu)",
                    (unsigned long long)r->touches[most].fetch);
}

static void put_touches(struct out *o, const struct sector_rows *r)
{
    struct verdict *v = xcalloc(r->ntouches + 1, sizeof *v);

    for (size_t i = 0; i < r->ntouches; i++)
        v[i] = judge(&r->touches[i]);
    put_extremes(o, r, v);
    for (size_t i = 0; i < r->ntouches; i++) {
        const struct touches *t = &r->touches[i];
        bool plain = strcmp(t->op, "cg") == 0;
        char *method = plain ? xstrdup("touch_probe")
                       : t->found
                           ? xprintf("touch_%s", t->op)
                           : xprintf("touch_%s_limit_%llu", t->op, (unsigned long long)t->fetch);

        put_verdict(o, plain ? t->found ? "fetch_default" : "fetch_set" : "fetch_hint", method, t,
                    &v[i]);
        if (!plain && v[i].why == NULL && v[i].fit.lead > 0)
            finding_put(
                o, "fetch_hint_start", (double)v[i].fit.lead, (double)v[i].fit.lead,
                (double)v[i].fit.lead, method, v[i].fit.lead_n,
                "a touch at the start of so many bytes brings all of them, any other one %llu",
                (unsigned long long)v[i].fit.size);
        free(method);
    }
    put_promoted(o, r, v);
    free(v);
}

/* One level and granularity: the block that bandwidth shows. Under no more than what was found it is the sector. */
static void put_partial(struct out *o, const struct sector_rows *r,
                        const struct partial_point *like, uint64_t found)
{
    struct partial_time *p = xmalloc((r->npartial + 1) * sizeof *p);
    const char *method = like->memory ? "partial_memory" : "partial_l2",
               *param = !like->memory          ? "sector"
                        : like->found          ? "fetch_default"
                        : like->fetch <= found ? "sector"
                                               : "fetch_set";
    struct block_bound b;
    size_t n = 0, launches = 0;
    int rc;

    for (size_t i = 0; i < r->npartial; i++) {
        const struct partial_point *q = &r->partial[i];

        if (q->fetch != like->fetch || q->found != like->found || q->memory != like->memory)
            continue;
        launches += q->ns.n;
        p[n++] = (struct partial_time){q->take, q->every, values_median(&q->ns)};
    }
    rc = block_from_partial(p, n, &b);
    if (b.size == 0)
        finding_word(o, param, "not decided", method, launches,
                     "limit %llu; no take of half a period saves time",
                     (unsigned long long)like->fetch);
    else if (rc != 0 && !isnan(b.half))
        finding_word(o, param, "not decided", method, launches,
                     "limit %llu; %llu of %llu bytes take %.2f of the time of all, but half of "
                     "that takes %.2f of its time",
                     (unsigned long long)like->fetch, (unsigned long long)b.size,
                     (unsigned long long)(2 * b.size), b.twice, b.half);
    else
        finding_put(o, param, (double)b.size, rc == 0 ? (double)b.size : NAN, (double)b.size,
                    method, launches,
                    "limit %llu; %llu of %llu bytes take %.2f of the time of all%s",
                    (unsigned long long)like->fetch, (unsigned long long)b.size,
                    (unsigned long long)(2 * b.size), b.twice,
                    rc == 0 ? ", half of that saves nothing" : "; less was not measured");
    free(p);
}

/* The most useful bytes a nanosecond of any pair; wide accesses reach it, and the period does not matter. */
static void put_partial_rate(struct out *o, const struct sector_rows *r)
{
    const struct partial_point *best = NULL;
    double most = 0;

    for (size_t i = 0; i < r->npartial; i++) {
        const struct partial_point *p = &r->partial[i];
        double rate = (double)p->take / values_median(&p->ns);

        if (!p->memory && rate > most) {
            best = p;
            most = rate;
        }
    }
    if (best != NULL)
        finding_put(o, "read_bw", most, (double)best->take / best->ns.v[best->ns.n - 1],
                    (double)best->take / best->ns.v[0], "partial_l2", best->ns.n,
                    "%llu of %llu bytes read; least and greatest of its launches",
                    (unsigned long long)best->take, (unsigned long long)best->every);
}

/* The first point of each level and granularity stands for all of them. */
static void put_partials(struct out *o, const struct sector_rows *r)
{
    uint64_t found = 0;

    for (size_t i = 0; i < r->npartial; i++)
        found = r->partial[i].found ? r->partial[i].fetch : found;
    for (size_t i = 0; i < r->npartial; i++) {
        const struct partial_point *p = &r->partial[i];
        bool seen = false;

        for (size_t k = 0; k < i && !seen; k++)
            seen = r->partial[k].fetch == p->fetch && r->partial[k].found == p->found &&
                   r->partial[k].memory == p->memory;
        if (!seen)
            put_partial(o, r, p, found);
    }
}

/* Sums over the sets, by distance in order. */
static size_t sum_tags(const struct sector_rows *r, struct tag_point *sum)
{
    size_t n = 0;

    for (size_t i = 0; i < r->ntag; i++) {
        size_t k = 0;

        while (k < n && sum[k].by < r->tag[i].by)
            k++;
        if (k == n || sum[k].by != r->tag[i].by) {
            memmove(sum + k + 1, sum + k, (n - k) * sizeof *sum);
            sum[k] = (struct tag_point){.by = r->tag[i].by};
            n++;
        }
        sum[k].instead.n += r->tag[i].instead.n;
        sum[k].instead.evicted += r->tag[i].instead.evicted;
        sum[k].also.n += r->tag[i].also.n;
        sum[k].also.evicted += r->tag[i].also.evicted;
        sum[k].also.slow += r->tag[i].also.slow;
    }
    return n;
}

static bool mostly(size_t k, size_t n)
{
    return k * 2 > n;
}

/* Distances from..to (not with it) around 0 that still bring the line in; counts trials that agree and all of them. */
static void tag_extent(const struct tag_point *s, size_t n, size_t *from, size_t *to, size_t *right,
                       size_t *all)
{
    size_t zero = 0;

    while (zero < n && s[zero].by != 0)
        zero++;
    for (*from = zero; *from > 0 && mostly(s[*from - 1].instead.evicted, s[*from - 1].instead.n);)
        --*from;
    for (*to = zero; *to < n && mostly(s[*to].instead.evicted, s[*to].instead.n);)
        ++*to;
    *right = *all = 0;
    for (size_t k = 0; k < n; k++) {
        bool same = k >= *from && k < *to;

        *all += s[k].instead.n + (same ? s[k].also.n : 0);
        *right += same ? s[k].instead.evicted + s[k].also.n - s[k].also.evicted
                       : s[k].instead.n - s[k].instead.evicted;
    }
}

static void put_tags(struct out *o, const struct sector_rows *r)
{
    struct tag_point *s = xcalloc(r->ntag + 1, sizeof *s);
    size_t n = sum_tags(r, s), from, to, right, all, fetched;
    double step = n > 1 ? (double)(s[1].by - s[0].by) : 0, line;

    tag_extent(s, n, &from, &to, &right, &all);
    line = (double)(to - from) * step;
    if (to == from || from == 0 || to == n || (double)right < SURE * (double)all) {
        finding_word(o, "line", "not decided", "same_tag", all,
                     "%zu of %zu trials agree with %g bytes%s", right, all, line,
                     to == n || from == 0 ? ", but the line reaches beyond span=" : "");
    } else {
        finding_put(o, "line", line, line, line, "same_tag", all,
                    "%zu of %zu trials: in place of a line it evicts, beside it nothing", right,
                    all);
        for (fetched = from; fetched < to && (s[fetched].by < 0 ||
                                              !mostly(s[fetched].also.slow, s[fetched].also.n));)
            fetched++;
        finding_put(o, "fetch_default", (double)s[fetched - 1].by + step,
                    (double)s[fetched - 1].by + step, (double)s[fetched - 1].by + step, "same_tag",
                    s[0].also.n * (to - from), "sectors that came along with the line at +0");
    }
    free(s);
}

/* Points of one stride; whether it has a rise. */
static bool fill_of(const struct pitch_row *r, size_t n, struct pitch_fill *f)
{
    struct pitch_point *p = xcalloc(n, sizeof *p);
    int rc;

    for (size_t i = 0; i < n; i++)
        p[i] = (struct pitch_point){r[i].nodes, r[i].cycles};
    f->stride = r->stride;
    rc = pitch_middle(p, n, f);
    free(p);
    return rc == 0;
}

static void put_pitch(struct out *o, const struct sector_rows *r)
{
    struct pitch_fill *f = xcalloc(r->npitch + 1, sizeof *f);
    struct pitch_fit fit;
    char *fits = xstrdup(""), *longer;
    size_t n = 0, strides = 0;
    int rc;

    for (size_t i = 0, k; i < r->npitch; i += k, strides++) {
        for (k = 1; i + k < r->npitch && r->pitch[i + k].stride == r->pitch[i].stride;)
            k++;
        if (!fill_of(&r->pitch[i], k, &f[n]))
            continue;
        longer = xprintf("%s%s%.0f of %g", fits, n > 0 ? ", " : "", f[n].nodes, f[n].stride);
        free(fits);
        fits = longer;
        n++;
    }
    rc = pitch_line(f, n, &fit);
    if (rc == 0)
        finding_put(o, "line", fit.line, fit.lo, fit.hi, "stride", r->npitch,
                    "nodes that fit by stride: %s; as many bytes at %zu strides, as many nodes at "
                    "%zu, within %.2g %%",
                    fits, fit.below, fit.above, 100 * fit.spread);
    else
        finding_word(o, "line", "not decided", "stride", r->npitch,
                     "nodes that fit by stride: %s (no rise at %zu others): %s", fits, strides - n,
                     n < 4 ? "four strides are needed"
                     : isfinite(fit.spread)
                         ? "neither as many bytes nor as many nodes"
                         : "all strides hold as many bytes, or all as many nodes");
    free(fits);
    free(f);
}

static const struct cli_opt opts[] = {
    {'S', "strict", NULL, "an incomplete input is an error"},
    {0, NULL, NULL, NULL},
};
static const struct cli_usage usage = {
    "[-S] [file...]",
    "Finds line, sector and fetch size from rows of sector, partial, sametag and pitch.", opts};

int main(int argc, char **argv)
{
    struct sector_rows r = {0};
    bool strict = false;
    struct tsv *t;
    struct out o;

    cli_start("l2sector");
    gsl_set_error_handler_off();
    while (xcli_next(argc, argv, &usage) != -1)
        strict = true;
    t = xtsv_open(argv + optind);
    t->strict = strict;
    xsector_read(t, &r);
    prov_command(&t->prov, argc, argv);
    findings_begin(&o, stdout, &t->prov);
    put_touches(&o, &r);
    put_partials(&o, &r);
    put_partial_rate(&o, &r);
    if (r.ntag > 0)
        put_tags(&o, &r);
    if (r.npitch > 0)
        put_pitch(&o, &r);
    out_end(&o, "ok");
    sector_rows_free(&r);
    tsv_close(t);
    xclose_stdout();
    return EXIT_OK;
}
