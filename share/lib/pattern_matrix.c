/* Patterns over a matrix by thread blocks: tiled, transpose, stencil.
 *
 * What a block does is a list of steps, each a run of elements beside each other that a warp moves at once; every block
 * does the same from its own corner, and what lies outside of the matrix is left out. As many blocks as there are walkers
 * (sms x resident) run at once and go on in turns of `chunk` steps; when all are done the next ones start. A GPU starts a
 * block as soon as another ends: that finer order is not modelled, nor what L1 and shared memory keep beyond `steps`. */
#include "pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "mem.h"

enum { IN, OUT, MATRICES };
enum { RASTER_X, RASTER_Y };
enum { STRIDED_READ, STRIDED_WRITE, STRIDED_NONE };

struct step {
    int32_t row, column; /* from the block's corner */
    uint16_t length;     /* elements */
    uint8_t matrix, kind;
};

struct matrix {
    uint64_t base, pitch; /* bytes from row to row */
    int64_t rows, columns;
};

struct corner {
    int64_t row, column; /* of the block in matrix IN; the other way round in a transposed OUT */
    uint16_t sm;
};

struct tiles {
    struct matrix matrix[MATRICES];
    struct step *step;
    size_t nstep, cap;
    uint64_t element, chunk, blocks, blocks_x, blocks_y, walkers, runs;
    uint64_t width, height; /* of a block, in elements of IN */
    bool transposed, by_rows;
    uint16_t *sm; /* of each walker */
    struct corner *now;
    size_t running; /* blocks of this wave */
    uint64_t wave, done, i;
    size_t k;
};

#define COMMON                                                                                       \
    {"rows", PATTERN_NUMBER, "4096", NULL, 1, 1 << 26, "of the matrix"},                             \
        {"columns", PATTERN_NUMBER, "4096", NULL, 1, 1 << 26, "of the matrix"},                      \
        {"element", PATTERN_NUMBER, "4", NULL, 4, 16, "bytes of an element, a multiple of 4"},       \
        {"block", PATTERN_SHAPE, "32x8", NULL, 0, 0, "threads of a block, x by y: an element each"}, \
        {"raster",                                                                                   \
         PATTERN_WORD,                                                                               \
         "x",                                                                                        \
         "x|y",                                                                                      \
         0,                                                                                          \
         0,                                                                                          \
         "blocks that follow each other are neighbours in x or y"},                                  \
        {"assign",                                                                                   \
         PATTERN_WORD,                                                                               \
         "turns",                                                                                    \
         "turns|runs",                                                                               \
         0,                                                                                          \
         0,                                                                                          \
         "blocks to SMs: one after another, or each SM a run of them"},                              \
        {"sms", PATTERN_NUMBER, "0", NULL, 0, 65535, "SMs at work; 0: all"},                         \
        {"sm", PATTERN_NUMBER, "0", NULL, 0, 65534, "the first one; the others are spread"},         \
        {"resident", PATTERN_NUMBER, "1", NULL, 1, 64, "blocks of an SM at once"},                   \
    {                                                                                                \
        "chunk", PATTERN_NUMBER, "32", NULL, 1, 1 << 20,                                             \
            "steps of a block until the next one's turn"                                             \
    }

static const struct pattern_param tiled_params[] = {COMMON, {0}};
static const struct pattern_param transpose_params[] = {
    COMMON,
    {"strided", PATTERN_WORD, "read", "read|write|none", 0, 0,
     "what goes down the columns; none: through shared memory"},
    {0}};
static const struct pattern_param stencil_params[] = {
    COMMON,
    {"radius", PATTERN_NUMBER, "1", NULL, 1, 64, "neighbours on each side that are read"},
    {0}};

static uint64_t matrix_bytes(const struct pattern *p)
{
    uint64_t n =
        pattern_value(p, "rows") * pattern_value(p, "columns") * pattern_value(p, "element");

    return (n + 4095) / 4096 * 4096 * (p->def == &pattern_tiled ? 1 : 2);
}

/* Adds one element of one lane: to the run before it if it lies beside it, or as a new step. */
static void lane(struct tiles *t, size_t first, uint8_t matrix, uint8_t kind, int64_t row,
                 int64_t column)
{
    struct step *s = t->nstep > first ? &t->step[t->nstep - 1] : NULL;

    if (s != NULL && s->row == row && s->column + s->length == column &&
        (s->length + 1u) * t->element <= TRACE_BYTES) {
        s->length++;
        return;
    }
    t->step = xgrow(t->step, t->nstep, &t->cap, sizeof *t->step);
    t->step[t->nstep++] = (struct step){(int32_t)row, (int32_t)column, 1, matrix, kind};
}

