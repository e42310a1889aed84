/* SPDX-License-Identifier: Apache-2.0 */
/* The effect of each fault, as JSON: after it began, and after it ended. */
#include "files/files.h"
#include "result/result_summary.h"

#define FAULTS_MAX 1000 /* listed individually */

static json_t *recovery_json(const struct measure_record *record, uint64_t change_ps)
{
    struct measure_recovery recovery;
    json_t *json = json_object();

    json_object_set_new(json, "at_us", json_millionths(change_ps));
    if (record->capacity->pair_count == 0) { /* unknown */
        json_object_set_new(json, "depth", json_null());
        json_object_set_new(json, "below_us", json_null());
        json_object_set_new(json, "recovered_us", json_null());
        return json;
    }
    recovery = measure_recovery(record, change_ps);
    json_object_set_new(json, "depth", result_summary_share(&recovery.lowest));
    json_object_set_new(
        json, "below_us", recovery.window_count ? json_millionths(recovery.below_ps) : json_null());
    json_object_set_new(json, "recovered_us",
        recovery.has_recovered ? json_millionths(recovery.after_ps) : json_null());
    return json;
}

/* Returns an event of this fault, at or after `from`; NULL: there is none. */
static const struct sim_event *event_of(
    const struct measure_record *record, size_t from, enum sim_event_kind kind, uint32_t fault)
{
    for (size_t i = from; i < record->kept.count; i++)
        if (record->kept.at[i].kind == kind && record->kept.at[i].subject == fault)
            return &record->kept.at[i];
    return NULL;
}

static json_t *fault_json(const struct measure_record *record, size_t index)
{
    const struct sim_event *began = &record->kept.at[index];
    const struct sim_event *ended = event_of(record, index, SIM_EVENT_FAULT_ENDED, began->subject);
    const struct fault *fault = sim_fault_at(record->sim, began->subject);
    json_t *json = json_object();

    json_object_set_new(json, "fault", json_integer(began->subject));
    json_object_set_new(json, "kind", json_string(fault_kind_words[fault->kind]));
    json_object_set_new(json, "where", result_summary_elements(fault));
    json_object_set_new(json, "began", recovery_json(record, began->time_ps));
    json_object_set_new(json, "ended", ended ? recovery_json(record, ended->time_ps) : json_null());
    return json;
}

uint32_t result_summary_faults_not_begun(const struct measure_record *record)
{
    const struct sim_config *config = record->plan->sim;
    uint32_t count = 0;

    for (uint32_t i = 0; i < config->fault_count; i++)
        count += config->faults[i].from_ps >= sim_now_ps(record->sim);
    return count;
}

/* In the order of their beginnings. A fault that a generator repeats is listed again. */
json_t *result_summary_faults(const struct measure_record *record)
{
    json_t *json = json_array();

    for (size_t i = 0; i < record->kept.count && json_array_size(json) < FAULTS_MAX; i++)
        if (record->kept.at[i].kind == SIM_EVENT_FAULT_BEGAN)
            json_array_append_new(json, fault_json(record, i));
    return json;
}
