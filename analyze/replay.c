/* Replays traces on policies, by one set or by many particles. */
#include "replay.h"
#include "../share/lib/mem.h"
#include "../share/lib/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 4000, PHASE_LINE = 1 << 20 };

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

/* Replays a trace after `before` lines that nobody asks for: they set the phase in which a policy that goes round the
 * ways begins. Stops when more than `most` answers are wrong; returns how many are. */
static size_t count_wrong(const struct policy *p, const struct trace *t, unsigned before,
                          size_t most)
{
    struct policy_set set;
    size_t wrong = 0;

    policy_set_init(&set, p, t->ways, 1);
    for (unsigned i = 0; i < before; i++)
        policy_set_access(&set, PHASE_LINE + i, NULL);
    for (size_t i = 0; i < t->n && wrong <= most; i++)
        wrong += (policy_set_access(&set, t->a[i].line, NULL) != t->a[i].hit) && t->a[i].counts;
    return wrong;
}

/* The phase with the fewest wrong answers. What a reset does not fix (RRIP, FIFO, trees: which way is next) is the set's
 * history; a candidate is given the benefit of it, unless it is far off anyway. */
static unsigned best_phase(const struct policy *p, const struct trace *t)
{
    size_t least = count_wrong(p, t, 0, t->n), counted = 0;
    unsigned best = 0;

    for (size_t i = 0; i < t->n; i++)
        counted += t->a[i].counts;
    if (least * 4 > counted)
        return best;
    for (unsigned k = 1; k < t->ways && least > 0; k++) {
        size_t wrong = count_wrong(p, t, k, least);

        if (wrong < least) {
            least = wrong;
            best = k;
        }
    }
    return best;
}

static void score_trace(const struct policy *p, const struct trace *t, size_t index, double flip,
                        struct score *s)
{
    unsigned before = best_phase(p, t);
    struct policy_set set;
    size_t steps = 0;

    policy_set_init(&set, p, t->ways, 1);
    for (unsigned i = 0; i < before; i++)
        policy_set_access(&set, PHASE_LINE + i, NULL);
    for (size_t i = 0; i < t->n; i++) {
        bool hit = policy_set_access(&set, t->a[i].line, NULL);

        if (t->a[i].counts)
            count(s, hit, &t->a[i], flip, index, i, steps++);
    }
}

/* What is recorded of each sequence, over all sets and repeats. */
struct sample {
    double *seen; /* hits */
    double *answers;
    size_t sequences;
};

static void sample_trace(const struct policy *p, const struct trace *t, unsigned copies,
                         struct sample *m, double *sums, struct score *s, struct rng *r)
{
    struct policy_set *set = xcalloc(copies, sizeof *set);

    for (unsigned k = 0; k < copies; k++)
        policy_set_init(&set[k], p, t->ways, rng_u64(r));
    for (size_t i = 0; i < t->n; i++) {
        double hits = 0;

        for (unsigned k = 0; k < copies; k++) {
            bool hit = policy_set_access(&set[k], t->a[i].line, NULL);

            hits += hit;
            sums[t->seq * copies + k] += hit && t->a[i].counts;
        }
        if (!t->a[i].counts)
            continue;
        m->seen[t->seq] += t->a[i].hit;
        m->answers[t->seq]++;
        s->total++;
        s->agree += (hits * 2 > copies) == t->a[i].hit;
        s->varied += 2 * hits / copies * (1 - hits / copies);
    }
    free(set);
}

/* Each sequence's hits, over all sets and repeats, are a sum of many draws: normal, with the mean and variance of the
 * replays, and 0.3 % of the answers allowed for what the model leaves out. */
