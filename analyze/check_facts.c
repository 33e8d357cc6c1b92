/* The rows of an archive as facts for the rules. What other filters work out - spikes of strides, eviction sets, classes of
 * lines - their own mathematics says, from a second reading of the file. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/tsv.h"
#include "assoc_rows.h"
#include "contend.h"
#include "slices.h"

struct columns {
    size_t exp, size, seq, pass, cycles, n, op, timing, order, what, value, gbps, take;
};

static void find_columns(const struct tsv *t, struct columns *c)
{
    const struct {
        const char *name;
        size_t *to;
    } names[] = {
        {"exp", &c->exp},     {"size", &c->size},     {"seq", &c->seq},     {"pass", &c->pass},
        {"n", &c->n},         {"cycles", &c->cycles}, {"op", &c->op},       {"timing", &c->timing},
        {"order", &c->order}, {"what", &c->what},     {"value", &c->value}, {"gbps", &c->gbps},
        {"take", &c->take},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        *names[i].to = tsv_find(t, names[i].name);
}

static double number(const struct tsv *t, size_t column, double otherwise)
{
    return column == TSV_NONE ? otherwise : xtsv_double(t, column);
}

static struct check_size *size_of(struct check_facts *f, double size, double seq)
{
    for (size_t i = f->nsize; i > 0; i--)
        if (f->size[i - 1].size == size)
            return &f->size[i - 1];
    f->size = xgrow(f->size, f->nsize, &f->size_cap, sizeof *f->size);
    f->size[f->nsize] = (struct check_size){
        .size = size, .seq = seq, .bins = xcalloc(CHECK_BINS, sizeof(uint32_t))};
    return &f->size[f->nsize++];
}

static void add_latency(struct check_facts *f, const struct tsv *t, const struct columns *c)
{
    double cycles = number(t, c->cycles, 0), n = number(t, c->n, 1), pass = number(t, c->pass, 0);
    struct check_size *s;

    f->latency = true;
    f->through_l1 = f->through_l1 || (c->op != TSV_NONE && tsv_is(t, c->op, "ca"));
    f->several_passes = f->several_passes || pass > 0;
    if ((c->timing != TSV_NONE && !tsv_is(t, c->timing, "each")) ||
        (c->order != TSV_NONE && tsv_is(t, c->order, "back")))
        return;
    s = size_of(f, number(t, c->size, 0), number(t, c->seq, 0));
    s->n += n;
    s->sum += n * cycles;
    s->bins[cycles < CHECK_BINS - 1 ? (size_t)cycles : CHECK_BINS - 1] += (uint32_t)n;
    if (pass == 0) {
        s->first_n += n;
        s->first_sum += n * cycles;
    }
}

/* What makes two rows repeats of one launch: all columns up to the pass, but not when they were run. */
static char *stream_key(const struct tsv *t, const struct columns *c)
{
    char *key = xstrdup(""), *longer;

    for (size_t i = 0; i < t->ncolumn && i != c->pass; i++)
        if (i != c->seq) {
            longer = xprintf("%s %.*s", key, (int)t->field[i].len, t->field[i].ptr);
            free(key);
            key = longer;
        }
    return key;
}

static void add_bandwidth(struct check_facts *f, const struct tsv *t, const struct columns *c)
{
    char *key = stream_key(t, c);
    double gbps = number(t, c->gbps, NAN);
    struct check_stream *s;
    size_t i = 0;

    f->bandwidth = true;
    while (i < f->nstream && strcmp(f->stream[i].key, key) != 0)
        i++;
    if (i == f->nstream) {
        f->stream = xgrow(f->stream, f->nstream, &f->stream_cap, sizeof *f->stream);
        f->stream[f->nstream++] =
            (struct check_stream){.key = key,
                                  .size = number(t, c->size, NAN),
                                  .least = INFINITY,
                                  .read = c->op != TSV_NONE && tsv_is(t, c->op, "read"),
                                  .plain = number(t, c->take, 0) == 0};
    } else {
        free(key);
    }
    s = &f->stream[i];
    s->n++;
    s->least = fmin(s->least, gbps);
    s->most = fmax(s->most, gbps);
}

static void add_clock(struct check_facts *f, const struct tsv *t, const struct columns *c)
{
    double n = number(t, c->n, 1);

    f->clock = true;
    if (c->what == TSV_NONE || !tsv_is(t, c->what, "timer"))
        return;
    f->timer_n += n;
    f->timer_sum += n * number(t, c->value, 0);
}

static void add_row(struct check_facts *f, const struct tsv *t, const struct columns *c)
{
    if (tsv_is(t, c->exp, "latency"))
        add_latency(f, t, c);
    else if (tsv_is(t, c->exp, "bandwidth"))
        add_bandwidth(f, t, c);
    else if (tsv_is(t, c->exp, "clock"))
        add_clock(f, t, c);
    else if (tsv_is(t, c->exp, "evict"))
        f->evict = true;
    else if (tsv_is(t, c->exp, "stride"))
        f->stride = true;
    else if (tsv_is(t, c->exp, "contend"))
        f->contend = true;
    else if (!tsv_is(t, c->exp, "survive") && !tsv_is(t, c->exp, "matrix"))
        f->other = true;
}

/* Accesses that took 0 or 1 cycle. Stores and rows of status have their own reasons, loads have none. */
static void count_instant(struct check_facts *f, const struct tsv *t, const struct columns *c)
{
    double n;

    if (c->cycles == TSV_NONE || c->size == TSV_NONE || tsv_is(t, c->exp, "bandwidth"))
        return;
    n = number(t, c->n, 1);
    f->accesses += n;
    f->instant += number(t, c->cycles, NAN) <= 1 ? n : 0;
}

