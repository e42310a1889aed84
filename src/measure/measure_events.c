/* SPDX-License-Identifier: Apache-2.0 */
/* Records the events of a running simulation. Callbacks come in the order of the engine, so the
 * events of an interval are sorted by all their members. */
#include "measure/measure_events.h"

#include "base/heap_sort.h"
#include "measure/measure_list.h"

/* The maximum numbers of events that are kept: more marks would make a page unreadable. */
static const uint64_t kept_max[SIM_EVENT_KIND_COUNT] = {
    [SIM_EVENT_FAULT_BEGAN] = 5000,
    [SIM_EVENT_FAULT_ENDED] = 5000,
    [SIM_EVENT_EV_CHANGED] = 2000,
    [SIM_EVENT_PORT_CHANGED] = 2000,
    [SIM_EVENT_QP_FAILED] = 1000,
    [SIM_EVENT_TIMEOUT] = 1000,
    [SIM_EVENT_WORKLOAD_DONE] = 1000,
    [SIM_EVENT_STEP] = 0, /* counted in sums */
};

void measure_events_on_completion(void *context, const struct sim_completion *completion)
{
    struct measure_record *record = context;
    struct measure_workload *workload = &record->workloads[completion->workload];
    uint64_t duration_ps = completion->done_ps - completion->posted_ps;

    if (completion->flow == SIM_NO_FLOW)
        measure_push(&record->memory, &workload->collective_ps, duration_ps);
    else
        measure_push(&record->memory, &workload->message_ps, duration_ps);
}

static void take_step(struct measure_record *record, const struct sim_event *event)
{
    struct measure_workload *workload = &record->workloads[event->subject];
    size_t step = (size_t)event->values[1];

    while (workload->step_count <= step) {
        workload->steps = measure_list_grow(&record->memory, workload->steps, workload->step_count,
            &workload->step_room, sizeof(struct measure_step));
        workload->steps[workload->step_count++] = (struct measure_step){ 0 };
    }
    if (event->time_ps > workload->steps[step].end_ps)
        workload->steps[step].end_ps = event->time_ps;
    if (event->values[2] > workload->steps[step].duration_ps)
        workload->steps[step].duration_ps = event->values[2];
}

static void take_ev_change(struct measure_record *record, const struct sim_event *event)
{
    uint64_t to = event->values[2];
    uint64_t cause = event->values[3];
    uint64_t from = event->values[4];

    if (from < EV_STATE_COUNT && to < EV_STATE_COUNT && cause < PATH_SIGNAL_COUNT)
        record->transitions[from][to][cause]++;
}

void measure_events_on_event(void *context, const struct sim_event *event)
{
    struct measure_record *record = context;
    struct measure_event_list *fresh = &record->fresh;

    if (event->kind == SIM_EVENT_STEP) {
        take_step(record, event);
        return;
    }
    if (event->kind == SIM_EVENT_EV_CHANGED)
        take_ev_change(record, event);
    if (event->kind == SIM_EVENT_WORKLOAD_DONE)
        record->workloads[event->subject].done_ps = event->time_ps;
    if (record->kept_of[event->kind] >= kept_max[event->kind]) {
        record->left_out++;
        return;
    }
    fresh->at =
        measure_list_grow(&record->memory, fresh->at, fresh->count, &fresh->room, sizeof(*event));
    fresh->at[fresh->count++] = *event;
}

/* Events of faults at one time, begun or ended, keep the order of the list of faults. */
static enum sim_event_kind rank_of(const struct sim_event *event)
{
    return event->kind == SIM_EVENT_FAULT_ENDED ? SIM_EVENT_FAULT_BEGAN : event->kind;
}

static int by_time(const void *left, const void *right)
{
    const struct sim_event *a = left;
    const struct sim_event *b = right;

    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps ? -1 : 1;
    if (rank_of(a) != rank_of(b))
        return rank_of(a) < rank_of(b) ? -1 : 1;
    if (a->subject != b->subject)
        return a->subject < b->subject ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (size_t i = 0; i < sizeof(a->values) / sizeof(a->values[0]); i++)
        if (a->values[i] != b->values[i])
            return a->values[i] < b->values[i] ? -1 : 1;
    return 0;
}

void measure_events_sort(struct measure_record *record)
{
    struct measure_event_list *fresh = &record->fresh;
    struct measure_event_list *kept = &record->kept;

    heap_sort(fresh->at, fresh->count, sizeof(*fresh->at), by_time);
    for (size_t i = 0; i < fresh->count; i++) {
        const struct sim_event *event = &fresh->at[i];

        if (record->kept_of[event->kind] >= kept_max[event->kind]) {
            record->left_out++;
            continue;
        }
        record->kept_of[event->kind]++;
        kept->at =
            measure_list_grow(&record->memory, kept->at, kept->count, &kept->room, sizeof(*event));
        kept->at[kept->count++] = *event;
    }
    fresh->count = 0;
}
