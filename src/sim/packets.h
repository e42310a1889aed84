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
    bool is_corrupt;       /* its iCRC is wrong */
    uint8_t segments_left; /* in its SRH; 0 also if it has none */
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
        uint64_t rival[5]; /* what NICs of another protocol store */
    };
};

_Static_assert(sizeof(struct packets_record) == 64, "one cache line");

/* Packets that have ended in another shard than their own, linked like free ones. */
struct packets_list {
    uint32_t head; /* PACKETS_NONE: empty */
    uint32_t tail;
    uint32_t count;
};

/* The packets of a shard. The arrays are those of all shards: a packet keeps its place on its way
 * through others. The shard where it ends uses it for packets of its own, which then need no other
 * place. If it has enough of them, because it receives more than it sends, the packet is put into
 * the list of the shard that first used it, which takes the list over in the next window. */
struct packets {
    struct ipv6_addr *outer; /* destinations, which switches shift */
    struct packets_record *all;
    uint32_t first; /* of this shard */
    uint32_t count;
    int32_t used;     /* taken, less those given back here; may be negative */
    uint32_t touched; /* records from here on have never been used */
    uint32_t free_head;
    uint32_t kept_max;             /* with more free packets it keeps none of other shards */
    uint32_t shard_shift;          /* an index shifted by this is the number of its shard */
    struct packets_list *returned; /* by shard; of this window */
};

/* Takes memory without touching it, so that unused parts cost nothing. */
void *packets_take_memory(struct arena *, size_t count, size_t element_bytes);

/* Lets a pool of this size begin with a large page if it is large: it is used from its beginning
 * on, and should not need the end of the page before it. */
void packets_begin_pool(struct arena *, size_t pool_bytes);

/* Makes an empty pool for the first `count` of the packets at `first`. */
void packets_init(struct packets *, uint32_t first, uint32_t count);

/* Takes over packets that have ended elsewhere, and empties the list. */
void packets_take_back(struct packets *, struct packets_list *);
void packets_list_clear(struct packets_list *, uint32_t count);

static inline bool packets_are_all_used(const struct packets *packets)
{
    return packets->free_head == PACKETS_NONE && packets->touched == packets->count;
}

/* Returns PACKETS_NONE if all are in flight. */
static inline uint32_t packets_take(struct packets *packets)
{
    uint32_t index = packets->free_head;

    if (packets_are_all_used(packets))
        return PACKETS_NONE;
    packets->used++;
    if (index == PACKETS_NONE)
        return packets->first + packets->touched++;
    packets->free_head = packets->all[index].next_free;
    if (packets->free_head != PACKETS_NONE)
        __builtin_prefetch(&packets->outer[packets->free_head], 1); /* of the next one */
    return index;
}

/* Returns the number of packets in the free list. */
static inline uint32_t packets_free_count(const struct packets *packets)
{
    return packets->touched - (uint32_t)packets->used;
}

/* Not inlined: a cluster in one shard never needs it. */
void packets_return(struct packets *, uint32_t index);

static inline bool packets_is_foreign(const struct packets *packets, uint32_t index)
{
    return index - packets->first >= packets->count;
}

static inline void packets_give_back(struct packets *packets, uint32_t index)
{
    if (__builtin_expect(packets_is_foreign(packets, index), false) &&
        packets_free_count(packets) >= packets->kept_max) {
        packets_return(packets, index);
        return;
    }
    packets->all[index].next_free = packets->free_head;
    packets->free_head = index;
    packets->used--;
}

/* ---- the compact form ------------------------------------------------------------------------ */

/* A SACK is the largest packet that is not a WRITE. */
_Static_assert(sizeof(struct packet_sack) >= sizeof(struct packet_ack) &&
                   sizeof(struct packet_sack) >= sizeof(struct packet_nack) &&
                   sizeof(struct packet_sack) >= sizeof(struct packet_probe) &&
                   sizeof(struct packet_sack) >= sizeof(struct packet_endpoint),
    "so copying one copies any");

static inline void packets_store_write(struct packets_write *to, const struct packet_write *from)
{
    to->va = from->va;
    to->length = from->payload.length;
    to->rkey = from->rkey;
    to->message_bytes = from->message_bytes;
    to->immediate = from->immediate;
    to->rqmsn = from->rqmsn;
    to->msn = from->msn;
    to->tx_timestamp = from->tx_timestamp;
    to->pad_bytes = from->pad_bytes;
}

static inline void packets_load_write(const struct packets_write *from, struct packet_write *to)
{
    to->va = from->va;
    to->payload = (struct payload){ .length = from->length };
    to->rkey = from->rkey;
    to->message_bytes = from->message_bytes;
    to->immediate = from->immediate;
    to->rqmsn = from->rqmsn;
    to->msn = from->msn;
    to->tx_timestamp = from->tx_timestamp;
    to->pad_bytes = from->pad_bytes;
}

/* Stores a packet that NIC `from` sends to NIC `to`. */
static inline void packets_store(
    struct packets_record *record, const struct packet *packet, uint32_t from, uint32_t to)
{
    record->ev = packet->ev;
    record->dest_qpn = packet->dest_qpn;
    record->psn = packet->psn;
    record->opcode = packet->opcode;
    record->flags = packet->flags;
    record->is_corrupt = false;
    record->segments_left = 0;
    record->from = from;
    record->to = to;
    if (opcode_is_write(packet->opcode))
        packets_store_write(&record->write, &packet->write);
    else
        record->sack = packet->sack;
}

/* Restores the packet as it was sent, except what its carrier knows: destination, class, mark and
 * port. */
static inline void packets_load(
    const struct packets_record *record, const struct plan *fabric, struct packet *packet)
{
    packet->src = plan_nic_address(fabric, record->from);
    packet->ev = record->ev;
    packet->dest_qpn = record->dest_qpn;
    packet->psn = record->psn;
    packet->opcode = record->opcode;
    packet->flags = record->flags;
    packet->sender = PACKET_NO_SENDER;
    if (opcode_is_write(record->opcode))
        packets_load_write(&record->write, &packet->write);
    else
        packet->sack = record->sack;
}
