/* NVML by dlopen, each function by itself: a driver that lacks one loses one answer. */
#include "nvml.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct nvml_gpu *nvml_gpu;

enum { CLOCK_SM = 1, CLOCK_MEM = 2 };

struct process { /* nvmlProcessInfo_v2_t, used by nvmlDeviceGetComputeRunningProcesses_v3 */
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};

static struct {
    int (*init)(void);
    int (*by_uuid)(const char *, nvml_gpu *);
    int (*version)(char *, unsigned);
    int (*clock)(nvml_gpu, int, unsigned *);
    int (*clock_max)(nvml_gpu, int, unsigned *);
    int (*temperature)(nvml_gpu, int, unsigned *);
    int (*throttle)(nvml_gpu, unsigned long long *);
    int (*processes)(nvml_gpu, unsigned *, struct process *);
    int (*ecc)(nvml_gpu, int *, int *);
    int (*mig)(nvml_gpu, unsigned *, unsigned *);
} nvml;

static const struct {
    void *place;
    const char *symbol, *older;
} symbols[] = {
    {&nvml.init, "nvmlInit_v2", NULL},
    {&nvml.by_uuid, "nvmlDeviceGetHandleByUUID", NULL},
    {&nvml.version, "nvmlSystemGetDriverVersion", NULL},
    {&nvml.clock, "nvmlDeviceGetClockInfo", NULL},
    {&nvml.clock_max, "nvmlDeviceGetMaxClockInfo", NULL},
    {&nvml.temperature, "nvmlDeviceGetTemperature", NULL},
    {&nvml.throttle, "nvmlDeviceGetCurrentClocksEventReasons",
     "nvmlDeviceGetCurrentClocksThrottleReasons"},
    {&nvml.processes, "nvmlDeviceGetComputeRunningProcesses_v3",
     "nvmlDeviceGetComputeRunningProcesses_v2"},
    {&nvml.ecc, "nvmlDeviceGetEccMode", NULL},
    {&nvml.mig, "nvmlDeviceGetMigMode", NULL},
};

static const char *const reasons[] = {"idle",        "clock setting", "power cap",
                                      "hw slowdown", "sync boost",    "sw thermal",
                                      "hw thermal",  "power brake",   "display clock"};

/* Whether the library is there and initialised; tried once. */
static bool ready(void)
{
    static int state; /* 0 not tried, 1 yes, -1 no */

    if (state != 0)
        return state > 0;
    void *lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; lib != NULL && i < sizeof symbols / sizeof symbols[0]; i++) {
        void *f = dlsym(lib, symbols[i].symbol);

        if (f == NULL && symbols[i].older != NULL)
            f = dlsym(lib, symbols[i].older);
        memcpy(symbols[i].place, &f, sizeof f);
    }
    state = lib != NULL && nvml.init != NULL && nvml.init() == 0 ? 1 : -1;
    return state > 0;
}

static int get(int (*f)(nvml_gpu, int, unsigned *), nvml_gpu gpu, int which)
{
    unsigned v = 0;

    return f != NULL && f(gpu, which, &v) == 0 ? (int)v : -1;
}

static void read_throttle(nvml_gpu gpu, struct nvml_state *s)
{
    unsigned long long bits = 0;
    size_t n = 0;

    if (nvml.throttle == NULL || nvml.throttle(gpu, &bits) != 0)
        return;
    s->set_clocks = (bits & 2) != 0;
    snprintf(s->throttle, sizeof s->throttle, "none");
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0] && n < sizeof s->throttle; i++)
        if (bits >> i & 1)
            n += (size_t)snprintf(s->throttle + n, sizeof s->throttle - n, "%s%s", n ? ", " : "",
                                  reasons[i]);
}

/* In a container our own number is another one: then one of those seen is taken to be us. */
static int count_processes(nvml_gpu gpu)
{
    struct process list[64];
    unsigned n = sizeof list / sizeof list[0], ours = 0;

    if (nvml.processes == NULL || nvml.processes(gpu, &n, list) != 0)
        return -1;
    for (unsigned i = 0; i < n && i < sizeof list / sizeof list[0]; i++)
        ours += list[i].pid == (unsigned)getpid();
    return (int)(ours > 0 ? n - ours : n > 0 ? n - 1 : 0);
}

void nvml_read(const char *uuid, struct nvml_state *s)
{
    nvml_gpu gpu = NULL;
    unsigned mig = 0, mig_next = 0;
    int ecc = 0, ecc_next = 0;

    *s = (struct nvml_state){-1, -1, -1, -1, -1, -1, -1, -1, -1, "unknown"};
    if (!ready() || nvml.by_uuid == NULL || nvml.by_uuid(uuid, &gpu) != 0)
        return;
    s->sm_mhz = get(nvml.clock, gpu, CLOCK_SM);
    s->mem_mhz = get(nvml.clock, gpu, CLOCK_MEM);
    s->sm_mhz_max = get(nvml.clock_max, gpu, CLOCK_SM);
    s->mem_mhz_max = get(nvml.clock_max, gpu, CLOCK_MEM);
    s->temperature = get(nvml.temperature, gpu, 0);
    s->processes = count_processes(gpu);
    if (nvml.ecc != NULL && nvml.ecc(gpu, &ecc, &ecc_next) == 0)
        s->ecc = ecc != 0;
    if (nvml.mig != NULL && nvml.mig(gpu, &mig, &mig_next) == 0)
        s->mig = mig != 0;
    read_throttle(gpu, s);
}

void nvml_driver_version(char *text, size_t size)
{
    if (!ready() || nvml.version == NULL || nvml.version(text, (unsigned)size) != 0)
        snprintf(text, size, "unknown");
}
