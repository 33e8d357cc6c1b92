/* The table of kinds of pictures. */
#include "plot.h"
#include "plot_marks.h"

const struct plot_kind plot_kinds[] = {
    {"latency", "latency", "size cycles n", "latency over working set: mean, median, quantile band",
     plot_latency_raw},
    {"latency", "latency", "size mean", "the same from l2stat", plot_latency_stat},
    {"bandwidth", "bandwidth", "size gbps", "bandwidth over working set", plot_bandwidth_raw},
    {"bandwidth", "bandwidth", "size mean", "the same from l2stat", plot_bandwidth_stat},
    {"matrix", "matrix", "sm offset cycles", "latency of lines x SMs, ordered by l2slice -m and -s",
     plot_matrix},
    {"fingerprints", "matrix", "sm offset cycles", "distances between the latencies of two lines",
     plot_fingerprints},
    {"sms", NULL, "sm side group local remote", "latencies of every SM, from l2slice -s", plot_sms},
    {"contend", "contend", "a b cycles", "cycles of two lines that all SMs hammer", plot_contend},
    {"tips", "evict", "target attempt phase n cycles threshold status",
     "first tipping points of some targets", plot_tips},
    {"survival", "survival", "part others share lo hi",
     "survival curve and its law, from l2assoc -p", plot_survival},
    {"agreement", "policy", "policy agreement", "agreement of policies, from l2policy -c",
     plot_agreement},
    {"surface", "bandwidth", "threads width gbps", "bandwidth over threads and bytes a load",
     plot_surface},
    {"tlb", "tlb", "stride size cycles n", "latency over memory spanned, a curve for each stride",
     plot_tlb},
    {"roofline", NULL, "param value lo hi unit", "what bandwidths allow, from l2band",
     plot_roofline},
    {"fit", NULL, PLOT_FIT_COLUMNS, "points and fitted pieces, from l2knee -p", plot_fit},
    {"modes", NULL, "mode centre weight iqr lo hi", "modes over working set, from l2stat -m",
     plot_modes},
    {"histogram", NULL, "lo hi n weight", "distributions one above the other, from l2stat -H",
     plot_histogram},
    {"histogram", NULL, "cycles n", "the same from raw rows", plot_histogram_raw},
    {"histogram", NULL, "gbps", "the same from raw rows", plot_histogram_raw},
    {"density", NULL, "size cycles n", "every latency as colour over working set", plot_density},
    {"levels", "level", "size level share", "who answers, stacked over size, from l2level -s",
     plot_levels},
    {"clock", "clock", "what sm step value n", "clocks, timer cost, noise", plot_clock},
    {"sector", "sector", "fetch touch probe cycles", "touch/probe table for each fetch granularity",
     plot_sector},
    {"store", "write", "case resident bytes probe cycles",
     "what a store leaves readable, cold and resident", plot_store},
    {"dirty", "dirty", "case kind stored line cycles", "who leaves a set with dirty lines",
     plot_dirty},
    {"diff", NULL, "one other about param percent result", "shifts with intervals, from l2diff",
     plot_diff},
    {"heat", NULL, "", "any three columns: -x, -y, -z", plot_heat},
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
