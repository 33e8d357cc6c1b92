/* The gnuplot language, written so that data stays data: words only within single quotes, where gnuplot expands neither
 * backquotes nor macros nor backslashes, and a terminal that typesets nothing (noenhanced). A quote within a word becomes
 * a typographic one: doubled, gnuplot 5.4 takes the first two of a string as an empty string. */
#include "plot_script.h"

#include "../share/lib/cli.h"
#include "../share/lib/data.h"
#include "../share/lib/mem.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void quote_byte(FILE *to, unsigned char c, bool format)
{
    if (c == '\'' || c == '`')
        fputs(c == '`' ? "\u2018" : "\u2019", to);
    else if (c == '%' && format)
        fputs("%%", to);
    else
        fputc(c < ' ' || c == 127 ? '?' : c, to);
}

/* How many bytes the UTF-8 character at s has, 0 when it is none. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 : 0;

    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

static void quote(FILE *to, const char *text, bool format)
{
    const unsigned char *s = (const unsigned char *)text;

    fputc('\'', to);
    while (*s != '\0') {
        size_t n = utf8_length(s);

        if (n == 0) {
            fputc('?', to);
            s++;
        }
        for (; n > 0; n--)
            quote_byte(to, *s++, format);
    }
    fputc('\'', to);
}

void plot_quote(FILE *to, const char *text)
{
    quote(to, text, false);
}

void plot_tic(FILE *to, const char *text)
{
    quote(to, text, true);
}

void plot_number(FILE *to, double v)
{
    if (isfinite(v))
        fprintf(to, "%.10g", v);
    else
        fputs("NaN", to);
}

static void copy_file(FILE *to, const char *name)
{
    char *path = xdata_path(name);
    FILE *from = fopen(path, "r");
    char buf[4096];
    size_t n;

    if (from == NULL)
        xdie(EXIT_FAILED, "%s: %s", path, strerror(errno));
    while ((n = fread(buf, 1, sizeof buf, from)) > 0)
        fwrite(buf, 1, n, to);
    if (ferror(from))
        xdie(EXIT_FAILED, "%s: %s", path, strerror(errno));
    fclose(from);
    free(path);
}

/* A file name may not start a command: gnuplot pipes the output to what follows a '|'. */
static void output_name(FILE *to, const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == '`')
            xdie(EXIT_USAGE, "-o: a control character or backquote in the name: '%s'", name);
    fputs("set output '", to);
    if (name[0] != '/')
        fputs("./", to);
    for (; *name != '\0'; name++)
        fputs(*name == '\'' ? "''" : (char[]){*name, '\0'}, to);
    fputs("'\n", to);
}

void plot_begin(struct plot *p, const char *term, const char *output, const char *name,
                double height)
{
    char *file = xprintf("gnuplot/%s.gp", term);

    fprintf(p->to, "# Written by l2plot %s: run it with gnuplot.\n", L2_VERSION);
    fprintf(p->to, "HEIGHT = %.4g\nNAME = 'l2plot_%s'\n", height, name);
    copy_file(p->to, file);
    copy_file(p->to, p->text ? "gnuplot/text.gp" : "gnuplot/look.gp");
    if (output != NULL)
        output_name(p->to, output);
    free(file);
}

/* A line above the picture, its middle at so many hundredths of a line below the line before. */
static void heading_line(struct plot *p, const char *text, const char *font, const char *color,
                         int hundredths)
{
    size_t longest = p->text ? 98 : 140, len = strlen(text);
    char *cut = len > longest ? xprintf("%.*s ...", (int)longest - 4, text) : xstrdup(text);

    fputs("set label ", p->to);
    plot_quote(p->to, cut);
    fprintf(p->to,
            " at screen LEFT, screen 1 - %d.%02d * LINE / H left noenhanced font %s textcolor rgb "
            "'%s'\n",
            p->nheading++, hundredths, font, color);
    free(cut);
}

/* "NVIDIA H200, driver 580.95, 2026-11-29": of every device among the inputs. */
static char *device_line(const struct prov *prov)
{
    const char *device, *driver = prov_get(prov, "driver", 0), *when = prov_get(prov, "time", 0);
    char *line = xstrdup(""), *longer;

    for (size_t k = 0; (device = prov_get(prov, "device", k)) != NULL; k++) {
        longer = xprintf("%s%s%s", line, k > 0 ? " and " : "", device);
        free(line);
        line = longer;
    }
    if (*line == '\0') {
        free(line);
        return xstrdup("device not recorded in the data");
    }
    longer = xprintf("%s%s%s%s%s", line, driver ? ", driver " : "", driver ? driver : "",
                     when ? ", " : "", when ? when : "");
    free(line);
    return longer;
}

