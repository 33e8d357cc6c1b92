/* Replays of policies that draw random numbers: many copies of each set, and what they say of the number of hits. */
#include "replay.h"
#include "../share/lib/mem.h"
#include "../share/lib/rng.h"

#include <math.h>
#include <stdlib.h>

/* What is recorded of each sequence, over all sets and repeats. */
struct sequence_hits {
    double seen, answers;
    bool stores;
};

struct sample {
    struct policy_set *set; /* the copies */
    unsigned copies;
    struct sequence_hits *of; /* by sequence */
    double *sums;             /* hits of each sequence and copy */
    size_t sequences;
    struct rng rng;
};

static void sample_trace(struct sample *m, const struct trace *t, struct score *s)
{
    struct sequence_hits *q = &m->of[t->seq];

    q->stores = t->stores;
    for (size_t i = 0; i < t->n; i++) {
        double hits = 0;

        for (unsigned k = 0; k < m->copies; k++) {
            bool hit = policy_set_access(&m->set[k], t->a[i].line, NULL);

            hits += hit;
            m->sums[t->seq * m->copies + k] += hit && t->a[i].counts;
        }
        if (!t->a[i].counts)
            continue;
        hits /= m->copies;
        q->seen += t->a[i].hit;
        q->answers++;
        s->total++;
        s->agree += (hits > 0.5) == t->a[i].hit;
        s->varied += 2 * hits * (1 - hits);
    }
}

/* Each sequence's hits, over all sets and repeats, are a sum of many draws: normal, with the mean and variance of the
 * replays, and 0.3 % of the answers allowed for what the model leaves out. */
static void compare(const struct sample *m, struct score s[2])
{
    for (size_t q = 0; q < m->sequences; q++) {
        struct score *to = &s[m->of[q].stores];
        double mean = 0, square = 0, slack = 0.003 * m->of[q].answers, z2;

        if (m->of[q].answers == 0)
            continue;
        for (unsigned k = 0; k < m->copies; k++)
            mean += m->sums[q * m->copies + k] / m->copies;
        for (unsigned k = 0; k < m->copies; k++)
            square += pow(m->sums[q * m->copies + k] - mean, 2) / (m->copies - 1);
        z2 = pow(m->of[q].seen - mean, 2) / (square * (1 + 1.0 / m->copies) + slack * slack + 0.25);
        to->log_like -= z2 / 2;
        to->expected -= 0.5;
        to->sd += 0.5;
        to->worst = fmax(to->worst, sqrt(z2));
    }
    s[0].sd = sqrt(s[0].sd);
    s[1].sd = sqrt(s[1].sd);
}

void replay_random(const struct policy *p, const struct trace *t, size_t n,
                   const struct replay_how *how, struct score s[2])
{
    struct sample m = {.copies = how->copies};
    uint64_t seen = 0;

    for (size_t i = 0; i < n; i++)
        m.sequences = t[i].seq >= m.sequences ? t[i].seq + 1 : m.sequences;
    m.of = xcalloc(m.sequences + 1, sizeof *m.of);
    m.sums = xcalloc(m.sequences * m.copies + 1, sizeof *m.sums);
    m.set = xcalloc(m.copies, sizeof *m.set);
    rng_seed(&m.rng, 1);
    for (size_t i = 0; i < n && (how->most == 0 || seen < how->most); i++) {
        for (unsigned k = 0; k < m.copies && (i == 0 || t[i].set != t[i - 1].set); k++)
            policy_set_init(&m.set[k], p, t[i].ways, rng_u64(&m.rng));
        sample_trace(&m, &t[i], &s[t[i].stores]);
        seen += t[i].n;
    }
    compare(&m, s);
    free(m.of);
    free(m.sums);
    free(m.set);
}
