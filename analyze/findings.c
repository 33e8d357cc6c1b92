/* The findings table that all filters share: the names it may carry, writing a row, reading a table back.
 * A filter with something new to say adds a line to finding_names. */
#include "findings.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

const struct finding_name finding_names[] = {
    {"ways", "lines", "lines that one set holds"},
    {"sets_side", "sets", "sets of one side"},
    {"sets_total", "sets", "sets of all sides"},
    {"index", "word", "whether the set is taken straight from the address (plain) or hashed"},
    {"line", "bytes", "bytes under one tag"},
    {"sector", "bytes", "bytes fetched or kept at a time within a line"},
    {"fetch_default", "bytes", "bytes that a miss fetches when nothing is set"},
    {"fetch_set", "bytes", "the same under a fetch granularity that was set, one row each"},
    {"fetch_hint", "bytes", "the same by another kind of access, one row each"},
    {"fetch_hint_start", "bytes", "what it brings when it touches their start, if more"},
    {"fetch_promoted", "word", "whether more is fetched than the granularity says"},
    {"capacity_side", "bytes", "what one SM can keep near: one side"},
    {"capacity_total", "bytes", "all sides together"},
    {"policy", "word", "which line of a full set goes"},
    {"policy_agreement", "share", "answers of loads that the best policy predicts"},
    {"policy_dirty", "share", "the same in sequences with stores"},
    {"policy_repeats", "word", "whether a sequence that is run again gives the same answers"},
    {"policy_misread", "share", "loads that must hit and were read as misses"},
    {"dirty_ways", "lines", "written lines that one set keeps"},
    {"copy_sets", "word", "whether lines of one set share a set as copies on the other side"},
    {"copy_alloc", "word", "which load of a remote line leaves a copy on the own side"},
    {"copy_depth", "lines", "new lines of its set that push a copy out"},
    {"copy_drop", "word", "whether a copy goes when its home evicts the line"},
    {"copy_ways", "word", "whether copies share the ways of a set with home lines"},
    {"copy_model", "word", "the model of copies that foresees most answers"},
    {"evicted_first", "word", "who leaves a full set: oldest, clean, dirty"},
    {"dirty_outlives", "lines", "misses of the set that its oldest line survives for being dirty"},
    {"dirty_evict_cost", "cycles", "what a miss takes more where it evicts a dirty line"},
    {"slices", "slices", "slices of all sides"},
    {"slices_side", "slices", "slices of one side"},
    {"slice_lines", "lines", "measured lines of a slice, median"},
    {"slice_xor", "bits", "address bits whose parity selects the slice, one row a function"},
    {"slice_bits", "bits", "address bits that change the slice"},
    {"slice_linear", "word", "whether the slice is an XOR of address bits"},
    {"slice_agreement", "share", "pairs of lines that both methods call alike"},
    {"subslices", "locations", "distinguishable latency locations, all sides"},
    {"grain", "bytes", "largest block of addresses that always lies in one slice"},
    {"sides", "sides", "parts of the cache with their own near SMs"},
    {"sm_sides", "SMs", "SMs of each side, one row a side"},
    {"side_mask", "bits", "address bits whose parity selects the side, within a page"},
    {"side_page", "bytes", "block of addresses within which side_mask has one constant"},
    {"side_linear", "word", "whether the side is an XOR of address bits"},
    {"levels", "levels", "latency levels behind the first-level cache"},
    {"latency_l1", "cycles", "hit in the first-level cache"},
    {"latency_local", "cycles", "hit on the SM's own side"},
    {"latency_remote", "cycles", "hit on the other side"},
    {"latency_dram", "cycles", "miss, home on the SM's own side"},
    {"latency_dram_remote", "cycles", "miss, home on the other side"},
    {"tlb_reach", "bytes", "memory that the address translation covers without a miss"},
    {"write_allocate", "word",
     "whether a store brings the line into the cache: no, sector (without a fetch), fetch"},
    {"partial_fetch", "word", "whether a store of part of a sector fetches the rest"},
    {"byte_mask", "word", "whether several partial stores make a sector whole without a fetch"},
    {"write_resident", "word", "whether a line that is there stays readable when stored to"},
    {"atomic_fetch", "bytes", "bytes that an atomic on a missing line brings"},
    {"store_latency", "cycles", "from issuing a store until the next instruction"},
    {"store_fence", "cycles", "what a store before it adds to a fence"},
    {"write_back", "word", "whether written lines stay until they are evicted"},
    {"l1_inclusive", "word", "whether evicting a line from L2 evicts it from L1"},
    {"read_bw", "GB/s", "reading from the cache, all SMs"},
    {"write_bw", "GB/s", "writing to the cache, all SMs"},
    {"copy_bw", "GB/s", "copying within the cache, all SMs, read and written bytes"},
    {"dram_bw", "GB/s", "reading from memory, all SMs"},
    {"atom_bw", "GB/s", "atomics on lines of the cache, all SMs"},
    {"read_bw_own", "GB/s", "reading, every SM lines of its own side"},
    {"read_bw_other", "GB/s", "reading, every SM lines of another side"},
    {"dram_write_bw", "GB/s", "writing to memory, all SMs"},
    {"dram_copy_bw", "GB/s", "copying in memory, all SMs, read and written bytes"},
    {"read_bw_share", "share", "read_bw against slices times 64 bytes times the SM clock"},
    {"slice_bw", "bytes/clock", "reading lines of one slice, SMs near it"},
    {"slice_write_bw", "bytes/clock", "writing to lines of one slice"},
    {"slice_atom_bw", "bytes/clock", "atomics on lines of one slice"},
    {"bw_inflight", "bytes", "bytes that each SM must have in flight to read at full rate"},
    {"tlb_reach_inner", "bytes", "memory covered by a smaller, faster level of the translation"},
    {"tlb_reach_stride", "bytes", "tlb_reach with one line every several pages"},
    {"persist_kept", "bytes", "most of an access-policy window that stays through a stream"},
    {NULL, NULL, NULL},
};

