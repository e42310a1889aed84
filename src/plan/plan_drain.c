/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the EVs and ports that use an element. */
#include "plan/plan_drain.h"

#include "base/text.h"
#include "plan/plan.h"

static bool refuse_name(char reason[static TOPOLOGY_REASON_BYTES], const char *why)
{
    struct text text = text_in(reason, TOPOLOGY_REASON_BYTES);

    text_fill(&text, why, NULL);
    return false;
}

static bool is_leaf(const struct topology_element *element)
{
    return element->kind == topology_switch_kind(0);
}

static bool element_has_ports(const struct topology_element *element)
{
    return element->kind == TOPOLOGY_HOST_LINK || is_leaf(element);
}

bool plan_drain_has_ports(const struct plan_drain *drain)
{
    const struct topology_group *group = drain->element.group;

    if (drain->is_ev)
        return false;
    if (drain->element.kind != TOPOLOGY_GROUP)
        return element_has_ports(&drain->element);
    for (uint32_t i = 0; i < group->member_count; i++)
        if (element_has_ports(&group->members[i]))
            return true;
    return false;
}

static bool has_nic(const struct topology_element *element)
{
    const struct topology_group *group = element->group;

    if (element->kind != TOPOLOGY_GROUP)
        return element->kind == TOPOLOGY_NIC;
    for (uint32_t i = 0; i < group->member_count; i++)
        if (has_nic(&group->members[i]))
            return true;
    return false;
}

bool plan_drain_find(const struct plan *plan, const char *name, struct plan_drain *drain,
    char reason[static TOPOLOGY_REASON_BYTES])
{
    *drain = (struct plan_drain){ 0 };
    if (plan->topology.graph)
        return refuse_name(reason,
            "the fabric has a shape: its EVs differ by destination and cannot be drained yet");
    drain->is_ev = plan_ev_find(plan, name, &drain->ev);
    if (drain->is_ev)
        return plan_ev_exists(plan, drain->ev) || refuse_name(reason, "no switch has this uplink");
    if (!topology_find(&plan->topology, name, &drain->element, reason))
        return false;
    if (has_nic(&drain->element))
        return refuse_name(
            reason, "a NIC cannot be drained as a whole: take its node out of the job scheduler");
    return true;
}

/* The links of a switch above the leaves have one number among the uplinks of all leaves. */
static bool crosses_switch(
    const struct plan *plan, uint32_t ev, const struct topology_element *element)
{
    uint32_t count = topology_links_of(&plan->topology, element);

    for (uint32_t i = 0; i < count; i++) {
        struct topology_element link;
        struct topology_link_kind kind;
        struct topology_end lower, upper;

        if (topology_link_of(&plan->topology, element, i, &lower, &upper) &&
            topology_link_at(&plan->topology, lower, &link, &kind))
            return plan_ev_crosses(plan, ev, &link);
    }
    return false;
}

static bool element_denies(
    const struct plan *plan, const struct topology_element *element, uint32_t ev)
{
    if (element->kind == TOPOLOGY_PLANE)
        return plan_ev_path(plan, ev).plane == element->plane;
    if (topology_is_uplink(element->kind))
        return plan_ev_crosses(plan, ev, element);
    return topology_is_switch(element->kind) && !is_leaf(element) &&
           crosses_switch(plan, ev, element);
}

bool plan_drain_denies(const struct plan *plan, const struct plan_drain *drain, uint32_t ev)
{
    const struct topology_group *group = drain->element.group;

    if (drain->is_ev)
        return drain->ev == ev;
    if (drain->element.kind != TOPOLOGY_GROUP)
        return element_denies(plan, &drain->element, ev);
    for (uint32_t i = 0; i < group->member_count; i++)
        if (element_denies(plan, &group->members[i], ev))
            return true;
    return false;
}

static bool element_disables(
    const struct plan *plan, const struct topology_element *element, uint32_t nic, uint32_t plane)
{
    struct topology_end port = { .is_nic = true, .node = nic, .port = plane };
    struct topology_end peer;

    if (element->plane != plane || !element_has_ports(element))
        return false;
    if (element->kind == TOPOLOGY_HOST_LINK)
        return element->nic == nic;
    return topology_peer(&plan->topology, port, &peer) && !peer.is_nic &&
           peer.node == topology_switch_index(&plan->topology, element);
}

bool plan_drain_disables(
    const struct plan *plan, const struct plan_drain *drain, uint32_t nic, uint32_t plane)
{
    const struct topology_group *group = drain->element.group;

    if (drain->is_ev)
        return false;
    if (drain->element.kind != TOPOLOGY_GROUP)
        return element_disables(plan, &drain->element, nic, plane);
    for (uint32_t i = 0; i < group->member_count; i++)
        if (element_disables(plan, &group->members[i], nic, plane))
            return true;
    return false;
}
