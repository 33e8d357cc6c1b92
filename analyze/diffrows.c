#include "diffrows.h"

#include "../share/lib/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const abouts[] = {"condition", "parameter", "curve", "point"};
static const char *const results[] = {"same", "differs", "unsure", "missing"};

struct diff_row *diff_add(struct diff_rows *rows, struct diff_row row)
{
    rows->row = xgrow(rows->row, rows->n, &rows->cap, sizeof *rows->row);
    rows->row[rows->n] = row;
    return &rows->row[rows->n++];
}

static void adjust_all(struct diff_rows *rows, const struct diff_rules *rules)
{
    double *p = xmalloc((rows->n + 1) * sizeof *p);
    size_t *order = xmalloc((rows->n + 1) * sizeof *order);

    for (size_t i = 0; i < rows->n; i++)
        p[i] = rows->row[i].shift.p;
    rules->adjust(p, rows->n, order);
    for (size_t i = 0; i < rows->n; i++)
        rows->row[i].adjusted = p[i];
    free(p);
    free(order);
}

static enum diff_result judge(const struct diff_row *r, const struct diff_rules *rules)
{
    const struct shift *s = &r->shift;

    if (r->exact)
        return strcmp(r->left, r->right) == 0 ? DIFF_SAME : DIFF_DIFFERS;
    if (isnan(s->lo) || isnan(s->hi))
        return DIFF_UNSURE;
    if (s->lo >= -r->margin && s->hi <= r->margin)
        return DIFF_SAME;
    if (r->steep)
        return DIFF_SAME;
    if (r->adjusted < rules->alpha && (s->lo > r->margin || s->hi < -r->margin))
        return DIFF_DIFFERS;
    return DIFF_UNSURE;
}

/* "1.2 %" of the base, or the number with its unit where there is no base. */
static char *amount(const struct diff_row *r, double v, bool sign)
{
    const char *plus = sign ? "+" : "";

    if (r->base > 0)
        return xprintf("%s%.2g %%", v < 0 ? "" : plus, 100 * v / r->base);
    return xprintf("%s%.3g %s", v < 0 ? "" : plus, v, r->unit);
}

static char *say_numbers(const struct diff_row *r)
{
    const struct shift *s = &r->shift;
    char *shift = amount(r, s->shift, true), *lo = amount(r, s->lo, true),
         *hi = amount(r, s->hi, true);
    char *most = amount(r, fmax(fabs(s->lo), fabs(s->hi)), false), *says;

    if (r->result == DIFF_SAME && r->steep)
        says = xprintf("same within two steps of the curve, which is steep here (%s)", shift);
    else if (r->result == DIFF_SAME)
        says = xprintf("same within %s", most);
    else if (r->result == DIFF_DIFFERS && r->base > 0 && strcmp(r->unit, "%") != 0)
        says = xprintf("differs by %+.4g %s (%s)", s->shift, r->unit, shift);
    else if (r->result == DIFF_DIFFERS)
        says = xprintf("differs by %s", shift);
    else if (isnan(s->lo))
        says = xprintf("can't tell: too few samples");
    else
        says = xprintf("%s: %s to %s",
                       s->lo <= 0 && s->hi >= 0 ? "no difference seen" : "may differ", lo, hi);
    free(shift);
    free(lo);
    free(hi);
    free(most);
    return says;
}

static char *say(const struct diff_row *r)
{
    if (!r->exact)
        return say_numbers(r);
    if (r->result == DIFF_SAME)
        return xstrdup("same");
    if (isnan(r->shift.shift) || r->shift.shift == 0)
        return xprintf("differs: %s and %s", r->left, r->right);
    return xprintf("differs by %+.6g %s: %s and %s", r->shift.shift, r->unit, r->left, r->right);
}

void diff_judge(struct diff_rows *rows, const struct diff_rules *rules)
{
    adjust_all(rows, rules);
    for (size_t i = 0; i < rows->n; i++) {
        struct diff_row *r = &rows->row[i];

        if (r->says != NULL)
            continue;
        r->result = judge(r, rules);
        r->says = say(r);
    }
}

void diff_count(const struct diff_rows *rows, size_t one, size_t other, size_t count[DIFF_RESULTS])
{
    memset(count, 0, DIFF_RESULTS * sizeof *count);
    for (size_t i = 0; i < rows->n; i++) {
        const struct diff_row *r = &rows->row[i];

        if (r->about != DIFF_CONDITION &&
            ((r->one == one && r->other == other) || (r->one == other && r->other == one)))
            count[r->result]++;
    }
}

/* Mean share of differing comparisons over the pairs that hold input k, or that do not. */
static double differing(const struct diff_rows *rows, size_t n, size_t k, bool with)
{
    double sum = 0, pairs = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            size_t c[DIFF_RESULTS], all;

            if ((i == k || j == k) != with)
                continue;
            diff_count(rows, i, j, c);
            all = c[DIFF_SAME] + c[DIFF_DIFFERS] + c[DIFF_UNSURE];
            sum += all > 0 ? (double)c[DIFF_DIFFERS] / (double)all : 0;
            pairs++;
        }
    return pairs > 0 ? sum / pairs : 0;
}

size_t diff_odd_one_out(const struct diff_rows *rows, size_t n, double *its, double *theirs)
{
    size_t odd = n;
    double best = 0;

    for (size_t k = 0; k < n && n > 2; k++) {
        double with = differing(rows, n, k, true), without = differing(rows, n, k, false);

        if (with > 0.02 && with > 2 * without && with - without > best) {
            best = with - without;
            odd = k;
            *its = with;
            *theirs = without;
        }
    }
    return odd;
}

void diff_print(struct out *o, const struct diff_rows *rows, const struct diff_input *in,
                bool only_differing)
{
    for (size_t i = 0; i < rows->n; i++) {
        const struct diff_row *r = &rows->row[i];

        if (only_differing && r->result == DIFF_SAME)
            continue;
        out_str(o, in[r->one].name);
        out_str(o, in[r->other].name);
        out_str(o, abouts[r->about]);
        out_str(o, r->archive != NULL ? r->archive : "-");
        out_str(o, r->param);
        out_str(o, r->point != NULL ? r->point : "-");
        out_str(o, r->left);
        out_str(o, r->right);
        out_str(o, r->unit != NULL ? r->unit : "-");
        out_round(o, r->shift.shift, 6);
        out_round(o, r->shift.lo, 6);
        out_round(o, r->shift.hi, 6);
        out_round(o, r->base > 0 ? 100 * r->shift.shift / r->base : NAN, 4);
        out_round(o, r->shift.p, 4);
        out_round(o, r->adjusted, 4);
        out_str(o, results[r->result]);
        out_str(o, r->says);
        out_row(o);
    }
}

void diff_rows_free(struct diff_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        struct diff_row *r = &rows->row[i];

        free(r->param);
        free(r->point);
        free(r->left);
        free(r->right);
        free(r->unit);
        free(r->says);
    }
    free(rows->row);
    *rows = (struct diff_rows){0};
}
