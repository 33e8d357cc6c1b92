/* l2assoc: ways and sets. From evict rows (eviction sets; the verdict of every test is made again from its cycles),
 * survive rows (survival curves) and stride rows (textbook scan), any of them or all concatenated. Where only one kind of
 * evidence is there, one method is what it prints; it never assumes a power of two. */
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/out.h"
#include "../share/lib/split.h"
#include "../share/lib/tsv.h"
#include "assoc.h"
#include "assoc_points.h"
#include "assoc_rows.h"
#include "findings.h"

#include <gsl/gsl_errno.h>

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The last attempt of each target and kind: the verified one if any. */
static size_t final_attempts(const struct assoc_rows *r, const char *kind,
                             const struct attempt **final)
{
    size_t n = 0;

    for (size_t i = 0; i < r->na; i++) {
        const struct attempt *a = &r->a[i];
        size_t k = 0;

        if (strcmp(a->kind, kind) != 0)
            continue;
        while (k < n &&
               !(final[k]->target == a->target && final[k]->sm == a->sm && final[k]->run == a->run))
            k++;
        if (k == n)
            final[n++] = a;
        else if (!final[k]->verified)
            final[k] = a;
    }
    return n;
}

/* "lost 3, weak 1": what the targets without a verified set ended with. */
static char *failures(const struct attempt *const *final, size_t n)
{
    char *text = xstrdup("");

    for (size_t i = 0; i < n; i++) {
        size_t same = 0, before = 0;
        char *longer;

        for (size_t k = 0; k < n; k++)
            if (!final[k]->verified && strcmp(final[k]->status, final[i]->status) == 0) {
                same++;
                before += k < i;
            }
        if (final[i]->verified || before > 0)
            continue;
        longer = xprintf("%s%s%s %zu", text, *text ? ", " : "; failed: ", final[i]->status, same);
        free(text);
        text = longer;
    }
    return text;
}

/* The most frequent size of a verified set, and how many have it. */
static size_t mode_of_sizes(const struct attempt *const *final, size_t n, size_t *ways,
                            size_t *least, size_t *most)
{
    size_t best = 0;

    *ways = *most = 0;
    *least = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;

        if (!final[i]->verified)
            continue;
        for (size_t k = 0; k < n; k++)
            same += final[k]->verified && final[k]->nset == final[i]->nset;
        if (same > best) {
            best = same;
            *ways = final[i]->nset;
        }
        *least = final[i]->nset < *least ? final[i]->nset : *least;
        *most = final[i]->nset > *most ? final[i]->nset : *most;
    }
    return best;
}

static bool share_a_line(const struct attempt *a, const struct attempt *b)
{
    for (size_t i = 0; i < a->nset; i++)
        for (size_t k = 0; k < b->nset; k++)
            if (a->set[i].offset == b->set[k].offset)
                return true;
    return false;
}

static const char *sets_param(const char *kind)
{
    return strcmp(kind, "all") == 0 ? "sets_total" : "sets_side";
}

/* The share of searches (several pools may be tried for a target) that gave no verified set. */
static double lost_searches(const struct assoc_rows *r, const char *kind)
{
    size_t lost = 0, n = 0;

    for (size_t i = 0; i < r->na; i++)
        if (strcmp(r->a[i].kind, kind) == 0) {
            n++;
            lost += !r->a[i].verified;
        }
    for (size_t i = 0; i < r->ntip; i++)
        if (strcmp(r->tip[i].kind, kind) == 0) {
            n++;
            lost += isnan(r->tip[i].tip) ? 1 : 0;
        }
    return n > 0 ? (double)lost / (double)n : 0;
}

/* The pool position of the last line of the set, which with the others evicts the target: a later index found first may
 * have been that of another line, dropped since. */
static double tip_of(const struct attempt *a)
{
    double tip = 0;

    for (size_t i = 0; i < a->nline; i++)
        tip = a->set[i].more ? tip : fmax(tip, (double)a->set[i].tip);
    return tip;
}

/* Tipping indices looked for alone, behind the `ok` of verified sets. */
static size_t tips_alone(const struct assoc_rows *r, const char *kind, double *first)
{
    size_t n = 0;

    for (size_t i = 0; i < r->ntip; i++)
        if (strcmp(r->tip[i].kind, kind) == 0 && !isnan(r->tip[i].tip))
            first[n++] = r->tip[i].tip;
    return n;
}

