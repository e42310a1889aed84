/* SPDX-License-Identifier: Apache-2.0 */
/* From elements to links to the ports at their ends. */
#include "network/fault_cover.h"

#include <assert.h>

#include "network/fault_cover_graph.h"

/* Members are no groups: the recursion ends there. */
static uint32_t slots_of_group(const struct topology *topology, const struct topology_group *group)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < group->member_count; i++)
        count += fault_cover_slots(topology, &group->members[i]);
    return count;
}

uint32_t fault_cover_slots(const struct topology *topology, const struct topology_element *element)
{
    const struct topology_config *config = &topology->config;

    if (element->kind == TOPOLOGY_GROUP)
        return slots_of_group(topology, element->group);
    if (topology->graph)
        return fault_cover_graph_slots(topology->graph, element);
    switch (element->kind) {
    case TOPOLOGY_NIC:
        return 2 * config->plane_count;
    case TOPOLOGY_PLANE:
        return 2 * (topology->nic_count + config->t0_count * config->t1_count);
    case TOPOLOGY_T0:
        return 2 * (config->hosts_per_t0 + config->t1_count);
    case TOPOLOGY_T1:
        return 2 * config->t0_count;
    case TOPOLOGY_HOST_LINK:
    case TOPOLOGY_UPLINK:
        return 2;
    case TOPOLOGY_SWITCH:
    case TOPOLOGY_LINK:
    case TOPOLOGY_GROUP:
    case TOPOLOGY_COMPONENT_COUNT:
        break;
    }
    assert(element->kind <= TOPOLOGY_UPLINK);
    return 0;
}

uint32_t fault_cover_slots_max(const struct topology *topology, enum topology_component component)
{
    const struct topology_element any = { .kind = component };
    uint32_t most = 0;

    for (uint32_t i = 0; component == TOPOLOGY_GROUP && i < topology->group_count; i++) {
        uint32_t count = slots_of_group(topology, &topology->groups[i]);

        most = count > most ? count : most;
    }
    if (component == TOPOLOGY_GROUP)
        return most;
    return topology->graph ? fault_cover_graph_slots_max(topology->graph, component)
                           : fault_cover_slots(topology, &any);
}

static struct topology_element host_link(uint32_t nic, uint32_t plane)
{
    return (struct topology_element){ .kind = TOPOLOGY_HOST_LINK, .nic = nic, .plane = plane };
}

static struct topology_element uplink(uint32_t plane, uint32_t t0, uint32_t t1)
{
    return (struct topology_element){ .kind = TOPOLOGY_UPLINK, .plane = plane, .t0 = t0, .t1 = t1 };
}

static struct topology_element link_of_plane(
    const struct topology *topology, uint32_t plane, uint32_t number)
{
    uint32_t above_hosts = number - topology->nic_count;

    if (number < topology->nic_count)
        return host_link(number, plane);
    return uplink(
        plane, above_hosts / topology->config.t1_count, above_hosts % topology->config.t1_count);
}

static struct topology_element link_of_t0(
    const struct topology *topology, const struct topology_element *t0, uint32_t number)
{
    uint32_t hosts = topology->config.hosts_per_t0;

    if (number < hosts)
        return host_link(t0->t0 * hosts + number, t0->plane);
    return uplink(t0->plane, t0->t0, number - hosts);
}

static struct topology_element link_at(
    const struct topology *topology, const struct topology_element *element, uint32_t number)
{
    switch (element->kind) {
    case TOPOLOGY_NIC:
        return host_link(element->nic, number);
    case TOPOLOGY_PLANE:
        return link_of_plane(topology, element->plane, number);
    case TOPOLOGY_T0:
        return link_of_t0(topology, element, number);
    case TOPOLOGY_T1:
        return uplink(element->plane, number, element->t1);
    default:
        return *element;
    }
}

/* False: there is no such NIC behind the last T0. */
static bool lower_end(
    const struct topology *topology, const struct topology_element *link, struct topology_end *end)
{
    struct topology_element t0 = { .kind = TOPOLOGY_T0, .plane = link->plane, .t0 = link->t0 };

    if (link->kind == TOPOLOGY_HOST_LINK) {
        *end = (struct topology_end){ .is_nic = true, .node = link->nic, .port = link->plane };
        return link->nic < topology->nic_count;
    }
    *end = (struct topology_end){ .node = topology_switch_index(topology, &t0),
        .port = topology->config.hosts_per_t0 + link->t1 };
    return true;
}

/* A switch that harms packets harms what it sends: each packet once. */
static bool leaves_element(
    const struct topology_element *element, const struct topology_element *link, bool goes_up)
{
    if (element->kind == TOPOLOGY_T0)
        return goes_up == (link->kind == TOPOLOGY_UPLINK);
    if (element->kind == TOPOLOGY_T1)
        return !goes_up;
    return true;
}

static bool group_cover_at(const struct topology *topology, const struct fault *fault,
    const struct topology_group *group, uint32_t slot, struct topology_end *end)
{
    for (uint32_t i = 0; i < group->member_count; i++) {
        uint32_t count = fault_cover_slots(topology, &group->members[i]);

        if (slot < count)
            return fault_cover_at(topology, fault, &group->members[i], slot, end);
        slot -= count;
    }
    return false;
}

bool fault_cover_at(const struct topology *topology, const struct fault *fault,
    const struct topology_element *element, uint32_t slot, struct topology_end *end)
{
    bool goes_up = slot % 2 == 0;
    struct topology_element link;
    struct topology_end upper;

    if (element->kind == TOPOLOGY_GROUP)
        return group_cover_at(topology, fault, element->group, slot, end);
    if (topology->graph)
        return fault_cover_graph_at(topology->graph, fault, element, slot, end);
    link = link_at(topology, element, slot / 2);
    if (!fault_kind_is(fault->kind, FAULT_CUTS) &&
        fault->direction == (goes_up ? FAULT_DOWNWARD : FAULT_UPWARD))
        return false;
    if (!fault_kind_is(fault->kind, FAULT_CUTS | FAULT_WHOLE) &&
        !leaves_element(element, &link, goes_up))
        return false;
    if (!lower_end(topology, &link, end) || !topology_peer(topology, *end, &upper))
        return false;
    if (!goes_up)
        *end = upper;
    return true;
}

bool fault_cover_is_missing(const struct topology *topology, const struct topology_element *element)
{
    const struct fault any = { .kind = FAULT_DOWN };
    bool is_link = element->kind == TOPOLOGY_HOST_LINK || element->kind == TOPOLOGY_UPLINK ||
                   element->kind == TOPOLOGY_LINK;
    struct topology_end end;

    return is_link && !fault_cover_at(topology, &any, element, 0, &end);
}

void fault_cover(const struct topology *topology, const struct fault *fault,
    void (*covered)(void *context, struct topology_end from), void *context)
{
    for (uint32_t i = 0; i < fault->where_count; i++) {
        uint32_t slot_count = fault_cover_slots(topology, &fault->where[i]);

        for (uint32_t slot = 0; slot < slot_count; slot++) {
            struct topology_end end;

            if (fault_cover_at(topology, fault, &fault->where[i], slot, &end))
                covered(context, end);
        }
    }
}
