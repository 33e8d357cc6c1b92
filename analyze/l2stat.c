/* l2stat: the distribution of each group of rows, as quantiles, moments, modes or a histogram.
 *
 * Rows are counted by value as they come, so memory grows with groups and different values only, and the order of the
 * rows does not matter. Rows are grouped by every column that l2tsv(5) calls a parameter, and by columns it does not know.
 * Warnings about spread are written to stderr and, as #warning lines, into the output. It can't know whether samples are
 * independent: the interval of the median supposes so. */
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/out.h"
#include "../share/lib/tsv.h"
#include "modes.h"
#include "stat.h"

#include <getopt.h>
#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MODES = 64, STRICT = 256 };

static void add_names(struct request *r, char *list)
{
    r->any_by = true;
    for (char *name = strtok(list, ","); name != NULL; name = strtok(NULL, ",")) {
        r->by = xgrow(r->by, r->nby, &r->by_cap, sizeof *r->by);
        r->by[r->nby++] = name;
    }
}

static void add_quantiles(struct request *r, char *list)
{
    for (char *q = strtok(list, ","); q != NULL; q = strtok(NULL, ",")) {
        if (r->nquantile == MAX_QUANTILES)
            xdie(EXIT_USAGE, "-q: more than %d quantiles", MAX_QUANTILES);
        r->quantile[r->nquantile++] = xparse_double("-q", q, 0, 1);
    }
}

/* NAME or NAME:FACTOR. */
static void set_rule(struct request *r, const char *word)
{
    size_t len = strcspn(word, ":");

    for (r->rule = outlier_rules; r->rule->name != NULL; r->rule++)
        if (strlen(r->rule->name) == len && strncmp(r->rule->name, word, len) == 0)
            break;
    if (r->rule->name == NULL)
        xdie(EXIT_USAGE, "-k: no outlier rule such as mad:5, iqr:3, trim:1: '%s'", word);
    r->factor = word[len] == ':' ? xparse_double("-k", word + len + 1, 0, 1e9) : r->rule->factor;
}

static void put_key(struct out *o, const struct group *g, size_t nby)
{
    const char *at = g->key;

    for (size_t c = 0; c < nby; c++) {
        size_t len = strcspn(at, "\t");

        out_strn(o, at, len);
        at += len + 1;
    }
}

static void put_summary(struct stat *s, struct out *o, size_t i)
{
    const struct summary *r = &s->summary[i];
    const double value[] = {r->min, r->q05,  r->q25, r->median, r->q75,   r->q95,
                            r->max, r->mean, r->sd,  r->mad,    r->ci_lo, r->ci_hi};
    uint64_t dropped;
    struct dist d;

    put_key(o, s->groups.group[i], s->at.nby);
    out_u64(o, r->n);
    for (size_t k = 0; k < sizeof value / sizeof *value; k++)
        out_double(o, value[k]);
    if (s->want.nquantile > 0 || s->want.rule != NULL) {
        d = stat_load(s, i, &dropped);
        for (size_t k = 0; k < s->want.nquantile; k++)
            out_double(o, dist_quantile(&d, s->want.quantile[k]));
        if (s->want.rule != NULL)
            out_u64(o, dropped);
    }
    out_row(o);
}

static void put_modes(struct stat *s, struct out *o, size_t i)
{
    struct mode mode[MAX_MODES];
    uint64_t dropped;
    struct dist d = stat_load(s, i, &dropped);
    size_t n = modes_find(&d, 0.001, mode, MAX_MODES);

    for (size_t k = 0; k < n; k++) {
        put_key(o, s->groups.group[i], s->at.nby);
        out_u64(o, k + 1);
        out_u64(o, n);
        out_double(o, mode[k].centre);
        out_round(o, (double)mode[k].n / (double)dist_n(&d), 6);
        out_double(o, mode[k].width);
        out_double(o, mode[k].lo);
        out_double(o, mode[k].hi);
        out_u64(o, mode[k].n);
        out_row(o);
    }
}

static void put_histogram(struct stat *s, struct out *o, size_t i)
{
    uint64_t dropped;
    struct dist d = stat_load(s, i, &dropped);
    struct bins bins;

    bins_choose(&d, s->want.bin, &bins);
    for (size_t k = 0; k < d.m;) {
        int64_t bin = bins_of(&bins, d.x[k]);
        uint64_t n = 0;

        for (; k < d.m && bins_of(&bins, d.x[k]) == bin; k++)
            n += dist_weight(&d, k);
        put_key(o, s->groups.group[i], s->at.nby);
        out_round(o, bins.origin + (double)bin * bins.width, 12);
        out_round(o, bins.origin + (double)(bin + 1) * bins.width, 12);
        out_u64(o, n);
        out_round(o, (double)n / (double)dist_n(&d), 6);
        out_row(o);
    }
}

/* "q999" for 0.999: the digits after the point, two at least. */
static char *quantile_name(double q)
{
    char word[40];

    snprintf(word, sizeof word, "%.12f", q);
    for (size_t last = strlen(word) - 1; last > 3 && word[last] == '0'; last--)
        word[last] = '\0';
    return q == 1 ? xstrdup("q100") : xprintf("q%s", word + 2);
}

