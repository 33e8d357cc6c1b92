/* Statistics of one distribution, the reason for a wide one, and the table of outlier rules. */
#include "summary.h"
#include "modes.h"

#include <math.h>

enum { MAX_MODES = 64 };

/* Two modes explain a spread if each holds this share of the samples. */
static const double MODE_SHARE = 0.03;

static enum reason find_reason(const struct dist *d, double shift, const struct summary *s)
{
    struct mode mode[MAX_MODES];
    double spread = s->q95 - s->q05;

    if (!(s->spread > SPREAD_LIMIT))
        return REASON_NONE;
    if (modes_find(d, MODE_SHARE, mode, MAX_MODES) > 1)
        return fabs(shift) > spread / 3 ? REASON_TURNS : REASON_MODES;
    if (s->q75 - s->q25 < spread / 5)
        return REASON_TAIL;
    if (fabs(shift) > spread / 3)
        return REASON_DRIFT;
    return REASON_WIDE;
}

void summarize(const struct dist *d, double shift, double confidence, struct summary *s)
{
    s->n = dist_n(d);
    s->min = d->x[0];
    s->q05 = dist_quantile(d, 0.05);
    s->q25 = dist_quantile(d, 0.25);
    s->median = dist_quantile(d, 0.5);
    s->q75 = dist_quantile(d, 0.75);
    s->q95 = dist_quantile(d, 0.95);
    s->max = d->x[d->m - 1];
    s->mean = dist_mean(d);
    s->sd = dist_sd(d, s->mean);
    s->mad = dist_mad(d, s->median);
    dist_median_interval(d, confidence, &s->ci_lo, &s->ci_hi);
    s->spread = s->median != 0 ? (s->q95 - s->q05) / fabs(s->median) : 0;
    s->why = find_reason(d, shift, s);
}

const struct reason_text reason_text[REASON_COUNT] = {
    [REASON_MODES] = {"several modes", "one median hides them: -m shows them"},
    [REASON_TURNS] = {"several modes that follow one another in time",
                      "another part of the cache, the clock or a neighbour: -m shows them"},
    [REASON_TAIL] = {"a long tail", "-k mad:5 drops outliers"},
    [REASON_DRIFT] = {"drift in time",
                      "the clock or a neighbour: see #clock_measured_* and #processes"},
    [REASON_WIDE] = {"one wide mode", "-H shows it"},
};

/* B. Iglewicz, D. Hoaglin, "How to detect and handle outliers" (1993): the mean absolute deviation stands in for a mad
 * of 0, which is common with whole numbers. */
static void mad_limits(const struct dist *d, double factor, double *lo, double *hi)
{
    double median = dist_quantile(d, 0.5), scale = dist_mad(d, median);

    if (scale == 0) {
        for (size_t i = 0; i < d->m; i++)
            scale += fabs(d->x[i] - median) * (double)dist_weight(d, i);
        scale *= 1.253314 / (double)dist_n(d);
    }
    *lo = median - factor * scale;
    *hi = median + factor * scale;
}

/* J. Tukey, "Exploratory Data Analysis" (1977): the fences of a box plot. */
static void iqr_limits(const struct dist *d, double factor, double *lo, double *hi)
{
    double q25 = dist_quantile(d, 0.25), q75 = dist_quantile(d, 0.75);

    *lo = q25 - factor * (q75 - q25);
    *hi = q75 + factor * (q75 - q25);
}

static void trim_limits(const struct dist *d, double factor, double *lo, double *hi)
{
    double part = fmin(factor, 50) / 100;

    *lo = dist_quantile(d, part);
    *hi = dist_quantile(d, 1 - part);
}

const struct outlier_rule outlier_rules[] = {
    {"mad", "further than F mad from the median", 5, mad_limits},
    {"iqr", "further than F interquartile ranges from the quartiles", 3, iqr_limits},
    {"trim", "below quantile F % or above 100 - F %", 1, trim_limits},
    {NULL, NULL, 0, NULL},
};
