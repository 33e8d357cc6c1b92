/* A hash table of groups. A row that belongs to the group of the row before costs one comparison. */
#include "group.h"
#include "../share/lib/mem.h"

#include <stdlib.h>
#include <string.h>

/* Eight bytes at a time; the tail is padded with zeros, its length is in the seed. */
static uint64_t hash_bytes(uint64_t h, const char *p, size_t len)
{
    uint64_t word;

    h ^= len * 0x9e3779b97f4a7c15u;
    for (; len >= sizeof word; p += sizeof word, len -= sizeof word) {
        memcpy(&word, p, sizeof word);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, p, len);
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
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
    struct group *g = xcalloc(1, sizeof *g);
    size_t len = nrun;

    for (size_t i = 0; i < nrun; i++)
        len += run[i].len;
    g->key = xmalloc(len + 1);
    g->hash = hash;
    for (size_t i = 0; i < nrun; i++) {
        if (i > 0)
            g->key[g->len++] = '\t';
        memcpy(g->key + g->len, run[i].ptr, run[i].len);
        g->len += run[i].len;
    }
    g->key[g->len] = '\0';
    return g;
}

static void grow_index(struct groups *g)
{
    g->mask = g->index == NULL ? 255 : 2 * g->mask + 1;
    free(g->index);
    g->index = xcalloc(g->mask + 1, sizeof *g->index);
    for (size_t i = 0; i < g->n; i++) {
        size_t at = (size_t)g->group[i]->hash & g->mask;

        while (g->index[at] != 0)
            at = (at + 1) & g->mask;
        g->index[at] = (uint32_t)(i + 1);
    }
}

struct group *groups_find(struct groups *g, const struct field *run, size_t nrun)
{
    uint64_t hash = 0;
    size_t at;

    if (g->last != NULL && same_key(g->last, run, nrun))
        return g->last;
    if (g->index == NULL || g->n > g->mask / 2)
        grow_index(g);
    for (size_t i = 0; i < nrun; i++)
        hash = hash_bytes(hash, run[i].ptr, run[i].len);
    for (at = (size_t)hash & g->mask; g->index[at] != 0; at = (at + 1) & g->mask) {
        g->last = g->group[g->index[at] - 1];
        if (g->last->hash == hash && same_key(g->last, run, nrun))
            return g->last;
    }
    g->group = xgrow(g->group, g->n, &g->cap, sizeof *g->group);
    g->last = g->group[g->n++] = new_group(run, nrun, hash);
    g->index[at] = (uint32_t)g->n;
    return g->last;
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
}

void groups_free(struct groups *g)
{
    for (size_t i = 0; i < g->n; i++) {
        tally_free(&g->group[i]->tally);
        free(g->group[i]->key);
        free(g->group[i]);
    }
    free(g->group);
    free(g->index);
    *g = (struct groups){0};
}
