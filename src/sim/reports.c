/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps and delivers reports. */
#include "sim/reports.h"

#include "sim/agents.h"
#include "sim/packets.h"
#include "sim/shard.h"

void reports_init(struct reports *reports, struct arena *arena, uint32_t room)
{
    *reports = (struct reports){ .all = packets_take_memory(arena, room, sizeof(*reports->all)),
        .room = room };
}

void reports_tell(struct sim *sim, const struct sim_event *event)
{
    const struct sim_observer *observer = &sim->config.observer;

    if (sim->agents && event->kind == SIM_EVENT_EV_CHANGED)
        agents_ev_changed(sim, event);
    if (observer->on_event)
        observer->on_event(observer->context, event);
}

static void tell_completion(struct sim *sim, const struct sim_completion *completion)
{
    const struct sim_observer *observer = &sim->config.observer;

    if (observer->on_completion)
        observer->on_completion(observer->context, completion);
}

/* The last rank finishes the workload. Reports of a window are in the order of nodes, so the rank
 * that is reported last need not be the one that ends last. */
static void rank_finished(struct sim *sim, uint32_t workload, uint64_t now_ps)
{
    uint64_t *finished_ps = &sim->finished_ps[workload];

    *finished_ps = now_ps > *finished_ps ? now_ps : *finished_ps;
    if (--sim->ranks_left[workload] > 0)
        return;
    sim->workloads_left--;
    reports_tell(
        sim, &(struct sim_event){
                 .time_ps = *finished_ps, .kind = SIM_EVENT_WORKLOAD_DONE, .subject = workload });
}

static void deliver_report(struct sim *sim, const struct report *report)
{
    switch (report->kind) {
    case REPORT_EVENT:
        reports_tell(sim, &report->event);
        return;
    case REPORT_COMPLETION:
        tell_completion(sim, &report->completion);
        return;
    case REPORT_RANK_FINISHED:
        rank_finished(sim, report->event.subject, report->event.time_ps);
        return;
    }
}

bool reports_add(struct sim *sim, struct reports *reports, const struct report *report)
{
    if (!reports->all) {
        deliver_report(sim, report);
        return true;
    }
    if (reports->count == reports->room)
        return false;
    reports->all[reports->count] = *report;
    reports->all[reports->count++].node = reports->node;
    return true;
}

/* Returns the reports with the lowest node; NULL: all have been delivered. A shard runs its nodes
 * in ascending order. */
static struct reports *next_reports(struct sim *sim)
{
    struct reports *first = NULL;

    for (uint32_t i = 0; i < sim->shard_count; i++) {
        struct reports *reports = &sim->shards[i].reports;

        if (reports->delivered < reports->count &&
            (!first || reports->all[reports->delivered].node < first->all[first->delivered].node))
            first = reports;
    }
    return first;
}

void reports_deliver(struct sim *sim)
{
    struct reports *next;

    while ((next = next_reports(sim))) {
        uint32_t node = next->all[next->delivered].node;

        while (next->delivered < next->count && next->all[next->delivered].node == node)
            deliver_report(sim, &next->all[next->delivered++]);
    }
    for (uint32_t i = 0; i < sim->shard_count; i++)
        sim->shards[i].reports.count = sim->shards[i].reports.delivered = 0;
}
