/* What the driver's management library knows of a GPU. It only reads: clocks, power and modes are never changed.
 * Everything is optional; what it can't say is -1. */
#ifndef L2_NVML_H
#define L2_NVML_H

#include <stddef.h>

struct nvml_state {
    int sm_mhz, mem_mhz;         /* now */
    int sm_mhz_max, mem_mhz_max; /* that the chip may reach */
    int temperature;             /* degrees Celsius */
    int processes;               /* on the GPU, without this one */
    int ecc, mig;                /* 1, 0 */
    int set_clocks;              /* 1: clocks are limited by a setting of the owner */
    char throttle[64];           /* reasons, "none" or "unknown" */
};

/* uuid: "GPU-...". Fills with -1 and "unknown" where there is no library or no such GPU. */
void nvml_read(const char *uuid, struct nvml_state *s);
/* The driver's version, "unknown" without the library. */
void nvml_driver_version(char *text, size_t size);

#endif
