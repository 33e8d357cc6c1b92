/* Memory that is there or the program ends: no caller checks for NULL. */
#ifndef L2_MEM_H
#define L2_MEM_H

#include <stddef.h>

void *xmalloc(size_t bytes);
/* For arrays that are met in random order: in large pages of the host, where it has them. */
void *xmalloc_large(size_t bytes);
void *xcalloc(size_t n, size_t bytes);
void *xrealloc(void *old, size_t n, size_t bytes);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t len);
char *xprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Makes room for one more element: doubles *cap when n reaches it, and returns the array, moved perhaps. */
void *xgrow(void *array, size_t n, size_t *cap, size_t bytes);

#endif
