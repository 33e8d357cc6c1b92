/* l2policy: which replacement policy the recorded accesses of `replace` come from. Every candidate is replayed, answer by
 * answer; one that is wrong more often than misreadings explain is rejected, with its shortest recorded counterexample.
 * What is left is the verdict, or a sequence to run that tells the rest apart. */
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/out.h"
#include "../share/lib/policy.h"
#include "../share/lib/tsv.h"
#include "findings.h"
#include "replay.h"
#include "traces.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Candidates are replayed on more and more accesses, as long as they are right often enough. */
enum { COPIES = 64, MOST_RANDOM = 20000, SHOWN = 40 };
static const struct {
    uint64_t accesses; /* 0: all */
    double agreement;  /* needed to go on */
} rounds[] = {{2000, 0.85}, {10000, 0.95}, {0, 0}};

struct candidate {
    struct policy policy;
    struct score clean, dirty; /* sequences without stores, with */
    bool fits;
};

struct verdict {
    struct candidate *c;
    size_t n, fitting;
    size_t best, next; /* by agreement (of random ones: by likelihood) */
    double flip;
    uint64_t pairs;
    const struct traces *t;
};

/* Deterministic policies by what they got right; a random one by how near its hits are. */
static double merit(const struct candidate *c)
{
    double total = (double)c->clean.total;

    if (total == 0)
        return 0;
    if (c->policy.random)
        return c->fits ? 1 / (1 + c->clean.worst) : 0;
    return (double)c->clean.agree / total;
}

static int by_merit(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    double ma = merit(a), mb = merit(b);

    if (a->fits != b->fits)
        return a->fits ? -1 : 1;
    if (a->policy.random != b->policy.random && a->fits)
        return a->policy.random
                   ? 1
                   : -1; /* a policy that foresees every answer comes before one that foresees shares */
    return (ma < mb) - (ma > mb);
}

static void score_clean(const struct traces *t, double flip, struct candidate *c)
{
    size_t k = 0;

    do
        replay_score(&c->policy, t->t, t->n, 0, flip, COPIES,
                     c->policy.random ? MOST_RANDOM : rounds[k].accesses, &c->clean);
    while (!c->policy.random && rounds[k].accesses != 0 &&
           (double)c->clean.agree > rounds[k++].agreement * (double)c->clean.total);
}

static void judge(struct verdict *v, const struct traces *t)
{
    double flip;

    v->t = t;
    v->flip = replay_flips(t->t, t->n, &v->pairs);
    flip = fmin(fmax(v->flip, 0.0005), 0.003);
    v->n = policy_count();
    v->c = xcalloc(v->n, sizeof *v->c);
    for (size_t k = 0; k < v->n; k++) {
        struct candidate *c = &v->c[k];

        c->policy = policy_at(k);
        score_clean(t, flip, c);
        c->fits = replay_consistent(&c->policy, &c->clean, flip, v->pairs > 0 ? 2 * v->flip : NAN);
    }
    qsort(v->c, v->n, sizeof *v->c, by_merit);
    for (size_t k = 0; k < v->n; k++) {
        v->fitting += v->c[k].fits;
        if (v->c[k].fits || k < 5)
            replay_score(&v->c[k].policy, t->t, t->n, 1, flip, COPIES,
                         v->c[k].policy.random ? MOST_RANDOM : 0, &v->c[k].dirty);
    }
}

/* The counted steps of a trace up to the wrong prediction, as replace's language writes them. */
static char *counterexample(const struct traces *t, const struct score *s)
{
    char *text = xstrdup(""), *longer;
    const struct trace *tr;
    size_t from;

    if (s->trace == SIZE_MAX)
        return text;
    tr = &t->t[s->trace];
    from = s->length > SHOWN ? s->step - SHOWN : s->step - s->length;
    for (size_t i = from; i <= s->step; i++) {
        longer = xprintf("%s%s%" PRIu32 "%s", text, *text ? " " : "", tr->a[i].line,
                         i == s->step ? "?" : "");
        free(text);
        text = longer;
    }
    longer = xprintf("set %" PRIu64 " sequence %" PRIu64 ": %s%s was a %s", tr->set, tr->seq,
                     s->length > SHOWN ? "... " : "", text, tr->a[s->step].hit ? "hit" : "miss");
    free(text);
    return longer;
}

static double agreement(const struct score *s)
{
    return s->total > 0 ? (double)s->agree / (double)s->total : NAN;
}

static void print_candidates(const struct verdict *v, const struct prov *p)
{
    struct out o;

    out_begin(&o, stdout, p,
              "exp policy ways agree total agreement loglik loglik_expected dirty_agreement fits "
              "counterexample");
    for (size_t k = 0; k < v->n; k++) {
        const struct candidate *c = &v->c[k];
        char *example = counterexample(v->t, &c->clean);

        out_str(&o, "policy");
        out_str(&o, c->policy.name);
        out_u64(&o, v->t->ways);
        out_u64(&o, c->clean.agree);
        out_u64(&o, c->clean.total);
        out_round(&o, agreement(&c->clean), 6);
        out_round(&o, c->clean.log_like, 7);
        out_round(&o, c->clean.expected, 7);
        out_round(&o, agreement(&c->dirty), 6);
        out_str(&o, c->fits ? "yes" : "no");
        out_str(&o, c->fits ? "-" : example);
        out_row(&o);
        free(example);
    }
    out_end(&o, "ok");
}

