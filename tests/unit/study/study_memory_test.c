/* SPDX-License-Identifier: Apache-2.0 */
/* The estimate of memory, compared with what runs of 100 us used (peak_rss_bytes, in MiB). */
#include "study/study_memory.h"

#include "spec.h"
#include "study/study_plan.h"

/* Returns the estimate for 2,048 NICs on 8 planes, in MiB. */
static uint64_t likely_mib(const char *workloads)
{
    struct study_plan plan;
    char text[512];
    uint64_t bytes;

    snprintf(text, sizeof(text),
        "fabric: { planes: 8, t0s: 32, t1s: 64, hosts_per_t0: 64 }\n"
        "duration: 100us\nworkloads: [ { %s } ]\n",
        workloads);
    EXPECT(study_plan_parse(&plan, "text", text, &(struct study_changes){ 0 }));
    bytes = study_memory_needed(&plan.runs[0]->experiment.sim).likely_bytes;
    study_plan_fini(&plan);
    return bytes >> 20;
}

static bool is_near(uint64_t mib, uint64_t measured_mib)
{
    return mib >= measured_mib && mib <= measured_mib + measured_mib / 4;
}

SPEC("the estimate for a permutation is at most a quarter more than it uses")
{
    EXPECT(is_near(likely_mib("kind: permutation, message_bytes: 64MB"), 135));
}

SPEC("many flows of a NIC share its links, and do not fill a window each")
{
    EXPECT(is_near(likely_mib("kind: permutation, message_bytes: 64MB, qps: 16"), 687));
    EXPECT(is_near(likely_mib("kind: tree_all_reduce, placement: random, message_bytes: 8MiB, "
                              "chunks: 64, iterations: 1"),
        283));
    EXPECT(is_near(likely_mib("kind: all_to_all, placement: random, ranks: 256, "
                              "message_bytes: 64MiB, peers_at_once: 2"),
        373));
}
