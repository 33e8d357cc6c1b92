/* replace: sequences of accesses to the congruent lines of one set, every access timed, in order: what a replacement
 * policy is told from.
 *
 * Sets are found as by evict, with more congruent lines (lines=). Half of them from an SM of each side where there are
 * two. Before each sequence the set is put in a known state (policy_reset_loads; rows of the same step order, report 0);
 * line numbers of a sequence are ranks of congruent lines. Without seq= the built-in sequences run:
 * cyclic, fresh shuffles, random with a share of new lines, re-touch and age tests, each with its own name. */
#include "access.h"
#include "evset_params.h"
#include "sequence.h"
#include "../share/lib/mem.h"
#include "../share/lib/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STORE_BYTES = 32 /* a whole sector: a part of one would not be readable */
};

/* A set ready for sequences. */
struct bed {
    const struct evset_plan *p;
    uint64_t number;
    unsigned side;
    uint32_t ways, threshold;
    uint64_t line[L2_TIP_FOUND + 1]; /* the target, then the lines found */
    uint32_t nline;
    uint32_t lacks; /* lines of the last set that had too few for the sequences, or 0 */
};

static void put_rows(struct run *r, const struct bed *b, uint64_t seq, uint64_t rep,
                     const l2_access *list, const struct sequence *q, const uint32_t *cycles)
{
    for (size_t i = 0; i < q->n; i++) {
        struct out *o = r->out;

        out_str(o, "replace");
        out_u64(o, b->number);
        out_u64(o, b->side);
        out_i64(o, b->p->sm);
        out_u64(o, b->ways);
        out_u64(o, b->threshold);
        out_u64(o, seq);
        out_u64(o, rep);
        out_u64(o, i);
        out_u64(o, q->step[i].line);
        out_str(o, access_name((enum l2_kind)q->step[i].kind));
        out_u64(o, q->step[i].report);
        out_u64(o, l2_access_offset(list[i]));
        out_u64(o, cycles[i]);
        out_row(o);
    }
}

static bool is_store(uint8_t kind)
{
    return kind == L2_ST || kind == L2_ST_EVICT_FIRST || kind == L2_ST_EVICT_LAST;
}

/* Runs one sequence behind its reset, as one walk: nothing else touches the set in between. */
static int run_sequence(struct run *r, const struct bed *b, uint64_t seq, uint64_t rep,
                        const struct sequence *user)
{
    uint32_t reset[POLICY_RESET(L2_TIP_FOUND, L2_TIP_FOUND + 1)], *cycles;
    struct sequence q = {0};
    l2_access *list;
    int rc;

    policy_reset_loads(b->ways, b->nline, reset);
    for (size_t i = 0; i < POLICY_RESET(b->ways, b->nline); i++)
        sequence_step(&q, reset[i], L2_LD_CG, false);
    for (size_t i = 0; i < user->n; i++)
        sequence_step(&q, user->step[i].line, user->step[i].kind, user->step[i].report);
    list = xmalloc(q.n * sizeof *list);
    cycles = xmalloc(q.n * sizeof *cycles);
    for (size_t i = 0; i < q.n; i++)
        list[i] = l2_access_of(q.step[i].kind, b->line[q.step[i].line],
                               is_store(q.step[i].kind) ? STORE_BYTES : 0);
    rc = r->dev->ops->walk(r->dev, b->p->sm, list, q.n, cycles);
    if (rc == 0)
        put_rows(r, b, seq, rep, list, &q, cycles);
    free(q.step);
    free(list);
    free(cycles);
    return rc;
}

/* Built-in sequences over `ways` + extra lines. */
static void add_cyclic(struct sequences *s, uint32_t lines, uint32_t passes)
{
    struct sequence *q = sequences_add(s);

    for (uint32_t i = 0; i < lines * passes; i++)
        sequence_step(q, i % lines, L2_LD_CG, true);
}

static void add_shuffles(struct sequences *s, struct rng *rng, uint32_t lines, uint32_t passes)
{
    struct sequence *q = sequences_add(s);
    uint32_t order[L2_TIP_FOUND + 1];

    for (uint32_t i = 0; i < lines; i++)
        order[i] = i;
    for (uint32_t pass = 0; pass < passes; pass++) {
        rng_shuffle(rng, order, lines);
        for (uint32_t i = 0; i < lines; i++)
            sequence_step(q, order[i], L2_LD_CG, true);
    }
}

