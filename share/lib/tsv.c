/* The reader of l2tsv(5): large reads, memchr for lines, one pass for fields, nothing copied. */
#include "tsv.h"
#include "cli.h"
#include "mem.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 1 << 17, WORD = sizeof(uint64_t) };

struct tsv_source {
    char *const *files; /* what is still to be opened */
    int fd;             /* -1 between files */
    pid_t unzip;        /* gzip's process, 0 if none */
    char *buf;
    size_t cap, at, fill; /* buf[at..fill) is unread; a word of space follows buf[cap] */
    size_t whole;         /* buf[at..whole) holds whole lines */
    bool eof, nul;        /* nul: there is a NUL byte in the buffer */
    bool tagged;          /* this table began with #l2tsv */
    bool ended;           /* this table's #end was seen */
    bool need_header;     /* the next plain line is a header */
    bool any_header;
    uint64_t rows; /* rows of this table */
    char *header;  /* the last header line, to recognise it again */
    size_t header_len;
    char *only_stdin[2];
    size_t field_cap;
};

void xtsv_bad_line(const struct tsv *t, const char *fmt, ...)
{
    char message[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    xdie(EXIT_FAILED, "%s:%" PRIu64 ": %s", t->file, t->line, message);
}

void xtsv_bad(const struct tsv *t, size_t column, const char *message)
{
    const struct field *f = &t->field[column];

    xtsv_bad_line(t, "column %s: %s: '%.*s'", t->column[column], message,
                  (int)(f->len > 200 ? 200 : f->len), f->ptr);
}

/* Puts gzip between the file and us when the file begins with gzip's two magic bytes. */
static void maybe_unzip(struct tsv *t)
{
    struct tsv_source *s = t->source;
    unsigned char magic[2];
    int to_us[2];

    if (pread(s->fd, magic, 2, 0) != 2 || magic[0] != 0x1f || magic[1] != 0x8b)
        return;
    if (pipe(to_us) != 0 || (s->unzip = fork()) < 0)
        xdie(EXIT_FAILED, "%s: cannot start gzip: %s", t->file, strerror(errno));
    if (s->unzip == 0) {
        dup2(s->fd, STDIN_FILENO);
        dup2(to_us[1], STDOUT_FILENO);
        close(to_us[0]);
        execlp("gzip", "gzip", "-dc", (char *)NULL);
        _exit(127);
    }
    close(to_us[1]);
    close(s->fd);
    s->fd = to_us[0];
}

static bool open_next(struct tsv *t)
{
    struct tsv_source *s = t->source;

    if (*s->files == NULL)
        return false;
    t->file = *s->files++;
    t->line = 0;
    if (strcmp(t->file, "-") == 0)
        t->file = "stdin", s->fd = STDIN_FILENO;
    else if ((s->fd = open(t->file, O_RDONLY | O_CLOEXEC)) < 0)
        xdie(EXIT_FAILED, "%s: %s", t->file, strerror(errno));
    maybe_unzip(t);
    s->eof = s->tagged = s->ended = s->nul = false;
    s->need_header = true;
    s->rows = 0;
    s->at = s->fill = s->whole = 0;
    return true;
}

static void close_file(struct tsv *t)
{
    struct tsv_source *s = t->source;
    int status = 0;

    if (s->fd != STDIN_FILENO)
        close(s->fd);
    s->fd = -1;
    if (s->unzip != 0 && (waitpid(s->unzip, &status, 0) < 0 || status != 0))
        xdie(EXIT_FAILED, "%s: gzip failed: the file is damaged or gzip is not installed", t->file);
    s->unzip = 0;
}

/* Reads more behind what is unread; moves that to the front, grows the buffer for a long line. */
static void refill(struct tsv *t)
{
    struct tsv_source *s = t->source;
    const char *last;
    ssize_t got;

    memmove(s->buf, s->buf + s->at, s->fill - s->at);
    s->fill -= s->at;
    s->at = 0;
    if (s->cap - s->fill < CHUNK) {
        s->cap = s->cap * 2 + CHUNK;
        s->buf = xrealloc(s->buf, s->cap + WORD, 1);
    }
    while ((got = read(s->fd, s->buf + s->fill, CHUNK)) < 0 && errno == EINTR)
        ;
    if (got < 0)
        xdie(EXIT_FAILED, "%s: %s", t->file, strerror(errno));
    if (got == 0)
        s->eof = true;
    else if (memchr(s->buf + s->fill, '\0', (size_t)got) != NULL)
        s->nul = true;
    s->fill += (size_t)got;
    last = memrchr(s->buf, '\n', s->fill);
    s->whole = last != NULL ? (size_t)(last + 1 - s->buf) : 0;
}

/* What a file must not begin with: other encodings of text, and compressed data that could not be seen ahead. */
static void check_start(struct tsv *t)
{
    struct tsv_source *s = t->source;
    const char *from = s->buf + s->at;
    size_t len = s->fill - s->at;

    if (len >= 2 && memcmp(from, "\x1f\x8b", 2) == 0)
        xtsv_bad_line(t, "compressed data on a pipe: put gzip -dc before it");
    if (len >= 3 && memcmp(from, "\xef\xbb\xbf", 3) == 0)
        xtsv_bad_line(t, "byte order mark: remove the first three bytes (sed '1s/^...//')");
    if (len >= 2 && (memcmp(from, "\xff\xfe", 2) == 0 || memcmp(from, "\xfe\xff", 2) == 0))
        xtsv_bad_line(t, "UTF-16 text: convert it with iconv -f UTF-16 -t UTF-8");
}

/* The next line without its newline; false at the end of the file. */
static bool next_line(struct tsv *t, char **line, size_t *len)
{
    struct tsv_source *s = t->source;
    size_t seen = 0;
    char *end;

    while ((end = memchr(s->buf + s->at + seen, '\n', s->fill - s->at - seen)) == NULL) {
        seen = s->fill - s->at;
        if (s->eof)
            break;
        refill(t);
    }
    if (end == NULL && seen == 0)
        return false;
    if (t->line++ == 0)
        check_start(t);
    *line = s->buf + s->at;
    *len = end != NULL ? (size_t)(end - *line) : seen;
    s->at += *len + (end != NULL);
    if (s->nul && memchr(*line, '\0', *len) != NULL)
        xtsv_bad_line(t, "NUL byte: this is not a text file");
    if (*len > 0 && (*line)[*len - 1] == '\r')
        xtsv_bad_line(t, "line ends in CR LF: convert it with dos2unix");
    if (end == NULL && (*line)[0] != '#')
        cli_warn("%s:%" PRIu64 ": no newline at the end: the file may be cut off", t->file,
                 t->line);
    return true;
}

static void incomplete(struct tsv *t, const char *why)
{
    t->incomplete = true;
    if (t->strict)
        xdie(EXIT_FAILED, "%s: incomplete: %s", t->file, why);
    cli_warn("%s: incomplete: %s", t->file, why);
    prov_addf(&t->prov, "#incomplete %s: %s", t->file, why);
}

/* One table is over: by #end, by the next #l2tsv or by the end of the file. */
static void end_table(struct tsv *t)
{
    struct tsv_source *s = t->source;

    if (s->tagged && !s->ended)
        incomplete(t, "truncated: no #end line");
    s->tagged = false;
    s->need_header = true;
    s->rows = 0;
}

static void read_end_line(struct tsv *t, const char *line, size_t len)
{
    struct tsv_source *s = t->source;
    char text[256], why[400];
    const char *status;
    uint64_t rows = 0;

    snprintf(text, sizeof text, "%.*s", (int)(len < sizeof text ? len : sizeof text - 1), line);
    s->ended = true;
    if (sscanf(text, "#end rows=%" SCNu64, &rows) != 1)
        xtsv_bad_line(t, "not of the form '#end rows=N status=...': '%s'", text);
    status = strstr(text, "status=");
    if (status == NULL)
        status = "status=unknown";
    if (strcmp(status, "status=ok") != 0) {
        snprintf(why, sizeof why, "its #end line says %s", status + strlen("status="));
        incomplete(t, why);
    } else if (rows != s->rows) {
        snprintf(why, sizeof why, "#end says %" PRIu64 " rows, there are %" PRIu64, rows, s->rows);
        incomplete(t, why);
    }
    end_table(t);
}

static bool starts(const char *line, size_t len, const char *with)
{
    size_t n = strlen(with);

    return len >= n && memcmp(line, with, n) == 0 && (len == n || line[n] == ' ');
}

static void read_hash_line(struct tsv *t, const char *line, size_t len)
{
    struct tsv_source *s = t->source;

    if (starts(line, len, "#l2tsv")) {
        end_table(t);
        s->tagged = true;
        s->ended = false;
        if (len < 8 || strtol(line + 7, NULL, 10) != 1)
            xtsv_bad_line(t, "this program reads format 1: '%.*s'", (int)(len > 80 ? 80 : len),
                          line);
    } else if (starts(line, len, "#end")) {
        read_end_line(t, line, len);
    } else {
        prov_add(&t->prov, line, len);
    }
}

/* Splits at TABs into t->field; returns how many fields the line has. */
static size_t split(struct tsv *t, const char *line, size_t len)
{
    const char *at = line, *end = line + len;
    size_t n = 0;

    for (;;) {
        const char *stop = at;

        while (stop < end && *stop != '\t')
            stop++;
        if (n == t->source->field_cap)
            t->field = xgrow(t->field, n, &t->source->field_cap, sizeof *t->field);
        t->field[n++] = (struct field){at, (size_t)(stop - at)};
        if (stop == end)
            return n;
        at = stop + 1;
    }
}

static void free_columns(struct tsv *t)
{
    for (size_t i = 0; i < t->ncolumn; i++)
        free(t->column[i]);
    free(t->column);
    t->column = NULL;
    t->ncolumn = 0;
}

static void take_header(struct tsv *t, const char *line, size_t len)
{
    struct tsv_source *s = t->source;

    free_columns(t);
    t->ncolumn = split(t, line, len);
    t->column = xcalloc(t->ncolumn, sizeof *t->column);
    for (size_t i = 0; i < t->ncolumn; i++) {
        if (t->field[i].len == 0)
            xtsv_bad_line(t, "column %zu of the header has no name", i + 1);
        t->column[i] = xstrndup(t->field[i].ptr, t->field[i].len);
        for (size_t j = 0; j < i; j++)
            if (strcmp(t->column[i], t->column[j]) == 0)
                xtsv_bad_line(t, "two columns have the name '%s'", t->column[i]);
    }
    free(s->header);
    s->header = xstrndup(line, len);
    s->header_len = len;
}

/* Whether the header is a new one for the caller. */
static bool read_header(struct tsv *t, const char *line, size_t len)
{
    struct tsv_source *s = t->source;
    bool first = !s->any_header;

    s->need_header = false;
    t->table++;
    if (!first && len == s->header_len && memcmp(line, s->header, len) == 0)
        return false;
    if (!first && !t->many_tables)
        xtsv_bad_line(t, "its columns differ from those of the table before: '%.*s'",
                      (int)(len > 200 ? 200 : len), line);
    take_header(t, line, len);
    s->any_header = true;
    return true;
}

static void read_row(struct tsv *t, const char *line, size_t len)
{
    size_t n = split(t, line, len);

    if (n != t->ncolumn)
        xtsv_bad_line(t, "%s row: %zu fields, the header has %zu",
                      n < t->ncolumn ? "short" : "long", n, t->ncolumn);
    for (size_t i = 0; i < n; i++)
        if (t->field[i].len == 0)
            xtsv_bad(t, i, "empty field");
    t->source->rows++;
}

static bool repeats_header(const struct tsv_source *s, const char *line, size_t len)
{
    return !s->tagged && len == s->header_len && memcmp(line, s->header, len) == 0;
}

/* 0x80 in each byte of w that equals the byte which `all` repeats (H. Warren, "Hacker's Delight", 2012, section 6-1). */
static uint64_t equal_bytes(uint64_t w, uint64_t all)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;

    w ^= all;
    return ~(((w & low) + low) | w | low);
}

