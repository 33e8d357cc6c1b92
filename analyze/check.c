/* The rules: what is seen, what it likely comes from, what to do. A new one is a line of the table and a function. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../share/lib/cli.h"

#define CLOCK_MOVED 0.01
#define WARMED      10  /* degrees Celsius */
#define REPEATS     0.3 /* repeats of one launch differ by more */
#define SHARE_OF_SMS                                                                               \
    0.15 /* of 64 bytes a clock of all SMs: the L2s known reach 0.25 to 0.6 of it */
#define SHARE_OF_DRAM 0.5 /* of the memory's bus */
#define SM_BYTES      64

const char *const check_severities[] = {"warning", "error"};

static bool zero_cycles(const struct check_facts *f, char *sight, const char **cause)
{
    (void)cause;
    snprintf(sight, CHECK_SIGHT, "%.0f of %.0f accesses took 0 or 1 cycle", f->instant,
             f->accesses);
    return f->instant * 1000 > f->accesses;
}

static bool zero_timer(const struct check_facts *f, char *sight, const char **cause)
{
    (void)cause;
    snprintf(sight, CHECK_SIGHT, "two clock reads with nothing between are %.3g cycles apart",
             f->timer_sum / f->timer_n);
    return f->timer_n > 0 && f->timer_sum / f->timer_n < 1;
}

static bool chain(const struct check_facts *f, char *sight, const char **cause)
{
    (void)cause;
    snprintf(sight, CHECK_SIGHT, "no line #cycles_verified");
    return f->latency && prov_get(f->prov, "cycles_verified", 0) == NULL;
}

static bool clock_moved(const struct check_facts *f, char *sight, const char **cause)
{
    double before = facts_key(f, "clock_measured_before"),
           after = facts_key(f, "clock_measured_after"), moved = after / before - 1;

    (void)cause;
    snprintf(sight, CHECK_SIGHT, "the SM clock went from %.0f to %.0f MHz, by %.1f %%", before,
             after, 100 * moved);
    return !f->clock && fabs(moved) > CLOCK_MOVED;
}

static bool warmed(const struct check_facts *f, char *sight, const char **cause)
{
    double before = facts_key(f, "temperature_before"), after = facts_key(f, "temperature_after");

    (void)cause;
    snprintf(sight, CHECK_SIGHT, "from %.0f to %.0f degrees", before, after);
    return after - before > WARMED;
}

static bool throttled(const struct check_facts *f, char *sight, const char **cause)
{
    const char *why = prov_get(f->prov, "throttle", 0);

    (void)cause;
    if (why == NULL)
        return false;
    snprintf(sight, CHECK_SIGHT, "the clocks were held down: %s", why);
    return strcmp(why, "none") != 0 && strcmp(why, "unknown") != 0;
}

static bool neighbours(const struct check_facts *f, char *sight, const char **cause)
{
    double n = facts_key(f, "processes");

    (void)cause;
    snprintf(sight, CHECK_SIGHT, "%.0f other process%s on the device", n, n == 1 ? "" : "es");
    return n > 0;
}

static bool partitioned(const struct check_facts *f, char *sight, const char **cause)
{
    const char *mig = prov_get(f->prov, "mig", 0);

    (void)cause;
    snprintf(sight, CHECK_SIGHT, "the device is a MIG slice");
    return mig != NULL && strcmp(mig, "yes") == 0;
}

/* A fresh context of a driver reads 3/16 of the L2: nobody's leftover. */
static bool persisting(const struct check_facts *f, char *sight, const char **cause)
{
    double bytes = facts_key(f, "persisting"), l2 = facts_key(f, "l2_bytes");

    (void)cause;
    snprintf(sight, CHECK_SIGHT, "%.0f bytes of L2 are set aside for persisting accesses", bytes);
    return bytes > 0 && bytes * 16 != l2 * 3;
}

static bool repeats(const struct check_facts *f, char *sight, const char **cause)
{
    size_t wide = 0;
    double most = 0;

    (void)cause;
    for (size_t i = 0; i < f->nstream; i++) {
        double spread = 1 - f->stream[i].least / f->stream[i].most;

        wide += spread > REPEATS;
        most = fmax(most, spread);
    }
    snprintf(sight, CHECK_SIGHT,
             "repeats of one launch differ by over 30 %% in %zu of %zu cases, by %.0f %% at most",
             wide, f->nstream, 100 * most);
    return wide > 0;
}

/* The best read of whole lines, of sizes in (from, to]; nan without one. */
static double best_read(const struct check_facts *f, double from, double to)
{
    double best = NAN;

    for (size_t i = 0; i < f->nstream; i++)
        if (f->stream[i].read && f->stream[i].plain && f->stream[i].size > from &&
            f->stream[i].size <= to)
            best = fmax(best, f->stream[i].most);
    return best;
}

/* GB/s that the memory's bus moves: two transfers a clock. */
static double bus(const struct check_facts *f)
{
    return facts_key(f, "bus_width") / 8 * 2 * facts_key(f, "clock_mem_before") / 1000;
}

static bool slow_cache(const struct check_facts *f, char *sight, const char **cause)
{
    double best = best_read(f, 0, f->l2 / 4),
           limit = facts_key(f, "sms") * SM_BYTES * facts_key(f, "clock_measured_before") / 1000;

    (void)cause;
    snprintf(sight, CHECK_SIGHT,
             "the best read of the cache is %.4g GB/s, %.0f %% of what all SMs could take", best,
             100 * best / limit);
    return best < SHARE_OF_SMS * limit;
}

