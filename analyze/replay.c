/* Replays of deterministic policies. A set begins with a history that nobody recorded; several are followed, each from
 * trace to trace, and those that fall behind the best one are given up. */
#include "replay.h"
#include "../share/lib/mem.h"
#include "../share/lib/rng.h"

#include <math.h>
#include <stdlib.h>

enum { HISTORY_LINE = 1 << 20, AGAIN = 12, PENALTY = 3, BEHIND = 4, REPEATS = 64, SAMPLE = 64 };

/* A set with one history, and how it did since: `off` counts all loads, those of the reset included. */
struct history {
    struct policy_set set;
    struct score s[2];
    uint64_t off, last, loads; /* off in all, in the last trace; of how many loads */
    uint64_t state;            /* a hash of the set's state */
    unsigned again;            /* times it began again */
};

struct replayer {
    struct history *h;
    size_t n, most;
    unsigned drawn;
    struct rng rng;
};

/* Half of the accesses go to the lines under test. */
static void drawn_state(struct policy_set *set, const struct policy *p, unsigned ways,
                        uint32_t lines, struct rng *rng)
{
    policy_set_init(set, p, ways, 1);
    for (unsigned i = 0; i < 8 * ways; i++) {
        uint32_t line = (uint32_t)rng_below(rng, 2 * lines);

        policy_set_access(set, line < lines ? line : HISTORY_LINE + line, NULL);
    }
}

/* Histories: so many new lines; or accesses drawn at random. What is not fixed by a reset (trees, bits, ages: which way is
 * next) depends on them. */
static void begin(struct replayer *r, const struct policy *p, unsigned ways, uint32_t lines)
{
    rng_seed(&r->rng, 5);
    r->n = 2 * ways + 1 + r->drawn;
    for (unsigned k = 0; k < r->n; k++) {
        struct history *h = &r->h[k];

        *h = (struct history){.s[0] = {.trace = SIZE_MAX, .length = SIZE_MAX},
                              .s[1] = {.trace = SIZE_MAX, .length = SIZE_MAX}};
        policy_set_init(&h->set, p, ways, 1);
        for (unsigned i = 0; i < k && k <= 2 * ways; i++)
            policy_set_access(&h->set, HISTORY_LINE + i, NULL);
        if (k > 2 * ways)
            drawn_state(&h->set, p, ways, lines, &r->rng);
    }
}

/* Where the answers of a trace begin to say how good a history is: where its content is not known, the first half of the
 * reset only makes it known. */
static size_t settled(const struct trace *t, bool known)
{
    size_t reset = 0;

    while (!known && reset < t->n && !t->a[reset].counts)
        reset++;
    return reset / 2;
}

static void foresee(struct history *h, const struct trace *t, size_t trace, size_t from)
{
    struct score *s = &h->s[t->stores];
    size_t before = 0;

    h->last = h->off;
    for (size_t i = 0; i < t->n; i++) {
        bool hit = policy_set_access(&h->set, t->a[i].line, NULL);

        h->off += i >= from && hit != t->a[i].hit && !t->a[i].store;
        h->loads += !t->a[i].store;
        if (!t->a[i].counts)
            continue;
        s->total++;
        s->agree += hit == t->a[i].hit;
        if (hit != t->a[i].hit && before < s->length) {
            s->length = before;
            s->trace = trace;
            s->step = i;
        }
        before++;
    }
    h->last = h->off - h->last;
}

static uint64_t state_hash(const struct policy_set *s)
{
    uint64_t h = s->empty;

    for (unsigned w = 0; w < s->ways; w++)
        h = (h ^ s->line[w] ^ (uint64_t)s->state[w] << 32) * 0x9e3779b97f4a7c15u;
    return h;
}

static bool same_state(const struct history *x, const struct history *y)
{
    const struct policy_set *a = &x->set, *b = &y->set;

    return x->state == y->state && a->empty == b->empty &&
           memcmp(a->line, b->line, a->ways * sizeof *a->line) == 0 &&
           memcmp(a->state, b->state, sizeof a->state) == 0;
}

