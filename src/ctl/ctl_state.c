/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a controller, in figures. */
#include <string.h>

#include "ctl/ctl_controller.h"
#include "ctl/ctl_loop.h"

json_t *ctl_controller_agents(const struct ctl_controller *controller)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < controller->members.count; i++)
        json_array_append_new(
            list, ctl_member_describe(controller->members.members[i], controller->now_ms));
    return list;
}

static uint32_t count_connected(const struct ctl_controller *controller)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < controller->members.count; i++)
        count += controller->now_ms - controller->members.members[i]->heard_ms < CTL_SILENT_MS;
    return count;
}

/* Devices whose orders are the current ones. */
static uint32_t count_obeying(const struct ctl_controller *controller, uint32_t *device_count)
{
    uint32_t count = 0;

    *device_count = 0;
    for (uint32_t i = 0; i < controller->members.count; i++) {
        const json_t *device;
        size_t j;

        json_array_foreach(controller->members.members[i]->devices, j, device)
        {
            ++*device_count;
            count += json_integer_value(json_object_get(device, "version")) == controller->version;
        }
    }
    return count;
}

static json_int_t count_refused(const struct ctl_controller *controller)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < controller->members.count; i++)
        count += ctl_member_refused(controller->members.members[i]);
    return (json_int_t)count;
}

json_t *ctl_controller_state(struct ctl_controller *controller)
{
    struct ctl_share share = ctl_denylist_share(&controller->denylist, controller->ports_down);
    uint32_t device_count;
    uint32_t obeying = count_obeying(controller, &device_count);
    json_t *state = json_pack("{s:s,s:I,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:I,s:s}", "fabric",
        controller->plan->topology.config.name, "version", (json_int_t)controller->version,
        "drained", (int)controller->denylist.count, "agents", (int)controller->members.count,
        "agents_connected", (int)count_connected(controller), "devices", (int)device_count,
        "devices_current", (int)obeying, "capacity_ppm", (int)share.ppm, "capacity_limit_ppm",
        (int)controller->limits.capacity_ppm, "events_dropped",
        (json_int_t)controller->events_dropped, "store",
        controller->store_err ? strerror(-controller->store_err) : "ok");

    json_object_set_new(state, "agents_refused", json_integer(count_refused(controller)));
    json_object_set_new(state, "evidence",
        ctl_evidence_describe(&controller->evidence, controller->plan, controller->now_ms));
    ctl_loop_describe(controller, state);
    return state;
}
