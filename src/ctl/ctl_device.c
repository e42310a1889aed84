/* SPDX-License-Identifier: Apache-2.0 */
/* Applies orders to a device through mrc_ctl.h, and reads its state. */
#include "ctl/ctl_device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <mrc_ctl.h>

#include "ctl/ctl_profile.h"

static bool is_number_below(const json_t *value, json_int_t bound)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           json_integer_value(value) < bound;
}

static bool is_ev(const json_t *pair)
{
    return json_array_size(pair) == 2 &&
           is_number_below(json_array_get(pair, 0), INT64_C(1) << 32) &&
           is_number_below(json_array_get(pair, 1), TOPOLOGY_PLANES_MAX);
}

static bool is_ev_list(const json_t *list, size_t most)
{
    const json_t *pair;
    size_t i;

    if (!json_is_array(list) || json_array_size(list) > most)
        return false;
    json_array_foreach(list, i, pair) if (!is_ev(pair)) return false;
    return true;
}

static bool is_id_or_absent(const json_t *value)
{
    return !value || is_number_below(value, INT64_C(1) << 48);
}

static bool is_valid(const json_t *orders)
{
    const json_t *evs = json_object_get(orders, "evs");

    return is_ev_list(json_object_get(orders, "deny"), EV_ADMIN_MAX) &&
           is_number_below(json_object_get(orders, "ports_down"), 1 << TOPOLOGY_PLANES_MAX) &&
           is_id_or_absent(json_object_get(orders, "ev_profile")) &&
           is_id_or_absent(json_object_get(orders, "cc_profile")) &&
           (!evs || is_ev_list(evs, CTL_PROFILE_EVS_MAX));
}

bool ctl_device_orders_are_valid(const json_t *nics)
{
    const char *address;
    json_t *orders;

    if (!json_is_object(nics))
        return false;
    json_object_foreach(
        (json_t *)(size_t)nics, address, orders) if (!is_valid(orders)) return false;
    return true;
}

json_t *ctl_device_orders(const struct ctl_orders *orders)
{
    json_t *deny = json_array();

    for (uint32_t i = 0; i < orders->ev_count; i++)
        json_array_append_new(
            deny, json_pack("[I,i]", (json_int_t)orders->evs[i].ev, (int)orders->evs[i].plane));
    return json_pack("{s:o,s:i}", "deny", deny, "ports_down", (int)orders->ports_down);
}

static bool port_is(const struct port_admin *admin, uint32_t port, bool up)
{
    struct mrc_ctl_port_attr attr;

    return mrc_ctl_query_port(admin->mrc, (uint8_t)port, &attr, MRC_CTL_PORT_ADMIN_STATE) == 0 &&
           (attr.port_admin_state == MRC_CTL_PORT_ADMIN_ENABLED) == up;
}

static int set_ports(const struct port_admin *admin, uint32_t ports, bool up)
{
    int err = 0;

    for (uint32_t p = 0; p < admin->port_count && !err; p++)
        if (ports >> p & 1 && !port_is(admin, p + 1, up))
            err = port_admin_set(admin, p + 1, up);
    return err;
}

static int set_evs(const struct port_admin *admin, const json_t *deny)
{
    uint32_t count = (uint32_t)json_array_size(deny);
    struct ev_admin_ev *evs = calloc(count + 1, sizeof(*evs));
    int err;

    if (!evs)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        const json_t *pair = json_array_get(deny, i);

        evs[i] = (struct ev_admin_ev){ .ev = (uint32_t)json_integer_value(json_array_get(pair, 0)),
            .plane = (uint32_t)json_integer_value(json_array_get(pair, 1)) };
    }
    err = ev_admin_replace(admin, evs, count);
    free(evs);
    return err;
}

uint32_t ctl_device_ports(const json_t *orders)
{
    return (uint32_t)json_integer_value(json_object_get(orders, "ports_down"));
}

int ctl_device_obey(struct ctl_agent_device *device, const json_t *orders)
{
    uint32_t down = ctl_device_ports(orders);
    const json_t *deny = json_object_get(orders, "deny");
    struct port_admin admin;
    int err = -ENODEV;

    if (port_admin_open(&admin, device->name))
        err = set_evs(&admin, deny);
    if (!err)
        err = ctl_profile_load(&admin, orders);
    if (!err)
        err = set_ports(&admin, device->ports_ordered & ~down, true);
    if (!err)
        err = set_ports(&admin, down, false);
    port_admin_close(&admin);
    if (!err) {
        device->ports_ordered = down;
        device->denied_count = (uint32_t)json_array_size(deny);
    }
    return err;
}

void ctl_device_find_address(struct ctl_agent_device *device)
{
    struct port_admin admin;
    union ibv_gid gid;

    if (port_admin_open(&admin, device->name) && ibv_query_gid(admin.verbs, 1, 0, &gid) == 0)
        inet_ntop(AF_INET6, gid.raw, device->address, sizeof(device->address));
    port_admin_close(&admin);
}

void ctl_device_look(struct ctl_agent_device *device)
{
    char reason[REQUEST_REASON_BYTES];
    json_t *answer = NULL;
    const json_t *port;
    size_t i;

    device->has_owner = request_device(device->name, "port", &answer, reason) == REQUEST_ANSWERED;
    device->ports_down = 0;
    json_array_foreach(json_object_get(answer, "ports"), i, port)
    {
        const char *link = json_string_value(json_object_get(port, "link"));
        json_int_t plane = json_integer_value(json_object_get(port, "plane"));

        if (link && strcmp(link, "up") != 0 && plane >= 0 && plane < TOPOLOGY_PLANES_MAX)
            device->ports_down |= UINT32_C(1) << plane;
    }
    json_decref(answer);
}

json_t *ctl_device_describe(const struct ctl_agent_device *device)
{
    json_t *value = json_pack("{s:s,s:s,s:I,s:b,s:i,s:i,s:i}", "name", device->name, "address",
        device->address, "version", (json_int_t)device->version, "open", device->has_owner,
        "ports_down", (int)device->ports_down, "ports_ordered_down", (int)device->ports_ordered,
        "denied", (int)device->denied_count);

    if (device->err)
        json_object_set_new(value, "problem", json_string(strerror(-device->err)));
    return value;
}
