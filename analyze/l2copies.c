/* l2copies: how a side keeps copies of the other side's lines, from rows of `copies`. Readings are sorted into levels by the
 * thresholds that came with them and counted by scene; findings are made from the counts. Every model of a small family
 * is asked for each answer, too, and the one that foresees most is named with its agreement. */
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/out.h"
#include "../share/lib/tsv.h"
#include "copies.h"
#include "columns_of.h"
#include "findings.h"
#include "values.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Percent of answers that a policy must foresee; readings of a latency. */
enum { LEAST_POLICY = 99, LEAST_ANSWERS = 50 };

struct columns {
    size_t exp, side, ways, threshold, threshold_home, what, touches, near, far, each, step, lines,
        line, cycles, status;
};

struct input {
    struct copy_scenes scenes;
    uint64_t searched, found, kept,
        sets; /* searches for a copy's set; sets whose scenes were played */
    unsigned ways;
    struct values cycles[COPY_LEVELS]; /* of loads of remote lines by the own SM, by who answered */
};

static void find_columns(const struct tsv *t, struct columns *c)
{
    struct {
        const char *name;
        size_t *at;
    } const all[] = {{"exp", &c->exp},
                     {"side", &c->side},
                     {"ways", &c->ways},
                     {"threshold", &c->threshold},
                     {"threshold_home", &c->threshold_home},
                     {"case", &c->what},
                     {"touches", &c->touches},
                     {"near", &c->near},
                     {"far", &c->far},
                     {"each", &c->each},
                     {"step", &c->step},
                     {"lines", &c->lines},
                     {"line", &c->line},
                     {"cycles", &c->cycles},
                     {"status", &c->status}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i].at = xtsv_column(t, all[i].name);
}

static unsigned small(const struct tsv *t, size_t column, unsigned most)
{
    uint64_t v = xtsv_u64(t, column);

    if (v > most)
        xtsv_bad(t, column, "a number that no scene has");
    return (unsigned)v;
}

static void add_find(struct input *in, const struct tsv *t, const struct columns *c)
{
    if (!tsv_is(t, c->lines, "home"))
        return;
    in->searched++;
    in->found += tsv_is(t, c->status, "ok");
    in->kept += tsv_is(t, c->status, "pool_keeps");
}

/* Home lines and the other SM's lines come from memory when they are no hit. */
static enum copy_level level_of(const struct tsv *t, const struct columns *c,
                                const struct copy_answer *a)
{
    double cycles = xtsv_double(t, c->cycles);

    if (cycles <= xtsv_double(t, c->threshold))
        return COPY_OWN;
    if (a->other || a->lines == SCENE_HOME || cycles > xtsv_double(t, c->threshold_home))
        return COPY_MEMORY;
    return COPY_HOME;
}

static void add_row(struct input *in, const struct tsv *t, const struct columns *c)
{
    struct scene s = {.touches = small(t, c->touches, 100),
                      .near = small(t, c->near, 1000),
                      .far = small(t, c->far, 1000),
                      .each = small(t, c->each, 100)};
    unsigned ways = small(t, c->ways, 64), what = 0;
    struct copy_scene *scene;
    struct copy_answer *a;

    while (what < SCENE_CASES && !tsv_is(t, c->what, scene_names[what]))
        what++;
    if (what == SCENE_CASES)
        xtsv_bad(t, c->what, "no such scene");
    s.what = (enum scene_case)what;
    scene = copy_scene_of(&in->scenes, &s, ways);
    a = scene != NULL ? copy_answer_at(scene, xtsv_u64(t, c->step)) : NULL;
    if (a == NULL || !tsv_is(t, c->lines, scene_lines_names[a->lines]) ||
        xtsv_u64(t, c->line) != a->line || xtsv_u64(t, c->side) != a->other)
        xtsv_bad_line(t, "not what this scene asks at this step: another version of l2collect?");
    a->count[level_of(t, c, a)]++;
    if (a->lines == SCENE_REMOTE && !a->other)
        values_add(&in->cycles[level_of(t, c, a)], xtsv_double(t, c->cycles));
    in->sets += what == SCENE_ALLOC_MISS && a == scene->answer;
    in->ways = ways;
}

static void xread(struct tsv *t, struct input *in)
{
    struct columns c = {0};
    enum tsv_event ev;

    while ((ev = xtsv_next(t)) != TSV_END)
        if (ev == TSV_HEADER)
            find_columns(t, &c);
        else if (!tsv_is(t, c.exp, "copies"))
            xtsv_bad(t, c.exp, "not a row of copies");
        else if (tsv_is(t, c.what, "find"))
            add_find(in, t, &c);
        else
            add_row(in, t, &c);
    xone_device(t);
    for (int k = 0; k < COPY_LEVELS; k++)
        values_sort(&in->cycles[k]);
}

