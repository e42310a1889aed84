/* SPDX-License-Identifier: Apache-2.0 */
/* Driving the transports: packets in, events and packets out, timers. */
#include "network_state.h"

#include <assert.h>
#include <stdlib.h>

#include "pattern.h"

enum {
    BATCH_MAX = 16,
    LOG_MAX = 4096,
    QP_COUNT_MAX = 256,
    CLOCK_BITS = 41, /* hosts have been up for half an hour or so */
};

static enum transport_access place(void *context, void *owner, uint32_t qpn, uint32_t rkey,
    uint64_t va, const struct payload *payload)
{
    struct host *host = context;

    (void)owner;
    return traffic_place(host->network, host->index, qpn, rkey, va, payload);
}

void host_init(struct network *network, uint32_t index)
{
    struct host *host = &network->hosts[index];
    struct prng prng = prng_stream(network->config.seed, 0x100 + index);
    struct transport_config config = {
        .address = network_address(index),
        .port_count = network->config.plane_count,
        .qp_count_max = QP_COUNT_MAX,
        .seed = prng_next(&prng),
        .nak_write_imm_limit = network->config.format->nak_write_imm_limit,
        .memory = { .place = place, .context = host },
        .trace = network->config.trace,
        .parameters = network->config.parameters,
    };
    struct arena arena;

    *host = (struct host){ .network = network,
        .index = index,
        .clock_ns = prng_next(&prng) >> (64 - CLOCK_BITS),
        .timer_ps = UINT64_MAX,
        .ports_up = (UINT32_C(1) << network->config.plane_count) - 1 };
    arena_init(&arena, NULL, 0);
    transport_init(&arena, &config);
    host->memory = aligned_alloc(64, (arena.used_bytes + 63) / 64 * 64);
    assert(host->memory);
    arena_init(&arena, host->memory, arena.used_bytes);
    host->transport = transport_init(&arena, &config);
}

void host_fini(struct host *host)
{
    free(host->memory);
}

uint64_t network_clock_ns(const struct network *network, uint32_t host)
{
    return network->hosts[host].clock_ns + network->now_ps / 1000;
}

/* ---- in ------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static void note_delivery(struct network *network, uint32_t host, const struct packet *packet)
{
    const uint64_t values[] = { network->now_ps, host, packet->psn.value, packet->ev,
        packet->dest_qpn, packet->opcode, packet->flags, packet->class, packet->ecn };

    for (uint32_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        network->hash = mix(network->hash, values[i]);
}

/* Received payload is bytes or nothing; sent payload was a place in a request. */
static void resolve_payload(struct network *network, uint64_t key, struct packet *packet)
{
    struct payload *payload = &packet->write.payload;
    bool is_trimmed = dscp_is_trimmed((enum dscp_class)packet->class);

    if (!opcode_is_write(packet->opcode) || network->config.payload == NETWORK_FRAMES)
        return;
    if (network->config.payload == NETWORK_BYTES && !is_trimmed) {
        assert(payload->length <= sizeof(network->scratch));
        pattern_fill(network->scratch, key, payload->offset_bytes, payload->length);
        payload->bytes = network->scratch;
    } else {
        payload->bytes = NULL;
    }
}

enum drop_reason host_receive(
    struct network *network, uint32_t from, uint32_t host, uint64_t key, struct packet *packet)
{
    const struct network_filter *filter = &network->config.filter;

    resolve_payload(network, key, packet);
    note_delivery(network, host, packet);
    if (filter->on_deliver)
        filter->on_deliver(filter->context,
            &(struct network_sight){
                .time_ps = network->now_ps, .from = from, .to = host, .packet = packet });
    return transport_receive(
        network->hosts[host].transport, packet, network_clock_ns(network, host));
}

/* ---- out ------------------------------------------------------------------------------------ */

