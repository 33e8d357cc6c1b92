/* Copies of remote lines: counts of what was answered in each scene, and models that foresee it. Pure.
 *
 * The models keep true LRU order in both sides and differ in when the own side takes a copy, where in the order it enters,
 * whether it goes when its home line goes, and whether it shares the ways of the set with home lines. */
#ifndef L2_COPIES_H
#define L2_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../share/lib/policy.h"
#include "../share/lib/scene.h"

enum copy_level { COPY_OWN, COPY_HOME, COPY_MEMORY, COPY_LEVELS }; /* who answered */

/* One question of a scene and how often each level answered, over all sets and repeats. */
struct copy_answer {
    uint16_t step, line;
    uint8_t lines, other; /* as in struct scene_step */
    uint64_t count[COPY_LEVELS];
};

struct copy_scene {
    struct scene scene;
    unsigned ways;
    struct copy_answer *answer;
    size_t n;
};

struct copy_scenes {
    struct copy_scene *s;
    size_t n, cap, last;
};

/* The scene's counts, made with all its questions when it is new; NULL when it is none (steps do not fit). */
struct copy_scene *copy_scene_of(struct copy_scenes *all, const struct scene *s, unsigned ways);
/* The question at a step; NULL when the scene asks nothing there. */
struct copy_answer *copy_answer_at(struct copy_scene *s, uint64_t step);
void copy_scenes_free(struct copy_scenes *all);

enum copy_alloc { ALLOC_FIRST, ALLOC_SECOND, ALLOC_HOME_HIT, ALLOC_NEVER, ALLOC_KINDS };

struct copy_model {
    enum copy_alloc
        alloc;  /* at the first load, at the second one, at the first that the home had, never */
    bool low;   /* enters at the end that goes next */
    bool drop;  /* goes when the home evicts the line */
    bool apart; /* has ways of its own, as many again */
};
#define COPY_MODELS (ALLOC_KINDS * 8)

struct copy_model copy_model_at(size_t k); /* k < COPY_MODELS */
/* "first,high,kept,shared": written to name[32] */
void copy_model_name(const struct copy_model *m, char *name);
/* Who answers each step. Control lines are in sets of their own. */
void copy_model_play(const struct copy_model *m, unsigned ways, const struct scene_step *step,
                     size_t n, uint8_t *level);
/* How many of the answers a model foresees, control lines left out; *total: of how many. */
uint64_t copy_model_agree(const struct copy_model *m, const struct copy_scenes *all,
                          uint64_t *total);

/* How many of the same answers sets of this policy foresee, whose copies are as the model "first,high,kept,shared" says. */
uint64_t copy_policy_agree(const struct policy *policy, const struct copy_scenes *all);

/* Pushed out by how many lines: the least number after which over half of the answers were not COPY_OWN (`half`), over 5 %
 * (`first`), over 95 % (`all`); 0: never. */
struct copy_depth {
    unsigned first, half, all;
    uint64_t n;
};
struct copy_depth copy_depth_of(const struct copy_scenes *all, enum scene_case what,
                                unsigned touches, unsigned each);

#endif