/* Splits a line of which the newline is in the buffer, a word at a time; false if it is no good row. */
static bool split_whole(struct tsv *t, const char *at, const char **end)
{
    struct field *f = t->field, *stop = f + t->ncolumn;

    for (const char *p = at;; p += WORD) {
        uint64_t w, hit;

        memcpy(&w, p, WORD);
        w = le64toh(w);
        hit = equal_bytes(w, 0x0909090909090909) | equal_bytes(w, 0x0a0a0a0a0a0a0a0a);
        for (; hit != 0; hit &= hit - 1) {
            *end = p + __builtin_ctzll(hit) / 8;
            if (f == stop || *end == at)
                return false;
            *f++ = (struct field){at, (size_t)(*end - at)};
            if (**end == '\n')
                return f == stop;
            at = *end + 1;
        }
    }
}

/* The quick way to a row: one pass finds its end and its fields. Whatever is unusual or wrong is left to the slow way,
 * which says what it is. */
static bool quick_row(struct tsv *t)
{
    struct tsv_source *s = t->source;
    const char *line = s->buf + s->at, *end;

    if (s->at >= s->whole || s->need_header || s->nul || *line == '#' ||
        !split_whole(t, line, &end) || end[-1] == '\r' ||
        repeats_header(s, line, (size_t)(end - line)))
        return false;
    s->at = (size_t)(end + 1 - s->buf);
    s->rows++;
    t->line++;
    return true;
}