static bool slow_memory(const struct check_facts *f, char *sight, const char **cause)
{
    double best = best_read(f, 3 * f->l2, INFINITY), limit = bus(f);

    (void)cause;
    snprintf(sight, CHECK_SIGHT, "the best read of memory is %.4g GB/s, %.0f %% of its bus", best,
             100 * best / limit);
    return best < SHARE_OF_DRAM * limit;
}

static bool above_bus(const struct check_facts *f, char *sight, const char **cause)
{
    double most = 0, best;

    (void)cause;
    for (size_t i = 0; i < f->nstream; i++)
        most = fmax(most, f->stream[i].size);
    best = best_read(f, fmax(most * 0.99, 3 * f->l2), INFINITY);
    snprintf(sight, CHECK_SIGHT, "reads of %s reach %.4g GB/s, above the %.4g GB/s of the memory",
             cli_size((uint64_t)most), best, bus(f));
    return best > 1.05 * bus(f);
}

static bool no_spike(const struct check_facts *f, char *sight, const char **cause)
{
    (void)cause;
    snprintf(sight, CHECK_SIGHT, "no spike up to a stride of %s",
             f->strided ? cli_size((uint64_t)f->widest) : "any");
    return f->strided && !f->spike;
}

static bool slices_merged(const struct check_facts *f, char *sight, const char **cause)
{
    (void)cause;
    snprintf(sight, CHECK_SIGHT, "pairs of lines show no classes that may be counted");
    return f->compared && !f->told_apart;
}

static bool few_sets(const struct check_facts *f, char *sight, const char **cause)
{
    (void)cause;
    snprintf(sight, CHECK_SIGHT, "%zu of %zu targets gave a verified eviction set", f->verified,
             f->targets);
    return f->verified * 10 < f->targets * 9;
}

/* clang-format off */
const struct check_rule check_rules[] = {
    {"zero_cycles", CHECK_ERROR, zero_cycles,
     "the clock reads were moved around the load, or the second one did not wait for it",
     "do not use these rows; look at the timer with l2collect clock what=timer"},
    {"zero_timer", CHECK_ERROR, zero_timer,
     "the compiler or driver merged the clock reads, or the clock does not count",
     "do not use latencies of this device; report driver and toolkit"},
    {"chain", CHECK_ERROR, chain,
     "the chain may be no single cycle: one that closes early stays in a small part of the memory",
     "measure with l2collect latency, which counts the cycle before it times it"},
    {"l1", CHECK_WARNING, check_l1,
     "the loads hit in L1: op=ca, or an operator that the driver treats like it",
     "use op=cg, or sizes above the L1"},
    {"spread", CHECK_WARNING, check_spread,
     "other processes, clocks that move, or two latency levels where one is expected",
     "look at l2stat -m for modes and at the clock lines; repeat alone, more passes narrow only noise"},
    {"repeats", CHECK_WARNING, repeats,
     "other processes, clocks that move, or launches too short to time",
     "move more bytes a launch (bytes=4G), lock the clock with l2lock on your own machine, repeat alone"},
    {"cold", CHECK_WARNING, check_cold,
     "the first pass met a cold cache or cold translations",
     "leave the first pass out (l2body, pass > 0), or warm up (warm=auto)"},
    {"drift", CHECK_WARNING, check_drift,
     "heat or power moved a clock during the run",
     "let the device settle and repeat, or lock the clock with l2lock on your own machine"},
    {"clock_moved", CHECK_WARNING, clock_moved,
     "power or heat changed the clock",
     "lock it with l2lock on your own machine, or repeat the run"},
    {"warmed", CHECK_WARNING, warmed,
     "the run began cold",
     "repeat now that it is warm"},
    {"throttled", CHECK_WARNING, throttled,
     "power or heat limits the device",
     "let it cool, or lock a lower clock with l2lock -f on your own machine"},
    {"neighbours", CHECK_WARNING, neighbours,
     "another program shares its cache and memory",
     "wait for it, or choose another device with -d"},
    {"partitioned", CHECK_WARNING, partitioned,
     "its cache is a part of the chip's, and neighbours share its memory",
     "compare with the slice's share, or choose a whole device with -d"},
    {"persisting", CHECK_WARNING, persisting,
     "another program left its limit, so the cache looks smaller",
     "reset the limit where it was set, then repeat"},
    {"no_knee", CHECK_WARNING, check_no_knee,
     "-",
     "choose sizes around the L2: from an eighth of it to four times it, 8 an octave"},
    {"translation", CHECK_WARNING, check_translation,
     "address translation (TLB), not the cache",
     "repeat with window=2M: what stays is the cache"},
    {"no_spike", CHECK_WARNING, no_spike,
     "the set index is hashed, or the range of strides is too short",
     "find sets by l2collect evict"},
    {"few_sets", CHECK_WARNING, few_sets,
     "replacement is not LRU, another program evicts lines, or the pool is too small",
     "l2assoc says how the others ended; try rounds=2, a larger pool=, or l2collect survive"},
    {"slow_cache", CHECK_WARNING, slow_cache,
     "too few threads, too narrow loads, or a clock far below its usual one",
     "use width=16, unroll=4 and blocks=auto; look at the clock"},
    {"slow_memory", CHECK_WARNING, slow_memory,
     "too few threads, too narrow loads, or another program that uses the memory",
     "use width=16, unroll=4 and blocks=auto, and repeat alone"},
    {"above_bus", CHECK_WARNING, above_bus,
     "the working set is still partly in the cache",
     "use larger sizes (size=) before calling it memory"},
    {"slices_merged", CHECK_WARNING, slices_merged,
     "too few SMs or accesses to fill a slice, or too much noise",
     "run l2collect contend test=search with all SMs, more accesses= and reps=3"},
    {NULL, CHECK_WARNING, NULL, NULL, NULL},
};
/* clang-format on */
