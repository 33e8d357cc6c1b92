/* l2check: troubles of raw archives: what is seen, what it likely comes from, what to do. Says nothing when all is well.
 *
 * Each file is read alone, so that the '#' lines of one are not taken for those of another. It knows the experiments that
 * its rules speak of; rows of others are looked at for 0-cycle accesses and the state of the device only. */
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/out.h"
#include "../share/lib/tsv.h"
#include "check.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct trouble {
    enum check_severity severity;
    const char *rule, *cause, *advice;
    char *sight, *file;
};

struct troubles {
    struct trouble *v;
    size_t n, cap;
    bool sets; /* eviction sets were verified: a stride scan without a spike has done its work */
};

static void add(struct troubles *t, const char *file, const struct check_rule *r, const char *sight,
                const char *cause)
{
    t->v = xgrow(t->v, t->n, &t->cap, sizeof *t->v);
    t->v[t->n++] =
        (struct trouble){r->severity, r->name, cause, r->advice, xstrdup(sight), xstrdup(file)};
}

static const struct check_rule whole_file = {
    "incomplete", CHECK_ERROR, NULL,
    "the run was stopped, the device failed, the disk was full, or the file was cut",
    "measure it again; l2survey does so when it is run again"};
static const struct check_rule one_device = {"devices", CHECK_ERROR, NULL,
                                             "archives of different boards lie together",
                                             "give those of one device; l2diff compares two"};

/* Whether the file may be read on: one that was cut within a line, or whose compression is, may not. */
static bool check_whole(struct troubles *t, const char *file, const char *name)
{
    char last[256], sight[320];
    bool whole = check_end(file, last, sizeof last) == 0;
    const char *status = strstr(last, "status=");

    if (whole && strncmp(last, "#end ", 5) == 0 && status != NULL &&
        strcmp(status, "status=ok") == 0)
        return true;
    if (whole && status != NULL)
        snprintf(sight, sizeof sight, "its last line says %s", status);
    else
        snprintf(sight, sizeof sight, "it ends without an #end line");
    add(t, name, &whole_file, sight, whole_file.cause);
    return whole;
}

static void check_file(struct troubles *t, const char *file, const char *name, struct prov *all)
{
    static const char *const keys[] = {"device", "uuid"};
    struct prov prov = {0};
    struct check_facts f;

    if (!check_whole(t, file, name))
        return;
    xfacts_read(&f, file, &prov);
    for (const struct check_rule *r = check_rules; r->name != NULL; r++) {
        char sight[CHECK_SIGHT] = "";
        const char *cause = r->cause;

        if (r->see(&f, sight, &cause))
            add(t, name, r, sight, cause);
    }
    t->sets = t->sets || f.verified > 0;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; prov_get(&prov, keys[k], i) != NULL; i++)
            prov_addf(all, "#%s %s", keys[k], prov_get(&prov, keys[k], i));
    if (prov_simulated(&prov))
        prov_addf(all, "#simulated yes");
    facts_free(&f);
    prov_free(&prov);
}

static void check_devices(struct troubles *t, const struct prov *all)
{
    static const char *const keys[] = {"device", "uuid"};
    char sight[320];

    for (size_t k = 0; k < 2; k++) {
        if (prov_get(all, keys[k], 1) == NULL)
            continue;
        snprintf(sight, sizeof sight, "rows of the %s '%s' and '%s'", keys[k],
                 prov_get(all, keys[k], 0), prov_get(all, keys[k], 1));
        add(t, "-", &one_device, sight, one_device.cause);
        return;
    }
}

/* Standard input as a file that can be read twice. */
static char *spool(void)
{
    char block[65536];
    FILE *to = tmpfile();
    size_t got;

    if (to == NULL)
        xdie(EXIT_FAILED, "standard input: no temporary file for it");
    while ((got = fread(block, 1, sizeof block, stdin)) > 0)
        if (fwrite(block, 1, got, to) != got)
            xdie(EXIT_FAILED, "standard input: no room for a copy of it");
    if (ferror(stdin) || fflush(to) != 0)
        xdie(EXIT_FAILED, "standard input: could not be copied");
    return xprintf("/dev/fd/%d", fileno(to));
}

static size_t print(const struct troubles *t, struct prov *all, int argc, char **argv)
{
    struct out o;
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++)
        n += !t->sets || strcmp(t->v[i].rule, "no_spike") != 0;
    if (n == 0)
        return 0;
    prov_command(all, argc, argv);
    out_begin(&o, stdout, all, "severity rule sight cause advice file");
    for (size_t i = 0; i < t->n; i++) {
        const struct trouble *v = &t->v[i];

        if (t->sets && strcmp(v->rule, "no_spike") == 0)
            continue;
        out_str(&o, check_severities[v->severity]);
        out_str(&o, v->rule);
        out_str(&o, v->sight);
        out_str(&o, v->cause);
        out_str(&o, v->advice);
        out_str(&o, v->file);
        out_row(&o);
    }
    out_end(&o, "ok");
    return n;
}

static void list(void)
{
    printf("%s\t%s\n%s\t%s\n", whole_file.name, whole_file.cause, one_device.name,
           one_device.cause);
    for (const struct check_rule *r = check_rules; r->name != NULL; r++)
        printf("%s\t%s\n", r->name,
               strcmp(r->cause, "-") == 0 ? "the sizes do not show the cache's end" : r->cause);
    xclose_stdout();
    exit(EXIT_OK);
}

static const struct cli_opt opts[] = {
    {'e', "strict", NULL, "exit 1 when something was found"},
    {'l', "list", NULL, "list the rules"},
    {0, NULL, NULL, NULL},
};
static const struct cli_usage usage = {
    "[-e] [FILE...]", "Names what is wrong with raw archives; says nothing when all is well.",
    opts};

int main(int argc, char **argv)
{
    struct troubles t = {0};
    struct prov all = {0};
    bool strict = false;
    size_t found;
    int letter;

    cli_start("l2check");
    while ((letter = xcli_next(argc, argv, &usage)) != -1)
        switch (letter) {
        case 'e':
            strict = true;
            break;
        case 'l':
            list();
        }
    for (int i = optind; i < argc || i == optind; i++) {
        bool in = i == argc || strcmp(argv[i], "-") == 0;
        char *file = in ? spool() : xstrdup(argv[i]);

        check_file(&t, file, in ? "-" : argv[i], &all);
        free(file);
    }
    check_devices(&t, &all);
    found = print(&t, &all, argc, argv);
    for (size_t i = 0; i < t.n; i++) {
        free(t.v[i].sight);
        free(t.v[i].file);
    }
    free(t.v);
    prov_free(&all);
    xclose_stdout();
    return strict && found > 0 ? EXIT_FAILED : EXIT_OK;
}
