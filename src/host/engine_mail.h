/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between the engines of one NIC. There is a ring (base/ring.h) from each engine to each
 * other engine: the owner of one fills it, the owner of the other empties it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "wire/packet.h"

struct engine;

enum {
    ENGINE_MAIL = 64,       /* messages that can wait */
    ENGINE_MAIL_RUMOURS = 8 /* messages that may be lost are posted only below this number */
};

enum engine_message_kind {
    ENGINE_MESSAGE_PACKET, /* an Endpoint Request or Response: engine 0 receives those of all
                              engines */
    ENGINE_MESSAGE_SENDS,  /* the engine that posts this sends data to packet.dst */
};

struct engine_message {
    enum engine_message_kind kind;
    struct packet packet;
};

struct engine_mail {
    struct ring ring;
    struct engine_message messages[ENGINE_MAIL];
};

/* Called for engine 0: delivers an Endpoint Request or Response to this engine, another engine or
 * all engines. The transport that takes it counts it. */
void engine_mail_endpoint(struct engine *, const struct packet *, uint64_t now_ns);

/* Tells all other engines of the NIC that this one sends to the address. */
void engine_mail_tell_sends(struct engine *, const struct ipv6_addr *);

/* Reads the messages of the other engines. Returns their number. */
uint32_t engine_mail_take(struct engine *, uint64_t now_ns);
