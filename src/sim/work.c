/* SPDX-License-Identifier: Apache-2.0 */
/* Posts messages, reports completions, and provides memory. */
#include "sim/work.h"

#include <assert.h>
#include <string.h>

#include "sim/account.h"

static struct engine_rank *acting(struct sim *sim)
{
    return &sim->ranks[sim->acting_rank];
}

static uint32_t number_of(const struct sim *sim, const struct engine_flow *flow)
{
    return (uint32_t)(flow - sim->flows);
}

/* ---- actions of ranks ------------------------------------------------------------------------ */

static void send_message(
    void *context, uint32_t number, uint64_t bytes, uint32_t tag, uint64_t now_ps)
{
    struct sim *sim = context;
    struct engine_rank *rank = acting(sim);
    struct engine_flow *flow = &sim->flows[sim->flow_out[rank->first_out + number]];

    assert(flow->posted - flow->completed < flow->depth);
    if (flow->posted == 0)
        flow->started_ps = now_ps;
    flow->messages[flow->posted++ % flow->depth] =
        (struct engine_message){ .posted_ps = now_ps, .bytes = bytes };
    sim->endpoint->post(sim, rank->nic, number_of(sim, flow),
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
    struct sim *sim = context;
    const struct sim_observer *observer = &sim->config.observer;
    const struct engine_rank *rank = acting(sim);

    if (observer->on_completion)
        observer->on_completion(
            observer->context, &(struct sim_completion){ .workload = rank->workload,
                                   .rank = rank->state.rank,
                                   .flow = SIM_NO_FLOW,
                                   .bytes = bytes,
                                   .posted_ps = since_ps,
                                   .done_ps = now_ps });
}

static void stepped(void *context, uint32_t step, uint64_t since_ps, uint64_t now_ps)
{
    struct sim *sim = context;
    const struct engine_rank *rank = acting(sim);

    sim_engine_event(sim, &(struct sim_event){ .time_ps = now_ps,
                              .kind = SIM_EVENT_STEP,
                              .subject = rank->workload,
                              .values = { rank->state.rank, step, now_ps - since_ps } });
}

static void finished(void *context, uint64_t now_ps)
{
    struct sim *sim = context;
    uint32_t workload = acting(sim)->workload;

    if (--sim->ranks_left[workload] > 0)
        return;
    sim->workloads_left--;
    sim_engine_event(
        sim, &(struct sim_event){
                 .time_ps = now_ps, .kind = SIM_EVENT_WORKLOAD_DONE, .subject = workload });
}

void work_init(struct sim *sim)
{
    sim->world = (struct workload_world){ .send = send_message,
        .wake_at = wake_at,
        .completed = completed,
        .stepped = stepped,
        .finished = finished,
        .context = sim };
}

/* ---- events for ranks ------------------------------------------------------------------------ */

static void on_sent(struct sim *sim, struct engine_flow *flow, uint64_t now_ps)
{
    const struct sim_observer *observer = &sim->config.observer;
    const struct engine_message *message = &flow->messages[flow->completed % flow->depth];
    struct engine_rank *rank = &sim->ranks[flow->from];

    assert(flow->completed != flow->posted);
    flow->completed++;
    flow->completed_bytes += message->bytes;
    flow->ended_ps = now_ps;
    if (observer->on_completion)
        observer->on_completion(
            observer->context, &(struct sim_completion){ .workload = flow->workload,
                                   .rank = rank->state.rank,
                                   .flow = number_of(sim, flow),
                                   .bytes = message->bytes,
                                   .posted_ps = message->posted_ps,
                                   .done_ps = now_ps });
    if (flow->account)
        account_expect(sim, flow, flow->completed_bytes, now_ps);
    sim->acting_rank = flow->from;
    workload_on_sent(&rank->state, &sim->world, flow->number_out, now_ps);
}

static void on_received(struct sim *sim, const struct endpoint_event *event, uint64_t now_ps)
{
    const struct engine_flow *flow = &sim->flows[event->flow];

    sim->acting_rank = flow->to;
    workload_on_received(
        &sim->ranks[flow->to].state, &sim->world, flow->number_in, event->tag, now_ps);
}

static void on_event(
    struct sim *sim, uint32_t nic, const struct endpoint_event *event, uint64_t now_ps)
{
    const uint64_t *values = event->values;
    struct sim_event told = { .time_ps = now_ps, .subject = nic };

    switch (event->kind) {
    case ENDPOINT_SENT:
        on_sent(sim, &sim->flows[event->flow], now_ps);
        return;
    case ENDPOINT_RECEIVED:
        on_received(sim, event, now_ps);
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
    sim_engine_event(sim, &told);
}

static void wake_rank(struct sim *sim, uint32_t index, uint64_t now_ps)
{
    struct engine_rank *rank = &sim->ranks[index];

    sim->acting_rank = index;
    rank->wake_ps = SIM_NEVER_PS;
    if (rank->has_started) {
        workload_on_wake(&rank->state, &sim->world, now_ps);
    } else {
        rank->has_started = true;
        workload_on_start(&rank->state, &sim->world, now_ps);
    }
}

/* A NIC has few ranks, and any of them may have changed its wake time. */
static void plan_wakes(struct sim *sim, struct engine_nic *nic)
{
    nic->work_ps = SIM_NEVER_PS;
    for (uint32_t i = nic->first_rank; i != ENGINE_NONE; i = sim->ranks[i].next_on_nic)
        if (sim->ranks[i].wake_ps < nic->work_ps)
            nic->work_ps = sim->ranks[i].wake_ps;
}

void work_turn(struct sim *sim, uint32_t nic_index, uint64_t now_ps)
{
    struct engine_nic *nic = &sim->nics[nic_index];
    bool something_happened = nic->work_ps <= now_ps;
    struct endpoint_event event;

    if (something_happened)
        for (uint32_t i = nic->first_rank; i != ENGINE_NONE; i = sim->ranks[i].next_on_nic)
            if (sim->ranks[i].wake_ps <= now_ps)
                wake_rank(sim, i, now_ps);
    while (sim->endpoint->next_event(sim, nic_index, &event)) {
        on_event(sim, nic_index, &event, now_ps);
        something_happened = true;
    }
    if (something_happened)
        plan_wakes(sim, nic);
}
