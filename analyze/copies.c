/* Scenes found again by their parameters; models as two lists of lines in order of use. */
#include "copies.h"
#include "../share/lib/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WAYS = 64, LINES = 4096, CONTROL_LINES = 64 };

static bool same_scene(const struct copy_scene *s, const struct scene *t, unsigned ways)
{
    return s->scene.what == t->what && s->scene.touches == t->touches && s->scene.near == t->near &&
           s->scene.far == t->far && s->scene.each == t->each && s->ways == ways;
}

struct copy_scene *copy_scene_of(struct copy_scenes *all, const struct scene *s, unsigned ways)
{
    struct scene_step step[SCENE_STEPS];
    struct copy_scene *c;
    size_t n;

    for (size_t i = 0; i < all->n; i++) {
        c = &all->s[(all->last + i) % all->n];
        if (same_scene(c, s, ways)) {
            all->last = (size_t)(c - all->s);
            return c;
        }
    }
    n = ways <= MOST_WAYS ? scene_steps(s, ways, step) : 0;
    if (n == 0)
        return NULL;
    all->s = xgrow(all->s, all->n, &all->cap, sizeof *all->s);
    all->last = all->n;
    c = &all->s[all->n++];
    *c = (struct copy_scene){.scene = *s, .ways = ways, .answer = xcalloc(n, sizeof *c->answer)};
    for (size_t i = 0; i < n; i++)
        if (step[i].report)
            c->answer[c->n++] =
                (struct copy_answer){(uint16_t)i, step[i].line, step[i].lines, step[i].other, {0}};
    return c;
}

struct copy_answer *copy_answer_at(struct copy_scene *s, uint64_t step)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->answer[i].step == step)
            return &s->answer[i];
    return NULL;
}

void copy_scenes_free(struct copy_scenes *all)
{
    for (size_t i = 0; i < all->n; i++)
        free(all->s[i].answer);
    free(all->s);
}

struct copy_model copy_model_at(size_t k)
{
    return (struct copy_model){(enum copy_alloc)(k / 8), k & 1, k & 2, k & 4};
}

void copy_model_name(const struct copy_model *m, char *name)
{
    static const char *const alloc[] = {"first", "second", "home_hit", "never"};

    if (m->alloc == ALLOC_NEVER)
        snprintf(name, 32, "never");
    else
        snprintf(name, 32, "%s,%s,%s,%s", alloc[m->alloc], m->low ? "low" : "high",
                 m->drop ? "dropped" : "kept", m->apart ? "apart" : "shared");
}

/* Lines of a set, the most recent first. */
struct order {
    uint16_t line[MOST_WAYS + 1];
    unsigned n;
};

enum { NOTHING = 0xffff };

static unsigned place(const struct order *o, uint16_t line)
{
    unsigned i = 0;

    while (i < o->n && o->line[i] != line)
        i++;
    return i;
}

static void take_out(struct order *o, unsigned at)
{
    o->n--;
    memmove(o->line + at, o->line + at + 1, (o->n - at) * sizeof *o->line);
}

static void put_in(struct order *o, unsigned at, uint16_t line)
{
    memmove(o->line + at + 1, o->line + at, (o->n - at) * sizeof *o->line);
    o->line[at] = line;
    o->n++;
}

static bool hit(struct order *o, uint16_t line)
{
    unsigned at = place(o, line);

    if (at == o->n)
        return false;
    take_out(o, at);
    put_in(o, 0, line);
    return true;
}

/* Room is made at the low end; returns the line that left. */
static uint16_t fill(struct order *o, unsigned ways, uint16_t line, bool low)
{
    uint16_t left = NOTHING;

    if (o->n == ways)
        left = o->line[--o->n];
    put_in(o, low ? o->n : 0, line);
    return left;
}

struct theatre {
    const struct copy_model *m;
    unsigned ways;
    struct order own, apart, home;
    bool seen[LINES]; /* remote lines at home that the own side has loaded */
};

static struct order *copies_of(struct theatre *t)
{
    return t->m->apart ? &t->apart : &t->own;
}

/* Remote line k is number LINES + k in every order, so that it differs from home lines. */
static bool at_home(struct theatre *t, uint16_t line)
{
    uint16_t left;

    if (hit(&t->home, line))
        return true;
    left = fill(&t->home, t->ways, line, false);
    t->seen[line - LINES] = false;
    if (left != NOTHING && t->m->drop) {
        struct order *c = copies_of(t);
        unsigned at = place(c, left);

        if (at < c->n)
            take_out(c, at);
    }
    return false;
}

static enum copy_level load_remote(struct theatre *t, uint16_t line)
{
    bool had, again;

    if (hit(copies_of(t), line))
        return COPY_OWN;
    had = at_home(t, line);
    again = t->seen[line - LINES];
    t->seen[line - LINES] = true;
    if (t->m->alloc == ALLOC_FIRST || (t->m->alloc == ALLOC_SECOND && again) ||
        (t->m->alloc == ALLOC_HOME_HIT && had))
        fill(copies_of(t), t->ways, line, t->m->low);
    return had ? COPY_HOME : COPY_MEMORY;
}

static enum copy_level one_step(struct theatre *t, const struct scene_step *s)
{
    uint16_t remote = (uint16_t)(LINES + s->line);

    if (s->lines == SCENE_CONTROL)
        return COPY_OWN;
    if (s->lines == SCENE_REMOTE && s->other)
        return at_home(t, remote) ? COPY_OWN : COPY_MEMORY;
    if (s->lines == SCENE_REMOTE)
        return load_remote(t, remote);
    if (hit(&t->own, s->line))
        return COPY_OWN;
    fill(&t->own, t->ways, s->line, false);
    return COPY_MEMORY;
}

void copy_model_play(const struct copy_model *m, unsigned ways, const struct scene_step *step,
                     size_t n, uint8_t *level)
{
    struct theatre t = {.m = m, .ways = ways};

    for (size_t i = 0; i < n; i++)
        level[i] = (uint8_t)one_step(&t, &step[i]);
}

uint64_t copy_model_agree(const struct copy_model *m, const struct copy_scenes *all,
                          uint64_t *total)
{
    struct scene_step step[SCENE_STEPS];
    uint8_t level[SCENE_STEPS];
    uint64_t agree = 0;

    *total = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct copy_scene *s = &all->s[i];

        if (s->scene.what == SCENE_CONTROLLED)
            continue;
        copy_model_play(m, s->ways, step, scene_steps(&s->scene, s->ways, step), level);
        for (size_t k = 0; k < s->n; k++) {
            const struct copy_answer *a = &s->answer[k];

            agree += a->count[level[a->step]];
            *total += a->count[0] + a->count[1] + a->count[2];
        }
    }
    return agree;
}

struct copy_depth copy_depth_of(const struct copy_scenes *all, enum scene_case what,
                                unsigned touches, unsigned each)
{
    struct copy_depth d = {0};

    for (size_t i = 0; i < all->n; i++) {
        const struct copy_scene *s = &all->s[i];
        unsigned lines = s->scene.near + s->scene.far;
        const uint64_t *c = s->answer[0].count;
        double gone = (double)(c[1] + c[2]) / (double)(c[0] + c[1] + c[2]);

        if (s->scene.what != what || s->scene.touches != touches || s->scene.each != each)
            continue;
        d.n += c[0] + c[1] + c[2];
        if (gone > 0.05 && (d.first == 0 || lines < d.first))
            d.first = lines;
        if (gone > 0.5 && (d.half == 0 || lines < d.half))
            d.half = lines;
        if (gone > 0.95 && (d.all == 0 || lines < d.all))
            d.all = lines;
    }
    return d;
}
