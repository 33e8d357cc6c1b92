/* Sets the fetch granularity, believes what is read back, puts it back. */
#include "fetch.h"

#include <string.h>

/* Every limit asked for that the device really takes. */
static int each_limit(struct run *r, const char *name, fetch_body body, void *data)
{
    size_t n;
    const uint64_t *fetch = param_sizes(r, name, &n);

    for (size_t i = 0; i < n && !run_stopped(); i++) {
        uint64_t got;

        if (r->dev->ops->limit(r->dev, LIMIT_FETCH, fetch[i], &got) != 0)
            return -1;
        if (got != fetch[i]) {
            run_warn(r, "fetch granularity %llu: the device makes it %llu, so it is left out",
                     (unsigned long long)fetch[i], (unsigned long long)got);
            continue;
        }
        if (got != 32 && got != 64 && got != 128)
            run_warn(r,
                     "fetch granularity %llu: the device takes it, but is only known to do 32, 64 "
                     "and 128: what it really fetches is what the probes say",
                     (unsigned long long)got);
        if (body(r, got, false, data) != 0)
            return -1;
    }
    return 0;
}

int fetch_each(struct run *r, const char *name, fetch_body body, void *data)
{
    char failed[sizeof r->dev->error];
    struct device_state was;
    uint64_t got;
    int rc;

    if (r->dev->ops->state(r->dev, &was) != 0)
        return -1;
    if (body(r, was.fetch > 0 ? (uint64_t)was.fetch : 0, true, data) != 0)
        return -1;
    if (was.fetch <= 0) {
        run_warn(r, "the device does not tell its fetch granularity: no other one was set");
        return 0;
    }
    rc = each_limit(r, name, body, data);
    memcpy(failed, r->dev->error, sizeof failed);
    if (r->dev->ops->limit(r->dev, LIMIT_FETCH, (uint64_t)was.fetch, &got) == 0)
        run_note(r, "fetch_after %llu", (unsigned long long)got);
    else if (rc == 0)
        return -1;
    memcpy(r->dev->error, failed, sizeof failed);
    return rc;
}