const struct finding_name *finding_find(const char *name)
{
    for (const struct finding_name *k = finding_names; k->name != NULL; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

void findings_begin(struct out *o, FILE *to, const struct prov *p)
{
    out_begin(o, to, p, FINDINGS_COLUMNS);
}

static const char *unit_of(const char *param)
{
    const struct finding_name *k = finding_find(param);

    if (k == NULL)
        abort();
    return k->unit;
}

/* Whole numbers in full, others to six digits. */
static void put_number(struct out *o, double v)
{
    if (v == floor(v) && fabs(v) < 9007199254740992.0)
        out_double(o, v);
    else
        out_round(o, v, 6);
}

static void put_tail(struct out *o, const char *param, const char *method, uint64_t n,
                     const char *note, va_list args)
{
    char text[512];

    vsnprintf(text, sizeof text, note, args);
    out_str(o, unit_of(param));
    out_str(o, method);
    out_u64(o, n);
    out_str(o, text);
    out_row(o);
}

void finding_put(struct out *o, const char *param, double value, double lo, double hi,
                 const char *method, uint64_t n, const char *note, ...)
{
    va_list args;

    out_str(o, param);
    put_number(o, value);
    put_number(o, lo);
    put_number(o, hi);
    va_start(args, note);
    put_tail(o, param, method, n, note, args);
    va_end(args);
}

void finding_word(struct out *o, const char *param, const char *word, const char *method,
                  uint64_t n, const char *note, ...)
{
    va_list args;

    out_str(o, param);
    out_str(o, word);
    put_number(o, NAN);
    put_number(o, NAN);
    va_start(args, note);
    put_tail(o, param, method, n, note, args);
    va_end(args);
}

int findings_is(const struct tsv *t)
{
    return tsv_find(t, "param") != TSV_NONE && tsv_find(t, "value") != TSV_NONE &&
           tsv_find(t, "lo") != TSV_NONE && tsv_find(t, "hi") != TSV_NONE;
}

static char *field_text(const struct tsv *t, const char *column)
{
    size_t c = xtsv_column(t, column);

    return xstrndup(t->field[c].ptr, t->field[c].len);
}

void xfindings_add(struct findings *fs, const struct tsv *t)
{
    struct finding *f;

    fs->f = xrealloc(fs->f, fs->n + 1, sizeof *fs->f);
    f = &fs->f[fs->n++];
    f->param = field_text(t, "param");
    f->text = field_text(t, "value");
    f->unit = field_text(t, "unit");
    f->method = field_text(t, "method");
    f->note = field_text(t, "note");
    f->value = NAN;
    if (strcmp(f->unit, "bits") == 0 || parse_double(f->text, &f->value) != 0)
        f->value = NAN;
    f->lo = xtsv_double(t, xtsv_column(t, "lo"));
    f->hi = xtsv_double(t, xtsv_column(t, "hi"));
    f->n = xtsv_u64(t, xtsv_column(t, "n"));
}

const struct finding *findings_get(const struct findings *fs, const char *param, size_t k)
{
    for (size_t i = 0; i < fs->n; i++)
        if (strcmp(fs->f[i].param, param) == 0 && k-- == 0)
            return &fs->f[i];
    return NULL;
}

void findings_free(struct findings *fs)
{
    for (size_t i = 0; i < fs->n; i++) {
        free(fs->f[i].param);
        free(fs->f[i].text);
        free(fs->f[i].unit);
        free(fs->f[i].method);
        free(fs->f[i].note);
    }
    free(fs->f);
    fs->f = NULL;
    fs->n = 0;
}
