/* The '#' lines of device and state (l2tsv(5) lists the keys); what the device does not say is "unknown". */
#include "provenance.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLOCK_MOVED 0.01 /* relative change of the measured clock that is worth a warning */
#define DEFAULT_SET_ASIDE                                                                          \
    0.1876 /* of L2, for persisting accesses: 3/16 is what a fresh context of an H200 reads */
#define WARMED 10 /* degrees Celsius */

/* A number, or "unknown" below `least`. */
static void add_number(struct prov *p, const char *key, double v, double least)
{
    if (v < least)
        prov_addf(p, "#%s unknown", key);
    else
        prov_addf(p, "#%s %.15g", key, v);
}

static void add_switch(struct prov *p, const char *key, int v)
{
    prov_addf(p, "#%s %s", key, v < 0 ? "unknown" : v > 0 ? "yes" : "no");
}

void provenance_device(struct prov *p, const struct device *dev)
{
    const struct device_info *i = &dev->info;
    char host[256] = "unknown", when[32];
    time_t now = time(NULL);
    struct tm tm;

    gethostname(host, sizeof host - 1);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    prov_addf(p, "#device %s", i->name);
    prov_addf(p, "#uuid %s", i->uuid[0] != '\0' ? i->uuid : "unknown");
    prov_addf(p, "#cc %u.%u", i->cc_major, i->cc_minor);
    prov_addf(p, "#sms %u", i->sms);
    add_number(p, "l2_bytes", (double)i->l2_bytes, 1);
    add_number(p, "mem_bytes", (double)i->mem_bytes, 1);
    add_number(p, "bus_width", i->bus_width, 1);
    prov_addf(p, "#driver %s", i->driver[0] != '\0' ? i->driver : "unknown");
    prov_addf(p, "#simulated %s", dev->simulated ? "yes" : "no");
    prov_addf(p, "#host %s", host);
    prov_addf(p, "#time %s", when);
}

/* The keys that are given before and after a run. */
static void add_moving(struct prov *p, const struct device_state *s, const char *when)
{
    const struct {
        const char *key;
        double value, least;
    } table[] = {
        {"clock_sm", s->sm_mhz, 1},
        {"clock_mem", s->mem_mhz, 1},
        {"clock_measured", round(s->measured_mhz * 100) / 100, 1},
        {"temperature", s->temperature, 0},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char key[40];

        snprintf(key, sizeof key, "%s_%s", table[i].key, when);
        add_number(p, key, table[i].value, table[i].least);
    }
}

void provenance_before(struct prov *p, const struct device_state *s)
{
    add_moving(p, s, "before");
    add_switch(p, "clock_locked", s->locked);
    add_number(p, "processes", s->processes, 0);
    add_switch(p, "ecc", s->ecc);
    add_switch(p, "mig", s->mig);
    add_number(p, "persisting", (double)s->persisting, 0);
    add_number(p, "fetch", (double)s->fetch, 0);
}

void provenance_after(struct run *r, const struct device_state *s)
{
    struct prov p = {0};

    add_moving(&p, s, "after");
    prov_addf(&p, "#throttle %s", s->throttle[0] != '\0' ? s->throttle : "unknown");
    prov_addf(&p, "#buffer %" PRIu64, r->dev->bytes);
    prov_write(r->out->to, &p);
    prov_free(&p);
}

void preflight(struct run *r, const struct device_state *s)
{
    const char *name = r->dev->info.name;

    if (s->locked == 0)
        run_warn(r,
                 "the clocks of %s are not locked (SM %d MHz now): they may move with load and "
                 "heat; cycles of the "
                 "memory side then change; on your own machine run it under l2lock",
                 name, s->sm_mhz);
    if (s->processes > 0)
        run_warn(r,
                 "%d other process%s on %s: they share its cache and memory; wait for them, or "
                 "choose another device "
                 "with -d",
                 s->processes, s->processes == 1 ? "" : "es", name);
    if (s->mig > 0)
        run_warn(r,
                 "%s is a MIG slice: its cache is a part of the chip's and neighbours share its "
                 "memory; compare with "
                 "the slice's share, or choose a whole device with -d",
                 name);
    if ((double)s->persisting > DEFAULT_SET_ASIDE * (double)r->dev->info.l2_bytes)
        run_warn(r,
                 "%" PRId64
                 " bytes of L2 are set aside for persisting accesses, more than the 3/16 of a "
                 "fresh context: perhaps another program left its limit; while lines persist, the "
                 "capacity looks smaller; reset the limit where it was set",
                 s->persisting);
}

void postflight(struct run *r, const struct device_state *before, const struct device_state *after)
{
    double moved = after->measured_mhz / before->measured_mhz - 1;

    if (before->measured_mhz > 0 && after->measured_mhz > 0 && fabs(moved) > CLOCK_MOVED &&
        !r->exp->cold)
        run_warn(r,
                 "the SM clock moved by %.1f %% during the run (%.0f to %.0f MHz): power or heat "
                 "changed it; lock it "
                 "with l2lock on your own machine, or repeat the run",
                 100 * moved, before->measured_mhz, after->measured_mhz);
    if (before->temperature >= 0 && after->temperature - before->temperature > WARMED)
        run_warn(r,
                 "the device warmed from %d to %d degrees: a cold start may have changed its "
                 "clocks; repeat the run "
                 "now that it is warm",
                 before->temperature, after->temperature);
    if (after->throttle[0] != '\0' && strcmp(after->throttle, "none") != 0 &&
        strcmp(after->throttle, "unknown") != 0)
        run_warn(r,
                 "the clocks were held down (%s): power or heat limits the device; let it cool, or "
                 "lock a lower clock "
                 "with l2lock -f on your own machine",
                 after->throttle);
}
