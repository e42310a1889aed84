/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture has shown of the data from one requester to one responder. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conform/capture_check.h"

enum { SENDINGS_MAX = 8 };

/* One transmission of a packet. Copies of it, from several links, are one. */
struct sending {
    uint32_t ev;
    uint16_t stamp;
    bool is_stamped;
    bool is_retransmission;
    bool is_trimmed;
    bool is_last_hop;
    bool is_marked;
};

/* A PSN that was captured. */
struct sent {
    uint32_t psn;
    bool is_used;
    bool has_arrived; /* a transmission that is not trimmed, at the responder's NIC */
    bool is_whole;    /* what follows has been captured; of a trimmed packet, only opcode and msn */
    uint8_t opcode;
    uint8_t sending_count; /* may exceed SENDINGS_MAX */
    uint16_t msn;
    uint32_t rkey;
    uint32_t message_bytes;
    uint32_t payload_bytes;
    uint32_t immediate;
    uint32_t payload_crc; /* valid if has_crc */
    bool has_crc;
    bool has_sum;
    uint32_t nominal_bytes;
    uint64_t sum_bytes; /* nominal, of all PSNs from the first one to this one; valid if has_sum */
    bool has_start;
    uint64_t va;
    uint64_t start_va; /* of the message; valid if has_start */
    uint64_t number;   /* of the packet that was first captured */
    struct sending sendings[SENDINGS_MAX];
};

/* A packet that wants an answer. */
struct wanted {
    enum conform_rule rule;
    uint32_t psn; /* or the id of a probe */
    uint32_t ev;
    uint64_t number;
    uint64_t time_ns;
};

struct probe {
    uint16_t id;
    uint16_t stamp;
    uint32_t ev;
    bool is_marked;
};

enum { PROBES_KEPT = 256, WAYS_KEPT = 64 };

/* The newest SACK on one EV: ports have queues, so SACKs overtake each other on different EVs. */
struct way {
    bool is_used;
    uint32_t ev;
    struct psn cack;
};

struct flow {
    struct flow *next; /* in its bucket */
    struct ipv6_addr from;
    struct ipv6_addr to;
    uint32_t dest_qpn;
    bool is_at_requester; /* the capture shows all that it sends, and what reaches it */
    bool is_at_responder;

    bool has_data;
    struct psn first; /* the lowest PSN that was sent for the first time after the capture began */
    struct psn highest;
    uint64_t data_ns;   /* when the last data was captured */
    bool is_from_start; /* `first` is the first packet of the connection */
    struct sent *sent;  /* a ring by PSN */
    uint32_t room;      /* power of two */

    bool has_cack;
    struct psn cack; /* the highest that a SACK or ACK has shown */
    bool has_sack;
    uint8_t mpr; /* of the newest SACK, in units of 128 */
    bool has_bytes;
    uint64_t bytes_before;      /* received before `first`: unknown until the first SACK */
    struct way ways[WAYS_KEPT]; /* by EV */
    bool has_failed;            /* after a NAK */
    bool nacks_trims;           /* the responder has the optional NACK TRIMMED */
    uint32_t requester_qpn;
    bool has_requester_qpn;

    struct wanted *wanted;
    uint32_t wanted_count;
    uint32_t wanted_room;
    struct probe probes[PROBES_KEPT]; /* the newest */
    uint32_t probe_count;
};

/* Returns the PSN, or NULL if it was not captured or is no longer known. */
struct sent *flow_find(const struct flow *, struct psn);

/* True if the PSN belongs to the part of the connection that the capture shows. */
bool flow_covers(const struct flow *, struct psn);

/* Makes room for a new PSN. Returns NULL if there is no memory. */
struct sent *flow_add(struct flow *, struct psn);

/* Forgets the connection: another one uses the same QP. */
void flow_restart(struct flow *, struct psn first, bool is_from_start);

bool flow_want(struct flow *, const struct wanted *);

/* Removes what this SACK or NACK answers. */
void flow_settle(struct flow *, const struct packet *);

void flow_clear(struct flow *);
