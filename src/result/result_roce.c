/* SPDX-License-Identifier: Apache-2.0 */
/* The settings and the figures of RoCEv2, as JSON. */
#include "files/files.h"
#include "result/result_summary.h"

static void set_watchdog(json_t *json, const struct pfc_watchdog_config *watchdog)
{
    json_object_set_new(json, "watchdog", json_string(pfc_watchdog_action_words[watchdog->action]));
    if (watchdog->action == PFC_WATCHDOG_OFF)
        return;
    json_object_set_new(
        json, "watchdog_detect_ns", json_integer((json_int_t)(watchdog->detect_ps / 1000)));
    json_object_set_new(
        json, "watchdog_restore_ns", json_integer((json_int_t)(watchdog->restore_ps / 1000)));
}

static json_t *settings_json(const struct roce_settings *roce)
{
    json_t *json = json_pack("{s:i,s:b,s:s,s:s,s:b,s:I,s:i,s:i,s:b}", "qps", (int)roce->qps,
        "split", roce->split, "recovery", roce_recovery_words[roce->recovery], "cc",
        roce_cc_words[roce->cc], "pfc", roce->pfc, "timeout_ns",
        (json_int_t)(roce->timeout_ps / 1000), "retries", (int)roce->retries, "ack_every",
        (int)roce->ack_every, "polarised", roce->polarised);

    json_object_set_new(json, "placement", json_string(roce_placement_words[roce->placement]));
    json_object_set_new(json, "routing", json_string(routing_words[roce->routing]));
    json_object_set_new(json, "convergence", json_string(convergence_set_words[roce->convergence]));
    if (roce->routing == ROUTING_FLOWLET)
        json_object_set_new(
            json, "flowlet_gap_ns", json_integer((json_int_t)(roce->flowlet_gap_ps / 1000)));
    if (roce->cc == ROCE_CC_DCQCN) {
        json_object_set_new(json, "dcqcn", json_string(dcqcn_set_words[roce->dcqcn]));
        json_object_set_new(json, "marking", json_string(ecn_set_words[roce->marking]));
    }
    if (roce->pfc && roce->headroom_bytes != ROCE_HEADROOM_COMPUTED)
        json_object_set_new(json, "headroom", json_integer((json_int_t)roce->headroom_bytes));
    if (roce->pfc)
        set_watchdog(json, &roce->watchdog);
    return json;
}

/* The links of a deadlock, each of which waits for the next one. */
static json_t *deadlock_json(const struct measure_record *record)
{
    const struct sim_deadlock *deadlock = &record->deadlock;
    json_t *links = json_array();

    for (uint32_t i = 0; i < deadlock->link_count && i < SIM_DEADLOCK_LINKS_MAX; i++) {
        char name[TOPOLOGY_NAME_BYTES] = "";
        struct topology_link_kind kind;
        struct topology_element link;

        if (topology_link_at(
                &record->plan->sim->fabric->topology, deadlock->ports[i], &link, &kind))
            topology_name(&link, name);
        json_array_append_new(links, json_string(name));
    }
    return json_pack("{s:f,s:i,s:o}", "seen_us", (double)record->deadlock_ps / 1e6, "link_count",
        (int)deadlock->link_count, "links", links);
}

json_t *result_summary_roce(const struct measure_record *record)
{
    const struct roce_settings *settings = &record->plan->sim->roce;
    struct sim_roce roce;
    json_t *json;

    sim_roce(record->sim, &roce);
    json = json_pack("{s:o,s:o}", "settings", settings_json(settings), "counters",
        result_summary_named(roce_counter_descriptions, roce.counters, ROCE_COUNTER_COUNT));
    json_object_set_new(json, "routing_messages", json_integer((json_int_t)roce.routing_messages));
    if (settings->pfc) {
        json_object_set_new(json, "pauses", json_integer((json_int_t)roce.pauses));
        json_object_set_new(
            json, "headroom_peak_bytes", json_integer((json_int_t)roce.headroom_peak_bytes));
        json_object_set_new(json, "storms", json_integer((json_int_t)roce.storms));
        json_object_set_new(
            json, "watchdog_dropped", json_integer((json_int_t)roce.watchdog_dropped));
        json_object_set_new(json, "deadlocks", json_integer(record->deadlock.link_count > 0));
        if (record->deadlock.link_count > 0)
            json_object_set_new(json, "deadlock", deadlock_json(record));
    }
    return json;
}
