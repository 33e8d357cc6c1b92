/* The orthogonal complement of same-class differences, page by page, and a check of what it predicts. */
#include "linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../share/lib/mem.h"
#include "../share/lib/rng.h"

enum { CHECKS = 20000, SPARE = 12, COMBINED = 8, LOW_SHIFT = 12, HIGH_SHIFT = 40 };
static const double share = 0.99;

struct item {
    uint64_t offset, page;
    uint32_t label;
};

static int by_page_and_label(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->page != y->page)
        return x->page < y->page ? -1 : 1;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static size_t sort_items(const struct linear *l, unsigned shift, struct item *item)
{
    size_t n = 0;

    for (size_t i = 0; i < l->lines; i++)
        if (l->label[i] != LINEAR_NONE)
            item[n++] =
                (struct item){l->offset[i], shift >= 64 ? 0 : l->offset[i] >> shift, l->label[i]};
    qsort(item, n, sizeof *item, by_page_and_label);
    return n;
}

/* Pairs of one page, drawn at random: whether the functions are all even exactly for lines of one class. */
static void check(struct linear *l, const struct item *item, size_t n)
{
    struct rng r;
    size_t right = 0, done = 0;

    rng_seed(&r, 1);
    for (size_t t = 0; t < CHECKS && n > 1; t++) {
        size_t a = rng_below(&r, n), b = t % 2 && a + 1 < n ? a + 1 : rng_below(&r, n);
        int even = 1;

        if (a == b || item[a].page != item[b].page)
            continue;
        for (unsigned k = 0; k < l->functions.n; k++)
            even &= !gf2_parity((item[a].offset ^ item[b].offset) & l->functions.row[k]);
        right += even == (item[a].label == item[b].label);
        done++;
    }
    l->checked = done;
    l->right = done > 0 ? (double)right / (double)done : NAN;
}

static unsigned log2_of(size_t n)
{
    unsigned k = 0;

    while (1ull << k < n)
        k++;
    return k;
}

/* Sets joined with the parity between their elements. */
struct parity_sets {
    uint32_t *up;
    uint8_t *odd; /* against up */
};

static uint32_t parity_root(const struct parity_sets *u, uint32_t k, unsigned *odd)
{
    *odd = 0;
    for (; u->up[k] != k; k = u->up[k])
        *odd ^= u->odd[k];
    return k;
}

/* Whether f(x) = constant of the class of x, xor constant of its page, for nearly all lines that tell. */
static int affine(const struct linear *l, const struct item *item, size_t n, uint64_t f)
{
    struct parity_sets u = {xmalloc((l->classes + n + 1) * sizeof *u.up),
                            xcalloc(l->classes + n + 1, 1)};
    size_t pages = 0, told = 0, wrong = 0;

    for (uint32_t k = 0; k < l->classes + n; k++)
        u.up[k] = k;
    for (size_t i = 0; i < n; i++) {
        unsigned odd_class, odd_page, value = gf2_parity(item[i].offset & f);
        uint32_t a = parity_root(&u, item[i].label, &odd_class), b;

        pages += i > 0 && item[i].page != item[i - 1].page;
        b = parity_root(&u, (uint32_t)(l->classes + pages), &odd_page);
        if (a == b) {
            told++;
            wrong += (odd_class ^ odd_page) != value;
        } else {
            u.up[b] = a;
            u.odd[b] = (uint8_t)(odd_class ^ odd_page ^ value);
        }
    }
    free(u.up);
    free(u.odd);
    return told >= SPARE && (double)wrong <= (1 - share) * (double)told;
}

struct differences {
    uint64_t *of; /* between two lines of one class and page */
    size_t n;
};

/* Whether enough differences could have told against f: those within one block, below its lowest bit, could not. In small
 * pages there may be no others, and every bit looks like a function. */
static int tested(const struct linear *l, const struct differences *d, uint64_t f)
{
    uint64_t block = (f & (~f + 1)) - 1;
    size_t could = 0;

    for (size_t i = 0; i < d->n; i++)
        could += (d->of[i] & l->varied) > block;
    return could >= SPARE + (size_t)__builtin_popcountll(l->varied & ~block);
}

