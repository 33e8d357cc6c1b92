/* Options by table, numbers with bounds, the one error form, and a checked end of stdout. */
#include "cli.h"
#include "mem.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_CODE = 1000, VERSION_CODE = 1001, MAX_OPTS = 64 };

const char *cli_prog = "l2tools";

void cli_start(const char *prog)
{
    cli_prog = prog;
    setlocale(LC_ALL, "C");
}

static void print_usage(FILE *to, const struct cli_usage *usage)
{
    fprintf(to, "usage: %s %s\n", cli_prog, usage->synopsis);
    if (to == stderr)
        return;
    fprintf(to, "%s\n\n", usage->summary);
    for (const struct cli_opt *o = usage->opts; o->letter != 0; o++) {
        char left[80];
        int n = o->letter < 256 ? snprintf(left, sizeof left, "-%c, ", o->letter)
                                : snprintf(left, sizeof left, "    ");

        snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s", o->name, o->arg ? " " : "",
                 o->arg ? o->arg : "");
        fprintf(to, "  %-24s %s\n", left, o->help);
    }
    fprintf(to, "  %-24s %s\n  %-24s %s\n", "-h, --help", "print this and exit", "    --version",
            "print the version and exit");
}

static void fill_tables(const struct cli_opt *opts, char *letters, struct option *longs)
{
    size_t n = 0;

    *letters++ = 'h';
    for (; opts->letter != 0 && n < MAX_OPTS; opts++) {
        int has = opts->arg != NULL ? required_argument : no_argument;

        longs[n++] = (struct option){opts->name, has, NULL, opts->letter};
        if (opts->letter < 256) {
            *letters++ = (char)opts->letter;
            if (has)
                *letters++ = ':';
        }
    }
    *letters = '\0';
    longs[n++] = (struct option){"help", no_argument, NULL, HELP_CODE};
    longs[n++] = (struct option){"version", no_argument, NULL, VERSION_CODE};
    longs[n] = (struct option){NULL, 0, NULL, 0};
}

int xcli_next(int argc, char **argv, const struct cli_usage *usage)
{
    char letters[2 * MAX_OPTS + 2];
    struct option longs[MAX_OPTS + 3];
    char name[64];
    int c;

    fill_tables(usage->opts, letters, longs);
    snprintf(name, sizeof name, "%s", cli_prog);
    argv[0] = name; /* getopt prints it */
    c = getopt_long(argc, argv, letters, longs, NULL);
    argv[0] = (char *)(uintptr_t)cli_prog;
    if (c == 'h' || c == HELP_CODE) {
        print_usage(stdout, usage);
        xclose_stdout();
        exit(EXIT_OK);
    }
    if (c == VERSION_CODE) {
        printf("%s (l2tools) %s\n", cli_prog, L2_VERSION);
        xclose_stdout();
        exit(EXIT_OK);
    }
    if (c == '?') {
        print_usage(stderr, usage);
        exit(EXIT_USAGE);
    }
    return c;
}

int parse_u64(const char *word, uint64_t *value)
{
    uint64_t v = 0;

    if (*word == '\0')
        return -1;
    for (; *word != '\0'; word++) {
        uint64_t digit = (uint64_t)(*word - '0');

        if (!isdigit((unsigned char)*word) || v > (UINT64_MAX - digit) / 10)
            return -1;
        v = v * 10 + digit;
    }
    *value = v;
    return 0;
}

int parse_double(const char *word, double *value)
{
    char *end;

    if (*word == '\0' || isspace((unsigned char)*word) || strpbrk(word, "xX") != NULL)
        return -1;
    errno = 0;
    *value = strtod(word, &end);
    return *end == '\0' && end != word && !(errno == ERANGE && fabs(*value) > 1) ? 0 : -1;
}

int parse_size(const char *word, uint64_t *value)
{
    static const char units[] = "KMGT";
    size_t len = strlen(word);
    char number[32];
    const char *unit;
    double v;

    if (len == 0 || len >= sizeof number)
        return -1;
    unit = strchr(units, toupper((unsigned char)word[len - 1]));
    if (unit == NULL)
        return parse_u64(word, value);
    memcpy(number, word, len - 1);
    number[len - 1] = '\0';
    if (parse_double(number, &v) != 0 || !(v >= 0))
        return -1;
    v *= ldexp(1, 10 * (int)(unit - units + 1));
    if (v >= ldexp(1, 63))
        return -1;
    *value = (uint64_t)v;
    return 0;
}

uint64_t xparse_u64(const char *what, const char *word, uint64_t lo, uint64_t hi)
{
    uint64_t v;

    if (parse_u64(word, &v) != 0)
        xdie(EXIT_USAGE, "%s: not a whole number: '%s'", what, word);
    if (v < lo || v > hi)
        xdie(EXIT_USAGE, "%s: not between %" PRIu64 " and %" PRIu64 ": '%s'", what, lo, hi, word);
    return v;
}

uint64_t xparse_size(const char *what, const char *word, uint64_t lo, uint64_t hi)
{
    uint64_t v;

    if (parse_size(word, &v) != 0)
        xdie(EXIT_USAGE, "%s: not a size such as 4096, 4K, 30M or 1.5G: '%s'", what, word);
    if (v < lo || v > hi)
        xdie(EXIT_USAGE, "%s: not between %" PRIu64 " and %" PRIu64 " bytes: '%s'", what, lo, hi,
             word);
    return v;
}

double xparse_double(const char *what, const char *word, double lo, double hi)
{
    double v;

    if (parse_double(word, &v) != 0)
        xdie(EXIT_USAGE, "%s: not a number: '%s'", what, word);
    if (!(v >= lo && v <= hi))
        xdie(EXIT_USAGE, "%s: not between %g and %g: '%s'", what, lo, hi, word);
    return v;
}

/* One line, whatever bytes the message quotes. */
static void say(const char *kind, const char *fmt, va_list ap)
{
    char line[4096];

    vsnprintf(line, sizeof line, fmt, ap);
    for (char *c = line; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            *c = *c == '\t' ? ' ' : '?';
    fflush(stdout);
    fprintf(stderr, "%s: %s%s\n", cli_prog, kind, line);
}

void xdie(int status, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say("", fmt, ap);
    va_end(ap);
    exit(status);
}

int cli_why(char *why, size_t size, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, size, fmt, ap);
    va_end(ap);
    return -1;
}

void cli_warn(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say("warning: ", fmt, ap);
    va_end(ap);
}

void xclose_stdout(void)
{
    int bad = ferror(stdout);

    if (fflush(stdout) != 0 || bad || fclose(stdout) != 0) {
        if (errno == EPIPE)
            _Exit(EXIT_FAILED);
        fprintf(stderr, "%s: stdout: %s\n", cli_prog, strerror(errno));
        _Exit(EXIT_FAILED);
    }
}

const char *cli_size(uint64_t bytes)
{
    static char ring[4][32];
    static unsigned at;
    static const char units[] = " KMGTP";
    char *s = ring[at++ % 4];
    double v = (double)bytes;
    size_t u = 0;

    while (v >= 1024 && u < sizeof units - 2) {
        v /= 1024;
        u++;
    }
    if (u == 0)
        snprintf(s, sizeof ring[0], "%" PRIu64, bytes);
    else
        snprintf(s, sizeof ring[0], "%.5g%c", v, units[u]);
    return s;
}