/* Sums the answers of the scenes of a kind; lines of no number: all of its questions. */
struct sum {
    uint64_t own, home, memory, n;
};

static void add_answer(struct sum *s, const struct copy_answer *a)
{
    s->own += a->count[COPY_OWN];
    s->home += a->count[COPY_HOME];
    s->memory += a->count[COPY_MEMORY];
    s->n += a->count[0] + a->count[1] + a->count[2];
}

static struct sum sum_of(const struct input *in, enum scene_case what, size_t question)
{
    struct sum sum = {0};

    for (size_t i = 0; i < in->scenes.n; i++)
        for (size_t k = 0; k < in->scenes.s[i].n; k++)
            if (in->scenes.s[i].scene.what == what && (question == SIZE_MAX || question == k))
                add_answer(&sum, &in->scenes.s[i].answer[k]);
    return sum;
}

static double share(uint64_t part, uint64_t all)
{
    return all > 0 ? 100 * (double)part / (double)all : NAN;
}

static void put_sets(struct out *o, const struct input *in)
{
    struct sum same = sum_of(in, SCENE_SAME, 0), control = sum_of(in, SCENE_CONTROLLED, 0);
    double gone = share(same.n - same.own, same.n),
           other = share(control.n - control.own, control.n);

    if (same.n > 0)
        finding_word(o, "copy_sets",
                     gone > 90 && other < 10   ? "same"
                     : gone < 10 && other < 10 ? "other"
                                               : "unclear",
                     "scenes", same.n + control.n,
                     "lines that share a set at home share one as copies, too: %" PRIu64
                     " home lines push out %.1f %% of such copies and %.1f %% of other lines'",
                     (uint64_t)in->ways, gone, other);
}

static void put_alloc(struct out *o, const struct input *in, enum scene_case what,
                      const char *method)
{
    static const char *const nth[] = {"first", "second", "third"};
    struct sum s[4];
    const char *word = "never";

    for (size_t k = 4; k-- > 0;)
        s[k] = sum_of(in, what, k);
    for (size_t k = 3; k > 0 && s[k].own * 2 > s[k].n; k--)
        word = nth[k - 1];
    if (s[0].n > 0)
        finding_word(o, "copy_alloc", word, method, s[0].n * 4,
                     "the load after which the own side answers; share of own-side answers, loads "
                     "1 to 4: %.1f, "
                     "%.1f, %.1f, %.1f %%",
                     share(s[0].own, s[0].n), share(s[1].own, s[1].n), share(s[2].own, s[2].n),
                     share(s[3].own, s[3].n));
}

static void put_depth(struct out *o, const struct input *in, enum scene_case what, unsigned touches,
                      unsigned each)
{
    struct copy_depth d = copy_depth_of(&in->scenes, what, touches, each);
    const char *kind = what == SCENE_DEPTH_HOME ? "home" : "remote";
    char method[64];

    if (d.n == 0)
        return;
    snprintf(method, sizeof method, "%s,touches=%u,each=%u", kind, touches, each);
    if (d.half == 0)
        finding_put(o, "copy_depth", NAN, NAN, NAN, method, d.n,
                    "not pushed out by up to %u new %s lines", in->ways + 2, kind);
    else
        finding_put(
            o, "copy_depth", d.half, d.first, d.all > 0 ? (double)d.all : NAN, method, d.n,
            "new %s lines that push out a copy loaded %u times: half of the time (lo: one time "
            "in 20, hi: 19 in 20)",
            kind, touches);
}

static void put_drop(struct out *o, const struct input *in)
{
    struct sum gone = {0}, drop = {0};
    double left, kept;

    for (size_t i = 0; i < in->scenes.n; i++) {
        const struct copy_scene *s = &in->scenes.s[i];

        if (s->scene.far >= s->ways && s->scene.what == SCENE_GONE)
            add_answer(&gone, s->answer);
        if (s->scene.far >= s->ways && s->scene.what == SCENE_DROP)
            add_answer(&drop, s->answer);
    }
    left = share(gone.memory, gone.n);
    kept = share(drop.own, drop.n);
    if (drop.n > 0)
        finding_word(o, "copy_drop",
                     left < 90   ? "unclear"
                     : kept > 90 ? "kept"
                     : kept < 10 ? "dropped"
                                 : "unclear",
                     "scenes", gone.n + drop.n,
                     "the home had lost the line in %.1f %%, the copy was still there in %.1f %%, "
                     "came from memory in %.1f %%",
                     left, kept, share(drop.memory, drop.n));
}

