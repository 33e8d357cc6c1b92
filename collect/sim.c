/* The simulated device: the operations of a GPU on the cache model of share/lib/cache.h. This file opens and closes it,
 * and holds what is neither time (sim_time.c) nor an operation that touches lines.
 *
 * It models what one access meets after another. It has no queues: concurrency shows only in stream and hammer, which
 * compute their rates from service times. */
#include "sim.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/chip_draw.h"
#include "../share/lib/cli.h"
#include "../share/lib/data.h"
#include "../share/lib/mem.h"

struct sim *sim_of(struct device *d)
{
    return (struct sim *)(void *)d;
}

int sim_begin(struct sim *s, const char *operation)
{
    uint64_t after = s->cache.chip.fail_after;

    s->operations++;
    if (after > 0 && s->operations > after)
        return device_fail(&s->dev, "%s: simulated failure after %" PRIu64 " operations", operation,
                           after);
    return 0;
}

int sim_inside(struct sim *s, const char *operation, uint64_t start, uint64_t bytes)
{
    if (bytes <= s->dev.bytes && start <= s->dev.bytes - bytes)
        return 0;
    return device_fail(&s->dev,
                       "%s: bytes %" PRIu64 " to %" PRIu64 " are outside the buffer of %" PRIu64,
                       operation, start, start + bytes, s->dev.bytes);
}

int sim_sm(struct sim *s, const char *operation, int sm)
{
    if (sm >= 0 && (uint32_t)sm < s->cache.chip.sms)
        return 0;
    return device_fail(&s->dev, "%s: no SM %d: the device has %u", operation, sm,
                       s->cache.chip.sms);
}

struct sim_walker sim_walker(const struct sim *s, int sm)
{
    struct sim_walker w = {sm, s->sm_side[sm], s->offset + (size_t)sm * s->places, NULL};

    return w;
}

static void fill_info(struct sim *s)
{
    const struct chip *c = &s->cache.chip;
    struct device_info *i = &s->dev.info;

    snprintf(i->name, sizeof i->name, "%s (simulated)", c->name);
    snprintf(i->uuid, sizeof i->uuid, "SIM-%016" PRIx64, rng_mix(c->seed ^ chip_capacity(c)));
    snprintf(i->driver, sizeof i->driver, "model " L2_VERSION);
    i->cc_major = c->cc_major;
    i->cc_minor = c->cc_minor;
    i->sms = c->sms;
    i->l2_bytes = c->l2_api;
    i->mem_bytes = c->memory;
    i->persist_max = c->persist_max;
    i->window_max = c->window_max;
    i->bus_width = c->bus_width;
    i->mem_mhz_max = c->mem_mhz;
    i->sm_mhz_max = c->sm_mhz;
}

/* NAME is share/devices/NAME.dev; with a slash or .dev it is a file; draw:WORDS is a random chip. */
static FILE *open_file(const char *spec, char **path, char *why, size_t why_size)
{
    const char *dot = strrchr(spec, '.');
    bool file = strchr(spec, '/') != NULL || (dot != NULL && strcmp(dot, ".dev") == 0);
    char *folder, *name;
    FILE *f;

    if (file) {
        *path = xstrdup(spec);
    } else {
        folder = xdata_path("devices");
        name = xprintf("%s/%s.dev", folder, spec);
        free(folder);
        *path = name;
    }
    f = fopen(*path, "r");
    if (f == NULL)
        snprintf(why, why_size, "%s: %s%s", *path, strerror(errno),
                 file ? "" : " (l2collect -l lists the devices)");
    return f;
}

static int read_chip(struct chip *c, const char *spec, char *why, size_t why_size)
{
    char *path = NULL;
    FILE *f;
    int status = -1;

    if (strncmp(spec, "draw:", 5) == 0)
        return chip_draw_words(c, spec + 5, why, why_size);
    f = open_file(spec, &path, why, why_size);
    if (f != NULL) {
        status = chip_read(c, f, path, why, why_size);
        fclose(f);
    }
    free(path);
    return status;
}

static void sim_close(struct device *d)
{
    struct sim *s = sim_of(d);

    for (size_t i = 0; i < s->nlink; i++)
        sim_link_free(&s->link[i]);
    free(s->link);
    free(s->sm_side);
    free(s->offset);
    tlb_free(&s->tlb);
    l1_free(&s->l1);
    cache_free(&s->cache);
    free(s);
}

static struct device *sim_open(const char *spec, uint64_t seed, char *why, size_t why_size)
{
    struct sim *s;
    struct chip chip;

