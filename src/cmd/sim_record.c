/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of a running simulation. */
#include "cmd/sim_record.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/sim_record_events.h"
#include "cmd/sim_record_links.h"
#include "switch/switch.h"

void sim_record_init(
    struct sim_record *record, const struct experiment *experiment, struct sim_observer *observer)
{
    *record = (struct sim_record){ .experiment = experiment, .observed_flow = EXPERIMENT_NONE };
    record->workloads = sim_list_take(experiment->sim.workload_count, sizeof(*record->workloads));
    for (uint32_t i = 0; i < experiment->sim.workload_count; i++)
        record->workloads[i].done_ps = SIM_NEVER_PS;
    record->spans = sim_list_take(experiment->phase_count, sizeof(*record->spans));
    observer->on_event = sim_record_on_event;
    observer->on_completion = sim_record_on_completion;
    observer->context = record;
}

static void find_observed(struct sim_record *record)
{
    const struct experiment_observe *observe = &record->experiment->observe;

    if (observe->workload == EXPERIMENT_NONE)
        return;
    for (uint32_t i = 0; i < record->flow_count; i++) {
        struct sim_flow flow;

        sim_flow_at(record->sim, i, &flow);
        if (flow.workload == observe->workload && flow.from_rank == observe->from_rank &&
            (observe->to_rank == EXPERIMENT_NONE || flow.to_rank == observe->to_rank)) {
            record->observed_flow = i;
            return;
        }
    }
}

void sim_record_attach(struct sim_record *record, struct sim *sim)
{
    record->sim = sim;
    record->flow_count = sim_flow_count(sim);
    find_observed(record);
}

void sim_record_fini(struct sim_record *record)
{
    for (uint32_t i = 0; i < record->experiment->sim.workload_count; i++) {
        free(record->workloads[i].message_ps.at);
        free(record->workloads[i].collective_ps.at);
        free(record->workloads[i].placed.at);
        free(record->workloads[i].steps);
    }
    for (uint32_t i = 0; i < record->experiment->phase_count; i++) {
        free(record->spans[i].from.workload_bytes);
        free(record->spans[i].until.workload_bytes);
        sim_record_detail_fini(&record->spans[i].from_detail);
        sim_record_detail_fini(&record->spans[i].until_detail);
    }
    for (size_t i = 0; i < record->link_count; i++)
        free(record->links[i].samples.at);
    for (uint32_t plane = 0; plane < FABRIC_PLANES_MAX; plane++)
        free(record->plane_bytes[plane].at);
    free(record->workloads);
    free(record->spans);
    free(record->links);
    free(record->fresh.at);
    free(record->kept.at);
    free(record->time_ps.at);
    free(record->queue_peak.at);
    free(record->queue_where.at);
    free(record->active_evs.at);
    free(record->bad_evs.at);
    free(record->trimmed.at);
    free(record->marked.at);
    free(record->retransmitted.at);
    free(record->lost_of_port);
    free(record->loss_of_link);
    free(record->ev_states);
    free(record->last.workload_bytes);
}

/* ---- moments --------------------------------------------------------------------------------- */

static void count_evs(const struct sim_record *record, uint64_t *active, uint64_t *bad)
{
    *active = 0;
    *bad = 0;
    for (uint32_t i = 0; i < record->flow_count; i++) {
        const struct path_set *paths = sim_flow_paths(record->sim, i);

        if (!paths)
            continue;
        *active += path_usable_count(paths);
        *bad += path_bad_count(paths);
    }
}

static struct sim_moment look(const struct sim_record *record)
{
    struct sim_moment moment = { .time_ps = sim_now_ps(record->sim) };
    uint32_t workload_count = record->experiment->sim.workload_count;

    sim_totals(record->sim, &moment.totals);
    sim_plane_bytes(record->sim, moment.plane_bytes);
    moment.workload_bytes = sim_list_take(workload_count, sizeof(*moment.workload_bytes));
    for (uint32_t i = 0; i < record->flow_count; i++) {
        struct sim_flow flow;

        sim_flow_at(record->sim, i, &flow);
        moment.workload_bytes[flow.workload] += flow.placed_bytes;
    }
    return moment;
}

/* Data packets that left by one end of a link. */
static uint64_t packets_from(struct sim *sim, struct fabric_end end)
{
    struct sim_queue queue;

    return sim_queue_at(sim, end, &queue) ? queue.counters->value[PORT_COUNTER_DATA_PACKETS] : 0;
}

static void count_link(
    const struct sim_record *record, const struct fabric_element *link, uint64_t packets[2])
{
    const struct fabric *fabric = &record->experiment->fabric;
    struct fabric_element t0 = { .kind = FABRIC_T0, .plane = link->plane, .t0 = link->t0 };
    struct fabric_end lower = { .is_nic = true, .node = link->nic, .port = link->plane };
    struct fabric_end upper;

    if (link->kind == FABRIC_UPLINK)
        lower = (struct fabric_end){ .node = fabric_switch_index(fabric, &t0),
            .port = fabric->config.hosts_per_t0 + link->t1 };
    if (!fabric_peer(fabric, lower, &upper))
        return;
    packets[0] = packets_from(record->sim, lower);
    packets[1] = packets_from(record->sim, upper);
}

