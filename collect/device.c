/* The devices that exist, and how a device is chosen. A new device is one line in the table. */
#include "device.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

const struct device_ops *const device_table[] = {&cuda_device, &sim_device, NULL};

int device_fail(struct device *d, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(d->error, sizeof d->error, fmt, ap);
    va_end(ap);
    return -1;
}

static struct device *open_spec(const struct device_ops *ops, const char *rest, uint64_t seed,
                                const char *spec, char *why, size_t why_size)
{
    struct device *d = ops->open(rest, seed, why, why_size);

    if (d != NULL)
        snprintf(d->spec, sizeof d->spec, "%s", spec);
    return d;
}

static const struct device_ops *find(const char *spec, size_t len)
{
    for (size_t i = 0; device_table[i] != NULL; i++)
        if (strlen(device_table[i]->name) == len && strncmp(device_table[i]->name, spec, len) == 0)
            return device_table[i];
    return NULL;
}

/* A GPU, or the simulated H200. */
static struct device *open_default(uint64_t seed)
{
    const struct device_ops *gpu = find("cuda", 4);
    char why[512] = "built without nvcc";
    struct device *d = NULL;

    if (gpu != NULL)
        d = open_spec(gpu, NULL, seed, "cuda:0", why, sizeof why);
    if (d != NULL)
        return d;
    cli_warn("no GPU (%s): simulating an H200; -d chooses the device, -l lists them", why);
    d = open_spec(&sim_device, "h200", seed, "sim:h200", why, sizeof why);
    if (d == NULL)
        xdie(EXIT_FAILED, "device sim:h200: %s", why);
    return d;
}

struct device *xdevice_open(const char *spec, uint64_t seed)
{
    const struct device_ops *ops;
    char why[512] = "";
    struct device *d;
    size_t len;

    if (spec == NULL)
        return open_default(seed);
    len = strcspn(spec, ":");
    ops = find(spec, len);
    if (ops == NULL)
        xdie(EXIT_USAGE, "no such device: '%s' (l2collect -l lists them)", spec);
    d = open_spec(ops, spec[len] == ':' ? spec + len + 1 : NULL, seed, spec, why, sizeof why);
    if (d == NULL)
        xdie(EXIT_FAILED, "device %s: %s", spec, why);
    return d;
}
