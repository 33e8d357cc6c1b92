/* Opens and closes the file of -o. gzip is started by fork and exec, never by a shell, and ignores Ctrl-C: it ends when
 * this program closes the pipe, so that an interrupted file is whole. */
#include "output.h"
#include "../share/lib/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n > m && strcmp(s + n - m, end) == 0;
}

static _Noreturn void exec_gzip(int from, int to)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (dup2(from, STDIN_FILENO) >= 0 && dup2(to, STDOUT_FILENO) >= 0)
        execlp("gzip", "gzip", "-c", (char *)NULL);
    fprintf(stderr, "%s: gzip: %s\n", cli_prog, strerror(errno));
    _exit(EXIT_FAILED);
}

static void start_gzip(struct output *o, int file)
{
    int end[2];

    if (pipe2(end, O_CLOEXEC) != 0 || (o->gzip = fork()) < 0)
        xdie(EXIT_FAILED, "%s: gzip: %s", o->name, strerror(errno));
    if (o->gzip == 0)
        exec_gzip(end[0], file);
    close(end[0]);
    close(file);
    o->to = fdopen(end[1], "w");
}

void xoutput_open(struct output *o, const char *name, FILE *standard)
{
    int file;

    *o = (struct output){.to = standard, .name = name};
    if (name == NULL)
        return;
    file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        xdie(EXIT_FAILED, "%s: %s", name, strerror(errno));
    if (ends_with(name, ".gz"))
        start_gzip(o, file);
    else
        o->to = fdopen(file, "w");
    if (o->to == NULL)
        xdie(EXIT_FAILED, "%s: %s", name, strerror(errno));
}

int output_close(struct output *o, int error)
{
    int bad = ferror(o->to), status = 0;

    errno = error;
    if (o->name == NULL) {
        xclose_stdout();
        return 0;
    }
    bad |= fflush(o->to);
    bad |= fclose(o->to);
    if (bad)
        fprintf(stderr, "%s: %s: %s\n", cli_prog, o->name, strerror(error != 0 ? error : errno));
    if (o->gzip != 0 && (waitpid(o->gzip, &status, 0) < 0 || status != 0) && !bad) {
        fprintf(stderr, "%s: %s: gzip failed\n", cli_prog, o->name);
        bad = 1;
    }
    return bad ? -1 : 0;
}
