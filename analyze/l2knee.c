/* l2knee: where a curve leaves one level for another: the capacity of a cache in a latency curve, the reach of a TLB, the size at
 * which bandwidth falls. Reads l2stat's table, raw rows or any TSV; the mathematics is in knee.h. It says where and how certain;
 * what a knee means (one side of a cache, all of it, a TLB) is for the reader, who knows what was measured. */
#include "count.h"
#include "curves.h"
#include "knee.h"
#include "law.h"
#include "refine.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/out.h"
#include "../share/lib/tsv.h"

#include <gsl/gsl_errno.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LONG_NOISE = 256,
    LONG_LEAST,
    LONG_PENALTY,
    LONG_DRIFT,
    LONG_TREAD,
    LONG_LEVEL,
    LONG_FROM,
    LONG_TO,
    LONG_STRICT
};

struct job {
    struct curves_want want;
    struct knee_options opt;
    int points;    /* -p */
    size_t refine; /* -r, 0: knees */
    uint64_t multiple;
    bool strict, told_ways; /* -w */
    enum law law;           /* -l, LAW_NONE: knees */
};

/* Those of -l, and count, which is none of them. */
static const char *const laws[] = {"none", "reach", "saturation", "sets", "random", "step", NULL};

static void split_names(const char *list, struct curves_want *w)
{
    size_t cap = 0;
    char *words = xstrdup(list); /* lives as long as the program */

    w->groups = 0;
    w->group = NULL;
    for (char *s = strtok(words, ","); s != NULL; s = strtok(NULL, ",")) {
        w->group = xgrow(w->group, w->groups, &cap, sizeof *w->group);
        w->group[w->groups++] = s;
    }
    if (w->groups == 0)
        xdie(EXIT_USAGE, "-g: no column named");
}

/* Other people's names may hold blanks; out_begin() takes names with one blank between. */
static char *without_blanks(char *name)
{
    for (char *s = name; *s != '\0'; s++)
        if (*s == ' ')
            *s = '_';
    return name;
}

/* "a b c": group columns, then the rest, for out_begin(). */
static char *header(const struct curves *c, char *rest)
{
    for (size_t g = c->groups; g > 0; g--) {
        char *longer = xprintf("%s %s", without_blanks(c->group[g - 1]), rest);

        free(rest);
        rest = longer;
    }
    return rest;
}

static void put_labels(struct out *o, const struct curves *c, const struct one_curve *k)
{
    for (size_t g = 0; g < c->groups; g++)
        out_str(o, k->label[g]);
}

static void put_note(struct out *o, unsigned note)
{
    char text[160] = "";
    size_t at = 0;

    for (const struct knee_note *n = knee_notes; n->bit != 0; n++)
        if (note & n->bit)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? ", " : "", n->text);
    out_str(o, text);
}

static void put_knees(struct out *o, const struct curves *c, const struct one_curve *k,
                      const struct knee_fit *fit)
{
    for (size_t i = 0; i < fit->count; i++) {
        const struct knee *e = &fit->knee[i];
        const double x[] = {e->onset, e->mid, e->end, e->lo, e->hi};

        put_labels(o, c, k);
        out_u64(o, i + 1);
        for (size_t m = 0; m < sizeof x / sizeof *x; m++)
            out_round(o, x[m], 9);
        out_round(o, e->before, 6);
        out_round(o, e->after, 6);
        out_round(o, e->height, 5);
        out_str(o, e->high ? "high" : "low");
        put_note(o, e->note);
        out_round(o, e->capacity, 6);
        out_str(o, e->law == LAW_COUNT ? "count" : laws[e->law]);
        out_row(o);
    }
}

/* A law's own place takes the knee's columns: onset R, or middle K. */
static void put_law(struct out *o, const struct curves *c, const struct one_curve *k,
                    const struct job *job, const struct law_fit *f)
{
    double after = f->base + f->rise;
    int reach = job->law == LAW_REACH, saturates = job->law == LAW_SATURATION;
    const double x[] = {reach ? f->at : law_part(job->law, f, 0.05),
                        saturates ? f->at : law_part(job->law, f, 0.5), law_part(job->law, f, 0.95),
                        f->lo, f->hi};
    int sure = f->beyond >= 3 && k->n - f->beyond >= 3 && f->hi < 2 * f->lo;

    put_labels(o, c, k);
    out_u64(o, 1);
    for (size_t m = 0; m < sizeof x / sizeof *x; m++)
        out_round(o, x[m], 9);
    out_round(o, f->base, 6);
    out_round(o, after, 6);
    out_round(o, f->base > 0 ? f->rise / f->base : INFINITY, 5);
    out_str(o, sure && f->rms < 0.1 ? "high" : "low");
    out_str(o, laws[job->law]);
    out_round(o, saturates ? NAN : f->at, 6);
    out_str(o, laws[job->law]);
    out_row(o);
}

