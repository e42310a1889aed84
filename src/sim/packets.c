/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of packets, and their compact form. */
#include "sim/packets.h"

#define CACHE_LINE 64

void *packets_take_memory(struct arena *arena, size_t count, size_t element_bytes)
{
    arena->spare_bytes += count * element_bytes;
    return arena_take_raw(arena, count, element_bytes, CACHE_LINE);
}

void packets_begin_pool(struct arena *arena, size_t pool_bytes)
{
    enum { LARGE_PAGE_BYTES = 2 << 20, LARGE_POOL_PAGES = 8 };
    size_t beyond_bytes = arena->used_bytes % LARGE_PAGE_BYTES;

    if (beyond_bytes > 0 && pool_bytes >= (size_t)LARGE_POOL_PAGES * LARGE_PAGE_BYTES)
        packets_take_memory(arena, 1, LARGE_PAGE_BYTES - beyond_bytes);
}

void packets_init(struct packets *packets, uint32_t first, uint32_t count)
{
    *packets = (struct packets){ .first = first, .count = count, .free_head = PACKETS_NONE };
}

/* ---- packets of other shards ----------------------------------------------------------------- */

void packets_list_clear(struct packets_list *lists, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        lists[i] = (struct packets_list){ .head = PACKETS_NONE, .tail = PACKETS_NONE };
}

void packets_return(struct packets *packets, uint32_t index)
{
    struct packets_list *list = &packets->returned[index >> packets->shard_shift];

    packets->all[index].next_free = list->head;
    if (list->head == PACKETS_NONE)
        list->tail = index;
    list->head = index;
    list->count++;
}

void packets_take_back(struct packets *packets, struct packets_list *list)
{
    if (list->head == PACKETS_NONE)
        return;
    packets->all[list->tail].next_free = packets->free_head;
    packets->free_head = list->head;
    packets->used -= (int32_t)list->count;
    packets_list_clear(list, 1);
}

/* ---- the compact form ------------------------------------------------------------------------ */

static struct packets_write short_write(const struct packet_write *write)
{
    return (struct packets_write){ .va = write->va,
        .length = write->payload.length,
        .rkey = write->rkey,
        .message_bytes = write->message_bytes,
        .immediate = write->immediate,
        .rqmsn = write->rqmsn,
        .msn = write->msn,
        .tx_timestamp = write->tx_timestamp,
        .pad_bytes = write->pad_bytes };
}

static struct packet_write whole_write(const struct packets_write *write)
{
    return (struct packet_write){ .va = write->va,
        .payload.length = write->length,
        .rkey = write->rkey,
        .message_bytes = write->message_bytes,
        .immediate = write->immediate,
        .rqmsn = write->rqmsn,
        .msn = write->msn,
        .tx_timestamp = write->tx_timestamp,
        .pad_bytes = write->pad_bytes };
}

/* A SACK is the largest packet that is not a WRITE. */
_Static_assert(sizeof(struct packet_sack) >= sizeof(struct packet_ack) &&
                   sizeof(struct packet_sack) >= sizeof(struct packet_nack) &&
                   sizeof(struct packet_sack) >= sizeof(struct packet_probe) &&
                   sizeof(struct packet_sack) >= sizeof(struct packet_endpoint),
    "so copying one copies any");

void packets_store(
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
        record->write = short_write(&packet->write);
    else
        record->sack = packet->sack;
}

void packets_load(
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
        packet->write = whole_write(&record->write);
    else
        packet->sack = record->sack;
}