bool replay_many_states(const struct policy *p, unsigned ways, unsigned lines)
{
    struct history *h = xcalloc(SAMPLE, sizeof *h);
    uint32_t *load = xcalloc(POLICY_RESET(ways, lines), sizeof *load);
    size_t n = 0;
    struct rng rng;

    rng_seed(&rng, 6);
    policy_reset_loads(ways, lines, load);
    for (size_t i = 0, k; i < SAMPLE; i++) {
        drawn_state(&h[n].set, p, ways, lines, &rng);
        for (size_t x = 0; x < POLICY_RESET(ways, lines); x++)
            policy_set_access(&h[n].set, load[x], NULL);
        h[n].state = state_hash(&h[n].set);
        for (k = 0; k < n && !same_state(&h[k], &h[n]);)
            k++;
        n += k == n;
    }
    free(load);
    free(h);
    return n > SAMPLE * 3 / 4 && !p->list; /* of an order of lines the ways do not matter */
}

static const struct history *best(const struct replayer *r)
{
    size_t k = 0;

    for (size_t i = 1; i < r->n; i++)
        k = r->h[i].off < r->h[k].off ? i : k;
    return &r->h[k];
}

/* Keeps, of histories that have come to the same state, the better one, and gives up what is far behind. */
static void give_up(struct replayer *r)
{
    uint64_t least = best(r)->off, limit = least + least / 8 + BEHIND;
    size_t kept = 0;

    for (size_t i = 0; i < r->n; i++) {
        size_t k = 0;

        if (r->h[i].off > limit)
            continue;
        r->h[i].state = state_hash(&r->h[i].set);
        while (k < kept && !same_state(&r->h[k], &r->h[i]))
            k++;
        if (k == kept || r->h[i].off < r->h[k].off)
            r->h[k] = r->h[i];
        kept += k == kept;
    }
    r->n = kept;
}

/* When even the best history was off in the last trace, its state may be another than it seems: drawn states may go on in
 * its place. After stores that is no wonder (written lines may be replaced by another rule, or not be kept at all); else
 * something else touched the set, which is allowed once in a set, then for as many wrong answers as a penalty. Returns
 * whether states were drawn. */
static bool begin_again(struct replayer *r, const struct policy *p, const struct trace *t,
                        uint32_t lines)
{
    struct history like = *best(r);

    if (like.last == 0 ||
        (double)(like.s[0].total - like.s[0].agree) > 0.01 * (double)like.s[0].total)
        return false;
    if (!t[-1].stores && like.again++ > 0) {
        like.off += PENALTY;
        like.s[0].agree -= like.s[0].agree < PENALTY ? like.s[0].agree : PENALTY;
    }
    for (unsigned k = 0; k < AGAIN + r->drawn / 2 && r->n < r->most; k++) {
        drawn_state(&like.set, p, t->ways, lines, &r->rng);
        r->h[r->n++] = like;
    }
    return true;
}

static void add(struct score *to, const struct score *s)
{
    to->agree += s->agree;
    to->total += s->total;
    if (s->length < to->length) {
        to->length = s->length;
        to->trace = s->trace;
        to->step = s->step;
    }
}

static void likelihood(struct score *s, double flip)
{
    double right = log1p(-flip), wrong = log(flip), n = (double)s->total, agree = (double)s->agree;

    s->log_like = agree * right + (n - agree) * wrong;
    s->expected = n * ((1 - flip) * right + flip * wrong);
    s->sd = sqrt(n * flip * (1 - flip)) * (right - wrong);
}

/* Whether a candidate goes on: by the answers of finished sets and of the best history of this one, and, where few of them
 * count, by all of its loads. */