static void put_tipping(struct out *o, const struct assoc_rows *r, double *first, size_t ok,
                        const struct attempt *a, double ways)
{
    const char *kind = a->kind;
    double lost = lost_searches(r, kind), spread;
    size_t k = tips_different(first, ok), more = tips_alone(r, kind, first + ok);
    struct estimate e;

    if (strcmp(kind, "remote") == 0 ||
        sets_from_tips(first, ok + more, k + more, a->positions, ways, lost, &e, &spread) != 0)
        return;
    finding_put(o, sets_param(kind), e.value, e.lo, e.hi, "tipping", ok + more,
                "mean first tipping index over ways, of %zu sets and %zu lines more; relative "
                "deviation %.3f (Gamma law: %.3f)%s",
                ok, more, spread, 1 / sqrt(ways),
                lost > 0.02 ? "; wider for the searches that failed" : "");
    finding_put(o, strcmp(kind, "all") == 0 ? "capacity_total" : "capacity_side",
                e.value * ways * a->line, e.lo * ways * a->line, e.hi * ways * a->line,
                "sets_x_ways_x_line", ok + more, "line %g bytes", a->line);
}

static void put_sets(struct out *o, const struct assoc_rows *r, const struct attempt *const *final,
                     size_t n, const char *kind, double ways)
{
    double *first = xcalloc(n + r->ntip + 1, sizeof *first), compared = 0;
    const struct attempt *last = NULL;
    struct estimate e;
    size_t ok = 0, pairs = 0;

    for (size_t i = 0; i < n; i++) {
        if (!final[i]->verified)
            continue;
        first[ok++] = tip_of(final[i]);
        last = final[i];
        for (size_t k = 0; k < i; k++)
            if (final[k]->verified && final[k]->run == last->run) {
                compared++;
                pairs += share_a_line(last, final[k]);
            }
    }
    if (last != NULL)
        put_tipping(o, r, first, ok, last, ways);
    if (ok > 20) {
        sets_from_pairs(compared, pairs, &e);
        finding_put(o, sets_param(kind), e.value, e.lo, e.hi, "coincidence", ok,
                    "%zu pairs of targets share a set", pairs);
    }
    free(first);
}

/* The line's size from the same-tag test. */
static void put_line(struct out *o, const struct attempt *const *final, size_t n)
{
    struct same_tag t = same_tag_of(final, n);
    double used = n > 0 ? final[n - 1]->line : 0;

    if (t.targets > 0 && t.bytes == 0)
        cli_warn("same-tag test: too few of %zu targets are evicted: no size from it", t.targets);
    if (t.bytes == 0)
        return;
    finding_put(
        o, "line", t.bytes, t.bytes, t.bytes, "same_tag", t.targets,
        "addresses around a line of the set that still evict the target; %zu of %zu targets%s",
        t.say, t.targets, t.pooled ? ", and all together" : "");
    if (t.bytes != used)
        cli_warn(
            "lines have %g bytes, but the pool took one every %g: sets that it never met are not "
            "counted; run evict line=%g",
            t.bytes, used, t.bytes);
}

/* A latency from the probes of verified targets: the median of the targets' medians, and their quartiles. */
static void put_probe(struct out *o, const struct attempt *const *final, size_t n,
                      const char *param, bool miss)
{
    double *cycles = xmalloc((n + 1) * sizeof *cycles), median;
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (final[i]->verified && !isnan(miss ? final[i]->miss : final[i]->hit))
            cycles[k++] = miss ? final[i]->miss : final[i]->hit;
    if (k >= 5) {
        median = split_median(cycles, k);
        finding_put(o, param, median, cycles[k / 4], cycles[k - 1 - k / 4], "evict_probe", k,
                    "probes of targets that %s; quartiles over targets",
                    miss ? "had been evicted" : "were still there");
    }
    free(cycles);
}

