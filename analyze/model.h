/* A model of a chip for predictions: from a device file, or from a table of findings (l2verdict's, or any filter's). */
#ifndef L2_MODEL_H
#define L2_MODEL_H

#include "../share/lib/chip.h"
#include "../share/lib/prov.h"
#include "../share/lib/tsv.h"

/* What a table of findings says of a chip; 0 (or empty): not said. */
struct model_facts {
    uint64_t sides, ways, sets_side, slices_side, line, sector, fetch, capacity_side,
        capacity_total;
    uint64_t latency_local, latency_remote, latency_dram, latency_dram_remote, dirty_ways;
    uint64_t side_mask, slice_bits; /* of address bits */
    uint64_t grain;
    struct chip_list sm_split;
    char policy[32], write_allocate[32], write_back[32], copy_model[32], evicted_first[32];
};

/* Takes one row in: the first value of a parameter counts, "bits" are numbers with commas. */
void model_fact(struct model_facts *f, const char *param, const char *value);
/* Facts over the defaults; what was missing is said in p, a note each. 0, or -1 and why (no capacity, nor sets and ways). */
int model_build(struct chip *c, const struct model_facts *f, struct prov *p, char *why,
                size_t why_size);
/* NAME (share/devices/NAME.dev), a device file, or a table; adds to p where the model is from. Exits 1 when it can't. */
void xmodel_read(struct chip *c, const char *name, struct prov *p);

/* The side of every SM from a table of columns sm and side, l2slice -s; exits 1 when it does not fit the chip. */
void xmodel_sms(struct chip *c, const char *file, struct prov *p);

#endif
