/* Survival curves: points with their intervals, and the law that fits them best. */
#include "assoc_points.h"
#include "../share/lib/out.h"

#include <math.h>

enum { LAW_POINTS = 120 };

static void put_point(struct out *o, const struct survival_curve *c, const char *part,
                      double others, double share, double lo, double hi, double trials)
{
    out_str(o, "survival");
    out_str(o, c->kind);
    out_str(o, c->order);
    out_str(o, c->loader);
    out_str(o, part);
    out_round(o, others, 9);
    out_round(o, share, 6);
    out_round(o, lo, 6);
    out_round(o, hi, 6);
    out_round(o, trials, 9);
    out_row(o);
}

/* Points with Wilson's interval of a share, 95 %. */
static void put_points(struct out *o, const struct survival_curve *c)
{
    const double z = 1.96;

    for (size_t i = 0; i < c->n; i++) {
        double n = c->s[i].trials, share = c->s[i].hits / n;
        double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
        double half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));

        put_point(o, c, "point", c->s[i].n, share, middle - half, middle + half, n);
    }
}

static void put_law(struct out *o, const struct survival_curve *c)
{
    struct survival_fit f;
    double first = fmax(c->s[0].n, 1), last = c->s[c->n - 1].n;

    if (survival_fit(c->s, c->n, c->positions, &f) != 0)
        return;
    for (unsigned k = 0; k <= LAW_POINTS; k++) {
        double n = floor(first * pow(last / first, (double)k / LAW_POINTS));
        double share = f.law == SURVIVAL_LRU
                           ? survival_lru(n, c->positions, f.sets.value, f.ways.value)
                           : exp(-n / f.sets.value);

        put_point(o, c, "fit", n, share, NAN, NAN, 0);
    }
}

void assoc_points(FILE *to, const struct assoc_rows *r, const struct prov *p)
{
    struct out o;

    out_begin(&o, to, p, "exp lines order loader part others share lo hi n");
    for (size_t k = 0; k < r->nc; k++) {
        put_points(&o, &r->c[k]);
        put_law(&o, &r->c[k]);
    }
    out_end(&o, "ok");
}
