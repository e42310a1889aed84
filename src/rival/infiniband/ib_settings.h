/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of InfiniBand: what a user chooses, and what follows for the NICs of a fabric. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/problem.h"
#include "rival/rocev2/roce_profile.h"

#define IB_LIDS_MAX 49151 /* of NICs and switches in a subnet: 0x0001 to 0xbfff */

enum ib_routing {
    IB_ADAPTIVE, /* each packet takes the least loaded port; packets arrive in any order */
    IB_STATIC,   /* the destination selects the port */
    IB_ROUTING_COUNT,
};
extern const char *const ib_routing_words[IB_ROUTING_COUNT + 1];

/* How routes avoid a link that has failed. */
enum ib_recovery {
    IB_SHIELD,         /* switches help themselves; the subnet manager follows */
    IB_SUBNET_MANAGER, /* a sweep of the subnet manager */
    IB_RECOVERY_COUNT,
};
extern const char *const ib_recovery_words[IB_RECOVERY_COUNT + 1];

/* What a user chooses. */
struct ib_settings {
    enum ib_routing routing;
    enum ib_recovery recovery;
    uint32_t lanes;        /* data lanes; each workload has one */
    uint64_t buffer_bytes; /* of each ingress port, for all lanes */
    bool link_retry;       /* links repeat packets that they damage */
    uint32_t qps;          /* of a connection, on each port */
    uint64_t timeout_ps;
    uint32_t retries;
};

/* Adaptive routing, one lane, 256 KiB, the timeout of NCCL. */
void ib_settings_init(struct ib_settings *);

/* Refuses numbers out of range, and buffers that are too small for packets with `mtu_bytes`. */
bool ib_settings_check(const struct ib_settings *, uint32_t mtu_bytes, struct problem *);

/* Returns the buffer of a lane, in blocks. */
uint32_t ib_settings_lane_blocks(const struct ib_settings *);

enum {
    IB_HEADER_BYTES = 8 + 12 + 4 + 2, /* LRH, BTH, ICRC, VCRC */
};
/* Returns the length of the longest packet. */
uint32_t ib_settings_packet_bytes(uint32_t mtu_bytes);

struct roce_profile ib_settings_profile(const struct ib_settings *, const struct roce_fabric *);