static void compare_sample(struct sample *m, const double *sums, unsigned copies, struct score *s)
{
    for (size_t q = 0; q < m->sequences; q++) {
        double mean = 0, square = 0, slack = 0.003 * m->answers[q], z2;

        if (m->answers[q] == 0)
            continue;
        for (unsigned k = 0; k < copies; k++)
            mean += sums[q * copies + k] / copies;
        for (unsigned k = 0; k < copies; k++)
            square += pow(sums[q * copies + k] - mean, 2) / (copies - 1);
        z2 = pow(m->seen[q] - mean, 2) / (square * (1 + 1.0 / copies) + slack * slack + 0.25);
        s->log_like -= z2 / 2;
        s->expected -= 0.5;
        s->sd += 0.5;
        s->worst = fmax(s->worst, sqrt(z2));
    }
}

static void score_random(const struct policy *p, const struct trace *t, size_t n, int which,
                         unsigned copies, uint64_t most, struct score *s)
{
    struct sample m = {0};
    double *sums;
    uint64_t seen = 0;
    struct rng r;

    for (size_t i = 0; i < n; i++)
        m.sequences = t[i].seq >= m.sequences ? t[i].seq + 1 : m.sequences;
    m.seen = xcalloc(m.sequences + 1, sizeof *m.seen);
    m.answers = xcalloc(m.sequences + 1, sizeof *m.answers);
    sums = xcalloc(m.sequences * copies + 1, sizeof *sums);
    rng_seed(&r, 1);
    for (size_t i = 0; i < n && (most == 0 || seen < most); i++)
        if (wanted(&t[i], which)) {
            sample_trace(p, &t[i], copies, &m, sums, s, &r);
            seen += t[i].n;
        }
    compare_sample(&m, sums, copies, s);
    free(m.seen);
    free(m.answers);
    free(sums);
}

void replay_score(const struct policy *p, const struct trace *t, size_t n, int which, double flip,
                  unsigned copies, uint64_t most, struct score *s)
{
    uint64_t seen = 0;

    *s = (struct score){.trace = SIZE_MAX, .length = SIZE_MAX};
    if (p->random)
        score_random(p, t, n, which, copies, most, s);
    for (size_t i = 0; !p->random && i < n && (most == 0 || seen < most); i++)
        if (wanted(&t[i], which)) {
            score_trace(p, &t[i], i, flip, s);
            seen += t[i].n;
        }
    s->sd = sqrt(s->sd);
}

bool replay_consistent(const struct policy *p, const struct score *s, double flip, double differ)
{
    double wrong = (double)(s->total - s->agree), n = (double)s->total;

    if (s->total == 0)
        return false;
    if (p->random) /* and repeats differ as often as they should, within a factor of two */
        return s->worst < 5 &&
               (isnan(differ) || (differ * n > s->varied / 2 && differ * n < s->varied * 2 + 3));
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

static size_t first_difference(const struct policy *p, const struct policy *q,
                               const struct trace *like, unsigned lines, uint32_t *line,
                               size_t most, struct rng *r)
{
    struct policy_set a, b;

    policy_set_init(&a, p, like->ways, 1);
    policy_set_init(&b, q, like->ways, 1);
    for (size_t i = 0; i < like->n && !like->a[i].counts; i++) {
        policy_set_access(&a, like->a[i].line, NULL);
        policy_set_access(&b, like->a[i].line, NULL);
    }
    for (size_t i = 0; i < most; i++) {
        line[i] = (uint32_t)rng_below(r, lines);
        if (policy_set_access(&a, line[i], NULL) != policy_set_access(&b, line[i], NULL))
            return i + 1;
    }
    return 0;
}

size_t replay_distinguish(const struct policy *p, const struct policy *q, const struct trace *like,
                          unsigned lines, uint32_t *line, size_t most)
{
    uint32_t *tried = xcalloc(most, sizeof *tried);
    size_t best = 0;
    struct rng r;

    rng_seed(&r, 7);
    for (int k = 0; k < TRIES; k++) {
        size_t n = first_difference(p, q, like, lines, tried, best > 0 ? best - 1 : most, &r);

        if (n > 0) {
            best = n;
            memcpy(line, tried, n * sizeof *line);
        }
    }
    free(tried);
    return best;
}
