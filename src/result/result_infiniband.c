/* SPDX-License-Identifier: Apache-2.0 */
/* The settings and the figures of InfiniBand, as JSON. */
#include "files/files.h"
#include "result/result_summary.h"

static json_t *settings_json(const struct ib_settings *infiniband)
{
    return json_pack("{s:s,s:s,s:i,s:I,s:b,s:i,s:I,s:i}", "routing",
        ib_routing_words[infiniband->routing], "recovery", ib_recovery_words[infiniband->recovery],
        "lanes", (int)infiniband->lanes, "buffer", (json_int_t)infiniband->buffer_bytes,
        "link_retry", infiniband->link_retry, "qps", (int)infiniband->qps, "timeout_ns",
        (json_int_t)(infiniband->timeout_ps / 1000), "retries", (int)infiniband->retries);
}

json_t *result_summary_infiniband(const struct measure_record *record)
{
    struct sim_infiniband infiniband;

    sim_infiniband(record->sim, &infiniband);
    return json_pack("{s:o,s:o,s:I,s:I,s:I,s:I,s:I}", "settings",
        settings_json(&record->plan->sim->infiniband), "counters",
        result_summary_named(roce_counter_descriptions, infiniband.counters, ROCE_COUNTER_COUNT),
        "link_repeats", (json_int_t)infiniband.link_repeats, "credit_frames",
        (json_int_t)infiniband.credit_frames, "waits", (json_int_t)infiniband.waits,
        "buffer_peak_bytes", (json_int_t)infiniband.buffer_peak_bytes, "lane_bytes",
        (json_int_t)infiniband.lane_bytes);
}
