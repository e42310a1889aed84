/* SPDX-License-Identifier: Apache-2.0 */
/* Posts messages, reports completions, and provides memory. */
#include "sim/work.h"

#include <assert.h>

#include "sim/account.h"

#define REQUEST_BYTES_MAX (UINT64_C(1) << 31)

static struct engine_rank *acting(struct sim *sim)
{
    return &sim->ranks[sim->acting_rank];
}

static uint32_t number_of(const struct sim *sim, const struct engine_flow *flow)
{
    return (uint32_t)(flow - sim->flows);
}

/* ---- actions of ranks ------------------------------------------------------------------------ */

/* A message is one request, or several if it is too long for one; the last one completes it. */
static void send(void *context, uint32_t number, uint64_t bytes, uint32_t tag, uint64_t now_ps)
{
    struct sim *sim = context;
    struct engine_rank *rank = acting(sim);
    struct engine_flow *flow = &sim->flows[sim->flow_out[rank->first_out + number]];
    uint64_t left = bytes;

    assert(flow->posted - flow->completed < flow->depth);
    if (flow->posted == 0)
        flow->started_ps = now_ps;
    flow->messages[flow->posted++ % flow->depth] =
        (struct engine_message){ .posted_ps = now_ps, .bytes = bytes };
    do {
        bool is_last = left <= REQUEST_BYTES_MAX;
        uint32_t length = (uint32_t)(is_last ? left : REQUEST_BYTES_MAX);
        int err = transport_post_send(sim->nics[rank->nic].transport, flow->qpn_out,
            &(struct work_request){ .remote_va = flow->posted_bytes,
                .rkey = work_key(number_of(sim, flow)),
                .length_bytes = length,
                .immediate = tag,
                .flags = is_last ? WORK_SIGNALED | (flow->tells ? WORK_WITH_IMMEDIATE : 0) : 0 },
            sim_engine_ns(now_ps));

        assert(err == 0);
        (void)err;
        flow->posted_bytes += length;
        left -= length;
    } while (left > 0);
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
    sim->world = (struct workload_world){ .send = send,
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

static void on_received(
    struct sim *sim, uint32_t nic, const struct transport_event *event, uint64_t now_ps)
{
    const struct engine_flow *flow = event->owner;
    int err = transport_post_recv(sim->nics[nic].transport, event->qpn, 0);

    assert(err == 0);
    (void)err;
    sim->acting_rank = flow->to;
    workload_on_received(
        &sim->ranks[flow->to].state, &sim->world, flow->number_in, event->immediate, now_ps);
}

static void on_failed(
    struct sim *sim, uint32_t nic, const struct transport_event *event, uint64_t now_ps)
{
    sim_engine_event(sim, &(struct sim_event){ .time_ps = now_ps,
                              .kind = SIM_EVENT_QP_FAILED,
                              .subject = nic,
                              .values = { event->qpn, event->status } });
}

static void on_ev_changed(
    struct sim *sim, uint32_t nic, const struct transport_event *event, uint64_t now_ps)
{
    struct path_set *paths = transport_qp_paths(sim->nics[nic].transport, event->qpn);

    sim_engine_event(sim, &(struct sim_event){ .time_ps = now_ps,
                              .kind = SIM_EVENT_EV_CHANGED,
                              .subject = nic,
                              .values = { event->qpn, path_ev_of(paths, event->change.ev_index),
                                  event->change.to, event->change.cause, event->change.from } });
}

static void on_event(
    struct sim *sim, uint32_t nic, const struct transport_event *event, uint64_t now_ps)
{
    switch (event->kind) {
    case TRANSPORT_SEND_DONE:
        if (event->status == COMPLETION_SUCCESS)
            on_sent(sim, event->owner, now_ps);
        else
            on_failed(sim, nic, event, now_ps);
        break;
    case TRANSPORT_RECV_DONE:
        if (event->status == COMPLETION_SUCCESS)
            on_received(sim, nic, event, now_ps);
        break;
    case TRANSPORT_QP_REQUEST_ERROR:
    case TRANSPORT_QP_ACCESS_ERROR:
    case TRANSPORT_QP_FATAL:
        on_failed(sim, nic, event, now_ps);
        break;
    case TRANSPORT_PORT_UP:
    case TRANSPORT_PORT_DOWN:
        sim_engine_event(sim, &(struct sim_event){ .time_ps = now_ps,
                                  .kind = SIM_EVENT_PORT_CHANGED,
                                  .subject = nic,
                                  .values = { event->port, event->kind == TRANSPORT_PORT_UP } });
        break;
    case TRANSPORT_EV_CHANGED:
        on_ev_changed(sim, nic, event, now_ps);
        break;
    case TRANSPORT_ENDPOINT_ANSWER:
        break;
    }
}

static void wake(struct sim *sim, uint32_t index, uint64_t now_ps)
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
    struct transport_event event;

    if (something_happened)
        for (uint32_t i = nic->first_rank; i != ENGINE_NONE; i = sim->ranks[i].next_on_nic)
            if (sim->ranks[i].wake_ps <= now_ps)
                wake(sim, i, now_ps);
    while (transport_next_event(nic->transport, &event)) {
        on_event(sim, nic_index, &event, now_ps);
        something_happened = true;
    }
    if (something_happened)
        plan_wakes(sim, nic);
}

/* ---- memory ---------------------------------------------------------------------------------- */

enum transport_access work_place(void *context, void *owner, uint32_t qpn, uint32_t rkey,
    uint64_t va, const struct payload *payload)
{
    struct sim *sim = context;
    struct engine_flow *flow = owner;

    (void)qpn;
    if (rkey != work_key(number_of(sim, flow)) || va + payload->length > flow->posted_bytes)
        return TRANSPORT_ACCESS_REFUSED;
    flow->placed_bytes += payload->length;
    sim->plane_bytes[sim->arriving_plane] += payload->length;
    if (flow->account)
        account_place(sim, flow, va, payload->length);
    return TRANSPORT_ACCESS_OK;
}
