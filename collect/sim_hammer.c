/* Contention on two lines, from service times: a slice serves one access after another, so that an access waits for all
 * warps that go to the same slice. Loads are served where the SM's side keeps them, its copy too; atomics at the line's
 * home, where accesses to the partner slice (the same number on another side) count by chip.service_partner, and those to
 * another line of the same bank of either slice by chip.service_bank more. */
#include "sim.h"

#include "../share/lib/mem.h"

#include <string.h>

struct crowd {
    uint32_t of[CHIP_SIDES]; /* working SMs of each side */
    uint32_t all;
};

static int count_sms(struct sim *s, const struct hammer *h, struct crowd *c)
{
    size_t n = h->sm == NULL ? s->cache.chip.sms : h->nsm;

    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < n; i++) {
        int sm = h->sm == NULL ? (int)i : h->sm[i];

        if (sim_sm(s, "hammer", sm) != 0)
            return -1;
        c->of[s->sm_side[sm]]++;
    }
    c->all = (uint32_t)n;
    return n > 0 ? 0 : device_fail(&s->dev, "hammer: no SM");
}

/* Warps that wait at the slice which serves line a for an SM of this side; half of an SM's warps go to each line. */
static double queue(const struct sim *s, const struct hammer *h, const struct crowd *c,
                    struct place a, struct place b, bool bank, unsigned side)
{
    const struct chip *chip = &s->cache.chip;
    double half = h->warps / 2.0, n = 0, more = 0;
    bool copies = h->kind != L2_ATOM && chip->copies != COPIES_NEVER;

    if (copies)
        return half * c->of[side] * (a.slice == b.slice ? 2 : 1);
    n = half * c->all;
    if (a.slice == b.slice && a.side == b.side)
        n *= 2;
    else if (a.slice == b.slice && h->kind == L2_ATOM)
        more = chip->service_partner;
    if (a.slice == b.slice && h->kind == L2_ATOM && bank)
        more += chip->service_bank;
    return n + more * half * c->all;
}

static double pair_cycles(struct sim *s, const struct hammer *h, const struct crowd *c, uint64_t a,
                          uint64_t b)
{
    const struct chip *chip = &s->cache.chip;
    struct cache_ref line[2] = {cache_ref(&s->cache, a), cache_ref(&s->cache, b)};
    double service = h->kind == L2_ATOM ? chip->service_atom : chip->service_load, sum = 0;
    bool bank =
        a != b && line[0].at.set % chip->service_banks == line[1].at.set % chip->service_banks;

    for (unsigned side = 0; side < chip->sides; side++)
        for (int k = 0; k < 2 && c->of[side] > 0; k++) {
            struct place own = line[k].at, other = line[1 - k].at;
            bool far = own.side != side && (h->kind == L2_ATOM || chip->copies == COPIES_NEVER);
            double latency = far ? chip->latency_remote : chip->latency_local;
            double wait = queue(s, h, c, own, other, bank, side) * service;

            if (h->kind == L2_ATOM) {
                cache_atomic(&s->cache, line[k], side, 1);
                sum += c->of[side] * (wait > latency ? wait : latency);
            } else {
                cache_load(&s->cache, line[k], side, 1, 0, 0);
                sum += c->of[side] * (latency + wait);
            }
        }
    return sum / (2.0 * c->all);
}

int sim_hammer(struct device *d, const struct hammer *h, double *cycles)
{
    struct sim *s = sim_of(d);
    struct crowd c;

    if (sim_begin(s, "hammer") != 0 || count_sms(s, h, &c) != 0)
        return -1;
    if (h->kind != L2_LD_CG && h->kind != L2_ATOM)
        return device_fail(d, "hammer: neither load nor atomic: kind %d", (int)h->kind);
    for (size_t i = 0; i < h->npair; i++) {
        double noise = 1 + 0.02 * rng_uniform(&s->rng);

        if (sim_inside(s, "hammer", h->a[i], 8) != 0 || sim_inside(s, "hammer", h->b[i], 8) != 0)
            return -1;
        noise += s->jitter[rng_below(&s->rng, SIM_JITTER)] / 16.0 / s->latency[0];
        cycles[i] = pair_cycles(s, h, &c, h->a[i], h->b[i]) * noise * s->scale / 65536;
        sim_spend(s, (uint64_t)(cycles[i] * h->accesses));
    }
    return 0;
}
