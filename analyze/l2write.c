/* l2write: what a store does. From write rows (one store to one line), dirty rows (written lines of one set) and
 * bandwidth rows (write and read over footprint), any of them or all concatenated: each method is a finding of its own,
 * with the probes counted. What the controls do not allow is "not decided". */
#include "../share/lib/cli.h"
#include "../share/lib/out.h"
#include "../share/lib/tsv.h"
#include "findings.h"
#include "write_report.h"

#include <getopt.h>

static const struct cli_opt opts[] = {
    {'S', "strict", NULL, "an incomplete input is an error"},
    {0, NULL, NULL, NULL},
};
static const struct cli_usage usage = {
    "[-S] [file...]", "Finds what a store does from rows of write, dirty and bandwidth.", opts};

int main(int argc, char **argv)
{
    struct write_rows r = {0};
    bool strict = false;
    struct tsv *t;
    struct out o;

    cli_start("l2write");
    while (xcli_next(argc, argv, &usage) != -1)
        strict = true;
    t = xtsv_open(argv + optind);
    t->strict = strict;
    xwrite_read(t, &r);
    prov_command(&t->prov, argc, argv);
    findings_begin(&o, stdout, &t->prov);
    write_report(&o, &r);
    dirty_report(&o, &r);
    stream_report(&o, &r);
    inclusion_put(&o, &r.inclusion);
    out_end(&o, "ok");
    write_rows_free(&r);
    tsv_close(t);
    xclose_stdout();
    return EXIT_OK;
}
