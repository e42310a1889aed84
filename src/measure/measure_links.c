/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the losses of every port so far, and assigns new ones to its link. */
#include "measure/measure_links.h"

#include "measure/measure_list.h"
#include "switch/switch.h"

static struct measure_losses *losses_of(
    struct measure_record *record, const struct topology_element *link, struct topology_end end)
{
    uint32_t *number =
        &record->loss_of_link[topology_link_number(&record->plan->sim->fabric->topology, end)];

    if (*number == 0) {
        record->links = measure_list_grow(&record->memory, record->links, record->link_count,
            &record->link_room, sizeof(*record->links));
        record->links[record->link_count++] = (struct measure_losses){ .link = *link };
        *number = (uint32_t)record->link_count;
    }
    return &record->links[*number - 1];
}

static void add_link(struct measure_record *record, const struct topology_element *link,
    struct topology_end end, uint64_t count)
{
    struct measure_losses *losses = losses_of(record, link, end);
    struct measure_numbers *samples = &losses->samples;
    uint64_t index = record->time_ps.count - 1;

    losses->total += count;
    if (samples->count && samples->at[samples->count - 2] == index) {
        samples->at[samples->count - 1] += count; /* the other direction of the link */
        return;
    }
    measure_push(&record->memory, samples, index);
    measure_push(&record->memory, samples, count);
}

/* Returns the lost packets of the data classes so far. */
static uint64_t look_at(struct measure_record *record, struct topology_end end, uint64_t *before)
{
    const struct topology *topology = &record->plan->sim->fabric->topology;
    struct topology_link_kind kind;
    struct topology_element link;
    struct sim_queue queue;
    uint64_t lost;

    if (!sim_queue_at(record->sim, end, &queue) || !topology_link_at(topology, end, &link, &kind))
        return 0;
    lost = queue.lost + port_counter(queue.counters, PORT_COUNTER_DROPPED_DATA_QUEUE) +
           port_counter(queue.counters, PORT_COUNTER_DROPPED_CONTROL_QUEUE) +
           port_counter(queue.counters, PORT_COUNTER_DROPPED_BUFFER);
    if (lost > *before)
        add_link(record, &link, end, lost - *before);
    *before = lost;
    return lost - queue.lost_control -
           port_counter(queue.counters, PORT_COUNTER_DROPPED_CONTROL_QUEUE);
}

static void note_data_losses(struct measure_record *record, uint64_t lost_data)
{
    if (lost_data > record->lost_data)
        measure_push(&record->memory, &record->data_losses, record->time_ps.count - 1);
    record->lost_data = lost_data;
}

static size_t port_total(const struct topology *topology)
{
    size_t total = (size_t)topology->nic_count * topology->config.plane_count;

    for (uint32_t i = 0; i < topology->switch_count; i++)
        total += topology_port_count(topology, i);
    return total;
}

void measure_links_sample(struct measure_record *record)
{
    const struct topology *topology = &record->plan->sim->fabric->topology;
    uint64_t lost_data = 0;
    uint64_t *before;

    if (!record->lost_of_port) {
        record->lost_of_port =
            allocator_take_surely(&record->memory, port_total(topology), sizeof(uint64_t));
        record->loss_of_link =
            allocator_take_surely(&record->memory, topology_link_count(topology), sizeof(uint32_t));
    }
    before = record->lost_of_port;
    for (uint32_t nic = 0; nic < topology->nic_count; nic++)
        for (uint32_t port = 0; port < topology->config.plane_count; port++)
            lost_data += look_at(record, (struct topology_end){ true, nic, port }, before++);
    for (uint32_t node = 0; node < topology->switch_count; node++)
        for (uint32_t port = 0; port < topology_port_count(topology, node); port++)
            lost_data += look_at(record, (struct topology_end){ false, node, port }, before++);
    note_data_losses(record, lost_data);
}
