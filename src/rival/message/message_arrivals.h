/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving end of a connection: its packets arrive in any order, and its messages are
 * delivered in the order in which they were posted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* A message that has not arrived completely, or follows one that has not. */
struct message_arrival {
    uint32_t packets_left;
    uint32_t tag;
    bool has_begun;
    bool tells; /* the receiver is told when the message has arrived */
};

struct message_arrivals {
    struct message_arrival *messages; /* by number modulo depth */
    uint32_t depth;                   /* messages posted at once */
    uint32_t delivered;
};

/* With an arena without memory, only measures. */
void message_arrivals_init(struct message_arrivals *, struct arena *, uint32_t depth);

/* A new packet has arrived. `whole`: its message before the first packet. */
void message_arrivals_note(
    struct message_arrivals *, uint32_t number, const struct message_arrival *whole);

/* Takes out the next message if it is complete. */
bool message_arrivals_take(struct message_arrivals *, struct message_arrival *);
