/* copies: when an SM's own side keeps a copy of a line whose home is the other side, where in the set's order it enters,
 * what takes it away, and whether it shares its ways with home lines.
 *
 * Remote lines alone do not give eviction sets where copies obey rules of their own, so sets are found from where lines are
 * at home. An SM of the other side finds lines of the set that the line in question has there. The own SM finds the home
 * lines that push out its copy: the pool holds only home lines, so the home of the copied line is not disturbed. Then the
 * scenes of share/lib/scene.h are played, by walks of the two SMs in turn; what a scene asks for is a row. Rows of case
 * `find` say how the searches ended (near: lines that evict the copy, far: lines that evict the line at home). A copy that home
 * lines do not evict plays the scenes of allocation only; the status of their rows tells. */
#include "evset_params.h"
#include "../share/lib/mem.h"
#include "../share/lib/scene.h"
#include "../share/lib/split.h"

#include <stdlib.h>
#include <string.h>

enum { OWN, OTHER, CONTROLS = 8, TRIES = 4, HITS = 16, SCENES = 1024 };

/* What both SMs know, and a set of lines. */
struct stage {
    struct evset_plan home,
        remote;            /* of the own SM: home lines; only for thresholds: remote lines */
    struct evset_plan far; /* of the other SM: its home lines */
    uint64_t number;
    unsigned ways;
    uint32_t threshold, threshold_home;
    uint64_t line[3][L2_TIP_FOUND + 1]; /* by enum scene_lines */
    unsigned n[3];
    const char *status; /* of the search for home lines */
    double own_hit;     /* cycles of a hit of home lines, median */
};

struct reading {
    const char *what, *lines, *status;
    struct scene scene;
    unsigned who;
    uint64_t rep, step, line, offset, cycles;
};

static void put_row(struct run *r, const struct stage *st, const struct reading *x)
{
    struct out *o = r->out;

    out_str(o, "copies");
    out_u64(o, st->number);
    out_u64(o, x->who);
    out_i64(o, x->who == OWN ? st->home.sm : st->far.sm);
    out_u64(o, st->ways);
    out_u64(o, st->threshold);
    out_u64(o, st->threshold_home);
    out_str(o, x->what);
    out_u64(o, x->scene.touches);
    out_u64(o, x->scene.near);
    out_u64(o, x->scene.far);
    out_u64(o, x->scene.each);
    out_u64(o, x->rep);
    out_u64(o, x->step);
    out_str(o, x->lines);
    out_u64(o, x->line);
    out_u64(o, x->offset);
    out_u64(o, x->cycles);
    out_str(o, x->status);
    out_row(o);
}

/* Walks the steps, a walk for each turn of an SM; cycles of each step. */
static int play(const struct stage *st, const struct scene_step *step, size_t n, uint32_t *cycles)
{
    l2_access list[SCENE_STEPS];
    const struct device_ops *ops = st->home.d->ops;

    for (size_t i = 0, m; i < n; i += m) {
        for (m = 0; i + m < n && step[i + m].other == step[i].other; m++)
            list[m] = l2_access_of(L2_LD_CG, st->line[step[i + m].lines][step[i + m].line], 0);
        if (ops->walk(st->home.d, step[i].other ? st->far.sm : st->home.sm, list, m, cycles + i) !=
            0)
            return -1;
    }
    return 0;
}

static int play_scene(struct run *r, const struct stage *st, const struct scene *s, uint64_t rep)
{
    struct scene_step step[SCENE_STEPS];
    uint32_t cycles[SCENE_STEPS];
    unsigned home, remote;
    size_t n = scene_steps(s, st->ways, step);

    scene_needs(s, st->ways, &home, &remote);
    if (s->what > SCENE_ALLOC_HIT && strcmp(st->status, "ok") != 0)
        return 0;
    if (n == 0 || home > st->n[SCENE_HOME] || remote > st->n[SCENE_REMOTE])
        return 0;
    if (play(st, step, n, cycles) != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct reading x = {scene_names[s->what],
                            scene_lines_names[step[i].lines],
                            st->status,
                            *s,
                            step[i].other,
                            rep,
                            i,
                            step[i].line,
                            0,
                            cycles[i]};

        x.offset = st->line[step[i].lines][step[i].line];
        if (step[i].report)
            put_row(r, st, &x);
    }
    return 0;
}

static void add(struct scene *list, size_t *n, enum scene_case what, unsigned touches,
                unsigned near, unsigned far, unsigned each)
{
    if (*n < SCENES)
        list[(*n)++] = (struct scene){what, touches, near, far, each};
}

static void add_depths(struct scene *list, size_t *n, unsigned ways)
{
    for (unsigned k = 1; k <= ways + 2; k++) {
        for (unsigned touches = 1; touches <= 3; touches++)
            add(list, n, SCENE_DEPTH_HOME, touches, k, 0, 1);
        for (unsigned touches = 1; touches <= 2; touches++)
            for (unsigned each = 1; each <= 2; each++)
                add(list, n, SCENE_DEPTH_FAR, touches, 0, k, each);
    }
}

