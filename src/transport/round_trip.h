/* SPDX-License-Identifier: Apache-2.0 */
/* Round trips that SACKs measure, and what congestion control makes of them. */
#pragma once

#include "transport/requester.h"

struct round_trip {
    uint64_t sample_ns;     /* 0: not known */
    bool is_of_full_packet; /* else of a probe, or of a packet of another size */
};

/* Of the packet that a SACK answers. `record`: that of the packet, with the EV that it took, which
 * is compared with others; PATH_NONE: not known. */
struct round_trip round_trip_of_data(const struct requester *, const struct env *,
    const struct packet *packet, struct send_record, uint64_t now_ns);

/* Of the probe that a SACK answers. */
struct round_trip round_trip_of_probe(
    const struct requester *, const struct packet_sack *, uint64_t now_ns);

/* Congestion control takes note of a SACK: of its round trip, and of the bytes that the peer has
 * received since the SACK before. */
void round_trip_control(struct requester *, const struct env *, const struct packet_sack *,
    uint32_t received_bytes, struct round_trip, uint64_t now_ns);
