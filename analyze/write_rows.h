/* Rows of write, dirty, inclusion and bandwidth, as far as they tell what a store does. */
#ifndef L2_WRITE_ROWS_H
#define L2_WRITE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "../share/lib/tsv.h"
#include "inclusion.h"
#include "values.h"

enum write_what {
    WRITE_NONE,
    WRITE_LOAD,
    WRITE_ALIGNED,
    WRITE_STRADDLE,
    WRITE_FILL,
    WRITE_ATOM,
    WRITE_RED,
    WRITE_EVICT,
    WRITE_WHATS
};

/* One store and the probe after it; offsets relative to the block's base. */
struct write_row {
    enum write_what what;
    bool resident;
    uint64_t bytes, at, probe;
    double first, fence, cycles;
};

enum dirty_what {
    DIRTY_KEEP,
    DIRTY_ORDER,
    DIRTY_OUTLIVE,
    DIRTY_COST,
    DIRTY_DROP,
    DIRTY_DISCARD,
    DIRTY_WHATS
};
enum dirty_kind {
    KIND_LOADED,
    KIND_STORED,
    KIND_OLD,
    KIND_NEW,
    KIND_DISCARD,
    KIND_NONE,
    KIND_FLUSHED,
    DIRTY_KINDS
};

/* One line of one set. */
struct dirty_row {
    enum dirty_what what;
    enum dirty_kind kind;
    uint64_t set, ways, stored, loaded, line, rep;
    double cycles;
    bool vote; /* it was missing, or its data were lost */
};

struct stream_row {
    bool write; /* else a read */
    double size, gbps;
};

struct write_rows {
    struct write_row *write;
    struct dirty_row *dirty;
    struct stream_row *stream;
    struct inclusion inclusion;
    size_t nwrite, ndirty, nstream, write_cap, dirty_cap, stream_cap;
    double l2_bytes; /* by the device; 0: not told */
};

/* Reads all tables; exits on malformed rows, rows of other experiments, or rows of two devices. */
void xwrite_read(struct tsv *t, struct write_rows *r);
void write_rows_free(struct write_rows *r);

#endif
