/* All kernels, one translation unit. Plain C where possible; templates only spell the instructions. */
#include <stddef.h>
#include <stdint.h>

#pragma nv_diag_suppress 550 /* a value loaded only to be waited for */
#include "device.cuh"
#include "chase.cuh"
#include "walk.cuh"
#include "sweep.cuh"
#include "hammer.cuh"
#include "stream.cuh"
#include "tip.cuh"