static void add_drops(struct scene *list, size_t *n, unsigned ways)
{
    unsigned far[] = {0, ways - 2, ways - 1, ways, ways + 1, ways + 2};

    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        add(list, n, SCENE_DROP, 2, 0, far[k], 1);
        add(list, n, SCENE_GONE, 2, 0, far[k], 1);
    }
}

static size_t all_scenes(struct scene *list, unsigned ways)
{
    size_t n = 0;

    add(list, &n, SCENE_ALLOC_MISS, 0, 0, 0, 1);
    add(list, &n, SCENE_ALLOC_HIT, 0, 0, 0, 1);
    for (unsigned k = 1; k <= CONTROLS; k++) {
        add(list, &n, SCENE_SAME, 2, ways, k, 1);
        add(list, &n, SCENE_CONTROLLED, 2, ways, k - 1, 1);
    }
    add_depths(list, &n, ways);
    add_drops(list, &n, ways);
    for (unsigned all = ways - 1; all <= ways + 2; all++)
        for (unsigned quarter = 0; quarter <= 4; quarter++) {
            unsigned near = ways * quarter / 4;

            if (near <= all)
                add(list, &n, SCENE_MIX, 2, near, all - near, 2);
        }
    return n;
}

/* How the target and the lines are touched in the search for the copy's set: twice in a row, so that a copy allocated at
 * the second load is there; then with settling, for an order that is not LRU. */
static const struct {
    uint32_t rounds, settle, touches;
} styles[] = {{1, 0, 2}, {1, 0, 1}, {2, 3, 2}, {3, 6, 3}};

static int find(const struct evset_plan *p, uint64_t target, uint32_t threshold,
                struct l2_tip_out *out)
{
    struct evset_plan q = *p;
    struct l2_tip_in *in = xmalloc(sizeof *in);
    int rc = 0;

    out->status = L2_TIP_LOST;
    for (uint32_t k = 0; k < TRIES && rc == 0 && out->status != L2_TIP_OK; k++) {
        q.rounds = styles[k].rounds;
        q.settle = styles[k].settle;
        q.touches = styles[k].touches;
        rc = evset_try(&q, target, threshold, k, in, out);
    }
    free(in);
    return rc;
}

static void keep(struct stage *st, unsigned lines, const struct l2_tip_out *out)
{
    unsigned at = lines == SCENE_REMOTE;

    memcpy(st->line[lines] + at, out->found, out->nfound * sizeof *out->found);
    st->n[lines] = out->nfound + at;
}

static void put_find(struct run *r, const struct stage *st, unsigned who,
                     const struct l2_tip_out *out)
{
    struct reading x = {.what = "find",
                        .lines = scene_lines_names[who == OWN ? SCENE_HOME : SCENE_REMOTE],
                        .status = evset_status(out->status)};
    unsigned found = out->status == L2_TIP_OK ? out->nset : 0;

    x.who = who;
    x.scene.near = who == OWN ? found : 0;
    x.scene.far = who == OTHER ? found : 0;
    x.step = out->first;
    x.offset = st->line[SCENE_REMOTE][0];
    x.cycles = out->cycles;
    put_row(r, st, &x);
}

/* What separates own side, home and memory. A line of which no copy is kept answers from its home again and again: then the
 * hits of home lines say how long one of the own side takes. */
static int thresholds(struct stage *st, uint64_t target)
{
    double gap = st->remote.sides.far - st->remote.sides.near, hit;

    if (evset_threshold(&st->remote, target, &st->threshold) != 0)
        return -1;
    st->remote.level = EVSET_MEMORY;
    if (evset_threshold(&st->remote, target, &st->threshold_home) != 0 ||
        sides_probe(st->home.d, st->home.sm, L2_LD_CG, &target, 1, 9, &hit) != 0)
        return -1;
    st->remote.level = EVSET_LOCAL;
    if (hit > st->own_hit + 0.6 * gap) {
        st->threshold = (uint32_t)(st->own_hit + gap / 2);
        st->threshold_home = (uint32_t)((hit + st->remote.miss) / 2);
    }
    return 0;
}

/* Another line in question, the lines of its set at home and those of its copy's set; *done tells whether the first were
 * found. Where home lines do not push it out, random ones stand in, enough for the scenes of allocation. */
