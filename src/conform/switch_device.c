/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the description of a switch. */
#include "conform/switch_device.h"

#include "conform/conform_spec.h"
#include "conform/switch_suite.h"

struct description {
    struct switch_device device;
    const struct yaml_node *fabric; /* read before the other keys */
    const struct yaml_node *switch_name;
    const struct yaml_node *block;
    const struct yaml_node *usid;
    const struct yaml_node *ports; /* switch_device_read_ports() reads them */
    const struct yaml_node *dscp;
    const struct yaml_node *without;
};

#define DEVICE(member) offsetof(struct description, device.member)
#define NODE(member)   offsetof(struct description, member)
#define GIB            (UINT32_C(1) << 30)

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "fabric", .type = YAML_ANY, .offset = NODE(fabric) },
    { .key = "switch", .type = YAML_ANY, .offset = NODE(switch_name) },
    { .key = "name", .type = YAML_TEXT, .offset = DEVICE(name), .most = SWITCH_DEVICE_TEXT_BYTES },
    { .key = "block", .type = YAML_ANY, .offset = NODE(block) },
    { .key = "usid", .type = YAML_ANY, .offset = NODE(usid) },
    { .key = "ports", .type = YAML_LIST, .offset = NODE(ports) },
    { .key = "queue", .type = YAML_SIZE32, .offset = DEVICE(queue_bytes), .least = 4224, .most = GIB },
    { .key = "host_queue", .type = YAML_SIZE32, .offset = DEVICE(host_queue_bytes), .least = 4224, .most = GIB },
    { .key = "control_queue", .type = YAML_SIZE32, .offset = DEVICE(control_queue_bytes), .least = 140, .most = GIB },
    { .key = "red_min", .type = YAML_SIZE32, .offset = DEVICE(red_min_bytes), .least = 1, .most = GIB },
    { .key = "red_max", .type = YAML_SIZE32, .offset = DEVICE(red_max_bytes), .least = 1, .most = GIB },
    { .key = "trimmed", .type = YAML_COUNT16, .offset = DEVICE(trimmed_bytes), .least = 108, .most = 4224 },
    { .key = "dscp", .type = YAML_MAP, .offset = NODE(dscp) },
    { .key = "without", .type = YAML_ANY, .offset = NODE(without) },
    { .key = "patience", .type = YAML_TIME, .offset = DEVICE(patience_ps), .least = 1000000000 },
    { .key = NULL },
};

/* clang-format on */

/* ---- the whole ------------------------------------------------------------------------------- */

static bool complete_device(
    struct yaml *yaml, const struct yaml_node *top, struct switch_device *device)
{
    bool has_way = false;

    if (device->usid == 0)
        return yaml_complain(yaml, top, "the key 'usid', the uSID of the switch, is missing");
    for (uint32_t out = 0; out < device->port_count; out++)
        for (uint32_t in = 0; in < device->port_count; in++)
            has_way |= in != out && device->ports[in].is_in && device->ports[out].is_out &&
                       device->ports[out].usid != 0;
    if (!has_way)
        return yaml_complain(
            yaml, top, "no port is an output with a uSID that leads to it; give 'usid' of a port");
    if (device->host_queue_bytes == 0)
        device->host_queue_bytes = device->queue_bytes;
    if (!(device->absent >> SWITCH_QUEUE & 1) && device->queue_bytes == 0)
        return yaml_complain(yaml, top,
            "the key 'queue', the length of the data queue, is missing; or declare it: without "
            "queue");
    if (!(device->absent >> SWITCH_MARKING & 1) &&
        (device->red_min_bytes == 0 || device->red_max_bytes < device->red_min_bytes))
        return yaml_complain(yaml, top,
            "'red_min' and 'red_max', between which marks begin, are missing; or declare it: "
            "without marking");
    return true;
}

/* Without a queue that overflows, there is no congestion. */
static void complete_absent(struct switch_device *device)
{
    if (device->absent >> SWITCH_QUEUE & 1)
        device->absent |= CONFORM_NEEDS(SWITCH_MARKING) | CONFORM_NEEDS(SWITCH_TRIMMING) |
                          CONFORM_NEEDS(SWITCH_PRIORITY);
    if (device->absent >> SWITCH_TRIMMING & 1)
        device->absent |= CONFORM_NEEDS(SWITCH_LAST_HOP_MARK);
}

static bool read_values(struct yaml *yaml, struct description *description)
{
    struct switch_device *device = &description->device;

    return (!description->block || fabric_file_block(yaml, description->block, &device->block)) &&
           (!description->usid ||
               switch_device_read_usid(yaml, description->usid, &device->usid)) &&
           (!description->dscp ||
               conform_spec_classes(yaml, description->dscp, device->format.dscp)) &&
           (!description->without ||
               conform_spec_features(yaml, description->without, &switch_suite, &device->absent));
}

bool switch_device_read(
    struct yaml *yaml, const struct yaml_node *top, struct switch_device *device)
{
    struct description description = { .device = { .block = 0xfc000042,
                                           .format = format_default,
                                           .absent = device->absent,
                                           .patience_ps = UINT64_C(10000000000000) } };
    const struct yaml_node *fabric = yaml_member(top, "fabric");
    struct switch_device_plan plan;

    if (fabric && !switch_device_load_plan(yaml, top, &plan))
        return false;
    if (fabric)
        switch_device_take_plan(&plan, &description.device);
    if (!yaml_read(yaml, top, fields, &description) || !read_values(yaml, &description))
        return false;
    *device = description.device;
    complete_absent(device);
    return switch_device_read_ports(yaml, top, fabric ? &plan : NULL, device) &&
           complete_device(yaml, top, device);
}
