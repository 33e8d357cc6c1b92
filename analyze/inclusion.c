/* Two thresholds, each from controls: L1 hits against L2 hits (case none, by ca and cg), and L2 hits against what comes from
 * memory (by cg, after another line's eviction and after the line's own). */
#include "inclusion.h"

#include "controls.h"
#include "findings.h"
#include "infer.h"

#include <math.h>

#define SURE 0.95

static const char *const case_names[INCLUSION_CASES] = {"none", "own", "other", "discard",
                                                        "discard_other"};

void xinclusion_add(struct inclusion *i, const struct tsv *t, const size_t *column)
{
    int what = 0, op = tsv_is(t, column[1], "ca") ? 0 : 1;

    while (what < INCLUSION_CASES && !tsv_is(t, column[0], case_names[what]))
        what++;
    if (what == INCLUSION_CASES)
        xtsv_bad(t, column[0], "no case of inclusion");
    if (op == 1 && !tsv_is(t, column[1], "cg"))
        xtsv_bad(t, column[1], "not ca or cg");
    values_add(&i->cycles[what][op], xtsv_double(t, column[2]));
    i->n++;
}

static size_t below(const struct values *s, double v)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += s->v[i] <= v;
    return n;
}

static double threshold(const struct values *hit, const struct values *miss)
{
    struct values a = {0}, b = {0};
    struct controls c;

    for (size_t i = 0; i < hit->n; i++)
        values_add(&a, hit->v[i]);
    for (size_t i = 0; i < miss->n; i++)
        values_add(&b, miss->v[i]);
    return controls_of(&a, &b, &c) == 0 ? c.threshold : NAN;
}

static int mostly(size_t k, size_t n)
{
    return (double)k >= SURE * (double)n;
}

static const char *controls_fail(const struct inclusion_verdict *v)
{
    if (!isfinite(v->l1))
        return "loads by ca and by cg do not part hits in L1 from hits in L2";
    if (!isfinite(v->l2))
        return "the line does not leave L2, or too few loads";
    if (!mostly(v->gone, v->ncg))
        return "the line does not always leave L2";
    if (!mostly(v->kept, v->nkept))
        return "L1 loses the line without that";
    return NULL;
}

struct inclusion_verdict inclusion_judge(const struct inclusion *i, enum inclusion_case what)
{
    enum inclusion_case other = what == INCLUSION_OWN ? INCLUSION_OTHER : INCLUSION_DISCARD_OTHER;
    const struct values *own = i->cycles[what], *control = i->cycles[other];
    struct inclusion_verdict v = {
        .answer = INCLUSION_OPEN, .n = own[0].n, .ncg = own[1].n, .nkept = control[0].n};

    v.l1 = threshold(&i->cycles[INCLUSION_NONE][0], &i->cycles[INCLUSION_NONE][1]);
    v.l2 = threshold(&control[1], &own[1]);
    v.hits = below(&own[0], v.l1);
    v.gone = v.ncg - below(&own[1], v.l2);
    v.kept = below(&control[0], v.l1);
    v.why = controls_fail(&v);
    if (v.why != NULL)
        return v;
    if (mostly(v.hits, v.n))
        v.answer = INCLUSION_NO;
    else if (!mostly(v.n - v.hits, v.n))
        v.why = "L1 keeps some of the lines";
    else if (what == INCLUSION_DISCARD)
        v.why = "a discard by the same SM may empty L1 itself";
    else
        v.answer = INCLUSION_YES;
    return v;
}

static void put(struct out *o, const struct inclusion *i, enum inclusion_case what,
                const char *method)
{
    static const char *const words[] = {"yes", "no", "not decided"};
    struct inclusion_verdict v = inclusion_judge(i, what);
    double lo, hi;

    if (v.n == 0)
        return;
    proportion_wilson(v.hits, v.n, 0.95, &lo, &hi);
    finding_word(
        o, "l1_inclusive", words[v.answer], method, v.n,
        "%zu of %zu loads hit L1 after L2 lost the line (%.3g to %.3g); controls: gone from "
        "L2 %zu of %zu, kept in L1 with another line's %zu of %zu%s%s",
        v.hits, v.n, lo, hi, v.gone, v.ncg, v.kept, v.nkept, v.why ? "; " : "", v.why ? v.why : "");
}

void inclusion_put(struct out *o, struct inclusion *i)
{
    if (i->n == 0)
        return;
    put(o, i, INCLUSION_OWN, "eviction_set");
    put(o, i, INCLUSION_DISCARD, "discard");
}

void inclusion_free(struct inclusion *i)
{
    for (int c = 0; c < INCLUSION_CASES; c++)
        for (int op = 0; op < 2; op++)
            values_free(&i->cycles[c][op]);
    *i = (struct inclusion){0};
}
