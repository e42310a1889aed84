/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the ports of a switch, from a description and from options. */
#include "conform/switch_device.h"

#include <stdlib.h>
#include <string.h>

#include "conform/conform_spec.h"

struct port_keys {
    struct switch_device_port port;
    const struct yaml_node *usid;
    const struct yaml_node *host;
};

#define PORT(member) offsetof(struct port_keys, port.member)

/* clang-format off */
static const struct yaml_field port_fields[] = {
    { .key = "interface", .type = YAML_TEXT, .offset = PORT(interface), .most = SWITCH_DEVICE_TEXT_BYTES },
    { .key = "port", .type = YAML_TEXT, .offset = PORT(port), .most = 16 },
    { .key = "usid", .type = YAML_ANY, .offset = offsetof(struct port_keys, usid) },
    { .key = "mac", .type = YAML_TEXT, .offset = PORT(mac), .most = 24 },
    { .key = "faces_host", .type = YAML_FLAG, .offset = PORT(faces_host) },
    { .key = "host", .type = YAML_ANY, .offset = offsetof(struct port_keys, host) },
    { .key = "device", .type = YAML_TEXT, .offset = PORT(device), .most = 16 },
    { .key = "plane", .type = YAML_COUNT, .offset = PORT(plane), .most = 15 },
    { .key = "rate", .type = YAML_RATE, .offset = PORT(rate_bps) },
    { .key = "in", .type = YAML_FLAG, .offset = PORT(is_in) },
    { .key = "out", .type = YAML_FLAG, .offset = PORT(is_out) },
    { .key = NULL },
};
/* clang-format on */

/* ---- values ---------------------------------------------------------------------------------- */

/* Hex digits, as in an address. */
bool switch_device_read_usid(struct yaml *yaml, const struct yaml_node *node, uint16_t *usid)
{
    const char *digits = node->kind == YAML_SCALAR ? node->text : "";
    size_t count;

    if (strncmp(digits, "0x", 2) == 0)
        digits += 2;
    count = strspn(digits, "0123456789abcdefABCDEF");
    if (count == 0 || count > 4 || digits[count])
        return yaml_complain(yaml, node, "a uSID has up to four hex digits: 0c01");
    *usid = (uint16_t)strtoul(digits, NULL, 16);
    return *usid > 0 || yaml_complain(yaml, node, "0 ends the uSIDs of an address");
}

static bool read_host(
    struct yaml *yaml, const struct yaml_node *node, struct switch_device_port *port)
{
    if (!conform_spec_address(yaml, node, &port->host))
        return false;
    port->has_host = true;
    port->faces_host = true;
    return true;
}

/* ---- ports ----------------------------------------------------------------------------------- */

/* Ports of several NICs of a soft fabric have the same address. */
static bool is_same_port(
    const struct switch_device_port *port, const struct yaml_node *node, const char *interface)
{
    const struct yaml_node *device = yaml_member(node, "device");
    const struct yaml_node *plane = yaml_member(node, "plane");

    return strcmp(port->interface, interface) == 0 &&
           (!device || device->kind != YAML_SCALAR || strcmp(device->text, port->device) == 0) &&
           (!plane || plane->kind != YAML_SCALAR || strtoul(plane->text, NULL, 10) == port->plane);
}

static struct switch_device_port *find_port(
    struct switch_device *device, const struct yaml_node *node, const char *interface)
{
    for (uint32_t i = 0; i < device->port_count; i++)
        if (is_same_port(&device->ports[i], node, interface))
            return &device->ports[i];
    return NULL;
}

static bool read_port(struct yaml *yaml, const struct yaml_node *node, struct port_keys *entry,
    const struct switch_device_plan *plan)
{
    const struct yaml_node *name = yaml_member(node, "port");

    if (name && !plan)
        return yaml_complain(
            yaml, name, "a port of the plan needs a fabric; give 'fabric' and 'switch'");
    if (name && !switch_device_take_port(yaml, name, plan, &entry->port))
        return false;
    return yaml_read(yaml, node, port_fields, entry) &&
           (!entry->usid || switch_device_read_usid(yaml, entry->usid, &entry->port.usid)) &&
           (!entry->host || read_host(yaml, entry->host, &entry->port));
}

/* A second entry for the same interface adds to the first one. */
static bool add_port(struct yaml *yaml, const struct yaml_node *node,
    const struct switch_device_plan *plan, struct switch_device *device)
{
    const struct yaml_node *name = yaml_member(node, "interface");
    struct switch_device_port *port;
    struct port_keys entry = { .usid = NULL };

    if (!name || name->kind != YAML_SCALAR)
        return yaml_complain(yaml, node, "the key 'interface' is missing");
    port = find_port(device, node, name->text);
    if (!port && device->port_count == SWITCH_DEVICE_PORTS_MAX)
        return yaml_complain(yaml, node, "at most %d ports", SWITCH_DEVICE_PORTS_MAX);
    if (!port)
        port = &device->ports[device->port_count++];
    entry.port = *port;
    if (!read_port(yaml, node, &entry, plan))
        return false;
    *port = entry.port;
    return true;
}

bool switch_device_read_ports(struct yaml *yaml, const struct yaml_node *top,
    const struct switch_device_plan *plan, struct switch_device *device)
{
    const struct yaml_node *list = yaml_member(top, "ports");

    for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next)
        if (!add_port(yaml, node, plan, device))
            return false;
    for (uint32_t i = 0; i < device->port_count; i++)
        if (!device->ports[i].is_in && !device->ports[i].is_out)
            device->ports[i].is_in = device->ports[i].is_out = true;
    return device->port_count >= 2 ||
           yaml_complain(yaml, top, "a switch has at least two ports; give --in and --out");
}