static void put_law_points(struct out *o, const struct curves *c, const struct one_curve *k,
                           const struct job *job, const struct law_fit *f)
{
    for (size_t i = 0; i < k->n; i++) {
        put_labels(o, c, k);
        out_double(o, k->x[i]);
        out_double(o, k->y[i]);
        out_round(o, law_at(job->law, f, k->x[i]), 9);
        out_str(o, k->x[i] > f->at ? "rise" : "shelf");
        out_row(o);
    }
}

static void print_law(struct out *o, const struct curves *c, const struct job *job)
{
    const struct law_rule rule = {job->law, job->opt.ways, job->opt.noise, job->opt.level, 0};

    for (size_t i = 0; i < c->n; i++) {
        const struct one_curve *k = &c->curve[i];
        struct law_fit fit;

        if (law_fit(&rule, k->x, k->y, k->n, &fit) != 0)
            cli_warn("curve %zu: no law without 4 points, all x and y above 0: left out", i + 1);
        else if (fit.rise <= job->opt.least * fit.base)
            fprintf(stderr, "%s: curve %zu does not rise by --least\n", cli_prog, i + 1);
        else if (job->points)
            put_law_points(o, c, k, job, &fit);
        else
            put_law(o, c, k, job, &fit);
    }
}

static void put_points(struct out *o, const struct curves *c, const struct one_curve *k,
                       const struct knee_fit *fit)
{
    for (size_t i = 0; i < k->n; i++) {
        put_labels(o, c, k);
        out_double(o, k->x[i]);
        out_double(o, k->y[i]);
        out_round(o, fit->fitted[i], 9);
        out_str(o, fit->part[i] == 's' ? "shelf" : fit->part[i] == 'r' ? "rise" : "spike");
        out_row(o);
    }
}

static void put_sizes(struct out *o, const struct curves *c, const struct knee_fit *fit,
                      const struct job *job)
{
    uint64_t *size = xmalloc((job->refine + 1) * sizeof *size);
    uint64_t multiple = job->multiple;
    double lo = INFINITY, hi = -INFINITY;
    size_t n;

    if (multiple == 0)
        multiple = c->stride >= 1 && strcmp(c->x_name, "stride") != 0 ? (uint64_t)c->stride : 128;
    for (size_t k = 0; k < c->n; k++) {
        lo = fmin(lo, c->curve[k].x[0]);
        hi = fmax(hi, c->curve[k].x[c->curve[k].n - 1]);
    }
    if (c->n > 0 && hi > 0) {
        n = refine_sizes(fit, c->n, fmax(lo, (double)multiple), hi, multiple, job->refine, size);
        for (size_t i = 0; i < n; i++) {
            out_u64(o, size[i]);
            out_row(o);
        }
    }
    free(size);
}

/* The curve's name in messages: "curve op=ca, sm=3", "the curve" when there is only one. */
static const char *name_of(const struct curves *c, const struct one_curve *k, char *buf,
                           size_t size)
{
    size_t at = (size_t)snprintf(buf, size, c->groups ? "curve" : "the curve");

    for (size_t g = 0; g < c->groups && at < size; g++)
        at += (size_t)snprintf(buf + at, size - at, "%s %s=%s", g ? "," : "", c->group[g],
                               k->label[g]);
    return buf;
}

/* The mean is a mixture of hits and misses; its knee may leave the median where it was. */
static void warn_median(const char *name, const struct one_curve *k, const struct knee *e)
{
    double a = NAN, b = NAN, mean = fabs(e->after - e->before);

    for (size_t i = 0; i < k->n; i++) {
        if (k->x[i] <= e->onset)
            a = k->median[i];
        if (k->x[i] >= e->end && isnan(b))
            b = k->median[i];
    }
    if (!isfinite(a) || !isfinite(b) || fabs(b - a) > 0.2 * mean)
        return;
    cli_warn(
        "%s: near %s the mean moves by %.3g %% but the median does not (%.6g, %.6g): few accesses "
        "are slow there; look at the distribution with l2stat -m",
        name, cli_size((uint64_t)fmax(e->mid, 0)), 100 * fabs(e->height), a, b);
}

