/* Near and far of every SM, SMs grouped by what they find near, lines by which group finds them near. */
#include "side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"
#include "../share/lib/split.h"

enum { LEAST_LINES = 32, LEAST_SMS = 4 };
/* A mode holds this share of the lines at least; two SMs have the same pattern when so many lines agree. */
static const double least_share = 0.04, same_pattern = 0.95;
static const double least_step = 0.02; /* gap between near and far, of the near latency */
/* How much farther the far lines are: with less, SMs may differ in their distances to slices of one side; and when all SMs
 * find the same lines near, those may be in a slice that is near to all. */
static const double least_apart = 0.10, least_alone = 0.25;

void side_alloc(struct side *s, size_t lines, size_t sms)
{
    memset(s, 0, sizeof *s);
    s->lines = lines;
    s->sms = sms;
    s->line_side = xcalloc(lines + 1, 1);
    s->sm_side = xcalloc(sms + 1, 1);
}

void side_free(struct side *s)
{
    free(s->line_side);
    free(s->sm_side);
    memset(s, 0, sizeof *s);
}

/* far[line] of one SM; 0 when its latencies have one mode only. */
static int split_sm(const struct side *s, size_t sm, double *work, uint8_t *far, struct split *sp)
{
    size_t n = s->lines;

    for (size_t i = 0; i < n; i++)
        work[i] = (double)s->cycles[i * s->sms + sm];
    qsort(work, n, sizeof *work, split_order);
    split_variance(work, n, sp);
    if ((double)sp->below < least_share * (double)n ||
        (double)(n - sp->below) < least_share * (double)n || sp->gap <= sp->width / 2 ||
        sp->gap < least_step * sp->low)
        return 0;
    for (size_t i = 0; i < n; i++)
        far[i] = (double)s->cycles[i * s->sms + sm] > sp->at;
    return 1;
}

/* The group whose first SM has the same pattern, or a new one; SIDE_NONE when there are too many. */
static uint8_t group_of(const uint8_t *far, uint8_t *pattern, unsigned *groups, size_t n)
{
    for (unsigned g = 0; g < *groups; g++) {
        size_t same = 0;

        for (size_t i = 0; i < n; i++)
            same += far[i] == pattern[g * n + i];
        if ((double)same >= same_pattern * (double)n)
            return (uint8_t)g;
    }
    if (*groups == SIDE_MOST)
        return SIDE_NONE;
    memcpy(pattern + *groups * n, far, n);
    return (uint8_t)(*groups)++;
}

/* Votes of all SMs for one line's side: near counts for the SM's own side, far for every other. */
static void vote_line(struct side *s, size_t line, const uint8_t *far, size_t *agreed,
                      size_t *voted)
{
    size_t near[SIDE_MOST + 1] = {0}, of[SIDE_MOST + 1] = {0}, best = 0, best_right = 0, total = 0;

    for (size_t sm = 0; sm < s->sms; sm++)
        if (s->sm_side[sm] != SIDE_NONE) {
            of[s->sm_side[sm]]++;
            near[s->sm_side[sm]] += !far[sm * s->lines + line];
            total++;
        }
    for (size_t g = 0; g < s->sides; g++) {
        size_t right = near[g];

        for (size_t h = 0; h < s->seen; h++)
            right += h != g ? of[h] - near[h] : 0;
        if (right > best_right) {
            best_right = right;
            best = g;
        }
    }
    *agreed += best_right;
    *voted += total;
    s->line_side[line] = (double)best_right >= 0.9 * (double)total ? (uint8_t)best : SIDE_NONE;
    s->unclear += s->line_side[line] == SIDE_NONE;
}

/* As many sides as groups; one more when a share of lines is near to none, for no SM of it was measured. */
static void count_sides(struct side *s, const uint8_t *far)
{
    size_t agreed = 0, voted = 0, nowhere = 0;
    int close;

    for (size_t i = 0; i < s->lines; i++) {
        int near = 0;

        for (unsigned g = 0; g < s->seen && !near; g++)
            for (size_t sm = 0; sm < s->sms; sm++)
                if (s->sm_side[sm] == g) {
                    near = !far[sm * s->lines + i];
                    break;
                }
        nowhere += !near;
    }
    s->sides = s->seen + ((double)nowhere > least_share * (double)s->lines);
    s->unclear = 0;
    for (size_t i = 0; i < s->lines; i++)
        vote_line(s, i, far, &agreed, &voted);
    s->agree = (double)agreed / (double)voted;
    close = s->far < (1 + (s->seen == 1 ? least_alone : least_apart)) * s->near;
    s->verdict = s->sides < 2 || close || s->unclear * 20 > s->lines ? SIDE_UNCLEAR
                 : s->sms < 2                                        ? SIDE_ONE_SM
                                                                     : SIDE_OK;
}

static void one_side(struct side *s, double *work)
{
    for (size_t i = 0; i < s->lines; i++)
        work[i] = (double)s->cycles[i * s->sms];
    s->near = s->far = split_median(work, s->lines);
    s->gap = 0;
    s->sides = s->seen = 1;
    s->agree = 1;
    memset(s->line_side, 0, s->lines);
    memset(s->sm_side, 0, s->sms);
    s->verdict = s->sms >= LEAST_SMS ? SIDE_OK : SIDE_ONE_SM;
}

void side_run(struct side *s)
{
    double *work = xmalloc((s->lines + 1) * sizeof *work),
           *near = xmalloc((s->sms + 1) * sizeof *near);
    double *far_at = xmalloc((s->sms + 1) * sizeof *far_at),
           *gap = xmalloc((s->sms + 1) * sizeof *gap);
    uint8_t *far = xmalloc(s->lines * s->sms + 1), *pattern = xmalloc(s->lines * SIDE_MOST + 1);
    size_t two = 0;

    s->sides = s->seen = 0;
    s->verdict = SIDE_FEW_LINES;
    for (size_t sm = 0; sm < s->sms && s->lines >= LEAST_LINES; sm++) {
        struct split sp;

        s->sm_side[sm] = SIDE_NONE;
        if (!split_sm(s, sm, work, far + sm * s->lines, &sp))
            continue;
        s->sm_side[sm] = group_of(far + sm * s->lines, pattern, &s->seen, s->lines);
        near[two] = sp.low;
        far_at[two] = sp.high;
        gap[two++] = sp.gap;
    }
    if (s->lines >= LEAST_LINES && two * 2 <= s->sms) {
        one_side(s, work);
    } else if (s->lines >= LEAST_LINES) {
        s->near = split_median(near, two);
        s->far = split_median(far_at, two);
        s->gap = split_median(gap, two);
        count_sides(s, far);
    }
    free(work);
    free(near);
    free(far_at);
    free(gap);
    free(far);
    free(pattern);
}