static int by_size(const void *a, const void *b)
{
    double x = ((const struct check_size *)a)->size, y = ((const struct check_size *)b)->size;

    return (x > y) - (x < y);
}

static void ask_assoc(struct check_facts *f)
{
    char *files[] = {xstrdup(f->file), NULL};
    struct tsv *t = xtsv_open(files);
    struct assoc_rows r = {0};
    struct stride_fit fit;

    xassoc_read(t, &r);
    for (size_t i = 0; i < r.na; i++) {
        size_t k = 0;

        while (k < i && (r.a[k].target != r.a[i].target || r.a[k].run != r.a[i].run))
            k++;
        f->targets += k == i;
        f->verified += r.a[i].verified;
    }
    f->strided = r.np > 0 && stride_fit(r.p, r.np, r.p[0].stride, &fit) == 0;
    f->spike = f->strided && fit.spike;
    f->widest = f->strided ? fit.widest : NAN;
    assoc_rows_free(&r);
    tsv_close(t);
    free(files[0]);
}

static void ask_slices(struct check_facts *f)
{
    char *files[] = {xstrdup(f->file), NULL};
    struct tsv *t = xtsv_open(files);
    struct slice_data d = {0};

    t->many_tables = true;
    for (enum tsv_event ev; (ev = xtsv_next(t)) != TSV_END;)
        if (ev == TSV_HEADER)
            xslice_data_header(&d, t);
        else
            xslice_data_add(&d, t);
    slice_data_finish(&d);
    for (int op = 0; op < OPS; op++) {
        struct contend c = {0};

        if (d.pairs[op].n == 0)
            continue;
        f->compared = true;
        contend_alloc(&c, d.lines, d.pairs[op].n);
        c.pair = d.pairs[op].pair;
        f->told_apart = f->told_apart || (contend_run(&c) == 0 && contend_counts(&c));
        contend_free(&c);
    }
    slice_data_free(&d);
    tsv_close(t);
    free(files[0]);
}

void xfacts_read(struct check_facts *f, const char *file, struct prov *prov)
{
    char *files[] = {xstrdup(file), NULL};
    struct tsv *t = xtsv_open(files);
    struct columns c = {0};

    *f = (struct check_facts){.file = file, .prov = prov};
    t->many_tables = true;
    for (enum tsv_event ev; (ev = xtsv_next(t)) != TSV_END;) {
        if (ev == TSV_HEADER) {
            find_columns(t, &c);
            if (c.exp == TSV_NONE)
                xtsv_bad_line(t, "no column exp: not the raw rows of an experiment");
        } else {
            add_row(f, t, &c);
            count_instant(f, t, &c);
        }
    }
    if (f->nsize > 0)
        qsort(f->size, f->nsize, sizeof *f->size, by_size);
    for (size_t i = 0; i < t->prov.n; i++)
        prov_addf(prov, "%s", t->prov.line[i]);
    tsv_close(t);
    free(files[0]);
    f->l2 = facts_key(f, "l2_bytes");
    if ((f->stride || f->evict) && !f->contend && !f->latency && !f->other)
        ask_assoc(f);
    if (f->contend && !f->stride && !f->evict && !f->latency && !f->other)
        ask_slices(f);
}

void facts_free(struct check_facts *f)
{
    for (size_t i = 0; i < f->nsize; i++)
        free(f->size[i].bins);
    for (size_t i = 0; i < f->nstream; i++)
        free(f->stream[i].key);
    free(f->size);
    free(f->stream);
}

double facts_key(const struct check_facts *f, const char *key)
{
    double v = prov_number(f->prov, key);

    return v > 0 ? v : NAN;
}

double check_quantile(const struct check_size *s, double q)
{
    double below = 0;
    size_t b = 0;

    while (b < CHECK_BINS - 1 && below + s->bins[b] < q * s->n)
        below += s->bins[b++];
    return (double)b;
}

/* The file itself, or gzip -dc of it; -1 when it cannot be read. */
static int open_plain(const char *file, pid_t *unzip)
{
    unsigned char magic[2] = {0};
    int fd = open(file, O_RDONLY | O_CLOEXEC), ends[2];

    *unzip = 0;
    if (fd < 0 || read(fd, magic, 2) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        xdie(EXIT_FAILED, "%s: %s", file, strerror(errno));
    if (magic[0] != 0x1f || magic[1] != 0x8b)
        return fd;
    if (pipe2(ends, O_CLOEXEC) != 0 || (*unzip = fork()) < 0)
        xdie(EXIT_FAILED, "%s: cannot start gzip: %s", file, strerror(errno));
    if (*unzip == 0) {
        dup2(fd, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        close(STDERR_FILENO);
        execlp("gzip", "gzip", "-dc", (char *)NULL);
        _exit(127);
    }
    close(fd);
    close(ends[1]);
    return ends[0];
}

int check_end(const char *file, char *last, size_t size)
{
    char block[65536];
    size_t at = 0;
    ssize_t got;
    pid_t unzip;
    int fd = open_plain(file, &unzip), status = 0;
    bool newline = false;

    *last = '\0';
    while ((got = read(fd, block, sizeof block)) > 0)
        for (ssize_t i = 0; i < got; i++) {
            if (newline)
                at = 0;
            newline = block[i] == '\n';
            if (!newline && at + 1 < size)
                last[at++] = block[i];
            last[at] = '\0';
        }
    close(fd);
    if (unzip > 0)
        waitpid(unzip, &status, 0);
    return status == 0 && newline ? 0 : -1;
}
