/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a NIC for clients that follow, and the last changes of EVs for later requests. */
#include <arpa/inet.h>
#include <stdio.h>

#include "host/engine.h"
#include "host/ev_profile.h"
#include "transport/transport.h"

/* A QP has a peer from RTR on. mrc_ctl.h has no place for it; the socket has. */
static void name_peer(const struct engine *engine, struct status_event *event)
{
    struct qp_attributes attributes;

    if (event->kind == STATUS_PORT ||
        transport_qp_query(engine->transport, event->qpn, &attributes) != 0)
        return;
    event->has_peer = attributes.state >= QP_RTR;
    event->peer = attributes.peer_address;
}

static void push_event(struct engine *engine, const struct status_event *event, uint32_t level)
{
    struct status *status = engine->nic->status;
    struct status_ring *ring;
    uint32_t slot;

    if (!status || atomic_load_explicit(&status->level, memory_order_relaxed) < level)
        return;
    ring = &status->rings[engine->index];
    if (!ring_reserve(&ring->ring, &slot)) {
        atomic_fetch_add_explicit(&status->lost, 1, memory_order_relaxed);
        return;
    }
    ring->events[slot] = *event;
    name_peer(engine, &ring->events[slot]);
    ring_push(&ring->ring);
}

bool status_has_news(const struct engine *engine)
{
    const struct status *status = engine->nic->status;
    uint32_t end = engine->index ? engine->index + 1 : engine->nic->engine_count;
    uint32_t slot;

    for (uint32_t i = engine->index; status && i < end; i++)
        if (ring_peek(&status->rings[i].ring, &slot))
            return true;
    return false;
}

static void on_ev(struct engine *engine, const struct trace_event *trace)
{
    const struct host_qp *qp = transport_qp_owner(engine->transport, trace->subject);
    uint32_t index =
        qp ? path_profile_find(&qp->config.ev_profile->profile, (uint32_t)trace->values[0])
           : PATH_NONE;
    uint32_t from = trace->values[1] >> 8 & 0xff;
    uint32_t to = trace->values[1] & 0xff;
    bool is_routine = from <= EV_SKIP && to <= EV_SKIP;
    uint64_t plane;

    if (index == PATH_NONE)
        return;
    qp->ev_changes[index] =
        (struct status_ev_change){ .at_ms = (uint32_t)(trace->time_ns / 1000000u) | 1u,
            .cause = (uint8_t)trace->values[2] };
    plane = qp->config.ev_profile->entries[index].plane;
    push_event(engine,
        &(struct status_event){ .time_ns = trace->time_ns,
            .kind = STATUS_EV,
            .qpn = trace->subject,
            .values = { trace->values[0], plane << 16 | trace->values[1], trace->values[2] } },
        is_routine ? STATUS_LEVEL_ALL : STATUS_LEVEL_CHANGES);
}

static void pass_on(
    struct engine *engine, enum status_event_kind kind, const struct trace_event *trace)
{
    push_event(engine,
        &(struct status_event){ .time_ns = trace->time_ns,
            .kind = kind,
            .qpn = trace->subject,
            .values = { trace->values[0], trace->values[1], trace->values[2] } },
        STATUS_LEVEL_CHANGES);
}

void status_on_trace(void *context, const struct trace_event *trace)
{
    if (trace->kind == EVENT_EV)
        on_ev(context, trace);
    else if (trace->kind == EVENT_QP_STATE)
        pass_on(context, STATUS_QP, trace);
    else if (trace->kind == EVENT_TIMEOUT)
        pass_on(context, STATUS_TIMEOUT, trace);
}

void status_on_port(
    struct engine *engine, uint32_t port, enum status_port_change change, uint64_t now_ns)
{
    push_event(engine,
        &(struct status_event){
            .time_ns = now_ns, .kind = STATUS_PORT, .values = { port, change } },
        STATUS_LEVEL_CHANGES);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void write_ev(const struct status_event *event, char *line, size_t room)
{
    snprintf(line, room,
        "\"event\":\"ev\",\"qpn\":%u,\"ev\":%llu,\"plane\":%llu,\"from\":\"%s\",\"to\":\"%s\","
        "\"cause\":\"%s\"}\n",
        event->qpn, (unsigned long long)event->values[0],
        (unsigned long long)(event->values[1] >> 16),
        path_state_word((enum path_ev_state)(event->values[1] >> 8 & 0xff)),
        path_state_word((enum path_ev_state)(event->values[1] & 0xff)),
        path_signal_word((enum path_signal)event->values[2]));
}

static void write_port(const struct status_event *event, char *line, size_t room)
{
    static const char *const words[] = { "link_down", "link_up", "unusable", "usable" };

    snprintf(line, room, "\"event\":\"port\",\"port\":%llu,\"change\":\"%s\"}\n",
        (unsigned long long)event->values[0] + 1, words[event->values[1] & 3]);
}

static void write_qp(const struct status_event *event, char *line, size_t room)
{
    snprintf(line, room,
        "\"event\":\"qp\",\"qpn\":%u,\"from\":\"%s\",\"to\":\"%s\",\"cause\":\"%s\"}\n", event->qpn,
        transport_state_word((enum qp_state)event->values[0]),
        transport_state_word((enum qp_state)event->values[1]),
        event->values[1] == QP_ERR
            ? transport_completion_word((enum completion_status)event->values[2])
            : "modify");
}

static void write_timeout(const struct status_event *event, char *line, size_t room)
{
    snprintf(line, room,
        "\"event\":\"timeout\",\"qpn\":%u,\"psn\":%llu,\"timeouts\":%llu,\"interval_ns\":%llu}\n",
        event->qpn, (unsigned long long)event->values[0], (unsigned long long)event->values[1],
        (unsigned long long)event->values[2]);
}

void status_write_event(
    const struct host_nic *nic, const struct status_event *event, char *line, size_t room_bytes)
{
    int length = snprintf(line, room_bytes, "{\"time_ns\":%llu,\"device\":\"%s\",",
        (unsigned long long)event->time_ns, nic->config.name);

    if (event->has_peer) {
        char peer[INET6_ADDRSTRLEN];

        inet_ntop(AF_INET6, event->peer.octets, peer, sizeof(peer));
        length += snprintf(line + length, room_bytes - (size_t)length, "\"peer\":\"%s\",", peer);
    }

    char *rest = line + length;
    size_t room = room_bytes - (size_t)length;

    switch (event->kind) {
    case STATUS_EV:
        write_ev(event, rest, room);
        break;
    case STATUS_PORT:
        write_port(event, rest, room);
        break;
    case STATUS_QP:
        write_qp(event, rest, room);
        break;
    case STATUS_TIMEOUT:
        write_timeout(event, rest, room);
        break;
    }
}
