/* Deterministic policies: random sequences, of rising length, until one gives answers that no history of the one policy
 * shares with any of the other. Others: a family of sequences with hot lines and new ones, the one whose reported hits
 * differ most against their spread. */
#include "tell.h"
#include "../share/lib/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRIES = 120, MOST_STEPS = 60, HISTORIES = 10, COPIES = 48, HISTORY_LINE = 1 << 20 };

/* History 0 to 4: up to twice the ways of new lines; the others: accesses drawn at random, half of them to known lines. */
static void reset(struct policy_set *s, const struct policy *p, const struct tell_bed *bed,
                  unsigned history)
{
    unsigned n = history < 5 ? history * bed->ways / 2 : 8 * bed->ways;
    uint32_t load[POLICY_RESET(POLICY_WAYS, TELL_LINES)];
    struct rng r;

    rng_seed(&r, history);
    policy_set_init(s, p, bed->ways, history + 1);
    for (unsigned i = 0; i < n; i++) {
        uint32_t line = history < 5 ? bed->lines + i : (uint32_t)rng_below(&r, 2 * bed->lines);

        policy_set_access(s, line < bed->lines ? line : HISTORY_LINE + line, NULL);
    }
    policy_reset_loads(bed->ways, bed->lines, load);
    for (size_t i = 0; i < POLICY_RESET(bed->ways, bed->lines); i++)
        policy_set_access(s, load[i], NULL);
}

/* The answers of every history, a bit each. */
static void answers(const struct policy_set *start, const uint32_t *line, size_t n, uint64_t *bits)
{
    for (unsigned k = 0; k < HISTORIES; k++) {
        struct policy_set s = start[k];

        bits[k] = 0;
        for (size_t i = 0; i < n; i++)
            bits[k] |= (uint64_t)policy_set_access(&s, line[i], NULL) << i;
    }
}

/* In how many answers the two policies differ at least, whatever their histories. */
static int least_difference(const struct policy_set *a, const struct policy_set *b,
                            const uint32_t *line, size_t n)
{
    uint64_t x[HISTORIES], y[HISTORIES];
    int least = MOST_STEPS;

    answers(a, line, n, x);
    answers(b, line, n, y);
    for (unsigned i = 0; i < HISTORIES; i++)
        for (unsigned k = 0; k < HISTORIES; k++) {
            int differ = __builtin_popcountll(x[i] ^ y[k]);

            least = differ < least ? differ : least;
        }
    return least;
}

static int tell_fixed(const struct policy *p, const struct policy *q, const struct tell_bed *bed,
                      char *text, size_t size)
{
    static const size_t lengths[] = {8, 20, 40, MOST_STEPS};
    struct policy_set a[HISTORIES], b[HISTORIES];
    uint32_t line[MOST_STEPS], best[MOST_STEPS];
    size_t n = 0, used = 0;
    struct rng r;
    int most = 0;

    rng_seed(&r, 7);
    for (unsigned k = 0; k < HISTORIES; k++) {
        reset(&a[k], p, bed, k);
        reset(&b[k], q, bed, k);
    }
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths && most < 2; l++)
        for (int k = 0; k < TRIES; k++) {
            uint32_t of = bed->ways + 1 + (uint32_t)rng_below(&r, bed->lines - bed->ways);
            int differ;

            for (size_t i = 0; i < lengths[l]; i++)
                line[i] = (uint32_t)rng_below(&r, of < bed->lines ? of : bed->lines);
            differ = least_difference(a, b, line, lengths[l]);
            if (differ <= most)
                continue;
            most = differ;
            n = lengths[l];
            memcpy(best, line, n * sizeof *best);
        }
    for (size_t i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%u?", i > 0 ? " " : "",
                                 (unsigned)best[i]);
    return n > 0 && used < size ? 0 : -1;
}

/* `rounds` times: lines 0 .. hot - 1 `touches` times over, `fresh` new lines `passes` times over, and what is left of the hot ones.
 * The answers to the last question count. */
struct family {
    unsigned hot, touches, fresh, passes, rounds;
};

static double hits_of(struct policy_set *s, const struct family *f)
{
    double hits = 0;

    for (unsigned round = 0; round < f->rounds; round++) {
        for (unsigned i = 0; i < f->hot * f->touches; i++)
            policy_set_access(s, i % f->hot, NULL);
        for (unsigned i = 0; i < f->fresh * f->passes; i++)
            policy_set_access(s, f->hot + i % f->fresh, NULL);
        for (unsigned i = 0; i < f->hot; i++)
            hits += policy_set_access(s, i, NULL);
    }
    return hits;
}

static void moments(const struct policy *p, const struct tell_bed *bed, const struct family *f,
                    double *mean, double *variance)
{
    double hits[COPIES], sum = 0, square = 0;

    for (unsigned k = 0; k < COPIES; k++) {
        struct policy_set s;

        reset(&s, p, bed, k);
        hits[k] = hits_of(&s, f);
        sum += hits[k];
    }
    *mean = sum / COPIES;
    for (unsigned k = 0; k < COPIES; k++)
        square += (hits[k] - *mean) * (hits[k] - *mean);
    *variance = square / (COPIES - 1);
}

static double deviations_of(const struct policy *p, const struct policy *q,
                            const struct tell_bed *bed, const struct family *f)
{
    double a, b, va, vb;

    moments(p, bed, f, &a, &va);
    moments(q, bed, f, &b, &vb);
    return fabs(a - b) / sqrt(va + vb + 0.25 + 1e-4 * pow(f->hot * f->rounds, 2));
}

int tell_apart(const struct policy *p, const struct policy *q, const struct tell_bed *bed,
               char *text, size_t size, double *deviations)
{
    struct family best = {0};
    struct rng r;

    *deviations = INFINITY;
    if (!p->random && !q->random)
        return tell_fixed(p, q, bed, text, size);
    *deviations = 0;
    rng_seed(&r, 8);
    for (int k = 0; k < 60; k++) {
        struct family f;
        double d;

        f.hot =
            1 + (unsigned)rng_below(&r, bed->lines < bed->ways + 1 ? bed->lines - 1 : bed->ways);
        f.fresh = 1 + (unsigned)rng_below(&r, bed->lines - f.hot);
        f.touches = 1 + (unsigned)rng_below(&r, 3);
        f.passes = 1 + (unsigned)rng_below(&r, 8);
        f.rounds = 1 + (unsigned)rng_below(&r, 24);
        d = deviations_of(p, q, bed, &f);
        if (d > *deviations) {
            *deviations = d;
            best = f;
        }
    }
    if (*deviations < 0.3)
        return -1;
    snprintf(text, size, "((0..%u)*%u (%u..%u)*%u 0..%u?)*%u", best.hot - 1, best.touches, best.hot,
             best.hot + best.fresh - 1, best.passes, best.hot - 1, best.rounds);
    return 0;
}
