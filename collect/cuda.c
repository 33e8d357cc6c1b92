/* The device "cuda": an NVIDIA GPU through its driver. This file opens and closes it, and reads and sets its state.
 *
 * It keeps its own context. The context's limits that a run changes are put back on close and at exit; clocks, power and
 * modes of the GPU are only read. */
#include "cuda.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"
#include "nvml.h"

#define WARM_MS    5     /* of spinning between two readings of the clock */
#define WARM_TRIES 200   /* readings at most */
#define WARM_SAME  0.002 /* the clock is stable when four readings are this close */
#define ALIGN      (2ull << 20)

extern const unsigned char l2_image[]; /* cuda_image.S */
extern const uint64_t l2_image_bytes;

static struct cuda *opened;

static const int limit_number[] = {
    [LIMIT_FETCH] = CU_LIMIT_FETCH, [LIMIT_PERSIST] = CU_LIMIT_PERSIST};

static int attribute(struct cuda *c, int which)
{
    int v = 0;

    return c->cu->device_attribute(&v, which, c->gpu) == 0 ? v : 0;
}

static void read_info(struct cuda *c)
{
    struct device_info *i = &c->dev.info;
    unsigned char u[16] = {0};
    size_t memory = 0;
    int version = 0;
    char nvidia[40];

    if (c->cu->device_name(i->name, sizeof i->name, c->gpu) != 0)
        snprintf(i->name, sizeof i->name, "unknown");
    if (c->cu->device_uuid(u, c->gpu) == 0)
        snprintf(i->uuid, sizeof i->uuid,
                 "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0],
                 u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13],
                 u[14], u[15]);
    c->cu->version(&version);
    nvml_driver_version(nvidia, sizeof nvidia);
    snprintf(i->driver, sizeof i->driver, "%s, CUDA %d.%d", nvidia, version / 1000,
             version % 1000 / 10);
    i->mem_bytes = c->cu->device_memory(&memory, c->gpu) == 0 ? memory : 0;
    i->cc_major = (unsigned)attribute(c, CU_ATTR_CC_MAJOR);
    i->cc_minor = (unsigned)attribute(c, CU_ATTR_CC_MINOR);
    i->sms = (unsigned)attribute(c, CU_ATTR_SMS);
    i->l2_bytes = (uint64_t)attribute(c, CU_ATTR_L2_BYTES);
    i->persist_max = (uint64_t)attribute(c, CU_ATTR_PERSIST_MAX);
    i->window_max = (uint64_t)attribute(c, CU_ATTR_WINDOW_MAX);
    i->bus_width = (unsigned)attribute(c, CU_ATTR_BUS_WIDTH);
    i->mem_mhz_max = (unsigned)attribute(c, CU_ATTR_MEM_KHZ) / 1000;
    i->sm_mhz_max = (unsigned)attribute(c, CU_ATTR_SM_KHZ) / 1000;
    c->cc = i->cc_major * 10 + i->cc_minor;
    c->threads_sm = (unsigned)attribute(c, CU_ATTR_THREADS_SM);
    c->shared_max = (unsigned)attribute(c, CU_ATTR_SHARED_OPTIN);
}

static int load_kernels(struct cuda *c)
{
    static char log[512];  /* what the driver's compiler says, when it must compile */
    int option[] = {5, 6}; /* CU_JIT_ERROR_LOG_BUFFER and its size */
    void *value[] = {log, (void *)(size_t)(sizeof log - 1)};
    unsigned shared = c->shared_max > 49152 ? c->shared_max : 49152;
    cu_result status;

    status = c->cu->module_load(&c->module, l2_image, 2, option, value);
    if (status != 0 && log[0] != '\0') {
        log[strcspn(log, "\n")] = '\0';
        return device_fail(&c->dev, "loading the kernels: %s (%s)", cuda_error(c->cu, status), log);
    }
    if (cuda_check(c, status, "loading the kernels") != 0)
        return -1;
    for (int k = 0; k < CUDA_KERNELS; k++)
        if (cuda_check(c, c->cu->module_function(&c->kernel[k], c->module, cuda_kernel_names[k]),
                       cuda_kernel_names[k]) != 0)
            return -1;
    /* The kernel that walks has 16 bytes of its own besides; some of the rest is the driver's. */
    shared = (shared - 2048) & ~127u;
    c->dev.walk_chunk = (shared - 16) / 8;
    return cuda_check(
        c, c->cu->function_set(c->kernel[CUDA_WALK], CU_FUNC_DYNAMIC_SHARED, (int)shared),
        "asking for shared memory");
}

