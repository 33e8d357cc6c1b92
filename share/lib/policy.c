/* Replacement policies, one table row each; QLRU is one function with parameters taken from its name.
 *
 * LRU, FIFO, LIP and BIP (Qureshi et al., "Adaptive insertion policies", ISCA 2007) keep the order of the ways and
 * differ in when a way moves to the front. Tree-PLRU splits the ways in two halves at each node, the left one larger
 * when their number is odd, so that any number of ways has a balanced tree. Bit-PLRU and NRU keep one bit a way: bit-PLRU
 * clears the others as soon as all are set, NRU not before it needs a victim. SRRIP and BRRIP: Jaleel et al.,
 * "High performance cache replacement using re-reference interval prediction", ISCA 2010, 2 bits, hit priority.
 * QLRU: Abel and Reineke, "nanoBench: a low-overhead tool for running microbenchmarks on x86 systems", ISPASS 2020,
 * section VI: ages 0-3, hit function Hxy, insertion age M, replacement R, update U, and UMO for update on misses only. */
#include "policy.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { RARE = 32 }; /* BIP and BRRIP insert high once in so many fills */

/* Order of ways: par[0] moves on a hit, par[1] says where a fill goes. */
enum { FILL_FRONT, FILL_BACK, FILL_RARELY_FRONT };

static void to_back(uint8_t *order, unsigned ways, unsigned w)
{
    unsigned i = 0;

    while (order[i] != w)
        i++;
    memmove(order + i, order + i + 1, ways - 1 - i);
    order[ways - 1] = (uint8_t)w;
}

static void list_reset(const struct policy *p, uint8_t *state, unsigned ways)
{
    (void)p;
    memset(state, 0xff, (ways + 7) / 8 * 8);
    for (unsigned w = 0; w < ways; w++)
        state[w] = (uint8_t)w;
}

static void list_hit(const struct policy *p, uint8_t *state, unsigned ways, unsigned way,
                     struct rng *r)
{
    (void)ways, (void)r;
    if (p->par[0])
        policy_to_front(state, way);
}

static unsigned list_victim(const struct policy *p, uint8_t *state, unsigned ways, struct rng *r)
{
    (void)p, (void)r;
    return state[ways - 1];
}

static void list_low(const struct policy *p, uint8_t *state, unsigned ways, unsigned way)
{
    (void)p;
    to_back(state, ways, way);
}

static void list_fill(const struct policy *p, uint8_t *state, unsigned ways, unsigned way,
                      struct rng *r)
{
    bool back =
        p->par[1] == FILL_BACK || (p->par[1] == FILL_RARELY_FRONT && rng_below(r, RARE) != 0);

    if (back)
        to_back(state, ways, way);
    else
        policy_to_front(state, way);
}

/* Tree: node n over `ways` ways; its left child is n + 1, its right one n + (ways of the left half). A set bit says that
 * the next victim is on the right. */
static void tree_point(uint8_t *state, unsigned ways, unsigned way, bool away)
{
    unsigned node = 0;

    while (ways > 1) {
        unsigned left = (ways + 1) / 2;
        bool right = way >= left;

        state[node] = right != away;
        node += right ? left : 1;
        way -= right ? left : 0;
        ways = right ? ways - left : left;
    }
}

static void tree_reset(const struct policy *p, uint8_t *state, unsigned ways)
{
    (void)p;
    memset(state, 0, ways);
}

static void tree_touch(const struct policy *p, uint8_t *state, unsigned ways, unsigned way,
                       struct rng *r)
{
    (void)p, (void)r;
    tree_point(state, ways, way, true);
}

static unsigned tree_victim(const struct policy *p, uint8_t *state, unsigned ways, struct rng *r)
{
    unsigned node = 0, way = 0;

    (void)p, (void)r;
    while (ways > 1) {
        unsigned left = (ways + 1) / 2;
        bool right = state[node] != 0;

        node += right ? left : 1;
        way += right ? left : 0;
        ways = right ? ways - left : left;
    }
    return way;
}

