/* The progress line, redrawn at most five times a second. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_start(struct progress *p, const char *name, bool quiet)
{
    *p = (struct progress){.name = name, .start = now(), .on = !quiet && isatty(STDERR_FILENO)};
}

void progress_show(struct progress *p, double done, double total)
{
    double t, left;

    if (!p->on || done <= 0 || total <= 0 || (t = now()) - p->last < 0.2)
        return;
    p->last = t;
    p->shown = true;
    left = (t - p->start) * (total - done) / done;
    if (left < 100)
        fprintf(stderr, "\r%s: %.0f %%, %.0f s left\033[K", p->name, 100 * done / total, left);
    else
        fprintf(stderr, "\r%s: %.0f %%, %.0f min left\033[K", p->name, 100 * done / total,
                left / 60);
}

void progress_clear(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
