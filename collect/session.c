/* One experiment, from its provenance to its #end line. Whatever ends it, rows written before stay valid. */
#include "session.h"
#include "params.h"
#include "progress.h"
#include "provenance.h"
#include "../share/lib/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t stopped;
static struct timespec stopped_at;
static int
    cannot_write; /* errno of a closed pipe or a full disk: the end of the program says which */
static bool keep_quiet;
static struct progress progress;

/* timeout(1) and others send the same signal twice at once; a person's second Ctrl-C comes later and means it. */
static void stop(int number)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (stopped && now.tv_sec - stopped_at.tv_sec >= 2) {
        signal(number, SIG_DFL);
        raise(number);
    }
    if (!stopped)
        stopped_at = now;
    stopped = 1;
}

void session_signals(void)
{
    struct sigaction on = {.sa_handler = stop, .sa_flags = SA_RESTART};

    sigemptyset(&on.sa_mask);
    sigaction(SIGINT, &on, NULL);
    sigaction(SIGTERM, &on, NULL);
    sigaction(SIGHUP, &on, NULL);
    signal(SIGPIPE, SIG_IGN);
}

bool run_stopped(void)
{
    return stopped || cannot_write != 0;
}

static void flush(FILE *to)
{
    if (fflush(to) != 0 && cannot_write == 0)
        cannot_write = errno;
}

void run_progress(struct run *r, double done, double total)
{
    flush(r->out->to);
    progress_show(&progress, done, total);
}

static void note(struct run *r, const char *fmt, va_list ap)
{
    char text[1024];
    struct prov p = {0};

    vsnprintf(text, sizeof text, fmt, ap);
    prov_addf(&p, "#%s", text);
    prov_write(r->out->to, &p);
    prov_free(&p);
}

void run_note(struct run *r, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    note(r, fmt, ap);
    va_end(ap);
}

void run_warn(struct run *r, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    run_note(r, "warning %s", text);
    progress_clear(&progress);
    if (!keep_quiet)
        cli_warn("%s", text);
}

/* Keeps an SM busy until three measurements of its clock agree within 0.2 %, a second at most. */
static int warm_up(struct device *dev)
{
    double last = 0;

    for (int tries = 0, steady = 0; tries < 40 && steady < 2; tries++) {
        uint64_t cycles, ns;
        double mhz;

        if (dev->ops->ticks(dev, 0, 25, &cycles, &ns) != 0)
            return -1;
        mhz = 1e3 * (double)cycles / (double)(ns == 0 ? 1 : ns);
        steady = fabs(mhz / last - 1) < 0.002 ? steady + 1 : 0;
        last = mhz;
    }
    return 0;
}

/* Device, state, seed, command line, parameters: the table's beginning. */
static int begin(struct session *s, struct run *r, struct device_state *before)
{
    struct prov p = {0};
    char *line;

    if ((!r->exp->cold && warm_up(s->dev) != 0) || s->dev->ops->state(s->dev, before) != 0)
        return -1;
    line = params_line(r->params);
    for (size_t i = 0; i < s->by.n; i++)
        prov_addf(&p, "%s", s->by.line[i]);
    provenance_device(&p, s->dev);
    prov_addf(&p, "#seed %" PRIu64, s->seed);
    provenance_before(&p, before);
    prov_addf(&p, "#parameters %s %s", r->exp->name, line);
    out_begin(r->out, s->to, &p, r->exp->columns);
    prov_free(&p);
    free(line);
    return 0;
}

static int end(struct run *r, const struct device_state *before, int failed)
{
    struct device_state after;
    char status[640] = "ok";

    progress_clear(&progress);
    if (failed)
        snprintf(status, sizeof status, "error: %s", r->dev->error);
    else if (r->dev->ops->state(r->dev, &after) != 0)
        snprintf(status, sizeof status, "error: %s", r->dev->error);
    else
        postflight(r, before, &after), provenance_after(r, &after);
    if (strcmp(status, "ok") == 0 && run_stopped())
        strcpy(status, "interrupted");
    out_end(r->out, status);
    flush(r->out->to);
    if (strcmp(status, "ok") != 0 && !cannot_write)
        fprintf(stderr, "%s: %s: %s; %" PRIu64 " rows are kept\n", cli_prog, r->exp->name, status,
                r->out->rows);
    return strcmp(status, "ok") == 0 && !cannot_write ? 0 : -1;
}

static uint64_t hash(const char *s)
{
    uint64_t h = 0;

    for (; *s != '\0'; s++)
        h = rng_mix(h ^ (unsigned char)*s);
    return h;
}

int session_run(struct session *s, const struct experiment *e, struct params *p)
{
    struct out out = {0};
    struct run r = {.dev = s->dev, .out = &out, .params = p, .exp = e};
    struct device_state before;
    int failed;

    keep_quiet = s->quiet;
    rng_seed(&r.rng, s->seed ^ hash(e->name));
    if (begin(s, &r, &before) != 0) {
        fprintf(stderr, "%s: %s: %s\n", cli_prog, e->name, s->dev->error);
        return EXIT_FAILED;
    }
    preflight(&r, &before);
    progress_start(&progress, e->name, s->quiet);
    failed = e->run(&r);
    failed = end(&r, &before, failed);
    s->error = cannot_write;
    if (failed)
        return r.misfit ? EXIT_USAGE : EXIT_FAILED;
    return EXIT_OK;
}
