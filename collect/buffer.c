/* One allocation for several experiments of a command: a new one would put lines on other physical pages. */
#include "buffer.h"

uint64_t buffer_bytes(const struct run *r)
{
    uint64_t most = r->dev->info.mem_bytes / 2, usual = 256ull << 20;

    if (!param_auto(r, "buffer"))
        return param_u64(r, "buffer");
    return most > 0 && most < usual ? most : usual;
}

int buffer_make(struct run *r)
{
    uint64_t bytes = buffer_bytes(r);

    return r->dev->bytes == bytes ? 0 : r->dev->ops->alloc(r->dev, bytes);
}
