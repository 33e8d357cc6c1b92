/* Where the table goes: standard output, a file, or a file through gzip. */
#ifndef L2_OUTPUT_H
#define L2_OUTPUT_H

#include <stdio.h>
#include <sys/types.h>

struct output {
    FILE *to;
    const char *name; /* NULL: standard output */
    pid_t gzip;       /* 0: none */
};

/* A name that ends with .gz is written through gzip. Exits 1 when it can't be opened. */
void xoutput_open(struct output *o, const char *name, FILE *standard);
/* 0; or -1 after a line on stderr that says what was not written; `error` is the errno of an earlier failed write, or 0.
 * Standard output exits 1 then, and quietly when its pipe was closed. */
int output_close(struct output *o, int error);

#endif
