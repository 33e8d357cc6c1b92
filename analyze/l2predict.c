/* l2predict: what an access pattern will meet in the cache of a modelled chip: shares of the levels, hit rate, bytes from
 * memory, mean latency. The model is the one that the simulated device runs; the accesses are those of l2collect replay.
 * It knows no time: what runs at once on a GPU runs here in the order that the pattern gives. */
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/out.h"
#include "model.h"
#include "predict.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A pattern to predict: its words. */
struct order {
    const char *text; /* name or file */
    char *const *more;
};

enum { MOST_DRAWS = 256 };

struct job {
    struct chip chip;
    struct predict_options options;
    uint64_t draws; /* of physical pages */
    double spread;  /* of the shares over the draws of the last run */
    struct out out;
    const char *sweep;          /* "block=32x8,16x16", NULL: none */
    unsigned first;             /* the side of SM 0 */
    bool explain, trace, check; /* check: only parse what there is to do */
};

/* What one draw of pages counts. */
struct sided {
    struct predict_count side[CHIP_SIDES];
};

static bool is_file(const char *text)
{
    char *name = xstrndup(text, strcspn(text, ","));
    bool file = pattern_find(name) == NULL && access(text, R_OK) == 0;

    free(name);
    return file;
}

static void xparse(struct pattern *p, const struct order *o)
{
    char why[512];

    if (is_file(o->text)) {
        xpattern_trace(p, o->text);
        if (o->more != NULL && *o->more != NULL)
            xdie(EXIT_USAGE, "a trace has no parameters: '%s'", *o->more);
    } else if (pattern_parse(p, o->text, o->more, why, sizeof why) != 0) {
        xdie(EXIT_USAGE, "%s (l2predict -l lists the patterns)", why);
    }
}

static double part(uint64_t a, uint64_t of)
{
    return of == 0 ? 0 : (double)a / (double)of;
}

/* The largest standard deviation, over the draws, of the four shares. */
static double spread_of(const struct predict_count *draw, uint64_t n)
{
    double most = 0;

    for (int k = 0; k < CACHE_LEVELS; k++) {
        double sum = 0, square = 0;

        for (uint64_t i = 0; i < n; i++) {
            double share = part(draw[i].level[k], predict_answers(&draw[i]));

            sum += share;
            square += share * share;
        }
        if (n > 1)
            most = fmax(most, (square - sum * sum / (double)n) / (double)(n - 1));
    }
    return sqrt(most);
}

static int draw_one(struct job *j, struct pattern *p, enum predict_effect effect, uint64_t i,
                    struct sided *to, char *why, size_t size)
{
    struct predict_options o = j->options;

    o.effect = effect;
    o.pages = o.seed + i;
    return predict_run(&j->chip, p, &o, to->side, why, size);
}

/* Every n-th draw from `first` on, in a process of its own, which writes its counts into the shared draw[]. It fails in
 * silence: what fails does so in every draw, and the parent says why. */
static pid_t xdraw_apart(struct job *j, struct pattern *p, enum predict_effect effect,
                         uint64_t first, uint64_t n, struct sided *draw)
{
    pid_t child = fork();
    char why[512];

    if (child < 0)
        xdie(EXIT_FAILED, "fork: %s", strerror(errno));
    if (child > 0)
        return child;
    for (uint64_t i = first; i < j->draws; i += n)
        if (draw_one(j, p, effect, i, &draw[i], why, sizeof why) != 0)
            _exit(EXIT_FAILED);
    _exit(EXIT_OK);
}

/* All draws, as many at once as there are processors. */
static void xdraw_all(struct job *j, struct pattern *p, enum predict_effect effect,
                      struct sided *draw)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t n = cpus < 1 ? 1 : (uint64_t)cpus < j->draws ? (uint64_t)cpus : j->draws;
    pid_t child[MOST_DRAWS];
    char why[512];
    int failed = 0;

    fflush(stdout);
    for (uint64_t k = 1; k < n; k++)
        child[k] = xdraw_apart(j, p, effect, k, n, draw);
    for (uint64_t i = 0; i < j->draws; i += n)
        if (draw_one(j, p, effect, i, &draw[i], why, sizeof why) != 0)
            xdie(EXIT_FAILED, "%s", why);
    for (uint64_t k = 1; k < n; k++) {
        int status;

        failed |= waitpid(child[k], &status, 0) != child[k] || status != 0;
    }
    if (failed)
        xdie(EXIT_FAILED, "a process that ran some draws failed");
}