/* Keeps the functions that were tested and hold across pages, too. */
static void keep_affine(struct linear *l, const struct differences *d, const struct item *item,
                        size_t n)
{
    struct gf2 all = l->functions;
    unsigned rows = all.n < COMBINED ? all.n : COMBINED;

    l->functions.n = 0;
    for (uint32_t pick = 1; pick < 1u << rows; pick++) {
        uint64_t f = 0;

        for (unsigned k = 0; k < rows; k++)
            f ^= pick >> k & 1 ? all.row[k] : 0;
        if (f != 0 && tested(l, d, f) && affine(l, item, n, f))
            gf2_add(&l->functions, f);
    }
}

static int judge(struct linear *l, const struct differences *d, const struct item *item, size_t n)
{
    keep_affine(l, d, item, n);
    check(l, item, n);
    return l->open == 0 && l->classes > 1 && 1ull << l->functions.n == l->classes &&
           l->right >= share;
}

/* What the lines say when pages are of 1 << shift bytes. */
static void solve(struct linear *l, unsigned shift, struct item *item)
{
    size_t n = sort_items(l, shift, item);
    struct differences d = {xmalloc((n + 1) * sizeof *d.of), 0};
    uint64_t first = 0;
    struct gf2 all = {.n = 0}, known = {.n = 0}, open;

    l->varied = 0;
    l->pages = 0;
    for (size_t i = 0, head = 0; i < n; i++) {
        int new_page = i == 0 || item[i].page != item[i - 1].page;

        if (new_page) {
            l->pages++;
            first = item[i].offset;
        }
        if (new_page || item[i].label != item[i - 1].label)
            head = i;
        else
            d.of[d.n++] = item[i].offset ^ item[head].offset;
        gf2_add(&all, item[i].offset ^ first);
        l->varied |= item[i].offset ^ first;
    }
    gf2_complement(&all, l->varied, &open);
    gf2_functions(d.of, d.n, l->varied, 1, 1, &l->functions);
    for (size_t i = 0; i < d.n; i++)
        gf2_add(&known, d.of[i] & l->varied);
    l->page_shift = shift;
    l->differences = d.n;
    l->open = open.n + (d.n < known.n + SPARE ? 1 : 0);
    check(l, item, n);
    l->linear = judge(l, &d, item, n);
    if (!l->linear) {
        struct gf2 strict = l->functions;

        /* A few wrong labels spoil every function: outvoted ones count only when they explain all classes. */
        gf2_functions(d.of, d.n, l->varied, share, 1, &l->functions);
        l->linear = judge(l, &d, item, n);
        if (!l->linear) {
            l->functions = strict;
            check(l, item, n);
        }
    }
    free(d.of);
}

/* The largest page for which the classes are linear; else the one with most functions from enough differences. */
void linear_run(struct linear *l)
{
    struct item *item = xmalloc((l->lines + 1) * sizeof *item);
    unsigned best = 64, most = 0, from = l->page_shift;

    if (from != 0) {
        solve(l, from, item);
    } else {
        for (unsigned shift = 64; shift >= LOW_SHIFT;
             shift = shift == 64 ? HIGH_SHIFT : shift - 1) {
            solve(l, shift, item);
            if (l->linear)
                break;
            if (l->open == 0 && l->functions.n > most && l->functions.n <= log2_of(l->classes)) {
                most = l->functions.n;
                best = shift;
            }
        }
        if (!l->linear)
            solve(l, best, item);
    }
    free(item);
}

static int by_offset(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

double linear_flips(const struct linear *l, unsigned bit, size_t *pairs)
{
    struct item *item = xmalloc((l->lines + 1) * sizeof *item);
    size_t n = sort_items(l, 64, item), changed = 0;

    *pairs = 0;
    qsort(item, n, sizeof *item, by_offset);
    for (size_t i = 0; i < n; i++) {
        struct item key = {.offset = item[i].offset | 1ull << bit}, *to;

        if (item[i].offset >> bit & 1)
            continue;
        to = bsearch(&key, item, n, sizeof *item, by_offset);
        if (to == NULL)
            continue;
        ++*pairs;
        changed += to->label != item[i].label;
    }
    free(item);
    return *pairs > 0 ? (double)changed / (double)*pairs : NAN;
}
