/* SPDX-License-Identifier: Apache-2.0 */
/* From elements to links to the ports at their ends. */
#include "sim/fault_cover.h"

#include <assert.h>

uint32_t fault_cover_slots(const struct fabric *fabric, const struct fabric_element *element)
{
    const struct fabric_config *config = &fabric->config;

    switch (element->kind) {
    case FABRIC_NIC:
        return 2 * config->plane_count;
    case FABRIC_PLANE:
        return 2 * (fabric->nic_count + config->t0_count * config->t1_count);
    case FABRIC_T0:
        return 2 * (config->hosts_per_t0 + config->t1_count);
    case FABRIC_T1:
        return 2 * config->t0_count;
    case FABRIC_HOST_LINK:
    case FABRIC_UPLINK:
        return 2;
    case FABRIC_COMPONENT_COUNT:
        break;
    }
    assert(element->kind < FABRIC_COMPONENT_COUNT);
    return 0;
}

static struct fabric_element host_link(uint32_t nic, uint32_t plane)
{
    return (struct fabric_element){ .kind = FABRIC_HOST_LINK, .nic = nic, .plane = plane };
}

static struct fabric_element uplink(uint32_t plane, uint32_t t0, uint32_t t1)
{
    return (struct fabric_element){ .kind = FABRIC_UPLINK, .plane = plane, .t0 = t0, .t1 = t1 };
}

static struct fabric_element link_of_plane(
    const struct fabric *fabric, uint32_t plane, uint32_t number)
{
    uint32_t above_hosts = number - fabric->nic_count;

    if (number < fabric->nic_count)
        return host_link(number, plane);
    return uplink(
        plane, above_hosts / fabric->config.t1_count, above_hosts % fabric->config.t1_count);
}

static struct fabric_element link_of_t0(
    const struct fabric *fabric, const struct fabric_element *t0, uint32_t number)
{
    uint32_t hosts = fabric->config.hosts_per_t0;

    if (number < hosts)
        return host_link(t0->t0 * hosts + number, t0->plane);
    return uplink(t0->plane, t0->t0, number - hosts);
}

static struct fabric_element link_at(
    const struct fabric *fabric, const struct fabric_element *element, uint32_t number)
{
    switch (element->kind) {
    case FABRIC_NIC:
        return host_link(element->nic, number);
    case FABRIC_PLANE:
        return link_of_plane(fabric, element->plane, number);
    case FABRIC_T0:
        return link_of_t0(fabric, element, number);
    case FABRIC_T1:
        return uplink(element->plane, number, element->t1);
    default:
        return *element;
    }
}

/* False: there is no such NIC behind the last T0. */
static bool lower_end(
    const struct fabric *fabric, const struct fabric_element *link, struct fabric_end *end)
{
    struct fabric_element t0 = { .kind = FABRIC_T0, .plane = link->plane, .t0 = link->t0 };

    if (link->kind == FABRIC_HOST_LINK) {
        *end = (struct fabric_end){ .is_nic = true, .node = link->nic, .port = link->plane };
        return link->nic < fabric->nic_count;
    }
    *end = (struct fabric_end){ .node = fabric_switch_index(fabric, &t0),
        .port = fabric->config.hosts_per_t0 + link->t1 };
    return true;
}

/* A switch that harms packets harms what it sends: each packet once. */
static bool leaves_element(
    const struct fabric_element *element, const struct fabric_element *link, bool goes_up)
{
    if (element->kind == FABRIC_T0)
        return goes_up == (link->kind == FABRIC_UPLINK);
    if (element->kind == FABRIC_T1)
        return !goes_up;
    return true;
}

static bool hits_both_ways(enum sim_fault_kind kind)
{
    return fault_cover_is_down(kind) || kind == SIM_FAULT_SLOW;
}

bool fault_cover_at(const struct fabric *fabric, const struct sim_fault *fault,
    const struct fabric_element *element, uint32_t slot, struct fabric_end *end)
{
    struct fabric_element link = link_at(fabric, element, slot / 2);
    bool goes_up = slot % 2 == 0;
    struct fabric_end upper;

    if (!fault_cover_is_down(fault->kind) &&
        fault->direction == (goes_up ? SIM_DOWNWARD : SIM_UPWARD))
        return false;
    if (!hits_both_ways(fault->kind) && !leaves_element(element, &link, goes_up))
        return false;
    if (!lower_end(fabric, &link, end) || !fabric_peer(fabric, *end, &upper))
        return false;
    if (!goes_up)
        *end = upper;
    return true;
}

bool fault_cover_is_missing(const struct fabric *fabric, const struct fabric_element *element)
{
    const struct sim_fault any = { .kind = SIM_FAULT_DOWN };
    bool is_link = element->kind == FABRIC_HOST_LINK || element->kind == FABRIC_UPLINK;
    struct fabric_end end;

    return is_link && !fault_cover_at(fabric, &any, element, 0, &end);
}

void sim_fault_cover(const struct fabric *fabric, const struct sim_fault *fault,
    void (*covered)(void *context, struct fabric_end from), void *context)
{
    for (uint32_t i = 0; i < fault->where_count; i++) {
        uint32_t slot_count = fault_cover_slots(fabric, &fault->where[i]);

        for (uint32_t slot = 0; slot < slot_count; slot++) {
            struct fabric_end end;

            if (fault_cover_at(fabric, fault, &fault->where[i], slot, &end))
                covered(context, end);
        }
    }
}
