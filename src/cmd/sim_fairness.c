/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and squares of rates, in integers. */
#include "cmd/sim_fairness.h"

#include "files/files.h"

#define MILLION UINT64_C(1000000)

void sim_fairness_init(struct sim_fairness *fairness)
{
    *fairness = (struct sim_fairness){ .least_bps = UINT64_MAX };
}

void sim_fairness_add(struct sim_fairness *fairness, uint64_t flow_bps)
{
    uint64_t kbps = flow_bps / 1000;

    fairness->sum += kbps;
    fairness->sum_of_squares += (sim_wide)kbps * kbps;
    fairness->count++;
    fairness->least_bps = flow_bps < fairness->least_bps ? flow_bps : fairness->least_bps;
    fairness->most_bps = flow_bps > fairness->most_bps ? flow_bps : fairness->most_bps;
}

uint64_t sim_fairness_jain_millionths(const struct sim_fairness *fairness)
{
    sim_wide below = fairness->sum_of_squares * fairness->count;

    return below ? (uint64_t)(fairness->sum * fairness->sum * MILLION / below) : 0;
}

void sim_fairness_set(json_t *json, const struct sim_fairness *fairness, uint64_t ideal_bps)
{
    bool is_known = fairness->count > 0;
    uint64_t share_bps = is_known ? ideal_bps / fairness->count : 0;

    json_object_set_new(json, "flows", json_integer((json_int_t)fairness->count));
    json_object_set_new(json, "jain",
        is_known ? json_millionths(sim_fairness_jain_millionths(fairness)) : json_null());
    json_object_set_new(json, "flow_fraction_min",
        is_known ? json_ratio(fairness->least_bps, share_bps) : json_null());
    json_object_set_new(json, "flow_fraction_max",
        is_known ? json_ratio(fairness->most_bps, share_bps) : json_null());
}