/* Random lines: with chance `fresh` one of all lines, else one of the `ways` used last but for the most recent. */
static void add_random(struct sequences *s, struct rng *rng, uint32_t lines, uint32_t ways,
                       double fresh, uint32_t steps, double stores)
{
    struct sequence *q = sequences_add(s);

    for (uint32_t i = 0; i < steps; i++) {
        uint32_t line = (uint32_t)rng_below(rng, lines);

        if (i > ways && rng_uniform(rng) >= fresh)
            line = q->step[i - 1 - rng_below(rng, ways)].line;
        sequence_step(q, line, rng_uniform(rng) < stores ? L2_ST : L2_LD_CG, true);
    }
}

/* Fills the set, touches line 0 again (or not), lets `age` new lines in, and asks for line 0. */
static void add_age(struct sequences *s, uint32_t ways, uint32_t age, bool touch)
{
    struct sequence *q = sequences_add(s);

    for (uint32_t i = 0; i < ways; i++)
        sequence_step(q, i, L2_LD_CG, true);
    if (touch)
        sequence_step(q, 0, L2_LD_CG, true);
    for (uint32_t i = 0; i < age; i++)
        sequence_step(q, ways + i, L2_LD_CG, true);
    sequence_step(q, 0, L2_LD_CG, true);
}

static void built_in(const struct run *r, struct rng *rng, const struct bed *b, struct sequences *s)
{
    uint32_t more = b->nline - b->ways, steps = (uint32_t)param_u64(r, "steps");

    add_cyclic(s, b->ways, 3);
    add_cyclic(s, b->ways + 1, 6);
    add_shuffles(s, rng, b->ways + 1, 8);
    add_random(s, rng, b->ways + 2 < b->nline ? b->ways + 2 : b->nline, b->ways, 0.5, steps, 0);
    add_random(s, rng, b->nline, b->ways, 0.3, steps, 0);
    add_random(s, rng, b->nline, b->ways, param_double(r, "fresh"), steps, 0);
    add_random(s, rng, b->nline, b->ways, 0.3, steps, 0.3);
    for (uint32_t age = 1; age <= more; age += 1 + age / 4) {
        add_age(s, b->ways, age, false);
        add_age(s, b->ways, age, true);
    }
}

/* What the person typed: text, "-" for standard input, or "@FILE". */
static int typed(struct run *r, struct sequences *s)
{
    const char *text = param_text(r, "seq");
    char *read = NULL, why[200];
    size_t cap = 0;
    ssize_t len;
    int rc;

    if (strcmp(text, "-") == 0 || *text == '@') {
        FILE *in = fopen(*text == '@' ? text + 1 : "/dev/stdin", "r");

        if (in == NULL)
            return device_fail(r->dev, "seq=%s: cannot be opened", text);
        len = getdelim(&read, &cap, '\0', in);
        fclose(in);
        if (len < 0)
            return device_fail(r->dev, "seq=%s: empty", text);
        text = read;
    }
    rc = sequences_parse(s, text, why, sizeof why);
    free(read);
    if (rc != 0)
        return run_misfit(r, "seq: %s", why);
    return s->n == 0 ? run_misfit(r, "seq: no sequence in it") : 0;
}

static int run_set(struct run *r, const struct bed *b, struct sequences *user)
{
    struct sequences own = {0}, *s = user->n > 0 ? user : &own;
    uint64_t reps = param_u64(r, "reps");
    struct rng rng;
    int rc = 0;

    rng_seed(&rng,
             b->ways * 1000003 +
                 b->nline); /* the same sequences for every set, so that sets can be compared */
    if (user->n == 0)
        built_in(r, &rng, b, &own);
    for (size_t i = 0; i < s->n && rc == 0 && !run_stopped(); i++) {
        if (POLICY_RESET(b->ways, b->nline) + s->seq[i].n > r->dev->walk_chunk)
            rc = device_fail(r->dev,
                             "a sequence of %zu steps: this device times at most %zu in one go",
                             s->seq[i].n, r->dev->walk_chunk - POLICY_RESET(b->ways, b->nline));
        for (uint64_t rep = 0; rep < reps && rc == 0; rep++)
            rc = run_sequence(r, b, i, rep, &s->seq[i]);
    }
    sequences_free(&own);
    return rc;
}

/* Finds a set with enough lines and runs all sequences on it; *done tells whether there was one. */
static int one_set(struct run *r, const struct evset_plan *p, struct bed *b, struct sequences *user,
                   struct l2_tip_out *out, bool *done)
{
    uint64_t target = evset_target(p, &r->rng);
    uint32_t need = (uint32_t)param_u64(r, "extra");

