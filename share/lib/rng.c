/* xoshiro256** seeded by splitmix64, and what is drawn from it. */
#include "rng.h"

#include <math.h>

uint64_t rng_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void rng_seed(struct rng *r, uint64_t seed)
{
    for (size_t i = 0; i < 4; i++)
        r->s[i] = rng_mix(seed + i * 0x9e3779b97f4a7c15u);
}

static uint64_t rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t rng_u64(struct rng *r)
{
    uint64_t *s = r->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

/* D. Lemire, "Fast random integer generation in an interval", 2019, section 4. */
uint64_t rng_below(struct rng *r, uint64_t n)
{
    unsigned __int128 product = (unsigned __int128)rng_u64(r) * n;

    if ((uint64_t)product < n) {
        uint64_t reject = -n % n;

        while ((uint64_t)product < reject)
            product = (unsigned __int128)rng_u64(r) * n;
    }
    return (uint64_t)(product >> 64);
}

double rng_uniform(struct rng *r)
{
    return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

double rng_normal(struct rng *r)
{
    double u, v, q;

    do {
        u = 2 * rng_uniform(r) - 1;
        v = 2 * rng_uniform(r) - 1;
        q = u * u + v * v;
    } while (q >= 1 || q == 0);
    return u * sqrt(-2 * log(q) / q);
}

void rng_shuffle(struct rng *r, uint32_t *a, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below(r, i);
        uint32_t t = a[i - 1];

        a[i - 1] = a[j];
        a[j] = t;
    }
}

void rng_cycle(struct rng *r, uint32_t *next, size_t n)
{
    for (size_t i = 0; i < n; i++)
        next[i] = (uint32_t)i;
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below(r, i - 1);
        uint32_t t = next[i - 1];

        next[i - 1] = next[j];
        next[j] = t;
    }
}