static void tree_low(const struct policy *p, uint8_t *state, unsigned ways, unsigned way)
{
    (void)p;
    tree_point(state, ways, way, false);
}

/* One bit a way; par[0]: clear the others at once when all are set. */
static bool all_set(const uint8_t *state, unsigned ways)
{
    return memchr(state, 0, ways) == NULL;
}

static void bit_touch(const struct policy *p, uint8_t *state, unsigned ways, unsigned way,
                      struct rng *r)
{
    (void)r;
    state[way] = 1;
    if (p->par[0] && all_set(state, ways)) {
        memset(state, 0, ways);
        state[way] = 1;
    }
}

static unsigned bit_victim(const struct policy *p, uint8_t *state, unsigned ways, struct rng *r)
{
    const uint8_t *zero;

    (void)p, (void)r;
    if (all_set(state, ways))
        memset(state, 0, ways);
    zero = memchr(state, 0, ways);
    return (unsigned)(zero - state);
}

static void bit_low(const struct policy *p, uint8_t *state, unsigned ways, unsigned way)
{
    (void)p, (void)ways;
    state[way] = 0;
}

/* Ages 0-3, as SRRIP and as QLRU. */
enum { HIT3, HIT2, INSERT, INSERT_RARE, ONE_IN, REPLACE, UPDATE, MISS_ONLY }; /* par[] */

static void age_reset(const struct policy *p, uint8_t *state, unsigned ways)
{
    (void)p;
    memset(state, 3, ways);
}

/* U0: all ages rise until the highest is 3; U1: so, without the accessed way; U2 and U3: by one when none is 3. */
static void age_update(const struct policy *p, uint8_t *state, unsigned ways, unsigned way)
{
    unsigned update = p->par[UPDATE], max = 0, add;

    for (unsigned w = 0; w < ways; w++)
        if (state[w] > max && !(update == 1 && w == way))
            max = state[w];
    add = update < 2 ? 3 - max : max < 3;
    if (add == 0)
        return;
    for (unsigned w = 0; w < ways; w++)
        if (!(update % 2 == 1 && w == way))
            state[w] = (uint8_t)(state[w] + add > 3 ? 3 : state[w] + add);
}

static void age_hit(const struct policy *p, uint8_t *state, unsigned ways, unsigned way,
                    struct rng *r)
{
    (void)r;
    state[way] = state[way] == 3 ? p->par[HIT3] : state[way] == 2 ? p->par[HIT2] : 0;
    if (!p->par[MISS_ONLY])
        age_update(p, state, ways, way);
}

static unsigned age_victim(const struct policy *p, uint8_t *state, unsigned ways, struct rng *r)
{
    const uint8_t *oldest;

    (void)r;
    if (p->par[MISS_ONLY])
        age_update(p, state, ways, ways);
    oldest = memchr(state, 3, ways);
    return oldest == NULL ? 0 : (unsigned)(oldest - state);
}

static void age_fill(const struct policy *p, uint8_t *state, unsigned ways, unsigned way,
                     struct rng *r)
{
    bool rare = p->par[ONE_IN] != 0 && rng_below(r, p->par[ONE_IN]) == 0;

    state[way] = rare ? p->par[INSERT_RARE] : p->par[INSERT];
    if (!p->par[MISS_ONLY])
        age_update(p, state, ways, way);
}

static void age_low(const struct policy *p, uint8_t *state, unsigned ways, unsigned way)
{
    (void)p, (void)ways;
    state[way] = 3;
}

/* No state at all. */
static void random_touch(const struct policy *p, uint8_t *state, unsigned ways, unsigned way,
                         struct rng *r)
{
    (void)p, (void)state, (void)ways, (void)way, (void)r;
}

