/* l2verdict: what all methods together say of each parameter of a cache. Reads tables of findings, and tables of knees of
 * a latency curve as one more method for its capacities, from any filters, concatenated; refuses rows of two devices. The
 * rules are the table in verdict.c. Whether two methods are independent it cannot know: it goes by their names. */
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/out.h"
#include "../share/lib/tsv.h"
#include "findings.h"
#include "verdict.h"
#include "verdict_print.h"

#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_RISE 0.1 /* relative; a lower knee is no end of a cache */

enum { LONG_ACCELSIM = 256 };

/* How a knee tells a capacity. */
enum from { FROM_MIDDLE, FROM_LAW, FROM_COUNT };
static const struct {
    const char *method, *note;
} froms[] = {
    [FROM_MIDDLE] = {"knee", "middle of a rise of the mean latency"},
    [FROM_LAW] = {"knee", "the law that fits a rise of the mean latency"},
    [FROM_COUNT] = {"count", "where the cycles of walks back bend"},
};

/* High knees of the latency curve, by size: the capacity that was counted, or of a law that fits the rise, else its middle. */
struct rises {
    double at[64], lo[64], hi[64];
    enum from from[64];
    size_t n;
};

static enum from source_of(const struct tsv *t)
{
    size_t capacity = tsv_find(t, "capacity"), law = tsv_find(t, "law");

    if (capacity == TSV_NONE || tsv_is(t, capacity, "nan"))
        return FROM_MIDDLE;
    return law != TSV_NONE && tsv_is(t, law, "count") ? FROM_COUNT : FROM_LAW;
}

static void add_knee(const struct tsv *t, struct rises *r)
{
    double height = xtsv_double(t, xtsv_column(t, "height"));
    enum from from = source_of(t);

    if (height < LEAST_RISE || !tsv_is(t, xtsv_column(t, "conf"), "high") || r->n == 64)
        return;
    r->from[r->n] = from;
    r->at[r->n] = xtsv_double(t, xtsv_column(t, from == FROM_MIDDLE ? "x_mid" : "capacity"));
    r->lo[r->n] = xtsv_double(t, xtsv_column(t, "x_lo"));
    r->hi[r->n++] = xtsv_double(t, xtsv_column(t, "x_hi"));
}

static void read_all(struct tsv *t, struct findings *fs, struct rises *rises)
{
    bool findings = false;

    t->many_tables = true;
    for (enum tsv_event ev; (ev = xtsv_next(t)) != TSV_END;) {
        if (ev == TSV_HEADER) {
            findings = findings_is(t);
            if (!findings && tsv_find(t, "x_mid") == TSV_NONE)
                xtsv_bad_line(t,
                              "neither findings nor knees, but columns '%s %s ...': give raw "
                              "rows to l2level, l2assoc, l2policy or l2slice first",
                              t->column[0], t->ncolumn > 1 ? t->column[1] : "");
        } else if (findings) {
            xfindings_add(fs, t);
        } else {
            add_knee(t, rises);
        }
    }
}

static void add_rise(struct findings *fs, const char *param, const struct rises *r, size_t k)
{
    struct finding *f;

    fs->f = xrealloc(fs->f, fs->n + 1, sizeof *fs->f);
    f = &fs->f[fs->n++];
    *f = (struct finding){
        .param = xstrdup(param),
        .text = xprintf("%.6g", r->at[k]),
        .unit = xstrdup("bytes"),
        .method = xstrdup(froms[r->from[k]].method),
        .note = xstrdup(froms[r->from[k]].note),
        .value = r->at[k],
        .lo = r->lo[k],
        .hi = r->hi[k],
        .n = r->n,
    };
}

/* The first rise ends one side, the last one all; on a cache of one side both are the same. */
static void add_rises(struct findings *fs, const struct rises *r)
{
    const struct finding *sides = findings_get(fs, "sides", 0);

    if (r->n == 0)
        return;
    add_rise(fs, "capacity_side", r, 0);
    if (r->n > 1 || (sides != NULL && sides->value == 1))
        add_rise(fs, "capacity_total", r, r->n - 1);
}

static void xone_device(const struct prov *p)
{
    static const char *const keys[] = {"uuid", "device"};

    for (size_t i = 0; i < 2; i++)
        if (prov_get(p, keys[i], 1) != NULL)
            xdie(EXIT_FAILED, "findings of several devices (%s '%s' and '%s'): give those of one",
                 keys[i], prov_get(p, keys[i], 0), prov_get(p, keys[i], 1));
}

