/* What is fetched at a time: the size of the aligned block around a touched address, and the smallest block that a
 * bandwidth shows. */
#ifndef L2_BLOCK_H
#define L2_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/* One address touched, another one timed. */
struct touch_probe {
    uint64_t touch, probe; /* bytes, in one address space */
    int hit;               /* the probe was fast */
};

struct block_fit {
    uint64_t size; /* bytes */
    size_t n;      /* probes */
    size_t wrong;  /* probes that contradict it */
    uint64_t
        lead; /* bytes that come along when the first step of them is touched, if more than size; else 0 */
    size_t lead_n;  /* probes beyond the touch's block that show it */
    uint64_t rival; /* the next best size */
    size_t rival_wrong;
};

/* The size of which the fewest probes disagree with "a probe hits if it lies in the touch's block of so many bytes, aligned
 * to its size". Sizes are step, 2 step, ... most. -1 when nothing fits: more than 5 % disagree, or another size does as
 * well. Where all probes of the rest of two blocks hit after a touch of the first step of both, and LEAD_LEAST at least,
 * that is no contradiction but lead. */
#define LEAD_LEAST 3
int block_from_touches(const struct touch_probe *t, size_t n, uint64_t step, uint64_t most,
                       struct block_fit *f);

/* Time of one period when only `take` of every `every` bytes are read. */
struct partial_time {
    uint64_t take, every; /* bytes */
    double time;          /* any unit */
};

struct block_bound {
    uint64_t size; /* 0: none found */
    double
        half; /* time of half of the block, relative to all of it: 1 where the rest comes along; nan: not measured */
    double
        twice; /* time of the block relative to a period of two: half where nothing comes along */
};

/* The smallest take that, read out of every two, saves time (less than PARTIAL_SAVES of all), while half of it saves none.
 * -1 when no take does, or when half of it saves time, too, or was not measured (then size is an upper bound). */
#define PARTIAL_SAVES 0.75
int block_from_partial(const struct partial_time *p, size_t n, struct block_bound *b);

#endif
