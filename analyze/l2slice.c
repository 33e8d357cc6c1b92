/* l2slice: sides, slices and locations of the cache, from rows of the experiments contend and matrix. */
#include <gsl/gsl_errno.h>

#include <stdlib.h>
#include <unistd.h>

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/out.h"
#include "../share/lib/tsv.h"
#include "slicereport.h"

enum { SAY_FINDINGS, SAY_MAP = 'm', SAY_SMS = 's', SAY_DIFFER = 'd', SAY_PREDICT = 'p' };

static void read_rows(struct tsv *t, struct slice_data *d)
{
    enum tsv_event ev;

    t->many_tables = true;
    while ((ev = xtsv_next(t)) != TSV_END)
        if (ev == TSV_HEADER)
            xslice_data_header(d, t);
        else
            xslice_data_add(d, t);
    slice_data_finish(d);
}

static int by_page(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

    return (a > b) - (a < b);
}

/* Sides of the offsets of a table, from mask and page constants. */
static void predict(const struct slices *s, const char *file, struct out *o)
{
    char *files[] = {xstrdup(file), NULL};
    uint64_t *page = xmalloc((s->data->lines + 1) * sizeof *page);
    uint8_t *constant = xmalloc(s->data->lines + 1);
    size_t n = slices_page_constants(s, page, constant);
    struct tsv *t = xtsv_open(files);
    size_t column = 0;

    for (enum tsv_event ev; (ev = xtsv_next(t)) != TSV_END;) {
        uint64_t offset, at, *found;

        if (ev == TSV_HEADER) {
            column = xtsv_column(t, "offset");
            continue;
        }
        offset = xtsv_u64(t, column);
        at = s->side_xor.page_shift >= 64 ? 0 : offset >> s->side_xor.page_shift;
        found = bsearch(&at, page, n, sizeof at, by_page);
        out_u64(o, offset);
        out_i64(o, found == NULL ? -1
                                 : (int64_t)(gf2_parity(offset & s->side_xor.functions.row[0]) ^
                                             constant[found - page]));
        out_row(o);
    }
    tsv_close(t);
    free(files[0]);
    free(page);
    free(constant);
}

static void say(int what, const struct slices *s, const char *offsets, const struct prov *p)
{
    static const struct {
        int what;
        const char *columns;
        void (*write)(const struct slices *s, struct out *o);
    } tables[] = {
        {SAY_FINDINGS, FINDINGS_COLUMNS, slice_report_findings},
        {SAY_MAP, SLICE_MAP_COLUMNS, slice_report_map},
        {SAY_SMS, SLICE_SMS_COLUMNS, slice_report_sms},
        {SAY_DIFFER, SLICE_DIFFER_COLUMNS, slice_report_differ},
        {SAY_PREDICT, SLICE_PREDICT_COLUMNS, NULL},
    };
    struct out o;

    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        if (tables[k].what == what) {
            out_begin(&o, stdout, p, tables[k].columns);
            if (tables[k].write != NULL)
                tables[k].write(s, &o);
            else
                predict(s, offsets, &o);
            out_end(&o, "ok");
        }
}

static const struct cli_opt opts[] = {
    {'m', "map", NULL, "offset, slice, side and location of every measured line"},
    {'s', "sms", NULL, "side, group and mean latencies of every SM"},
    {'d', "differ", NULL, "lines on which contention and fingerprints differ"},
    {'p', "predict", "FILE", "side of the offsets in FILE, from the mask and one constant a page"},
    {'S', "strict", NULL, "an incomplete input is an error"},
    {0, NULL, NULL, NULL},
};

static const struct cli_usage usage = {
    "[-m | -s | -d | -p FILE] [-S] [FILE...]",
    "sides and slices of the cache, from rows of l2collect matrix and contend",
    opts,
};

int main(int argc, char **argv)
{
    int what = SAY_FINDINGS, c;
    const char *offsets = NULL;
    struct slice_data data = {0};
    struct slices s;
    bool strict = false;
    struct tsv *t;

    gsl_set_error_handler_off();
    cli_start("l2slice");
    while ((c = xcli_next(argc, argv, &usage)) != -1) {
        if (c == 'S') {
            strict = true;
            continue;
        }
        if (what != SAY_FINDINGS)
            xdie(EXIT_USAGE, "only one of -m, -s, -d and -p");
        what = c;
        offsets = optarg;
    }
    t = xtsv_open(argv + optind);
    t->strict = strict;
    read_rows(t, &data);
    slices_run(&s, &data);
    slice_report_missing(&s, &t->prov);
    if (what == SAY_PREDICT && (!s.side_xor.linear || s.side_xor.classes != 2))
        xdie(EXIT_FAILED, "predict: no side mask for two sides was found in these rows");
    prov_command(&t->prov, argc, argv);
    say(what, &s, offsets, &t->prov);
    slices_free(&s);
    slice_data_free(&data);
    tsv_close(t);
    xclose_stdout();
    return EXIT_OK;
}
