/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of agents, none of which is believed beyond its own NICs, and what they amount to. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "ctl/ctl_controller.h"
#include "ctl/ctl_device.h"
#include "ctl/ctl_loop.h"
#include "ctl/ctl_plain.h"
#include "ctl/ctl_prober.h"
#include "ctl/ctl_profile.h"

#define DEVICES_MAX EVENT_WATCH_MAX /* of an agent */
#define EVENTS_MAX  CTL_AGENT_EVENTS

/* What is kept of a device and of an event. */
#define DEVICE_BYTES 4096
#define EVENT_BYTES  1024

static bool find_nic(const struct plan *plan, const char *text, uint32_t *nic)
{
    struct ipv6_addr address;

    return text && inet_pton(AF_INET6, text, address.octets) == 1 &&
           plan_nic_of(plan, &address, nic) && *nic < plan->topology.nic_count;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Returns the NIC that the report means by this name of a device. */
static bool nic_of_device(
    const struct plan *plan, const json_t *devices, const char *name, uint32_t *nic)
{
    const json_t *device;
    size_t i;

    json_array_foreach(devices, i, device)
    {
        const char *other = text_of(device, "name");

        if (other && name && strcmp(other, name) == 0)
            return find_nic(plan, text_of(device, "address"), nic);
    }
    return false;
}

static void take_devices(
    struct ctl_controller *controller, struct ctl_member *member, const json_t *devices)
{
    json_t *kept = json_array();
    json_t *device;
    size_t i;

    json_array_foreach((json_t *)(size_t)devices, i, device)
    {
        json_int_t down = json_integer_value(json_object_get(device, "ports_down"));
        uint32_t nic;

        if (i >= DEVICES_MAX || !find_nic(controller->plan, text_of(device, "address"), &nic))
            continue;
        if (!ctl_plain_fits(device, DEVICE_BYTES) ||
            !ctl_member_claim(&controller->members, member, nic, controller->now_ms)) {
            member->claims_refused++;
            continue;
        }
        controller->ports_down[nic] = (uint32_t)down & 0xffff;
        ctl_map_note_owner(&controller->map, nic, json_is_true(json_object_get(device, "open")));
        json_array_append(kept, device);
    }
    json_decref(member->devices);
    member->devices = kept;
    member->device_count = (uint32_t)json_array_size(kept);
}

/* An EV that a NIC of the agent found bad. */
static void weigh_event(struct ctl_controller *controller, const json_t *event, uint32_t nic)
{
    const char *to = text_of(event, "to");
    json_int_t ev = json_integer_value(json_object_get(event, "ev"));

    if (strcmp(text_of(event, "event"), "ev") == 0 && to && strcmp(to, "bad") == 0 && ev >= 0 &&
        ev <= UINT32_MAX && plan_ev_exists(controller->plan, (uint32_t)ev))
        ctl_evidence_add(&controller->evidence, (uint32_t)ev, nic, controller->now_ms);
}

static bool take_event(struct ctl_controller *controller, struct ctl_member *member,
    const json_t *devices, json_t *event)
{
    char name[TOPOLOGY_NAME_BYTES];
    uint32_t nic;

    if (!text_of(event, "event") || strlen(text_of(event, "event")) > 32 ||
        json_object_size(event) > 16 || !ctl_plain_fits(event, EVENT_BYTES) ||
        !nic_of_device(controller->plan, devices, text_of(event, "device"), &nic) ||
        !ctl_member_owns(&controller->members, member, nic))
        return false;
    if (json_array_size(controller->pending) >= CTL_PENDING_EVENTS) {
        controller->events_dropped++;
        return true;
    }
    topology_name(&(struct topology_element){ .kind = TOPOLOGY_NIC, .nic = nic }, name);
    json_object_set_new(event, "agent", json_string(member->name));
    json_object_set_new(event, "nic", json_string(name));
    json_array_append(controller->pending, event);
    weigh_event(controller, event, nic);
    ctl_map_take_event(&controller->map, event, nic, controller->now_ms);
    return true;
}

static void take_events(struct ctl_controller *controller, struct ctl_member *member,
    const json_t *devices, const json_t *events)
{
    json_t *event;
    size_t i;

    json_array_foreach((json_t *)(size_t)events, i, event)
    {
        if (i >= EVENTS_MAX || !ctl_member_may_report(member)) {
            member->events_refused += json_array_size(events) - i - 1;
            return;
        }
        if (take_event(controller, member, devices, event))
            member->events_taken++;
        else
            member->events_refused++;
    }
}

/* Rounds of probes. What an agent reports of NICs that are not its own is refused. Slots of another
 * fabric mean other links. */
static void take_rounds(
    struct ctl_controller *controller, struct ctl_member *member, const json_t *map)
{
    const json_t *rounds = json_object_get(map, "rounds");
    const json_t *round, *report;
    size_t i, j;

    if (json_integer_value(json_object_get(map, "fabric_id")) != controller->map.fabric_id)
        return;
    json_array_foreach(rounds, i, round)
    {
        json_int_t number = json_integer_value(json_object_get(round, "round"));

        if (i >= CTL_PROBER_ROUNDS || number < 0)
            return;
        json_array_foreach(json_object_get(round, "nics"), j, report)
        {
            uint32_t nic;

            if (j >= DEVICES_MAX || !find_nic(controller->plan, text_of(report, "address"), &nic) ||
                !ctl_member_owns(&controller->members, member, nic) ||
                !ctl_map_take_nic(
                    &controller->map, (uint64_t)number, nic, report, controller->now_ms))
                member->rounds_refused++;
        }
    }
}

/* All EVs of the fabric or, if there are more than a profile holds, every n-th, beginning with
 * another one at each NIC. */
static json_t *list_evs(const struct plan *plan, uint32_t nic)
{
    uint32_t paths = plan_plane_paths(plan);
    uint32_t total = paths * plan->topology.config.plane_count;
    uint32_t step = (total + CTL_PROFILE_EVS_MAX - 1) / CTL_PROFILE_EVS_MAX;
    json_t *list = json_array();

    for (uint32_t i = nic % step; i < total; i += step) {
        uint32_t plane = i / paths;
        uint32_t ev = plan_ev(plan, (struct ev_path){ .plane = plane, .uplink = i % paths });

        json_array_append_new(list, json_pack("[I,i]", (json_int_t)ev, (int)plane));
    }
    return list;
}

static json_t *orders_of_nic(
    const struct ctl_controller *controller, uint32_t nic, const struct ctl_orders *orders)
{
    json_t *value = ctl_device_orders(orders);

    if (controller->profiles.ev_id) {
        json_object_set_new(value, "ev_profile", json_integer(controller->profiles.ev_id));
        json_object_set_new(value, "evs", list_evs(controller->plan, nic));
    }
    if (controller->profiles.cc_id)
        json_object_set_new(value, "cc_profile", json_integer(controller->profiles.cc_id));
    return value;
}

static json_t *orders_for(struct ctl_controller *controller, const struct ctl_member *member)
{
    struct ctl_orders orders;
    json_t *nics = json_object();
    const json_t *device;
    size_t i;

    json_array_foreach(member->devices, i, device)
    {
        const char *address = text_of(device, "address");
        uint32_t nic;

        if (find_nic(controller->plan, address, &nic) &&
            ctl_denylist_orders(&controller->denylist, nic, &orders))
            json_object_set_new(nics, address, orders_of_nic(controller, nic, &orders));
    }
    return json_pack("{s:I,s:o}", "version", (json_int_t)controller->version, "nics", nics);
}

/* Orders go to an agent that has none of this process, because its options may have changed, to one
 * whose version differs, and to one that has a device without them. */
static bool needs_orders(const struct ctl_controller *controller, const struct ctl_member *member)
{
    const json_t *device;
    size_t i;

    if (member->version != controller->version)
        return true;
    if (!member->is_ordered && member->device_count > 0)
        return true;
    json_array_foreach(member->devices, i,
        device) if (json_integer_value(json_object_get(device, "version")) != controller->version &&
                    !json_object_get(device, "problem")) return true;
    return false;
}

static void add_map(const struct ctl_controller *controller, const json_t *report, json_t *answer)
{
    const json_t *map = json_object_get(report, "map");
    json_t *told = ctl_map_answer(&controller->map,
        json_integer_value(json_object_get(map, "fabric_id")), controller->now_ms);

    if (told)
        json_object_set_new(answer, "map", told);
}

json_t *ctl_controller_take_report(
    struct ctl_controller *controller, const char *agent, const json_t *report)
{
    const json_t *devices = json_object_get(report, "devices");
    const json_t *events = json_object_get(report, "events");
    const json_t *lost = json_object_get(report, "events_lost");
    struct ctl_member *member;
    json_t *answer;

    if (!json_is_array(devices) || (events && !json_is_array(events)))
        return NULL;
    member = ctl_member_find_or_add(&controller->members, agent);
    if (!member)
        return NULL;
    ctl_member_heard(member, controller->now_ms);
    member->version = json_integer_value(json_object_get(report, "version"));
    member->events_lost = json_is_integer(lost) && json_integer_value(lost) > 0
                              ? (uint64_t)json_integer_value(lost)
                              : 0;
    take_devices(controller, member, devices);
    take_events(controller, member, devices, events);
    take_rounds(controller, member, json_object_get(report, "map"));
    answer = json_pack("{s:I}", "version", (json_int_t)controller->version);
    add_map(controller, report, answer);
    if (needs_orders(controller, member))
        json_object_set_new(answer, "orders", orders_for(controller, member));
    member->is_ordered = member->device_count > 0;
    return answer;
}

/* ---- what operators see ---------------------------------------------------------------------- */

json_t *ctl_controller_nics(const struct ctl_controller *controller)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < controller->members.count; i++) {
        const struct ctl_member *member = controller->members.members[i];
        json_t *device;
        size_t j;

        json_array_foreach(member->devices, j, device)
        {
            char name[TOPOLOGY_NAME_BYTES];
            json_t *nic = json_copy(device);
            uint32_t number = 0;

            find_nic(controller->plan, text_of(device, "address"), &number);
            topology_name(&(struct topology_element){ .kind = TOPOLOGY_NIC, .nic = number }, name);
            json_object_set_new(nic, "nic", json_string(name));
            json_object_set_new(nic, "agent", json_string(member->name));
            json_array_append_new(list, nic);
        }
    }
    return list;
}
