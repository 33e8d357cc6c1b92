/* Patterns over the lines of a working set: cyclic, shuffled, strided (each line once a pass, by a list), random, hot,
 * mixed (drawn anew each time).
 *
 * Walkers, one an SM, take turns of `chunk` accesses. With parts=same all go over the same lines, walker k of n starting
 * k/n of the way along; with parts=split each has its own part. side=own and other leave lines out by their home. */
#include "pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "mem.h"

enum line_order {
    LINES_LINEAR,
    LINES_MIXED,
    LINES_SHUFFLED,
    LINES_STRIDED,
    LINES_RANDOM,
    LINES_HOT
};
enum { SIDE_ALL, SIDE_OWN, SIDE_OTHER };

struct walker {
    uint32_t *line; /* of lines.plain: line[k] is first + k */
    uint32_t first;
    size_t n, start; /* lines, and where it begins */
    uint16_t sm;
};

struct lines {
    enum line_order order;
    struct rng rng;
    uint32_t *list[PATTERN_SIDES]; /* by the side of the SM; [0] alone with side=all */
    size_t n;                      /* lines of each list */
    bool plain;                    /* all lines in the order of their addresses */
    struct walker *walker;
    size_t walkers;
    uint64_t stride, chunk, each;              /* each: accesses of a walker in a pass */
    uint32_t bytes, store_bytes, stores_below; /* of 2^32 */
    size_t hot;                                /* lines of the hot part */
    uint32_t hot_below;
    /* Where the pass is: walker w has done `done` + i of its accesses. */
    uint64_t done, i;
    size_t w;
};

#define MOST (1ull << 40)
#define COMMON(SIZE, STORES)                                                                        \
    {"size", PATTERN_SIZE, SIZE, NULL, 1024, MOST, "bytes of the working set"},                     \
        {"stride", PATTERN_SIZE, "128", NULL, 32, 1 << 30, "bytes from line to line"},              \
        {"bytes", PATTERN_NUMBER, "4", NULL, 4, TRACE_BYTES, "of one load"},                        \
        {"stores", PATTERN_SHARE, STORES, NULL, 0, 0, "share of the accesses that store 32 bytes"}, \
        {"side",                                                                                    \
         PATTERN_WORD,                                                                              \
         "all",                                                                                     \
         "all|own|other",                                                                           \
         0,                                                                                         \
         0,                                                                                         \
         "lines whose home is the SM's own side, or not"},                                          \
        {"sms", PATTERN_NUMBER, "1", NULL, 1, 65535, "SMs that take turns"},                        \
        {"sm", PATTERN_NUMBER, "0", NULL, 0, 65534, "the first one; the others are spread"},        \
        {"parts", PATTERN_WORD, "same", "same|split", 0, 0, "every SM has all lines, or its part"}, \
    {                                                                                               \
        "chunk", PATTERN_NUMBER, "256", NULL, 1, 1 << 20,                                           \
            "accesses of an SM until the next one's turn"                                           \
    }
#define COUNT                                                                                      \
    {                                                                                              \
        "count", PATTERN_NUMBER, "0", NULL, 0, MOST, "accesses a pass, of all SMs; 0: one a line"  \
    }

static const struct pattern_param cyclic_params[] = {COMMON("8M", "0"),
                                                     {"order", PATTERN_WORD, "linear",
                                                      "linear|random", 0, 0,
                                                      "of the addresses, the same in every pass"},
                                                     {0}};
static const struct pattern_param shuffled_params[] = {COMMON("8M", "0"), {0}};
static const struct pattern_param strided_params[] = {
    COMMON("8M", "0"),
    {"step", PATTERN_SIZE, "4K", NULL, 32, MOST,
     "bytes from access to access; then the next line, and so on"},
    {0}};
static const struct pattern_param random_params[] = {COMMON("8M", "0"), COUNT, {0}};
static const struct pattern_param mixed_params[] = {COMMON("8M", "0.25"), COUNT, {0}};
static const struct pattern_param hot_params[] = {
    COMMON("64M", "0"),
    COUNT,
    {"hot", PATTERN_SHARE, "0.1", NULL, 0, 0, "part of the lines that is hot"},
    {"rate", PATTERN_SHARE, "0.8", NULL, 0, 0, "share of the accesses that go to it"},
    {0}};

static uint64_t lines_bytes(const struct pattern *p)
{
    return pattern_value(p, "size") * (pattern_value(p, "side") == SIDE_ALL ? 1 : 5);
}

static enum line_order order_of(const struct pattern *p)
{
    if (p->def == &pattern_cyclic)
        return pattern_value(p, "order") == 0 ? LINES_LINEAR : LINES_MIXED;
    return p->def == &pattern_shuffled  ? LINES_SHUFFLED
           : p->def == &pattern_strided ? LINES_STRIDED
           : p->def == &pattern_hot     ? LINES_HOT
                                        : LINES_RANDOM;
}