static bool has_name(const char *names, const char *name)
{
    size_t len = strlen(name);

    for (; *names != '\0'; names += strcspn(names, " "), names += *names == ' ')
        if (strcspn(names, " ") == len && strncmp(names, name, len) == 0)
            return true;
    return false;
}

/* Appends a column; a name that is there already is an error. */
static char *add_column(char *names, const char *name)
{
    char *longer;

    if (has_name(names, name))
        xdie(EXIT_USAGE, "two columns of the output would have the name '%s': see -g and -q", name);
    longer = xprintf("%s%s%s", names, names[0] != '\0' ? " " : "", name);
    free(names);
    return longer;
}

static char *columns_of(const struct stat *s, const struct tsv *t)
{
    static const char *const own[][14] = {
        {"n", "min", "q05", "q25", "median", "q75", "q95", "max", "mean", "sd", "mad", "ci_lo",
         "ci_hi"},
        {"mode", "modes", "centre", "weight", "iqr", "lo", "hi", "n"},
        {"lo", "hi", "n", "weight"}};
    char *names = xstrdup("");

    for (size_t i = 0; i < s->at.nby; i++)
        names = add_column(names, t->column[s->at.by[i]]);
    for (const char *const *name = own[s->want.view]; *name != NULL; name++)
        names = add_column(names, *name);
    for (size_t i = 0; s->want.view == VIEW_SUMMARY && i < s->want.nquantile; i++) {
        char *name = quantile_name(s->want.quantile[i]);

        names = add_column(names, name);
        free(name);
    }
    return s->want.view == VIEW_SUMMARY && s->want.rule != NULL ? add_column(names, "dropped")
                                                                : names;
}

static void write_all(struct stat *s, const struct tsv *t)
{
    static void (*const put[])(struct stat *, struct out *, size_t) = {put_summary, put_modes,
                                                                       put_histogram};
    char *names = columns_of(s, t);
    struct out o;

    out_begin(&o, stdout, &t->prov, names);
    for (size_t i = 0; i < s->groups.n; i++)
        put[s->want.view](s, &o, i);
    out_end(&o, "ok");
    free(names);
}

static const struct cli_opt opts[] = {
    {'g', "group", "COLUMNS", "group by these (a,b,c; '' for one group) instead of all parameters"},
    {'x', "x", "COLUMN", "the same as -g, as in l2knee"},
    {'y', "y", "COLUMN",
     "the values; default: gbps, cycles, ns or value, whichever is there first"},
    {'w', "weight", "COLUMN", "how many samples a row stands for; default: n, if there is one"},
    {'q', "quantiles", "LIST", "more quantiles, such as 0.01,0.999"},
    {'c', "confidence", "P", "of the median's interval; default: 0.95"},
    {'k', "outliers", "RULE", "drop outliers: mad:F, iqr:F or trim:PERCENT"},
    {'m', "modes", NULL, "one row a mode: centre, weight, width"},
    {'H', "histogram", NULL, "one row a bin that is not empty"},
    {'b', "bin", "WIDTH", "of the histogram's bins; default: Freedman and Diaconis"},
    {STRICT, "strict", NULL, "fail on incomplete tables"},
    {0, NULL, NULL, NULL},
};

static const struct cli_usage usage = {
    "[-Hm] [-g columns] [-y column] [-w column] [-q list] [-c p] [-k rule] [-b width] [file ...]",
    "Median, quantiles, spread, modes or histogram of each group of rows.", opts};

static void set_option(struct request *r, int c)
{
    switch (c) {
    case 'g':
    case 'x':
        add_names(r, optarg);
        break;
    case 'y':
        r->value = optarg;
        break;
    case 'w':
        r->weight = optarg;
        break;
    case 'q':
        add_quantiles(r, optarg);
        break;
    case 'c':
        r->confidence = xparse_double("-c", optarg, 0.5, 0.999999);
        break;
    case 'k':
        set_rule(r, optarg);
        break;
    case 'm':
        r->view = VIEW_MODES;
        break;
    case 'H':
        r->view = VIEW_HISTOGRAM;
        break;
    case 'b':
        r->bin = xparse_double("-b", optarg, 1e-300, 1e300);
        break;
    default:
        r->strict = true;
    }
}

int main(int argc, char **argv)
{
    struct stat s = {.want = {.weight = "n", .confidence = 0.95}};
    enum tsv_event event;
    struct tsv *t;
    int c;

    cli_start("l2stat");
    gsl_set_error_handler_off();
    while ((c = xcli_next(argc, argv, &usage)) != -1)
        set_option(&s.want, c);
    t = xtsv_open(argv + optind);
    t->strict = s.want.strict;
    while ((event = xtsv_next(t)) != TSV_END)
        if (event == TSV_HEADER)
            stat_look_up(&s.want, t, &s.at);
        else
            stat_add_row(&s, t);
    stat_finish(&s);
    stat_warn(&s, t);
    prov_command(&t->prov, argc, argv);
    write_all(&s, t);
    stat_free(&s);
    tsv_close(t);
    xclose_stdout();
    return EXIT_OK;
}