/* What the driver says; the memory's limit is bus width x 2 transfers x clock. */
static size_t ask_driver(const struct prov *p, struct verdict_api *api)
{
    size_t n = 0;

    api[n++] = (struct verdict_api){"capacity_total", prov_number(p, "l2_bytes")};
    api[n++] = (struct verdict_api){"fetch_default", prov_number(p, "fetch")};
    api[n++] = (struct verdict_api){"sm_sides", prov_number(p, "sms")};
    api[n++] = (struct verdict_api){"dram_bw", prov_number(p, "bus_width") / 8 * 2 *
                                                   prov_number(p, "clock_mem_before") / 1000};
    return n;
}

static void put_row(struct out *o, const struct verdict_row *r)
{
    char *methods = r->n > 0 ? verdict_methods(r) : xstrdup("-");

    out_str(o, r->rule.param);
    out_str(o, r->value);
    out_round(o, r->lo, 8);
    out_round(o, r->hi, 8);
    out_str(o, r->unit);
    out_str(o, verdict_words[r->word]);
    out_u64(o, r->methods);
    out_u64(o, r->agree);
    out_u64(o, r->evidence);
    out_round(o, r->api, 8);
    out_round(o, 100 * r->difference, 4);
    out_str(o, methods);
    out_str(o, r->doubt != NULL ? r->doubt : r->n > 0 ? r->m[r->best].note : "-");
    out_row(o);
    free(methods);
}

static void print_table(FILE *to, const struct verdict *v, const struct prov *p)
{
    struct out o;

    out_begin(&o, to, p,
              "param value lo hi unit verdict methods support evidence api difference values note");
    for (size_t i = 0; i < v->n; i++)
        put_row(&o, &v->row[i]);
    out_end(&o, "ok");
}

static int disagreements(const struct verdict *v)
{
    int n = 0;

    for (size_t i = 0; i < v->n; i++)
        if (v->row[i].word == VERDICT_DISAGREE) {
            n++;
            fprintf(stderr, "l2verdict: %s: methods disagree: %s\n", v->row[i].rule.param,
                    v->row[i].value);
        }
    return n;
}

static void print_rules(void)
{
    for (const struct verdict_rule *r = verdict_rules; r->param != NULL; r++)
        printf("%s\t%g %%\n", r->param, 100 * r->within);
    xclose_stdout();
    exit(EXIT_OK);
}

static const struct cli_opt opts[] = {
    {'a', "all", NULL, "a row for each expected parameter that no method speaks of, too"},
    {'m', "markdown", NULL, "a Markdown table for people"},
    {LONG_ACCELSIM, "accel-sim", NULL, "the cache options of GPGPU-Sim and Accel-Sim"},
    {'s', "strict", NULL, "exit 1 when methods disagree, or an input is incomplete"},
    {'l', "list", NULL, "list the parameters and how far values may differ and still agree"},
    {0, NULL, NULL, NULL},
};
static const struct cli_usage usage = {
    "[-as] [-m | --accel-sim] [FILE...]",
    "Says what the findings of all filters together tell of each parameter.", opts};

int main(int argc, char **argv)
{
    void (*print)(FILE *, const struct verdict *, const struct prov *) = print_table;
    struct verdict_api api[8];
    struct findings fs = {0};
    struct rises rises = {0};
    struct verdict v;
    bool strict = false, all = false;
    struct tsv *t;
    int letter;

    cli_start("l2verdict");
    while ((letter = xcli_next(argc, argv, &usage)) != -1)
        switch (letter) {
        case 'a':
            all = true;
            break;
        case 'm':
            print = verdict_markdown;
            break;
        case LONG_ACCELSIM:
            print = verdict_accelsim;
            break;
        case 's':
            strict = true;
            break;
        case 'l':
            print_rules();
        }
    t = xtsv_open(argv + optind);
    t->strict = strict;
    read_all(t, &fs, &rises);
    xone_device(&t->prov);
    add_rises(&fs, &rises);
    verdict_derive(&fs);
    verdict_share(&fs, prov_number(&t->prov, "clock_measured_after"));
    verdict_make(&v, &fs, api, ask_driver(&t->prov, api), all);
    prov_command(&t->prov, argc, argv);
    print(stdout, &v, &t->prov);
    strict = strict && disagreements(&v) > 0;
    verdict_free(&v);
    findings_free(&fs);
    tsv_close(t);
    xclose_stdout();
    return strict ? EXIT_FAILED : EXIT_OK;
}
