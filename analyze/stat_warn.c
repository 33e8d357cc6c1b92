/* What l2stat warns of: lost rows, a wide spread and its reason, a change that the median hides. */
#include "../share/lib/cli.h"
#include "stat.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* A warning for people and for whoever reads the output. */
static void __attribute__((format(printf, 2, 3))) warn(struct tsv *t, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    cli_warn("%s", text);
    prov_addf(&t->prov, "#warning %s: %s", cli_prog, text);
}

/* Whether column c has the same field in all groups. */
static bool same_everywhere(const struct groups *g, size_t c)
{
    const char *first = NULL;
    size_t len = 0;

    for (size_t i = 0; i < g->n; i++) {
        const char *at = g->group[i]->key;

        for (size_t skip = c; skip > 0; skip--)
            at = strchr(at, '\t') + 1;
        if (first == NULL)
            len = strcspn(first = at, "\t");
        else if (strncmp(first, at, len) != 0 || (at[len] != '\t' && at[len] != '\0'))
            return false;
    }
    return true;
}

/* "size=4096 sm=3": the columns in which groups differ. */
static const char *name_of(const struct stat *s, const struct tsv *t, const struct group *g)
{
    static char name[512];
    const char *at = g->key;
    size_t fill = 0;

    name[0] = '\0';
    for (size_t c = 0; c < s->at.nby && fill < sizeof name - 1; c++) {
        size_t len = strcspn(at, "\t");

        if (!same_everywhere(&s->groups, c)) {
            int n = snprintf(name + fill, sizeof name - fill, "%s%s=%.*s", fill > 0 ? " " : "",
                             t->column[s->at.by[c]], (int)len, at);

            fill += n > 0 ? (size_t)n : 0;
        }
        at += len + 1;
    }
    return name[0] != '\0' ? name : "the only group";
}

static void warn_spread(const struct stat *s, struct tsv *t)
{
    size_t count[REASON_COUNT] = {0}, worst = 0, wide = 0, fill = 0;
    char why[700] = "";

    for (size_t i = 0; i < s->groups.n; i++) {
        count[s->summary[i].why]++;
        wide += s->summary[i].why != REASON_NONE;
        if (s->summary[i].spread > s->summary[worst].spread)
            worst = i;
    }
    if (wide == 0)
        return;
    for (size_t r = REASON_NONE + 1; r < REASON_COUNT; r++)
        if (count[r] > 0 && fill < sizeof why)
            fill += (size_t)snprintf(why + fill, sizeof why - fill, "%s%s in %zu (%s)",
                                     fill > 0 ? ", " : "", reason_text[r].what, count[r],
                                     reason_text[r].hint);
    warn(t,
         "%s: q05 to q95 spans over %g %% of the median in %zu of %zu groups, most (%.0f %%) in "
         "%s: %s",
         t->column[s->at.value], 100 * SPREAD_LIMIT, wide, s->groups.n,
         100 * s->summary[worst].spread, name_of(s, t, s->groups.group[worst]), why);
}

/* Over the groups the mean moves and the median does not: a minority of the samples changes. */
static void warn_hidden_change(const struct stat *s, struct tsv *t)
{
    double mean[2] = {INFINITY, -INFINITY}, median[2] = {INFINITY, -INFINITY};

    for (size_t i = 0; i < s->groups.n; i++) {
        mean[0] = fmin(mean[0], s->summary[i].mean);
        mean[1] = fmax(mean[1], s->summary[i].mean);
        median[0] = fmin(median[0], s->summary[i].median);
        median[1] = fmax(median[1], s->summary[i].median);
    }
    if (s->groups.n < 3 || mean[1] - mean[0] < 0.05 * fabs(mean[0]) ||
        median[1] - median[0] > 0.2 * (mean[1] - mean[0]))
        return;
    warn(t,
         "%s: over the groups the mean moves from %.6g to %.6g, the median only from %.6g to %.6g: "
         "a minority of "
         "the samples changes; look at mean, q95 or -m, not at the median",
         t->column[s->at.value], mean[0], mean[1], median[0], median[1]);
}

void stat_warn(const struct stat *s, struct tsv *t)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->groups.n; i++)
        n += s->summary[i].n;
    if (s->not_finite > 0)
        warn(t, "%s: dropped %" PRIu64 " of %" PRIu64 " rows: NaN or infinite",
             t->column[s->at.value], s->not_finite, s->rows);
    if (s->want.rule != NULL)
        warn(t, "%s: dropped %" PRIu64 " of %" PRIu64 " samples by -k %s:%g",
             t->column[s->at.value], s->dropped, n + s->dropped, s->want.rule->name,
             s->want.factor);
    if (n == s->groups.n && n > 1)
        warn(t,
             "every group has one sample: name the columns to group by with -g (-g '': one group)");
    warn_spread(s, t);
    warn_hidden_change(s, t);
}
