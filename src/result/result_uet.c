/* SPDX-License-Identifier: Apache-2.0 */
/* The settings and the figures of UET, as JSON. */
#include "files/files.h"
#include "result/result_summary.h"

static json_t *settings_json(const struct uet_settings *uet)
{
    return json_pack("{s:s,s:s,s:i,s:I,s:I,s:i,s:b}", "cc", uet_cc_words[uet->cc], "spray",
        uet_spray_words[uet->spray], "paths", (int)uet->paths, "ack_bytes",
        (json_int_t)uet->ack_bytes, "timeout_ns", (json_int_t)(uet->timeout_ps / 1000), "retries",
        (int)uet->retries, "polarised", uet->polarised);
}

json_t *result_summary_uet(const struct measure_record *record)
{
    struct sim_uet uet;

    sim_uet(record->sim, &uet);
    return json_pack("{s:o,s:o}", "settings", settings_json(&record->plan->sim->uet), "counters",
        result_summary_named(uet_counter_descriptions, uet.counters, UET_COUNTER_COUNT));
}
