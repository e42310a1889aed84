/* SPDX-License-Identifier: Apache-2.0 */
/* Forwards by uSIDs and admits packets to a shared buffer. */
#include "sim/policy_buffer.h"

#include "sim/srv6.h"

static uint32_t forward(void *network, const struct switch_crossing *crossing)
{
    struct shard *shard = network;
    uint32_t packet = crossing->packet.handle;
    const struct switch_table *table = &shard->switches[crossing->switch_index].table;
    struct switch_way way = switch_table_forward(table, &shard->packets.outer[packet]);

    if (way.reason == DROP_END_OF_CARRIER)
        way = srv6_take_segment(
            shard, table, &shard->packets.all[packet], &shard->packets.outer[packet]);
    return way.reason == DROP_NONE ? way.port : SWITCH_NO_PORT;
}

struct switch_decision policy_buffer_admit(
    void *network, const struct switch_crossing *crossing, struct port *port, uint64_t now_ps)
{
    struct shard *shard = network;

    struct shared_buffer *buffers = shard->sim->buffers;

    return (struct switch_decision){
        .at_port = buffers ? shared_buffer_admit(
                                 &buffers[crossing->switch_index], port, &crossing->packet, now_ps)
                           : port_admit(port, &crossing->packet, now_ps)
    };
}

struct switch_pause policy_buffer_release(
    void *network, const struct switch_crossing *crossing, uint64_t now_ps)
{
    struct shard *shard = network;

    (void)now_ps;
    if (shard->sim->buffers)
        shared_buffer_release(
            &shard->sim->buffers[crossing->switch_index], crossing->packet.length_bytes);
    return (struct switch_pause){ 0 };
}

void policy_buffer_init(struct sim *sim, struct arena *arena)
{
    const struct topology_buffers *buffers = &sim->topology->config.buffers;
    struct shared_buffer_config config = { .size_bytes = buffers->shared_bytes,
        .cell_bytes = buffers->cell_bytes,
        .alpha_log2 = buffers->alpha - TOPOLOGY_ALPHA_ONE };
    uint32_t count = sim->topology->switch_count;

    if (config.size_bytes == 0)
        return;
    if (!sim->policy)
        sim->policy = &policy_buffer;
    sim->buffers = arena_take(arena, count, sizeof(*sim->buffers), _Alignof(struct shared_buffer));
    for (uint32_t i = 0; sim->buffers && i < count; i++)
        shared_buffer_init(&sim->buffers[i], &config);
}

const struct switch_policy policy_buffer = { .forward = forward,
    .admit = policy_buffer_admit,
    .sent = policy_buffer_release,
    .lost = policy_buffer_release };
