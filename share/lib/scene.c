/* The steps of each scene, from a few parts: cold, loads in a row, questions. */
#include "scene.h"

#include <string.h>

const char *const scene_lines_names[] = {"remote", "home", "control"};
const char *const scene_names[] = {"alloc_miss", "alloc_hit", "depth_home", "depth_far", "drop",
                                   "gone",       "same",      "control",    "mix"};

struct play {
    struct scene_step *step;
    size_t n;
};

enum { OWN, OTHER };

static void load(struct play *p, unsigned who, unsigned lines, unsigned line, unsigned times)
{
    for (unsigned k = 0; k < times && p->n < SCENE_STEPS; k++)
        p->step[p->n++] = (struct scene_step){(uint8_t)who, (uint8_t)lines, (uint16_t)line, false};
}

static void load_many(struct play *p, unsigned who, unsigned lines, unsigned from, unsigned count,
                      unsigned times)
{
    for (unsigned i = 0; i < count; i++)
        load(p, who, lines, from + i, times);
}

static void ask(struct play *p, unsigned who, unsigned lines, unsigned line)
{
    load(p, who, lines, line, 1);
    p->step[p->n - 1].report = true;
}

/* Remote line 0 is in neither side; the own side's set is full of home lines 0 .. ways - 1. */
static void cold(struct play *p, unsigned ways)
{
    for (unsigned pass = 0; pass < 2; pass++)
        load_many(p, OTHER, SCENE_REMOTE, 1, ways + 2, 2);
    for (unsigned pass = 0; pass < 2; pass++)
        load_many(p, OWN, SCENE_HOME, 0, ways, 2);
}

static void mix(struct play *p, const struct scene *s, unsigned ways)
{
    for (unsigned pass = 0; pass < s->each; pass++) {
        load_many(p, OWN, SCENE_HOME, ways, s->near, 2);
        load_many(p, OWN, SCENE_REMOTE, 1, s->far, 2);
    }
    for (unsigned i = 0; i < s->near; i++)
        ask(p, OWN, SCENE_HOME, ways + i);
    for (unsigned i = 0; i < s->far; i++)
        ask(p, OWN, SCENE_REMOTE, 1 + i);
}

static void one_line(struct play *p, const struct scene *s, unsigned ways, unsigned lines,
                     unsigned line)
{
    load(p, OWN, lines, line, 2);
    load_many(p, OWN, SCENE_HOME, ways, s->near, 1);
    ask(p, OWN, lines, line);
}

/* The home has remote line 0; the own SM has loaded it, so that its side may have a copy. */
static void copied(struct play *p, const struct scene *s)
{
    load(p, OTHER, SCENE_REMOTE, 0, 1);
    load(p, OWN, SCENE_REMOTE, 0, s->touches);
}

size_t scene_steps(const struct scene *s, unsigned ways, struct scene_step *step)
{
    struct play p = {step, 0};

    if ((size_t)8 * ways + (size_t)s->touches + 4 * ((size_t)s->near + s->far + 8) * s->each +
            s->near + s->far >=
        SCENE_STEPS)
        return 0;
    cold(&p, ways);
    switch (s->what) {
    case SCENE_ALLOC_HIT:
        load(&p, OTHER, SCENE_REMOTE, 0, 2); /* fall through */
    case SCENE_ALLOC_MISS:
        for (unsigned k = 0; k < 4; k++)
            ask(&p, OWN, SCENE_REMOTE, 0);
        break;
    case SCENE_DEPTH_HOME:
    case SCENE_DEPTH_FAR:
        copied(&p, s);
        load_many(&p, OWN, SCENE_HOME, ways, s->near, s->each);
        load_many(&p, OWN, SCENE_REMOTE, 1, s->far, s->each);
        ask(&p, OWN, SCENE_REMOTE, 0);
        break;
    case SCENE_DROP:
    case SCENE_GONE:
        copied(&p, s);
        load_many(&p, OTHER, SCENE_REMOTE, 1, s->far, s->each);
        ask(&p, s->what == SCENE_GONE ? OTHER : OWN, SCENE_REMOTE, 0);
        break;
    case SCENE_SAME:
        one_line(&p, s, ways, SCENE_REMOTE, s->far);
        break;
    case SCENE_CONTROLLED:
        one_line(&p, s, ways, SCENE_CONTROL, s->far);
        break;
    case SCENE_MIX:
        mix(&p, s, ways);
        break;
    }
    return p.n;
}

unsigned scene_case_of(const char *name)
{
    unsigned k = 0;

    while (k < SCENE_CASES && strcmp(name, scene_names[k]) != 0)
        k++;
    return k;
}

void scene_needs(const struct scene *s, unsigned ways, unsigned *home, unsigned *remote)
{
    *home = ways + s->near;
    *remote = s->what != SCENE_CONTROLLED && s->far > ways + 2 ? s->far + 1 : ways + 3;
}
