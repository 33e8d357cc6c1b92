/* transpose: out[c][r] = in[r][c] with a thread an element, by thread blocks of several shapes: transpose ROWS COLUMNS WxH...
 *
 * Threads beside each other in x go down the rows of `in`, so a warp reads 4 bytes from each of 32 lines, and the other
 * bytes of those lines are wanted by blocks of other y. Whether they are still in L2 then is a matter of the block's
 * shape. Reads go around L1 (ld.cg). Prints the shape and the best time of 5 launches; checks every element. */
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

enum { LAUNCHES = 5 };

__global__ void transpose(float *out, const float *in, int rows, int columns)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y * blockDim.y + threadIdx.y;

    if (r < rows && c < columns)
        out[(size_t)c * rows + r] = __ldcg(&in[(size_t)r * columns + c]);
}

static void must(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "transpose: %s: %s\n", what, cudaGetErrorString(e));
    exit(1);
}

/* Milliseconds of the fastest launch. */
static float run(float *out, const float *in, int rows, int columns, dim3 block)
{
    dim3 grid((rows + block.x - 1) / block.x, (columns + block.y - 1) / block.y);
    cudaEvent_t start, end;
    float best = 1e9f, ms;

    must(cudaEventCreate(&start), "event");
    must(cudaEventCreate(&end), "event");
    for (int i = 0; i < LAUNCHES; i++) {
        must(cudaEventRecord(start), "event");
        transpose<<<grid, block>>>(out, in, rows, columns);
        must(cudaGetLastError(), "launch");
        must(cudaEventRecord(end), "event");
        must(cudaEventSynchronize(end), "transpose");
        must(cudaEventElapsedTime(&ms, start, end), "time");
        best = ms < best ? ms : best;
    }
    return best;
}

static void check(const float *out, int rows, int columns)
{
    std::vector<float> got((size_t)rows * columns);

    must(cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost), "copy");
    for (int c = 0; c < columns; c++)
        for (int r = 0; r < rows; r++)
            if (got[(size_t)c * rows + r] != (float)(((size_t)r * columns + c) % 8388593)) {
                fprintf(stderr, "transpose: wrong at row %d, column %d\n", r, c);
                exit(1);
            }
}

int main(int argc, char **argv)
{
    int rows = argc > 3 ? atoi(argv[1]) : 0, columns = argc > 3 ? atoi(argv[2]) : 0;
    size_t bytes = (size_t)rows * columns * sizeof(float);
    std::vector<float> host((size_t)rows * columns);
    float *in, *out;

    if (rows < 1 || columns < 1) {
        fprintf(stderr, "usage: transpose ROWS COLUMNS WxH...\n");
        return 2;
    }
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (float)(i % 8388593);
    must(cudaMalloc(&in, bytes), "memory");
    must(cudaMalloc(&out, bytes), "memory");
    must(cudaMemcpy(in, host.data(), bytes, cudaMemcpyHostToDevice), "copy");
    printf("block\tms\n");
    for (int i = 3; i < argc; i++) {
        unsigned w, h;

        if (sscanf(argv[i], "%ux%u", &w, &h) != 2 || w * h < 1 || w * h > 1024) {
            fprintf(stderr, "transpose: not a shape of up to 1024 threads: '%s'\n", argv[i]);
            return 2;
        }
        must(cudaMemset(out, 0, bytes), "memory");
        printf("%ux%u\t%.4f\n", w, h, run(out, in, rows, columns, dim3(w, h)));
        check(out, rows, columns);
    }
    must(cudaFree(in), "memory");
    must(cudaFree(out), "memory");
    return 0;
}