/* Home lines and copies in turn: as many as there are ways all stay when they share them; one more does not. */
static void put_ways(struct out *o, const struct input *in)
{
    struct sum fit = {0}, over = {0};
    double stay, most;

    for (size_t i = 0; i < in->scenes.n; i++) {
        const struct copy_scene *s = &in->scenes.s[i];
        unsigned lines = s->scene.near + s->scene.far;

        if (s->scene.what != SCENE_MIX || s->scene.near == 0 || s->scene.far == 0)
            continue;
        for (size_t k = 0; k < s->n; k++)
            if (lines <= s->ways)
                add_answer(&fit, &s->answer[k]);
            else
                add_answer(&over, &s->answer[k]);
    }
    stay = share(fit.own, fit.n);
    most = share(over.own, over.n);
    if (fit.n > 0)
        finding_word(
            o, "copy_ways",
            stay > 95 && most < 50   ? "shared"
            : stay > 95 && most > 95 ? "apart"
                                     : "unclear",
            "scenes", fit.n + over.n,
            "home lines and copies together: up to %u of them hit in %.2f %%, more in %.2f %%",
            in->ways, stay, most);
    else if (in->searched > 0)
        finding_word(o, "copy_ways", "unclear", "search", in->searched,
                     "%" PRIu64 " of %" PRIu64 " copies were pushed out by home lines, %" PRIu64
                     " never (apart, or no copy)",
                     in->found, in->searched, in->kept);
}

struct ranked {
    size_t k;
    uint64_t agree;
};

static int by_agreement(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;

    if (a->agree != b->agree)
        return a->agree < b->agree ? 1 : -1;
    return (a->k > b->k) - (a->k < b->k);
}

/* Models without copies are one; returns how many there are, best first. */
static size_t rank(const struct input *in, struct ranked *r, uint64_t *total)
{
    size_t n = 0;

    for (size_t k = 0; k <= ALLOC_NEVER * 8; k++) {
        struct copy_model m = copy_model_at(k);

        r[n++] = (struct ranked){k, copy_model_agree(&m, &in->scenes, total)};
    }
    qsort(r, n, sizeof *r, by_agreement);
    return n;
}

static char *model_name(size_t k, char *name)
{
    struct copy_model m = copy_model_at(k);

    copy_model_name(&m, name);
    return name;
}

static void put_model(struct out *o, const struct input *in)
{
    struct ranked r[COPY_MODELS];
    uint64_t total;
    size_t n = rank(in, r, &total);
    char best[32], next[32];
    double right = share(r[0].agree, total);

    if (total == 0)
        return;
    finding_word(o, "copy_model", right < 99 ? "none" : model_name(r[0].k, best), "replay", total,
                 "%s%s foresees %.3f %% of the answers, the next one (%s) %.3f %%, of %zu models",
                 right < 99 ? "none fits; the nearest, " : "", model_name(r[0].k, best), right,
                 model_name(r[1].k, next), share(r[1].agree, total), n);
}

/* The plain policies that foresee nearly all answers when copies are lines like others: "lru or fifo". */
static void put_policy(struct out *o, const struct input *in)
{
    char names[256] = "", name[32];
    struct ranked r[COPY_MODELS];
    uint64_t total, next = 0;

    rank(in, r, &total);
    if (total == 0 || strcmp(model_name(r[0].k, name), "first,high,kept,shared") != 0)
        return;
    for (size_t k = 0; k < policy_count_plain(); k++) {
        struct policy p = policy_at(k);
        uint64_t agree = p.random ? 0 : copy_policy_agree(&p, &in->scenes);
        size_t at = strlen(names);

        if (share(agree, total) < LEAST_POLICY)
            next = agree > next ? agree : next;
        else
            snprintf(names + at, sizeof names - at, "%s%s", at > 0 ? " or " : "", p.name);
    }
    if (names[0] != '\0')
        finding_word(o, "policy", names, "copies", total,
                     "foresees at least %d %% of the answers about copies, the best other policy "
                     "of the plain ones %.1f %%",
                     LEAST_POLICY, share(next, total));
}