static void report(const struct curves *c, const struct one_curve *k, const struct knee_fit *fit)
{
    char name[256];

    name_of(c, k, name, sizeof name);
    if (fit->count == 0)
        fprintf(stderr, "%s: %s has no knee (%zu points)\n", cli_prog, name, k->n);
    if (fit->spikes > 0)
        fprintf(stderr, "%s: %s: %zu lone point%s left out; -p shows which\n", cli_prog, name,
                fit->spikes, fit->spikes > 1 ? "s" : "");
    for (size_t i = 0; i < fit->count; i++)
        if (fit->knee[i].high)
            warn_median(name, k, &fit->knee[i]);
}

static void fit_all(const struct curves *c, const struct job *job, struct knee_fit *fit)
{
    struct knee_options opt = job->opt;

    if (strncmp(c->x_name, "stride", 6) == 0)
        opt.ways = 0;
    for (size_t k = 0; k < c->n; k++) {
        const struct one_curve *o = &c->curve[k], *back = o->back;
        int bad = knee_find(o->x, o->y, o->error, o->n, &opt, &fit[k]);

        if (bad)
            xdie(EXIT_FAILED, "%s", bad == -1 ? "out of memory" : "x does not increase");
        if (back != NULL && opt.ways > 0)
            count_capacities(back->x, back->y, back->n, &fit[k]);
        report(c, o, &fit[k]);
    }
}

static void warn_rows(const struct curves *c)
{
    if (c->n == 0)
        cli_warn("no row is left: no knee; --from and --to cut rows");
    if (c->dropped > 0)
        cli_warn("%zu row%s dropped: %s is not a finite number there", c->dropped,
                 c->dropped > 1 ? "s" : "", c->y_name);
}

static char *columns_of(const struct curves *c, const struct job *job)
{
    if (job->refine)
        return xstrdup("size");
    if (job->points)
        return header(
            c, xprintf("%s %s fit part", without_blanks(c->x_name), without_blanks(c->y_name)));
    return header(
        c,
        xstrdup(
            "knee x_onset x_mid x_end x_lo x_hi y_before y_after height conf note capacity law"));
}

static void print_all(const struct curves *c, const struct job *job, const struct knee_fit *fit,
                      const struct prov *prov)
{
    char *columns = columns_of(c, job);
    struct out o;

    out_begin(&o, stdout, prov, columns);
    if (job->law != LAW_NONE)
        print_law(&o, c, job);
    for (size_t k = 0; k < c->n && !job->refine && job->law == LAW_NONE; k++)
        if (job->points)
            put_points(&o, c, &c->curve[k], &fit[k]);
        else
            put_knees(&o, c, &c->curve[k], &fit[k]);
    if (job->refine)
        put_sizes(&o, c, fit, job);
    out_end(&o, "ok");
    free(columns);
}

/* What a capacity hangs on that the curve does not tell: a cache of n ways overflows 1/2n before it is full, less than one
 * of half as many (overflow.h). */
static void note_ways(struct prov *prov, const struct curves *c, const struct job *job,
                      const struct knee_fit *fit)
{
    bool any = false;

    for (size_t k = 0; k < c->n; k++)
        for (size_t i = 0; i < fit[k].count; i++)
            any = any || (fit[k].knee[i].high && fit[k].knee[i].law == LAW_SETS);
    if (any && !job->told_ways)
        prov_addf(
            prov,
            "#note capacity is for sets of %u ways: %.2g %% less if they have %u, %.2g %% more "
            "if %u (-w)",
            job->opt.ways, 50.0 / job->opt.ways, job->opt.ways / 2, 25.0 / job->opt.ways,
            2 * job->opt.ways);
}

static void run(struct tsv *t, int argc, char **argv, const struct job *job)
{
    struct curves *c = xcurves_read(t, &job->want);
    struct knee_fit *fit = xcalloc(c->n + 1, sizeof *fit);

    if (job->law == LAW_NONE)
        fit_all(c, job, fit);
    warn_rows(c);
    prov_command(&t->prov, argc, argv);
    note_ways(&t->prov, c, job, fit);
    print_all(c, job, fit, &t->prov);
    for (size_t k = 0; k < c->n; k++)
        knee_free(&fit[k]);
    free(fit);
    curves_free(c);
}

/* The number of a word in a list that ends with NULL. */
static int choice(const char *option, const char *word, const char *const *names)
{
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    xdie(EXIT_USAGE, "%s: not known: '%s'", option, word);
}

static const char *const scales[] = {"auto", "linear", "log", NULL};

