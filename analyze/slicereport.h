/* What l2slice prints: findings, the map of lines, the SMs, predicted sides. */
#ifndef L2_SLICEREPORT_H
#define L2_SLICEREPORT_H

#include "findings.h"
#include "slices.h"

/* What the data could not answer, and what to run: one warning each on stderr and in the provenance. */
void slice_report_missing(const struct slices *s, struct prov *p);
void slice_report_findings(const struct slices *s, struct out *o);

#define SLICE_MAP_COLUMNS     "offset slice side location"
#define SLICE_SMS_COLUMNS     "sm side group local remote"
#define SLICE_DIFFER_COLUMNS  "offset slice location location_slice"
#define SLICE_PREDICT_COLUMNS "offset side"
void slice_report_map(const struct slices *s, struct out *o);
void slice_report_sms(const struct slices *s, struct out *o);
/* Lines whose fingerprint belongs to lines of another slice. */
void slice_report_differ(const struct slices *s, struct out *o);

#endif