/* All threads of the block, warp by warp, x fastest: thread (x, y) moves element (y, x), or (x, y) when strided. */
static void by_warps(struct tiles *t, const uint64_t shape, uint8_t matrix, uint8_t kind,
                     bool strided)
{
    int64_t w = (int64_t)(shape >> 32), h = (int64_t)(shape & 0xffffffff);
    size_t first = t->nstep;

    for (int64_t i = 0; i < w * h; i++) {
        int64_t x = i % w, y = i / w;

        if (i % 32 == 0)
            first = t->nstep;
        lane(t, first, matrix, kind, strided ? x : y, strided ? y : x);
    }
}

/* The block's rows, `wide` elements each, from (row, column) on. */
static void by_rows(struct tiles *t, uint8_t matrix, uint8_t kind, int64_t row, int64_t nrow,
                    int64_t column, int64_t wide)
{
    for (int64_t r = row; r < row + nrow; r++) {
        size_t first = t->nstep;

        for (int64_t c = column; c < column + wide; c++)
            lane(t, first, matrix, kind, r, c);
    }
}

static void make_steps(const struct pattern *p, struct tiles *t)
{
    uint64_t shape = pattern_value(p, "block");
    int64_t w = (int64_t)(shape >> 32), h = (int64_t)(shape & 0xffffffff), r;

    if (p->def == &pattern_tiled) {
        by_warps(t, shape, IN, TRACE_LOAD, false);
    } else if (p->def == &pattern_stencil) {
        r = (int64_t)pattern_value(p, "radius");
        by_rows(t, IN, TRACE_LOAD, -r, r, 0, w);
        by_rows(t, IN, TRACE_LOAD, 0, h, -r, w + 2 * r);
        by_rows(t, IN, TRACE_LOAD, h, r, 0, w);
        by_warps(t, shape, OUT, TRACE_STORE, false);
    } else if (pattern_value(p, "strided") == STRIDED_READ) {
        by_warps(t, shape, IN, TRACE_LOAD, true);
        by_warps(t, shape, OUT, TRACE_STORE, false);
    } else if (pattern_value(p, "strided") == STRIDED_WRITE) {
        by_warps(t, shape, IN, TRACE_LOAD, false);
        by_warps(t, shape, OUT, TRACE_STORE, true);
    } else {
        by_warps(t, shape, IN, TRACE_LOAD, false);
        by_rows(t, OUT, TRACE_STORE, 0, w, 0, h);
    }
}

static void set_up(const struct pattern *p, struct tiles *t)
{
    int64_t rows = (int64_t)pattern_value(p, "rows"),
            columns = (int64_t)pattern_value(p, "columns");
    uint64_t shape = pattern_value(p, "block"), w = shape >> 32, h = shape & 0xffffffff;
    bool strided_read = p->def == &pattern_transpose && pattern_value(p, "strided") == STRIDED_READ;

    t->element = pattern_value(p, "element");
    t->chunk = pattern_value(p, "chunk");
    t->runs = pattern_value(p, "assign");
    t->transposed = p->def == &pattern_transpose;
    t->matrix[IN] = (struct matrix){0, (uint64_t)columns * t->element, rows, columns};
    t->matrix[OUT] = t->transposed
                         ? (struct matrix){p->bytes / 2, (uint64_t)rows * t->element, columns, rows}
                         : t->matrix[IN];
    t->matrix[OUT].base = p->bytes / 2;
    /* With strided reads x runs down the rows of IN. */
    t->width = strided_read ? h : w;
    t->height = strided_read ? w : h;
    t->blocks_x = ((uint64_t)columns + t->width - 1) / t->width;
    t->blocks_y = ((uint64_t)rows + t->height - 1) / t->height;
    t->blocks = t->blocks_x * t->blocks_y;
    t->by_rows = (pattern_value(p, "raster") == RASTER_X) != strided_read;
}

static void tiles_end(struct pattern *p)
{
    struct tiles *t = p->state;

    free(t->step);
    free(t->sm);
    free(t->now);
    free(t);
    p->state = NULL;
}

