/* SPDX-License-Identifier: Apache-2.0 */
/* Views of the switches and ports of a plan. */
#include "config/config_source.h"

#include <stdlib.h>
#include <string.h>

bool config_source_init(struct config_source *source, const struct plan *plan, const char *text)
{
    *source = (struct config_source){ .plan = plan, .text = text };
    source->range_max = plan_routes_max(plan);
    source->ranges = calloc(source->range_max, sizeof(*source->ranges));
    return source->ranges != NULL;
}

void config_source_fini(struct config_source *source)
{
    free(source->ranges);
}

void config_switch_of(const struct config_source *source, uint32_t node, struct config_switch *out)
{
    const struct topology *topology = &source->plan->topology;
    struct topology_element element = topology_switch_at(topology, node);

    *out = (struct config_switch){ .plan = source->plan,
        .node = node,
        .block = plan_block(source->plan, topology_place_of(&element).plane),
        .names = plan_names(source->plan, &element),
        .port_count = topology_port_count(topology, node),
        .host_ports = topology_host_port_count(topology, node),
        .ranges = source->ranges,
        .range_count = plan_routes(source->plan, node, source->ranges, source->range_max) };
    topology_name(&element, out->name);
    memcpy(out->label, out->name, sizeof(out->label));
    for (char *at = out->label; *at; at++)
        if (*at == '.')
            *at = '-';
}

bool config_switch_has_local(const struct config_switch *self)
{
    bool has_one = false;

    for (uint32_t i = 0; i < self->names.count; i++)
        has_one |= config_switch_usid(self, i) >= CONFIG_LOCAL_USIDS;
    for (uint32_t i = 0; i < self->range_count; i++)
        has_one |= self->ranges[i].last_usid >= CONFIG_LOCAL_USIDS;
    return has_one;
}

static void name_peer(const struct topology *topology, struct config_cable *cable)
{
    struct topology_element peer = { .kind = TOPOLOGY_NIC, .nic = cable->peer.node };

    if (!cable->peer.is_nic)
        peer = topology_switch_at(topology, cable->peer.node);
    topology_name(&peer, cable->peer_name);
}

void config_switch_port(const struct config_switch *self, uint32_t port, struct config_cable *out)
{
    const struct topology *topology = &self->plan->topology;
    struct topology_end end = { .node = self->node, .port = port };
    struct topology_element link;

    *out = (struct config_cable){ .self = end, .faces_host = port < self->host_ports };
    out->is_there = topology_peer(topology, end, &out->peer) &&
                    topology_link_at(topology, end, &link, &out->kind);
    out->marks = topology_marks(topology, end);
    if (out->is_there)
        name_peer(topology, out);
    else
        out->kind = out->faces_host ? topology->config.host_link : topology->config.uplink;
}

void config_switch_ports(const struct config_switch *self, config_cable_line *line, FILE *to)
{
    for (uint32_t port = 0; port < self->port_count; port++) {
        struct config_cable cable;

        config_switch_port(self, port, &cable);
        line(self, &cable, to);
    }
}

static void write_range(const struct config_switch *self, const struct plan_range *range,
    config_route_line *line, FILE *to)
{
    for (uint32_t usid = range->first_usid; usid <= range->last_usid; usid++) {
        struct config_cable cable;

        config_switch_port(self, range->first_port + usid - range->first_usid, &cable);
        if (cable.is_there)
            line(self, (uint16_t)usid, &cable, to);
    }
}

void config_switch_routes(const struct config_switch *self, config_route_line *line, FILE *to)
{
    for (uint32_t i = 0; i < self->range_count; i++)
        write_range(self, &self->ranges[i], line, to);
}

void config_switch_prefix(const struct config_switch *self, uint16_t usid, FILE *to)
{
    fprintf(to, "%x:%x:%x::", self->block >> 16, self->block & 0xffff, usid);
}
