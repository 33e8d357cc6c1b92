/* Random numbers that are the same on every machine for the same seed, fast enough for the simulated device.
 * (The filters, which need distributions and tests, use GSL's generators.) */
#ifndef L2_RNG_H
#define L2_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t s[4];
};

/* One step of splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): a good hash. */
uint64_t rng_mix(uint64_t x);
void rng_seed(struct rng *r, uint64_t seed);
/* xoshiro256** (Blackman, Vigna, "Scrambled linear pseudorandom number generators", 2021). */
uint64_t rng_u64(struct rng *r);
/* Uniform in [0, n), without bias; n > 0. */
uint64_t rng_below(struct rng *r, uint64_t n);
/* Uniform in [0, 1). */
double rng_uniform(struct rng *r);
/* Standard normal (polar method). */
double rng_normal(struct rng *r);
/* Fisher-Yates. */
void rng_shuffle(struct rng *r, uint32_t *a, size_t n);
/* Fills next[] with one random cycle over 0..n-1: following next[] from anywhere visits all n (Sattolo 1986). */
void rng_cycle(struct rng *r, uint32_t *next, size_t n);

#endif
