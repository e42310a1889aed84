/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a packet: NIC port, path, port to the host, host. */
#include "network_state.h"

#include <assert.h>
#include <stdlib.h>

static void lose(struct network *network, uint32_t index, enum loss_reason why)
{
    network->lost[why]++;
    carried_give_back(&network->carried, index);
}

static struct fault_where where_is(const struct carried *carried)
{
    return (struct fault_where){ .from = carried->from,
        .to = carried->to,
        .plane = carried->plane,
        .uplink = carried->uplink,
        .traffic = carried_is_control(carried) ? FAULT_CONTROL : FAULT_DATA };
}

static bool is_dead(const struct network *network, const struct carried *carried)
{
    struct fault_where here = where_is(carried);

    return fault_list_is_dead(&network->faults, &here);
}

static bool port_is_up(const struct network *network, uint32_t host, uint32_t plane)
{
    return network->hosts[host].ports_up >> plane & 1;
}

/* ---- leaving -------------------------------------------------------------------------------- */

static void apply(struct network *network, uint32_t index, const struct fault_effect *effect)
{
    struct carried_pool *pool = &network->carried;
    const struct carried *carried = &pool->all[index];

    carried_seal(pool, index);
    if (effect->marked)
        carried_mark(pool, index);
    if (effect->trimmed_last_hop && carried_is_trimmable(carried))
        carried_trim(pool, index, DSCP_TRIMMED_LASTHOP);
    if (effect->trimmed && carried_is_trimmable(carried))
        carried_trim(pool, index, DSCP_TRIMMED);
    if (effect->corrupted)
        carried_corrupt(pool, index);
    pool->all[index].delay_ps = effect->delay_ps;
}

static struct fault_effect effect_on(struct network *network, struct carried *carried)
{
    const struct network_filter *filter = &network->config.filter;
    struct fault_where here = where_is(carried);
    struct fault_effect effect = fault_list_roll(&network->faults, &here);

    if (filter->on_send)
        filter->on_send(filter->context,
            &(struct network_sight){ .time_ps = network->now_ps,
                .from = carried->from,
                .to = carried->to,
                .packet = &carried->packet },
            &effect);
    return effect;
}

/* The rules of tests choose packets by host and class, not only by link. */
static enum fault_verdict verdict_on(
    const struct network *network, const struct carried *carried, const struct fault_effect *effect)
{
    if (effect->lost)
        return FAULT_VERDICT_LOST;
    if (!port_is_up(network, carried->from, carried->plane))
        return FAULT_VERDICT_DOWN;
    return effect->corrupted ? FAULT_VERDICT_CORRUPTED : FAULT_VERDICT_PASSES;
}

/* The packet is on the wire of its NIC port until `end_ps`. */
static void leave(struct network *network, uint32_t index, uint64_t end_ps)
{
    const struct network_config *config = &network->config;
    struct carried *carried = &network->carried.all[index];
    struct fault_effect effect = effect_on(network, carried);
    uint32_t kind = config->delays_only ? NETWORK_AT_HOST : NETWORK_AT_PATH;
    struct link_passage passage =
        link_passage(&network->ports.link, end_ps, verdict_on(network, carried, &effect));

    if (passage.is_lost) {
        lose(network, index, passage.reason);
        return;
    }
    apply(network, index, &effect);
    event_queue_push(&network->events, passage.arrives_ps, kind, index);
    for (uint32_t i = 0; i < effect.duplicates; i++) {
        network->duplicated++;
        event_queue_push(
            &network->events, passage.arrives_ps, kind, carried_copy(&network->carried, index));
    }
}

/* ---- ports ---------------------------------------------------------------------------------- */

/* Works a port off up to now. Nothing wakes a switch port by itself: a packet that it sent does,
 * on arrival, and a packet that enters it. */
static void advance(struct network *network, uint32_t port)
{
    const struct ports *ports = &network->ports;
    struct port_transmission sent;

    while (port_transmit(&ports->all[port], network->now_ps, &sent)) {
        uint32_t index = sent.entry.handle;

        if (port < ports_to_host(ports, 0, 0)) {
            leave(network, index, sent.end_ps);
            continue;
        }
        if (sent.entry.ecn == ECN_CE)
            carried_mark(&network->carried, index);
        network->carried.all[index].came_by = port;
        event_queue_push(&network->events, link_arrival_ps(&ports->link, sent.end_ps),
            port < ports_of_path(ports, 0, 0, 0) ? NETWORK_AT_HOST : NETWORK_AT_HOST_PORT, index);
    }
}

static struct port_entry entry_of(const struct network *network, uint32_t index)
{
    const struct carried *carried = &network->carried.all[index];

    return (struct port_entry){ .handle = index,
        .length_bytes = carried->length_bytes,
        .class = carried->packet.class,
        .ecn = carried->packet.ecn };
}

static void enter(struct network *network, uint32_t index, uint32_t port)
{
    struct port_outcome outcome;

    advance(network, port);
    outcome = port_enqueue(&network->ports.all[port], entry_of(network, index), network->now_ps);
    if (outcome.verdict == PORT_DROPPED)
        lose(network, index, LOST_DATA_QUEUE);
    else if (outcome.verdict != PORT_QUEUED)
        carried_trim(&network->carried, outcome.cut.handle, (enum dscp_class)outcome.cut.class);
    advance(network, port);
    if (network->config.checks)
        port_check(&network->ports.all[port]);
}

