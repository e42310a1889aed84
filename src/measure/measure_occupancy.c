/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at every queue at the end of each interval. */
#include "measure/measure_occupancy.h"

#include "measure/measure_list.h"

uint64_t measure_level_bytes(uint32_t level)
{
    return level ? UINT64_C(1024) << (2 * level) : 0;
}

static void look_at_queue(
    struct measure_occupancy *occupancy, uint64_t port, const struct sim_queue *queue)
{
    occupancy->look_count++;
    occupancy->bytes += queue->data_bytes;
    occupancy->busy_of_port[port] += queue->data_bytes > 0;
    for (uint32_t level = 0; level < MEASURE_LEVELS; level++)
        occupancy->above[level] += queue->data_bytes > measure_level_bytes(level);
}

static uint64_t count_ports(const struct topology *topology)
{
    uint64_t count = 0;

    for (uint32_t node = 0; node < topology->switch_count; node++)
        count += topology_port_count(topology, node);
    return count;
}

void measure_occupancy_sample(struct measure_record *record)
{
    const struct topology *topology = &record->plan->sim->fabric->topology;
    struct measure_occupancy *occupancy = &record->occupancy;
    uint64_t port_index = 0;

    if (!record->plan->occupancy)
        return;
    if (!occupancy->busy_of_port) {
        occupancy->port_count = count_ports(topology);
        occupancy->busy_of_port =
            allocator_take_surely(&record->memory, occupancy->port_count, sizeof(uint64_t));
    }
    occupancy->sample_count++;
    for (uint32_t node = 0; node < topology->switch_count; node++)
        for (uint32_t port = 0; port < topology_port_count(topology, node); port++, port_index++) {
            struct sim_queue queue;

            if (sim_queue_at(
                    record->sim, (struct topology_end){ .node = node, .port = port }, &queue))
                look_at_queue(occupancy, port_index, &queue);
        }
}
