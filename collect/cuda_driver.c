/* Loading the CUDA driver. A toolkit's stub library opens too, but cuInit then answers 34: that is said. */
#include "cuda_driver.h"
#include "../share/lib/cli.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct cuda_driver driver;

static const struct {
    const char *symbol;
    size_t place; /* in struct cuda_driver */
} symbols[] = {
#define CU_SYMBOL(name, symbol, arguments) {symbol, offsetof(struct cuda_driver, name)},
    CU_FUNCTIONS(CU_SYMBOL)
#undef CU_SYMBOL
};

const char *cuda_error(const struct cuda_driver *cu, cu_result status)
{
    static char text[256];
    const char *name = NULL, *string = NULL;

    if (cu->error_name(status, &name) != 0 || name == NULL)
        snprintf(text, sizeof text, "CUDA error %d", status);
    else if (cu->error_string(status, &string) != 0 || string == NULL)
        snprintf(text, sizeof text, "%s", name);
    else
        snprintf(text, sizeof text, "%s: %s", name, string);
    return text;
}

static int load(char *why, size_t why_size)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

    if (lib == NULL)
        return cli_why(why, why_size,
                       "no CUDA driver on this machine (libcuda.so.1 does not open)");
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *f = dlsym(lib, symbols[i].symbol);

        if (f == NULL)
            return cli_why(why, why_size, "the CUDA driver is too old: it has no %s",
                           symbols[i].symbol);
        memcpy((char *)&driver + symbols[i].place, &f, sizeof f);
    }
    return 0;
}

const struct cuda_driver *cuda_driver(char *why, size_t why_size)
{
    static bool ready;

    if (ready)
        return &driver;
    if (load(why, why_size) != 0)
        return NULL;
    cu_result status = driver.init(0);
    if (status == 34) {
        snprintf(why, why_size, "libcuda.so.1 is the toolkit's stub, not a driver");
        return NULL;
    }
    if (status != 0) {
        snprintf(why, why_size, "cuInit: %s", cuda_error(&driver, status));
        return NULL;
    }
    ready = true;
    return &driver;
}
