/* SPDX-License-Identifier: Apache-2.0 */
/* The recording as JSON. */
#include "lab/soft_record_show.h"

#include "lab/soft_request.h"
#include "lab/soft_state.h"

static uint64_t at_full_speed(const struct soft *soft, uint64_t time_ps)
{
    uint64_t origin_ps = soft->record.origin_ps;

    return time_ps > origin_ps ? (time_ps - origin_ps) / soft->config.slower : 0;
}

static void set_number(json_t *out, const char *key, uint64_t number)
{
    json_object_set_new(out, key, json_integer((json_int_t)number));
}

static json_t *names_of(const struct soft_fault *fault)
{
    json_t *names = json_array();

    for (uint32_t i = 0; i < fault->what.where_count; i++) {
        char name[TOPOLOGY_NAME_BYTES];

        topology_name(&fault->where[i], name);
        json_array_append_new(names, json_string(name));
    }
    return names;
}

static void set_parameters(const struct soft *soft, const struct fault *what, json_t *out)
{
    for (uint32_t i = 0; i < FAULT_PARAMETER_COUNT; i++) {
        const struct fault_parameter_description *known = &fault_parameters[i];
        uint64_t value = fault_get(what, (enum fault_parameter)i);

        if (!fault_kind_has(what->kind, (enum fault_parameter)i))
            continue;
        if (known->quantity == FAULT_QUANTITY_TIME)
            value /= soft->config.slower;
        if (known->quantity == FAULT_QUANTITY_BIT_RATE)
            value *= soft->config.slower;
        set_number(out, known->request, value);
    }
}

static json_t *show_fault(const struct soft *soft, const struct soft_fault *fault)
{
    const struct fault *what = &fault->what;
    json_t *out = json_pack("{s:i, s:s, s:o}", "id", (int)fault->id, "kind",
        fault_kind_words[what->kind], "where", names_of(fault));
    char path[SOFT_PLACE_BYTES];

    if (what->of_ev) {
        soft_request_path(soft, fault, path);
        json_object_set_new(out, "ev", json_string(path));
    }
    if (what->direction != FAULT_BOTH_WAYS)
        json_object_set_new(out, "direction", json_string(fault_direction_words[what->direction]));
    set_parameters(soft, what, out);
    set_number(out, "at_ps", at_full_speed(soft, what->from_ps));
    if (what->until_ps != FAULT_NEVER_PS)
        set_number(out, "until_ps", at_full_speed(soft, what->until_ps));
    return out;
}

static json_t *show_event(const struct soft *soft, const struct soft_record_event *event)
{
    return json_pack("{s:I, s:s, s:i}", "time_ps", (json_int_t)at_full_speed(soft, event->time_ps),
        "event", event->begins ? "fault_began" : "fault_ended", "id", (int)event->fault);
}

static json_t *show_faults(const struct soft *soft)
{
    json_t *faults = json_array();

    for (uint32_t i = 0; i < soft->record.fault_count; i++)
        json_array_append_new(faults, show_fault(soft, &soft->record.faults[i]));
    return faults;
}

static json_t *show_events(const struct soft *soft)
{
    json_t *events = json_array();

    for (uint32_t i = 0; i < soft->record.event_count; i++)
        json_array_append_new(events, show_event(soft, &soft->record.events[i]));
    return events;
}

json_t *soft_record_show(const struct soft *soft)
{
    const char *text = soft->config.text ? soft->config.text : "";

    return json_pack("{s:i, s:b, s:I, s:s, s:o, s:o}", "slower", (int)soft->config.slower, "cut",
        soft->record.is_cut, "now_ps", (json_int_t)at_full_speed(soft, soft->now_ps), "fabric",
        text, "faults", show_faults(soft), "events", show_events(soft));
}
