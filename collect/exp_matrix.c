/* matrix: how long a hit takes, for every chosen line from every chosen SM, one SM at a time so that nothing contends.
 *
 * Loads see the copy on the SM's own side, atomics the line's home. Each line is warmed by one access and then timed
 * `reps` times in a row, so it is a hit however many lines there are. Lines come from a list; `random` adds lines at random
 * places, each with a partner whose offset differs in one bit, for the filter that asks which bits matter. A buffer of the
 * same size that an experiment before left is used again, so that contend and matrix of one command see the same lines. */
#include "access.h"
#include "buffer.h"
#include "experiment.h"
#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "../share/lib/split.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16, GRAIN = 32 };

enum keep { KEEP_MID, KEEP_MEDIAN, KEEP_RAW };

struct matrix {
    struct run *r;
    enum l2_kind kind;
    const char *op;
    enum keep keep;
    unsigned reps;
    uint64_t *line;
    size_t nline;
    l2_access *list;
    uint32_t *took;
    double *sample;
};

static const struct param params[] = {
    {"op", PARAM_WORD, "cg", "cg|atom",
     "loads that pass L1, or atomics, which are served at the line's home", 0, 0},
    {"lines", PARAM_SIZES, "auto", "bytes",
     "offsets of the lines, - one a line from standard input; auto: start, count, step", 0, 1e12},
    {"start", PARAM_SIZE, "0", "bytes", "offset of the first line", 0, 1e12},
    {"count", PARAM_U64, "2048", "", "lines from start on", 0, 1e7},
    {"step", PARAM_SIZE, "128", "bytes", "from line to line", 8, 1e12},
    {"random", PARAM_U64, "0", "",
     "random lines besides, every second one a one-bit neighbour of the one before", 0, 1e7},
    {"buffer", PARAM_SIZE, "auto", "bytes",
     "memory allocated, for random lines; auto: 256M, half of the memory at most", 4096, 1e12},
    {"sms", PARAM_TEXT, "all", "", "SMs that measure: all, or numbers with commas", 0, 0},
    {"reps", PARAM_U64, "9", "", "timed accesses of each line from each SM", 1, 1000},
    {"keep", PARAM_WORD, "mid", "mid|median|raw",
     "for each line and SM the mean of the middle half, the median, or every reading", 0, 0},
    {0},
};

/* The mean of the middle half: a median with a finer grain than whole cycles. */
static double middle_half(double *v, size_t n)
{
    size_t cut = n / 4;
    double sum = 0;

    qsort(v, n, sizeof *v, split_order);
    for (size_t i = cut; i < n - cut; i++)
        sum += v[i];
    return sum / (double)(n - 2 * cut);
}

static void put(const struct matrix *m, int sm, uint64_t offset, unsigned rep, double cycles,
                unsigned n)
{
    struct out *o = m->r->out;

    out_str(o, "matrix");
    out_str(o, m->op);
    out_i64(o, sm);
    out_u64(o, offset);
    out_u64(o, rep);
    if (cycles == (double)(uint64_t)cycles)
        out_u64(o, (uint64_t)cycles);
    else
        out_round(o, cycles, 7);
    out_u64(o, n);
    out_row(o);
}

static void put_line(const struct matrix *m, int sm, uint64_t offset, const uint32_t *took)
{
    if (m->keep == KEEP_RAW) {
        for (unsigned k = 0; k < m->reps; k++)
            put(m, sm, offset, k, took[k], 1);
        return;
    }
    for (unsigned k = 0; k < m->reps; k++)
        m->sample[k] = took[k];
    put(m, sm, offset, 0,
        m->keep == KEEP_MID ? middle_half(m->sample, m->reps) : split_median(m->sample, m->reps),
        m->reps);
}

static int measure(const struct matrix *m, int sm)
{
    struct device *d = m->r->dev;
    size_t each = (size_t)m->reps + 1, piece = PIECE / each;

    for (size_t done = 0, n; done < m->nline; done += n) {
        n = m->nline - done < piece ? m->nline - done : piece;
        for (size_t i = 0; i < n * each; i++)
            m->list[i] = l2_access_of(m->kind, m->line[done + i / each], 0);
        if (d->ops->walk(d, sm, m->list, n * each, m->took) != 0)
            return -1;
        for (size_t i = 0; i < n; i++)
            put_line(m, sm, m->line[done + i], m->took + i * each + 1);
    }
    return 0;
}

