/* The scenes on sets of a given policy, the copies as the model "first,high,kept,shared" has them: a copy is a line like any
 * other. Sets begin empty; the scenes fill them before they ask. */
#include "copies.h"

#include <stdlib.h>

#include "../share/lib/mem.h"

enum {
    REMOTE = 1 << 16
}; /* numbers of remote lines, so that they differ from those of home lines */

struct pair_of_sets {
    struct policy_set own, home;
};

static enum copy_level one_step(struct pair_of_sets *p, const struct scene_step *s)
{
    uint32_t remote = REMOTE + s->line;

    if (s->lines == SCENE_CONTROL)
        return COPY_OWN;
    if (s->lines == SCENE_HOME)
        return policy_set_access(&p->own, s->line, NULL) ? COPY_OWN : COPY_MEMORY;
    if (s->other)
        return policy_set_access(&p->home, remote, NULL) ? COPY_OWN : COPY_MEMORY;
    if (policy_set_access(&p->own, remote, NULL))
        return COPY_OWN;
    return policy_set_access(&p->home, remote, NULL) ? COPY_HOME : COPY_MEMORY;
}

uint64_t copy_policy_agree(const struct policy *policy, const struct copy_scenes *all)
{
    struct scene_step *step = xmalloc(SCENE_STEPS * sizeof *step);
    uint8_t level[SCENE_STEPS];
    uint64_t agree = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct copy_scene *s = &all->s[i];
        size_t n = scene_steps(&s->scene, s->ways, step);
        struct pair_of_sets p;

        if (s->scene.what == SCENE_CONTROLLED || s->ways > POLICY_WAYS)
            continue;
        policy_set_init(&p.own, policy, s->ways, 1);
        policy_set_init(&p.home, policy, s->ways, 2);
        for (size_t k = 0; k < n; k++)
            level[k] = (uint8_t)one_step(&p, &step[k]);
        for (size_t k = 0; k < s->n; k++)
            agree += s->answer[k].count[level[s->answer[k].step]];
    }
    free(step);
    return agree;
}
