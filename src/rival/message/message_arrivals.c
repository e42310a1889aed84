/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the packets of messages. */
#include "rival/message/message_arrivals.h"

void message_arrivals_init(struct message_arrivals *arrivals, struct arena *arena, uint32_t depth)
{
    *arrivals =
        (struct message_arrivals){ .messages = arena_take(arena, depth, sizeof(*arrivals->messages),
                                       _Alignof(struct message_arrival)),
            .depth = depth };
}

void message_arrivals_note(
    struct message_arrivals *arrivals, uint32_t number, const struct message_arrival *whole)
{
    struct message_arrival *message = &arrivals->messages[number % arrivals->depth];

    if (!message->has_begun)
        *message = *whole;
    message->has_begun = true;
    message->packets_left--;
}

bool message_arrivals_take(struct message_arrivals *arrivals, struct message_arrival *out)
{
    struct message_arrival *next = &arrivals->messages[arrivals->delivered % arrivals->depth];

    *out = *next;
    if (!next->has_begun || next->packets_left > 0)
        return false;
    *next = (struct message_arrival){ 0 };
    arrivals->delivered++;
    return true;
}