/* Spins until four readings of the clock agree. */
static int warm_up(struct cuda *c)
{
    double last[4] = {0};

    for (int i = 0; i < WARM_TRIES; i++) {
        uint64_t cycles, ns;
        double lo, hi;

        if (cuda_ticks(&c->dev, 0, WARM_MS, &cycles, &ns) != 0)
            return -1;
        last[i % 4] = ns > 0 ? (double)cycles / (double)ns : 0;
        lo = fmin(fmin(last[0], last[1]), fmin(last[2], last[3]));
        hi = fmax(fmax(last[0], last[1]), fmax(last[2], last[3]));
        if (i >= 3 && hi - lo <= WARM_SAME * hi)
            return 0;
    }
    return 0; /* the clock goes on changing: the experiments' own readings will show it */
}

static void put_back(struct cuda *c)
{
    if (c->context == NULL || c->cu->context_use(c->context) != 0)
        return;
    for (int w = 0; w < 2; w++)
        if (c->changed[w])
            c->cu->set_limit(limit_number[w], c->was[w]);
    if (c->window || c->changed[LIMIT_PERSIST])
        c->cu->reset_persisting();
    c->changed[0] = c->changed[1] = c->window = false;
}

static void put_back_all(void)
{
    for (struct cuda *c = opened; c != NULL; c = c->next)
        put_back(c);
}

static void cuda_close(struct device *d)
{
    struct cuda *c = cuda_of(d);

    put_back(c);
    for (struct cuda **p = &opened; *p != NULL; p = &(*p)->next)
        if (*p == c) {
            *p = c->next;
            break;
        }
    if (c->context != NULL)
        c->cu->context_destroy(c->context); /* and with it memory, stream, kernels */
    free(c);
}

static int start(struct cuda *c, int number)
{
    static bool registered;
    struct nvml_state idle;

    if (cuda_check(c, c->cu->device_get(&c->gpu, number), "finding the GPU") != 0)
        return -1;
    read_info(c);
    nvml_read(c->dev.info.uuid, &idle);
    c->idle_mhz = idle.sm_mhz;
    if (c->dev.info.sms > L2_MAX_SMS)
        return device_fail(&c->dev, "%u SMs: this program knows at most %d", c->dev.info.sms,
                           L2_MAX_SMS);
    if (cuda_check(c, c->cu->context_create(&c->context, CU_CTX_SPIN, c->gpu),
                   "making a context") != 0 ||
        load_kernels(c) != 0 ||
        cuda_check(c, c->cu->stream_create(&c->stream, 0), "making a stream") != 0 ||
        cuda_check(c, c->cu->memory_alloc(&c->control, CTL_BYTES), "allocating memory") != 0 ||
        cuda_zero(c, c->control, CTL_BYTES) != 0)
        return -1;
    for (int w = 0; w < 2; w++)
        if (c->cu->get_limit(&c->was[w], limit_number[w]) != 0)
            c->was[w] = 0;
    if (!registered)
        registered = atexit(put_back_all) == 0;
    return warm_up(c);
}

static struct device *cuda_open(const char *spec, uint64_t seed, char *why, size_t why_size)
{
    const struct cuda_driver *cu;
    uint64_t number = 0;
    int count = 0;

    (void)seed;
    if (l2_image_bytes == 0) {
        snprintf(why, why_size, "built without nvcc: install the CUDA Toolkit (nvcc) and run make");
        return NULL;
    }
    if ((cu = cuda_driver(why, why_size)) == NULL)
        return NULL;
    if (cu->device_count(&count) != 0 || count == 0) {
        snprintf(why, why_size, "the driver sees no GPU");
        return NULL;
    }
    if (spec != NULL && (parse_u64(spec, &number) != 0 || number >= (unsigned)count)) {
        snprintf(why, why_size, "no GPU '%s': there are %d, from 0", spec, count);
        return NULL;
    }
    struct cuda *c = xcalloc(1, sizeof *c);
    c->dev.ops = &cuda_device;
    c->cu = cu;
    c->next = opened;
    opened = c;
    if (start(c, (int)number) != 0) {
        snprintf(why, why_size, "%s", c->dev.error);
        cuda_close(&c->dev);
        return NULL;
    }
    return &c->dev;
}

static void cuda_list(void)
{
    char why[256];
    const struct cuda_driver *cu = cuda_driver(why, sizeof why);
    int count = 0;

    if (cu == NULL || cu->device_count(&count) != 0) {
        printf("cuda      none: %s\n", cu == NULL ? why : "the driver sees no GPU");
        return;
    }
    for (int i = 0; i < count; i++) {
        struct cuda c = {.cu = cu};

        if (cu->device_get(&c.gpu, i) == 0) {
            read_info(&c);
            printf("cuda:%-4d %s, %u SMs, L2 %s, compute capability %u.%u\n", i, c.dev.info.name,
                   c.dev.info.sms, cli_size(c.dev.info.l2_bytes), c.cc / 10, c.cc % 10);
        }
    }
}

