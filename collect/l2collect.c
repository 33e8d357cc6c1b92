/* l2collect: runs experiments on a GPU or a simulated one and writes every sample with its conditions.
 *
 * Words with '=' are parameters and go to every experiment named that has them; the others name experiments, which run one
 * after another, each a whole table. */
#include "device.h"
#include "output.h"
#include "params.h"
#include "session.h"
#include "sizes.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct plan {
    const struct experiment *exp[32];
    struct params *params[32];
    size_t n;
};

static void list_all(void)
{
    printf("devices:\n");
    for (const struct device_ops *const *d = device_table; *d != NULL; d++) {
        printf("  %-12s %s: %s\n", (*d)->name, (*d)->summary, (*d)->spec);
        (*d)->list();
    }
    printf("experiments:\n");
    for (const struct experiment *const *e = experiment_table; *e != NULL; e++)
        printf("  %-12s %s\n", (*e)->name, (*e)->summary);
}

/* "-h latency" is about the experiment; "-h" alone about the program. */
static void help_on_experiment(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
            for (int k = 1; k < argc; k++) {
                const struct experiment *e = experiment_find(argv[k]);

                if (e != NULL) {
                    params_help(stdout, e);
                    xclose_stdout();
                    exit(EXIT_OK);
                }
            }
}

static char *experiment_names(void)
{
    char *names = xstrdup("");

    for (const struct experiment *const *e = experiment_table; *e != NULL; e++)
        names = xprintf("%s %s", names, (*e)->name);
    return names;
}

static _Noreturn void xdie_unknown(const struct plan *plan, const char *word)
{
    char *known = xstrdup("");

    for (size_t i = 0; i < plan->n; i++)
        for (const struct param *p = plan->exp[i]->params; p->name != NULL; p++)
            known = xprintf("%s %s", known, p->name);
    xdie(EXIT_USAGE, "no such parameter: '%s'; there are:%s", word, known);
}

static void xset(struct plan *plan, const char *word, const struct sizes *list)
{
    bool known = false;
    char why[512];

    for (size_t i = 0; i < plan->n; i++) {
        enum params_result got = params_set(plan->params[i], word, list, why, sizeof why);

        if (got == PARAMS_BAD)
            xdie(EXIT_USAGE, "%s: %s", plan->exp[i]->name, why);
        known = known || got == PARAMS_SET;
    }
    if (!known)
        xdie_unknown(plan, word);
}

static bool takes_sizes(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->n; i++)
        for (const struct param *p = plan->exp[i]->params; p->name != NULL; p++)
            if (p->type == PARAM_SIZES && strcmp(p->name, name) == 0)
                return true;
    return false;
}

/* Standard input's list of sizes, for the first "NAME=-"; later ones get the same. */
static const struct sizes *xstdin_sizes(const struct plan *plan, const char *word)
{
    static struct sizes list;
    static bool done;
    const char *equals = strchr(word, '=');
    char *name, why[256];

    if (strcmp(equals, "=-") != 0)
        return NULL;
    name = xstrndup(word, (size_t)(equals - word));
    if (!takes_sizes(plan, name)) {
        free(name);
        return NULL;
    }
    if (!done && sizes_read(&list, stdin, name, why, sizeof why) != 0)
        xdie(EXIT_FAILED, "%s: %s", name, why);
    if (list.n == 0)
        xdie(EXIT_FAILED, "%s: standard input holds no sizes", name);
    done = true;
    free(name);
    return &list;
}

static void xread_plan(struct plan *plan, char *const *words)
{
    char *const *w;

    for (w = words; *w != NULL; w++)
        if (strchr(*w, '=') == NULL) {
            const struct experiment *e = experiment_find(*w);

            if (e == NULL)
                xdie(EXIT_USAGE, "no such experiment: '%s'; there are:%s", *w, experiment_names());
            if (plan->n == sizeof plan->exp / sizeof *plan->exp)
                xdie(EXIT_USAGE, "too many experiments: at most %zu", plan->n);
            plan->exp[plan->n] = e;
            plan->params[plan->n++] = params_new(e);
        }
    if (plan->n == 0)
        xdie(EXIT_USAGE, "name an experiment:%s", experiment_names());
    for (w = words; *w != NULL; w++)
        if (strchr(*w, '=') != NULL)
            xset(plan, *w, xstdin_sizes(plan, *w));
}

static const struct cli_opt opts[] = {
    {'d', "device", "DEVICE", "cuda, cuda:1, sim:h200, sim:FILE; the first GPU, else sim:h200"},
    {'o', "output", "FILE", "write to FILE; FILE.gz is compressed"},
    {'q', "quiet", NULL, "no progress, warnings only in the table"},
    {'s', "seed", "N", "seed of every random order (1)"},
    {'l', "list", NULL, "list devices and experiments"},
    {0, NULL, NULL, NULL},
};
static const struct cli_usage usage = {
    "[-ql] [-d DEVICE] [-o FILE] [-s SEED] EXPERIMENT... [NAME=VALUE...]",
    "Runs experiments on a GPU's cache and writes every sample as l2tsv(5); -h EXPERIMENT lists "
    "its parameters.",
    opts};

int main(int argc, char **argv)
{
    struct session s = {.seed = 1};
    const char *spec = NULL, *file = NULL;
    struct plan plan = {0};
    struct output output;
    int c, status = EXIT_OK;

    cli_start("l2collect");
    help_on_experiment(argc, argv);
    while ((c = xcli_next(argc, argv, &usage)) != -1)
        switch (c) {
        case 'd':
            spec = optarg;
            break;
        case 'o':
            file = optarg;
            break;
        case 'q':
            s.quiet = true;
            break;
        case 's':
            s.seed = xparse_u64("seed", optarg, 0, UINT64_MAX);
            break;
        case 'l':
            list_all();
            xclose_stdout();
            return EXIT_OK;
        }
    xread_plan(&plan, argv + optind);
    prov_command(&s.by, argc, argv);
    s.dev = xdevice_open(spec, s.seed);
    session_signals();
    xoutput_open(&output, file, stdout);
    s.to = output.to;
    for (size_t i = 0; i < plan.n && status == EXIT_OK; i++)
        status = session_run(&s, plan.exp[i], plan.params[i]);
    s.dev->ops->close(s.dev);
    for (size_t i = 0; i < plan.n; i++)
        params_free(plan.params[i]);
    prov_free(&s.by);
    if (output_close(&output, s.error) != 0)
        status = EXIT_FAILED;
    return status;
}
