/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the description of an endpoint. */
#include "conform/endpoint_device.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conform/conform_spec.h"
#include "conform/endpoint_suite.h"

#define PORT(member)   offsetof(struct port_keys, port.member)
#define DEVICE(member) offsetof(struct description, device.member)
#define NODE(member)   offsetof(struct description, member)

enum { QPN_MAX = 0xffffff, MEMORY_LEAST = 1 << 16, MEMORY_MOST = 1 << 20 };

/* ---- ports ----------------------------------------------------------------------------------- */

struct port_keys {
    struct endpoint_port port;
    const struct yaml_node *path;
};

/* clang-format off */
static const struct yaml_field port_fields[] = {
    { .key = "interface", .type = YAML_TEXT, .offset = PORT(interface), .most = ENDPOINT_TEXT_BYTES },
    { .key = "mac", .type = YAML_TEXT, .offset = PORT(mac), .most = 24 },
    { .key = "device", .type = YAML_TEXT, .offset = PORT(device), .most = 16 },
    { .key = "path", .type = YAML_ANY, .offset = offsetof(struct port_keys, path) },
    { .key = NULL },
};
/* clang-format on */

static bool read_port(struct yaml *yaml, const struct yaml_node *node, struct endpoint_port *port)
{
    struct port_keys keys = { .path = NULL };

    if (!yaml_require(yaml, node, "interface") || !yaml_read(yaml, node, port_fields, &keys))
        return false;
    if (keys.path && !conform_spec_address(yaml, keys.path, &keys.port.path))
        return false;
    *port = keys.port;
    port->has_path = keys.path;
    return true;
}

static bool read_ports(
    struct yaml *yaml, const struct yaml_node *list, struct endpoint_device *device)
{
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        if (device->port_count == ENDPOINT_PORTS_MAX)
            return yaml_complain(yaml, node, "at most %d ports", ENDPOINT_PORTS_MAX);
        if (!read_port(yaml, node, &device->ports[device->port_count++]))
            return false;
    }
    return true;
}

/* ---- keys ------------------------------------------------------------------------------------ */

struct description {
    struct endpoint_device device;
    const struct yaml_node *address;
    const struct yaml_node *peer;
    const struct yaml_node *ports;
    const struct yaml_node *dscp;
    const struct yaml_node *without;
    const struct yaml_node *qpn;
    const struct yaml_node *peer_qpn;
    const struct yaml_node *va;
    const struct yaml_node *rkey;
};

/* clang-format off */
static const struct yaml_field fields[] = {
    { .key = "name", .type = YAML_TEXT, .offset = DEVICE(name), .most = ENDPOINT_TEXT_BYTES },
    { .key = "driver", .type = YAML_TEXT, .offset = DEVICE(driver), .most = ENDPOINT_COMMAND_BYTES },
    { .key = "address", .type = YAML_ANY, .offset = NODE(address) },
    { .key = "peer", .type = YAML_ANY, .offset = NODE(peer) },
    { .key = "ports", .type = YAML_LIST, .offset = NODE(ports) },
    { .key = "pmtu", .type = YAML_COUNT, .offset = DEVICE(terms.pmtu_bytes), .least = 256, .most = 4096 },
    { .key = "mpr", .type = YAML_COUNT, .offset = DEVICE(terms.mpr_dest), .least = 1, .most = 255 },
    { .key = "wimm", .type = YAML_COUNT, .offset = DEVICE(terms.wimm_dest), .least = 1, .most = 32768 },
    { .key = "timeout", .type = YAML_COUNT, .offset = DEVICE(terms.timeout), .most = 24 },
    { .key = "psn", .type = YAML_COUNT, .offset = DEVICE(terms.rq_psn), .most = QPN_MAX },
    { .key = "qpn", .type = YAML_ANY, .offset = NODE(qpn) },
    { .key = "peer_qpn", .type = YAML_ANY, .offset = NODE(peer_qpn) },
    { .key = "va", .type = YAML_ANY, .offset = NODE(va) },
    { .key = "rkey", .type = YAML_ANY, .offset = NODE(rkey) },
    { .key = "memory", .type = YAML_SIZE32, .offset = DEVICE(memory_bytes), .least = MEMORY_LEAST, .most = MEMORY_MOST },
    { .key = "udp_port", .type = YAML_COUNT16, .offset = DEVICE(format.udp_port), .least = 1, .most = 65535 },
    { .key = "ev_in_source_port_high", .type = YAML_FLAG, .offset = DEVICE(format.source_port_high) },
    { .key = "dscp", .type = YAML_MAP, .offset = NODE(dscp) },
    { .key = "without", .type = YAML_ANY, .offset = NODE(without) },
    { .key = "patience", .type = YAML_TIME, .offset = DEVICE(patience_ps), .least = 1000000000 },
    { .key = NULL },
};
/* clang-format on */

