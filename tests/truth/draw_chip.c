/* draw_chip SEED [POLICY [LINES]]: prints the device file of a random chip, for tests that must recover it. */
#include "share/lib/chip_draw.h"
#include "share/lib/cli.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    struct chip_draw how = {.noise = true};
    struct chip c;
    struct rng r;

    cli_start("draw_chip");
    if (argc < 2)
        xdie(EXIT_USAGE, "usage: draw_chip SEED [POLICY [LINES]]");
    if (argc > 2 && *argv[2] != '-')
        how.policy = argv[2];
    if (argc > 3)
        how.max_lines = (uint32_t)xparse_u64("LINES", argv[3], 64, 1 << 24);
    rng_seed(&r, xparse_u64("SEED", argv[1], 0, UINT64_MAX));
    chip_draw(&c, &r, &how);
    chip_write(&c, stdout);
    xclose_stdout();
    return EXIT_OK;
}