enum tsv_event xtsv_next(struct tsv *t)
{
    struct tsv_source *s = t->source;
    char *line;
    size_t len;

    for (;;) {
        if (s->fd < 0 && !open_next(t)) {
            if (!s->any_header)
                xdie(EXIT_FAILED, "%s: no header row: the input is empty", t->file);
            return TSV_END;
        }
        if (quick_row(t))
            return TSV_ROW;
        if (!next_line(t, &line, &len)) {
            end_table(t);
            close_file(t);
        } else if (len > 0 && line[0] == '#') {
            read_hash_line(t, line, len);
        } else if (s->need_header) {
            if (read_header(t, line, len))
                return TSV_HEADER;
        } else if (!repeats_header(s, line, len)) {
            read_row(t, line, len);
            return TSV_ROW;
        } else {
            t->table++;
        }
    }
}

struct tsv *xtsv_open(char *const *files)
{
    struct tsv *t = xcalloc(1, sizeof *t);
    struct tsv_source *s = xcalloc(1, sizeof *s);
    static char dash[] = "-";

    t->source = s;
    s->fd = -1;
    s->only_stdin[0] = dash;
    s->files = *files != NULL ? files : s->only_stdin;
    s->cap = 2 * CHUNK;
    s->buf = xcalloc(s->cap + WORD, 1);
    return t;
}

void tsv_close(struct tsv *t)
{
    free_columns(t);
    prov_free(&t->prov);
    free(t->source->buf);
    free(t->source->header);
    free(t->source);
    free(t->field);
    free(t);
}

size_t tsv_find(const struct tsv *t, const char *name)
{
    for (size_t i = 0; i < t->ncolumn; i++)
        if (strcmp(t->column[i], name) == 0)
            return i;
    return TSV_NONE;
}

size_t xtsv_column(const struct tsv *t, const char *name)
{
    size_t column = tsv_find(t, name);

    if (column == TSV_NONE)
        xdie(EXIT_FAILED, "%s:%" PRIu64 ": no column '%s': '%.*s'", t->file, t->line, name,
             (int)(t->source->header_len > 200 ? 200 : t->source->header_len), t->source->header);
    return column;
}

bool tsv_is(const struct tsv *t, size_t column, const char *word)
{
    const struct field *f = &t->field[column];

    return strlen(word) == f->len && memcmp(f->ptr, word, f->len) == 0;
}
