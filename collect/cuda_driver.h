/* The CUDA driver, reached by dlopen of libcuda.so.1: no header and no library of the toolkit is needed, and a program
 * starts on a machine without a driver. Types and numbers are the driver API's own. */
#ifndef L2_CUDA_DRIVER_H
#define L2_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int cu_result;
typedef int cu_device;
typedef uint64_t cu_address;
typedef struct cu_context *cu_context;
typedef struct cu_module *cu_module;
typedef struct cu_function *cu_function;
typedef struct cu_stream *cu_stream;

enum {
    CU_ATTR_SMS = 16,
    CU_ATTR_SM_KHZ = 13,
    CU_ATTR_MEM_KHZ = 36,
    CU_ATTR_BUS_WIDTH = 37,
    CU_ATTR_L2_BYTES = 38,
    CU_ATTR_THREADS_SM = 39,
    CU_ATTR_CC_MAJOR = 75,
    CU_ATTR_CC_MINOR = 76,
    CU_ATTR_SHARED_OPTIN = 97,
    CU_ATTR_PERSIST_MAX = 108,
    CU_ATTR_WINDOW_MAX = 109
};
enum { CU_LIMIT_FETCH = 5, CU_LIMIT_PERSIST = 6 };
enum { CU_FUNC_DYNAMIC_SHARED = 8, CU_FUNC_CARVEOUT = 9 };
enum { CU_CTX_SPIN = 1 };
enum { CU_STREAM_ATTR_WINDOW = 1 };
enum { CU_ACCESS_NORMAL = 0, CU_ACCESS_PERSISTING = 2 };

struct cu_window {
    void *base;
    size_t bytes;
    float ratio;
    int hit, miss;
};
union cu_stream_value {
    char pad[64];
    struct cu_window window;
};

/* name, its symbol, its arguments */
#define CU_FUNCTIONS(X)                                                                            \
    X(init, "cuInit", (unsigned))                                                                  \
    X(version, "cuDriverGetVersion", (int *))                                                      \
    X(device_count, "cuDeviceGetCount", (int *))                                                   \
    X(device_get, "cuDeviceGet", (cu_device *, int))                                               \
    X(device_name, "cuDeviceGetName", (char *, int, cu_device))                                    \
    X(device_uuid, "cuDeviceGetUuid_v2", (unsigned char *, cu_device))                             \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t *, cu_device))                                 \
    X(device_attribute, "cuDeviceGetAttribute", (int *, int, cu_device))                           \
    X(context_create, "cuCtxCreate_v2", (cu_context *, unsigned, cu_device))                       \
    X(context_destroy, "cuCtxDestroy_v2", (cu_context))                                            \
    X(context_use, "cuCtxSetCurrent", (cu_context))                                                \
    X(set_limit, "cuCtxSetLimit", (int, size_t))                                                   \
    X(get_limit, "cuCtxGetLimit", (size_t *, int))                                                 \
    X(reset_persisting, "cuCtxResetPersistingL2Cache", (void))                                     \
    X(module_load, "cuModuleLoadDataEx", (cu_module *, const void *, unsigned, int *, void **))    \
    X(module_function, "cuModuleGetFunction", (cu_function *, cu_module, const char *))            \
    X(function_set, "cuFuncSetAttribute", (cu_function, int, int))                                 \
    X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", (int *, cu_function, int, size_t)) \
    X(memory_alloc, "cuMemAlloc_v2", (cu_address *, size_t))                                       \
    X(memory_free, "cuMemFree_v2", (cu_address))                                                   \
    X(memory_info, "cuMemGetInfo_v2", (size_t *, size_t *))                                        \
    X(to_device, "cuMemcpyHtoD_v2", (cu_address, const void *, size_t))                            \
    X(from_device, "cuMemcpyDtoH_v2", (void *, cu_address, size_t))                                \
    X(fill, "cuMemsetD8Async", (cu_address, unsigned char, size_t, cu_stream))                     \
    X(stream_create, "cuStreamCreate", (cu_stream *, unsigned))                                    \
    X(stream_destroy, "cuStreamDestroy_v2", (cu_stream))                                           \
    X(stream_wait, "cuStreamSynchronize", (cu_stream))                                             \
    X(stream_set, "cuStreamSetAttribute", (cu_stream, int, const union cu_stream_value *))         \
    X(launch, "cuLaunchKernel",                                                                    \
      (cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,          \
       cu_stream, void **, void **))                                                               \
    X(error_name, "cuGetErrorName", (cu_result, const char **))                                    \
    X(error_string, "cuGetErrorString", (cu_result, const char **))

struct cuda_driver {
#define CU_MEMBER(name, symbol, arguments) cu_result(*name) arguments;
    CU_FUNCTIONS(CU_MEMBER)
#undef CU_MEMBER
};

/* The driver, loaded and initialised once; NULL and a line in why[] when it can't be. */
const struct cuda_driver *cuda_driver(char *why, size_t why_size);
/* "CUDA_ERROR_OUT_OF_MEMORY: out of memory"; good until the next call. */
const char *cuda_error(const struct cuda_driver *cu, cu_result status);

#endif
