/* Fields as numbers: whole ones digit by digit, decimals exactly rounded without strtod where that is possible. */
#include "tsv.h"
#include "cli.h"

#include <string.h>

uint64_t xtsv_u64(const struct tsv *t, size_t column)
{
    const struct field *f = &t->field[column];
    uint64_t v = 0;

    for (size_t i = 0; i < f->len; i++) {
        uint64_t digit = (uint64_t)(unsigned char)f->ptr[i] - '0';

        if (digit > 9)
            xtsv_bad(t, column, "not a whole number");
        if (v > (UINT64_MAX - digit) / 10)
            xtsv_bad(t, column, "over 64 bits");
        v = v * 10 + digit;
    }
    return v;
}

int64_t xtsv_i64(const struct tsv *t, size_t column)
{
    struct field *f = &t->field[column];
    bool minus = f->len > 1 && f->ptr[0] == '-';
    uint64_t v;

    f->ptr += minus;
    f->len -= minus;
    v = xtsv_u64(t, column);
    f->ptr -= minus;
    f->len += minus;
    if (v > (uint64_t)INT64_MAX + minus)
        xtsv_bad(t, column, "over 64 bits");
    return (int64_t)(minus ? -v : v);
}

/* Decimal with at most 15 digits and a power of ten up to 22: both exact in a double, so one division rounds once
 * (W. D. Clinger, "How to read floating point numbers accurately", 1990). Returns false for anything else. */
static bool fast_double(const struct field *f, double *value)
{
    static const double pow10[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *p = f->ptr + (f->ptr[0] == '-'), *end = f->ptr + f->len, *point = end;
    uint64_t v = 0;
    size_t digits;

    if (f->len > 17)
        return false;
    for (digits = 0; p < end; p++) {
        unsigned digit = (unsigned)(unsigned char)*p - '0';

        if (digit <= 9) {
            v = v * 10 + digit;
            digits++;
        } else if (*p == '.' && point == end) {
            point = p;
        } else {
            return false;
        }
    }
    if (digits == 0 || digits > 15)
        return false;
    *value = (double)v;
    if (point < end)
        *value /= pow10[end - point - 1];
    if (f->ptr[0] == '-')
        *value = -*value;
    return true;
}

double xtsv_double(const struct tsv *t, size_t column)
{
    const struct field *f = &t->field[column];
    char word[512];
    double v;

    if (fast_double(f, &v))
        return v;
    if (f->len >= sizeof word)
        xtsv_bad(t, column, "not a number");
    memcpy(word, f->ptr, f->len);
    word[f->len] = '\0';
    if (parse_double(word, &v) != 0)
        xtsv_bad(t, column, "not a number");
    return v;
}
