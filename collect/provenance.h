/* What a file says about the device it came from, and the warnings that its state asks for. */
#ifndef L2_PROVENANCE_H
#define L2_PROVENANCE_H

#include "experiment.h"

/* Device, host, time: what does not change during a run. */
void provenance_device(struct prov *p, const struct device *dev);
/* State before a run: clocks, temperature, limits ... */
void provenance_before(struct prov *p, const struct device_state *s);
/* State after it, written at once. */
void provenance_after(struct run *r, const struct device_state *s);

/* Warns of what would spoil a run, before it ... */
void preflight(struct run *r, const struct device_state *s);
/* ... and of what changed during it. */
void postflight(struct run *r, const struct device_state *before, const struct device_state *after);

#endif