static int cuda_alloc(struct device *d, uint64_t bytes)
{
    struct cuda *c = cuda_of(d);
    size_t available = 0, all = 0;

    if (cuda_enter(c) != 0)
        return -1;
    if (c->raw != 0 && cuda_check(c, c->cu->memory_free(c->raw), "freeing the buffer") != 0)
        return -1;
    c->raw = c->base = d->bytes = 0;
    c->cu->memory_info(&available, &all);
    if (bytes + ALIGN > available)
        return device_fail(d, "a buffer of %s: the GPU has %s free", cli_size(bytes),
                           cli_size(available));
    if (cuda_check(c, c->cu->memory_alloc(&c->raw, bytes + ALIGN), "allocating the buffer") != 0)
        return -1;
    c->base = (c->raw + ALIGN - 1) / ALIGN * ALIGN;
    d->bytes = bytes;
    return 0;
}

static int64_t read_limit(struct cuda *c, enum device_limit which)
{
    size_t v;

    return c->cu->get_limit(&v, limit_number[which]) == 0 ? (int64_t)v : -1;
}

/* NVML does not say whether clocks are locked. They are when it reports a clock setting as the reason of the clock; they
 * are not when the clock has moved since the program began. */
static int cuda_state(struct device *d, struct device_state *s)
{
    struct cuda *c = cuda_of(d);
    struct nvml_state n;
    uint64_t cycles, ns;

    if (cuda_enter(c) != 0 || cuda_ticks(d, 0, 5, &cycles, &ns) != 0)
        return -1;
    nvml_read(d->info.uuid, &n);
    *s = (struct device_state){.sm_mhz = n.sm_mhz,
                               .mem_mhz = n.mem_mhz,
                               .measured_mhz = ns > 0 ? (double)cycles / (double)ns * 1000 : 0,
                               .temperature = n.temperature,
                               .processes = n.processes,
                               .ecc = n.ecc,
                               .mig = n.mig,
                               .persisting = read_limit(c, LIMIT_PERSIST),
                               .fetch = read_limit(c, LIMIT_FETCH)};
    snprintf(s->throttle, sizeof s->throttle, "%s", n.throttle);
    s->locked = -1;
    if (n.set_clocks == 1)
        s->locked = 1;
    else if (c->idle_mhz > 0 && n.sm_mhz > 0 && abs(n.sm_mhz - c->idle_mhz) > c->idle_mhz / 50)
        s->locked = 0;
    return 0;
}

static int cuda_limit(struct device *d, enum device_limit which, uint64_t want, uint64_t *got)
{
    struct cuda *c = cuda_of(d);
    const char *what = which == LIMIT_FETCH ? "setting the L2 fetch granularity"
                                            : "setting the L2 set-aside for persisting accesses";
    size_t v = 0;

    if (cuda_enter(c) != 0)
        return -1;
    c->changed[which] = true;
    if (cuda_check(c, c->cu->set_limit(limit_number[which], want), what) != 0 ||
        cuda_check(c, c->cu->get_limit(&v, limit_number[which]), "reading the limit back") != 0)
        return -1;
    *got = v;
    return 0;
}

static int cuda_window(struct device *d, uint64_t from, uint64_t bytes, double ratio)
{
    struct cuda *c = cuda_of(d);
    union cu_stream_value v;

    memset(&v, 0, sizeof v);
    if (cuda_enter(c) != 0 || cuda_inside(c, "window", from, bytes) != 0)
        return -1;
    if (bytes > d->info.window_max)
        return device_fail(d, "an access-policy window of %s: this GPU allows %s", cli_size(bytes),
                           cli_size(d->info.window_max));
    if (bytes > 0) {
        v.window = (struct cu_window){(void *)(uintptr_t)(c->base + from), bytes, (float)ratio,
                                      CU_ACCESS_PERSISTING, CU_ACCESS_NORMAL};
        c->window = true;
    }
    return cuda_check(c, c->cu->stream_set(c->stream, CU_STREAM_ATTR_WINDOW, &v),
                      "setting the access-policy window");
}

static int cuda_reset_persisting(struct device *d)
{
    struct cuda *c = cuda_of(d);

    if (cuda_enter(c) != 0)
        return -1;
    return cuda_check(c, c->cu->reset_persisting(), "resetting persisting lines");
}

const struct device_ops cuda_device = {
    .name = "cuda",
    .summary = "an NVIDIA GPU, measured",
    .spec = "cuda[:N]",
    .open = cuda_open,
    .close = cuda_close,
    .list = cuda_list,
    .alloc = cuda_alloc,
    .state = cuda_state,
    .limit = cuda_limit,
    .window = cuda_window,
    .reset_persisting = cuda_reset_persisting,
    .link = cuda_link,
    .cycle_length = cuda_cycle_length,
    .chase = cuda_chase,
    .walk = cuda_walk,
    .sweep = cuda_sweep,
    .stream = cuda_stream,
    .hammer = cuda_hammer,
    .tip = cuda_tip,
    .ticks = cuda_ticks,
};
