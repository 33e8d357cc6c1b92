/* Provenance: the '#' lines that travel with data. A line is "#KEY VALUE"; l2tsv(5) lists the keys. */
#ifndef L2_PROV_H
#define L2_PROV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct prov {
    char **line; /* each starts with '#', without the newline; no line twice */
    size_t n, cap;
};

void prov_add(struct prov *p, const char *line, size_t len);
void prov_addf(struct prov *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The k-th different value of a key, NULL after the last: prov_get(p, "device", 0). */
const char *prov_get(const struct prov *p, const char *key, size_t k);
/* The first value of a key, nan when there is none or it is no number. */
double prov_number(const struct prov *p, const char *key);
/* Whether any table read came from a simulated device. */
bool prov_simulated(const struct prov *p);

/* "#by l2stat 0.1.0: l2stat -g size run.tsv": this program's own line; words are quoted as a shell would need. */
void prov_command(struct prov *p, int argc, char *const *argv);
void prov_write(FILE *to, const struct prov *p);
void prov_free(struct prov *p);

#endif
