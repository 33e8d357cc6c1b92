/* Collects rows of sector by granularity and touch, of partial by pair, of sametag by set and distance,
 * of pitch by stride and nodes. */
#include "sector_rows.h"
#include "../share/lib/mem.h"
#include "columns_of.h"

#include <stdlib.h>
#include <string.h>

enum touch_column { T_FETCH, T_CASE, T_OP, T_TOUCH, T_PROBE, T_OFFSET, T_FIRST, T_CYCLES };
enum partial_column { P_LEVEL, P_FETCH, P_CASE, P_TAKE, P_EVERY, P_NS };
enum tag_column { G_SET, G_THRESHOLD, G_CASE, G_BY, G_FIRST, G_CYCLES };

static void add_touch(void *rows, const struct tsv *t, const size_t *c)
{
    struct sector_rows *r = rows;
    uint64_t fetch = xtsv_u64(t, c[T_FETCH]);
    bool found = tsv_is(t, c[T_CASE], "default");
    struct touches *s = NULL;

    for (size_t i = 0; i < r->ntouches && s == NULL; i++)
        if (r->touches[i].fetch == fetch && r->touches[i].found == found &&
            tsv_is(t, c[T_OP], r->touches[i].op))
            s = &r->touches[i];
    if (s == NULL) {
        r->touches = xgrow(r->touches, r->ntouches, &r->touches_cap, sizeof *r->touches);
        s = &r->touches[r->ntouches++];
        *s = (struct touches){.fetch = fetch, .found = found, .op = xword_of(t, c[T_OP])};
    }
    s->row = xgrow(s->row, s->n, &s->cap, sizeof *s->row);
    s->row[s->n++] = (struct touch_row){xtsv_u64(t, c[T_OFFSET]), xtsv_i64(t, c[T_TOUCH]),
                                        xtsv_i64(t, c[T_PROBE]), xtsv_double(t, c[T_FIRST]),
                                        xtsv_double(t, c[T_CYCLES])};
    if (s->row[s->n - 1].probe < 0 && s->row[s->n - 1].base < (uint64_t)-s->row[s->n - 1].probe)
        xtsv_bad(t, c[T_PROBE], "before the buffer's start");
}

static void add_partial(void *rows, const struct tsv *t, const size_t *c)
{
    struct sector_rows *r = rows;
    struct partial_point p = {.fetch = xtsv_u64(t, c[P_FETCH]),
                              .take = xtsv_u64(t, c[P_TAKE]),
                              .every = xtsv_u64(t, c[P_EVERY]),
                              .found = tsv_is(t, c[P_CASE], "default"),
                              .memory = tsv_is(t, c[P_LEVEL], "memory")};
    size_t i = 0;

    while (i < r->npartial && !(r->partial[i].fetch == p.fetch && r->partial[i].take == p.take &&
                                r->partial[i].every == p.every && r->partial[i].found == p.found &&
                                r->partial[i].memory == p.memory))
        i++;
    if (i == r->npartial) {
        r->partial = xgrow(r->partial, r->npartial, &r->partial_cap, sizeof *r->partial);
        r->partial[r->npartial++] = p;
    }
    values_add(&r->partial[i].ns, xtsv_double(t, c[P_NS]));
}

static void add_tag(void *rows, const struct tsv *t, const size_t *c)
{
    struct sector_rows *r = rows;
    struct tag_point p = {.set = xtsv_u64(t, c[G_SET]), .by = xtsv_i64(t, c[G_BY])};
    double threshold = xtsv_double(t, c[G_THRESHOLD]);
    size_t i = r->ntag;

    while (i > 0 && !(r->tag[i - 1].set == p.set && r->tag[i - 1].by == p.by))
        i--;
    if (i == 0) {
        r->tag = xgrow(r->tag, r->ntag, &r->tag_cap, sizeof *r->tag);
        r->tag[r->ntag++] = p;
        i = r->ntag;
    }
    if (tsv_is(t, c[G_CASE], "also")) {
        r->tag[i - 1].also.n++;
        r->tag[i - 1].also.evicted += xtsv_double(t, c[G_CYCLES]) > threshold;
        r->tag[i - 1].also.slow += xtsv_double(t, c[G_FIRST]) > threshold;
    } else {
        r->tag[i - 1].instead.n++;
        r->tag[i - 1].instead.evicted += xtsv_double(t, c[G_CYCLES]) > threshold;
        r->tag[i - 1].instead.slow += xtsv_double(t, c[G_FIRST]) > threshold;
    }
}

