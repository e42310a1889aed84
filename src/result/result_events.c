/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the events of a run in words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "files/files.h"
#include "result/result_summary.h"

#define STEPS_MAX 1000

static json_t *new_event(uint64_t time_ps, const char *kind, const char *what)
{
    return json_pack(
        "{s:o,s:s,s:s}", "time_us", json_millionths(time_ps), "kind", kind, "what", what);
}

/* ---- faults ---------------------------------------------------------------------------------- */

json_t *result_summary_elements(const struct fault *fault)
{
    json_t *json = json_array();

    for (uint32_t i = 0; i < fault->where_count; i++) {
        char name[TOPOLOGY_NAME_BYTES];

        topology_name(&fault->where[i], name);
        json_array_append_new(json, json_string(name));
    }
    return json;
}

/* Formats e.g. "2 %" or "0.05 %", without trailing zeros. */
static void describe_share(uint32_t probability, char *out, size_t room)
{
    uint64_t millionths = ((uint64_t)probability * 1000000 + (UINT64_C(1) << 31)) >> 32;
    int length =
        snprintf(out, room, " %" PRIu64 ".%04" PRIu64, millionths / 10000, millionths % 10000);

    while (out[length - 1] == '0')
        length--;
    if (out[length - 1] == '.')
        length--;
    snprintf(out + length, room - (size_t)length, " %%");
}

static void describe_strength(const struct fault *fault, char *out, size_t room)
{
    char amount[QUANTITY_BYTES];

    out[0] = '\0';
    if (fault_kind_has(fault->kind, FAULT_PROBABILITY)) {
        describe_share(fault->probability, out, room);
    } else if (fault_kind_has(fault->kind, FAULT_RATE)) {
        quantity_format(QUANTITY_RATE, fault->rate_bps, amount);
        snprintf(out, room, " to %s", amount);
    } else if (fault_kind_has(fault->kind, FAULT_PERIOD)) {
        quantity_format(QUANTITY_TIME, fault->period_ps, amount);
        snprintf(out, room, " every %s", amount);
    }
}

static json_t *fault_event(const struct measure_record *record, const struct sim_event *event)
{
    bool begins = event->kind == SIM_EVENT_FAULT_BEGAN;
    const struct fault *fault = sim_fault_at(record->sim, event->subject);
    char name[TOPOLOGY_NAME_BYTES] = "";
    char strength[48];
    char what[160];
    json_t *json;

    if (fault->where_count)
        topology_name(&fault->where[0], name);
    describe_strength(fault, strength, sizeof(strength));
    if (fault->where_count > 1)
        snprintf(what, sizeof(what), "%s%s: %s and %u more", fault_kind_words[fault->kind],
            strength, name, fault->where_count - 1);
    else
        snprintf(what, sizeof(what), "%s%s: %s", fault_kind_words[fault->kind], strength, name);
    json = new_event(event->time_ps, begins ? "fault_began" : "fault_ended", what);
    json_object_set_new(json, "fault", json_integer(event->subject));
    json_object_set_new(json, "fault_kind", json_string(fault_kind_words[fault->kind]));
    json_object_set_new(json, "where", result_summary_elements(fault));
    return json;
}

/* ---- other events ---------------------------------------------------------------------------- */

static json_t *ev_event(const struct measure_record *record, const struct sim_event *event)
{
    uint32_t ev = (uint32_t)event->values[1];
    char path[PLAN_EV_NAME_BYTES];
    char what[96];
    json_t *json;

    plan_ev_name(plan_ev_path(record->plan->sim->fabric, ev), path);
    snprintf(what, sizeof(what), "h%u QP %" PRIu64 ": %s turns %s", event->subject,
        event->values[0], path, path_state_word((enum path_ev_state)event->values[2]));
    json = new_event(event->time_ps, "ev_changed", what);
    json_object_set_new(json, "nic", json_integer(event->subject));
    json_object_set_new(json, "ev", json_integer((json_int_t)ev));
    json_object_set_new(
        json, "state", json_string(path_state_word((enum path_ev_state)event->values[2])));
    return json;
}

static json_t *nic_event(
    const struct sim_event *event, const char *kind, const char *of, const char *happened)
{
    char what[96];
    json_t *json;

    snprintf(
        what, sizeof(what), "h%u %s %" PRIu64 "%s", event->subject, of, event->values[0], happened);
    json = new_event(event->time_ps, kind, what);
    json_object_set_new(json, "nic", json_integer(event->subject));
    return json;
}

static json_t *event_json(const struct measure_record *record, const struct sim_event *event)
{
    char what[96];

    switch (event->kind) {
    case SIM_EVENT_FAULT_BEGAN:
    case SIM_EVENT_FAULT_ENDED:
        return fault_event(record, event);
    case SIM_EVENT_EV_CHANGED:
        return ev_event(record, event);
    case SIM_EVENT_PORT_CHANGED:
        return nic_event(event, "port_changed", "port", event->values[1] ? " is up" : " is down");
    case SIM_EVENT_QP_FAILED:
        return nic_event(event, "qp_failed", "QP", " failed");
    case SIM_EVENT_TIMEOUT:
        return nic_event(event, "timeout", "QP", " timed out");
    default:
        snprintf(
            what, sizeof(what), "%s is done", record->plan->sim->workloads[event->subject].name);
        return new_event(event->time_ps, "workload_done", what);
    }
}

static json_t *step_event(const struct measure_record *record, uint32_t workload, size_t number)
{
    const struct measure_step *step = &record->workloads[workload].steps[number];
    char what[96];
    json_t *json;

    snprintf(
        what, sizeof(what), "%s: step %zu", record->plan->sim->workloads[workload].name, number);
    json = new_event(step->end_ps, "step", what);
    json_object_set_new(json, "duration_us", json_millionths(step->duration_ps));
    return json;
}

json_t *result_events(const struct measure_record *record)
{
    json_t *json = json_array();

    for (size_t i = 0; i < record->kept.count; i++)
        json_array_append_new(json, event_json(record, &record->kept.at[i]));
    for (uint32_t i = 0; i < record->plan->sim->workload_count; i++)
        for (size_t step = 0; step < record->workloads[i].step_count && step < STEPS_MAX; step++)
            json_array_append_new(json, step_event(record, i, step));
    return json;
}
