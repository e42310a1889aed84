/* SPDX-License-Identifier: Apache-2.0 */
/* Which engines of a NIC send to the same destination. Each has its own congestion window there;
 * together they take the share of one sender. */
#pragma once

#include <stdint.h>

#include "wire/ip_address.h"

struct engine;

enum { ENGINE_SHARES = 64, ENGINE_SHARE_TELL_NS = 1000 * 1000 };

struct engine_share {
    struct ipv6_addr address;
    uint64_t told_ns;
    uint64_t heard_ns[4]; /* of each engine, its last report that it sends there; 0 if none */
};

/* The engine sends data to this address: reports it to the other engines at intervals, and checks
 * which of them reported it lately. */
void engine_share_sends(struct engine *, const struct ipv6_addr *, uint64_t now_ns);

/* Another engine reported that it sends to this address. */
void engine_share_heard(
    struct engine *, uint32_t sender, const struct ipv6_addr *, uint64_t now_ns);