static int find_lines(struct run *r, struct stage *st, struct l2_tip_out *out, bool *done)
{
    uint64_t target = evset_target(&st->remote, &r->rng);
    uint32_t at_home;

    st->line[SCENE_REMOTE][0] = target;
    st->ways = 0;
    if (thresholds(st, target) != 0)
        return -1;
    if (evset_threshold(&st->far, target, &at_home) != 0 ||
        evset_find(&st->far, target, TRIES, out) != 0)
        return -1;
    st->ways = out->status == L2_TIP_OK ? out->nset : 0;
    put_find(r, st, OTHER, out);
    keep(st, SCENE_REMOTE, out);
    *done = out->status == L2_TIP_OK;
    if (find(&st->home, target, st->threshold, out) != 0)
        return -1;
    put_find(r, st, OWN, out);
    keep(st, SCENE_HOME, out);
    st->status = evset_status(out->status);
    if (out->status != L2_TIP_OK)
        for (st->n[SCENE_HOME] = 0; st->n[SCENE_HOME] < st->ways; st->n[SCENE_HOME]++)
            st->line[SCENE_HOME][st->n[SCENE_HOME]] = evset_target(&st->home, &r->rng);
    for (st->n[SCENE_CONTROL] = 0; st->n[SCENE_CONTROL] < CONTROLS; st->n[SCENE_CONTROL]++)
        st->line[SCENE_CONTROL][st->n[SCENE_CONTROL]] = evset_target(&st->remote, &r->rng);
    return 0;
}

static int one_set(struct run *r, struct stage *st, struct l2_tip_out *out, bool *done)
{
    struct scene *list = xmalloc(SCENES * sizeof *list);
    uint64_t reps = param_u64(r, "reps");
    int rc = find_lines(r, st, out, done);

    if (rc == 0 && *done) {
        size_t n = all_scenes(list, st->ways);

        for (uint64_t rep = 0; rep < reps && rc == 0; rep++)
            for (size_t k = 0; k < n && rc == 0 && !run_stopped(); k++)
                rc = play_scene(r, st, &list[k], rep);
    }
    free(list);
    return rc;
}

static int own_hit(struct run *r, struct stage *st)
{
    uint64_t line[HITS];
    double cycles[HITS];

    for (unsigned i = 0; i < HITS; i++)
        line[i] = evset_target(&st->home, &r->rng);
    if (sides_probe(r->dev, st->home.sm, L2_LD_CG, line, HITS, 5, cycles) != 0)
        return -1;
    st->own_hit = split_median(cycles, HITS);
    return 0;
}

/* An SM that is near to what the own SM is far from. */
static int other_sm(struct run *r, const struct sides *s, int *other)
{
    unsigned side = 0;

    for (int k = 0; k < (int)r->dev->info.sms && side == 0; k++) {
        if (sides_sm(r->dev, s, k, &r->rng, &side) != 0)
            return -1;
        *other = k;
    }
    return side != 0 ? 0 : device_fail(r->dev, "no SM of the other side was found");
}

static int plans(struct run *r, struct stage *st)
{
    st->home = evset_plan_of(r);
    st->home.extra = (uint32_t)param_u64(r, "extra");
    st->home.rounds = 1;
    st->far = st->remote = st->home;
    st->remote.lines = EVSET_REMOTE;
    st->far.rounds = 0;
    if (evset_plan(&st->home, &r->rng) != 0)
        return -1;
    if (st->home.sides.kind != SIDES_LINEAR)
        return device_fail(
            r->dev, "no two sides were told apart on this chip: there are no copies to test");
    return other_sm(r, &st->home.sides, &st->far.sm) != 0 ||
                   evset_plan_here(&st->remote, &r->rng) != 0 ||
                   evset_plan_here(&st->far, &r->rng) != 0 || own_hit(r, st) != 0
               ? -1
               : 0;
}

static int run_copies(struct run *r)
{
    struct stage *st = xcalloc(1, sizeof *st);
    struct l2_tip_out *out = xmalloc(sizeof *out);
    uint64_t sets = param_u64(r, "sets"), tried = 0;
    int rc = plans(r, st);

    for (; st->number < sets && tried < 2 * sets + 4 && rc == 0 && !run_stopped(); tried++) {
        bool done = false;

        rc = one_set(r, st, out, &done);
        st->number += done;
        run_progress(r, (double)st->number, (double)sets);
    }
    if (rc == 0 && st->number < sets && !run_stopped())
        run_warn(r, "%llu of %llu sets found in %llu tries: rows of case find say why not",
                 (unsigned long long)st->number, (unsigned long long)sets,
                 (unsigned long long)tried);
    evset_plan_free(&st->home);
    evset_plan_free(&st->remote);
    evset_plan_free(&st->far);
    free(st);
    free(out);
    return rc;
}

static const struct param params[] = {
    {"sets", PARAM_U64, "20", "", "lines whose copies are tested, each with the sets it uses", 1,
     10000},
    {"sm", PARAM_U64, "0", "", "the SM whose side keeps the copies", 0, 1e4},
    {"extra", PARAM_U64, "40", "lines",
     "congruent lines beyond the ways; below ways + 3 some scenes are left out", 3, L2_TIP_FOUND},
    {"reps", PARAM_U64, "2", "", "times each scene is played", 1, 1000},
    EVSET_PARAM_LINE,
    EVSET_PARAM_POOL,
    {0},
};

const struct experiment exp_copies = {
    "copies",
    "when a side keeps copies of the other side's lines, and for how long",
    "exp set side sm ways threshold threshold_home case touches near far each rep step lines line "
    "offset cycles status",
    params,
    run_copies,
    false,
};
