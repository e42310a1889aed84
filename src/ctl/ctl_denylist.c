/* SPDX-License-Identifier: Apache-2.0 */
/* Derives orders and capacity from the list. */
#include "ctl/ctl_denylist.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static uint32_t find_element(const struct ctl_denylist *list, const char *name)
{
    uint32_t index = 0;

    while (index < list->count && strcmp(list->elements[index].name, name) != 0)
        index++;
    return index;
}

bool ctl_denylist_has(const struct ctl_denylist *list, const char *name)
{
    return find_element(list, name) < list->count;
}

bool ctl_denylist_is_automatic(const struct ctl_denylist *list, const char *name)
{
    uint32_t index = find_element(list, name);

    return index < list->count && list->elements[index].is_automatic;
}

void ctl_denylist_set_automatic(struct ctl_denylist *list, const char *name, bool is_automatic)
{
    uint32_t index = find_element(list, name);

    if (index < list->count)
        list->elements[index].is_automatic = is_automatic;
}

bool ctl_denylist_add(
    struct ctl_denylist *list, const char *name, char reason[static TOPOLOGY_REASON_BYTES])
{
    struct ctl_denied *element = &list->elements[list->count];

    if (list->count == CTL_ELEMENTS_MAX) {
        snprintf(
            reason, TOPOLOGY_REASON_BYTES, "%d elements are drained already", CTL_ELEMENTS_MAX);
        return false;
    }
    if (strlen(name) >= sizeof(element->name)) {
        snprintf(reason, TOPOLOGY_REASON_BYTES, "no element has a name this long");
        return false;
    }
    if (!plan_drain_find(list->plan, name, &element->drain, reason))
        return false;
    snprintf(element->name, sizeof(element->name), "%s", name);
    element->is_automatic = false;
    list->count++;
    return true;
}

bool ctl_denylist_remove(struct ctl_denylist *list, const char *name)
{
    uint32_t index = find_element(list, name);

    if (index == list->count)
        return false;
    list->count--;
    memmove(&list->elements[index], &list->elements[index + 1],
        (list->count - index) * sizeof(list->elements[0]));
    return true;
}

bool ctl_denylist_denies(const struct ctl_denylist *list, uint32_t ev)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (plan_drain_denies(list->plan, &list->elements[i].drain, ev))
            return true;
    return false;
}

static uint32_t ports_of(const struct ctl_denylist *list, uint32_t nic)
{
    uint32_t ports = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        const struct plan_drain *drain = &list->elements[i].drain;

        if (!plan_drain_has_ports(drain))
            continue;
        for (uint32_t p = 0; p < list->plan->topology.config.plane_count; p++)
            ports |= (uint32_t)plan_drain_disables(list->plan, drain, nic, p) << p;
    }
    return ports;
}

bool ctl_denylist_orders(const struct ctl_denylist *list, uint32_t nic, struct ctl_orders *orders)
{
    uint32_t paths = plan_plane_paths(list->plan);

    orders->ev_count = 0;
    orders->ports_down = ports_of(list, nic);
    for (uint32_t p = 0; p < list->plan->topology.config.plane_count; p++)
        for (uint32_t i = 0; i < paths; i++) {
            uint32_t ev = plan_ev(list->plan, (struct ev_path){ .plane = p, .uplink = i });

            if (!ctl_denylist_denies(list, ev))
                continue;
            if (orders->ev_count == EV_ADMIN_MAX)
                return false;
            orders->evs[orders->ev_count++] = (struct ev_admin_ev){ .ev = ev, .plane = p };
        }
    return true;
}

struct ctl_share ctl_denylist_share(const struct ctl_denylist *list, const uint32_t *ports_down)
{
    const struct topology *topology = &list->plan->topology;
    uint32_t planes = topology->config.plane_count;
    uint32_t paths = plan_plane_paths(list->plan);
    uint32_t open[TOPOLOGY_PLANES_MAX] = { 0 };
    struct ctl_share least = { .ppm = UINT32_MAX };

    assert(planes > 0 && paths > 0);
    for (uint32_t p = 0; p < planes; p++)
        for (uint32_t i = 0; i < paths; i++)
            open[p] += !ctl_denylist_denies(list, plan_ev(list->plan, (struct ev_path){ p, i }));
    for (uint32_t nic = 0; nic < topology->nic_count; nic++) {
        uint32_t down = ports_of(list, nic) | (ports_down ? ports_down[nic] : 0);
        uint64_t left = 0;
        uint32_t ppm;

        for (uint32_t p = 0; p < planes; p++)
            left += down >> p & 1 ? 0 : open[p];
        ppm = (uint32_t)(left * 1000000 / ((uint64_t)planes * paths));
        if (ppm < least.ppm)
            least = (struct ctl_share){ .ppm = ppm, .nic = nic };
    }
    return least;
}