static void put_evict(struct out *o, const struct assoc_rows *r, const char *kind)
{
    const struct attempt **final = xcalloc(r->na + 1, sizeof *final);
    size_t n = final_attempts(r, kind, final), ok = 0, ways, least, most, same;
    char *why = failures(final, n);

    for (size_t i = 0; i < n; i++)
        ok += final[i]->verified;
    same = mode_of_sizes(final, n, &ways, &least, &most);
    if (n > 0 && ok == 0)
        cli_warn("evict, lines=%s: none of %zu targets gave a verified set%s", kind, n, why);
    if (ok > 0) {
        bool sure = same * 20 >= ok * 19;

        finding_put(o, "ways", (double)ways, (double)(sure ? ways : least),
                    (double)(sure ? ways : most), xprintf("evict_%s", kind), ok,
                    "%zu of %zu verified sets have %zu lines; %zu of %zu targets verified%s", same,
                    ok, ways, ok, n, why);
        put_sets(o, r, final, n, kind, (double)ways);
        put_line(o, final, n);
        if (strcmp(kind, "home") == 0) {
            put_probe(o, final, n, "latency_local", false);
            put_probe(o, final, n, "latency_dram", true);
        }
    }
    free(why);
    free(final);
}

/* The ways of verified sets, 0 when there are none. */
static double verified_ways(const struct assoc_rows *r)
{
    static const char *const kinds[] = {"home", "all"};
    const struct attempt **final = xcalloc(r->na + 1, sizeof *final);
    size_t ways = 0, least, most;

    for (size_t k = 0; k < 2 && ways == 0; k++)
        mode_of_sizes(final, final_attempts(r, kinds[k], final), &ways, &least, &most);
    free(final);
    return (double)ways;
}

/* What the curve knows well is ways x sets; the sets follow from verified ways, or are as uncertain as the curve's own. */
static void put_survival_sets(struct out *o, const struct survival_fit *f, const char *sets,
                              double ways, uint64_t trials)
{
    double all = f->sets.value * f->ways.value, lo = f->sets.lo * f->ways.value,
           hi = f->sets.hi * f->ways.value;

    if (ways > 0)
        finding_put(o, sets, all / ways, lo / ways, hi / ways, "survival", trials,
                    "with the %g ways of eviction sets", ways);
    else
        finding_put(o, sets, f->sets.value, lo / f->ways.hi, hi / f->ways.lo, "survival", trials,
                    "with %g ways; the interval holds those of the ways", f->ways.value);
}

static void put_survival(struct out *o, const struct survival_curve *c, double verified)
{
    struct survival_fit f;
    const char *side = strcmp(c->kind, "home") == 0 ? "side" : "total";
    char *sets = xprintf("sets_%s", side), *capacity = xprintf("capacity_%s", side);
    double ways, trials = 0;

    for (size_t i = 0; i < c->n; i++)
        trials += c->s[i].trials;
    if (survival_fit(c->s, c->n, c->positions, &f) != 0) {
        cli_warn("survive, lines=%s order=%s: the curve does not fall from all to none: from= and "
                 "to= widen it",
                 c->kind, c->order);
    } else if (f.law == SURVIVAL_RANDOM) {
        finding_put(o, capacity, f.sets.value * c->line, f.sets.lo * c->line, f.sets.hi * c->line,
                    "survival", (uint64_t)trials,
                    "exponential: replacement at random; ways not told (log likelihood ratio %.0f)",
                    f.log_ratio);
    } else if (strcmp(c->order, "random") == 0 && strcmp(c->kind, "remote") != 0) {
        ways = f.ways.value;
        finding_put(o, "ways", ways, f.ways.lo, f.ways.hi, "survival", (uint64_t)trials,
                    "from the sharpness of the curve; lines=%s", c->kind);
        put_survival_sets(o, &f, sets, verified, (uint64_t)trials);
        finding_put(o, capacity, f.sets.value * ways * c->line, f.sets.lo * ways * c->line,
                    f.sets.hi * ways * c->line, "survival", (uint64_t)trials,
                    "sets x ways x line of %g bytes", c->line);
    }
    free(sets);
    free(capacity);
}

/* A spike is believed when it gives a whole number of ways, that of verified sets if there are any: policies that are not
 * LRU, and noise, make strides look like spikes. */
static bool believed(const struct stride_fit *f, double verified)
{
    double whole = round(f->ways);

    return whole >= 2 && fabs(f->ways - whole) < 0.02 * whole &&
           (verified == 0 || whole == verified);
}

