/* SPDX-License-Identifier: Apache-2.0 */
/* Takes samples of a running simulation. */
#include "measure/measure.h"

#include <string.h>

#include "measure/measure_events.h"
#include "measure/measure_links.h"
#include "measure/measure_list.h"
#include "measure/measure_moment.h"
#include "measure/measure_occupancy.h"
#include "measure/measure_qps.h"

void measure_init(struct measure_record *record, const struct measure_plan *plan,
    const struct allocator *memory, struct sim_observer *observer)
{
    *record =
        (struct measure_record){ .plan = plan, .memory = *memory, .observed_flow = MEASURE_NONE };
    record->workloads =
        allocator_take_surely(memory, plan->sim->workload_count, sizeof(*record->workloads));
    for (uint32_t i = 0; i < plan->sim->workload_count; i++)
        record->workloads[i].done_ps = SIM_NEVER_PS;
    record->spans = allocator_take_surely(memory, plan->phase_count, sizeof(*record->spans));
    observer->on_event = measure_events_on_event;
    observer->on_completion = measure_events_on_completion;
    observer->context = record;
}

static void find_observed(struct measure_record *record)
{
    const struct measure_observe *observe = &record->plan->observe;

    if (observe->workload == MEASURE_NONE)
        return;
    for (uint32_t i = 0; i < record->flow_count; i++) {
        struct sim_flow flow;

        sim_flow_at(record->sim, i, &flow);
        if (flow.workload == observe->workload && flow.from_rank == observe->from_rank &&
            (observe->to_rank == MEASURE_NONE || flow.to_rank == observe->to_rank)) {
            record->observed_flow = i;
            return;
        }
    }
}

void measure_attach(
    struct measure_record *record, struct sim *sim, const struct measure_capacity *capacity)
{
    record->sim = sim;
    record->capacity = capacity;
    record->flow_count = sim_flow_count(sim);
    find_observed(record);
    measure_qps_choose(record);
}

static void free_workload(struct measure_record *record, struct measure_workload *workload)
{
    measure_free(&record->memory, &workload->message_ps);
    measure_free(&record->memory, &workload->collective_ps);
    measure_free(&record->memory, &workload->placed);
    measure_free(&record->memory, &workload->capacity_bits);
    allocator_free(&record->memory, workload->steps);
}

static void free_spans(struct measure_record *record)
{
    for (uint32_t i = 0; i < record->plan->phase_count; i++) {
        measure_moment_fini(record, &record->spans[i].from);
        measure_moment_fini(record, &record->spans[i].until);
        measure_detail_fini(record, &record->spans[i].from_detail);
        measure_detail_fini(record, &record->spans[i].until_detail);
    }
    allocator_free(&record->memory, record->spans);
}