/* Rows of one point follow each other; a point that is measured again joins the first. */
static void add_pitch(void *rows, const struct tsv *t, const size_t *c)
{
    struct sector_rows *r = rows;
    double stride = (double)xtsv_u64(t, c[0]), nodes = (double)xtsv_u64(t, c[1]),
           cycles = xtsv_double(t, c[2]), n = (double)xtsv_u64(t, c[3]);
    size_t i = r->npitch;
    struct pitch_row *p;

    if (!(stride > 0) || !(nodes > 0) || !(cycles > 0))
        xtsv_bad(t, c[stride > 0 ? nodes > 0 ? 2 : 1 : 0], "not above 0");
    while (i > 0 && !(r->pitch[i - 1].stride == stride && r->pitch[i - 1].nodes == nodes))
        i--;
    if (i == 0) {
        r->pitch = xgrow(r->pitch, r->npitch, &r->pitch_cap, sizeof *r->pitch);
        r->pitch[r->npitch++] = (struct pitch_row){stride, nodes, 0, 0};
        i = r->npitch;
    }
    p = &r->pitch[i - 1];
    p->n += n;
    if (n > 0)
        p->cycles += n / p->n * (cycles - p->cycles);
}

/* What was found before what was set, then by granularity. */
static int by_limit(const void *pa, const void *pb)
{
    const struct touches *a = pa, *b = pb;

    if (a->found != b->found)
        return a->found ? -1 : 1;
    if (a->fetch != b->fetch)
        return a->fetch < b->fetch ? -1 : 1;
    return strcmp(a->op, b->op);
}

static int by_place(const void *pa, const void *pb)
{
    const struct pitch_row *a = pa, *b = pb;

    if (a->stride != b->stride)
        return a->stride < b->stride ? -1 : 1;
    return (a->nodes > b->nodes) - (a->nodes < b->nodes);
}

/* The experiments, in the order of what tells their headers apart. */
static const struct row_kind kinds[] = {
    {"sector",
     "probe",
     {"fetch", "case", "op", "touch", "probe", "offset", "first", "cycles"},
     8,
     add_touch},
    {"partial", "take", {"level", "fetch", "case", "take", "every", "ns_unit"}, 6, add_partial},
    {"sametag", "by", {"set", "threshold", "case", "by", "first", "cycles"}, 6, add_tag},
    {"pitch", "nodes", {"stride", "nodes", "cycles", "n"}, 4, add_pitch},
    {NULL, NULL, {NULL}, 0, NULL},
};

void xsector_read(struct tsv *t, struct sector_rows *r)
{
    xrows_read(t, kinds, "sector, partial, sametag or pitch", r);
    for (size_t i = 0; i < r->npartial; i++)
        values_sort(&r->partial[i].ns);
    if (r->ntouches > 1)
        qsort(r->touches, r->ntouches, sizeof *r->touches, by_limit);
    if (r->npitch > 1)
        qsort(r->pitch, r->npitch, sizeof *r->pitch, by_place);
}

void sector_rows_free(struct sector_rows *r)
{
    for (size_t i = 0; i < r->ntouches; i++) {
        free(r->touches[i].op);
        free(r->touches[i].row);
    }
    for (size_t i = 0; i < r->npartial; i++)
        values_free(&r->partial[i].ns);
    free(r->touches);
    free(r->partial);
    free(r->tag);
    free(r->pitch);
    *r = (struct sector_rows){0};
}