static int tiles_start(struct pattern *p, const struct pattern_env *env, char *why, size_t size)
{
    struct tiles *t = xcalloc(1, sizeof *t);
    uint64_t sms = pattern_value(p, "sms"), shape = pattern_value(p, "block");

    p->state = t;
    sms = sms == 0 ? env->sms : sms;
    if (sms > env->sms || pattern_value(p, "sm") >= env->sms)
        return cli_why(why, size, "%s: sms=%" PRIu64 " sm=%" PRIu64 ": the device has %u SMs",
                       p->text, sms, pattern_value(p, "sm"), env->sms);
    if (pattern_value(p, "element") % 4 != 0 || (shape >> 32) * (shape & 0xffffffff) > 1 << 20)
        return cli_why(why, size,
                       "%s: element is no multiple of 4, or the block has over 1M elements",
                       p->text);
    set_up(p, t);
    make_steps(p, t);
    t->walkers = sms * pattern_value(p, "resident");
    t->sm = xcalloc(t->walkers, sizeof *t->sm);
    for (size_t k = 0; k < t->walkers; k++)
        t->sm[k] = (uint16_t)pattern_sm((unsigned)pattern_value(p, "sm"), k % sms, sms, env->sms);
    t->now = xcalloc(t->walkers, sizeof *t->now);
    return 0;
}

/* The blocks that run in this wave; none after the last one. */
static void start_wave(struct tiles *t)
{
    uint64_t each = (t->blocks + t->walkers - 1) / t->walkers;

    t->running = 0;
    for (uint64_t k = 0; k < t->walkers; k++) {
        uint64_t b = t->runs ? k * each + t->wave : t->wave * t->walkers + k, x, y;

        if (b >= t->blocks || (t->runs && t->wave >= each))
            continue;
        x = t->by_rows ? b % t->blocks_x : b / t->blocks_y;
        y = t->by_rows ? b / t->blocks_x : b % t->blocks_y;
        t->now[t->running++] =
            (struct corner){(int64_t)(y * t->height), (int64_t)(x * t->width), t->sm[k]};
    }
    t->done = t->i = 0;
    t->k = 0;
}

static void tiles_pass(struct pattern *p)
{
    struct tiles *t = p->state;

    t->wave = 0;
    start_wave(t);
}

/* One step of one block; 0 when it lies outside. */
static size_t do_step(const struct tiles *t, const struct corner *c, const struct step *s,
                      struct access *to)
{
    const struct matrix *m = &t->matrix[s->matrix];
    bool turned = s->matrix == OUT && t->transposed;
    int64_t row = (turned ? c->column : c->row) + s->row,
            column = (turned ? c->row : c->column) + s->column, end = column + s->length;

    column = column < 0 ? 0 : column;
    end = end > m->columns ? m->columns : end;
    if (row < 0 || row >= m->rows || column >= end)
        return 0;
    to->offset = m->base + (uint64_t)row * m->pitch + (uint64_t)column * t->element;
    to->bytes = (uint32_t)((uint64_t)(end - column) * t->element);
    to->sm = c->sm;
    to->kind = s->kind;
    return 1;
}

static size_t tiles_fill(struct pattern *p, struct access *to, size_t room)
{
    struct tiles *t = p->state;
    size_t made = 0;

    while (made < room && t->running > 0) {
        uint64_t rest = t->nstep - t->done, end = t->chunk < rest ? t->chunk : rest;

        while (t->i < end && made < room)
            made += do_step(t, &t->now[t->k], &t->step[t->done + t->i++], to + made);
        if (t->i < end)
            break;
        t->i = 0;
        if (++t->k < t->running)
            continue;
        t->k = 0;
        t->done += end;
        if (t->done == t->nstep) {
            t->wave++;
            start_wave(t);
        }
    }
    return made;
}

static const struct pattern_family family = {matrix_bytes, tiles_start, tiles_pass, tiles_fill,
                                             tiles_end};

const struct pattern_def pattern_tiled = {"tiled", "a matrix read by blocks", tiled_params,
                                          &family};
const struct pattern_def pattern_transpose = {
    "transpose", "a matrix read and written the other way round, by blocks", transpose_params,
    &family};
const struct pattern_def pattern_stencil = {
    "stencil", "each block reads its tile and the neighbours around it, and writes its tile",
    stencil_params, &family};
