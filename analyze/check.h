/* What is wrong with a run: facts of an archive, and rules over them, a table of {name, function, words}. */
#ifndef L2_CHECK_H
#define L2_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../share/lib/prov.h"

enum { CHECK_BINS = 8192, CHECK_SIGHT = 320 };

/* The timed loads of one working set. */
struct check_size {
    double size, seq;
    double n, sum;             /* all passes */
    double first_n, first_sum; /* pass 0 */
    uint32_t *bins;            /* accesses by cycles, the last bin holds more */
};

/* One combination of parameters of bandwidth. */
struct check_stream {
    char *key; /* operation and all parameters */
    double size, least, most, n;
    bool read, plain; /* plain: whole lines */
};

struct check_facts {
    const char *file;
    const struct prov *prov;
    bool latency, clock, bandwidth, evict, stride, contend, other; /* experiments in the file */
    double l2;                                                     /* bytes by the driver, or nan */

    struct check_size *size; /* ascending; rows with timing=each */
    size_t nsize, size_cap;
    bool through_l1, several_passes;

    struct check_stream *stream;
    size_t nstream, stream_cap;

    double accesses, instant; /* of all experiments: how many, and in 0 or 1 cycle */
    double timer_n, timer_sum;

    size_t targets, verified; /* of evict */
    bool strided, spike;      /* of stride */
    double widest;
    bool compared, told_apart; /* of contend: pairs of lines, classes that may be counted */
};

/* Reads a file's rows. `end` is what check_end said of it. */
void xfacts_read(struct check_facts *f, const char *file, struct prov *prov);
void facts_free(struct check_facts *f);
/* The last line of a file (through gzip -dc when it is compressed): 0, or -1 when it has none or gzip fails. */
int check_end(const char *file, char *last, size_t size);

/* A number of the '#' lines, the first one of a key; nan when there is none. */
double facts_key(const struct check_facts *f, const char *key);
double check_quantile(const struct check_size *s, double q);

enum check_severity { CHECK_WARNING, CHECK_ERROR };
extern const char *const check_severities[];

/* Writes what it sees into sight and says whether that is trouble; may put other words than the table's into *cause. */
struct check_rule {
    const char *name;
    enum check_severity severity;
    bool (*see)(const struct check_facts *f, char *sight, const char **cause);
    const char *cause, *advice;
};
extern const struct check_rule check_rules[]; /* ends with name NULL */

/* The rules that look at latency rows, for the table. */
bool check_l1(const struct check_facts *f, char *sight, const char **cause);
bool check_spread(const struct check_facts *f, char *sight, const char **cause);
bool check_cold(const struct check_facts *f, char *sight, const char **cause);
bool check_drift(const struct check_facts *f, char *sight, const char **cause);
bool check_no_knee(const struct check_facts *f, char *sight, const char **cause);
bool check_translation(const struct check_facts *f, char *sight, const char **cause);

#endif
