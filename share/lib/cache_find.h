/* Finding a line among the tags of a set of the cache model, for cache*.c alone. */
#ifndef L2_CACHE_FIND_H
#define L2_CACHE_FIND_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define EMPTY 0xffffffffu

/* Bit w: way w holds the line. Eight tags at once; they are padded to a multiple of eight with EMPTY, above `ways`. */
static inline uint32_t set_ways_of(const uint32_t *tag, unsigned ways, uint32_t line)
{
    uint32_t at = 0;
#ifdef __SSE2__
    __m128i want = _mm_set1_epi32((int)line);

    for (unsigned w = 0; w < ways; w += 8) {
        const __m128i *four = (const __m128i *)(const void *)(tag + w);
        __m128i low = _mm_cmpeq_epi32(_mm_load_si128(four), want);
        __m128i high = _mm_cmpeq_epi32(_mm_load_si128(four + 1), want);
        __m128i both = _mm_packs_epi16(_mm_packs_epi32(low, high), _mm_setzero_si128());

        at |= (uint32_t)_mm_movemask_epi8(both) << w;
    }
#else
    for (unsigned w = 0; w < ways; w++)
        at |= (uint32_t)(tag[w] == line) << w;
#endif
    return at;
}

/* `ways` when there is none. */
static inline unsigned set_find(const uint32_t *tag, unsigned ways, uint32_t line)
{
    uint32_t at = set_ways_of(tag, ways, line);

    return at != 0 ? (unsigned)__builtin_ctz(at) : ways;
}

#endif
