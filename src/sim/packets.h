/* SPDX-License-Identifier: Apache-2.0 */
/* The packets in flight, identified by index; the last freed is taken first. The part that a switch
 * reads is separate from the rest, which the two ends use and which takes one cache line. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "plan/plan.h"
#include "wire/packet.h"

#define PACKETS_NONE UINT32_MAX

struct packets_write { /* struct packet_write without the pointer to bytes */
    uint64_t va;
    uint32_t length;
    uint32_t rkey;
    uint32_t message_bytes;
    uint32_t immediate;
    uint16_t rqmsn;
    uint16_t msn;
    uint16_t tx_timestamp;
    uint8_t pad_bytes;
};

/* A packet without the fields that follow from its position: addresses are numbers of NICs; class,
 * mark and port are those of its arrival. */
struct packets_record {
    uint32_t ev;
    uint32_t dest_qpn;
    struct psn psn;
    uint8_t opcode;
    uint8_t flags;
    bool is_corrupt; /* its iCRC is wrong */
    uint32_t from;
    union {
        uint32_t to;
        uint32_t next_free;
    };
    union {
        struct packets_write write;
        struct packet_ack ack;
        struct packet_sack sack;
        struct packet_nack nack;
        struct packet_probe probe;
        struct packet_endpoint endpoint;
    };
};

_Static_assert(sizeof(struct packets_record) == 64, "one cache line");

struct packets {
    struct ipv6_addr *outer; /* destinations, which switches shift */
    struct packets_record *all;
    uint32_t count;
    uint32_t used;
    uint32_t touched; /* records from here on have never been used */
    uint32_t free_head;
};

/* Takes memory without touching it, so that unused parts cost nothing. */
void *packets_take_memory(struct arena *, size_t count, size_t element_bytes);

void packets_init(struct packets *, struct arena *, uint32_t count);

static inline bool packets_are_all_used(const struct packets *packets)
{
    return packets->used == packets->count;
}

/* Returns PACKETS_NONE if all are in flight. */
static inline uint32_t packets_take(struct packets *packets)
{
    uint32_t index = packets->free_head;

    if (packets_are_all_used(packets))
        return PACKETS_NONE;
    packets->used++;
    if (index == PACKETS_NONE)
        return packets->touched++;
    packets->free_head = packets->all[index].next_free;
    return index;
}

static inline void packets_give_back(struct packets *packets, uint32_t index)
{
    packets->all[index].next_free = packets->free_head;
    packets->free_head = index;
    packets->used--;
}

/* Stores a packet that NIC `from` sends to NIC `to`. */
void packets_store(struct packets_record *, const struct packet *, uint32_t from, uint32_t to);

/* Restores the packet as it was sent, except what its carrier knows: destination, class, mark and
 * port. */
void packets_load(const struct packets_record *, const struct plan *, struct packet *);
