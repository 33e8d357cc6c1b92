/* Rows of sector, partial, sametag and pitch, collected by condition. */
#ifndef L2_SECTOR_ROWS_H
#define L2_SECTOR_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "../share/lib/tsv.h"
#include "values.h"

struct touch_row {
    uint64_t base; /* both relative to it */
    int64_t touch, probe;
    double first, cycles;
};

/* One fetch granularity and kind of touch. */
struct touches {
    uint64_t fetch; /* as read back, 0: not told */
    bool found;     /* not set by the run */
    char *op;
    struct touch_row *row;
    size_t n, cap;
};

/* One pair of one level and granularity; times of one period. */
struct partial_point {
    uint64_t fetch, take, every;
    bool found, memory;
    struct values ns;
};

/* One distance within one set. */
struct tag_point {
    uint64_t set;
    int64_t by;
    struct {
        size_t n, evicted, slow; /* trials, target lost, moved address missed */
    } instead, also;
};

/* One number of nodes at one stride of pitch: mean of n hops. */
struct pitch_row {
    double stride, nodes, cycles, n;
};

struct sector_rows {
    struct touches *touches;
    struct partial_point *partial;
    struct tag_point *tag;
    struct pitch_row *pitch; /* by stride, then nodes */
    size_t ntouches, npartial, ntag, npitch, touches_cap, partial_cap, tag_cap, pitch_cap;
};

/* Reads all tables; exits on malformed rows, rows of other experiments, or rows of two devices. */
void xsector_read(struct tsv *t, struct sector_rows *r);
void sector_rows_free(struct sector_rows *r);

#endif
