/* Reads a table and nothing more: how fast is the reader? Prints rows and seconds of processor time. */
#include "../../share/lib/cli.h"
#include "../../share/lib/tsv.h"

#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
    enum tsv_event event;
    struct tsv *t;
    long rows = 0;

    cli_start("reader");
    t = xtsv_open(argv + (argc > 0));
    while ((event = xtsv_next(t)) != TSV_END)
        rows += event == TSV_ROW;
    printf("%ld %.3f\n", rows, (double)clock() / CLOCKS_PER_SEC);
    xclose_stdout();
    return EXIT_OK;
}
