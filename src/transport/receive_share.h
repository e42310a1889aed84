/* SPDX-License-Identifier: Apache-2.0 */
/* The shares that senders have of the ports of a receiving NIC.
 *
 * Senders that meet at these ports also meet others elsewhere, and each knows only the sum of the
 * delays on its way. The receiver knows what arrives from each of them. While its ports are full,
 * its SACKs slow down those that have more than others (rcv_cwnd_pen), until the others have as
 * much, or have what the rest of the network allows them (docs/protocol.md §20,
 * docs/decisions/0044). */
#pragma once

#include <stdint.h>

#include "transport/peer.h"
#include "wire/packet.h"

struct transport;

#define RECEIVE_SHARE_END UINT32_MAX

enum {
    RECEIVE_SHARE_HEADER_BYTES = 166, /* of a data packet on the wire, about */
    RECEIVE_SHARE_NOMINAL_BYTES = 88, /* of these, those that count in its nominal size */
};

/* The state of a NIC. Rounds last some round trips. */
struct receive_share {
    uint64_t begin_ns;        /* of this round */
    uint64_t end_ns;          /* the first SACK from then on ends it; UINT64_MAX: never */
    double bytes_per_ns;      /* of the usable ports */
    uint32_t control_packets; /* received before this round */
    uint32_t trimmed_bytes;   /* that were cut off at our ports in this round */
    uint32_t port_bytes[PATH_PLANE_COUNT_MAX]; /* arrived at each port in this round */
    uint32_t first;            /* sources of this round: 1 + index of the peer, or _END */
    uint16_t apart_mask;       /* ports on which senders are not compared ... */
    uint8_t apart_rounds_left; /* ... for this many rounds */
    uint8_t rounds_left;       /* until the ports count as not full for good */
};

/* Called when ports, their rates or the parameters have changed. */
void receive_share_update(struct transport *);

/* Ends the round: judges its sources and starts the next. */
void receive_share_end_round(struct transport *, uint64_t now_ns);

/* Called for each data packet; 0 bytes: trimmed. */
static inline void receive_share_note_port(
    struct receive_share *share, uint32_t port, uint32_t payload_bytes)
{
    share->port_bytes[port] += payload_bytes + RECEIVE_SHARE_HEADER_BYTES;
}

static inline bool receive_share_is_apart(const struct receive_share *share, uint32_t port)
{
    return share->apart_mask >> port & 1;
}

/* Called for each data packet that arrives at a port that is apart. */
static inline void receive_share_note_apart(struct peer *peer, uint32_t payload_bytes)
{
    peer->apart_bytes += payload_bytes + RECEIVE_SHARE_NOMINAL_BYTES;
}

/* Called for each SACK, with the bytes since the last one, and for packets trimmed at our ports. */
static inline void receive_share_note_peer(
    struct receive_share *share, struct peer *peer, uint32_t bytes)
{
    peer->arrived_bytes += bytes;
    if (peer->next_source != 0)
        return;
    peer->next_source = share->first;
    share->first = peer->index + 1;
}