static void keep(struct network *network, uint32_t host, const struct transport_event *event)
{
    bool is_success = (event->kind == TRANSPORT_SEND_DONE || event->kind == TRANSPORT_RECV_DONE) &&
                      event->status == COMPLETION_SUCCESS;

    network->hosts[host].events[event->kind]++;
    if (is_success || network->log_count == LOG_MAX)
        return;
    if (!network->log) {
        network->log = malloc(LOG_MAX * sizeof(*network->log));
        assert(network->log);
    }
    network->log[network->log_count++] =
        (struct network_event){ .time_ps = network->now_ps, .host = host, .event = *event };
}

static void fetch_events(struct network *network, uint32_t host)
{
    struct transport_event event;

    while (transport_next_event(network->hosts[host].transport, &event)) {
        keep(network, host, &event);
        traffic_on_event(network, host, &event);
    }
}

/* Ports with room, and how many packets fit into each of them. */
static uint32_t ready_ports(const struct network *network, const struct host *host, uint32_t *room)
{
    uint32_t ready = 0;

    *room = BATCH_MAX;
    if (network->config.delays_only)
        return host->ports_up;
    for (uint32_t port = 0; port < network->config.plane_count; port++) {
        const struct port_queue *queues =
            network->ports.all[ports_of_nic(&network->ports, host->index, port)].queues;
        uint32_t waiting = queues[PORT_DATA].count + queues[PORT_CONTROL].count;

        if (!(host->ports_up >> port & 1) || waiting >= network->config.room_packets)
            continue;
        ready |= UINT32_C(1) << port;
        if (network->config.room_packets - waiting < *room)
            *room = network->config.room_packets - waiting;
    }
    return ready;
}

static void send_packet(
    struct network *network, uint32_t host, uint32_t ready, const struct packet *packet)
{
    if (!(ready >> packet->port & 1))
        network_violation(
            network, "host %u sends by port %u, which is not ready", host, packet->port);
    traffic_on_sent(network, packet);
    carry_packet(network, host, packet, traffic_key(network, host, packet));
}

static void send_all(struct network *network, uint32_t host)
{
    struct transport *transport = network->hosts[host].transport;
    struct packet batch[BATCH_MAX];
    uint32_t room;
    uint32_t ready;
    uint32_t count;

    while ((ready = ready_ports(network, &network->hosts[host], &room)) != 0) {
        count = transport_send(transport, ready, batch, room, network_clock_ns(network, host));
        for (uint32_t i = 0; i < count; i++)
            send_packet(network, host, ready, &batch[i]);
        if (count == 0)
            break;
    }
}

/* A deadline that has passed is served a nanosecond from now: a transport that keeps one must not
 * stop time. */
static void set_timer(struct network *network, struct host *host)
{
    uint64_t deadline_ns = transport_deadline_ns(host->transport);
    uint64_t earliest_ns = network_clock_ns(network, host->index) + 1;
    uint64_t timer_ps;

    if (deadline_ns == UINT64_MAX)
        return;
    if (deadline_ns < earliest_ns)
        deadline_ns = earliest_ns;
    timer_ps = (deadline_ns - host->clock_ns) * 1000;
    if (timer_ps >= host->timer_ps)
        return;
    host->timer_ps = timer_ps;
    event_queue_push(&network->events, timer_ps, NETWORK_TIMER, host->index);
}

void host_touch(struct network *network, uint32_t host)
{
    fetch_events(network, host);
    send_all(network, host);
    fetch_events(network, host);
    set_timer(network, &network->hosts[host]);
    if (network->config.checks)
        transport_check(network->hosts[host].transport);
}

void host_on_timer(struct network *network, uint32_t index)
{
    struct host *host = &network->hosts[index];

    if (network->now_ps != host->timer_ps)
        return; /* an earlier one took its place */
    host->timer_ps = UINT64_MAX;
    if (transport_deadline_ns(host->transport) <= network_clock_ns(network, index))
        transport_expire(host->transport, network_clock_ns(network, index));
    host_touch(network, index);
}

void host_set_port(struct network *network, uint32_t index, uint32_t port, bool up)
{
    struct host *host = &network->hosts[index];
    uint32_t bit = UINT32_C(1) << port;

    host->ports_up = up ? host->ports_up | bit : host->ports_up & ~bit;
    transport_ports_changed(host->transport, host->ports_up, network_clock_ns(network, index));
    host_touch(network, index);
}
