/* Allocation that ends the program with one line when there is no memory left. */
#include "mem.h"
#include "cli.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *must(void *p, size_t bytes)
{
    if (p == NULL && bytes > 0)
        xdie(EXIT_FAILED, "out of memory: %zu bytes", bytes);
    return p;
}

void *xmalloc(size_t bytes)
{
    return must(malloc(bytes), bytes);
}

void *xmalloc_large(size_t bytes)
{
    size_t large = 2u << 20, unit = bytes < large ? 64 : large;
    size_t room = (bytes + unit - 1) / unit * unit;
    void *p = must(aligned_alloc(unit, room), room);

    if (unit == large)
        (void)madvise(p, room, MADV_HUGEPAGE);
    return p;
}

void *xcalloc(size_t n, size_t bytes)
{
    return must(calloc(n, bytes), n * bytes);
}

void *xrealloc(void *old, size_t n, size_t bytes)
{
    if (bytes != 0 && n > SIZE_MAX / bytes)
        xdie(EXIT_FAILED, "out of memory: %zu times %zu bytes", n, bytes);
    return must(realloc(old, n * bytes), n * bytes);
}

char *xstrdup(const char *s)
{
    return xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t len)
{
    char *copy = xmalloc(len + 1);

    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

char *xprintf(const char *fmt, ...)
{
    va_list ap;
    int len;
    char *s;

    va_start(ap, fmt);
    len = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (len < 0)
        xdie(EXIT_FAILED, "cannot format '%s'", fmt);
    s = xmalloc((size_t)len + 1);
    va_start(ap, fmt);
    vsnprintf(s, (size_t)len + 1, fmt, ap);
    va_end(ap);
    return s;
}

void *xgrow(void *array, size_t n, size_t *cap, size_t bytes)
{
    if (n < *cap)
        return array;
    *cap = *cap == 0 ? 16 : *cap * 2;
    return xrealloc(array, *cap, bytes);
}
