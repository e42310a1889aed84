/* SPDX-License-Identifier: Apache-2.0 */
/* Which engines of a NIC send to the same destination. Each has a congestion window of its own
 * there; together they are to have the share of one sender. */
#pragma once

#include <stdint.h>

#include "wire/ip_address.h"

struct engine;

enum { ENGINE_SHARES = 64, ENGINE_SHARE_TELL_NS = 1000 * 1000 };

struct engine_share {
    struct ipv6_addr address;
    uint64_t told_ns;
    uint64_t heard_ns[4]; /* of each engine, when it last said that it sends there; 0: never */
};

/* The engine sends data to this address: tells the others now and then, and looks which of them
 * did so lately. */
void engine_share_sends(struct engine *, const struct ipv6_addr *, uint64_t now_ns);

/* Another engine sends there. */
void engine_share_heard(
    struct engine *, uint32_t sender, const struct ipv6_addr *, uint64_t now_ns);
