/* SPDX-License-Identifier: Apache-2.0 */
/* Posts messages, reports completions, and provides memory. */
#include "sim/work.h"

#include <assert.h>
#include <string.h>

#include "sim/loans.h"

static struct engine_rank *acting(struct shard *shard)
{
    return &shard->sim->ranks[shard->acting_rank];
}

static uint32_t number_of(const struct shard *shard, const struct engine_flow *flow)
{
    return (uint32_t)(flow - shard->sim->flows);
}

/* ---- actions of ranks ------------------------------------------------------------------------ */

static void send_message(
    void *context, uint32_t number, uint64_t bytes, uint32_t tag, uint64_t now_ps)
{
    struct shard *shard = context;
    struct engine_rank *rank = acting(shard);
    struct engine_flow *flow = &shard->sim->flows[shard->sim->flow_out[rank->first_out + number]];

    assert(flow->posted - flow->completed < flow->depth);
    if (flow->posted == 0)
        flow->started_ps = now_ps;
    flow->messages[flow->posted++ % flow->depth] =
        (struct engine_message){ .posted_ps = now_ps, .bytes = bytes };
    shard->endpoint->post(shard, rank->nic, number_of(shard, flow),
        &(struct endpoint_message){
            .offset_bytes = flow->posted_bytes, .bytes = bytes, .tag = tag, .tells = flow->tells },
        now_ps);
    flow->posted_bytes += bytes;
}

static void wake_at(void *context, uint64_t time_ps)
{
    acting(context)->wake_ps = time_ps;
}

static void completed(void *context, uint64_t bytes, uint64_t since_ps, uint64_t now_ps)
{
    struct shard *shard = context;
    const struct engine_rank *rank = acting(shard);

    shard_report(shard, &(struct report){ .kind = REPORT_COMPLETION,
                            .completion = { .workload = rank->workload,
                                .rank = rank->state.rank,
                                .flow = SIM_NO_FLOW,
                                .bytes = bytes,
                                .posted_ps = since_ps,
                                .done_ps = now_ps } });
}

static void stepped(void *context, uint32_t step, uint64_t since_ps, uint64_t now_ps)
{
    struct shard *shard = context;
    const struct engine_rank *rank = acting(shard);

    shard_report_event(shard, &(struct sim_event){ .time_ps = now_ps,
                                  .kind = SIM_EVENT_STEP,
                                  .subject = rank->workload,
                                  .values = { rank->state.rank, step, now_ps - since_ps } });
}

/* Returns the number of flows that a rank sends. */
static uint32_t flows_out(const struct sim *sim, uint32_t rank)
{
    uint32_t end = rank + 1 < sim->rank_count ? sim->ranks[rank + 1].first_out : sim->flow_count;

    return end - sim->ranks[rank].first_out;
}

static void end_flows(struct shard *shard, uint64_t now_ps)
{
    const struct sim *sim = shard->sim;
    const uint32_t *flows = &sim->flow_out[acting(shard)->first_out];

    for (uint32_t i = 0; i < flows_out(sim, shard->acting_rank); i++)
        if (sim->flows[flows[i]].posted == sim->flows[flows[i]].completed)
            loans_end(shard, &sim->flows[flows[i]], now_ps);
}

static void finished(void *context, uint64_t now_ps)
{
    struct shard *shard = context;

    end_flows(shard, now_ps);
    shard_report(shard, &(struct report){ .kind = REPORT_RANK_FINISHED,
                            .event = { .time_ps = now_ps, .subject = acting(shard)->workload } });
}

void work_init(struct shard *shard)
{
    shard->world = (struct workload_world){ .send = send_message,
        .wake_at = wake_at,
        .completed = completed,
        .stepped = stepped,
        .finished = finished,
        .context = shard };
}

/* ---- events for ranks ------------------------------------------------------------------------ */

