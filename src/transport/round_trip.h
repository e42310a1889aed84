/* SPDX-License-Identifier: Apache-2.0 */
/* Round trips that SACKs measure, and what congestion control makes of them. */
#pragma once

#include "transport/requester.h"

/* The round trip of the packet that a SACK answers, whose record is still there; 0: not known.
 * `ev_index`: the EV it took, which is compared with others; PATH_NONE: not known. */
uint64_t round_trip_of_data(const struct requester *, const struct env *, const struct packet *sack,
    uint32_t ev_index, uint64_t now_ns);

/* The round trip of the probe that a SACK answers; 0: not known. */
uint64_t round_trip_of_probe(const struct requester *, const struct packet_sack *, uint64_t now_ns);

/* Congestion control takes note of a SACK: of its round trip (0: not known), and of the bytes that
 * the peer has received since the SACK before. */
void round_trip_control(struct requester *, const struct env *, const struct packet_sack *,
    uint32_t received_bytes, uint64_t sample_ns, uint64_t now_ns);
