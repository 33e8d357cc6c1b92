/* What follows from several findings together, as one more method each: a product of powers of other parameters. The
 * inputs of a line come from other measurements than the methods that they are to be compared with, or the line would
 * only repeat them; an input with several values of one kind, or none, gives nothing. */
#include "verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"

struct input {
    const char *param, *method; /* method NULL: any, when all give one value */
    int power;
};

static const struct {
    const char *param, *method;
    struct input in[3];
} derivations[] = {
    {"sets_side",
     "capacity / (ways x line)",
     {{"capacity_side", "level", 1}, {"ways", NULL, -1}, {"line", NULL, -1}}},
    {"sets_total",
     "capacity / (ways x line)",
     {{"capacity_total", "level", 1}, {"ways", NULL, -1}, {"line", NULL, -1}}},
    {"sets_total", "sides x sets of a side", {{"sets_side", "tipping", 1}, {"sides", NULL, 1}}},
    {"capacity_total",
     "sides x capacity of a side",
     {{"capacity_side", "survival", 1}, {"sides", NULL, 1}}},
    {"slices",
     "sides x slices of a side",
     {{"slices_side", "contention of loads", 1}, {"sides", "latency of atomics", 1}}},
};

#define SLICE_BYTES 64.0 /* a clock: what a slice can answer at most */

/* The one value of an input: of the named method, or the narrowest of all while none contradicts it. */
static const struct finding *take(const struct findings *fs, const struct input *in)
{
    const struct finding *best = NULL, *f;

    for (size_t k = 0; (f = findings_get(fs, in->param, k)) != NULL; k++) {
        if (!isfinite(f->value) || !(f->lo > 0) || !isfinite(f->hi) ||
            (in->method != NULL && strcmp(f->method, in->method) != 0))
            continue;
        if (best == NULL || f->hi / f->lo < best->hi / best->lo)
            best = f;
    }
    for (size_t k = 0; best != NULL && (f = findings_get(fs, in->param, k)) != NULL; k++)
        if (in->method == NULL && (f->lo > best->hi || f->hi < best->lo))
            return NULL;
    return best;
}

static void add(struct findings *fs, const char *param, const char *method, double value, double lo,
                double hi, uint64_t n)
{
    struct finding *f;

    fs->f = xrealloc(fs->f, fs->n + 1, sizeof *fs->f);
    f = &fs->f[fs->n++];
    *f = (struct finding){
        .param = xstrdup(param),
        .text = xprintf(value == floor(value) ? "%.0f" : "%.6g", value),
        .unit = xstrdup(finding_find(param)->unit),
        .method = xstrdup(method),
        .note = xstrdup("derived"),
        .value = value,
        .lo = lo,
        .hi = hi,
        .n = n,
    };
}

static void derive(struct findings *fs, size_t measured, size_t d)
{
    const struct findings from = {fs->f, measured};
    double value = 1, lo = 1, hi = 1;
    uint64_t n = 0;

    for (size_t i = 0; i < 3 && derivations[d].in[i].param != NULL; i++) {
        const struct finding *f = take(&from, &derivations[d].in[i]);
        int power = derivations[d].in[i].power;

        if (f == NULL)
            return;
        value *= pow(f->value, power);
        lo *= pow(power > 0 ? f->lo : f->hi, power);
        hi *= pow(power > 0 ? f->hi : f->lo, power);
        n = i == 0 ? f->n : n;
    }
    add(fs, derivations[d].param, derivations[d].method, value, lo, hi, n);
}

void verdict_derive(struct findings *fs)
{
    size_t measured = fs->n; /* nothing is derived from what was derived */

    for (size_t d = 0; d < sizeof derivations / sizeof *derivations; d++)
        derive(fs, measured, d);
}

void verdict_share(struct findings *fs, double mhz)
{
    const struct input slices = {"slices", NULL, 1}, best = {"read_bw", "stream", 1};
    const struct finding *bw = take(fs, &best), *n = take(fs, &slices);
    double count = n != NULL ? n->value : NAN; /* adding a row may move the others */
    double limit = bw != NULL ? count * SLICE_BYTES * mhz * 1e-3 : NAN;
    struct finding *f;

    if (!(limit > 0) || findings_get(fs, "read_bw_share", 0) != NULL)
        return;
    add(fs, "read_bw_share", "stream", bw->value / limit, bw->lo / limit, bw->hi / limit, bw->n);
    f = &fs->f[fs->n - 1];
    free(f->note);
    f->note = xprintf("of %.0f GB/s: %g slices of %g bytes a clock at %.0f MHz, the SM clock",
                      limit, count, SLICE_BYTES, mhz);
}