/* Random lines in twos that differ in one bit; a partner outside of the buffer is left out. */
static void add_random(struct matrix *m, size_t extra, uint64_t bytes)
{
    struct run *r = m->r;

    for (size_t i = 0; i < extra; i++) {
        uint64_t x = rng_below(&r->rng, bytes / GRAIN) * GRAIN;

        if (i % 2 == 1)
            x = m->line[m->nline - 1] ^ 1ull << (5 + i / 2 % 35);
        if (x + 8 <= bytes)
            m->line[m->nline++] = x;
    }
}

static int choose_lines(struct matrix *m)
{
    struct run *r = m->r;
    size_t n, extra = (size_t)param_u64(r, "random");
    const uint64_t *list = param_sizes(r, "lines", &n);
    uint64_t bytes = buffer_bytes(r), start = param_u64(r, "start"), step = param_u64(r, "step");

    if (param_auto(r, "lines"))
        n = param_u64(r, "count");
    m->line = xmalloc((n + extra + 1) * sizeof *m->line);
    for (m->nline = 0; m->nline < n; m->nline++) {
        uint64_t x = param_auto(r, "lines") ? start + m->nline * step : list[m->nline];

        if (x + 8 > bytes)
            return device_fail(r->dev, "line %" PRIu64 " is outside of buffer=%s", x,
                               cli_size(bytes));
        m->line[m->nline] = x;
    }
    add_random(m, extra, bytes);
    return m->nline > 0 ? 0 : run_misfit(r, "no lines: count=0 random=0");
}

/* Which SMs: sm[k] 1 for those wanted. */
static int choose_sms(struct run *r, char *wanted, unsigned sms)
{
    const char *text = param_text(r, "sms");
    char *copy, *save = NULL;
    uint64_t v;

    memset(wanted, strcmp(text, "all") == 0, sms);
    if (strcmp(text, "all") == 0)
        return 0;
    copy = xstrdup(text);
    for (char *word = strtok_r(copy, ",", &save); word != NULL; word = strtok_r(NULL, ",", &save)) {
        if (parse_u64(word, &v) != 0 || v >= sms) {
            device_fail(r->dev, "sms: no SM '%s'; there are 0 to %u", word, sms - 1);
            free(copy);
            return -1;
        }
        wanted[v] = 1;
    }
    free(copy);
    return 0;
}

static int measure_all(const struct matrix *m)
{
    struct run *r = m->r;
    unsigned sms = r->dev->info.sms;
    char *wanted = xmalloc(sms + 1);
    int rc = choose_sms(r, wanted, sms);

    for (unsigned sm = 0; sm < sms && rc == 0 && !run_stopped(); sm++) {
        if (wanted[sm])
            rc = measure(m, (int)sm);
        run_progress(r, sm + 1, sms);
    }
    free(wanted);
    return rc;
}

static int run_matrix(struct run *r)
{
    struct matrix m = {.r = r, .op = param_text(r, "op"), .reps = (unsigned)param_u64(r, "reps")};
    const char *keep = param_text(r, "keep");
    int rc;

    m.kind = (enum l2_kind)access_kind(m.op);
    m.keep = strcmp(keep, "raw") == 0      ? KEEP_RAW
             : strcmp(keep, "median") == 0 ? KEEP_MEDIAN
                                           : KEEP_MID;
    m.list = xmalloc(PIECE * sizeof *m.list);
    m.took = xmalloc(PIECE * sizeof *m.took);
    m.sample = xmalloc(m.reps * sizeof *m.sample);
    rc = choose_lines(&m);
    if (rc == 0)
        rc = buffer_make(r);
    if (rc == 0)
        rc = measure_all(&m);
    free(m.line);
    free(m.list);
    free(m.took);
    free(m.sample);
    return rc;
}

const struct experiment exp_matrix = {
    .name = "matrix",
    .summary = "hit latency of lines x SMs, by loads or by atomics",
    .columns = "exp op sm offset rep cycles n",
    .params = params,
    .run = run_matrix,
};