void measure_fini(struct measure_record *record)
{
    struct measure_numbers *series[] = { &record->time_ps, &record->queue_peak,
        &record->queue_where, &record->active_evs, &record->bad_evs, &record->trimmed,
        &record->marked, &record->retransmitted, &record->look_ps, &record->look_bytes,
        &record->look_bits, &record->data_losses };

    for (uint32_t i = 0; i < record->plan->sim->workload_count; i++)
        free_workload(record, &record->workloads[i]);
    free_spans(record);
    for (size_t i = 0; i < record->link_count; i++)
        measure_free(&record->memory, &record->links[i].samples);
    for (uint32_t plane = 0; plane < TOPOLOGY_PLANES_MAX; plane++)
        measure_free(&record->memory, &record->plane_bytes[plane]);
    for (size_t i = 0; i < sizeof(series) / sizeof(series[0]); i++)
        measure_free(&record->memory, series[i]);
    allocator_free(&record->memory, record->workloads);
    allocator_free(&record->memory, record->links);
    allocator_free(&record->memory, record->fresh.at);
    allocator_free(&record->memory, record->kept.at);
    allocator_free(&record->memory, record->lost_of_port);
    allocator_free(&record->memory, record->loss_of_link);
    allocator_free(&record->memory, record->ev_states);
    allocator_free(&record->memory, record->occupancy.busy_of_port);
    measure_qps_fini(record);
    measure_moment_fini(record, &record->last);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Node and port both fit into 32 bits and share one number. */
static uint64_t pack_end(const struct topology_end *end)
{
    return (uint64_t)end->is_nic << 63 | (uint64_t)end->port << 32 | end->node;
}

struct topology_end measure_unpack(uint64_t packed)
{
    return (struct topology_end){
        .is_nic = packed >> 63,
        .port = (uint32_t)(packed >> 32) & 0x7fffffff,
        .node = (uint32_t)packed,
    };
}

static void sample_ev_states(struct measure_record *record)
{
    static const char letters[EV_STATE_COUNT] = {
        [EV_GOOD] = 'G',
        [EV_SKIP] = 'S',
        [EV_SUSPECT] = 'U',
        [EV_ASSUMED_BAD] = 'B',
        [EV_DENIED] = 'D',
    };
    struct sim_ev evs[PATH_EV_COUNT_MAX];
    uint32_t count;

    if (record->observed_flow == MEASURE_NONE)
        return;
    count = sim_flow_evs(record->sim, record->observed_flow, evs);
    for (uint32_t i = 0; i < count; i++) {
        char letter = letters[evs[i].state];

        record->ev_states = measure_list_grow(&record->memory, record->ev_states,
            record->ev_states_bytes, &record->ev_states_room, 1);
        if (!evs[i].is_active)
            letter = (char)(letter - 'A' + 'a');
        record->ev_states[record->ev_states_bytes++] = letter;
    }
}

static void sample_queues(struct measure_record *record)
{
    struct topology_end where = { 0 };

    measure_push(&record->memory, &record->queue_peak, sim_queue_peak(record->sim, &where));
    measure_push(&record->memory, &record->queue_where, pack_end(&where));
}

static void push_difference(
    struct measure_record *record, struct measure_numbers *numbers, uint64_t now, uint64_t before)
{
    measure_push(&record->memory, numbers, now - before);
}

static void sample_workloads(struct measure_record *record, const struct measure_moment *now)
{
    const struct measure_moment *last = &record->last;

    for (uint32_t i = 0; i < record->plan->sim->workload_count; i++) {
        push_difference(record, &record->workloads[i].placed, now->workload_bytes[i],
            last->workload_bytes ? last->workload_bytes[i] : 0);
        push_difference(record, &record->workloads[i].capacity_bits, now->workload_bits[i],
            last->workload_bits ? last->workload_bits[i] : 0);
    }
}

void measure_sample(struct measure_record *record)
{
    struct measure_moment now = measure_moment_of(record);
    const struct measure_moment *last = &record->last;

    measure_events_sort(record);
    measure_push(&record->memory, &record->time_ps, now.time_ps);
    sample_workloads(record, &now);
    for (uint32_t plane = 0; plane < record->plan->sim->fabric->topology.config.plane_count;
         plane++)
        push_difference(
            record, &record->plane_bytes[plane], now.plane_bytes[plane], last->plane_bytes[plane]);
    push_difference(record, &record->trimmed, now.totals.trimmed, last->totals.trimmed);
    push_difference(record, &record->marked, now.totals.marked, last->totals.marked);
    push_difference(record, &record->retransmitted,
        now.totals.transport[COUNTER_DATA_RETRANSMITTED],
        last->totals.transport[COUNTER_DATA_RETRANSMITTED]);
    measure_moment_evs(record, &now);
    measure_push(&record->memory, &record->active_evs, now.active_evs);
    measure_push(&record->memory, &record->bad_evs, now.bad_evs);
    sample_queues(record);
    if (record->deadlock.link_count == 0 && sim_deadlock(record->sim, &record->deadlock))
        record->deadlock_ps = now.time_ps;
    sample_ev_states(record);
    measure_qps_sample(record);
    measure_occupancy_sample(record);
    if (memcmp(now.totals.packets_lost, last->totals.packets_lost,
            sizeof(now.totals.packets_lost)) != 0)
        measure_links_sample(record);
    measure_moment_fini(record, &record->last);
    record->last = now;
}

bool measure_span_of(
    const struct measure_record *record, uint32_t workload, uint64_t *from_ps, uint64_t *until_ps)
{
    uint64_t first_ps = SIM_NEVER_PS;
    uint64_t last_ps = 0;
    bool is_done = true;

    for (uint32_t i = 0; i < record->flow_count; i++) {
        struct sim_flow flow;

        sim_flow_at(record->sim, i, &flow);
        if (flow.workload != workload || !flow.posted_bytes)
            continue;
        if (flow.started_ps < first_ps)
            first_ps = flow.started_ps;
        if (flow.ended_ps > last_ps)
            last_ps = flow.ended_ps;
        is_done = is_done && flow.completed_bytes == flow.posted_bytes;
    }
    *from_ps = first_ps;
    *until_ps = sim_now_ps(record->sim);
    if (is_done && record->workloads[workload].done_ps != SIM_NEVER_PS)
        *until_ps = record->workloads[workload].done_ps;
    else if (is_done && record->plan->sim->workloads[workload].iterations)
        *until_ps = last_ps;
    return first_ps < *until_ps;
}
