/* SPDX-License-Identifier: Apache-2.0 */
/* The settings and the figures of RoCEv2, as JSON. */
#include "files/files.h"
#include "result/result_summary.h"

static json_t *settings_json(const struct roce_settings *roce)
{
    json_t *json = json_pack("{s:i,s:b,s:s,s:s,s:b,s:I,s:i,s:i,s:b}", "qps", (int)roce->qps,
        "split", roce->split, "recovery", roce_recovery_words[roce->recovery], "cc",
        roce_cc_words[roce->cc], "pfc", roce->pfc, "timeout_ns",
        (json_int_t)(roce->timeout_ps / 1000), "retries", (int)roce->retries, "ack_every",
        (int)roce->ack_every, "polarised", roce->polarised);

    if (roce->cc == ROCE_CC_DCQCN) {
        json_object_set_new(json, "dcqcn", json_string(dcqcn_set_words[roce->dcqcn]));
        json_object_set_new(json, "marking", json_string(ecn_set_words[roce->marking]));
    }
    if (roce->pfc && roce->headroom_bytes != ROCE_HEADROOM_COMPUTED)
        json_object_set_new(json, "headroom", json_integer((json_int_t)roce->headroom_bytes));
    return json;
}

json_t *result_summary_roce(const struct measure_record *record)
{
    const struct roce_settings *settings = &record->plan->sim->roce;
    struct sim_roce roce;
    json_t *json;

    sim_roce(record->sim, &roce);
    json = json_pack("{s:o,s:o}", "settings", settings_json(settings), "counters",
        result_summary_named(roce_counter_descriptions, roce.counters, ROCE_COUNTER_COUNT));
    if (settings->pfc) {
        json_object_set_new(json, "pauses", json_integer((json_int_t)roce.pauses));
        json_object_set_new(
            json, "headroom_peak_bytes", json_integer((json_int_t)roce.headroom_peak_bytes));
    }
    return json;
}
