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
#include "tell.h"
#include "traces.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DRAWN = 40,
    DRAWN_MORE = 400,
    DRAWN_MOST = 8000,
    COPIES = 64,
    MOST_RANDOM = 20000,
    SHOWN = 40,
    NAMED = 6,
    CLOSEST = 5
};
static const double LEAST_FLIP = 0.0005;
static const struct replay_gate gates[] = {
    {200, 0.6}, {500, 0.85}, {1500, 0.95}, {4000, 0.98}, {0, 0}};

struct candidate {
    struct policy policy;
    size_t number;
    struct score s[2]; /* sequences without stores, with */
    bool fits;
};

struct verdict {
    struct candidate *c;
    size_t n, fitting;
    double differ, misread;
    uint64_t pairs, loads;
    const struct traces *t;
};

/* Deterministic policies by what they got right; a random one by how near its hits are. */
static double merit(const struct candidate *c)
{
    double total = (double)c->s[0].total;

    if (total == 0)
        return 0;
    if (c->policy.random)
        return c->fits ? 1 / (1 + c->s[0].worst) : 0;
    return (double)c->s[0].agree / total;
}

/* Those that fit come first, of them the deterministic ones, in the table's order: plain ones before their like. */
static int by_merit(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    double ma = merit(a), mb = merit(b);

    if (a->fits != b->fits)
        return a->fits ? -1 : 1;
    if (a->policy.random != b->policy.random && a->fits)
        return a->policy.random ? 1 : -1;
    if (!a->fits && a->s[0].stopped != b->s[0].stopped)
        return a->s[0].stopped ? 1 : -1;
    if (!a->fits && ma != mb)
        return ma < mb ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Wrong by so little that the right history may only not have been among those tried. */
static bool is_near(const struct candidate *c)
{
    return !c->fits && !c->policy.random && (double)c->s[0].agree > 0.97 * (double)c->s[0].total;
}

static void replay(const struct verdict *v, struct candidate *c, struct replay_how *how,
                   unsigned drawn)
{
    how->drawn = drawn;
    replay_score(&c->policy, v->t->t, v->t->n, how, c->s);
    c->fits = replay_consistent(&c->policy, &c->s[0], how->flip, v->pairs > 0 ? v->differ : NAN);
}

/* Candidate k: as an earlier one that behaves alike, or by its own replay; a near one again from many more states. */
static void judge_one(struct verdict *v, size_t k, struct replay_how *how)
{
    struct candidate *c = &v->c[k];

    c->policy = policy_at(k);
    c->number = k;
    for (size_t i = 0; i < k; i++)
        if (policy_alike(&v->c[i].policy, &c->policy)) {
            memcpy(c->s, v->c[i].s, sizeof c->s);
            c->fits = v->c[i].fits;
            return;
        }
    replay(v, c, how, DRAWN);
    if (is_near(c))
        replay(v, c, how, DRAWN_MORE);
}

/* When no deterministic candidate fits: the plain ones of which a reset leaves very many states, again from very many. Trees
 * are such; over a number of ways that is no power of two the states are not even alike. Draws may fit as well until then. */
static void judge_again(struct verdict *v, struct replay_how *how)
{
    size_t fitting = 0;

    for (size_t k = 0; k < v->n; k++)
        fitting += v->c[k].fits && !v->c[k].policy.random;
    for (size_t k = 0; k < policy_count_plain() && fitting == 0; k++) {
        struct candidate *c = &v->c[k];

        if (c->policy.random || !replay_many_states(&c->policy, v->t->ways, v->t->known))
            continue;
        for (unsigned drawn = DRAWN_MOST / 4; drawn <= DRAWN_MOST && !c->fits; drawn *= 4)
            replay(v, c, how, drawn);
    }
}

static void judge(struct verdict *v, const struct traces *t)
{
    struct replay_how how = {.copies = COPIES, .most = MOST_RANDOM, .gate = gates};
    bool foreseen = false;

    v->t = t;
    v->differ = replay_differ(t->t, t->n, &v->pairs);
    v->misread = replay_misread(t->t, t->n, &v->loads);
    how.flip = fmax(v->misread, LEAST_FLIP);
    v->n = policy_count();
    v->c = xcalloc(v->n, sizeof *v->c);
    for (size_t k = 0; k < v->n; k++)
        judge_one(v, k, &how);
    judge_again(v, &how);
    for (size_t k = 0; k < v->n; k++)
        foreseen = foreseen || (v->c[k].fits && !v->c[k].policy.random);
    for (size_t k = 0; k < v->n; k++) {
        struct candidate *c = &v->c[k];

        c->fits = c->fits && !(foreseen && c->policy.random && replay_too_lucky(&c->s[0]));
        v->fitting += c->fits;
    }
    qsort(v->c, v->n, sizeof *v->c, by_merit);
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
        char *example = counterexample(v->t, &c->s[0]);

        out_str(&o, "policy");
        out_str(&o, c->policy.name);
        out_u64(&o, v->t->ways);
        out_u64(&o, c->s[0].agree);
        out_u64(&o, c->s[0].total);
        out_round(&o, agreement(&c->s[0]), 6);
        out_round(&o, c->s[0].log_like, 7);
        out_round(&o, c->s[0].expected, 7);
        out_round(&o, agreement(&c->s[1]), 6);
        out_str(&o, c->fits ? "yes" : "no");
        out_str(&o, c->fits ? "-" : example);
        out_row(&o);
        free(example);
    }
    out_end(&o, "ok");
}

