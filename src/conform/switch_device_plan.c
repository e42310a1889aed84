/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the description of a switch from the plan of its fabric. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "conform/switch_device.h"

static bool find_switch(
    struct yaml *yaml, const struct yaml_node *name, struct switch_device_plan *plan)
{
    struct topology_element element;

    if (!fabric_file_find(yaml, name, &plan->plan.topology, &element))
        return false;
    if (!topology_is_switch(element.kind))
        return yaml_complain(yaml, name, "'%s' is not a switch", name->text);
    plan->node = topology_switch_index(&plan->plan.topology, &element);
    return true;
}

bool switch_device_load_plan(
    struct yaml *yaml, const struct yaml_node *top, struct switch_device_plan *plan)
{
    const struct yaml_node *fabric = yaml_member(top, "fabric");
    const struct yaml_node *name = yaml_member(top, "switch");
    const struct yaml_node *file;

    if (fabric->kind != YAML_SCALAR)
        return yaml_complain(yaml, fabric, "the name of a fabric file is expected here");
    if (!name)
        return yaml_complain(yaml, fabric, "the key 'switch' is missing: p0.t0.0");
    file = fabric_file_load(yaml, yaml_path(yaml, fabric));
    return file && fabric_file_read(yaml, file, &plan->plan) && find_switch(yaml, name, plan);
}

void switch_device_take_plan(const struct switch_device_plan *from, struct switch_device *device)
{
    const struct topology *topology = &from->plan.topology;
    const struct topology_buffers *buffers = &topology->config.buffers;
    struct topology_element element = topology_switch_at(topology, from->node);

    topology_name(&element, device->name);
    device->block = plan_block(&from->plan, element.plane);
    device->usid = plan_names(&from->plan, &element).first;
    device->queue_bytes = buffers->data_bytes;
    device->host_queue_bytes = buffers->host_data_bytes;
    device->control_queue_bytes = buffers->control_bytes;
    device->red_min_bytes = buffers->red_min_bytes;
    device->red_max_bytes = buffers->red_max_bytes;
    device->trimmed_bytes = buffers->trimmed_bytes;
    if (!buffers->trims)
        device->absent |= CONFORM_NEEDS(SWITCH_TRIMMING);
    if (!buffers->marks)
        device->absent |= CONFORM_NEEDS(SWITCH_MARKING);
    if (!topology->config.checks_source)
        device->absent |= CONFORM_NEEDS(SWITCH_SOURCE_CHECK);
}

/* Returns the first uSID whose route leads to the port; 0: none. */
static uint16_t usid_to(const struct switch_device_plan *from, uint32_t port)
{
    uint32_t range_max = plan_routes_max(&from->plan);
    struct plan_range *ranges = calloc(range_max, sizeof(*ranges));
    uint32_t count = ranges ? plan_routes(&from->plan, from->node, ranges, range_max) : 0;
    uint16_t usid = 0;

    for (uint32_t i = 0; i < count && usid == 0; i++) {
        uint32_t last =
            ranges[i].first_port + (uint32_t)(ranges[i].last_usid - ranges[i].first_usid);

        if (port >= ranges[i].first_port && port <= last)
            usid = (uint16_t)(ranges[i].first_usid + (port - ranges[i].first_port));
    }
    free(ranges);
    return usid;
}

static bool find_port_number(
    const struct switch_device_plan *from, const char *name, struct topology_end *end)
{
    const struct topology *topology = &from->plan.topology;

    for (uint32_t port = 0; port < topology_port_count(topology, from->node); port++) {
        char interface[CONFIG_PORT_NAME_BYTES];

        *end = (struct topology_end){ .node = from->node, .port = port };
        config_port_interface(topology, *end, interface);
        if (strcmp(interface, name) == 0)
            return true;
    }
    return false;
}

bool switch_device_take_port(struct yaml *yaml, const struct yaml_node *name,
    const struct switch_device_plan *from, struct switch_device_port *port)
{
    const struct topology *topology = &from->plan.topology;
    struct topology_element link;
    struct topology_link_kind kind;
    struct topology_end end;
    struct topology_end peer;

    if (name->kind != YAML_SCALAR || !find_port_number(from, name->text, &end))
        return yaml_complain(yaml, name,
            "the switch has no such port; ports that lead down are d0, d1, ..., others u0, ...");
    config_port_mac(end, port->mac);
    if (topology_link_at(topology, end, &link, &kind))
        port->rate_bps = kind.rate_bps;
    port->usid = usid_to(from, end.port);
    port->faces_host = topology_port_faces_host(topology, end.node, end.port);
    if (port->faces_host && topology_peer(topology, end, &peer)) {
        port->has_host = true;
        port->host = plan_nic_address(&from->plan, peer.node);
    }
    return true;
}
