/* Rules of eviction from sets with dirty lines, by counting contradictions. */
#include "victim.h"

/* Lines [from, to) are dirty; those before `from`, back to `first`, were, too, until there were too many. */
struct marks {
    uint64_t first, from, to;
};

static struct marks marks_of(const struct victim_probe *p, uint64_t limit)
{
    uint64_t to = p->young ? p->ways : p->stored, kept = p->stored < limit ? p->stored : limit;

    return (struct marks){to - p->stored, to - kept, to};
}

static bool lost(const struct victim_probe *p, enum victim_rule rule, bool evicted, uint64_t limit)
{
    struct marks m = marks_of(p, limit);
    uint64_t clean = m.from > 0 ? 0 : m.to; /* the oldest clean line */

    if (rule == VICTIM_DIRTY) /* each one goes as soon as the next line comes in */
        return p->line >= m.first && p->line < m.to;
    if (evicted && m.from > m.first) /* there was room for the new line */
        return p->line >= m.first && p->line < m.from;
    return p->line == (rule == VICTIM_CLEAN && clean < p->ways ? clean : 0);
}

static size_t contradictions(const struct victim_probe *p, size_t n, enum victim_rule rule,
                             bool evicted, uint64_t limit)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        wrong += lost(&p[i], rule, evicted, limit) != p[i].lost;
    return wrong;
}

/* The best limit of one rule; limit 0 when several are equally good. */
static struct victim_fit best_limit(const struct victim_probe *p, size_t n, enum victim_rule rule,
                                    uint64_t ways)
{
    struct victim_fit f = {rule, false, 0, n, n + 1, n + 1};
    size_t same = 0;

    for (uint64_t k = 0; k < 2 * ways; k++) {
        bool evicted = k >= ways;
        uint64_t limit = ways - k % ways;
        size_t wrong;

        if (evicted && limit == ways)
            continue;
        wrong = contradictions(p, n, rule, evicted, limit);
        same = wrong < f.wrong ? 1 : same + (wrong == f.wrong);
        if (wrong >= f.wrong)
            continue;
        f.wrong = wrong;
        f.limit = limit;
        f.evicted = evicted;
    }
    if (same > 1)
        f.limit = 0;
    return f;
}

int victim_fit(const struct victim_probe *p, size_t n, struct victim_fit *f)
{
    uint64_t ways = 0;

    *f = (struct victim_fit){VICTIM_OLDEST, false, 0, n, n + 1, n + 1};
    for (size_t i = 0; i < n; i++)
        ways = p[i].ways > ways ? p[i].ways : ways;
    for (int rule = VICTIM_OLDEST; rule <= VICTIM_DIRTY; rule++) {
        struct victim_fit one = best_limit(p, n, (enum victim_rule)rule, ways);

        if (one.wrong < f->wrong) {
            one.other_wrong = f->wrong;
            *f = one;
        } else if (one.wrong < f->other_wrong) {
            f->other_wrong = one.wrong;
        }
    }
    return n > 0 && f->wrong * 20 <= n && f->other_wrong > f->wrong ? 0 : -1;
}