/* Deterministic candidates that predict the same answers are told apart by a sequence, if there is a short one. */
static char *next_sequence(const struct verdict *v)
{
    const struct candidate *a = &v->c[0], *b = &v->c[1];
    char *text = xstrdup(""), *longer;
    uint32_t line[64];
    size_t n;

    if (v->fitting < 2 || a->policy.random || b->policy.random)
        return text;
    n = replay_distinguish(&a->policy, &b->policy, &v->t->t[0], v->t->lines, line, 64);
    for (size_t i = 0; i < n; i++) {
        longer =
            xprintf("%s%s%" PRIu32 "%s", text, *text ? " " : "", line[i], i + 1 == n ? "?" : "");
        free(text);
        text = longer;
    }
    return text;
}

static char *names_of_fitting(const struct verdict *v)
{
    char *text = xstrdup(v->c[0].policy.name), *longer;

    for (size_t k = 1; k < v->fitting && k < 6; k++) {
        longer = xprintf("%s or %s", text, v->c[k].policy.name);
        free(text);
        text = longer;
    }
    return text;
}

/* Sets that take another policy than the rest: the best candidate is wrong there, another one right. */
static size_t dueling_sets(const struct verdict *v)
{
    size_t other = 0;

    for (size_t i = 0; i < v->t->n; i++) {
        struct score s;

        if (i > 0 && v->t->t[i].set == v->t->t[i - 1].set)
            continue;
        replay_score(&v->c[0].policy, v->t->t + i, traces_of_set(v->t, i), 0, 0.001, COPIES,
                     MOST_RANDOM, &s);
        other += !v->c[0].policy.random && s.total > 0 && (double)s.agree < 0.98 * (double)s.total;
    }
    return other;
}

static void put_policy(struct out *o, const struct verdict *v)
{
    const struct candidate *c = &v->c[0];
    char *names = names_of_fitting(v), *sequence = next_sequence(v);
    bool as_good = v->fitting > 1 && v->c[0].policy.random == v->c[1].policy.random;

    if (v->fitting == 0)
        finding_word(o, "policy", "none", "replay", c->clean.total,
                     "none fits; nearest %s at %.2f %%; %zu of %zu sets differ from it",
                     c->policy.name, 100 * agreement(&c->clean), dueling_sets(v), v->t->sets);
    else if (as_good)
        finding_word(o, "policy", names, "replay", c->clean.total, "not told apart: run seq='%s'",
                     sequence);
    else
        finding_word(o, "policy", c->policy.name, "replay", c->clean.total,
                     "consistent: %s (%" PRIu64
                     " accesses, %.3f %% as predicted; all %zu other candidates rejected)",
                     c->policy.name, c->clean.total, 100 * agreement(&c->clean), v->n - v->fitting);
    free(names);
    free(sequence);
}

static void print_findings(const struct verdict *v, const struct prov *p)
{
    const struct candidate *c = &v->c[0];
    struct out o;

    findings_begin(&o, stdout, p);
    put_policy(&o, v);
    finding_put(&o, "policy_agreement", agreement(&c->clean), agreement(&c->clean),
                agreement(&c->clean), "replay", c->clean.total,
                "%s on sequences of loads, %zu sets", c->policy.name, v->t->sets);
    if (v->fitting > 0 && c->dirty.total > 0)
        finding_put(&o, "policy_dirty", agreement(&c->dirty), agreement(&c->dirty),
                    agreement(&c->dirty), "replay", c->dirty.total,
                    "%s on sequences with stores: %s", c->policy.name,
                    agreement(&c->dirty) > agreement(&c->clean) - 0.005
                        ? "written lines are replaced alike"
                        : "written lines are treated differently");
    finding_word(&o, "policy_repeats", v->flip > 0.01 ? "differ" : "same", "repeat", v->pairs,
                 "%.3f %% of the answers differ between two runs of a sequence%s", 200 * v->flip,
                 v->flip > 0.01
                     ? ": replacement draws random numbers, or something else touches the sets"
                     : "");
    out_end(&o, "ok");
}

static const struct cli_opt opts[] = {
    {'c', "candidates", NULL, "print every candidate: agreement, likelihood, counterexample"},
    {'w', "ways", "N", "ways of a set (default: the rows say)"},
    {'l', "list", NULL, "list the candidates"},
    {'S', "strict", NULL, "an incomplete input is an error"},
    {0, NULL, NULL, NULL},
};
static const struct cli_usage usage = {"[-c] [-w ways] [-S] [file...]",
                                       "Finds the replacement policy from rows of replace.", opts};

static _Noreturn void list(void)
{
    for (size_t k = 0; k < policy_count(); k++)
        printf("%s\t%s\n", policy_at(k).name, policy_at(k).summary);
    xclose_stdout();
    exit(EXIT_OK);
}

int main(int argc, char **argv)
{
    struct verdict v = {0};
    struct traces traces = {0};
    bool candidates = false, strict = false;
    struct tsv *t;
    int letter;

    cli_start("l2policy");
    while ((letter = xcli_next(argc, argv, &usage)) != -1)
        switch (letter) {
        case 'c':
            candidates = true;
            break;
        case 'w':
            traces.ways = (unsigned)xparse_u64("-w", optarg, 1, POLICY_WAYS);
            break;
        case 'l':
            list();
        case 'S':
            strict = true;
            break;
        }
    t = xtsv_open(argv + optind);
    t->strict = strict;
    xtraces_read(t, &traces);
    judge(&v, &traces);
    prov_command(&t->prov, argc, argv);
    if (candidates)
        print_candidates(&v, &t->prov);
    else
        print_findings(&v, &t->prov);
    free(v.c);
    traces_free(&traces);
    tsv_close(t);
    xclose_stdout();
    return EXIT_OK;
}