/* The first n lines of the wanted side, seen from SMs of side `of`. 0, or -1 when the buffer has too few. */
static int choose_lines(const struct pattern *p, const struct pattern_env *env, struct lines *l,
                        unsigned of)
{
    uint64_t side = pattern_value(p, "side"), most = p->bytes / l->stride;
    uint32_t *line = xmalloc(l->n * sizeof *line);
    size_t n = 0;

    for (uint64_t k = 0; k < most && n < l->n; k++)
        if (side == SIDE_ALL || env->home == NULL ||
            (env->home(env->context, k * l->stride) == of) == (side == SIDE_OWN))
            line[n++] = (uint32_t)k;
    l->list[of] = line;
    return n == l->n ? 0 : -1;
}

/* Every step-th line, then the ones beside those, and so on. */
static void in_steps(const struct lines *l, uint32_t *line, uint64_t step)
{
    uint64_t every = step / l->stride > 0 ? step / l->stride : 1;
    uint32_t *old = xmalloc(l->n * sizeof *old);
    size_t n = 0;

    memcpy(old, line, l->n * sizeof *old);
    for (uint64_t first = 0; first < every && first < l->n; first++)
        for (uint64_t k = first; k < l->n; k += every)
            line[n++] = old[k];
    free(old);
}

static unsigned list_of(const struct pattern *p, const struct pattern_env *env, unsigned sm)
{
    return pattern_value(p, "side") == SIDE_ALL || env->sm_side == NULL ? 0 : env->sm_side[sm];
}

/* Gives walker k its part of a list; the walkers of one list share it. */
static void give_part(const struct pattern *p, const struct pattern_env *env, struct lines *l,
                      size_t k)
{
    struct walker *w = &l->walker[k];
    unsigned list = list_of(p, env, w->sm);
    size_t rank = 0, count = 0, from;

    for (size_t i = 0; i < l->walkers; i++)
        if (list_of(p, env, l->walker[i].sm) == list) {
            rank += i < k;
            count++;
        }
    from = l->n * rank / count;
    if (pattern_value(p, "parts") == 0) {
        *w = (struct walker){l->list[list], 0, l->n, from, w->sm};
        return;
    }
    *w = (struct walker){l->list[list] + from, (uint32_t)from, l->n * (rank + 1) / count - from, 0,
                         w->sm};
}

static int make_lists(struct pattern *p, const struct pattern_env *env, struct lines *l, char *why,
                      size_t size)
{
    for (size_t k = 0; k < l->walkers; k++) {
        unsigned of = list_of(p, env, l->walker[k].sm);

        if (l->list[of] != NULL)
            continue;
        if (choose_lines(p, env, l, of) != 0)
            return cli_why(why, size, "%s: too few lines of that side", p->text);
        if (l->order == LINES_MIXED)
            rng_shuffle(&l->rng, l->list[of], l->n);
        if (l->order == LINES_STRIDED)
            in_steps(l, l->list[of], pattern_value(p, "step"));
    }
    for (size_t k = 0; k < l->walkers; k++)
        give_part(p, env, l, k);
    return 0;
}

static void set_up(const struct pattern *p, const struct pattern_env *env, struct lines *l)
{
    uint64_t sms = pattern_value(p, "sms"), first = pattern_value(p, "sm"), count = 0;

    l->order = order_of(p);
    l->plain = pattern_value(p, "side") == SIDE_ALL &&
               (l->order == LINES_LINEAR || l->order >= LINES_RANDOM);
    rng_seed(&l->rng, rng_mix(env->seed ^ 0x7061747465726e));
    l->stride = pattern_value(p, "stride");
    l->n = pattern_value(p, "size") / l->stride;
    l->bytes = (uint32_t)pattern_value(p, "bytes");
    l->store_bytes = 32;
    l->stores_below = (uint32_t)((double)pattern_value(p, "stores") * 4294.967295);
    l->chunk = pattern_value(p, "chunk");
    l->walkers = sms;
    l->walker = xcalloc(sms, sizeof *l->walker);
    for (size_t k = 0; k < sms; k++)
        l->walker[k].sm = (uint16_t)pattern_sm((unsigned)first, k, sms, env->sms);
    if (pattern_has(p->def, "count"))
        count = pattern_value(p, "count");
    l->each = count > 0 ? (count + sms - 1) / sms : 0;
    if (l->order == LINES_HOT) {
        l->hot = (size_t)((double)l->n * (double)pattern_value(p, "hot") * 1e-6);
        l->hot_below = (uint32_t)((double)pattern_value(p, "rate") * 4294.967295);
    }
}

