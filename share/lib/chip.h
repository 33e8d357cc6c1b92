/* A chip as a model knows it: geometry, hashes, policies, latencies, noise. Read from and written to a device file of
 * lines "key value..." with '#' comments; share/devices has some, chip.c's table has every key, bound and default.
 *
 * Cycles are of the SM clock, times in the file are what one thread sees without what the timer costs. */
#ifndef L2_CHIP_H
#define L2_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CHIP_LIST  512
#define CHIP_SIDES 4 /* at most */

struct chip_list {
    uint32_t n;
    uint64_t v[CHIP_LIST];
};

enum chip_set_hash { SET_NONE, SET_XOR, SET_MIX };
enum chip_copies { COPIES_ALWAYS, COPIES_NEVER, COPIES_SECOND };
enum chip_insert { INSERT_MRU, INSERT_LRU };
enum chip_store { STORE_DROPS, STORE_KEEPS };
enum chip_allocate { ALLOCATE_SECTOR, ALLOCATE_FETCH, ALLOCATE_NONE };
enum chip_partial { PARTIAL_MASK, PARTIAL_FETCH };
enum chip_excess { EXCESS_CLEAN, EXCESS_EVICT };
enum chip_first { FIRST_ANY, FIRST_DIRTY, FIRST_WASHED };
enum chip_order { ORDER_PLAIN, ORDER_MIXED };

struct chip {
    char name[64], about[256], policy[32];
    uint64_t seed; /* of all that is drawn: SM runs, page constants, offsets, hashes */

    /* SMs: sm_split[s] of them are on side s; ids alternate between sides in runs of sm_run on average (0: halves), or
     * in the runs of sm_runs, the first on side 0, the next on side 1, and so on around. */
    uint32_t sms, sm_run, cc_major, cc_minor, sm_mhz, mem_mhz, bus_width;
    struct chip_list sm_split, sm_runs;
    uint64_t memory, l2_api, persist_max, window_max;
    int32_t locked, temperature, processes, ecc, mig; /* by the driver; -1 unknown */

    /* Where a line lives: place.h says how these are used. */
    uint32_t sides, slices, sets, ways, line, sector, fetch; /* slices of a side, sets of a slice */
    struct chip_list side_masks, slice_masks, slice_table;
    uint64_t slice_modulo, slice_key, page;
    uint32_t side_page;             /* 1: each page has a random constant added to its side */
    uint32_t slice_order;           /* enum chip_order */
    uint32_t sub_slices;            /* places of different latency within a slice */
    uint32_t set_hash, fetch_limit; /* enum chip_set_hash; 1: any limit is told back */
    uint32_t hint_lead; /* a hint of so many bytes brings them from their start only; 0: a line */
    uint32_t extent;    /* pages that lie together in physical memory */

    uint32_t copies, copy_insert, copy_store; /* enum chip_copies, chip_insert, chip_store */
    uint32_t copy_drop, copy_fetch; /* 1: goes with its home line; is read as a whole block */
    uint32_t write_allocate, write_back, partial_store, dirty_ways, dirty_excess, evict_first;
    uint64_t l1;
    uint32_t l1_ways, l1_latency, l1_inclusive; /* 1: goes when its L2 loses the line */
    struct chip_list tlb_pages, tlb_cycles;     /* of each level: entries, cycles of a miss */

    /* Latencies in cycles; spreads are of uniform offsets +- that much. */
    uint32_t timer, latency_local, latency_remote, latency_dram, latency_dram_remote;
    uint32_t atom_extra, store_latency, dirty_evict, service_banks;
    double spread_slice, spread_sm, spread_pair, spread_sub;
    double noise, noise_dram;            /* standard deviations */
    double outlier_rate, outlier_cycles; /* share of samples, mean of an exponential */
    double drift, drift_seconds;         /* the SM clock swings by this share, over this period */
    double warmup_ms; /* the clock starts 10 % low and settles with this time constant */
    double neighbour; /* foreign lines brought in for every access of ours */

    /* Bandwidths: bytes for each SM clock, or 1e9 bytes a second. 0: no limit. */
    double slice_bytes, slice_write_bytes, slice_atom_bytes, side_link_bytes;
    double sm_bytes, sm_inflight, dram_gbps, dram_write_gbps;
    /* Cycles for which one warp's access keeps a slice; what a partner slice, a shared bank add to an atomic's queue. */
    double service_load, service_atom, service_partner, service_bank;
    uint64_t fail_after; /* operations until the device fails; 0: never */
};

void chip_default(struct chip *c); /* a small one-sided LRU chip */
/* Reads a file over the defaults. 0, or -1 and "FILE:LINE: what" in why[]. */
int chip_read(struct chip *c, FILE *from, const char *file, char *why, size_t why_size);
/* Whether the values fit together: 0, or -1 and why. So does chip_read. */
int chip_check(const struct chip *c, char *why, size_t why_size);
/* Every key: reading it back gives the same chip. */
void chip_write(const struct chip *c, FILE *to);
void chip_sm_sides(const struct chip *c, uint8_t *side); /* of each SM, sms of them */
uint64_t chip_capacity(const struct chip *c);            /* bytes of the whole L2 */

#endif
