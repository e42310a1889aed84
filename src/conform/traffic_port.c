/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the ports of mrc conform traffic. */
#include "conform/conform_spec.h"
#include "conform/traffic.h"

struct keys {
    struct traffic_port port;
    const struct yaml_node *nic;
    const struct yaml_node *path;
    const struct yaml_node *source;
};

#define PORT(member) offsetof(struct keys, port.member)
#define NODE(member) offsetof(struct keys, member)

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "interface", .type = YAML_TEXT, .offset = PORT(address), .most = CONFORM_PORT_NAME_BYTES },
    { .key = "device", .type = YAML_TEXT, .offset = PORT(device), .most = 16 },
    { .key = "plane", .type = YAML_COUNT, .offset = PORT(plane), .most = 15 },
    { .key = "nic", .type = YAML_ANY, .offset = NODE(nic) },
    { .key = "path", .type = YAML_ANY, .offset = NODE(path) },
    { .key = "source", .type = YAML_ANY, .offset = NODE(source) },
    { .key = NULL },
};
/* clang-format on */

/* The number of a NIC, with or without the h of its name. */
static bool read_nic(struct yaml *yaml, const struct yaml_node *node, struct traffic_port *port)
{
    static const struct yaml_field number = { .type = YAML_COUNT };
    struct yaml_node bare = *node;

    if (node->kind == YAML_SCALAR && node->text[0] == 'h')
        bare.text++;
    port->has_nic = true;
    return yaml_read_value(yaml, &bare, &number, &port->nic);
}

bool traffic_port_read(
    struct yaml *yaml, const char *option, const char *text, struct traffic_port *port)
{
    struct yaml_node *node = conform_spec_parse(yaml, option, text, NULL);
    struct keys keys = { .nic = NULL };

    if (!node || !yaml_read(yaml, node, fields, &keys) ||
        (keys.nic && !read_nic(yaml, keys.nic, &keys.port)) ||
        (keys.path && !conform_spec_address(yaml, keys.path, &keys.port.path)) ||
        (keys.source && !conform_spec_address(yaml, keys.source, &keys.port.source)))
        return false;
    keys.port.has_path = keys.path;
    keys.port.has_source = keys.source;
    *port = keys.port;
    return true;
}