/* Numbers of QPs, addresses and keys are usually hexadecimal. */
static bool read_number(
    struct yaml *yaml, const struct yaml_node *node, uint64_t most, uint64_t *value)
{
    const char *text = node->kind == YAML_SCALAR ? node->text : "";
    char *end;

    errno = 0;
    *value = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *value <= most)
        return true;
    return yaml_complain(yaml, node, "a number up to 0x%" PRIx64 " is expected here", most);
}

static bool read_qp(struct yaml *yaml, struct description *description)
{
    struct endpoint_device *device = &description->device;
    uint64_t qpn = device->qpn;
    uint64_t peer_qpn = device->peer_qpn;
    uint64_t rkey = 0;

    if ((description->qpn && !read_number(yaml, description->qpn, QPN_MAX, &qpn)) ||
        (description->peer_qpn && !read_number(yaml, description->peer_qpn, QPN_MAX, &peer_qpn)) ||
        (description->va && !read_number(yaml, description->va, UINT64_MAX, &device->va)) ||
        (description->rkey && !read_number(yaml, description->rkey, UINT32_MAX, &rkey)))
        return false;
    device->qpn = (uint32_t)qpn;
    device->peer_qpn = (uint32_t)peer_qpn;
    device->rkey = (uint32_t)rkey;
    return true;
}

static bool read_values(struct yaml *yaml, struct description *description)
{
    struct endpoint_device *device = &description->device;

    return read_qp(yaml, description) &&
           (!description->ports || read_ports(yaml, description->ports, device)) &&
           (!description->address ||
               conform_spec_address(yaml, description->address, &device->address)) &&
           (!description->peer || conform_spec_address(yaml, description->peer, &device->peer)) &&
           (!description->dscp ||
               conform_spec_classes(yaml, description->dscp, device->format.dscp)) &&
           (!description->without ||
               conform_spec_features(yaml, description->without, &endpoint_suite, &device->absent));
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool check_pmtu(struct yaml *yaml, const struct yaml_node *top, uint32_t pmtu_bytes)
{
    return (pmtu_bytes & (pmtu_bytes - 1)) == 0 ||
           yaml_complain(yaml, top, "'pmtu' is 256, 512, 1024, 2048 or 4096, not %u", pmtu_bytes);
}

/* A device without a driver cannot be asked for anything. */
static bool check_described_qp(
    struct yaml *yaml, const struct yaml_node *top, struct endpoint_device *device)
{
    static const char *const keys[] = { "address", "qpn", "psn", "va", "rkey", "memory" };

    for (uint32_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (!yaml_member(top, keys[i]))
            return yaml_complain(yaml, top,
                "the key '%s' is missing: a device without a driver (--driver) has a QP that is "
                "connected and described",
                keys[i]);
    device->absent |= CONFORM_NEEDS(ENDPOINT_DRIVER) | CONFORM_NEEDS(ENDPOINT_REQUESTER);
    return true;
}

static bool complete_device(
    struct yaml *yaml, const struct yaml_node *top, struct endpoint_device *device)
{
    if (device->port_count == 0)
        return yaml_complain(yaml, top, "a port is missing; give --port, one for each plane");
    if (!check_pmtu(yaml, top, device->terms.pmtu_bytes))
        return false;
    if (!device->driver[0] && !check_described_qp(yaml, top, device))
        return false;
    device->terms.mpr = device->terms.mpr_dest;
    device->terms.wimm = device->terms.wimm_dest;
    return true;
}

bool endpoint_device_read(
    struct yaml *yaml, const struct yaml_node *top, struct endpoint_device *device)
{
    struct description description = {
        .device = { .absent = device->absent,
            .format = format_default,
            .patience_ps = UINT64_C(5000000000000),
            .peer = { { 0x20, 0x01, 0x0d, 0xb8, 0xc0, [15] = 1 } },
            .peer_qpn = 0x777,
            .terms = { .pmtu_bytes = 1024,
                .mpr_dest = 8,
                .wimm_dest = 32,
                .timeout = 14,
                .linear = 3,
                .exponential = 4 } },
    };

    if (!yaml_read(yaml, top, fields, &description) || !read_values(yaml, &description))
        return false;
    *device = description.device;
    return complete_device(yaml, top, device);
}
