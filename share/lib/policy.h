/* Replacement policies of one cache set: a table that the cache model runs and that a filter replays on recorded accesses.
 *
 * A policy sees ways, not lines. It keeps up to POLICY_STATE bytes for a set, and is told of each hit and each fill. */
#ifndef L2_POLICY_H
#define L2_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "policy_order.h"
#include "rng.h"

#define POLICY_WAYS  32 /* most ways */
#define POLICY_STATE 32 /* bytes that a policy keeps for a set: the ways rounded up to eight */

struct policy {
    char name[32]; /* "lru", "qlru_h11_m1_r0_u0" */
    const char *summary;
    bool list; /* state[] is the order of the ways, most recent first: state[ways - 1] goes next */
    bool random;    /* draws from the rng: two replays may differ */
    uint8_t par[8]; /* the policy's own parameters */
    void (*reset)(const struct policy *p, uint8_t *state, unsigned ways);
    void (*hit)(const struct policy *p, uint8_t *state, unsigned ways, unsigned way, struct rng *r);
    /* Of a full set: the way that goes. May change the state (ageing). */
    unsigned (*victim)(const struct policy *p, uint8_t *state, unsigned ways, struct rng *r);
    /* A line entered `way`, empty before or just given by victim(). */
    void (*fill)(const struct policy *p, uint8_t *state, unsigned ways, unsigned way,
                 struct rng *r);
    /* The line in `way` is to go next: insertion at the low end. */
    void (*low)(const struct policy *p, uint8_t *state, unsigned ways, unsigned way);
};

/* The plain policies, in the table's order; then every deterministic QLRU. */
size_t policy_count(void);       /* of all */
size_t policy_count_plain(void); /* of the table */
struct policy policy_at(size_t k);
/* Whether two behave alike as long as the set is full: they differ in which empty way is filled first, or by an update that
 * never shows. */
bool policy_alike(const struct policy *a, const struct policy *b);
/* The policy of a name, letter case ignored; -1 if there is none. */
int policy_find(const char *name, struct policy *p);

/* Which of the empty ways (bit w of `empty`, not 0) is filled first: the lowest; the highest for QLRU's R2. */
unsigned policy_empty_way(const struct policy *p, uint32_t empty);

/* One set with its lines, for replays. */
#define POLICY_NONE 0xffffffffu
struct policy_set {
    const struct policy *policy;
    unsigned ways;
    uint32_t empty;             /* bit w: way w is empty */
    uint32_t line[POLICY_WAYS]; /* any numbers but POLICY_NONE */
    uint8_t state[POLICY_STATE];
    struct rng rng;
};

/* An empty set of 1 to POLICY_WAYS ways; the seed matters to random policies alone. */
void policy_set_init(struct policy_set *s, const struct policy *p, unsigned ways, uint64_t seed);
/* Whether the line was there; *victim (may be NULL) is the line that left for it, or POLICY_NONE. */
bool policy_set_access(struct policy_set *s, uint32_t line, uint32_t *victim);
/* Loads after which a set is in the same state whatever it was before, or in one of few, under each of these policies:
 * `ways` lines until they all hit, then all `lines` (more than the ways), the others first. Writes the line numbers,
 * POLICY_RESET(ways, lines) of them. */
#define POLICY_RESET(ways, lines) (4 * ((size_t)(ways) + (lines)))
void policy_reset_loads(unsigned ways, unsigned lines, uint32_t *line);
/* Takes the line out, if it is there. */
void policy_set_drop(struct policy_set *s, uint32_t line);

#endif