static void lines_end(struct pattern *p)
{
    struct lines *l = p->state;

    for (size_t i = 0; i < PATTERN_SIDES; i++)
        free(l->list[i]);
    free(l->walker);
    free(l);
    p->state = NULL;
}

static int lines_start(struct pattern *p, const struct pattern_env *env, char *why, size_t size)
{
    struct lines *l = xcalloc(1, sizeof *l);
    uint64_t side = pattern_value(p, "side");

    p->state = l;
    if (pattern_value(p, "sms") > env->sms || pattern_value(p, "sm") >= env->sms)
        return cli_why(why, size, "%s: sms=%" PRIu64 " sm=%" PRIu64 ": the device has %u SMs",
                       p->text, pattern_value(p, "sms"), pattern_value(p, "sm"), env->sms);
    if (pattern_value(p, "stride") > pattern_value(p, "size") / 2 ||
        pattern_value(p, "stride") % 32 != 0)
        return cli_why(why, size,
                       "%s: stride is no multiple of 32, or there are fewer than two lines",
                       p->text);
    if (side == SIDE_OTHER && env->home == NULL)
        return cli_why(why, size, "%s: the cache has one side, or its sides are not known",
                       p->text);
    set_up(p, env, l);
    if (make_lists(p, env, l, why, size) != 0)
        return -1;
    if (l->each == 0)
        for (size_t k = 0; k < l->walkers; k++)
            l->each = l->walker[k].n > l->each ? l->walker[k].n : l->each;
    return 0;
}

static void lines_pass(struct pattern *p)
{
    struct lines *l = p->state;

    l->done = l->i = 0;
    l->w = 0;
    if (l->order != LINES_SHUFFLED)
        return;
    if (pattern_value(p, "parts") == 0) {
        for (size_t i = 0; i < PATTERN_SIDES; i++)
            if (l->list[i] != NULL)
                rng_shuffle(&l->rng, l->list[i], l->n);
        return;
    }
    for (size_t k = 0; k < l->walkers; k++)
        rng_shuffle(&l->rng, l->walker[k].line, l->walker[k].n);
}

static uint64_t pick(struct lines *l, const struct walker *w, uint64_t j)
{
    if (l->order < LINES_RANDOM) {
        j += w->start;
        return j < w->n ? j : j - w->n;
    }
    if (l->order == LINES_HOT && (uint32_t)rng_u64(&l->rng) < l->hot_below && l->hot > 0 &&
        l->hot < w->n)
        return rng_below(&l->rng, l->hot);
    return rng_below(&l->rng, w->n);
}

/* Some accesses of one walker's turn. */
static size_t turn(struct lines *l, struct access *to, uint64_t n)
{
    const struct walker *w = &l->walker[l->w];
    size_t made = 0;
    uint64_t at;

    for (uint64_t j = l->done + l->i, end = j + n; j < end; j++) {
        struct access *a = &to[made++];

        if (l->order < LINES_RANDOM && j >= w->n) {
            made--;
            break;
        }
        at = pick(l, w, j);
        a->offset = (l->plain ? w->first + at : w->line[at]) * l->stride;
        a->bytes = l->bytes;
        a->sm = w->sm;
        a->kind = TRACE_LOAD;
        if (l->stores_below > 0 && (uint32_t)rng_u64(&l->rng) < l->stores_below) {
            a->kind = TRACE_STORE;
            a->bytes = l->store_bytes;
        }
    }
    return made;
}

static size_t lines_fill(struct pattern *p, struct access *to, size_t room)
{
    struct lines *l = p->state;
    size_t made = 0;

    while (made < room && l->done < l->each) {
        uint64_t rest = l->each - l->done, end = l->chunk < rest ? l->chunk : rest,
                 n = end - l->i < room - made ? end - l->i : room - made;

        made += turn(l, to + made, n);
        l->i += n;
        if (l->i < end)
            continue;
        l->i = 0;
        if (++l->w == l->walkers) {
            l->w = 0;
            l->done += end;
        }
    }
    return made;
}

static const struct pattern_family family = {lines_bytes, lines_start, lines_pass, lines_fill,
                                             lines_end};

const struct pattern_def pattern_cyclic = {
    "cyclic", "the lines of a working set in one order, again and again", cyclic_params, &family};
const struct pattern_def pattern_shuffled = {
    "shuffled", "all lines in a fresh random order every pass", shuffled_params, &family};
const struct pattern_def pattern_random = {"random", "lines at random", random_params, &family};
const struct pattern_def pattern_hot = {
    "hot", "most accesses at random in a hot part, the others anywhere", hot_params, &family};
const struct pattern_def pattern_strided = {
    "strided", "every step-th line, then the ones beside those: a matrix by its columns",
    strided_params, &family};
const struct pattern_def pattern_mixed = {"mixed", "lines at random, loads and stores",
                                          mixed_params, &family};
