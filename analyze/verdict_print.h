/* A verdict for people and for simulators. */
#ifndef L2_VERDICT_PRINT_H
#define L2_VERDICT_PRINT_H

#include <stdio.h>

#include "../share/lib/prov.h"
#include "verdict.h"

/* A table in Markdown whose columns line up as plain text, too. */
void verdict_markdown(FILE *to, const struct verdict *v, const struct prov *p);
/* The options of GPGPU-Sim and Accel-Sim that describe an L2, as far as the verdict knows them; '#' lines say what each
 * rests on and what is not known. */
void verdict_accelsim(FILE *to, const struct verdict *v, const struct prov *p);
/* "evict_home 16 [16, 16] n=24; ...": every method of a row. The caller frees it. */
char *verdict_methods(const struct verdict_row *r);

#endif
