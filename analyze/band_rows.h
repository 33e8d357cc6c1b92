/* Rows of bandwidth, tlb and persist, collected by condition; the number of slices from a table of findings. */
#ifndef L2_BAND_ROWS_H
#define L2_BAND_ROWS_H

#include <stdint.h>

#include "../share/lib/tsv.h"
#include "values.h"

/* One shape of a launch over one working set. */
struct band_shape {
    char *op, *kind, *set;
    double size, blocks, threads, width, unroll, same, take;
    struct values gbps, bpc; /* sorted; bpc: bytes a clock, none where the table does not say */
};

/* One number of pages at one stride: mean of the loads. */
struct band_page {
    double stride, size, cycles, n;
};

enum band_case { BAND_KEPT, BAND_LOADED, BAND_PLAIN, BAND_CASES };
/* Lines of a window of one size under one set-aside. */
struct band_window {
    double persist, size;
    struct values cycles[BAND_CASES];
};

struct band_rows {
    struct band_shape *shape;
    struct band_page *page;
    struct band_window *window;
    size_t nshape, npage, nwindow, shape_cap, page_cap, window_cap;
    double slices;             /* 0: no finding says */
    double l2_bytes, mhz, sms; /* by the device; 0: not told */
};

/* Reads all tables; exits on malformed rows, rows of other experiments, or rows of two devices. Pages are sorted by stride
 * and size. */
void xband_read(struct tsv *t, struct band_rows *r);
void band_rows_free(struct band_rows *r);

#endif