static void on_sent(struct shard *shard, struct engine_flow *flow, uint64_t now_ps)
{
    const struct engine_message *message = &flow->messages[flow->completed % flow->depth];
    struct engine_rank *rank = &shard->sim->ranks[flow->from];

    assert(flow->completed != flow->posted);
    flow->completed++;
    flow->completed_bytes += message->bytes;
    flow->ended_ps = now_ps;
    shard_report(shard, &(struct report){ .kind = REPORT_COMPLETION,
                            .completion = { .workload = flow->workload,
                                .rank = rank->state.rank,
                                .flow = number_of(shard, flow),
                                .bytes = message->bytes,
                                .posted_ps = message->posted_ps,
                                .done_ps = now_ps } });
    shard->acting_rank = flow->from;
    workload_on_sent(&rank->state, &shard->world, flow->number_out, now_ps);
    if (flow->posted == flow->completed &&
        workload_flow_is_over(&rank->state, flow->number_out, flow->completed))
        loans_end(shard, flow, now_ps);
}

static void on_received(struct shard *shard, const struct endpoint_event *event, uint64_t now_ps)
{
    const struct engine_flow *flow = &shard->sim->flows[event->flow];

    shard->acting_rank = flow->to;
    workload_on_received(
        &shard->sim->ranks[flow->to].state, &shard->world, flow->number_in, event->tag, now_ps);
}

static void on_event(
    struct shard *shard, uint32_t nic, const struct endpoint_event *event, uint64_t now_ps)
{
    const uint64_t *values = event->values;
    struct sim_event told = { .time_ps = now_ps, .subject = nic };

    switch (event->kind) {
    case ENDPOINT_SENT:
        on_sent(shard, &shard->sim->flows[event->flow], now_ps);
        return;
    case ENDPOINT_RECEIVED:
        on_received(shard, event, now_ps);
        return;
    case ENDPOINT_FAILED:
        told.kind = SIM_EVENT_QP_FAILED;
        told.values[0] = event->qpn;
        told.values[1] = values[0];
        break;
    case ENDPOINT_PORT_CHANGED:
        told.kind = SIM_EVENT_PORT_CHANGED;
        told.values[0] = values[0];
        told.values[1] = values[1];
        break;
    case ENDPOINT_PATH_CHANGED:
        told.kind = SIM_EVENT_EV_CHANGED;
        told.values[0] = event->qpn;
        memcpy(&told.values[1], values, sizeof(event->values));
        break;
    }
    shard_report_event(shard, &told);
}

static void wake_rank(struct shard *shard, uint32_t index, uint64_t now_ps)
{
    struct engine_rank *rank = &shard->sim->ranks[index];

    shard->acting_rank = index;
    rank->wake_ps = SIM_NEVER_PS;
    if (rank->has_started) {
        workload_on_wake(&rank->state, &shard->world, now_ps);
    } else {
        rank->has_started = true;
        workload_on_start(&rank->state, &shard->world, now_ps);
    }
}

/* A NIC has few ranks, and any of them may have changed its wake time. */
static void plan_wakes(struct shard *shard, struct engine_nic *nic)
{
    nic->work_ps = SIM_NEVER_PS;
    for (uint32_t i = nic->first_rank; i != ENGINE_NONE; i = shard->sim->ranks[i].next_on_nic)
        if (shard->sim->ranks[i].wake_ps < nic->work_ps)
            nic->work_ps = shard->sim->ranks[i].wake_ps;
}

void work_turn(struct shard *shard, uint32_t nic_index, uint64_t now_ps)
{
    struct engine_nic *nic = &shard->nics[nic_index];
    bool something_happened = nic->work_ps <= now_ps;
    struct endpoint_event event;

    if (something_happened)
        for (uint32_t i = nic->first_rank; i != ENGINE_NONE; i = shard->sim->ranks[i].next_on_nic)
            if (shard->sim->ranks[i].wake_ps <= now_ps)
                wake_rank(shard, i, now_ps);
    while (shard->endpoint->next_event(shard, nic_index, &event)) {
        on_event(shard, nic_index, &event, now_ps);
        something_happened = true;
    }
    if (something_happened)
        plan_wakes(shard, nic);
}