static void random_low(const struct policy *p, uint8_t *state, unsigned ways, unsigned way)
{
    (void)p, (void)state, (void)ways, (void)way;
}

static unsigned random_victim(const struct policy *p, uint8_t *state, unsigned ways, struct rng *r)
{
    (void)p, (void)state;
    return (unsigned)rng_below(r, ways);
}

#define LIST_OPS list_reset, list_hit, list_victim, list_fill, list_low
#define TREE_OPS tree_reset, tree_touch, tree_victim, tree_touch, tree_low
#define BIT_OPS  tree_reset, bit_touch, bit_victim, bit_touch, bit_low
#define AGE_OPS  age_reset, age_hit, age_victim, age_fill, age_low

static const struct policy table[] = {
    {"lru", "least recently used", true, false, {1, FILL_FRONT}, LIST_OPS},
    {"fifo", "first in, first out", true, false, {0, FILL_FRONT}, LIST_OPS},
    {"plru", "tree of bits that point away from the last use", false, false, {0}, TREE_OPS},
    {"bitplru", "a bit a way, the others cleared once all are set", false, false, {1}, BIT_OPS},
    {"nru", "not recently used: bits cleared when a victim is needed", false, false, {0}, BIT_OPS},
    {"srrip",
     "2-bit re-reference prediction, inserted at 2",
     false,
     false,
     {0, 0, 2, 0, 0, 0, 0, 1},
     AGE_OPS},
    {"brrip",
     "2-bit re-reference prediction, inserted at 3, once in 32 at 2",
     false,
     true,
     {0, 0, 3, 2, RARE, 0, 0, 1},
     AGE_OPS},
    {"lip", "LRU that inserts at the LRU end", true, false, {1, FILL_BACK}, LIST_OPS},
    {"bip",
     "LIP that inserts once in 32 at the front",
     true,
     true,
     {1, FILL_RARELY_FRONT},
     LIST_OPS},
    {"random",
     "any way",
     false,
     true,
     {0},
     tree_reset,
     random_touch,
     random_victim,
     random_touch,
     random_low},
};

static const char *const hits[] = {"21", "20", "11", "10", "00"};
static const char *const inserts[] = {"0", "1", "2", "3", "r32", "r31", "r30", "r21", "r20", "r10"};
enum { TABLE = sizeof table / sizeof *table, HITS = 5, INSERTS = 4, INSERTS_ALL = 10, PAIRS = 8 };

/* Replacements with the updates that leave a line of age 3 when they need one. */
static const uint8_t pairs[PAIRS][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1},
                                        {1, 2}, {1, 3}, {2, 0}, {2, 1}};

static struct policy qlru(size_t hit, size_t insert, size_t pair, bool miss_only)
{
    struct policy p = {"", "quad-age LRU", false, false, {0}, AGE_OPS};
    const char *in = inserts[insert];
    bool rare = in[0] == 'r';

    snprintf(p.name, sizeof p.name, "qlru_h%s_m%s_r%u_u%u%s", hits[hit], in, pairs[pair][0],
             pairs[pair][1], miss_only ? "_umo" : "");
    p.par[HIT3] = (uint8_t)(hits[hit][0] - '0');
    p.par[HIT2] = (uint8_t)(hits[hit][1] - '0');
    p.par[INSERT] = (uint8_t)(in[rare] - '0');
    p.par[INSERT_RARE] = (uint8_t)(rare ? in[2] - '0' : 0);
    p.par[ONE_IN] = rare ? 16 : 0;
    p.random = rare;
    p.par[REPLACE] = pairs[pair][0];
    p.par[UPDATE] = pairs[pair][1];
    p.par[MISS_ONLY] = miss_only;
    return p;
}

size_t policy_count_plain(void)
{
    return TABLE;
}

size_t policy_count(void)
{
    return TABLE + HITS * INSERTS * PAIRS * 2;
}

