/* Roofline (S. Williams, A. Waterman, D. Patterson, Communications of the ACM 52, 2009): how many operations a second a
 * kernel can do at most, by operations for each byte it moves: a slope for each bandwidth among the findings, under a roof
 * that follows from SMs, clock and the lanes of the architecture. Where the device's lines do not tell, there is no roof. */
#include "plot.h"
#include "plot_script.h"

#include "../share/lib/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OCTAVES_LO = -4, OCTAVES_HI = 8, STEPS = 4, SLOPES = 7 };

/* Single-precision multiply-adds an SM begins in a clock, by compute capability (CUDA C++ Programming Guide, throughput of
 * arithmetic instructions). */
static const struct lanes {
    double from;
    int lanes;
} lanes[] = {{8.6, 128}, {8.0, 64}, {7.0, 64}};

static const struct slope {
    const char *param, *says;
} slopes[] = {{"read_bw", "L2, reading"},           {"write_bw", "L2, writing"},
              {"copy_bw", "L2, copying"},           {"dram_bw", "memory, reading"},
              {"dram_write_bw", "memory, writing"}, {"dram_copy_bw", "memory, copying"}};

/* 10^9 operations a second, or infinity when not known. */
static double roof(const struct plot *p)
{
    const struct prov *said = &p->data->prov;
    double cc = prov_number(said, "cc"), mhz = prov_number(said, "clock_measured_after"), peak;
    int n = 0;

    for (size_t i = 0; i < sizeof lanes / sizeof *lanes && n == 0; i++)
        if (cc >= lanes[i].from)
            n = lanes[i].lanes;
    peak = prov_number(said, "sms") * n * 2 * mhz * 1e-3;
    return peak > 0 ? peak : INFINITY;
}

static double bandwidth(const struct plot *p, const struct frame *f, const char *param)
{
    size_t name = xframe_column(f, "param"), value = xframe_column(f, "value");

    for (size_t row = 0; row < f->nrow; row++)
        if (strcmp(frame_text(p->data, f, row, name), param) == 0 &&
            xframe_number(p->data, f, row, value) > 0)
            return xframe_number(p->data, f, row, value);
    return NAN;
}

static void write_slope(struct plot *p, double gbps, double peak, size_t k)
{
    plot_block(p, "slope", k);
    for (int i = OCTAVES_LO * STEPS; i <= OCTAVES_HI * STEPS; i++) {
        double x = exp2((double)i / STEPS);

        fprintf(p->to, "%.6g\t%.6g\n", x, fmin(peak, gbps * x));
    }
    plot_block_end(p);
}

static void plot_slopes(struct plot *p, const size_t *which, const double *gbps, size_t n)
{
    fputs("plot \\\n", p->to);
    for (size_t k = 0; k < n; k++) {
        char title[80];

        snprintf(title, sizeof title, "%s: %.0f GB/s", slopes[which[k]].says, gbps[k]);
        fprintf(p->to, "  $slope%zu using 1:2 with %s linestyle %zu linewidth 2 title ", k,
                p->text ? "points" : "lines", k % PLOT_COLORS + 1);
        plot_quote(p->to, title);
        fputs(k + 1 < n ? ", \\\n" : "\n", p->to);
    }
}

void plot_roofline(struct plot *p, const struct frame *f)
{
    double gbps[SLOPES], peak = roof(p);
    size_t which[SLOPES], n = 0;
    char note[120];

    for (size_t i = 0; i < sizeof slopes / sizeof *slopes; i++) {
        gbps[n] = bandwidth(p, f, slopes[i].param);
        if (isfinite(gbps[n])) {
            write_slope(p, gbps[n], peak, n);
            which[n++] = i;
        }
    }
    if (n == 0)
        xdie(EXIT_FAILED, "%s: nothing to draw: no bandwidth among the findings", f->file);
    plot_heading(p, "What the bandwidths allow", NULL);
    snprintf(note, sizeof note,
             isfinite(peak) ? "Roof: %.1f TFLOP/s, single-precision multiply-adds on all SMs; the "
                              "L2's slope meets it at %.1f operations a byte."
                            : "No roof: SMs, clock or architecture are not known.",
             peak * 1e-3, peak / gbps[0]);
    plot_note(p, note);
    plot_single(p);
    fputs("set logscale xy 2\nset format y '%.0f'\nset xlabel 'operations for each byte moved'\n"
          "set ylabel '10^9 operations a second' noenhanced\nset bmargin KEYROOM\n",
          p->to);
    plot_slopes(p, which, gbps, n);
}
