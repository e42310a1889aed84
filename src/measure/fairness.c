/* SPDX-License-Identifier: Apache-2.0 */
/* Sums rates and their squares in integers. */
#include "measure/measure.h"

#define MILLION UINT64_C(1000000)

void measure_fairness_init(struct measure_fairness *fairness)
{
    *fairness = (struct measure_fairness){ .least_bps = UINT64_MAX };
}

void measure_fairness_add(struct measure_fairness *fairness, uint64_t flow_bps)
{
    uint64_t kbps = flow_bps / 1000;

    fairness->sum += kbps;
    fairness->sum_of_squares += (measure_wide)kbps * kbps;
    fairness->count++;
    fairness->least_bps = flow_bps < fairness->least_bps ? flow_bps : fairness->least_bps;
    fairness->most_bps = flow_bps > fairness->most_bps ? flow_bps : fairness->most_bps;
}

uint64_t measure_jain_millionths(const struct measure_fairness *fairness)
{
    measure_wide below = fairness->sum_of_squares * fairness->count;

    return below ? (uint64_t)(fairness->sum * fairness->sum * MILLION / below) : 0;
}

static uint64_t flow_bps(const struct measure_record *record, const struct sim_flow *flow)
{
    bool is_done = flow->completed_bytes == flow->posted_bytes && flow->ended_ps > flow->started_ps;
    bool repeats = record->plan->sim->workloads[flow->workload].iterations == 0;

    if (is_done && !repeats)
        return measure_bps(flow->completed_bytes, flow->ended_ps - flow->started_ps);
    return measure_bps(flow->placed_bytes, sim_now_ps(record->sim) - flow->started_ps);
}

struct measure_fairness measure_fairness_of(const struct measure_record *record, uint32_t workload)
{
    struct measure_fairness fairness;

    measure_fairness_init(&fairness);
    for (uint32_t i = 0; i < record->flow_count; i++) {
        struct sim_flow flow;

        sim_flow_at(record->sim, i, &flow);
        if (flow.workload == workload && flow.posted_bytes)
            measure_fairness_add(&fairness, flow_bps(record, &flow));
    }
    return fairness;
}
