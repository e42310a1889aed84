/* SPDX-License-Identifier: Apache-2.0 */
/* The two ends of a connection: messages are divided among QPs, complete in the order in which they
 * were posted, and are delivered in this order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "rival/message/message_arrivals.h"
#include "rival/rocev2/roce_profile.h"

/* A message that is not acknowledged completely. */
struct roce_departure {
    uint64_t bytes;
    uint32_t pieces_left;
};

/* The sending end of a connection. Its senders are those of its first port, then of its second. */
struct roce_outlet {
    uint32_t flow; /* number of the connection in the network */
    uint32_t first_sender;
    uint32_t port_count;
    uint32_t depth; /* messages posted at once */
    uint32_t posted;
    uint32_t completed;
    struct roce_departure *messages; /* by number modulo depth */
};

/* The receiving end of a connection. */
struct roce_inlet {
    uint32_t flow;
    struct message_arrivals arrivals;
};

/* A message is divided among all ports of a connection, and among its QPs if they do not take
 * turns. */
struct roce_division {
    uint32_t piece_count;
    uint64_t piece_bytes; /* of all but the last */
    uint32_t packet_count;
};
struct roce_division roce_connection_divide(
    const struct roce_profile *, const struct roce_outlet *, uint64_t bytes);

/* Returns the sender of a piece. */
uint32_t roce_connection_sender(
    const struct roce_profile *, const struct roce_outlet *, uint32_t message, uint32_t piece);

/* Adds a message; returns its number. */
uint32_t roce_connection_post(struct roce_outlet *, uint64_t bytes, uint32_t piece_count);
void roce_connection_piece_done(struct roce_outlet *, uint32_t message);
/* Takes out the oldest message if it is complete. */
bool roce_connection_take_sent(struct roce_outlet *, struct roce_departure *);
