/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the record of a running simulation into a live view. */
#include "result/live.h"

void live_init(struct live *live, const struct experiment *experiment, FILE *to)
{
    live->events_told = 0;
    live_view_init(&live->view, to, *experiment->title ? experiment->title : experiment->name,
        experiment->sim.duration_ps);
}

static void tell_fault(
    struct live *live, const struct measure_record *record, const struct sim_event *event)
{
    const struct fault *fault = sim_fault_at(record->sim, event->subject);
    const char *ending = event->kind == SIM_EVENT_FAULT_ENDED ? ": over" : "";
    char name[TOPOLOGY_NAME_BYTES] = "";
    char what[LIVE_VIEW_TEXT_BYTES];

    if (fault->where_count)
        topology_name(&fault->where[0], name);
    if (fault->where_count > 1)
        snprintf(what, sizeof(what), "%s of %s and %u more%s", fault_kind_words[fault->kind], name,
            fault->where_count - 1, ending);
    else
        snprintf(what, sizeof(what), "%s of %s%s", fault_kind_words[fault->kind], name, ending);
    live_view_tell(&live->view, event->time_ps, what);
}

static struct live_view_sample sample_of(const struct measure_record *record)
{
    struct live_view_sample sample = {
        .time_ps = measure_last(&record->time_ps),
        .plane_count = record->plan->sim->fabric->topology.config.plane_count,
        .has_ports = record->plan->sim->fabric->topology.graph,
        .active_evs = measure_last(&record->active_evs),
        .bad_evs = measure_last(&record->bad_evs),
        .queue_peak_bytes = measure_last(&record->queue_peak),
        .trimmed = record->last.totals.trimmed,
        .retransmitted = record->last.totals.transport[COUNTER_DATA_RETRANSMITTED],
    };
    size_t count = record->time_ps.count;
    uint64_t interval_ps = sample.time_ps - (count > 1 ? record->time_ps.at[count - 2] : 0);

    for (uint32_t i = 0; i < record->plan->sim->workload_count; i++) {
        sample.goodput_bps += measure_bps(measure_last(&record->workloads[i].placed), interval_ps);
        sample.ideal_bps += sim_ideal_bps(record->sim, i);
    }
    for (uint32_t plane = 0; plane < sample.plane_count; plane++)
        sample.plane_bps[plane] =
            measure_bps(measure_last(&record->plane_bytes[plane]), interval_ps);
    for (int reason = 0; reason < LOSS_REASON_COUNT; reason++)
        sample.lost += record->last.totals.packets_lost[reason];
    return sample;
}

void live_show(struct live *live, const struct measure_record *record)
{
    struct live_view_sample sample = sample_of(record);

    for (; live->events_told < record->kept.count; live->events_told++) {
        const struct sim_event *event = &record->kept.at[live->events_told];

        if (event->kind == SIM_EVENT_FAULT_BEGAN || event->kind == SIM_EVENT_FAULT_ENDED)
            tell_fault(live, record, event);
    }
    live_view_show(&live->view, &sample);
}

void live_finish(struct live *live)
{
    live_view_finish(&live->view);
}
