/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths of queues as shares of time. */
#include "files/files.h"
#include "result/result_summary.h"

#define PORTS_MAX 8 /* listed individually */

/* Returns the port with the most samples with a queue that is not listed yet, marked by 0. */
static uint64_t busiest_port(
    const struct measure_occupancy *occupancy, const uint64_t *listed, size_t listed_count)
{
    uint64_t best = occupancy->port_count;

    for (uint64_t i = 0; i < occupancy->port_count; i++) {
        bool is_listed = false;

        for (size_t k = 0; k < listed_count; k++)
            is_listed = is_listed || listed[k] == i;
        if (!is_listed && occupancy->busy_of_port[i] > 0 &&
            (best == occupancy->port_count ||
                occupancy->busy_of_port[i] > occupancy->busy_of_port[best]))
            best = i;
    }
    return best;
}

/* Returns the name of the link behind a switch port. */
static json_t *port_name(const struct topology *topology, uint64_t index)
{
    struct topology_end end = { 0 };
    char name[TOPOLOGY_NAME_BYTES] = "";
    struct topology_link_kind kind;
    struct topology_element link;

    while (index >= topology_port_count(topology, end.node))
        index -= topology_port_count(topology, end.node++);
    end.port = (uint32_t)index;
    if (topology_link_at(topology, end, &link, &kind))
        topology_name(&link, name);
    return json_string(name);
}

static json_t *busiest_ports(const struct measure_record *record)
{
    const struct measure_occupancy *occupancy = &record->occupancy;
    const struct topology *topology = &record->plan->sim->fabric->topology;
    uint64_t listed[PORTS_MAX];
    json_t *json = json_array();

    for (size_t count = 0; count < PORTS_MAX; count++) {
        uint64_t port = busiest_port(occupancy, listed, count);

        if (port == occupancy->port_count)
            break;
        listed[count] = port;
        json_array_append_new(
            json, json_pack("{s:o,s:o}", "link", port_name(topology, port), "busy",
                      json_ratio(occupancy->busy_of_port[port], occupancy->sample_count)));
    }
    return json;
}

json_t *result_summary_occupancy(const struct measure_record *record)
{
    const struct measure_occupancy *occupancy = &record->occupancy;
    json_t *above = json_array();
    uint64_t looks = occupancy->look_count;

    if (!looks)
        return json_decref(above), json_null();
    for (uint32_t level = 1; level < MEASURE_LEVELS; level++)
        json_array_append_new(
            above, json_pack("{s:I,s:o}", "bytes", (json_int_t)measure_level_bytes(level), "share",
                       json_ratio(occupancy->above[level], looks)));
    return json_pack("{s:I,s:o,s:I,s:o,s:o}", "samples", (json_int_t)occupancy->sample_count,
        "busy", json_ratio(occupancy->above[0], looks), "mean_bytes",
        (json_int_t)(occupancy->bytes / looks), "above", above, "busiest", busiest_ports(record));
}
