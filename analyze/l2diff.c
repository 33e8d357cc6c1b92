/* l2diff: what differs between two surveys, archives or verdicts: two chips, two drivers, before and after. First the
 * conditions, then the parameters, then every point of the raw data, with one correction for all tests. What moves by less
 * than -w is the same, since two allocations on one chip differ by as much (see the manual). Searches (evict, replace,
 * contend, survive) come upon other addresses each time: only what filters found in them is compared. */
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/out.h"
#include "diffrows.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INPUTS = 16 };

static const struct correction {
    const char *name;
    void (*adjust)(double *p, size_t n, size_t *order);
} corrections[] = {{"holm", adjust_holm}, {"bh", adjust_benjamini_hochberg}, {NULL, NULL}};

static const struct correction *xcorrection(const char *word)
{
    for (const struct correction *c = corrections; c->name != NULL; c++)
        if (strcmp(c->name, word) == 0)
            return c;
    xdie(EXIT_USAGE, "-c: not holm or bh: '%s'", word);
}

/* "capacity_side, ways, 12 points of latency": what differs. The caller frees it. */
static char *list_differing(const struct diff_rows *rows, size_t one, size_t other)
{
    char *list = xstrdup(""), *longer;

    for (size_t i = 0, points = 0; i < rows->n; i++) {
        const struct diff_row *r = &rows->row[i], *next = i + 1 < rows->n ? r + 1 : NULL;
        bool counts = r->one == one && r->other == other && r->result == DIFF_DIFFERS;

        if (counts && r->about == DIFF_PARAMETER) {
            longer = xprintf("%s%s%s", list, *list != '\0' ? ", " : "", r->param);
            free(list);
            list = longer;
        }
        points += counts && r->about == DIFF_POINT;
        if (points > 0 && (next == NULL || next->archive != r->archive)) {
            longer = xprintf("%s%s%zu points of %s", list, *list != '\0' ? ", " : "", points,
                             r->archive);
            free(list);
            list = longer;
            points = 0;
        }
    }
    return list;
}

/* Notes for people. Returns how many comparisons differ. */
static size_t note_pair(struct prov *p, const struct diff_rows *rows, const struct diff_input *in,
                        size_t i, size_t j, const struct diff_rules *rules)
{
    size_t c[DIFF_RESULTS];
    char *list = list_differing(rows, i, j);

    diff_count(rows, i, j, c);
    if (c[DIFF_DIFFERS] == 0)
        prov_addf(p,
                  "#note %s and %s are the same: nothing differs, %zu comparisons are equal or "
                  "within %g %%, %zu can't be told that well, %zu are only in one",
                  in[i].name, in[j].name, c[DIFF_SAME], 100 * rules->within, c[DIFF_UNSURE],
                  c[DIFF_MISSING]);
    else
        prov_addf(p,
                  "#note %s and %s differ: %s (%zu comparisons are the same, %zu differ, %zu can't "
                  "be told, %zu are only in one)",
                  in[i].name, in[j].name, list, c[DIFF_SAME], c[DIFF_DIFFERS], c[DIFF_UNSURE],
                  c[DIFF_MISSING]);
    free(list);
    return c[DIFF_DIFFERS] + c[DIFF_MISSING];
}

static size_t sum_up(struct prov *p, const struct diff_rows *rows, const struct diff_input *in,
                     size_t n, const struct diff_rules *rules)
{
    size_t odd, differ = 0;
    double its = 0, theirs = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            differ += note_pair(p, rows, in, i, j, rules);
    odd = diff_odd_one_out(rows, n, &its, &theirs);
    if (odd < n)
        prov_addf(p,
                  "#note the odd one out is %s: %.0f %% of what was compared with others differs; "
                  "without it, %.0f %%",
                  in[odd].name, 100 * its, 100 * theirs);
    else if (n > 2)
        prov_addf(p, "#note none of the %zu is the odd one out", n);
    return differ;
}

static void warn_conditions(struct prov *p, const struct diff_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        const struct diff_row *r = &rows->row[i];

        if (r->about != DIFF_CONDITION)
            continue;
        cli_warn("conditions differ: %s%s%s: '%s' and '%s': %s", r->archive ? r->archive : "",
                 r->archive ? ": " : "", r->param, r->left, r->right, r->says);
        prov_addf(p, "#warning conditions differ: %s: '%s' and '%s'", r->param, r->left, r->right);
    }
}

static void compare_all(struct diff_rows *rows, const struct diff_input *in, size_t n,
                        const struct diff_rules *rules)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            diff_conditions(rows, in, i, j);
            diff_parameters(rows, in, i, j, rules);
            diff_points(rows, in, i, j, rules);
        }
    diff_judge(rows, rules);
}

static size_t xread_all(struct diff_input *in, char *const *names, size_t n, bool strict,
                        struct prov *p)
{
    if (n < 2 || n > MOST_INPUTS)
        xdie(EXIT_USAGE, "give 2 to %d archives or folders", MOST_INPUTS);
    for (size_t i = 0; i < n; i++) {
        xdiff_read(&in[i], names[i], strict);
        for (size_t k = 0; k < in[i].prov.n; k++)
            prov_add(p, in[i].prov.line[k], strlen(in[i].prov.line[k]));
    }
    return n;
}

static const struct cli_opt opts[] = {
    {'w', "within", "PERCENT", "a smaller shift is no difference (1)"},
    {'a', "alpha", "P", "chance of a wrong difference among all (0.05)"},
    {'c', "correction", "NAME", "for many tests: holm (default) or bh"},
    {'d', "differ", NULL, "leave out what is the same"},
    {'s', "strict", NULL, "exit 1 when anything differs; an incomplete input is an error"},
    {0, NULL, NULL, NULL},
};
static const struct cli_usage usage = {"[-ds] [-w PERCENT] [-a P] [-c holm|bh] A B [MORE...]",
                                       "Says what differs between surveys, archives or verdicts.",
                                       opts};

int main(int argc, char **argv)
{
    struct diff_rules rules = {0.01, 0.05, 0.95, adjust_holm};
    struct diff_input in[MOST_INPUTS];
    struct diff_rows rows = {0};
    struct prov prov = {0};
    bool strict = false, only_differing = false;
    size_t n, differ;
    struct out o;
    int letter;

    cli_start("l2diff");
    while ((letter = xcli_next(argc, argv, &usage)) != -1)
        switch (letter) {
        case 'w':
            rules.within = xparse_double("-w", optarg, 0, 100) / 100;
            break;
        case 'a':
            rules.alpha = xparse_double("-a", optarg, 1e-9, 0.5);
            rules.confidence = 1 - rules.alpha;
            break;
        case 'c':
            rules.adjust = xcorrection(optarg)->adjust;
            break;
        case 'd':
            only_differing = true;
            break;
        case 's':
            strict = true;
        }
    n = xread_all(in, argv + optind, (size_t)(argc - optind), strict, &prov);
    compare_all(&rows, in, n, &rules);
    warn_conditions(&prov, &rows);
    prov_command(&prov, argc, argv);
    differ = sum_up(&prov, &rows, in, n, &rules);
    out_begin(&o, stdout, &prov, DIFF_COLUMNS);
    diff_print(&o, &rows, in, only_differing);
    out_end(&o, "ok");
    prov_free(&prov);
    diff_rows_free(&rows);
    for (size_t i = 0; i < n; i++)
        diff_input_free(&in[i]);
    xclose_stdout();
    return strict && differ > 0 ? EXIT_FAILED : EXIT_OK;
}
