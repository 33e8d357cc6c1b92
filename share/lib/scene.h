/* Scenes of the experiment `copies`: what two SMs of different sides do to a line and to lines that share its sets. The
 * experiment plays them on a device, l2copies on models; both take the steps from here, so that a row that names its scene
 * says all that happened before it.
 *
 * The lines: remote line 0 is the one in question; it and remote lines 1.. have their home on the other side, in one set.
 * Home lines 0.. have their home on the own side, in the set where the own side keeps its copy of remote line 0. Control
 * lines are remote lines of any set. */
#ifndef L2_SCENE_H
#define L2_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scene_lines { SCENE_REMOTE, SCENE_HOME, SCENE_CONTROL };
extern const char *const scene_lines_names[]; /* "remote", "home", "control" */

enum scene_case {
    SCENE_ALLOC_MISS, /* nobody has remote 0; the own SM loads it four times, each reported */
    SCENE_ALLOC_HIT,  /* the same, its home has it */
    SCENE_DEPTH_HOME, /* the own SM loads remote 0 `touches` times, then `near` home lines `each` times; remote 0? */
    SCENE_DEPTH_FAR, /* the same with `far` other remote lines */
    SCENE_DROP, /* the own SM holds a copy; the other SM loads `far` lines of its home's set; the own SM asks */
    SCENE_GONE, /* the same; the other SM asks: does the home still have it? */
    SCENE_SAME, /* the own SM loads remote line `far` twice, then `near` home lines, then asks for it */
    SCENE_CONTROLLED, /* the same with control line `far` */
    SCENE_MIX /* `near` home and `far` remote lines in turn, loaded `each` times; then all are asked for */
};
#define SCENE_CASES 9
extern const char *const scene_names[]; /* "alloc_miss", ... */

struct scene {
    enum scene_case what;
    unsigned touches, near, far, each;
};

struct scene_step {
    uint8_t other; /* 1: by the SM of the other side */
    uint8_t lines; /* enum scene_lines */
    uint16_t line;
    bool report;
};

#define SCENE_STEPS 2048

/* The steps of a scene over sets of `ways` lines, written to step[SCENE_STEPS]; how many, or 0 when the scene does not fit.
 * First of all, remote line 0 is taken out of both sides, by `ways` + 2 remote and `ways` home lines. New home lines are those from
 * number `ways` on. */
size_t scene_steps(const struct scene *s, unsigned ways, struct scene_step *step);
/* The case of a name; SCENE_CASES when there is none. */
unsigned scene_case_of(const char *name);
/* How many home and remote lines (with line 0) a scene needs. */
void scene_needs(const struct scene *s, unsigned ways, unsigned *home, unsigned *remote);

#endif
