/* Replays traces on policies, by one set or by many particles. */
#include "replay.h"
#include "../share/lib/mem.h"
#include "../share/lib/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 4000 };

static bool wanted(const struct trace *t, int which)
{
    return which == 2 || t->stores == (which == 1);
}

static void count(struct score *s, double foreseen, const struct answer *a, double flip,
                  size_t trace, size_t step, size_t before)
{
    double p = foreseen * (1 - flip) + (1 - foreseen) * flip; /* chance of a hit */
    double lp = log(p), lq = log1p(-p), mean = p * lp + (1 - p) * lq;

    s->total++;
    s->agree += (foreseen > 0.5) == a->hit;
    s->log_like += a->hit ? lp : lq;
    s->expected += mean;
    s->sd += p * lp * lp + (1 - p) * lq * lq - mean * mean; /* the variance, until the end */
    if ((foreseen > 0.5) != a->hit && before < s->length) {
        s->length = before;
        s->trace = trace;
        s->step = step;
    }
}

static void score_trace(const struct policy *p, const struct trace *t, size_t index, double flip,
                        struct score *s)
{
    struct policy_set set;
    size_t before = 0;

    policy_set_init(&set, p, t->ways, 1);
    for (size_t i = 0; i < t->n; i++) {
        bool hit = policy_set_access(&set, t->a[i].line, NULL);

        if (t->a[i].counts)
            count(s, hit, &t->a[i], flip, index, i, before++);
    }
}

/* Each particle in turn is replaced by one drawn in proportion to the weights (systematic resampling). */
static void resample(struct policy_set *set, struct policy_set *spare, const double *weight,
                     unsigned n, double sum, struct rng *r)
{
    double at = rng_uniform(r) * sum / n, reached = 0;
    unsigned from = 0;

    for (unsigned k = 0; k < n; k++, at += sum / n) {
        while (from + 1 < n && reached + weight[from] < at)
            reached += weight[from++];
        spare[k] = set[from];
        rng_seed(&spare[k].rng, rng_u64(r));
    }
    memcpy(set, spare, n * sizeof *set);
}

static void filter_trace(const struct policy *p, const struct trace *t, size_t index, double flip,
                         unsigned n, struct score *s)
{
    struct policy_set *set = xcalloc(2 * n, sizeof *set);
    double *weight = xcalloc(n, sizeof *weight);
    bool *hit = xcalloc(n, sizeof *hit);
    size_t before = 0;
    struct rng r;

    rng_seed(&r, index + 1);
    for (unsigned k = 0; k < n; k++)
        policy_set_init(&set[k], p, t->ways, rng_u64(&r));
    for (size_t i = 0; i < t->n; i++) {
        double hits = 0, sum = 0;

        for (unsigned k = 0; k < n; k++) {
            hit[k] = policy_set_access(&set[k], t->a[i].line, NULL);
            hits += hit[k];
        }
        if (t->a[i].store)
            continue;
        if (t->a[i].counts)
            count(s, hits / n, &t->a[i], fmax(flip, 0.5 / n), index, i, before++);
        for (unsigned k = 0; k < n; k++)
            sum += weight[k] = hit[k] == t->a[i].hit ? 1 : fmax(flip, 1e-4);
        if (hits > 0 && hits < n)
            resample(set, set + n, weight, n, sum, &r);
    }
    free(set);
    free(weight);
    free(hit);
}

void replay_score(const struct policy *p, const struct trace *t, size_t n, int which, double flip,
                  unsigned particles, uint64_t most, struct score *s)
{
    uint64_t seen = 0;

    *s = (struct score){.trace = SIZE_MAX, .length = SIZE_MAX};
    for (size_t i = 0; i < n && (most == 0 || seen < most); i++) {
        if (!wanted(&t[i], which))
            continue;
        if (p->random)
            filter_trace(p, &t[i], i, flip, particles, s);
        else
            score_trace(p, &t[i], i, flip, s);
        seen += t[i].n;
    }
    s->sd = sqrt(s->sd);
}

bool replay_consistent(const struct policy *p, const struct score *s, double flip)
{
    double wrong = (double)(s->total - s->agree), n = (double)s->total;

    if (s->total == 0)
        return false;
    if (p->random)
        return s->log_like > s->expected - 4 * s->sd - 0.01 * n;
    return wrong <= n * (2 * flip + 0.001) + 3 * sqrt(n * flip);
}

static bool same_run(const struct trace *a, const struct trace *b)
{
    return a->set == b->set && a->seq == b->seq && a->n == b->n && a->rep < b->rep;
}

double replay_flips(const struct trace *t, size_t n, uint64_t *pairs)
{
    uint64_t differ = 0;

    *pairs = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n && k < i + 64; k++)
            for (size_t x = 0; same_run(&t[i], &t[k]) && x < t[i].n; x++)
                if (t[i].a[x].counts) {
                    ++*pairs;
                    differ += t[i].a[x].hit != t[k].a[x].hit;
                }
    return *pairs > 0 ? (double)differ / (double)*pairs / 2 : 0;
}

static size_t first_difference(const struct policy *p, const struct policy *q, unsigned ways,
                               unsigned lines, unsigned passes, uint32_t *line, size_t most,
                               struct rng *r)
{
    struct policy_set a, b;

    policy_set_init(&a, p, ways, 1);
    policy_set_init(&b, q, ways, 1);
    for (unsigned i = 0; i < passes * lines; i++) {
        policy_set_access(&a, i % lines, NULL);
        policy_set_access(&b, i % lines, NULL);
    }
    for (size_t i = 0; i < most; i++) {
        line[i] = (uint32_t)rng_below(r, lines);
        if (policy_set_access(&a, line[i], NULL) != policy_set_access(&b, line[i], NULL))
            return i + 1;
    }
    return 0;
}

size_t replay_distinguish(const struct policy *p, const struct policy *q, unsigned ways,
                          unsigned lines, unsigned passes, uint32_t *line, size_t most)
{
    uint32_t *tried = xcalloc(most, sizeof *tried);
    size_t best = 0;
    struct rng r;

    rng_seed(&r, 7);
    for (int k = 0; k < TRIES; k++) {
        size_t n =
            first_difference(p, q, ways, lines, passes, tried, best > 0 ? best - 1 : most, &r);

        if (n > 0) {
            best = n;
            memcpy(line, tried, n * sizeof *line);
        }
    }
    free(tried);
    return best;
}
