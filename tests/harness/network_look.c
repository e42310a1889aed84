/* SPDX-License-Identifier: Apache-2.0 */
/* Faults by hand, packets by hand, and what can be seen of a network. */
#include "network.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "network_state.h"

enum { VIOLATIONS_PRINTED = 5 };

/* ---- faults --------------------------------------------------------------------------------- */

uint32_t network_fault(struct network *network, const struct fault_rule *fault)
{
    uint32_t rule = fault_list_add(&network->faults, fault);

    fault_list_begin(&network->faults, rule);
    return rule;
}

void network_fault_end(struct network *network, uint32_t fault)
{
    fault_list_end(&network->faults, fault);
}

void network_fault_between(
    struct network *network, const struct fault_rule *fault, uint64_t from_ps, uint64_t until_ps)
{
    uint32_t rule = fault_list_add(&network->faults, fault);

    event_queue_push(&network->events, from_ps, NETWORK_FAULT_BEGINS, rule);
    event_queue_push(&network->events, until_ps, NETWORK_FAULT_ENDS, rule);
}

void network_port_set(struct network *network, uint32_t host, uint32_t port, bool up)
{
    host_set_port(network, host, port, up);
}

void network_port_down_between(
    struct network *network, uint32_t host, uint32_t port, uint64_t from_ps, uint64_t until_ps)
{
    uint32_t subject = host * network->config.plane_count + port;

    event_queue_push(&network->events, from_ps, NETWORK_PORT_DOWN, subject);
    event_queue_push(&network->events, until_ps, NETWORK_PORT_UP, subject);
}

void network_path_rate(struct network *network, uint32_t plane, uint32_t uplink, uint64_t bps)
{
    ports_set_path_rate(&network->ports, plane, uplink, bps);
}

/* ---- packets -------------------------------------------------------------------------------- */

void network_record(struct network *network, bool (*wanted)(const struct packet *))
{
    network->recording.is_on = true;
    network->recording.wanted = wanted;
    network->recording.count = 0;
}

uint32_t network_record_count(const struct network *network)
{
    return network->recording.count;
}

const struct network_record *network_record_at(const struct network *network, uint32_t index)
{
    assert(index < network->recording.count);
    return &network->recording.all[index];
}

enum drop_reason network_replay(struct network *network, const struct network_record *record)
{
    struct packet packet = record->packet;
    enum drop_reason reason;

    assert(network->config.payload != NETWORK_FRAMES);
    reason = host_receive(network, record->from, record->to, record->key, &packet);
    host_touch(network, record->to);
    return reason;
}

enum drop_reason network_inject(struct network *network, uint32_t host, const struct packet *packet)
{
    enum drop_reason reason =
        transport_receive(network->hosts[host].transport, packet, network_clock_ns(network, host));

    host_touch(network, host);
    return reason;
}

/* ---- looking -------------------------------------------------------------------------------- */

uint32_t network_host_count(const struct network *network)
{
    return network->config.host_count;
}

uint32_t network_plane_count(const struct network *network)
{
    return network->config.plane_count;
}

uint32_t network_uplink_count(const struct network *network)
{
    return network->config.uplink_count;
}

struct transport *network_transport(struct network *network, uint32_t host)
{
    return network->hosts[host].transport;
}

void network_touch(struct network *network, uint32_t host)
{
    host_touch(network, host);
}

uint32_t network_event_count(const struct network *network)
{
    return network->log_count;
}

const struct network_event *network_event_at(const struct network *network, uint32_t index)
{
    assert(index < network->log_count);
    return &network->log[index];
}

uint64_t network_events_of(
    const struct network *network, uint32_t host, enum transport_event_kind kind)
{
    return network->hosts[host].events[kind];
}

uint64_t network_lost(const struct network *network, enum loss_reason why)
{
    return network->lost[why];
}

uint64_t network_delivered(const struct network *network)
{
    return network->delivered;
}

uint64_t network_refused(const struct network *network, uint32_t host)
{
    return network->hosts[host].refused;
}

const struct port_counters *network_path_counters(
    const struct network *network, uint32_t to, uint32_t plane, uint32_t uplink)
{
    return &network->ports.counters[ports_of_path(&network->ports, to, plane, uplink)];
}

const struct port_counters *network_host_counters(
    const struct network *network, uint32_t to, uint32_t plane)
{
    return &network->ports.counters[ports_to_host(&network->ports, to, plane)];
}

uint64_t network_hash(const struct network *network)
{
    return network->hash;
}

void network_violation(struct network *network, const char *format, ...)
{
    va_list arguments;

    if (network->violations++ >= VIOLATIONS_PRINTED)
        return;
    printf("# violation at %llu.%03llu us: ", (unsigned long long)(network->now_ps / 1000000),
        (unsigned long long)(network->now_ps / 1000 % 1000));
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

uint32_t network_violations(const struct network *network)
{
    return network->violations;
}

void network_check(struct network *network)
{
    uint64_t accounted = network->delivered + network->carried.used_count;

    for (uint32_t i = 0; i < LOSS_REASON_COUNT; i++)
        accounted += network->lost[i];
    if (accounted != network->sent + network->duplicated)
        network_violation(network, "packets are missing or too many");
    for (uint32_t i = 0; i < network->ports.count; i++)
        port_check(&network->ports.all[i]);
    for (uint32_t i = 0; i < network->config.host_count; i++)
        transport_check(network->hosts[i].transport);
    traffic_check(network);
}