/* The mean over the draws of pages; j->spread. */
static void xrun(struct job *j, struct pattern *p, enum predict_effect effect,
                 struct predict_count count[CHIP_SIDES])
{
    struct predict_count *draw = xcalloc(j->draws, sizeof *draw);
    size_t bytes = j->draws * sizeof(struct sided);
    struct sided *all =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (all == MAP_FAILED)
        xdie(EXIT_FAILED, "%zu bytes: %s", bytes, strerror(errno));
    memset(count, 0, CHIP_SIDES * sizeof *count);
    xdraw_all(j, p, effect, all);
    for (uint64_t i = 0; i < j->draws; i++)
        for (uint32_t s = 0; s < j->chip.sides; s++) {
            predict_add(&draw[i], &all[i].side[s]);
            predict_add(&count[s], &all[i].side[s]);
        }
    munmap(all, bytes);
    for (uint32_t s = 0; s < j->chip.sides; s++)
        predict_divide(&count[s], j->draws);
    j->spread = spread_of(draw, j->draws);
    free(draw);
}

static unsigned side_of_first(const struct chip *c)
{
    uint8_t *side = xcalloc(c->sms, 1);
    unsigned first;

    chip_sm_sides(c, side);
    first = side[0];
    free(side);
    return first;
}

/* The model, and the sides of the SMs from a file of their own, or NULL. */
static void read_model(struct job *j, const char *model, const char *sms, struct prov *prov)
{
    xmodel_read(&j->chip, model, prov);
    if (sms != NULL)
        xmodel_sms(&j->chip, sms, prov);
    j->first = side_of_first(&j->chip);
}

static void put_shares(struct out *o, const struct predict_count *c)
{
    uint64_t n = predict_answers(c);

    out_u64(o, n);
    out_u64(o, c->stores);
    for (int i = 0; i < CACHE_LEVELS; i++)
        out_round(o, part(c->level[i], n), 5);
    out_round(o, part(c->level[CACHE_LOCAL] + c->level[CACHE_REMOTE], n), 5);
    out_round(o, part(c->cycles, n), 5);
    out_u64(o, c->read);
    out_u64(o, c->written);
}

#define SHARES                                                                                     \
    "n stores share_local share_remote share_dram share_dram_remote hit cycles read written"

static void put_row(struct job *j, const struct pattern *p, const char *side,
                    const struct predict_count *c)
{
    struct out *o = &j->out;

    out_str(o, "predict");
    out_str(o, p->text);
    out_str(o, side);
    put_shares(o, c);
    out_round(o, j->spread, 3);
    out_row(o);
}

/* Side 0 of the rows is the side of SM 0, as in a replay. */
static void predict(struct job *j, struct pattern *p)
{
    struct predict_count count[CHIP_SIDES], all = {0};

    xrun(j, p, EFFECT_NONE, count);
    for (uint32_t s = 0; s < j->chip.sides; s++)
        predict_add(&all, &count[s]);
    put_row(j, p, "all", &all);
    for (uint32_t s = 0; s < j->chip.sides && j->chip.sides > 1; s++) {
        const struct predict_count *c = &count[s == 0 ? j->first : s == j->first ? 0 : s];
        char side[16];

        snprintf(side, sizeof side, "%u", s);
        if (predict_answers(c) + c->stores > 0)
            put_row(j, p, side, c);
    }
}

struct cost {
    enum predict_effect effect;
    struct predict_count all;
    double gain; /* cycles an access that are saved without the effect */
};

static int by_gain(const void *a, const void *b)
{
    const struct cost *x = a, *y = b;

    return x->gain < y->gain ? 1 : x->gain > y->gain ? -1 : 0;
}

