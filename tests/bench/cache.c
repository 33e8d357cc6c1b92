/* How many loads a second does the cache model answer? cache DEVICE.dev SIZE...: for each working set of a random
 * cyclic order the best of 5 turns, in millions of loads a second of processor time: of lines looked up before, as in a
 * chase, and with the lookup of the address, as in a sweep. */
#include "../../share/lib/cache_ahead.h"
#include "../../share/lib/cli.h"
#include "../../share/lib/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { AHEAD = 12, TURNS = 5 };

static uint64_t sum; /* of the answers, so that nothing is left out */

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void known(struct cache *m, const struct cache_ref *ref, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cache_prefetch(m, ref[i + AHEAD < n ? i + AHEAD : 0], 0);
        sum += cache_load(m, ref[i], 0, 1, 0, 0).level;
    }
}

static void looked_up(struct cache *m, const uint32_t *order, size_t n)
{
    struct cache_ref ref[AHEAD];

    for (size_t i = 0; i + AHEAD <= n; i += AHEAD) {
        for (size_t k = 0; k < AHEAD; k++) {
            ref[k] = cache_ref(m, (uint64_t)order[i + k] * m->chip.line);
            cache_prefetch(m, ref[k], 0);
        }
        for (size_t k = 0; k < AHEAD; k++)
            sum += cache_load(m, ref[k], 0, 1, 0, 0).level;
    }
}

static void bench(struct cache *m, uint64_t bytes)
{
    size_t n = bytes / m->chip.line;
    uint32_t *order = xmalloc(n * sizeof *order);
    struct cache_ref *ref = xmalloc(n * sizeof *ref);
    double best[2] = {1e9, 1e9};
    struct rng r;

    if (cache_map(m, bytes, 1) != 0)
        xdie(EXIT_FAILED, "no memory for %s", cli_size(bytes));
    rng_seed(&r, 1);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    rng_shuffle(&r, order, n);
    for (size_t i = 0; i < n; i++)
        ref[i] = cache_ref(m, (uint64_t)order[i] * m->chip.line);
    for (int turn = 0; turn < TURNS; turn++) {
        double t0 = seconds(), t1;
        size_t done = 0;

        for (; done < 1000000; done += n)
            known(m, ref, n);
        t1 = seconds();
        best[0] = (t1 - t0) / (double)done < best[0] ? (t1 - t0) / (double)done : best[0];
        for (done = 0, t0 = seconds(); done < 1000000; done += n)
            looked_up(m, order, n);
        t1 = seconds();
        best[1] = (t1 - t0) / (double)done < best[1] ? (t1 - t0) / (double)done : best[1];
    }
    printf("%s\t%s\t%.1f\t%.1f\n", m->chip.name, cli_size(bytes), 1e-6 / best[0], 1e-6 / best[1]);
    free(order);
    free(ref);
}

int main(int argc, char **argv)
{
    struct chip *c = xcalloc(1, sizeof *c);
    struct cache m;
    char why[256];
    FILE *f;

    cli_start("cache");
    if (argc < 3 || (f = fopen(argv[1], "r")) == NULL)
        xdie(EXIT_USAGE, "usage: cache DEVICE.dev SIZE...");
    if (chip_read(c, f, argv[1], why, sizeof why) != 0 || cache_init(&m, c, why, sizeof why) != 0)
        xdie(EXIT_FAILED, "%s", why);
    fclose(f);
    printf("device\tsize\tknown\tlooked_up\n");
    for (int i = 2; i < argc; i++)
        bench(&m, xparse_size("SIZE", argv[i], 4096, 1ull << 34));
    cache_free(&m);
    free(c);
    fprintf(stderr, "%s", sum == 1 ? " " : "");
    xclose_stdout();
    return EXIT_OK;
}
