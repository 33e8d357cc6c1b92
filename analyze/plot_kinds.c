/* The table of kinds of pictures. */
#include "plot.h"

const struct plot_kind plot_kinds[] = {
    {"latency", "latency", "size cycles n", "latency over working set: mean, median, quantile band",
     plot_latency_raw},
    {"latency", "latency", "size mean", "the same from l2stat", plot_latency_stat},
    {"bandwidth", "bandwidth", "size gbps", "bandwidth over working set", plot_bandwidth_raw},
    {"bandwidth", "bandwidth", "size mean", "the same from l2stat", plot_bandwidth_stat},
    {"curve", NULL, "", "any two columns: -x, -y, -g", plot_curve},
    {NULL, NULL, NULL, NULL, NULL},
};

const struct frame *plot_frame_with(const struct plot *p, const char *columns)
{
    for (size_t i = 0; i < p->data->n; i++)
        if (frame_has(&p->data->frame[i], columns, NULL))
            return &p->data->frame[i];
    return NULL;
}
