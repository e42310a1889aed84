/* SPDX-License-Identifier: Apache-2.0 */
/* Forwards by the label of a packet. */
#include "sim/policy_ecmp.h"

/* `ports`: of the switch. */
static uint64_t queue_bytes(const void *ports, uint32_t port)
{
    return ((const struct port *)ports)[port].queues[PORT_DATA].bytes;
}

static uint32_t choose_port(const struct shard *shard, const struct switch_crossing *crossing,
    const struct ecmp_label *label)
{
    const struct routing_queues queues = { .bytes = queue_bytes,
        .context = &shard->ports[shard->switches[crossing->switch_index].first_port] };

    if (!shard->sim->routing)
        return ecmp_forward(shard->sim->ecmp, crossing->switch_index, label);
    return routing_forward(
        shard->sim->routing, crossing->switch_index, label, &queues, crossing->now_ps);
}

uint32_t policy_ecmp_forward(void *network, const struct switch_crossing *crossing)
{
    struct shard *shard = network;
    struct ecmp_label label = policy_ecmp_label(shard, crossing->packet.handle);
    uint32_t port = choose_port(shard, crossing, &label);

    label.way_in = (uint16_t)crossing->in_port;
    policy_ecmp_set_label(shard, crossing->packet.handle, &label);
    return port == ECMP_NO_PORT ? SWITCH_NO_PORT : port;
}
