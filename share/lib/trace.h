/* A trace: accesses to one buffer in the order in which they happen, each by an SM. Made by a pattern or read from a
 * table "step sm offset bytes kind" (l2tsv(5)). */
#ifndef L2_TRACE_H
#define L2_TRACE_H

#include <stddef.h>
#include <stdint.h>

/* Kinds of access; trace_kinds has the names that files carry. */
enum trace_kind {
    TRACE_LOAD,
    TRACE_LOAD_FIRST, /* to be evicted first, last */
    TRACE_LOAD_LAST,
    TRACE_STORE,
    TRACE_STORE_FIRST,
    TRACE_STORE_LAST,
    TRACE_ATOM,
    TRACE_RED, /* an atomic that returns nothing */
    TRACE_KINDS
};
extern const char
    *const trace_kinds[]; /* "cg", "evict_first", ... as in collect/access.c; ends with NULL */

struct access {
    uint64_t offset; /* into the buffer */
    uint32_t bytes;  /* 1 to TRACE_BYTES */
    uint16_t sm;
    uint8_t kind; /* enum trace_kind */
};

#define TRACE_BYTES   128 /* most bytes of one access */
#define TRACE_COLUMNS "step sm offset bytes kind"

struct trace {
    struct access *a;
    size_t n, cap;
    uint64_t bytes; /* of the buffer that it needs */
    unsigned sms;   /* its SMs are below this */
};

/* Whether the answer (hit or miss) of such an access can be seen: loads and atomics that return a value. */
static inline int trace_answers(uint8_t kind)
{
    return kind <= TRACE_LOAD_LAST || kind == TRACE_ATOM;
}
/* Reads a table; rows in the order of their steps, which must rise. Exits 1 when it can't. */
void xtrace_read(struct trace *t, const char *file);
void trace_free(struct trace *t);

#endif