/* The cache as it is, then without each effect, the costliest first. */
static void explain(struct job *j, struct pattern *p)
{
    struct predict_count count[CHIP_SIDES];
    struct cost cost[EFFECTS];
    size_t n = 0;

    for (int k = EFFECT_NONE; k < EFFECTS; k++) {
        enum predict_effect e = (enum predict_effect)k;
        struct cost *c = &cost[n];

        if (e != EFFECT_NONE && !effect_applies(&j->chip, &cost[0].all, e))
            continue;
        *c = (struct cost){.effect = e};
        xrun(j, p, e, count);
        for (uint32_t s = 0; s < j->chip.sides; s++)
            predict_add(&c->all, &count[s]);
        c->gain = part(cost[0].all.cycles, predict_answers(&cost[0].all)) -
                  part(c->all.cycles, predict_answers(&c->all));
        n++;
    }
    qsort(cost + 1, n - 1, sizeof *cost, by_gain);
    for (size_t i = 0; i < n; i++) {
        out_str(&j->out, "explain");
        out_str(&j->out, p->text);
        out_str(&j->out, effect_names[cost[i].effect].name);
        put_shares(&j->out, &cost[i].all);
        out_round(&j->out, cost[i].gain, 4);
        out_str(&j->out, effect_names[cost[i].effect].without);
        out_row(&j->out);
    }
}

static void print_trace(struct job *j, struct pattern *p)
{
    struct pattern_env env = {.sms = j->chip.sms, .seed = j->options.seed};
    struct access a[256];
    uint64_t step = 0;
    char why[512];
    size_t n;

    if (pattern_start(p, &env, why, sizeof why) != 0)
        xdie(EXIT_FAILED, "%s", why);
    for (uint64_t pass = 0; pass < j->options.passes; pass++) {
        pattern_pass(p);
        while ((n = pattern_fill(p, a, 256)) > 0)
            for (size_t i = 0; i < n; i++) {
                out_u64(&j->out, step++);
                out_u64(&j->out, a[i].sm);
                out_u64(&j->out, a[i].offset);
                out_u64(&j->out, a[i].bytes);
                out_str(&j->out, trace_kinds[a[i].kind]);
                out_row(&j->out);
            }
    }
}

static void one(struct job *j, const struct order *o)
{
    struct pattern p;

    xparse(&p, o);
    if (!j->check)
        (j->trace ? print_trace : j->explain ? explain : predict)(j, &p);
    pattern_free(&p);
}

/* The pattern with every value of the swept parameter. */
static void sweep(struct job *j, const struct order *o)
{
    const char *equals = strchr(j->sweep, '=');
    size_t given = 0;

    if (equals == NULL)
        xdie(EXIT_USAGE, "sweep: not a param=a,b,c: '%s'", j->sweep);
    while (o->more[given] != NULL)
        given++;
    for (const char *at = equals + 1; *at != '\0'; at += *at == ',') {
        size_t len = strcspn(at, ",");
        char **more = xcalloc(given + 2, sizeof *more);

        memcpy(more, o->more, given * sizeof *more);
        more[given] = xprintf("%.*s%.*s", (int)(equals + 1 - j->sweep), j->sweep, (int)len, at);
        one(j, &(struct order){o->text, more});
        free(more[given]);
        free(more);
        at += len;
    }
}

/* Words with '=' and without a ',' before it are parameters of all patterns; the others are patterns. */
static void run_all(struct job *j, char **words)
{
    size_t n = 0, params = 0;
    char **more, **text;

    while (words[n] != NULL)
        n++;
    more = xcalloc(n + 1, sizeof *more);
    text = xcalloc(n + 1, sizeof *text);
    n = 0;
    for (; *words != NULL; words++)
        if (strcspn(*words, "=") < strcspn(*words, ",") && !is_file(*words))
            more[params++] = *words;
        else
            text[n++] = *words;
    if (n == 0)
        xdie(EXIT_USAGE, "name a pattern or a trace (-l lists the patterns)");
    for (size_t i = 0; i < n; i++)
        (j->sweep != NULL ? sweep : one)(j, &(struct order){text[i], more});
    free(more);
    free(text);
}

static void list(int argc, char **argv)
{
    for (int i = optind; i < argc; i++) {
        const struct pattern_def *d = pattern_find(argv[i]);

        if (d == NULL)
            xdie(EXIT_USAGE, "no such pattern: '%s'", argv[i]);
        pattern_help(stdout, d);
    }
    if (optind == argc)
        pattern_list(stdout);
    xclose_stdout();
    exit(EXIT_OK);
}