/* Options that are one number of the method: its bounds and its place. */
static void set_number(struct knee_options *opt, int letter, const char *word)
{
    const struct {
        int letter;
        const char *name;
        double lo, hi, *to;
    } numbers[] = {
        {LONG_LEAST, "--least", 1e-6, 1000, &opt->least},
        {LONG_NOISE, "--noise", 1e-6, 1, &opt->noise},
        {LONG_PENALTY, "--penalty", 0.01, 1000, &opt->penalty},
        {LONG_DRIFT, "--drift", 0, 1000, &opt->drift},
        {LONG_TREAD, "--tread", 0, 1000, &opt->tread},
        {LONG_LEVEL, "--level", 0.5, 0.9999, &opt->level},
    };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].letter == letter)
            *numbers[i].to = xparse_double(numbers[i].name, word, numbers[i].lo, numbers[i].hi);
}

static void set_option(struct job *job, int letter, char *word)
{
    switch (letter) {
    case 'x':
        job->want.x = word;
        break;
    case 'y':
        job->want.y = word;
        break;
    case 'g':
        split_names(word, &job->want);
        break;
    case 'p':
        job->points = 1;
        break;
    case 'r':
        job->refine = xparse_u64("-r", word, 1, 1000000);
        break;
    case 'm':
        job->multiple = xparse_size("-m", word, 1, 1u << 30);
        break;
    case 's':
        job->opt.scale = (enum knee_scale)choice("-s", word, scales);
        break;
    case 'l':
        job->law = (enum law)choice("-l", word, laws);
        break;
    case 'w':
        job->opt.ways = (unsigned)xparse_u64("-w", word, 1, 64);
        job->told_ways = true;
        break;
    case LONG_FROM:
        job->want.from = (double)xparse_size("--from", word, 0, UINT64_MAX);
        break;
    case LONG_TO:
        job->want.to = (double)xparse_size("--to", word, 0, UINT64_MAX);
        break;
    case LONG_STRICT:
        job->strict = true;
        break;
    default:
        set_number(&job->opt, letter, word);
    }
}

static const struct cli_opt options[] = {
    {'x', "x", "COLUMN", "the column of x (default: size, size_bytes, pages, stride ...)"},
    {'y', "y", "COLUMN", "the column of y (default: mean, gbps, cycles, ns ...)"},
    {'g', "group", "A,B",
     "a curve for every different value of these columns (default: parameters that vary)"},
    {'p', "points", NULL, "print every point with the fitted curve instead of knees"},
    {'r', "refine", "N", "print N sizes worth measuring next instead of knees"},
    {'m', "multiple", "BYTES",
     "-r: round sizes to multiples of this (default: the data's stride, or 128)"},
    {'s', "scale", "SCALE",
     "straight pieces over x: linear, log, auto (default: what fits better)"},
    {'l', "law", "LAW",
     "fit a law instead: reach (of a TLB), saturation (of concurrency), sets,\nrandom, step"},
    {'w', "ways", "N", "ways of a set, for the capacity (16)"},
    {LONG_LEAST, "least", "H", "least relative height of a knee (0.01)"},
    {LONG_NOISE, "noise", "S", "least relative noise of a point (0.002)"},
    {LONG_PENALTY, "penalty", "P", "price of a parameter, times log of the number of points (1)"},
    {LONG_DRIFT, "drift", "D", "slope that is still a shelf, relative, for a doubling of x (0.04)"},
    {LONG_TREAD, "tread", "D",
     "a shelf narrower than this, in doublings of x, belongs to the rise (0.25)"},
    {LONG_LEVEL, "level", "P", "coverage of the intervals (0.95)"},
    {LONG_FROM, "from", "X", "leave out rows with less x"},
    {LONG_TO, "to", "X", "leave out rows with more x"},
    {LONG_STRICT, "strict", NULL, "an incomplete table is an error"},
    {0, NULL, NULL, NULL},
};

static const struct cli_usage usage = {"[OPTION...] [FILE...]",
                                       "Finds the knees of curves, with intervals.", options};

int main(int argc, char **argv)
{
    struct job job = {.want = {.from = -INFINITY, .to = INFINITY}, .opt = knee_defaults};
    struct tsv *t;
    int c;

    cli_start("l2knee");
    gsl_set_error_handler_off();
    while ((c = xcli_next(argc, argv, &usage)) != -1)
        set_option(&job, c, optarg);
    if (job.refine && (job.points || job.law != LAW_NONE))
        xdie(EXIT_USAGE, "-r goes with neither -p nor -l");
    t = xtsv_open(argv + optind);
    t->strict = job.strict;
    run(t, argc, argv, &job);
    tsv_close(t);
    xclose_stdout();
    return EXIT_OK;
}
