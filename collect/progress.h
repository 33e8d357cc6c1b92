/* One line on stderr that tells how far a run is and how long it will still take; nothing when stderr is no terminal. */
#ifndef L2_PROGRESS_H
#define L2_PROGRESS_H

#include <stdbool.h>

struct progress {
    const char *name;
    double start, last; /* seconds */
    bool on, shown;
};

void progress_start(struct progress *p, const char *name, bool quiet);
void progress_show(struct progress *p, double done, double total);
/* Takes the line away, before another message or at the end. */
void progress_clear(struct progress *p);

#endif