static const char *const columns[] = {
    "exp pattern side " SHARES " spread",
    "exp pattern effect " SHARES " gain note",
    TRACE_COLUMNS,
};

static const struct cli_opt opts[] = {
    {'m', "model", "MODEL",
     "a name of share/devices, a device file, or a table of l2verdict (h200)"},
    {'e', "explain", NULL, "what costs most: the same without each effect"},
    {'w', "sweep", "P=A,B,C", "the same with each of these values of a parameter"},
    {'W', "warm", "N", "passes before the counted ones (1)"},
    {'n', "passes", "N", "passes counted (1)"},
    {'s', "seed", "N", "of random patterns and of physical pages (1)"},
    {'S', "sms", "FILE", "the side of every SM, as l2slice -s prints it (the model's)"},
    {'r', "replay", "N",
     "as l2collect replay meets it: lists of walks of up to N accesses besides"},
    {'f', "foreign", "A[,W]",
     "lines of others that each side takes in: during 1000 accesses, between two walks (0)"},
    {'d', "draws", "N", "of physical pages, averaged (4)"},
    {'t', "trace", NULL, "print the accesses as a trace, predict nothing"},
    {'l', "list", NULL, "list the patterns, or the parameters of those named"},
    {0, NULL, NULL, NULL},
};
static const struct cli_usage usage = {
    "[-et] [-m MODEL] [-w PARAM=A,B,C] [-W N] [-n N] [-s SEED] [-d N] [-S FILE] [-r N] "
    "[-f A[,W]] PATTERN|TRACE... "
    "[PARAM=VALUE...]",
    "Predicts what an access pattern meets in a modelled cache: levels, hit rate, bytes, latency.",
    opts};

/* "A" or "A,W" */
static void xforeign(struct predict_options *o, const char *text)
{
    char *access = xstrndup(text, strcspn(text, ","));

    o->foreign_access = xparse_double("foreign", access, 0, 1e6) / 1000;
    if (text[strlen(access)] == ',')
        o->foreign_walk = xparse_double("foreign", text + strlen(access) + 1, 0, 1e6);
    free(access);
}

static void xnumber(struct job *j, int letter)
{
    switch (letter) {
    case 'W':
        j->options.warm = xparse_u64("warm", optarg, 0, 1000000);
        break;
    case 'n':
        j->options.passes = xparse_u64("passes", optarg, 1, 1000000);
        break;
    case 's':
        j->options.seed = xparse_u64("seed", optarg, 0, UINT64_MAX);
        break;
    case 'r':
        j->options.walk = xparse_u64("replay", optarg, 1, 1 << 24);
        break;
    case 'f':
        xforeign(&j->options, optarg);
        break;
    case 'd':
        j->draws = xparse_u64("draws", optarg, 1, MOST_DRAWS);
        break;
    }
}

int main(int argc, char **argv)
{
    struct job j = {.options = {.warm = 1, .passes = 1, .seed = 1}, .draws = 4};
    struct prov prov = {0};
    const char *model = "h200", *sms = NULL;
    bool listing = false;
    int letter;

    cli_start("l2predict");
    while ((letter = xcli_next(argc, argv, &usage)) != -1)
        switch (letter) {
        case 'm':
            model = optarg;
            break;
        case 'e':
            j.explain = true;
            break;
        case 'w':
            j.sweep = optarg;
            break;
        case 'S':
            sms = optarg;
            break;
        case 't':
            j.trace = true;
            break;
        case 'l':
            listing = true;
            break;
        default:
            xnumber(&j, letter);
        }
    if (listing)
        list(argc, argv);
    if (j.options.foreign_walk > 0 && j.options.walk == 0)
        xdie(EXIT_USAGE, "foreign: lines between walks need walks (-r)");
    read_model(&j, model, sms, &prov);
    prov_command(&prov, argc, argv);
    j.check = true;
    run_all(&j, argv + optind);
    j.check = false;
    out_begin(&j.out, stdout, &prov, columns[j.trace ? 2 : j.explain]);
    run_all(&j, argv + optind);
    out_end(&j.out, "ok");
    prov_free(&prov);
    xclose_stdout();
    return EXIT_OK;
}
