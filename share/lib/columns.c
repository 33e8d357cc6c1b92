/* The table of all columns. A new column is one line here and one .It in man/l2tsv.5 (tests/unit/test_columns.c compares
 * both with the tables of the experiments). */
#include "columns.h"

#include <string.h>

#define WORD   COLUMN_WORD
#define WHOLE  COLUMN_WHOLE
#define REAL   COLUMN_REAL
#define PARAM  ROLE_PARAM
#define ORDER  ROLE_ORDER
#define VALUE  ROLE_VALUE
#define WEIGHT ROLE_WEIGHT

/* clang-format off */
const struct column column_table[] = {
    /* What was done: conditions. */
    {"exp", WORD, PARAM, "", "the experiment"},
    {"size", WHOLE, PARAM, "bytes", "working set"},
    {"stride", WHOLE, PARAM, "bytes", "distance between two lines or nodes that are used"},
    {"node", WHOLE, PARAM, "bytes", "size of a node of a pointer chase"},
    {"nodes", WHOLE, PARAM, "", "nodes of a pointer chase"},
    {"op", WORD, PARAM, "", "operator of the access: cg, ca, cv, store, atom, read, write, copy"},
    {"timing", WORD, PARAM, "", "each: every access was timed; total: a whole pass, cycles is its mean"},
    {"order", WORD, PARAM, "", "order of the accesses: cycle (one random cycle), back (the same, backwards), shuffle (fresh each pass), linear, random"},
    {"window", WHOLE, PARAM, "bytes", "all lines of a window are visited before the next window; 0: no windows"},
    {"sm", WHOLE, PARAM, "", "the streaming multiprocessor, from 0"},
    {"side", WORD, PARAM, "", "side of the cache that a line or SM belongs to, as measured"},
    {"chain", WHOLE, PARAM, "", "which of the chains, from 0"},
    {"chains", WHOLE, PARAM, "", "independent pointer chases at once, each on its own SM"},
    {"carveout", WORD, PARAM, "percent", "shared memory share of the L1, auto: the driver's choice"},
    {"fresh", WORD, PARAM, "", "yes: a new allocation for every size"},
    {"persist", WHOLE, PARAM, "bytes", "set-aside for persisting accesses"},
    {"ratio", REAL, PARAM, "", "share of the accesses in a window that persist"},
    {"stream", WHOLE, PARAM, "bytes", "other memory read before the lines are timed"},
    {"fetch", WHOLE, PARAM, "bytes", "fetch granularity limit, as read back"},
    {"blocks", WHOLE, PARAM, "", "thread blocks"},
    {"threads", WHOLE, PARAM, "", "threads a block"},
    {"width", WHOLE, PARAM, "bytes", "bytes of one load or store"},
    {"unroll", WHOLE, PARAM, "", "independent accesses of a thread in flight"},
    {"same", WHOLE, PARAM, "blocks", "neighbouring blocks that move the same bytes at the same time"},
    {"take", WHOLE, PARAM, "bytes", "bytes used of every `every` bytes"},
    {"every", WHOLE, PARAM, "bytes", "period of the bytes used"},
    {"set", WORD, PARAM, "", "which SMs and lines take part (all, own, other, slice), or the number of a set"},
    {"what", WORD, PARAM, "", "which quantity the row holds"},
    {"target", WHOLE, PARAM, "", "number of the line to evict, from 0"},
    {"attempt", WHOLE, PARAM, "", "pools tried for this target, from 0"},
    {"level", WORD, PARAM, "", "level to evict from (local, memory), or a level that accesses come from (local, remote, dram, dram_remote)"},
    {"lines", WORD, PARAM, "", "kind of lines (home, remote, all) or their number"},
    {"phase", WORD, PARAM, "", "part of a search: pool, search, confirm, settle, prune, check_all, check_one, extra; set, more, end, tag; first (a tipping index alone)"},
    {"threshold", REAL, PARAM, "cycles", "an access slower than this was a miss"},
    {"threshold_home", REAL, PARAM, "cycles", "a remote line slower than this came from memory, not from its home"},
    {"touches", WHOLE, PARAM, "", "times the line in question is loaded first"},
    {"near", WHOLE, PARAM, "", "lines in between whose home is the own side"},
    {"far", WHOLE, PARAM, "", "lines in between whose home is the other side; number of the line (cases same, control)"},
    {"others", WHOLE, PARAM, "", "lines loaded in between"},
    {"each", WHOLE, PARAM, "", "times each of these lines is loaded"},
    {"pool", WHOLE, PARAM, "bytes", "memory from which the lines of a pool are drawn"},
    {"positions", WHOLE, PARAM, "", "lines of the pool"},
    {"between", WORD, PARAM, "", "kind of the lines in between (same: as the targets)"},
    {"loader", WORD, PARAM, "", "who loads the lines in between: block (of threads) or thread"},
    {"pause", WHOLE, PARAM, "ms", "from the end of a walk until the same lines are walked back"},
    {"rounds", WHOLE, PARAM, "", "times the lines are touched before the probe"},
    {"report", WHOLE, PARAM, "", "1 where the answer is asked for, 0 where an access only prepares"},
    {"miss", REAL, PARAM, "cycles", "a load of such a line from memory, 20 % quantile"},
    {"skip", WHOLE, PARAM, "", "rank of the line left out, -1: none"},
    {"ways", WHOLE, PARAM, "lines", "lines of the eviction sets that were used"},
    {"slice", WHOLE, PARAM, "", "slice number, in no particular order; -1: not known"},
    {"case", WORD, PARAM, "", "which situation of several was set up"},
    {"bytes", WHOLE, PARAM, "bytes", "bytes moved or stored"},
    {"at", WHOLE, PARAM, "bytes", "offset of a store within its line"},
    {"touch", WHOLE, PARAM, "bytes", "offset of the sector that was touched, -1: none near the probe"},
    {"probe", WHOLE, PARAM, "bytes", "offset of the sector that was timed"},
    {"by", WHOLE, PARAM, "bytes", "distance of an address from that of a line"},
    {"stored", WHOLE, PARAM, "lines", "lines that were stored to"},
    {"loaded", WHOLE, PARAM, "lines", "lines loaded after that"},
    {"resident", WORD, PARAM, "", "yes: the line was in the cache before"},
    {"pages", WHOLE, PARAM, "", "pages used, one line each"},
    {"offset", WHOLE, PARAM, "bytes", "address within the buffer"},
    {"line", WHOLE, PARAM, "", "which of several lines, or an offset divided by the line size"},
    {"kind", WORD, PARAM, "", "kind of access: load, store, atomic, with its hint"},
    {"a", WHOLE, PARAM, "bytes", "offset of the first of two lines"},
    {"b", WHOLE, PARAM, "bytes", "offset of the second of two lines"},
    {"test", WORD, PARAM, "", "of contend: search (labels blocks by pivots), pairs, thread (one thread alternates); of evict: number of the test"},
    {"accesses", WHOLE, PARAM, "", "accesses of each warp to one of two lines"},
    {"warps", WHOLE, PARAM, "", "warps of each SM"},
    {"pattern", WORD, PARAM, "", "access pattern and its parameters, or the file of a trace"},
    {"sms", WHOLE, PARAM, "", "SMs that took part"},
    {"effect", WORD, PARAM, "", "what is taken away from the model: capacity, copies, conflicts, sectors, fetch, stores; -: nothing"},
    {"pivot", WHOLE, PARAM, "bytes", "offset of the line that the others are compared with"},

    /* Which repeat, and when. */
    {"seq", WHOLE, ORDER, "", "position in the order of measuring, from 0"},
    {"pass", WHOLE, ORDER, "", "pass over the working set, from 0"},
    {"rep", WHOLE, ORDER, "", "repeat, from 0"},
    {"rank", WHOLE, ORDER, "", "position in the order of finding, from 0"},
    {"part", WORD, ORDER, "", "of an eviction set: target, set, or more (beyond the set)"},
    {"tip", WHOLE, VALUE, "", "lines of the pool swept when this one tipped the set"},
    {"step", WHOLE, ORDER, "", "position within a sequence, from 0"},

    /* What was measured. */
    {"cycles", REAL, VALUE, "cycles", "time of an access on the SM's clock"},
    {"first", REAL, VALUE, "cycles", "time of the access before: the touch, the store"},
    {"fence", REAL, VALUE, "cycles", "time of the fence after the store"},
    {"ns_unit", REAL, VALUE, "ns", "time of one period of the bytes used"},
    {"ns", REAL, VALUE, "ns", "time on the device's clock"},
    {"gbps", REAL, VALUE, "GB/s", "10^9 bytes a second"},
    {"bpc", REAL, VALUE, "bytes/cycle", "bytes per SM clock, all SMs together"},
    {"value", REAL, VALUE, "", "the quantity, in the unit that its name says"},
    {"vote", WHOLE, VALUE, "", "1: the probe missed (or a discarded line lost what it held), 0: it hit"},
    {"status", WORD, VALUE, "", "how an attempt ended: ok, or why it failed"},

    /* l2stat */
    {"n", WHOLE, WEIGHT, "", "accesses that the row stands for; samples behind a result"},
    {"min", REAL, VALUE, "", "least"},
    {"q05", REAL, VALUE, "", "quantile 0.05 (R type 7)"},
    {"q25", REAL, VALUE, "", "quantile 0.25"},
    {"median", REAL, VALUE, "", "quantile 0.5"},
    {"q75", REAL, VALUE, "", "quantile 0.75"},
    {"q95", REAL, VALUE, "", "quantile 0.95"},
    {"max", REAL, VALUE, "", "greatest"},
    {"mean", REAL, VALUE, "", "arithmetic mean"},
    {"share", REAL, VALUE, "", "part of the accesses, 0 to 1"},
    {"policy", WORD, PARAM, "", "candidate for the replacement policy"},
    {"agree", WHOLE, VALUE, "", "answers predicted right"},
    {"total", WHOLE, VALUE, "", "answers"},
    {"agreement", REAL, VALUE, "", "part of the answers predicted right"},
    {"loglik", REAL, VALUE, "", "log likelihood of the answers"},
    {"loglik_expected", REAL, VALUE, "", "what it would be were the candidate true"},
    {"dirty_agreement", REAL, VALUE, "", "agreement in sequences with stores"},
    {"fits", WORD, VALUE, "", "yes, or no: rejected"},
    {"counterexample", WORD, VALUE, "", "shortest recorded sequence whose last answer the candidate gets wrong"},
    {"sd", REAL, VALUE, "", "standard deviation of the sample"},
    {"mad", REAL, VALUE, "", "median absolute deviation times 1.4826, so that it estimates sd"},
    {"ci_lo", REAL, VALUE, "", "lower end of the median's interval"},
    {"ci_hi", REAL, VALUE, "", "upper end of the median's interval"},
    {"dropped", WHOLE, VALUE, "", "outliers that are not counted"},
    {"mode", WHOLE, ORDER, "", "number of the mode, from 1"},
    {"modes", WHOLE, VALUE, "", "modes of the distribution"},
    {"centre", REAL, VALUE, "", "median of the mode"},
    {"weight", REAL, VALUE, "", "share of the samples, from 0 to 1"},
    {"iqr", REAL, VALUE, "", "interquartile range, the width of the mode"},
    {"own", WHOLE, VALUE, "", "answers by the own side"},
    {"home", WHOLE, VALUE, "", "answers by the line's home on the other side"},
    {"memory", WHOLE, VALUE, "", "answers by memory"},

    /* l2knee */
    {"knee", WHOLE, ORDER, "", "number of the knee, from 1"},
    {"x_onset", REAL, VALUE, "of x", "where 5 % of the rise is done"},
    {"x_mid", REAL, VALUE, "of x", "where half of the rise is done"},
    {"x_end", REAL, VALUE, "of x", "where 95 % of the rise is done"},
    {"x_lo", REAL, VALUE, "of x", "lower end of the knee's interval"},
    {"x_hi", REAL, VALUE, "of x", "upper end of the knee's interval"},
    {"y_before", REAL, VALUE, "of y", "level before the knee"},
    {"y_after", REAL, VALUE, "of y", "level after the knee"},
    {"height", REAL, VALUE, "", "rise relative to the level before"},
    {"conf", WORD, VALUE, "", "high or low"},
    {"capacity", REAL, VALUE, "of x", "place that the law of a rise names, or that was counted; nan without"},
    {"law", WORD, VALUE, "", "law of a rise: sets, random, step, reach, saturation, none; count: where walks back bend"},

    /* l2slice */
    {"location", WHOLE, VALUE, "", "group of lines with the same fingerprint; -1: not clear"},
    {"location_slice", WHOLE, VALUE, "", "slice of most lines of the location"},
    {"group", WHOLE, VALUE, "", "SMs that see all lines alike have one number; -1: no groups stand out"},
    {"local", REAL, VALUE, "cycles", "mean latency of lines of the SM's own side"},
    {"remote", REAL, VALUE, "cycles", "mean latency of lines of other sides"},

    /* The findings of every filter that concludes something. */
    {"param", WORD, PARAM, "", "name of the parameter found"},
    {"lo", REAL, VALUE, "of value", "lower end of the interval"},
    {"hi", REAL, VALUE, "of value", "upper end of the interval"},
    {"unit", WORD, VALUE, "", "unit of value, lo and hi"},
    {"method", WORD, PARAM, "", "how it was found"},
    {"note", WORD, VALUE, "", "what a person should know; - when nothing"},

    /* l2predict, and l2level of a replay */
    {"stores", WHOLE, VALUE, "", "stores and reductions, whose answer nobody sees"},
    {"share_local", REAL, VALUE, "", "part of the loads and atomics that hit the SM's own side"},
    {"share_remote", REAL, VALUE, "", "part that hits another side"},
    {"share_dram", REAL, VALUE, "", "part that comes from memory, home on the SM's own side"},
    {"share_dram_remote", REAL, VALUE, "", "part that comes from memory, home on another side"},
    {"hit", REAL, VALUE, "", "part that hits any side: local and remote"},
    {"read", WHOLE, VALUE, "bytes", "bytes read from memory"},
    {"written", WHOLE, VALUE, "bytes", "bytes written to memory"},
    {"spread", REAL, VALUE, "", "largest standard deviation of the shares over draws of physical pages"},
    {"gain", REAL, VALUE, "cycles", "what an access would take less without the effect"},

    /* l2verdict */
    {"verdict", WORD, VALUE, "", "agree, single, disagree, open (measured, not decided), missing"},
    {"methods", WHOLE, VALUE, "", "different methods that speak of the parameter"},
    {"support", WHOLE, VALUE, "", "different methods that support the value"},
    {"evidence", WHOLE, VALUE, "", "observations behind the methods that support the value"},
    {"api", REAL, VALUE, "of value", "what the driver says"},
    {"difference", REAL, VALUE, "percent", "value against what the driver says"},
    {"values", WORD, VALUE, "", "every method with its value, interval and observations"},

    /* l2check */
    {"severity", WORD, VALUE, "", "error: the data can't be used; warning: look before you believe"},
    {"rule", WORD, PARAM, "", "the rule that found it"},
    {"sight", WORD, VALUE, "", "what was seen"},
    {"cause", WORD, VALUE, "", "what it likely comes from"},
    {"advice", WORD, VALUE, "", "what to do"},
    {"file", WORD, PARAM, "", "the archive in which it was seen"},

    /* l2diff */
    {"one", WORD, PARAM, "", "input that is compared"},
    {"other", WORD, PARAM, "", "input that it is compared with"},
    {"about", WORD, PARAM, "", "condition, parameter, curve (all points of an archive) or point"},
    {"point", WORD, PARAM, "", "conditions that vary within the archive: name=value"},
    {"left", WORD, VALUE, "of param", "what the first input has"},
    {"right", WORD, VALUE, "of param", "what the other has"},
    {"shift", REAL, VALUE, "of param", "right less left"},
    {"percent", REAL, VALUE, "percent", "shift against left"},
    {"p", REAL, VALUE, "", "chance of such a shift, or a larger one, where there is none"},
    {"adjusted", REAL, VALUE, "", "p corrected for all tests made"},
    {"result", WORD, VALUE, "", "same, differs, unsure, or missing in one of them"},
    {"says", WORD, VALUE, "", "the same in words"},

    /* l2survey's manifest */
    {"archive", WORD, PARAM, "", "name of an archive, without .tsv.gz"},
    {"parameters", WORD, PARAM, "", "words that l2collect was given"},
    {"seconds", REAL, VALUE, "s", "time taken"},
    {"rows", WHOLE, VALUE, "", "rows of the archive"},

    {NULL, WORD, PARAM, NULL, NULL},
};
/* clang-format on */

const struct column *column_find(const char *name)
{
    for (const struct column *c = column_table; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

const char *column_type_name(enum column_type type)
{
    static const char *const names[] = {"word", "whole", "real"};

    return names[type];
}

const char *column_role_name(enum column_role role)
{
    static const char *const names[] = {"parameter", "order", "value", "weight"};

    return names[role];
}