/* A sequence for the first two candidates that one can tell apart; empty when there is none. Only pairs with the first
 * candidate are tried: the others are rejected with it, or tell nothing new. */
static char *next_sequence(const struct verdict *v, double *deviations)
{
    struct tell_bed bed = {v->t->ways, v->t->known < TELL_LINES ? v->t->known : TELL_LINES};
    char text[480];

    for (size_t k = 1; k < v->fitting && k < NAMED; k++)
        if (tell_apart(&v->c[0].policy, &v->c[k].policy, &bed, text, sizeof text, deviations) == 0)
            return xstrdup(text);
    return xstrdup("");
}

static char *names_of_fitting(const struct verdict *v)
{
    char *text = xstrdup(v->c[0].policy.name), *longer;

    for (size_t k = 1; k < v->fitting && k < NAMED; k++) {
        longer = xprintf("%s or %s", text, v->c[k].policy.name);
        free(text);
        text = longer;
    }
    return text;
}

/* Sets that the nearest candidate is wrong on. */
static size_t other_sets(const struct verdict *v)
{
    struct replay_how how = {
        .flip = LEAST_FLIP, .drawn = DRAWN, .copies = COPIES, .most = MOST_RANDOM};
    size_t other = 0;

    for (size_t i = 0, n; i < v->t->n && !v->c[0].policy.random; i += n) {
        struct score s[2];

        n = traces_of_set(v->t, i);
        replay_score(&v->c[0].policy, v->t->t + i, n, &how, s);
        other += (double)s[0].agree < 0.98 * (double)s[0].total;
    }
    return other;
}

static void put_not_told(struct out *o, const struct verdict *v)
{
    double deviations = 0;
    char *names = names_of_fitting(v), *sequence = next_sequence(v, &deviations);
    unsigned runs = deviations < 3 ? (unsigned)ceil(36 / (deviations * deviations)) : 2;

    if (*sequence == '\0')
        finding_word(
            o, "policy", names, "replay", v->c[0].s[0].total,
            "consistent: %s; %zu candidates fit that behave alike on full sets; all %zu others "
            "rejected",
            v->c[0].policy.name, v->fitting, v->n - v->fitting);
    else
        finding_word(o, "policy", names, "replay", v->c[0].s[0].total,
                     "not told apart: run reps=%u seq='%s'", runs, sequence);
    free(names);
    free(sequence);
}

