/* Marks: the interval of a knee as a band over the whole height, its middle as a line, its size in words at the top, the
 * words on different heights so that near knees stay readable. */
#include "plot_marks.h"
#include "plot_script.h"

#include "../share/lib/cli.h"
#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where x lies between the ends of the axis, 0 to 1. */
static double place(struct span s, double x)
{
    return s.logarithmic ? log(x / s.lo) / log(s.hi / s.lo) : (x - s.lo) / (s.hi - s.lo);
}

static char *in_words(double x, bool bytes)
{
    return bytes ? plot_size(x) : xprintf("%.4g", x);
}

/* A word beside a vertical line at x, on whichever side has more room. */
static void label_beside(struct plot *p, struct span s, double x, double height, const char *text,
                         const char *color)
{
    bool right = place(s, x) > 0.6;

    fputs("set label ", p->to);
    plot_quote(p->to, text);
    fprintf(p->to,
            " at %.10g, graph %.3f %s offset %s noenhanced font SMALL textcolor rgb '%s' front%s\n",
            x, height, right ? "right" : "left", right ? "-1,0" : "1,0", color,
            p->text ? "" : " boxed");
}

struct knee {
    double lo, mid, hi;
    double capacity; /* nan: not said */
    bool low;        /* confidence */
};

static void mark_knee(struct plot *p, struct span s, size_t k, struct knee at, bool bytes)
{
    char *middle = in_words(at.mid, bytes), *label = xprintf("knee %zu: %s", k + 1, middle);

    if (!p->text)
        fprintf(p->to,
                "set object rectangle from %.10g, graph 0 to %.10g, graph 1 behind "
                "fillcolor rgb '#A02020' fillstyle transparent solid 0.13 noborder\n",
                fmax(at.lo, s.lo), fmin(at.hi, s.hi));
    fprintf(p->to, "set arrow from %.10g, graph 0 to %.10g, graph 1 nohead linestyle 22%s back\n",
            at.mid, at.mid, at.low ? " dashtype 3" : "");
    label_beside(p, s, at.mid, 0.96 - 0.06 * (double)(k % 4), label, "#802020");
    free(middle);
    free(label);
}

static char *add_in_words(char *so_far, size_t k, struct knee at, bool bytes)
{
    char *m = in_words(at.mid, bytes), *l = in_words(at.lo, bytes), *h = in_words(at.hi, bytes);
    char *c = isnan(at.capacity) ? NULL : in_words(at.capacity, bytes);
    char *what = c != NULL ? xprintf(", capacity %s", c) : xprintf(" (%s to %s)", l, h);
    char *longer = xprintf("%s%sknee %zu at %s%s%s", so_far, *so_far ? "; " : "", k + 1, m, what,
                           at.low ? ", low confidence" : "");

    free(what);
    free(c);
    free(m);
    free(l);
    free(h);
    free(so_far);
    return longer;
}

static bool read_knee(const struct plot *p, const struct frame *f, size_t row, struct knee *at)
{
    size_t conf = frame_find(f, "conf"), capacity = frame_find(f, "capacity");

    at->lo = xframe_number(p->data, f, row, frame_find(f, "x_lo"));
    at->mid = xframe_number(p->data, f, row, frame_find(f, "x_mid"));
    at->hi = xframe_number(p->data, f, row, frame_find(f, "x_hi"));
    at->capacity = capacity == TSV_NONE ? NAN : xframe_number(p->data, f, row, capacity);
    at->low = conf != TSV_NONE && strcmp(frame_text(p->data, f, row, conf), "low") == 0;
    return at->lo <= at->mid && at->mid <= at->hi;
}

char *plot_mark_knees(struct plot *p, struct span span, bool bytes)
{
    const struct frame *f = plot_frame_with(p, PLOT_KNEE_COLUMNS);
    char *words = xstrdup("");
    size_t marked = 0;

    for (size_t row = 0; f != NULL && row < f->nrow; row++) {
        struct knee at;

        if (!read_knee(p, f, row, &at) || !(at.mid >= span.lo && at.mid <= span.hi)) {
            cli_warn("%s: the knee at %.6g is outside the curve and not drawn", f->file, at.mid);
            continue;
        }
        words = add_in_words(words, marked, at, bytes);
        mark_knee(p, span, marked++, at, bytes);
    }
    return words;
}

void plot_mark_l2(struct plot *p, struct span span)
{
    const char *text = prov_get(&p->data->prov, "l2_bytes", 0);
    uint64_t bytes;
    char *size, *label;

    if (text == NULL || parse_u64(text, &bytes) != 0 || (double)bytes < span.lo ||
        (double)bytes > span.hi)
        return;
    size = plot_size((double)bytes);
    label = xprintf("L2 by the driver: %s", size);
    fprintf(
        p->to,
        "set arrow from %.10g, graph 0 to %.10g, graph 0.8 nohead linestyle 21 dashtype 2 front\n",
        (double)bytes, (double)bytes);
    label_beside(p, span, (double)bytes, 0.05, label, "#505050");
    free(size);
    free(label);
}
