/* SPDX-License-Identifier: Apache-2.0 */
/* Divides messages into pieces, and completes them in order. */
#include "rival/rocev2/roce_connection.h"

#include <assert.h>

enum { PIECE_UNIT_BYTES = 128 }; /* pieces are multiples of it */

struct roce_division roce_connection_divide(
    const struct roce_profile *profile, const struct roce_outlet *outlet, uint64_t bytes)
{
    uint32_t parts = outlet->port_count * (profile->split ? profile->qps : 1);
    uint64_t units =
        (bytes + (uint64_t)parts * PIECE_UNIT_BYTES - 1) / ((uint64_t)parts * PIECE_UNIT_BYTES);
    uint64_t piece_bytes = units * PIECE_UNIT_BYTES;
    uint32_t mtu_bytes = profile->mtu_bytes;
    uint64_t whole; /* pieces that are not the last */

    if (bytes == 0)
        return (struct roce_division){ .piece_count = 1, .packet_count = 1 };
    whole = (bytes - 1) / piece_bytes;
    return (struct roce_division){ .piece_count = (uint32_t)whole + 1,
        .piece_bytes = piece_bytes,
        .packet_count = (uint32_t)(whole * ((piece_bytes + mtu_bytes - 1) / mtu_bytes) +
                                   (bytes - whole * piece_bytes + mtu_bytes - 1) / mtu_bytes) };
}

uint32_t roce_connection_sender(const struct roce_profile *profile,
    const struct roce_outlet *outlet, uint32_t message, uint32_t piece)
{
    if (profile->split)
        return outlet->first_sender + piece;
    return outlet->first_sender + piece * profile->qps + message % profile->qps;
}

uint32_t roce_connection_post(struct roce_outlet *outlet, uint64_t bytes, uint32_t piece_count)
{
    uint32_t number = outlet->posted++;

    assert(number - outlet->completed < outlet->depth);
    outlet->messages[number % outlet->depth] =
        (struct roce_departure){ .bytes = bytes, .pieces_left = piece_count };
    return number;
}

void roce_connection_piece_done(struct roce_outlet *outlet, uint32_t message)
{
    outlet->messages[message % outlet->depth].pieces_left--;
}

bool roce_connection_take_sent(struct roce_outlet *outlet, struct roce_departure *out)
{
    *out = outlet->messages[outlet->completed % outlet->depth];
    if (outlet->completed == outlet->posted || out->pieces_left > 0)
        return false;
    outlet->completed++;
    return true;
}