static void put_strides(struct out *o, const struct assoc_rows *r, double verified)
{
    struct stride_fit f;

    if (r->np == 0)
        return;
    if (stride_fit(r->p, r->np, r->p[0].stride, &f) != 0) {
        cli_warn("stride: no stride without misses: fewer lines (lines=)");
    } else if (!f.spike) {
        finding_word(o, "index", "hashed", "stride", r->np, "no spike up to a stride of %s",
                     cli_size((uint64_t)f.widest));
    } else if (!believed(&f, verified)) {
        cli_warn("stride: at a stride of %s only %g lines fit, which makes %.3g ways: no number of "
                 "ways that fits, so it is not believed",
                 cli_size((uint64_t)f.stride), f.lines, f.ways);
    } else {
        finding_word(o, "index", "plain", "stride", r->np, "at a stride of %s only %g lines fit",
                     cli_size((uint64_t)f.stride), f.lines);
        finding_put(o, "ways", f.ways, f.ways, f.ways, "stride", r->np, "%g lines in %g sets",
                    f.lines, f.nset);
        finding_put(o, "sets_total", f.sets, f.sets, f.sets, "stride", r->np,
                    "stride %s holds %g set%s", cli_size((uint64_t)f.stride), f.nset,
                    f.nset > 1 ? "s" : "");
    }
}

static void print_findings(const struct assoc_rows *r, const struct prov *p)
{
    static const char *const kinds[] = {"home", "all", "remote"};
    double ways = verified_ways(r);
    struct out o;

    findings_begin(&o, stdout, p);
    for (size_t k = 0; k < 3; k++)
        put_evict(&o, r, kinds[k]);
    for (size_t k = 0; k < r->nc; k++)
        put_survival(&o, &r->c[k], ways);
    put_strides(&o, r, ways);
    out_end(&o, "ok");
}

static void print_sets(const struct assoc_rows *r, const struct prov *p)
{
    struct out o;

    out_begin(&o, stdout, p, "exp target lines sm rank part tip offset");
    for (size_t i = 0; i < r->na; i++) {
        const struct attempt *a = &r->a[i];

        for (size_t k = 0; a->verified && k <= a->nline; k++) {
            bool target = k == 0;

            out_str(&o, "set");
            out_u64(&o, a->target);
            out_str(&o, a->kind);
            out_i64(&o, a->sm);
            out_u64(&o, target ? 0 : a->set[k - 1].rank + 1);
            out_str(&o, target ? "target" : a->set[k - 1].more ? "more" : "set");
            out_u64(&o, target ? 0 : a->set[k - 1].tip);
            out_u64(&o, target ? a->offset : a->set[k - 1].offset);
            out_row(&o);
        }
    }
    out_end(&o, "ok");
}

static void print_points(const struct assoc_rows *r, const struct prov *p)
{
    assoc_points(stdout, r, p);
}

static const struct cli_opt opts[] = {
    {'p', "points", NULL, "print survival curves: points, and the law that fits them best"},
    {'s', "sets", NULL, "print the eviction sets: target, then its lines, by offset"},
    {'S', "strict", NULL, "an incomplete input is an error"},
    {0, NULL, NULL, NULL},
};
static const struct cli_usage usage = {
    "[-p | -s] [-S] [file...]", "Finds ways and sets from rows of evict, survive and stride.",
    opts};

int main(int argc, char **argv)
{
    struct assoc_rows r = {0};
    void (*print)(const struct assoc_rows *, const struct prov *) = print_findings;
    bool strict = false;
    struct tsv *t;
    int letter;

    gsl_set_error_handler_off();
    cli_start("l2assoc");
    while ((letter = xcli_next(argc, argv, &usage)) != -1)
        switch (letter) {
        case 'p':
            print = print_points;
            break;
        case 's':
            print = print_sets;
            break;
        case 'S':
            strict = true;
            break;
        }
    t = xtsv_open(argv + optind);
    t->strict = strict;
    xassoc_read(t, &r);
    prov_command(&t->prov, argc, argv);
    print(&r, &t->prov);
    assoc_rows_free(&r);
    tsv_close(t);
    xclose_stdout();
    return EXIT_OK;
}
