/* The simulated device's own parts: what its files share. */
#ifndef L2_SIM_H
#define L2_SIM_H

#include "../share/lib/cache_ahead.h"
#include "../share/lib/front.h"
#include "device.h"

/* Pointers written by link: node k at base + k * stride points to node next[k]. stop[] has the nodes as the pointers lead
 * to them, one chain after another, their lines looked up; node k is stop[place[k]]. So a chase reads the host's memory
 * in order, where it would wait for each pointer. */
struct sim_stop {
    struct cache_ref ref;
    uint32_t node : 31, last : 1; /* of its chain: the next one is next[node] */
};

struct sim_link {
    uint64_t base, stride;
    struct sim_stop *stop;
    uint32_t *next, *place;
    size_t n;
    struct sim_link *
        before; /* what its first node pointed to before: comes back when dirty data are discarded */
};

#define SIM_JITTER 4096

struct sim {
    struct device dev; /* first */
    struct cache cache;
    struct tlb tlb;
    struct l1 l1; /* of the SM that works */
    struct rng rng;
    uint8_t *sm_side;
    int16_t
        *offset; /* of latency, [sm][(side * slices + slice) * sub_slices + sub], in 1/16 cycle */
    uint32_t places;                                     /* entries of a row */
    int16_t jitter[SIM_JITTER], jitter_dram[SIM_JITTER]; /* in 1/16 cycle */
    uint32_t latency[CACHE_LEVELS];
    uint32_t outlier_below; /* of 2^32 */
    double now_ns;
    uint32_t scale;   /* of cycles by drift, 65536 is 1 */
    double mhz;       /* by drift and warm-up */
    uint64_t pending; /* cycles not yet in now_ns */
    double foreign;   /* lines that the neighbour owes */
    uint64_t operations, allocations, seed;
    struct sim_link *link;
    size_t nlink, linkcap;
    uint64_t window_start, window_bytes, persist;
    double window_ratio;
};

/* An SM at work. */
struct sim_walker {
    int sm;
    unsigned side;
    const int16_t *offset;
    struct l1 *l1; /* NULL: loads by ca are as by cg */
};

struct sim *sim_of(struct device *d);
/* First call of an operation: counts it, fails when chip.fail_after says so. */
int sim_begin(struct sim *s, const char *operation);
/* Whether [start, start + bytes) is inside the buffer; else an error. */
int sim_inside(struct sim *s, const char *operation, uint64_t start, uint64_t bytes);
int sim_sm(struct sim *s, const char *operation, int sm);
struct sim_walker sim_walker(const struct sim *s, int sm);

/* One access; its reading in cycles, timer included. */
uint32_t sim_access(struct sim *s, const struct sim_walker *w, uint32_t kind, uint64_t offset,
                    uint32_t bytes);
/* A load by a kind of load, of a line already looked up, without the timer. */
uint32_t sim_load(struct sim *s, const struct sim_walker *w, uint32_t kind, uint64_t offset,
                  struct cache_ref r, uint32_t sectors);
/* Moves the clock on by cycles, and the drift with it. */
void sim_spend(struct sim *s, uint64_t cycles);
double sim_mhz(const struct sim *s);
bool sim_is_load(uint32_t kind);

/* sim_time.c */
void sim_time_init(struct sim *s);

void sim_link_free(struct sim_link *l);
/* A byte of 0 stored at this offset: a pointer there, at a multiple of 256, then leads to itself. */
void sim_zero(struct sim *s, uint64_t offset);
/* Discards what a line at this offset holds: if it is dirty, the pointers written last are lost. */
void sim_discard(struct sim *s, uint64_t offset);

/* The operations, each in its own file. */
int sim_link(struct device *d, uint64_t base, uint64_t stride, const uint32_t *next, size_t n);
int sim_cycle_length(struct device *d, uint64_t start, uint64_t most, uint64_t *length);
int sim_chase(struct device *d, struct chase *c);
int sim_walk(struct device *d, int sm, const l2_access *list, size_t n, uint32_t *cycles);
int sim_sweep(struct device *d, const struct sweep *s);
int sim_stream(struct device *d, const struct stream *s, struct stream_result *r);
int sim_hammer(struct device *d, const struct hammer *h, double *cycles);
int sim_tip(struct device *d, int sm, const struct l2_tip_in *in, struct l2_tip_out *out);
int sim_ticks(struct device *d, int sm, double ms, uint64_t *cycles, uint64_t *ns);

#endif
