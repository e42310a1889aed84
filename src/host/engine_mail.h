/* SPDX-License-Identifier: Apache-2.0 */
/* What engines of one NIC tell each other. From each to each other there is a ring (base/ring.h):
 * the owner of one fills it, the owner of the other empties it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "wire/packet.h"

struct engine;

enum {
    ENGINE_MAIL = 64,       /* messages that may wait */
    ENGINE_MAIL_RUMOURS = 8 /* of these, that can be missed */
};

enum engine_message_kind {
    ENGINE_MESSAGE_PACKET, /* an Endpoint Request or Response: engine 0 gets those of all */
    ENGINE_MESSAGE_SENDS,  /* the sender of this sends data to packet.dst */
};

struct engine_message {
    enum engine_message_kind kind;
    struct packet packet;
};

struct engine_mail {
    struct ring ring;
    struct engine_message messages[ENGINE_MAIL];
};

/* Of engine 0: an Endpoint Request or Response, for itself, for another engine, or for all. Counted
 * by the transport that takes it. */
void engine_mail_endpoint(struct engine *, const struct packet *, uint64_t now_ns);

/* Tells all other engines of the NIC to which address this one sends. */
void engine_mail_tell_sends(struct engine *, const struct ipv6_addr *);

/* Reads what the others have sent; returns how much there was. */
uint32_t engine_mail_take(struct engine *, uint64_t now_ns);