static void put_latency(struct out *o, const struct input *in, enum copy_level level,
                        const char *param)
{
    const struct values *v = &in->cycles[level];

    if (v->n >= LEAST_ANSWERS)
        finding_put(o, param, values_median(v), v->v[v->n / 4], v->v[v->n * 3 / 4], "copies", v->n,
                    "loads of far lines, by who had them; quartiles");
}

static void print_findings(const struct input *in, const struct prov *p)
{
    struct out o;

    findings_begin(&o, stdout, p);
    put_sets(&o, in);
    put_alloc(&o, in, SCENE_ALLOC_MISS, "home_miss");
    put_alloc(&o, in, SCENE_ALLOC_HIT, "home_hit");
    for (unsigned touches = 1; touches <= 3; touches++)
        put_depth(&o, in, SCENE_DEPTH_HOME, touches, 1);
    for (unsigned touches = 1; touches <= 2; touches++)
        for (unsigned each = 1; each <= 2; each++)
            put_depth(&o, in, SCENE_DEPTH_FAR, touches, each);
    put_drop(&o, in);
    put_ways(&o, in);
    put_model(&o, in);
    put_policy(&o, in);
    put_latency(&o, in, COPY_OWN, "latency_local");
    put_latency(&o, in, COPY_HOME, "latency_remote");
    put_latency(&o, in, COPY_MEMORY, "latency_dram_remote");
    out_end(&o, "ok");
}

static void print_candidates(const struct input *in, const struct prov *p)
{
    struct ranked r[COPY_MODELS];
    uint64_t total;
    size_t n = rank(in, r, &total);
    struct out o;
    char name[32];

    out_begin(&o, stdout, p, "exp policy ways agree total agreement");
    for (size_t k = 0; k < n && total > 0; k++) {
        out_str(&o, "copies");
        out_str(&o, model_name(r[k].k, name));
        out_u64(&o, in->ways);
        out_u64(&o, r[k].agree);
        out_u64(&o, total);
        out_round(&o, (double)r[k].agree / (double)total, 6);
        out_row(&o);
    }
    out_end(&o, "ok");
}

/* Every scene with its answers: for looking at, when no model fits. */
static void print_counts(const struct input *in, const struct prov *p)
{
    struct out o;

    out_begin(&o, stdout, p, "exp case ways touches near far each step lines line own home memory");
    for (size_t i = 0; i < in->scenes.n; i++)
        for (size_t k = 0; k < in->scenes.s[i].n; k++) {
            const struct copy_scene *s = &in->scenes.s[i];
            const struct copy_answer *a = &s->answer[k];

            out_str(&o, "copies");
            out_str(&o, scene_names[s->scene.what]);
            out_u64(&o, s->ways);
            out_u64(&o, s->scene.touches);
            out_u64(&o, s->scene.near);
            out_u64(&o, s->scene.far);
            out_u64(&o, s->scene.each);
            out_u64(&o, a->step);
            out_str(&o, scene_lines_names[a->lines]);
            out_u64(&o, a->line);
            out_u64(&o, a->count[COPY_OWN]);
            out_u64(&o, a->count[COPY_HOME]);
            out_u64(&o, a->count[COPY_MEMORY]);
            out_row(&o);
        }
    out_end(&o, "ok");
}

static const struct cli_opt opts[] = {
    {'c', "candidates", NULL, "print every model and how many answers it foresees"},
    {'n', "counts", NULL, "print every question of every scene and who answered how often"},
    {'S', "strict", NULL, "an incomplete input is an error"},
    {0, NULL, NULL, NULL},
};
static const struct cli_usage usage = {
    "[-c | -n] [-S] [file...]", "Finds how copies of remote lines are kept, from rows of copies.",
    opts};

int main(int argc, char **argv)
{
    void (*print)(const struct input *, const struct prov *) = print_findings;
    struct input in = {0};
    bool strict = false;
    struct tsv *t;
    int letter;

    cli_start("l2copies");
    while ((letter = xcli_next(argc, argv, &usage)) != -1)
        switch (letter) {
        case 'c':
            print = print_candidates;
            break;
        case 'n':
            print = print_counts;
            break;
        case 'S':
            strict = true;
            break;
        }
    t = xtsv_open(argv + optind);
    t->strict = strict;
    xread(t, &in);
    prov_command(&t->prov, argc, argv);
    print(&in, &t->prov);
    for (int k = 0; k < COPY_LEVELS; k++)
        values_free(&in.cycles[k]);
    copy_scenes_free(&in.scenes);
    tsv_close(t);
    xclose_stdout();
    return EXIT_OK;
}
