/* libFuzzer target of the reader: any bytes are either read to the end or refused by one line and exit 1.
 * xdie and cli_warn are replaced by the linker (--wrap), so that a refusal comes back here. */
#include "share/lib/cli.h"
#include "share/lib/tsv.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static jmp_buf refused;
static struct tsv *volatile reader;

_Noreturn void __wrap_xdie(int status, const char *fmt, ...);
void __wrap_cli_warn(const char *fmt, ...);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

void __wrap_xdie(int status, const char *fmt, ...)
{
    (void)fmt;
    if (status != EXIT_FAILED)
        abort();
    longjmp(refused, 1);
}

void __wrap_cli_warn(const char *fmt, ...)
{
    (void)fmt;
}

/* Every field of every row is asked for in turn as a word, a whole number and a decimal one. */
static void read_all(char *const *files)
{
    enum tsv_event ev;
    size_t turn = 0;

    reader = xtsv_open(files);
    reader->many_tables = true;
    while ((ev = xtsv_next(reader)) != TSV_END) {
        if (ev == TSV_HEADER && tsv_find(reader, reader->column[reader->ncolumn - 1]) == TSV_NONE)
            abort();
        if (ev == TSV_ROW && turn++ % 3 == 0)
            (void)xtsv_double(reader, turn % reader->ncolumn);
        else if (ev == TSV_ROW && turn % 3 == 1)
            (void)xtsv_i64(reader, turn % reader->ncolumn);
        else if (ev == TSV_ROW)
            (void)tsv_is(reader, turn % reader->ncolumn, "word");
    }
    (void)prov_simulated(&reader->prov);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    int fd = memfd_create("fuzz", 0);
    char path[64];
    char *files[] = {path, NULL};

    if (size > 1 && data[0] == 0x1f && data[1] == 0x8b) { /* gzip is not what is tested */
        close(fd);
        return -1;
    }
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (setjmp(refused) == 0)
        read_all(files);
    tsv_close(reader);
    close(fd);
    return 0;
}
