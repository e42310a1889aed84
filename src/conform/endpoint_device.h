/* SPDX-License-Identifier: Apache-2.0 */
/* What the kit knows of an endpoint: its ports, its addresses, the terms of its QPs, how it is
 * driven, and what it does not implement. The description is YAML (mrc-conform-endpoint(1)). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conform/conform_suite.h"
#include "files/files.h"
#include "wire/format.h"
#include "wire/ip_address.h"

enum endpoint_feature {
#define FEATURE(id, word, sentence) ENDPOINT_##id,
#include "conform/endpoint_features.def"
#undef FEATURE
    ENDPOINT_FEATURE_COUNT,
};

enum endpoint_point {
#define POINT(id, word, section, question) ENDPOINT_POINT_##id,
#include "conform/endpoint_points.def"
#undef POINT
    ENDPOINT_POINT_COUNT,
};

#define ENDPOINT_PORTS_MAX     16
#define ENDPOINT_TEXT_BYTES    128
#define ENDPOINT_COMMAND_BYTES 1024

/* A port of the kit, which is cabled to the port of the device with the same number. */
struct endpoint_port {
    char interface[ENDPOINT_TEXT_BYTES]; /* or an address of pktio_open() */
    char mac[24];                        /* of the device; "": learned */
    char device[16];                     /* of a soft fabric: the NIC that the kit is */
    bool has_path;
    struct ipv6_addr path; /* outer destination of frames to the device */
};

/* What both ends of a QP agree upon, seen from the device. */
struct endpoint_terms {
    uint32_t pmtu_bytes;
    uint32_t mpr;       /* of the device as requester, units of 128 PSNs */
    uint32_t mpr_dest;  /* as responder */
    uint32_t wimm;      /* WriteIMMs in flight, as requester */
    uint32_t wimm_dest; /* as responder */
    uint32_t timeout;   /* exponent of 1.024 us */
    uint32_t linear;    /* retries */
    uint32_t exponential;
    uint32_t rq_psn; /* first PSN that the device expects */
    uint32_t sq_psn; /* first PSN that it sends */
    bool has_dynamic_mpr;
};

struct endpoint_device {
    char name[ENDPOINT_TEXT_BYTES];
    char driver[ENDPOINT_COMMAND_BYTES]; /* "": none */
    struct ipv6_addr address;            /* zero: the driver knows it */
    struct ipv6_addr peer;               /* of the kit */
    struct endpoint_port ports[ENDPOINT_PORTS_MAX];
    uint32_t port_count;
    struct endpoint_terms terms;
    struct wire_format format;
    uint64_t patience_ps; /* after which an answer no longer comes */
    uint64_t absent;      /* features, by bit */

    /* The QP of a device without a driver, connected to QP `peer_qpn` of the kit. */
    uint32_t qpn;
    uint32_t peer_qpn;
    uint64_t va;
    uint32_t rkey;
    uint32_t memory_bytes;
};

/* Reads a description. `device->absent` has features that are missing in any case. Returns false
 * with a message in `yaml`. */
bool endpoint_device_read(struct yaml *, const struct yaml_node *top, struct endpoint_device *);