struct sim_detail sim_record_detail(const struct sim_record *record)
{
    const struct experiment *experiment = record->experiment;
    struct sim_detail detail = {
        .flow_bytes = sim_list_take(record->flow_count, sizeof(uint64_t)),
        .link_packets = sim_list_take(2 * (size_t)experiment->watch_count, sizeof(uint64_t)),
    };

    for (uint32_t i = 0; i < record->flow_count; i++) {
        struct sim_flow flow;

        sim_flow_at(record->sim, i, &flow);
        detail.flow_bytes[i] = flow.placed_bytes;
    }
    for (uint32_t i = 0; i < experiment->watch_count; i++)
        count_link(record, &experiment->watches[i].link, &detail.link_packets[2 * (size_t)i]);
    return detail;
}

void sim_record_detail_fini(struct sim_detail *detail)
{
    free(detail->flow_bytes);
    free(detail->link_packets);
}

void sim_record_phases(struct sim_record *record)
{
    uint64_t now_ps = sim_now_ps(record->sim);

    for (uint32_t i = 0; i < record->experiment->phase_count; i++) {
        const struct experiment_phase *phase = &record->experiment->phases[i];
        struct sim_span *span = &record->spans[i];

        if (!span->from.workload_bytes && now_ps >= phase->from_ps) {
            span->from = look(record);
            span->from_detail = sim_record_detail(record);
        }
        if (span->from.workload_bytes && !span->until.workload_bytes && now_ps >= phase->until_ps) {
            span->until = look(record);
            span->until_detail = sim_record_detail(record);
            count_evs(record, &span->until.active_evs, &span->until.bad_evs);
        }
    }
}

/* ---- samples --------------------------------------------------------------------------------- */

/* A NIC or switch has fewer than 2^32 ports and nodes: node and port share a number. */
static uint64_t pack(const struct fabric_end *end)
{
    return (uint64_t)end->is_nic << 63 | (uint64_t)end->port << 32 | end->node;
}

struct fabric_end sim_record_unpack(uint64_t packed)
{
    return (struct fabric_end){
        .is_nic = packed >> 63,
        .port = (uint32_t)(packed >> 32) & 0x7fffffff,
        .node = (uint32_t)packed,
    };
}

static void sample_ev_states(struct sim_record *record)
{
    static const char letters[EV_STATE_COUNT] = {
        [EV_GOOD] = 'G',
        [EV_SKIP] = 'S',
        [EV_ASSUMED_BAD] = 'B',
        [EV_DENIED] = 'D',
    };
    const struct path_set *paths;

    if (record->observed_flow == EXPERIMENT_NONE)
        return;
    paths = sim_flow_paths(record->sim, record->observed_flow);
    for (uint32_t ev = 0; paths && ev < path_ev_count(paths); ev++) {
        char letter = letters[path_state_of(paths, ev)];

        record->ev_states =
            sim_list_grow(record->ev_states, record->ev_states_bytes, &record->ev_states_room, 1);
        if (!path_is_active(paths, ev))
            letter = (char)(letter - 'A' + 'a');
        record->ev_states[record->ev_states_bytes++] = letter;
    }
}

static void sample_queues(struct sim_record *record)
{
    struct fabric_end where = { 0 };

    sim_numbers_push(&record->queue_peak, sim_queue_peak(record->sim, &where));
    sim_numbers_push(&record->queue_where, pack(&where));
}

static void push_difference(struct sim_numbers *numbers, uint64_t now, uint64_t before)
{
    sim_numbers_push(numbers, now - before);
}

void sim_record_sample(struct sim_record *record)
{
    struct sim_moment now = look(record);
    const struct sim_moment *last = &record->last;

    sim_record_sort_events(record);
    sim_numbers_push(&record->time_ps, now.time_ps);
    for (uint32_t i = 0; i < record->experiment->sim.workload_count; i++)
        push_difference(&record->workloads[i].placed, now.workload_bytes[i],
            last->workload_bytes ? last->workload_bytes[i] : 0);
    for (uint32_t plane = 0; plane < record->experiment->fabric.config.plane_count; plane++)
        push_difference(
            &record->plane_bytes[plane], now.plane_bytes[plane], last->plane_bytes[plane]);
    push_difference(&record->trimmed, now.totals.trimmed, last->totals.trimmed);
    push_difference(&record->marked, now.totals.marked, last->totals.marked);
    push_difference(&record->retransmitted, now.totals.transport[COUNTER_DATA_RETRANSMITTED],
        last->totals.transport[COUNTER_DATA_RETRANSMITTED]);
    count_evs(record, &now.active_evs, &now.bad_evs);
    sim_numbers_push(&record->active_evs, now.active_evs);
    sim_numbers_push(&record->bad_evs, now.bad_evs);
    sample_queues(record);
    sample_ev_states(record);
    if (memcmp(now.totals.packets_lost, last->totals.packets_lost,
            sizeof(now.totals.packets_lost)) != 0)
        sim_record_sample_losses(record);
    free(record->last.workload_bytes);
    record->last = now;
}

bool sim_record_span_of(
    const struct sim_record *record, uint32_t workload, uint64_t *from_ps, uint64_t *until_ps)
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
    else if (is_done && record->experiment->sim.workloads[workload].iterations)
        *until_ps = last_ps;
    return first_ps < *until_ps;
}
