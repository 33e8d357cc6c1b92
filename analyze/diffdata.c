/* Reading for l2diff. The conditions of a point are the parameter columns of its rows, but for addresses and what a search
 * came upon: those are other ones in every run, since the memory is another. */
#include "diffdata.h"
#include "verdict.h"

#include "../share/lib/cli.h"
#include "../share/lib/columns.h"
#include "../share/lib/mem.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct diff_kind kinds[] = {
    {"latency", "cycles", "n", " ", "size", "stride"},
    {"stride", "cycles", "n", " ", "lines", NULL},
    {"bandwidth", "gbps", NULL, " ", NULL, NULL},
    {"clock", "value", "n", " sm ", NULL, NULL},
    {"matrix", "cycles", NULL, " ", NULL, NULL},
    {"tlb", "cycles", "n", " size ", "pages", NULL},
    {"evict", NULL, NULL, NULL, NULL, NULL},
    {"replace", NULL, NULL, NULL, NULL, NULL},
    {"contend", NULL, NULL, NULL, NULL, NULL},
    {"survive", NULL, NULL, NULL, NULL, NULL},
    {"sametag", NULL, NULL, NULL, NULL, NULL},
    {"copies", NULL, NULL, NULL, NULL, NULL},
    {NULL, "", "n", " ", NULL, NULL},
};
static const char chance[] = " exp offset a b pivot threshold miss target attempt slice line pool ";

static const struct diff_kind *kind_of(const char *exp)
{
    const struct diff_kind *k = kinds;

    while (k->exp != NULL && strcmp(k->exp, exp) != 0)
        k++;
    return k;
}

static bool listed(const char *list, const char *word)
{
    char *padded = xprintf(" %s ", word);
    bool is = strstr(list, padded) != NULL;

    free(padded);
    return is;
}

/* Where a table's conditions and values stand. */
struct layout {
    struct diff_archive *archive;
    size_t value, weight;
    size_t *column;
    struct field *run;
};

static size_t value_column(const struct tsv *t, struct diff_archive *a)
{
    static const char *const usual[] = {"cycles", "gbps", "value", NULL};

    if (*a->kind->value != '\0') {
        a->value = a->kind->value;
        return xtsv_column(t, a->value);
    }
    for (size_t i = 0; usual[i] != NULL; i++)
        if (tsv_find(t, usual[i]) != TSV_NONE) {
            a->value = usual[i];
            return tsv_find(t, usual[i]);
        }
    return TSV_NONE;
}

static bool is_condition(const struct diff_kind *k, const char *name)
{
    const struct column *c = column_find(name);

    return (c == NULL || c->role == ROLE_PARAM) && !listed(chance, name) && !listed(k->leave, name);
}

static void look_up(struct layout *at, const struct tsv *t)
{
    struct diff_archive *a = at->archive;

    at->value = value_column(t, a);
    at->weight = a->kind->weight != NULL ? tsv_find(t, a->kind->weight) : TSV_NONE;
    at->column = xcalloc(t->ncolumn + 1, sizeof *at->column);
    at->run = xcalloc(t->ncolumn + 1, sizeof *at->run);
    a->column = xcalloc(t->ncolumn + 1, sizeof *a->column);
    for (size_t c = 0; c < t->ncolumn; c++)
        if (c != at->value && c != at->weight && is_condition(a->kind, t->column[c])) {
            at->column[a->ncolumn] = c;
            a->column[a->ncolumn++] = xstrdup(t->column[c]);
        }
}

static void add_sample(struct layout *at, const struct tsv *t)
{
    double x = xtsv_double(t, at->value);
    struct group *g;

    for (size_t i = 0; i < at->archive->ncolumn; i++)
        at->run[i] = t->field[at->column[i]];
    g = groups_find(&at->archive->groups, at->run, at->archive->ncolumn);
    if (isfinite(x))
        tally_add(&g->tally, x, at->weight == TSV_NONE ? 1 : xtsv_u64(t, at->weight));
}

static char *field_text(const struct tsv *t, size_t column)
{
    return xstrndup(t->field[column].ptr, t->field[column].len);
}