struct policy policy_at(size_t k)
{
    if (k < TABLE)
        return table[k];
    k -= TABLE;
    return qlru(k / (INSERTS * PAIRS * 2), k / (PAIRS * 2) % INSERTS, k / 2 % PAIRS, k % 2 != 0);
}

/* The victim of a full set is the first of age 3 under every replacement, and on a miss no way has been accessed yet, so
 * that of the updates on misses only U0 and U1, U2 and U3 are the same. */
bool policy_alike(const struct policy *a, const struct policy *b)
{
    struct policy x = *a, y = *b;

    if (a->hit != b->hit || a->victim != b->victim || a->fill != b->fill)
        return false;
    if (a->reset == age_reset) {
        x.par[REPLACE] = y.par[REPLACE] = 0;
        x.par[UPDATE] &= (uint8_t)(x.par[MISS_ONLY] ? ~1 : ~0);
        y.par[UPDATE] &= (uint8_t)(y.par[MISS_ONLY] ? ~1 : ~0);
    }
    return memcmp(x.par, y.par, sizeof x.par) == 0;
}

int policy_find(const char *name, struct policy *p)
{
    for (size_t k = 0; k < TABLE; k++)
        if (strcasecmp(name, table[k].name) == 0) {
            *p = table[k];
            return 0;
        }
    for (size_t k = 0; k < HITS * INSERTS_ALL * PAIRS * 2; k++) {
        *p = qlru(k / (INSERTS_ALL * PAIRS * 2), k / (PAIRS * 2) % INSERTS_ALL, k / 2 % PAIRS,
                  k % 2 != 0);
        if (strcasecmp(name, p->name) == 0)
            return 0;
    }
    return -1;
}

unsigned policy_empty_way(const struct policy *p, uint32_t empty)
{
    bool highest = p->reset == age_reset && p->par[REPLACE] == 2;

    return (unsigned)(highest ? 31 - __builtin_clz(empty) : __builtin_ctz(empty));
}

void policy_set_init(struct policy_set *s, const struct policy *p, unsigned ways, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->policy = p;
    s->ways = ways;
    s->empty = ways == 32 ? ~0u : (1u << ways) - 1;
    rng_seed(&s->rng, seed);
    p->reset(p, s->state, ways);
}

static unsigned find(const struct policy_set *s, uint32_t line)
{
    for (unsigned w = 0; w < s->ways; w++)
        if (s->line[w] == line && !(s->empty >> w & 1))
            return w;
    return s->ways;
}

bool policy_set_access(struct policy_set *s, uint32_t line, uint32_t *victim)
{
    const struct policy *p = s->policy;
    unsigned way = find(s, line);
    uint32_t left = POLICY_NONE;
    bool hit = way < s->ways;

    if (hit) {
        p->hit(p, s->state, s->ways, way, &s->rng);
    } else {
        if (s->empty != 0) {
            way = policy_empty_way(p, s->empty);
            s->empty &= ~(1u << way);
        } else {
            way = p->victim(p, s->state, s->ways, &s->rng);
            left = s->line[way];
        }
        s->line[way] = line;
        p->fill(p, s->state, s->ways, way, &s->rng);
    }
    if (victim != NULL)
        *victim = left;
    return hit;
}

/* Each twice in a row, so that policies that insert at the low end keep them. Hits leave every age at 0 and every bit set;
 * from there misses go through the ways in order. */
void policy_reset_loads(unsigned ways, unsigned lines, uint32_t *line)
{
    for (unsigned i = 0; i < 4 * ways; i++)
        *line++ = i / 2 % ways;
    for (unsigned i = 0; i < 4 * lines; i++)
        *line++ = (ways + i / 2) % lines;
}

void policy_set_drop(struct policy_set *s, uint32_t line)
{
    unsigned way = find(s, line);

    if (way == s->ways)
        return;
    s->empty |= 1u << way;
    s->policy->low(s->policy, s->state, s->ways, way);
}
