/* Talking to people: options, numbers from the command line, errors, warnings, the end of stdout.
 * A name that starts with x exits on failure. */
#ifndef L2_CLI_H
#define L2_CLI_H

#include <stddef.h>
#include <stdint.h>

#define L2_VERSION "0.1.0"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* One option; a table of them ends with letter 0. A letter above 255 has only its long name. */
struct cli_opt {
    int letter;
    const char *name; /* long name */
    const char *arg;  /* name of its argument, NULL if it takes none */
    const char *help; /* one line */
};

/* What -h prints: "usage: PROG SYNOPSIS", the summary, the options. */
struct cli_usage {
    const char *synopsis;
    const char *summary;
    const struct cli_opt *opts;
};

extern const char *cli_prog; /* this program's name, for messages */

/* First call of every main(): the program's name, the C locale. */
void cli_start(const char *prog);

/* The next option's letter, -1 after the last one (then optind is the first operand, optarg as in getopt).
 * -h, --help and --version print to stdout and exit 0; an unknown option exits 2 with usage on stderr. */
int xcli_next(int argc, char **argv, const struct cli_usage *usage);

/* Numbers: the whole word, within [lo, hi]; sizes take K M G T (1024). `what` names the option or parameter. */
uint64_t xparse_u64(const char *what, const char *word, uint64_t lo, uint64_t hi);
uint64_t xparse_size(const char *what, const char *word, uint64_t lo, uint64_t hi);
double xparse_double(const char *what, const char *word, double lo, double hi);

/* The same without exit: 0 and *value, or -1. */
int parse_u64(const char *word, uint64_t *value);
int parse_size(const char *word, uint64_t *value);
int parse_double(const char *word, double *value);

/* "PROG: message" on stderr, after stdout is flushed; then exit(status). */
void xdie(int status, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));
/* "PROG: warning: message": what was seen, the likely cause, the option that helps. */
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* For functions that leave it to the caller to tell: the message into why[]. Returns -1. */
int cli_why(char *why, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Flushes and closes stdout: a full disk exits 1 with a message, a closed pipe exits quietly. Last call of main(). */
void xclose_stdout(void);

/* "640", "4K", "28M", "1.5M": a size for people. The string is the callee's, good for the next four calls. */
const char *cli_size(uint64_t bytes);

#endif