/* A new archive for the rows that follow; its name is the experiment's when the file is no part of a folder. */
static void start_archive(struct diff_input *in, const struct tsv *t, const char *name,
                          struct layout *at)
{
    size_t exp = tsv_find(t, "exp");
    char *word = exp == TSV_NONE ? xstrdup("rows") : field_text(t, exp);
    struct diff_archive *a;

    in->archive = xrealloc(in->archive, in->narchive + 1, sizeof *in->archive);
    a = &in->archive[in->narchive++];
    *a = (struct diff_archive){.name = xstrdup(name != NULL ? name : word), .kind = kind_of(word)};
    at->archive = a;
    if (a->kind->value != NULL)
        look_up(at, t);
    free(word);
}

static void end_archive(struct layout *at)
{
    if (at->archive != NULL)
        groups_sort(&at->archive->groups);
    free(at->column);
    free(at->run);
    *at = (struct layout){0};
}

static void add_verdict(struct diff_input *in, const struct tsv *t)
{
    struct diff_param *p;

    in->param = xrealloc(in->param, in->nparam + 1, sizeof *in->param);
    p = &in->param[in->nparam++];
    p->name = field_text(t, xtsv_column(t, "param"));
    p->text = field_text(t, xtsv_column(t, "value"));
    p->unit = field_text(t, xtsv_column(t, "unit"));
    p->verdict = field_text(t, xtsv_column(t, "verdict"));
    p->lo = xtsv_double(t, xtsv_column(t, "lo"));
    p->hi = xtsv_double(t, xtsv_column(t, "hi"));
    if (parse_double(p->text, &p->value) != 0)
        p->value = NAN;
}

static void read_tables(struct diff_input *in, struct tsv *t, const char *name)
{
    struct layout at = {0};
    bool findings = false, verdict = false, fresh = false;

    for (enum tsv_event ev; (ev = xtsv_next(t)) != TSV_END;) {
        if (ev == TSV_HEADER) {
            end_archive(&at);
            verdict = tsv_find(t, "param") != TSV_NONE && tsv_find(t, "verdict") != TSV_NONE;
            findings = !verdict && findings_is(t);
            fresh = true;
        } else if (findings) {
            xfindings_add(&in->findings, t);
        } else if (verdict) {
            add_verdict(in, t);
        } else {
            if (fresh)
                start_archive(in, t, name, &at);
            fresh = false;
            if (at.value != TSV_NONE && at.archive->kind->value != NULL)
                add_sample(&at, t);
        }
    }
    end_archive(&at);
}

static void read_file(struct diff_input *in, const char *path, const char *name, bool strict)
{
    char *files[] = {xstrdup(path), NULL};
    struct tsv *t = xtsv_open(files);
    size_t before = in->narchive;
    const char *given;

    t->many_tables = true;
    t->strict = strict;
    read_tables(in, t, name);
    given = prov_get(&t->prov, "parameters", 0);
    if (given != NULL && in->narchive == before + 1)
        in->archive[before].parameters = xstrdup(given);
    for (size_t i = 0; i < t->prov.n; i++)
        prov_add(&in->prov, t->prov.line[i], strlen(t->prov.line[i]));
    tsv_close(t);
    free(files[0]);
}

/* The name without .tsv or .tsv.gz, NULL for other files and those that hold no samples. */
static char *stem_of(const char *file)
{
    size_t len = strlen(file);
    char *stem;

    if (len > 3 && strcmp(file + len - 3, ".gz") == 0)
        len -= 3;
    if (len <= 4 || strncmp(file + len - 4, ".tsv", 4) != 0 || file[0] == '.')
        return NULL;
    stem = xstrndup(file, len - 4);
    if (strcmp(stem, "manifest") == 0 || strcmp(stem, "verdict") == 0 ||
        strcmp(stem, "troubles") == 0) {
        free(stem);
        return NULL;
    }
    return stem;
}