static bool passes(const struct score *done, const struct history *h,
                   const struct replay_gate **gate)
{
    const struct score *now = &h->s[0];
    double total = (double)(done->total + now->total), agree = (double)(done->agree + now->agree);

    if (*gate != NULL && h->off * 20 > h->loads + 400)
        return false;

    while (*gate != NULL && (*gate)->answers > 0 && total >= (double)(*gate)->answers) {
        if (agree < (*gate)->agreement * total)
            return false;
        ++*gate;
    }
    return true;
}

static void replay_all(const struct policy *p, const struct trace *t, size_t n,
                       const struct replay_how *how, struct score s[2])
{
    const struct replay_gate *gate = how->gate;
    struct replayer r = {.most = 2 * POLICY_WAYS + 1 + how->drawn + how->drawn / 2 + AGAIN,
                         .drawn = how->drawn};
    uint32_t lines = 1;

    r.h = xcalloc(r.most, sizeof *r.h);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < t[i].n; k++)
            lines = t[i].a[k].line >= lines ? t[i].a[k].line + 1 : lines;
    for (size_t i = 0; i < n && !s[0].stopped; i++) {
        bool known = i > 0 && t[i].set == t[i - 1].set;

        if (!known)
            begin(&r, p, t[i].ways, lines);
        else
            known = !begin_again(&r, p, &t[i], lines);
        for (size_t k = 0; k < r.n; k++)
            foresee(&r.h[k], &t[i], i, settled(&t[i], known));
        give_up(&r);
        s[0].stopped = !passes(&s[0], best(&r), &gate);
        if (i + 1 == n || t[i + 1].set != t[i].set || s[0].stopped) {
            add(&s[0], &best(&r)->s[0]);
            add(&s[1], &best(&r)->s[1]);
        }
    }
    free(r.h);
    likelihood(&s[0], how->flip);
    likelihood(&s[1], how->flip);
}

void replay_score(const struct policy *p, const struct trace *t, size_t n,
                  const struct replay_how *how, struct score s[2])
{
    s[0] = s[1] = (struct score){.trace = SIZE_MAX, .length = SIZE_MAX};
    if (p->random)
        replay_random(p, t, n, how, s);
    else
        replay_all(p, t, n, how, s);
}

bool replay_consistent(const struct policy *p, const struct score *s, double flip, double differ)
{
    double wrong = (double)(s->total - s->agree), n = (double)s->total;

    if (s->total == 0 || s->stopped)
        return false;
    if (p->random) /* and repeats differ as often as they should, within a factor of two and what bursts of ten make */
        return s->worst < 5 && s->log_like > s->expected - 5 * s->sd &&
               (isnan(differ) || fabs(differ * n - s->varied * 1.25) <
                                     s->varied * 0.75 + 3 + 3 * sqrt(10 * s->varied));
    return wrong <= n * (flip + 0.0005) + 3 * sqrt(n * flip);
}

/* Answers differ in bursts, so this many are a few independent draws. */
bool replay_too_lucky(const struct score *s)
{
    return s->varied > 40;
}

static bool same_run(const struct trace *a, const struct trace *b)
{
    return a->set == b->set && a->seq == b->seq && a->n == b->n && a->rep < b->rep;
}

double replay_differ(const struct trace *t, size_t n, uint64_t *pairs)
{
    uint64_t differ = 0;

    *pairs = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n && k < i + REPEATS && same_run(&t[i], &t[k]); k++)
            for (size_t x = 0; x < t[i].n; x++)
                if (t[i].a[x].counts) {
                    ++*pairs;
                    differ += t[i].a[x].hit != t[k].a[x].hit;
                }
    return *pairs > 0 ? (double)differ / (double)*pairs : 0;
}

double replay_misread(const struct trace *t, size_t n, uint64_t *loads)
{
    uint64_t missed = 0;

    *loads = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 1; k < t[i].n; k++) {
            const struct answer *a = &t[i].a[k];

            if (a->line != a[-1].line || a->store || a[-1].store)
                continue;
            ++*loads;
            missed += !a->hit;
        }
    return *loads > 0 ? (double)missed / (double)*loads : 0;
}
