/* Findings of l2write. Each function writes what its rows tell, nothing when there are none. */
#ifndef L2_WRITE_REPORT_H
#define L2_WRITE_REPORT_H

#include "../share/lib/out.h"
#include "write_rows.h"

void write_report(struct out *o, const struct write_rows *r);  /* rows of write */
void dirty_report(struct out *o, const struct write_rows *r);  /* rows of dirty */
void stream_report(struct out *o, const struct write_rows *r); /* rows of bandwidth */

#endif
