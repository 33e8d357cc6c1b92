/* Findings of l2slice, row by row, and its tables. What is not supported is not printed: it becomes a warning that says what
 * is missing and what to run. */
#include "slicereport.h"
#include "smgroup.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

enum { LEAST_FLIPS = 8, MOST_DIMS = 1024 }; /* lines that SMs are compared on */
static const double flip_changes = 0.02;

static void missing(struct prov *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void missing(struct prov *p, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    cli_warn("%s", text);
    prov_addf(p, "#warning %s", text);
}

static void missing_sides(const struct slices *s, struct prov *p)
{
    const struct slice_matrix *m = &s->data->matrix[OP_ATOM];

    if (m->lines == 0)
        missing(p, "sides: no matrix rows by atomics; run l2collect matrix op=atom");
    else if (s->side.verdict == SIDE_FEW_LINES)
        missing(p, "sides: %zu lines are too few; run l2collect matrix op=atom count=2048",
                m->lines);
    else if (s->side.verdict == SIDE_ONE_SM)
        missing(p, "sides: %zu SMs are too few to tell sides from places; run matrix with sms=all",
                m->sms);
    else if (s->side.verdict == SIDE_UNCLEAR)
        missing(p,
                "sides: the SMs' near and far lines make no pattern (%zu of %zu lines unclear); "
                "run matrix "
                "with op=atom and more reps",
                s->side.unclear, m->lines);
    else if (s->side.seen < s->side.sides)
        missing(p, "sides: SMs of %u of %u sides were measured; run matrix with sms=all",
                s->side.seen, s->side.sides);
    if (s->side_xor.lines > 0 && !s->side_xor.linear && s->side_xor.open > 0)
        missing(
            p,
            "side_mask: the lines leave %u functions open; run matrix with op=atom and random=4096",
            s->side_xor.open);
    if (s->side_xor.linear && s->side_xor.pages < 2 && s->side_xor.varied < 2u << 20)
        missing(
            p,
            "side_page: all lines lie in one page of 2 MiB, whose constant says nothing of others; "
            "run matrix with "
            "op=atom and random=4096");
}

static void missing_slices(const struct slices *s, struct prov *p)
{
    const struct slice_data *d = s->data;

    for (int op = 0; op < OPS; op++)
        if (d->pairs[op].n > 0 && s->contend[op].n == 0)
            missing(p,
                    "slices: %zu pairs by %s show one mode only: too few SMs to fill a slice, or "
                    "no two lines of "
                    "one slice; run contend with all SMs and test=search",
                    d->pairs[op].n, slice_op_name((enum slice_op)op));
    for (int op = 0; op < OPS; op++)
        if (s->contend[op].n > 0 && !contend_counts(&s->contend[op]) &&
            s->contend[op].doubtful * 10 > s->contend[op].labelled)
            missing(
                p,
                "slices: %zu of %zu lines by %s are a little faster than lines of one slice and "
                "were compared with no other class, so they can't be counted; run contend with "
                "test=search, which settles them",
                s->contend[op].doubtful, s->contend[op].doubtful + s->contend[op].labelled,
                slice_op_name((enum slice_op)op));
        else if (s->contend[op].n > 0 && !contend_counts(&s->contend[op]))
            missing(p,
                    "slices: %zu lines by %s were compared with some classes only, and %zu of %zu "
                    "pairs contradict the "
                    "classes, so they can't be counted; run contend with test=search and reps=3",
                    s->contend[op].partial, slice_op_name((enum slice_op)op),
                    s->contend[op].conflicts, s->contend[op].same);
    if (d->thread.n > 0)
        missing(p,
                "slices: one thread that alternates cannot fill a slice: its %zu pairs show "
                "latencies only; run "
                "contend with test=search",
                d->thread.n);
    if (d->pairs[OP_ATOM].n == 0 && d->pairs[OP_LOAD].n == 0)
        missing(p, "slices: no contend rows: fingerprints tell locations apart, not slices; run "
                   "l2collect contend "
                   "op=atom");
    for (int op = 0; op < OPS; op++) {
        const struct cluster *c = &s->place[op];

        if (d->matrix[op].lines > 0 && c->n == 0)
            missing(p,
                    "subslices: no gap between fingerprints by %s of %zu lines x %zu SMs (same "
                    "%.3g, different "
                    "%.3g cycles): too much noise or too few SMs; run matrix with more reps and "
                    "sms=all",
                    slice_op_name((enum slice_op)op), d->matrix[op].lines, d->matrix[op].sms,
                    c->same, c->different);
        if (c->n > 0 && !c->pure)
            missing(p,
                    "subslices: the %zu groups of fingerprints by %s hold more than noise (%.3g "
                    "cycles, noise %.3g), "
                    "so they are no count of locations; run matrix with more reps",
                    c->n, slice_op_name((enum slice_op)op), c->same, c->noise);
        if (d->matrix[op].dropped > 0)
            missing(p, "matrix by %s: %zu lines lack some SMs and are left out",
                    slice_op_name((enum slice_op)op), d->matrix[op].dropped);
    }
    if (s->slices > 0 && s->grain == 0)
        missing(p,
                "grain: too few neighbouring lines were compared; run contend with spacing=auto");
    if (s->slices > 0 && !s->fine && (s->place[OP_ATOM].n > 0 || s->place[OP_LOAD].n > 0))
        missing(
            p,
            "slice_agreement: fingerprints tell groups of locations apart only, so they can't be "
            "held against contention; run matrix with more reps and sms=all");
    if (s->agreement < 0.9)
        missing(p,
                "contention and fingerprints disagree on %.3g %% of pairs: were they measured in "
                "one allocation? run "
                "l2collect matrix contend as one command",
                100 * (1 - s->agreement));
}

void slice_report_missing(const struct slices *s, struct prov *p)
{
    if (s->data->lines == 0)
        return;
    missing_sides(s, p);
    missing_slices(s, p);
}

static double least_margin(const struct contend *c)
{
    double least = INFINITY;

    for (size_t k = 0; k < c->n; k++)
        least = fmin(least, c->margin[k]);
    return least;
}

/* How many classes the lines may have missed. Partners that lack to a class are certain; the rest is for chance: from the
 * classes of one and of two lines, and, were all classes alike, the number that lines at random leave out once in 20 times. */
static double unseen(const struct contend *c)
{
    size_t *of = xcalloc(c->n + 1, sizeof *of), most = 0;
    double mean = (double)c->n * exp(-(double)c->labelled / (double)c->n), term = exp(-mean);
    double missed = cluster_missed(c->size, c->n), some = 0;

    for (double sum = term; sum < 0.95; sum += term)
        term *= mean / ++some;
    for (size_t k = 0; k < c->n; k++)
        if (++of[c->group[k]] > most)
            most = of[c->group[k]];
    free(of);
    return fmax(fmax(floor(missed + 0.5), some), (double)(most * c->groups - c->n));
}

/* A count is given when every class stands alone, hardly a pair contradicts, and few classes can have been missed. `hi`: by
 * how much one class more makes the value larger. */
static void put_classes(const struct contend *c, struct out *o, const char *param, size_t value,
                        double hi, const char *method)
{
    double missed = unseen(c);
    char doubt[64] = "";

    if (c->doubtful > 0)
        snprintf(doubt, sizeof doubt, "; %zu lines in doubt are left out", c->doubtful);
    finding_put(
        o, param, (double)value, (double)value, (double)value + missed * hi, method, c->labelled,
        "%zu classes, least margin %.2f of %.0f - %.0f cycles, %zu of %zu pairs contradict%s%s",
        c->n, least_margin(c), c->level[CONTEND_OTHER], c->level[CONTEND_SAME], c->conflicts,
        c->pairs, doubt,
        missed > 0 ? "; more may exist than these lines show: label more blocks" : "");
}

static void put_slices(const struct slices *s, struct out *o)
{
    const struct contend *a = &s->contend[OP_ATOM], *l = &s->contend[OP_LOAD];
    unsigned sides = s->side.verdict == SIDE_OK ? s->side.sides : 0;

    if (contend_counts(a))
        put_classes(a, o, "slices", a->n, 1, "contention of atomics");
    else if (contend_counts(l) && sides > 0)
        put_classes(l, o, "slices", sides > 1 ? s->slices : l->n, sides,
                    "contention of loads, cut by side");
    if (contend_counts(a) && a->groups < a->n)
        put_classes(a, o, "slices_side", a->groups, 0, "partners by contention of atomics");
    else if (contend_counts(a) && sides == 1)
        put_classes(a, o, "slices_side", a->n, 1, "contention of atomics, one side");
    if (contend_counts(l))
        put_classes(l, o, "slices_side", l->n, 1, "contention of loads");
}

static int by_size(const void *x, const void *y)
{
    size_t a = *(const size_t *)x, b = *(const size_t *)y;

    return (a > b) - (a < b);
}

static void put_slice_lines(const struct slices *s, struct out *o)
{
    size_t *size = xcalloc(s->slices + 1, sizeof *size), n = 0;

    for (size_t i = 0; i < s->data->lines; i++) {
        uint32_t k = s->slice_of[i] != LINEAR_NONE ? s->slice_of[i] : s->guess[i];

        if (k != LINEAR_NONE) {
            size[k]++;
            n++;
        }
    }
    qsort(size, s->slices, sizeof *size, by_size);
    finding_put(o, "slice_lines", (double)size[s->slices / 2], (double)size[0],
                (double)size[s->slices - 1], "count", n,
                "lo and hi are the least and the most lines of one slice");
    free(size);
}

static void put_sides(const struct slices *s, struct out *o)
{
    const struct side *side = &s->side;
    const struct contend *a = &s->contend[OP_ATOM];
    size_t of[SIDE_MOST + 1] = {0};

    if (side->verdict == SIDE_OK && side->sides > 0) {
        if (side->sides == 1)
            finding_put(o, "sides", 1, 1, 1, "latency of atomics", s->data->matrix[OP_ATOM].lines,
                        "one latency mode from %zu SMs, near %.4g cycles", side->sms, side->near);
        else
            finding_put(o, "sides", side->sides, side->sides, side->sides, "latency of atomics",
                        s->data->matrix[OP_ATOM].lines,
                        "near %.4g, far %.4g cycles, gap %.4g; SMs agree on %.5g %%", side->near,
                        side->far, side->gap, 100 * side->agree);
        for (size_t k = 0; k < side->sms; k++)
            of[side->sm_side[k] == SIDE_NONE ? SIDE_MOST : side->sm_side[k]]++;
        for (unsigned k = 0; k < side->seen; k++)
            finding_put(o, "sm_sides", (double)of[k], (double)of[k], (double)of[k],
                        "latency of atomics", side->sms, "side %u", k);
    }
    if (contend_counts(a) && a->groups < a->n && a->n % a->groups == 0) {
        double k = (double)(a->n / a->groups);

        finding_put(o, "sides", k, k, k, "partners by contention of atomics", a->n,
                    "slices a group of partners: %zu / %zu", a->n, a->groups);
    }
}

static void put_side_mask(const struct slices *s, struct out *o)
{
    const struct linear *l = &s->side_xor, *p = &s->pair_xor;

    if (p->lines > 0 && p->open == 0 && p->functions.n == 1)
        finding_word(
            o, "side_mask", gf2_bits(p->functions.row[0]),
            "complement of same-slice differences over GF(2)", p->differences,
            "by contention alone: the one function that is the same on all lines of a slice");

    if (l->lines == 0 || (!l->linear && l->open > 0))
        return;
    finding_word(o, "side_linear", l->linear ? "yes" : "no",
                 "complement of same-side differences over GF(2)", l->differences,
                 "%u functions for %zu sides, %.5g %% of %zu pairs predicted", l->functions.n,
                 l->classes, 100 * l->right, l->checked);
    for (unsigned k = 0; k < l->functions.n && l->linear; k++)
        finding_word(o, "side_mask", gf2_bits(l->functions.row[k]),
                     "complement of same-side differences over GF(2)", l->differences,
                     "within %s; %zu seen",
                     l->page_shift >= 64 ? "all addresses measured" : "a page", l->pages);
    if (l->linear && l->page_shift < 64 && l->pages > 1)
        finding_put(o, "side_page", (double)(1ull << l->page_shift), NAN, NAN,
                    "largest page with one constant", l->pages,
                    "each page has its own constant: one probe a page");
}

/* Bits by how often flipping them changes the slice: always, sometimes, never, not tested. */
static void put_slice_bits(const struct slices *s, struct out *o)
{
    uint64_t changes = 0, fixed = 0, used = 0;
    char shares[384] = "";
    size_t at = 0, total = 0;

    for (unsigned k = 0; k < s->slice_xor.functions.n && s->slice_xor.linear; k++)
        used |= s->slice_xor.functions.row[k];
    for (unsigned bit = 3; bit < 48; bit++) {
        size_t pairs;
        double share = linear_flips(&s->slice_xor, bit, &pairs);

        total += pairs;
        if (pairs < LEAST_FLIPS)
            continue;
        *(share > flip_changes ? &changes : &fixed) |= 1ull << bit;
        if (at < sizeof shares - 16)
            at += (size_t)snprintf(shares + at, sizeof shares - at, "%s%u:%.2f", at ? " " : "", bit,
                                   share);
    }
    if (changes | fixed | used)
        finding_word(o, "slice_bits", gf2_bits(changes | used), "flips of one bit", total,
                     "share of flips that change the slice: %s", shares);
}

static void put_slice_linear(const struct slices *s, struct out *o)
{
    const struct linear *l = &s->slice_xor;

    if (l->lines == 0 || l->differences == 0)
        return;
    if (l->open == 0 || l->linear)
        finding_word(o, "slice_linear", l->linear ? "yes" : "no",
                     "complement of same-slice differences over GF(2)", l->differences,
                     l->linear
                         ? "%u functions tell all %zu slices apart; %.5g %% of %zu pairs predicted"
                         : "%u functions, and %zu slices: what they leave is a table (--map); %.5g "
                           "%% of %zu pairs predicted",
                     l->functions.n, l->classes, 100 * l->right, l->checked);
    for (unsigned k = 0; k < l->functions.n && (l->linear || l->open == 0); k++)
        finding_word(o, "slice_xor", gf2_bits(l->functions.row[k]),
                     "complement of same-slice differences over GF(2)", l->differences,
                     "row %u of the reduced span%s%s", k + 1,
                     l->page_shift >= 64 ? "" : ", within a page",
                     l->linear ? ""
                               : "; the linear part: all lines of a slice agree on it, and it "
                                 "does not tell all slices apart");
}

/* Locations that hold lines of several slices: places that no SM tells apart. */
static size_t mixed_locations(const struct slices *s)
{
    size_t n = 0;
    uint8_t *mixed = xcalloc(s->data->lines + 1, 1);

    for (size_t i = 0; i < s->data->lines; i++)
        if (s->slice_of[i] != LINEAR_NONE && s->guess[i] != LINEAR_NONE &&
            s->slice_of[i] != s->guess[i] && !mixed[s->location[i]]) {
            mixed[s->location[i]] = 1;
            n++;
        }
    free(mixed);
    return n;
}

static void put_subslices(const struct slices *s, struct out *o)
{
    size_t mixed = mixed_locations(s);

    for (int op = 0; op < OPS; op++) {
        const struct cluster *c = &s->place[op];
        double missed = floor(cluster_missed(c->size, c->n) + 0.5) + (double)(mixed + c->wide);

        if (c->n > 0 && c->pure)
            finding_put(
                o, "subslices", (double)c->n, (double)c->n, (double)c->n + missed,
                op == OP_ATOM ? "fingerprints of atomics" : "fingerprints of loads", c->lines,
                "noise %.3g cycles; lines are nearer to their own centre by %.2f of the way "
                "between "
                "two, but for 0.5 %%; %zu unclear; %zu locations are wider than noise, %zu hold "
                "lines of several slices",
                c->noise, c->least_margin, c->unclear, c->wide, mixed);
    }
}

void slice_report_findings(const struct slices *s, struct out *o)
{
    put_slices(s, o);
    if (contend_counts(&s->contend[s->from]))
        put_slice_lines(s, o);
    put_sides(s, o);
    put_side_mask(s, o);
    if (s->grain > 0)
        finding_put(o, "grain", (double)s->grain, (double)s->grain, (double)s->grain,
                    s->from == OP_ATOM ? "boundaries by contention of atomics"
                                       : "boundaries by contention of loads",
                    s->boundaries,
                    s->grain == s->grain_step ? "boundaries at every step of %" PRIu64
                                                " bytes: it could be finer"
                                              : "boundaries between lines %" PRIu64 " bytes apart",
                    s->grain_step);
    put_subslices(s, o);
    if (s->slices > 1 && contend_counts(&s->contend[s->from])) {
        put_slice_linear(s, o);
        put_slice_bits(s, o);
    }
    if (s->agree_lines > 1)
        finding_put(o, "slice_agreement", s->agreement, NAN, NAN, "contention against fingerprints",
                    s->agree_lines,
                    "pairs of lines alike by both or by neither; %zu lines differ (--differ)",
                    s->differ);
}

static void put_number(struct out *o, uint32_t v)
{
    out_i64(o, v == LINEAR_NONE ? -1 : (int64_t)v);
}

void slice_report_map(const struct slices *s, struct out *o)
{
    for (size_t i = 0; i < s->data->lines; i++) {
        out_u64(o, s->data->offset[i]);
        put_number(o, s->slice_of[i] != LINEAR_NONE ? s->slice_of[i] : s->guess[i]);
        put_number(o, s->side_of[i]);
        put_number(o, s->location[i]);
        out_row(o);
    }
}

void slice_report_differ(const struct slices *s, struct out *o)
{
    for (size_t i = 0; i < s->data->lines; i++) {
        if (s->slice_of[i] == LINEAR_NONE || s->guess[i] == LINEAR_NONE ||
            s->slice_of[i] == s->guess[i])
            continue;
        out_u64(o, s->data->offset[i]);
        put_number(o, s->slice_of[i]);
        put_number(o, s->location[i]);
        put_number(o, s->guess[i]);
        out_row(o);
    }
}

void slice_report_sms(const struct slices *s, struct out *o)
{
    const struct slice_matrix *m = &s->data->matrix[OP_ATOM];
    uint32_t *group = xmalloc((m->sms + 1) * sizeof *group);
    size_t groups = smgroup(m->cycles, m->lines < MOST_DIMS ? m->lines : MOST_DIMS, m->sms, group);

    for (size_t k = 0; k < m->sms; k++) {
        double sum[2] = {0};
        size_t n[2] = {0};

        for (size_t i = 0; i < m->lines; i++)
            if (s->side_of[m->line[i]] != LINEAR_NONE) {
                int far = s->side_of[m->line[i]] != s->side.sm_side[k];

                sum[far] += (double)m->cycles[i * m->sms + k];
                n[far]++;
            }
        out_u64(o, m->sm[k]);
        put_number(o, s->side.sm_side[k] == SIDE_NONE || s->side.verdict != SIDE_OK
                          ? LINEAR_NONE
                          : s->side.sm_side[k]);
        put_number(o, groups > 0 ? group[k] : LINEAR_NONE);
        out_round(o, n[0] > 0 ? sum[0] / (double)n[0] : NAN, 5);
        out_round(o, n[1] > 0 ? sum[1] / (double)n[1] : NAN, 5);
        out_row(o);
    }
    free(group);
}
