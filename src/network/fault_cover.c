/* SPDX-License-Identifier: Apache-2.0 */
/* Maps components to the directions of their links. */
#include "network/fault_cover.h"

/* Members are never groups, so the recursion ends. */
static uint32_t slots_of_group(const struct topology *topology, const struct topology_group *group)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < group->member_count; i++)
        count += fault_cover_slots(topology, &group->members[i]);
    return count;
}

uint32_t fault_cover_slots(const struct topology *topology, const struct topology_element *element)
{
    if (element->kind == TOPOLOGY_GROUP)
        return slots_of_group(topology, element->group);
    return 2 * topology_links_of(topology, element);
}

uint32_t fault_cover_slots_max(const struct topology *topology, enum topology_component component)
{
    uint32_t most = 0;

    if (component != TOPOLOGY_GROUP)
        return 2 * topology_links_of_any(topology, component);
    for (uint32_t i = 0; i < topology->group_count; i++) {
        uint32_t count = slots_of_group(topology, &topology->groups[i]);

        most = count > most ? count : most;
    }
    return most;
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

/* A faulty switch affects the packets that it sends, so that it affects each packet once. */
static bool leaves_element(const struct topology *topology, const struct topology_element *element,
    struct topology_end from)
{
    return !topology_is_switch(element->kind) ||
           (!from.is_nic && from.node == topology_switch_index(topology, element));
}

bool fault_cover_at(const struct topology *topology, const struct fault *fault,
    const struct topology_element *element, uint32_t slot, struct topology_end *end)
{
    bool goes_up = slot % 2 == 0;
    struct topology_end lower;
    struct topology_end upper;

    if (element->kind == TOPOLOGY_GROUP)
        return group_cover_at(topology, fault, element->group, slot, end);
    if (!fault_kind_is(fault->kind, FAULT_CUTS) &&
        fault->direction == (goes_up ? FAULT_DOWNWARD : FAULT_UPWARD))
        return false;
    if (!topology_link_of(topology, element, slot / 2, &lower, &upper))
        return false;
    *end = goes_up ? lower : upper;
    return fault_kind_is(fault->kind, FAULT_CUTS | FAULT_WHOLE) ||
           leaves_element(topology, element, *end);
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