    if (read_chip(&chip, spec != NULL && *spec != '\0' ? spec : "h200", why, why_size) != 0)
        return NULL;
    s = xcalloc(1, sizeof *s);
    if (cache_init(&s->cache, &chip, why, why_size) != 0) {
        free(s);
        return NULL;
    }
    s->dev.ops = &sim_device;
    s->dev.simulated = true;
    s->dev.walk_chunk = 1 << 16;
    s->seed = seed;
    rng_seed(&s->rng, seed ^ 0x73696d);
    l1_init(&s->l1, &chip);
    sim_time_init(s);
    fill_info(s);
    return &s->dev;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void sim_list(void)
{
    char *folder = xdata_path("devices");
    struct dirent **entry = NULL;
    int n = scandir(folder, &entry, NULL, by_name);

    for (int i = 0; i < n; i++) {
        char *dot = strrchr(entry[i]->d_name, '.'), why[256];
        struct chip *c = xmalloc(sizeof *c);

        if (dot != NULL && strcmp(dot, ".dev") == 0) {
            *dot = '\0';
            if (read_chip(c, entry[i]->d_name, why, sizeof why) == 0)
                printf("sim:%-10s %s\n", entry[i]->d_name, c->about);
        }
        free(c);
        free(entry[i]);
    }
    free(entry);
    free(folder);
}

static int sim_alloc(struct device *d, uint64_t bytes)
{
    struct sim *s = sim_of(d);

    if (sim_begin(s, "alloc") != 0)
        return -1;
    for (size_t i = 0; i < s->nlink; i++)
        sim_link_free(&s->link[i]);
    s->nlink = 0;
    d->bytes = 0;
    tlb_free(&s->tlb);
    if (bytes == 0 || cache_map(&s->cache, bytes, rng_mix(s->seed + s->allocations++)) != 0)
        return device_fail(d, "alloc: %" PRIu64 " bytes asked, memory has %" PRIu64, bytes,
                           s->cache.chip.memory);
    tlb_init(&s->tlb, &s->cache.chip, s->cache.pages);
    d->bytes = bytes;
    s->window_bytes = 0;
    return 0;
}

static int sim_state(struct device *d, struct device_state *st)
{
    struct sim *s = sim_of(d);
    const struct chip *c = &s->cache.chip;

    if (sim_begin(s, "state") != 0)
        return -1;
    memset(st, 0, sizeof *st);
    st->measured_mhz = sim_mhz(s);
    st->sm_mhz = (int)lrint(st->measured_mhz);
    st->mem_mhz = (int)c->mem_mhz;
    st->locked = c->locked;
    st->temperature = c->temperature;
    st->processes = c->processes;
    st->ecc = c->ecc;
    st->mig = c->mig;
    st->persisting = (int64_t)s->persist;
    st->fetch = c->fetch;
    snprintf(st->throttle, sizeof st->throttle, "none");
    return 0;
}

/* As a driver does: fetch is rounded up to a power of two between sector and line (and what was asked is told back, where
 * the chip says so), persisting bytes are capped. */
static int sim_limit(struct device *d, enum device_limit which, uint64_t want, uint64_t *got)
{
    struct sim *s = sim_of(d);
    struct chip *c = &s->cache.chip;
    uint64_t side = chip_capacity(c) / c->sides;

    if (sim_begin(s, "limit") != 0)
        return -1;
    if (which == LIMIT_FETCH) {
        for (*got = c->sector; *got < want && *got < c->line;)
            *got *= 2;
        cache_fetch(&s->cache, (uint32_t)*got);
        *got = c->fetch_limit ? want : *got;
        return 0;
    }
    s->persist = want < c->persist_max ? want : c->persist_max;
    *got = s->persist;
    cache_persist(&s->cache, (uint32_t)(s->persist * c->ways /
                                        (c->copies == COPIES_NEVER ? side * c->sides : side)));
    return 0;
}

static int sim_window(struct device *d, uint64_t start, uint64_t bytes, double ratio)
{
    struct sim *s = sim_of(d);

    if (sim_begin(s, "window") != 0 || sim_inside(s, "window", start, bytes) != 0)
        return -1;
    if (bytes > s->cache.chip.window_max)
        return device_fail(d, "window: %" PRIu64 " bytes, at most %" PRIu64, bytes,
                           s->cache.chip.window_max);
    s->window_start = start;
    s->window_bytes = bytes;
    s->window_ratio = ratio;
    return 0;
}

static int sim_reset_persisting(struct device *d)
{
    struct sim *s = sim_of(d);
    uint32_t ways = s->cache.keep_ways;

    if (sim_begin(s, "reset_persisting") != 0)
        return -1;
    cache_persist(&s->cache, 0);
    cache_persist(&s->cache, ways);
    return 0;
}

const struct device_ops sim_device = {
    .name = "sim",
    .summary = "a simulated GPU: a cache model read from a device file",
    .spec = "sim:NAME (share/devices/NAME.dev), sim:FILE.dev or sim:draw:SEED[,noise,...]",
    .open = sim_open,
    .close = sim_close,
    .list = sim_list,
    .alloc = sim_alloc,
    .state = sim_state,
    .limit = sim_limit,
    .window = sim_window,
    .reset_persisting = sim_reset_persisting,
    .link = sim_link,
    .cycle_length = sim_cycle_length,
    .chase = sim_chase,
    .walk = sim_walk,
    .sweep = sim_sweep,
    .stream = sim_stream,
    .hammer = sim_hammer,
    .tip = sim_tip,
    .ticks = sim_ticks,
};
