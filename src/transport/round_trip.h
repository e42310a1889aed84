/* SPDX-License-Identifier: Apache-2.0 */
/* The round trips that SACKs measure, and their effect on congestion control. */
#pragma once

#include "transport/requester.h"

struct round_trip {
    uint64_t sample_ns;     /* 0: not known */
    bool is_of_full_packet; /* otherwise of a probe, or of a packet of another size */
    bool has_no_delay;      /* of a probe in the control class, which passes no queue */
};

/* Returns the round trip of the data packet that a SACK answers. `record`: the record of that
 * packet with its EV, for comparison with other EVs; PATH_NONE: not known. */
struct round_trip round_trip_of_data(const struct requester *, const struct env *,
    const struct packet *packet, struct send_record, uint64_t now_ns);

/* Returns the round trip of the probe that a SACK answers. */
struct round_trip round_trip_of_probe(
    const struct requester *, const struct packet_sack *, uint64_t now_ns);

/* Passes a SACK to congestion control: its round trip, and the bytes that the peer has received
 * since the SACK before. */
void round_trip_control(struct requester *, const struct env *, const struct packet_sack *,
    uint32_t received_bytes, struct round_trip, uint64_t now_ns);