static void simulated_sign(struct plot *p)
{
    static const char says[] = "SIMULATED DEVICE: nothing here was measured on a chip";

    heading_line(p, says, "BIG", p->text ? "#B00020" : "#FFFFFF", 60);
    if (p->text)
        return;
    fputs("set object 90 rectangle from screen 0, screen 1 - 1.2 * LINE / H to screen 1, screen 1 "
          "behind fillcolor rgb '#B00020' fillstyle solid 1.0 noborder\n",
          p->to);
    fputs("set label 'SIMULATED' at screen 0.55, screen 0.45 center rotate by 25 font HUGE "
          "textcolor rgb '#F6DCDF' back\n",
          p->to);
}

void plot_note(struct plot *p, const char *text)
{
    if (text != NULL && *text != '\0')
        heading_line(p, text, "SMALL", "#606060", 90);
}

void plot_heading(struct plot *p, const char *title, const char *conditions)
{
    char *device = device_line(&p->data->prov);

    if (prov_simulated(&p->data->prov))
        simulated_sign(p);
    heading_line(p, p->title != NULL ? p->title : title, "BIG", "#101010", 90);
    heading_line(p, device, "SMALL", "#404040", 90);
    plot_note(p, conditions);
    free(device);
}

void plot_single(struct plot *p)
{
    fprintf(p->to, "set tmargin at screen 1 - %d.9 * LINE / H\nset rmargin 4\n", p->nheading);
}

void plot_panels(struct plot *p, size_t rows, size_t columns)
{
    fprintf(p->to,
            "set multiplot layout %zu,%zu margins screen 0.08, screen 0.97, screen 0.11, "
            "screen 1 - %d.5 * LINE / H spacing screen %.3g, screen %.3g\nset key off\n",
            rows, columns, p->nheading + 2, columns > 2 ? 0.085 : 0.09,
            rows > 2 ? 0.4 / (double)rows : 0.17);
}

/* After panel k: the heading was drawn with the first one. */
void plot_panel_done(struct plot *p, size_t k)
{
    if (k == 0)
        fputs("unset label\nunset object\n", p->to);
}

char *plot_size(double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t u = 0;

    for (; bytes >= 1024 && u + 1 < sizeof units / sizeof *units; u++)
        bytes /= 1024;
    return xprintf("%.*g %s", bytes >= 1000 ? 4 : 3, bytes, units[u]);
}

static void tic_at(struct plot *p, double at, bool first)
{
    char *label = plot_size(at);

    fputs(first ? "" : ", ", p->to);
    plot_tic(p->to, label);
    fputc(' ', p->to);
    plot_number(p->to, at);
    free(label);
}

static void log_tics(struct plot *p, char axis, double lo, double hi)
{
    double first = ceil(log2(lo) - 1e-9), last = floor(log2(hi) + 1e-9);
    double step = fmax(1, ceil((last - first + 1) / (p->text ? 8 : 12)));

    fprintf(p->to, "set logscale %c 2\nset %crange [%.10g:%.10g]\nset %ctics (", axis, axis,
            lo / 1.08, hi * 1.08, axis);
    for (double e = first; e <= last; e += step)
        tic_at(p, exp2(e), e == first);
    fputs(")\n", p->to);
}

static void linear_tics(struct plot *p, char axis, double lo, double hi)
{
    static const double nice[] = {1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 512};
    double unit = exp2(10 * floor(log2(fmax(hi, 1)) / 10)), step, room = (hi - lo) * 0.03;
    size_t i = 0;

    while (unit > 1 && (hi - lo) / unit < 4)
        unit /= 1024;
    while (i + 1 < sizeof nice / sizeof *nice && (hi - lo) / (unit * nice[i]) > 8)
        i++;
    step = unit * nice[i];
    fprintf(p->to, "set %crange [%.10g:%.10g]\nset %ctics (", axis, lo - room, hi + room, axis);
    for (double at = ceil(lo / step) * step; at <= hi; at += step)
        tic_at(p, at, at < lo + step);
    fputs(")\n", p->to);
}

bool plot_bytes_axis(struct plot *p, char axis, double lo, double hi)
{
    bool logarithmic = lo > 0 && hi / lo > 4;

    if (!(hi > lo)) {
        lo *= 0.9;
        hi = hi * 1.1 + 1;
    }
    if (logarithmic)
        log_tics(p, axis, lo, hi);
    else
        linear_tics(p, axis, lo, hi);
    return logarithmic;
}

void plot_block(struct plot *p, const char *name, size_t k)
{
    fprintf(p->to, "$%s%zu << EOD\n", name, k);
}

void plot_block_end(struct plot *p)
{
    fputs("EOD\n", p->to);
}
