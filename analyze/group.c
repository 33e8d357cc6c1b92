/* A hash table of groups. A row of the same group as the two before costs one comparison. */
#include "group.h"
#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

static uint64_t load(const char *p, size_t bytes)
{
    uint64_t word = 0;

    memcpy(&word, p, bytes);
    return word;
}

/* The last bytes of a string that has `len` of them in all, 8 at most, without a loop: some may be read twice. */
static uint64_t load_tail(const char *end, size_t len)
{
    if (len >= 8)
        return load(end - 8, 8);
    if (len >= 4)
        return load(end - len, 4) << 32 | load(end - 4, 4);
    return len == 0
               ? 0
               : load(end - len, 1) << 16 | load(end - len + len / 2, 1) << 8 | load(end - 1, 1);
}

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

/* Eight bytes at a time; the length is in the seed. */
static uint64_t hash_bytes(uint64_t h, const char *p, size_t len)
{
    const char *end = p + len;

    h ^= len * 0x9e3779b97f4a7c15u;
    for (; end - p > 8; p += 8)
        h = mix(h, load(p, 8));
    return mix(h, load_tail(end, len));
}

static bool same_key(const struct group *g, const struct field *run, size_t nrun)
{
    const char *at = g->key, *end = g->key + g->len;

    for (size_t i = 0; i < nrun; i++) {
        if ((size_t)(end - at) < run[i].len || memcmp(at, run[i].ptr, run[i].len) != 0)
            return false;
        at += run[i].len;
        if (i + 1 < nrun && (at == end || *at++ != '\t'))
            return false;
    }
    return at == end;
}

static struct group *new_group(const struct field *run, size_t nrun, uint64_t hash)
{
    struct group *g;
    size_t len = nrun + 1;

    for (size_t i = 0; i < nrun; i++)
        len += run[i].len;
    g = xcalloc(1, sizeof *g + len);
    g->hash = hash;
    for (size_t i = 0; i < nrun; i++) {
        if (i > 0)
            g->key[g->len++] = '\t';
        memcpy(g->key + g->len, run[i].ptr, run[i].len);
        g->len += run[i].len;
    }
    return g;
}

static void put_index(struct groups *g, uint64_t hash, size_t position)
{
    size_t at = (size_t)hash & g->mask;

    while (g->index[at].at != 0)
        at = (at + 1) & g->mask;
    g->index[at] = (struct group_index){(uint32_t)(hash >> 32), (uint32_t)(position + 1)};
}

static void grow_index(struct groups *g)
{
    g->mask = g->index == NULL ? 255 : 2 * g->mask + 1;
    free(g->index);
    g->index = xcalloc(g->mask + 1, sizeof *g->index);
    for (size_t i = 0; i < g->n; i++)
        put_index(g, g->group[i]->hash, i);
}

static struct group *look_up(const struct groups *g, uint64_t hash, const struct field *run,
                             size_t nrun)
{
    for (size_t at = (size_t)hash & g->mask; g->index[at].at != 0; at = (at + 1) & g->mask)
        if (g->index[at].tag == (uint32_t)(hash >> 32) &&
            same_key(g->group[g->index[at].at - 1], run, nrun))
            return g->group[g->index[at].at - 1];
    return NULL;
}

struct group *groups_find(struct groups *g, const struct field *run, size_t nrun)
{
    struct group *found;
    uint64_t hash = 0;

    if (g->steady && same_key(g->last, run, nrun))
        return g->last;
    if (g->index == NULL || g->n > g->mask / 2)
        grow_index(g);
    for (size_t i = 0; i < nrun; i++)
        hash = hash_bytes(hash, run[i].ptr, run[i].len);
    found = look_up(g, hash, run, nrun);
    if (found == NULL) {
        g->group = xgrow(g->group, g->n, &g->cap, sizeof *g->group);
        found = g->group[g->n] = new_group(run, nrun, hash);
        put_index(g, hash, g->n++);
    }
    g->steady = found == g->last;
    g->last = found;
    return found;
}

static int compare_fields(const char *a, size_t alen, const char *b, size_t blen)
{
    char *aend, *bend;
    double x = strtod(a, &aend), y = strtod(b, &bend);
    bool anumber = alen > 0 && aend == a + alen, bnumber = blen > 0 && bend == b + blen;
    int order;

    if (anumber && bnumber && x != y)
        return x < y ? -1 : 1;
    if (anumber != bnumber)
        return anumber ? -1 : 1;
    order = memcmp(a, b, alen < blen ? alen : blen);
    return order != 0 ? order : (alen > blen) - (alen < blen);
}

static int by_key(const void *pa, const void *pb)
{
    const char *a = (*(struct group *const *)pa)->key, *b = (*(struct group *const *)pb)->key;

    for (;;) {
        size_t alen = strcspn(a, "\t"), blen = strcspn(b, "\t");
        int order = compare_fields(a, alen, b, blen);

        if (order != 0 || a[alen] == '\0')
            return order;
        a += alen + 1;
        b += blen + 1;
    }
}

void groups_sort(struct groups *g)
{
    if (g->n > 0)
        qsort(g->group, g->n, sizeof *g->group, by_key);
    free(g->index);
    g->index = NULL;
    g->last = NULL;
    g->steady = false;
}

void groups_free(struct groups *g)
{
    for (size_t i = 0; i < g->n; i++) {
        tally_free(&g->group[i]->tally);
        free(g->group[i]);
    }
    free(g->group);
    free(g->index);
    *g = (struct groups){0};
}