static void put_policy(struct out *o, const struct verdict *v)
{
    const struct candidate *c = &v->c[0];

    if (v->fitting == 0) {
        size_t other = other_sets(v);

        finding_word(o, "policy", "none", "replay", c->s[0].total,
                     "none fits; nearest %s at %.2f %%; %zu of %zu sets differ from it%s",
                     c->policy.name, 100 * agreement(&c->s[0]), other, v->t->sets,
                     other > 0 && other < v->t->sets ? ": another policy may be at work in them"
                                                     : "");
    } else if (v->fitting > 1)
        put_not_told(o, v);
    else
        finding_word(o, "policy", c->policy.name, "replay", c->s[0].total,
                     "consistent: %s (%" PRIu64
                     " accesses, %.3f %% as predicted; all %zu other candidates rejected)",
                     c->policy.name, c->s[0].total, 100 * agreement(&c->s[0]), v->n - v->fitting);
}

static void put_repeats(struct out *o, const struct verdict *v)
{
    bool differ = v->differ > 2 * v->misread + 0.005, known = v->fitting > 0;

    finding_word(o, "policy_repeats", differ ? "differ" : "same", "repeat", v->pairs,
                 "%.3f %% of the answers differ between two runs of a sequence%s", 100 * v->differ,
                 !differ                          ? ""
                 : known && v->c[0].policy.random ? ": replacement draws random numbers"
                 : known                          ? ": what the set held before decides"
                                                  : ": replacement draws random numbers, or "
                                                    "something else touches the sets");
    finding_put(o, "policy_misread", v->misread, v->misread, v->misread, "repeat", v->loads,
                "loads right behind a load of the same line that took as long as a miss");
}

static void print_findings(const struct verdict *v, const struct prov *p)
{
    const struct candidate *c = &v->c[0];
    struct out o;

    findings_begin(&o, stdout, p);
    put_policy(&o, v);
    finding_put(&o, "policy_agreement", agreement(&c->s[0]), agreement(&c->s[0]),
                agreement(&c->s[0]), "replay", c->s[0].total, "%s on sequences of loads, %zu sets",
                c->policy.name, v->t->sets);
    if (v->fitting > 0 && c->s[1].total > 0)
        finding_put(&o, "policy_dirty", agreement(&c->s[1]), agreement(&c->s[1]),
                    agreement(&c->s[1]), "replay", c->s[1].total, "%s on sequences with stores: %s",
                    c->policy.name,
                    agreement(&c->s[1]) > agreement(&c->s[0]) - 0.005
                        ? "written lines are replaced alike"
                        : "written lines are treated differently");
    put_repeats(&o, v);
    out_end(&o, "ok");
}

/* Only the sequence that tells more: for replace seq=-. */
static void print_next(const struct verdict *v, const struct prov *p)
{
    double deviations;
    char *sequence = next_sequence(v, &deviations);

    (void)p;
    if (*sequence != '\0')
        puts(sequence);
    free(sequence);
}

static const struct cli_opt opts[] = {
    {'c', "candidates", NULL, "print every candidate: agreement, likelihood, counterexample"},
    {'w', "ways", "N", "ways of a set (default: the rows say)"},
    {'l', "list", NULL, "list the candidates"},
    {'n', "next", NULL,
     "print the sequence that tells the first candidates apart, and nothing else"},
    {'S', "strict", NULL, "an incomplete input is an error"},
    {0, NULL, NULL, NULL},
};
static const struct cli_usage usage = {"[-c | -n] [-w ways] [-S] [file...]",
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
    void (*print)(const struct verdict *, const struct prov *) = print_findings;
    bool strict = false;
    struct tsv *t;
    int letter;

    cli_start("l2policy");
    while ((letter = xcli_next(argc, argv, &usage)) != -1)
        switch (letter) {
        case 'c':
            print = print_candidates;
            break;
        case 'w':
            traces.ways = (unsigned)xparse_u64("-w", optarg, 1, POLICY_WAYS);
            break;
        case 'l':
            list();
        case 'n':
            print = print_next;
            break;
        case 'S':
            strict = true;
            break;
        }
    t = xtsv_open(argv + optind);
    t->strict = strict;
    xtraces_read(t, &traces);
    judge(&v, &traces);
    prov_command(&t->prov, argc, argv);
    print(&v, &t->prov);
    free(v.c);
    traces_free(&traces);
    tsv_close(t);
    xclose_stdout();
    return EXIT_OK;
}