/* Arrived over the link of the port that sent it: that one may have sent more by now. */
static void arrive(struct network *network, uint32_t index)
{
    uint32_t port = network->carried.all[index].came_by;

    if (port != CARRIED_NONE)
        advance(network, port);
}

/* The host must hear when a NIC port has room again. */
static void wake_when_free(struct network *network, uint32_t port)
{
    struct host *host = &network->hosts[port / network->config.plane_count];
    uint32_t bit = UINT32_C(1) << port % network->config.plane_count;
    uint64_t next_ps = port_next_ps(&network->ports.all[port]);

    if (next_ps == PORT_NEVER_PS || host->waking & bit)
        return;
    host->waking |= bit;
    event_queue_push(&network->events, next_ps, NETWORK_NIC_FREE, port);
}

void carry_on_nic_free(struct network *network, uint32_t port)
{
    uint32_t host = port / network->config.plane_count;

    network->hosts[host].waking &= ~(UINT32_C(1) << port % network->config.plane_count);
    advance(network, port);
    wake_when_free(network, port);
    host_touch(network, host);
}

/* ---- the way -------------------------------------------------------------------------------- */

static void record(struct network *network, const struct carried *carried)
{
    struct recording *recording = &network->recording;

    if (!recording->is_on || (recording->wanted && !recording->wanted(&carried->packet)))
        return;
    if (recording->count == recording->capacity) {
        recording->capacity = recording->capacity ? 2 * recording->capacity : 256;
        recording->all = realloc(recording->all, recording->capacity * sizeof(*recording->all));
        assert(recording->all);
    }
    recording->all[recording->count++] = (struct network_record){ .time_ps = network->now_ps,
        .key = carried->key,
        .from = carried->from,
        .to = carried->to,
        .packet = carried->packet };
}

static bool route(struct network *network, struct carried *carried)
{
    const struct network_config *config = &network->config;
    const struct packet *packet = &carried->packet;
    uint32_t host = packet->dst.octets[15] - 1u;
    struct ipv6_addr address = network_address(host);
    uint32_t uplink = packet->ev & ((1u << NETWORK_UPLINK_BITS) - 1);

    if (config->hashed)
        uplink = (uint32_t)(packet->ev * UINT64_C(0x9e3779b97f4a7c15) >> 40) % config->uplink_count;
    else if (packet->ev >> NETWORK_UPLINK_BITS != packet->port)
        network_violation(
            network, "host %u sends EV 0x%x by port %u", carried->from, packet->ev, packet->port);
    carried->to = (uint8_t)host;
    carried->plane = packet->port;
    carried->uplink = (uint8_t)uplink;
    return host < config->host_count && ip_address_equal(&address, &packet->dst) &&
           uplink < config->uplink_count;
}

void carry_packet(struct network *network, uint32_t from, const struct packet *packet, uint64_t key)
{
    uint32_t index = carried_take(&network->carried);
    struct carried *carried = &network->carried.all[index];
    uint32_t port = ports_of_nic(&network->ports, from, packet->port);

    assert(packet->port < network->config.plane_count);
    *carried = (struct carried){ .packet = *packet,
        .key = key,
        .came_by = CARRIED_NONE,
        .from = (uint8_t)from,
        .length_bytes = (uint16_t)packet_nominal_bytes(packet) };
    network->sent++;
    if (!route(network, carried)) {
        lose(network, index, LOST_NO_ROUTE);
        return;
    }
    record(network, carried);
    if (network->config.delays_only) {
        leave(network, index, network->now_ps);
        return;
    }
    enter(network, index, port);
    wake_when_free(network, port);
}

void carry_on_path(struct network *network, uint32_t index)
{
    const struct carried *carried = &network->carried.all[index];

    if (is_dead(network, carried))
        lose(network, index, LOST_LINK_DOWN);
    else
        enter(network, index,
            ports_of_path(&network->ports, carried->to, carried->plane, carried->uplink));
}

void carry_on_host_port(struct network *network, uint32_t index)
{
    const struct carried *carried = &network->carried.all[index];

    arrive(network, index);
    if (is_dead(network, carried))
        lose(network, index, LOST_LINK_DOWN);
    else
        enter(network, index, ports_to_host(&network->ports, carried->to, carried->plane));
}

static void deliver(struct network *network, uint32_t index)
{
    struct carried carried = network->carried.all[index];
    struct packet packet;

    if (carried_read(&network->carried, index, &packet) != DROP_NONE) {
        if (!carried.corrupted)
            network_violation(network, "a frame of host %u cannot be read", carried.from);
        lose(network, index, LOST_CORRUPT);
        return;
    }
    packet.port = carried.plane;
    host_receive(network, carried.from, carried.to, carried.key, &packet);
    network->delivered++;
    carried_give_back(&network->carried, index);
    host_touch(network, carried.to);
}

void carry_on_host(struct network *network, uint32_t index)
{
    struct carried *carried = &network->carried.all[index];

    arrive(network, index);
    if (carried->delay_ps > 0) {
        event_queue_push(
            &network->events, network->now_ps + carried->delay_ps, NETWORK_AT_HOST, index);
        carried->delay_ps = 0;
        carried->came_by = CARRIED_NONE;
    } else if (is_dead(network, carried) || !port_is_up(network, carried->to, carried->plane)) {
        lose(network, index, LOST_LINK_DOWN);
    } else {
        deliver(network, index);
    }
}