static int any_entry(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static void read_folder(struct diff_input *in, const char *path, bool named, bool strict)
{
    struct dirent **entry;
    int n = scandir(path, &entry, any_entry, alphasort);

    if (n < 0)
        xdie(EXIT_FAILED, "%s: %s", path, strerror(errno));
    for (int i = 0; i < n; i++) {
        char *stem = stem_of(entry[i]->d_name), *file = xprintf("%s/%s", path, entry[i]->d_name);

        if (stem != NULL)
            read_file(in, file, named ? stem : NULL, strict);
        free(stem);
        free(file);
        free(entry[i]);
    }
    free(entry);
}

/* What the verdict would say; used where there is none. */
static void judge_findings(struct diff_input *in)
{
    struct verdict v;

    if (in->nparam > 0 || in->findings.n == 0)
        return;
    verdict_derive(&in->findings);
    verdict_make(&v, &in->findings, NULL, 0, 0);
    in->param = xcalloc(v.n, sizeof *in->param);
    for (size_t i = 0; i < v.n; i++) {
        const struct verdict_row *r = &v.row[i];
        struct diff_param *p = &in->param[in->nparam++];

        *p = (struct diff_param){.name = xstrdup(r->rule.param),
                                 .text = xstrdup(r->value),
                                 .unit = xstrdup(r->unit),
                                 .verdict = xstrdup(verdict_words[r->word]),
                                 .lo = r->lo,
                                 .hi = r->hi};
        if (parse_double(p->text, &p->value) != 0)
            p->value = NAN;
    }
    verdict_free(&v);
}

static bool exists(const char *path, bool folder)
{
    struct stat st;

    return stat(path, &st) == 0 && (bool)S_ISDIR(st.st_mode) == folder;
}

void xdiff_read(struct diff_input *in, const char *path, bool strict)
{
    *in = (struct diff_input){.name = path};
    if (exists(path, true)) {
        char *verdict = xprintf("%s/verdict.tsv", path), *findings = xprintf("%s/findings", path);

        read_folder(in, path, true, strict);
        if (exists(verdict, false))
            read_file(in, verdict, NULL, strict);
        else if (exists(findings, true))
            read_folder(in, findings, false, strict);
        free(verdict);
        free(findings);
    } else {
        read_file(in, path, NULL, strict);
    }
    judge_findings(in);
    if (in->narchive == 0 && in->nparam == 0)
        xdie(EXIT_FAILED, "%s: no rows, findings or verdict in it", path);
}

const struct diff_archive *diff_archive_find(const struct diff_input *in, const char *name)
{
    for (size_t i = 0; i < in->narchive; i++)
        if (strcmp(in->archive[i].name, name) == 0)
            return &in->archive[i];
    return NULL;
}

const struct diff_param *diff_param_find(const struct diff_input *in, const char *name)
{
    for (size_t i = 0; i < in->nparam; i++)
        if (strcmp(in->param[i].name, name) == 0)
            return &in->param[i];
    return NULL;
}

/* The number in a column of a group's key, nan when there is none. */
static double key_number(const struct diff_archive *a, const struct group *g, const char *column)
{
    const char *at = g->key;

    for (size_t i = 0; i < a->ncolumn && column != NULL; i++) {
        if (strcmp(a->column[i], column) == 0)
            return strtod(at, NULL);
        at += strcspn(at, "\t");
        at += *at == '\t';
    }
    return NAN;
}

double diff_independent(const struct diff_archive *a, const struct group *g, double n)
{
    double lines = key_number(a, g, a->kind->over);

    if (a->kind->by != NULL)
        lines /= key_number(a, g, a->kind->by);
    return lines >= 1 ? fmin(n, floor(lines)) : n;
}

void diff_input_free(struct diff_input *in)
{
    for (size_t i = 0; i < in->narchive; i++) {
        for (size_t c = 0; c < in->archive[i].ncolumn; c++)
            free(in->archive[i].column[c]);
        free(in->archive[i].column);
        free(in->archive[i].name);
        free(in->archive[i].parameters);
        groups_free(&in->archive[i].groups);
    }
    for (size_t i = 0; i < in->nparam; i++) {
        free(in->param[i].name);
        free(in->param[i].text);
        free(in->param[i].unit);
        free(in->param[i].verdict);
    }
    free(in->archive);
    free(in->param);
    findings_free(&in->findings);
    prov_free(&in->prov);
}
