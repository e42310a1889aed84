/* SPDX-License-Identifier: Apache-2.0 */
/* What the kit knows of a switch: its uSIDs, ports and queues, and what it does not implement. The
 * description is YAML (mrc-conform(1)); its values may come from the plan of a fabric. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conform/conform_suite.h"
#include "files/files.h"
#include "wire/format.h"
#include "wire/ip_address.h"

enum switch_feature {
#define FEATURE(id, word, sentence) SWITCH_##id,
#include "conform/switch_features.def"
#undef FEATURE
    SWITCH_FEATURE_COUNT,
};

enum switch_point {
#define POINT(id, word, section, question) SWITCH_POINT_##id,
#include "conform/switch_points.def"
#undef POINT
    SWITCH_POINT_COUNT,
};

#define SWITCH_DEVICE_PORTS_MAX  16
#define SWITCH_DEVICE_TEXT_BYTES 128

/* A port of the switch and the interface of the kit that is cabled to it. */
struct switch_device_port {
    char interface[SWITCH_DEVICE_TEXT_BYTES]; /* or an address of pktio_open() */
    char port[16];                            /* of the switch, in the plan: d0, u1 */
    char mac[24];                             /* of the switch; "": learned */
    char device[16];                          /* of a soft fabric: the NIC whose port this is */
    uint32_t plane;                           /* of that NIC */
    uint64_t rate_bps;                        /* 0: not known */
    uint16_t usid;                            /* leads to the port; 0: none */
    bool faces_host;
    bool has_host;
    struct ipv6_addr host; /* address of the host at the port */
    bool is_in;            /* the kit may send to it */
    bool is_out;           /* the kit may have the switch send to it */
};

struct switch_device {
    char name[SWITCH_DEVICE_TEXT_BYTES];
    uint32_t block;
    uint16_t usid;
    uint32_t queue_bytes; /* data queue of a port to a switch; 0: not known */
    uint32_t host_queue_bytes;
    uint32_t control_queue_bytes;
    uint32_t red_min_bytes;
    uint32_t red_max_bytes;
    uint16_t trimmed_bytes; /* 0: not known */
    uint64_t patience_ps;   /* after which the switch no longer forwards */
    uint64_t absent;        /* features, by bit */
    struct wire_format format;
    struct switch_device_port ports[SWITCH_DEVICE_PORTS_MAX];
    uint32_t port_count;
};

/* Reads a description. `device->absent` has features that are missing in any case. Returns false
 * with a message in `yaml`. */
bool switch_device_read(struct yaml *, const struct yaml_node *top, struct switch_device *device);

/* ---- for the files of this folder ------------------------------------------------------------ */

bool switch_device_read_usid(struct yaml *, const struct yaml_node *, uint16_t *usid);

/* The switch of a fabric. */
struct switch_device_plan {
    struct plan plan;
    uint32_t node;
};

/* Loads the fabric and finds the switch that the keys `fabric` and `switch` name. */
bool switch_device_load_plan(
    struct yaml *, const struct yaml_node *top, struct switch_device_plan *);

/* Takes uSID, queues and missing features from the plan. */
void switch_device_take_plan(const struct switch_device_plan *, struct switch_device *);

/* Takes MAC address, uSID and host of the port with this name. */
bool switch_device_take_port(struct yaml *, const struct yaml_node *name,
    const struct switch_device_plan *, struct switch_device_port *);

/* `plan` is NULL if there is no fabric. */
bool switch_device_read_ports(struct yaml *, const struct yaml_node *top,
    const struct switch_device_plan *plan, struct switch_device *);