    *done = false;
    if (evset_threshold(p, target, &b->threshold) != 0 || evset_find(p, target, 4, out) != 0)
        return -1;
    if (out->status != L2_TIP_OK)
        return 0;
    if (out->nfound < out->nset + (need > 0 ? 1 : 0))
        return 0;
    b->p = p;
    b->ways = out->nset;
    b->line[0] = target;
    memcpy(b->line + 1, out->found, out->nfound * sizeof *out->found);
    b->nline = out->nfound + 1;
    b->lacks = sequences_most(user) >= b->nline ? b->nline : 0;
    if (b->lacks > 0)
        return 0;
    *done = true;
    return run_set(r, b, user);
}

/* All sets of one SM, its lines touched as in the plan before, if there was one. Target searches that fail are repeated
 * with other lines, at most three times the number wanted. */
static int sets_of_sm(struct run *r, int sm, unsigned side, uint64_t from, uint64_t to,
                      struct sequences *user, struct evset_plan *before)
{
    struct evset_plan p = evset_plan_of(r);
    struct l2_tip_out *out = xmalloc(sizeof *out);
    struct bed b = {.side = side, .number = from};
    uint64_t misses = 0;
    int rc;

    p.sm = sm;
    p.lines = evset_lines_of(param_text(r, "lines"));
    p.extra = (uint32_t)param_u64(r, "extra");
    p.rounds = before->rounds;
    p.settle = before->settle;
    p.touches = before->touches;
    rc = evset_plan(&p, &r->rng);
    while (b.number < to && misses < 3 * (to - from) + 3 && rc == 0 && !run_stopped()) {
        bool done;

        rc = one_set(r, &p, &b, user, out, &done);
        b.number += done;
        misses += !done;
        run_progress(r, (double)b.number, (double)param_u64(r, "sets"));
    }
    if (rc == 0 && b.number == from && b.lacks > 0)
        rc = device_fail(r->dev,
                         "seq: line %u, but only %u congruent lines are known: extra=%u finds more",
                         sequences_most(user), b.lacks, sequences_most(user) - b.ways);
    if (rc == 0 && b.number < to && !run_stopped())
        run_warn(r,
                 "sm %d: %llu of %llu sets found; the last search ended with '%s': try other "
                 "lines= or pool=",
                 sm, (unsigned long long)(b.number - from), (unsigned long long)(to - from),
                 evset_status(out->status));
    evset_plan_free(&p);
    *before = p;
    free(out);
    return rc;
}

static int run_replace(struct run *r)
{
    struct sequences user = {0};
    struct evset_plan plan = {0};
    uint64_t sets = param_u64(r, "sets");
    int sm = (int)param_u64(r, "sm"), other = -1, rc = 0;

    if (strcmp(param_text(r, "seq"), "auto") != 0)
        rc = typed(r, &user);
    if (rc == 0)
        rc = sides_other_sm(r->dev, sm, &r->rng, &other);
    if (rc == 0)
        rc = sets_of_sm(r, sm, 0, 0, other < 0 ? sets : (sets + 1) / 2, &user, &plan);
    if (rc == 0 && other >= 0 && sets > 1)
        rc = sets_of_sm(r, other, 1, (sets + 1) / 2, sets, &user, &plan);
    sequences_free(&user);
    return rc;
}

static const struct param params[] = {
    {"seq", PARAM_TEXT, "auto", "",
     "sequences to run, as 'a b c a? d?', - (standard input) or @FILE; auto: built-in ones", 0, 0},
    {"sets", PARAM_U64, "20", "", "sets, half of them of each side", 1, 10000},
    {"extra", PARAM_U64, "10", "lines", "congruent lines beyond the ways", 1, 40},
    {"reps", PARAM_U64, "2", "", "times each sequence runs", 1, 1000},
    {"steps", PARAM_U64, "200", "", "accesses of a random sequence", 10, 10000},
    {"fresh", PARAM_DOUBLE, "0.6", "", "share of new lines in the third random sequence", 0, 1},
    EVSET_PARAM_LINES,
    {"sm", PARAM_U64, "0", "", "the SM that walks (an SM of the other side takes the other half)",
     0, 1e4},
    EVSET_PARAM_LINE,
    EVSET_PARAM_POOL,
    {0},
};

const struct experiment exp_replace = {
    "replace",
    "sequences over the lines of one set: the replacement policy",
    "exp set side sm ways threshold seq rep step line kind report offset cycles",
    params,
    run_replace,
    false,
};
