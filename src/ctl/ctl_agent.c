/* SPDX-License-Identifier: Apache-2.0 */
/* Looks after the devices of a node. */
#include "ctl/ctl_agent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl_clock.h"
#include "ctl/ctl_device.h"

#define LOOK_MS  1000 /* between looks for devices */
#define CHECK_MS 5000 /* between comparisons of all devices with the orders */

static bool on_event(void *context, const char *line)
{
    struct ctl_agent *agent = context;
    json_t *event = json_loads(line, 0, NULL);

    if (!event || json_array_size(agent->events) >= CTL_AGENT_EVENTS) {
        agent->events_lost++;
        json_decref(event);
        return true;
    }
    json_object_set_new(event, "time_ms", json_integer(ctl_clock_day_ms()));
    json_array_append_new(agent->events, event);
    return true;
}

void ctl_agent_init(struct ctl_agent *agent, struct ctl_store *store, const char *name)
{
    char *text;

    *agent = (struct ctl_agent){
        .store = store, .version = -1, .events = json_array(), .watch = { .on_event = on_event }
    };
    agent->watch.context = agent;
    snprintf(agent->name, sizeof(agent->name), "%s", name);
    text = ctl_store_orders(store, &agent->version);
    agent->orders = text ? json_loads(text, 0, NULL) : NULL;
    if (!agent->orders)
        agent->version = -1;
    ctl_prober_init(&agent->prober);
    free(text);
}

void ctl_agent_fini(struct ctl_agent *agent)
{
    ctl_prober_fini(&agent->prober);
    json_decref(agent->orders);
    json_decref(agent->events);
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* Notes which ports are ours before one is disabled: an agent that is killed in between must
 * enable it again one day. */
static int note_ports(struct ctl_agent *agent, struct ctl_agent_device *device, uint32_t ports)
{
    char name[DEVICE_LIST_NAME_BYTES + 8];
    int err;

    if (ports == device->ports_noted)
        return 0;
    snprintf(name, sizeof(name), "ports %s", device->name);
    err = ctl_store_put_number(agent->store, name, ports);
    if (!err)
        device->ports_noted = ports;
    return err;
}

static void carry_out(struct ctl_agent *agent, struct ctl_agent_device *device)
{
    const json_t *nics = json_object_get(agent->orders, "nics");
    const json_t *orders = json_object_get(nics, device->address);

    if (!orders)
        return; /* none for this device: the controller learns that from its version */
    device->err = note_ports(agent, device, device->ports_ordered | ctl_device_ports(orders));
    if (!device->err)
        device->err = ctl_device_obey(device, orders);
    if (!device->err)
        device->err = note_ports(agent, device, device->ports_ordered);
    if (!device->err)
        device->version = agent->version;
}

int ctl_agent_take_orders(
    struct ctl_agent *agent, const char *text, char reason[static CTL_REASON_BYTES])
{
    json_error_t problem;
    json_t *orders = json_loads(text, 0, &problem);
    const json_t *version = json_object_get(orders, "version");
    int err;

    if (!json_is_integer(version) ||
        !ctl_device_orders_are_valid(json_object_get(orders, "nics"))) {
        snprintf(reason, CTL_REASON_BYTES, "malformed orders: %s",
            orders ? "version or nics" : problem.text);
        json_decref(orders);
        return -EINVAL;
    }
    err = ctl_store_put_orders(agent->store, json_integer_value(version), text);
    if (err) {
        snprintf(reason, CTL_REASON_BYTES, "cannot store orders: %s", strerror(-err));
        json_decref(orders);
        return err;
    }
    json_decref(agent->orders);
    agent->orders = orders;
    agent->version = json_integer_value(version);
    for (uint32_t i = 0; i < agent->device_count; i++)
        carry_out(agent, &agent->devices[i]);
    return 0;
}

/* ---- devices --------------------------------------------------------------------------------- */

static struct ctl_agent_device *add_device(struct ctl_agent *agent, const char *name)
{
    struct ctl_agent_device *device = &agent->devices[agent->device_count];
    char noted[DEVICE_LIST_NAME_BYTES + 8];

    if (agent->device_count == EVENT_WATCH_MAX)
        return NULL;
    *device = (struct ctl_agent_device){ .version = -1 };
    snprintf(device->name, sizeof(device->name), "%s", name);
    snprintf(noted, sizeof(noted), "ports %s", name);
    device->ports_noted = device->ports_ordered = (uint32_t)ctl_store_number(agent->store, noted);
    agent->device_count++;
    return device;
}

static struct ctl_agent_device *find_device(struct ctl_agent *agent, const char *name)
{
    for (uint32_t i = 0; i < agent->device_count; i++)
        if (strcmp(agent->devices[i].name, name) == 0)
            return &agent->devices[i];
    return add_device(agent, name);
}

static void forget_unseen(struct ctl_agent *agent)
{
    for (uint32_t i = agent->device_count; i-- > 0;)
        if (!agent->devices[i].is_seen)
            agent->devices[i] = agent->devices[--agent->device_count];
}

static void look_at(struct ctl_agent *agent, struct ctl_agent_device *device)
{
    device->is_seen = true;
    if (!device->address[0])
        ctl_device_find_address(device);
    ctl_device_look(device);
    if (ctl_prober_has_borrowed(&agent->prober, device->name))
        device->has_owner = false; /* but ourselves */
    event_watch_follow(&agent->watch, device->name, false);
}

static void look_for_devices(struct ctl_agent *agent, uint64_t now_ms)
{
    struct device_list *list = malloc(sizeof(*list));

    if (!list)
        return;
    for (uint32_t i = 0; i < agent->device_count; i++)
        agent->devices[i].is_seen = false;
    device_list_read(list);
    for (uint32_t i = 0; i < list->count; i++) {
        struct ctl_agent_device *device = find_device(agent, list->names[i]);

        if (device)
            look_at(agent, device);
    }
    forget_unseen(agent);
    ctl_prober_look(&agent->prober, agent->devices, agent->device_count, now_ms);
    free(list);
}

static void carry_out_all(struct ctl_agent *agent, bool also_done)
{
    for (uint32_t i = 0; i < agent->device_count; i++)
        if (also_done || agent->devices[i].version != agent->version)
            carry_out(agent, &agent->devices[i]);
}

uint32_t ctl_agent_tick(struct ctl_agent *agent, uint64_t now_ms)
{
    if (agent->looked_ms == 0 || now_ms - agent->looked_ms >= LOOK_MS) {
        agent->looked_ms = now_ms;
        look_for_devices(agent, now_ms);
        carry_out_all(agent, now_ms - agent->checked_ms >= CHECK_MS);
        if (now_ms - agent->checked_ms >= CHECK_MS)
            agent->checked_ms = now_ms;
    }
    event_watch_wait(&agent->watch, 0);
    return ctl_prober_tick(&agent->prober, now_ms);
}

json_t *ctl_agent_report(struct ctl_agent *agent)
{
    json_t *devices = json_array();
    json_t *report;

    for (uint32_t i = 0; i < agent->device_count; i++)
        json_array_append_new(devices, ctl_device_describe(&agent->devices[i]));
    report = json_pack("{s:s,s:I,s:o,s:o,s:I,s:o}", "agent", agent->name, "version",
        (json_int_t)agent->version, "devices", devices, "events", agent->events, "events_lost",
        (json_int_t)agent->events_lost, "map", ctl_prober_report(&agent->prober));
    agent->events = json_array();
    return report;
}
