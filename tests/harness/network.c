/* SPDX-License-Identifier: Apache-2.0 */
/* Setting up a network, running it, looking at it. */
#include "network.h"

#include <assert.h>
#include <stdlib.h>

#include "literal.h"
#include "network_state.h"

struct network_config network_config_default(uint64_t seed)
{
    struct network_config config = {
        .seed = seed,
        .host_count = 2,
        .plane_count = 8,
        .uplink_count = 32,
        .port_bps = UINT64_C(50000000000),
        .base_rtt_ps = UINT64_C(10000000),
        .room_packets = 2,
        .marks = true,
        .trims = true,
        .trimmed_bytes = 128,
        .format = &format_default,
    };

    literal_parameters(&config.parameters);
    return config;
}

struct network_config network_config_usual(uint64_t seed)
{
    struct network_config config = network_config_default(seed);

    parameters_init(&config.parameters, TIMERS_HARDWARE);
    config.knows_rtt = true;
    return config;
}

struct network *network_open(const struct network_config *config)
{
    struct network *network = calloc(1, sizeof(*network));
    struct parameters *parameters = &network->config.parameters;

    assert(network);
    assert(config->host_count <= NETWORK_HOSTS_MAX);
    assert(config->plane_count <= NETWORK_PLANES_MAX);
    assert(config->uplink_count <= NETWORK_UPLINKS_MAX);
    network->config = *config;
    parameters->link_bps = config->port_bps * config->plane_count;
    parameters->base_rtt = config->base_rtt_ps / 1000;
    parameters->network_trims = config->trims;
    parameters->last_hop_ecn = config->marks_last_hop;
    network->faults.prng = prng_stream(config->seed, 1);
    event_queue_init(&network->events);
    carried_init(&network->carried, config->payload == NETWORK_FRAMES ? config->format : NULL,
        config->trimmed_bytes);
    ports_init(&network->ports, config);
    for (uint32_t i = 0; i < config->host_count; i++)
        host_init(network, i);
    traffic_init(network);
    return network;
}

void network_close(struct network *network)
{
    if (!network)
        return;
    traffic_fini(network);
    for (uint32_t i = 0; i < network->config.host_count; i++)
        host_fini(&network->hosts[i]);
    ports_fini(&network->ports);
    carried_fini(&network->carried);
    free(network->recording.all);
    free(network->log);
    free(network->scheduled);
    event_queue_fini(&network->events);
    free(network);
}

/* ---- time ----------------------------------------------------------------------------------- */

static void happen(struct network *network, const struct event_heap_entry *event)
{
    uint32_t planes = network->config.plane_count;
    struct network_scheduled scheduled;

    switch ((enum network_event_kind)event->kind) {
    case NETWORK_AT_PATH:
        carry_on_path(network, event->subject);
        break;
    case NETWORK_AT_HOST_PORT:
        carry_on_host_port(network, event->subject);
        break;
    case NETWORK_AT_HOST:
        carry_on_host(network, event->subject);
        break;
    case NETWORK_NIC_FREE:
        carry_on_nic_free(network, event->subject);
        break;
    case NETWORK_TIMER:
        host_on_timer(network, event->subject);
        break;
    case NETWORK_FAULT_BEGINS:
        fault_list_begin(&network->faults, event->subject);
        break;
    case NETWORK_FAULT_ENDS:
        fault_list_end(&network->faults, event->subject);
        break;
    case NETWORK_PORT_UP:
    case NETWORK_PORT_DOWN:
        host_set_port(network, event->subject / planes, event->subject % planes,
            event->kind == NETWORK_PORT_UP);
        break;
    case NETWORK_ACTION:
        scheduled = network->scheduled[event->subject];
        scheduled.action(network, scheduled.context);
        break;
    }
}

static bool step(struct network *network, uint64_t until_ps)
{
    struct event_heap_entry event;

    if (!event_queue_pop(&network->events, until_ps, &event))
        return false;
    assert(event.time_ps >= network->now_ps);
    network->now_ps = event.time_ps;
    happen(network, &event);
    return true;
}

uint64_t network_now_ps(const struct network *network)
{
    return network->now_ps;
}

void network_run_until(struct network *network, uint64_t time_ps)
{
    while (step(network, time_ps))
        ;
    if (network->now_ps < time_ps)
        network->now_ps = time_ps;
}

bool network_run_until_idle(struct network *network, uint64_t limit_ps)
{
    while (!traffic_is_idle(network))
        if (!step(network, limit_ps))
            return false;
    return true;
}

bool network_run_until_completed(struct network *network, uint64_t count, uint64_t limit_ps)
{
    while (traffic_finished(network) < count)
        if (!step(network, limit_ps))
            return false;
    return true;
}

void network_at(struct network *network, uint64_t time_ps,
    void (*action)(struct network *, void *context), void *context)
{
    network->scheduled =
        realloc(network->scheduled, (network->scheduled_count + 1) * sizeof(*network->scheduled));
    assert(network->scheduled);
    network->scheduled[network->scheduled_count] =
        (struct network_scheduled){ .action = action, .context = context };
    event_queue_push(&network->events, time_ps, NETWORK_ACTION, network->scheduled_count++);
}
