/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of packets under way; frames are SRv6, marked and trimmed in their outer header. */
#include "carried.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"
#include "wire/frame.h"
#include "wire/trim.h"

enum {
    COUNT_FIRST = 512,
    BEHIND_BTH_BYTES = IP_V6_BYTES + IP_V6_BYTES + 8 + 12,
};

void carried_init(
    struct carried_pool *pool, const struct wire_format *format, uint16_t trimmed_bytes)
{
    *pool = (struct carried_pool){
        .format = format, .trimmed_bytes = trimmed_bytes, .free_head = CARRIED_NONE
    };
}

void carried_fini(struct carried_pool *pool)
{
    free(pool->all);
    free(pool->frames);
}

static void grow(struct carried_pool *pool)
{
    uint32_t old_count = pool->count;

    pool->count = old_count ? 2 * old_count : COUNT_FIRST;
    pool->all = realloc(pool->all, pool->count * sizeof(struct carried));
    assert(pool->all);
    if (pool->format) {
        pool->frames = realloc(pool->frames, (size_t)pool->count * CARRIED_FRAME_BYTES);
        assert(pool->frames);
    }
    for (uint32_t i = pool->count; i-- > old_count;) {
        pool->all[i].next_free = pool->free_head;
        pool->free_head = i;
    }
}

uint32_t carried_take(struct carried_pool *pool)
{
    uint32_t index;

    if (pool->free_head == CARRIED_NONE)
        grow(pool);
    index = pool->free_head;
    pool->free_head = pool->all[index].next_free;
    pool->used_count++;
    return index;
}

void carried_give_back(struct carried_pool *pool, uint32_t index)
{
    pool->all[index].next_free = pool->free_head;
    pool->free_head = index;
    pool->used_count--;
}

static uint8_t *frame_of(const struct carried_pool *pool, uint32_t index)
{
    return pool->frames + (size_t)index * CARRIED_FRAME_BYTES;
}

uint32_t carried_copy(struct carried_pool *pool, uint32_t index)
{
    uint32_t copy = carried_take(pool);

    pool->all[copy] = pool->all[index];
    pool->all[copy].came_by = CARRIED_NONE;
    if (pool->format)
        memcpy(frame_of(pool, copy), frame_of(pool, index), pool->all[index].frame_bytes);
    return copy;
}

void carried_seal(struct carried_pool *pool, uint32_t index)
{
    struct carried *carried = &pool->all[index];
    const struct payload *payload = &carried->packet.write.payload;
    const struct ipv6_addr path = { { 0xfc, 0x00, 0x00, 0x42, carried->plane, carried->uplink } };
    struct frame frame = { .packet = carried->packet };
    uint8_t *bytes;

    if (!pool->format)
        return;
    bytes = frame_of(pool, index);
    frame_address(pool->format, &frame, &path, NULL);
    carried->frame_bytes = (uint16_t)frame_build(pool->format, &frame, bytes, CARRIED_FRAME_BYTES);
    assert(carried->frame_bytes > 0);
    if (opcode_is_write(carried->packet.opcode) && !frame_is_trimmed(&frame))
        pattern_fill(
            bytes + frame.payload_offset, carried->key, payload->offset_bytes, payload->length);
    frame_seal(&frame, bytes);
}

void carried_mark(struct carried_pool *pool, uint32_t index)
{
    struct packet *packet = &pool->all[index].packet;

    if (packet->ecn == ECN_NOT_ECT || packet->ecn == ECN_CE)
        return;
    packet->ecn = ECN_CE;
    if (pool->format)
        frame_of(pool, index)[1] |= ECN_CE << 4; /* the low bits of the IPv6 traffic class */
}

void carried_trim(struct carried_pool *pool, uint32_t index, enum dscp_class class)
{
    struct carried *carried = &pool->all[index];

    carried->packet.class = (uint8_t) class;
    if (carried->length_bytes > pool->trimmed_bytes)
        carried->length_bytes = pool->trimmed_bytes;
    if (pool->format)
        carried->frame_bytes = (uint16_t)trim_frame(frame_of(pool, index), carried->frame_bytes,
            pool->trimmed_bytes, pool->format->dscp[class]);
}

/* Any bit that the iCRC covers. */
void carried_corrupt(struct carried_pool *pool, uint32_t index)
{
    struct carried *carried = &pool->all[index];
    uint32_t bit_count;
    uint32_t bit;

    carried->corrupted = true;
    if (!pool->format)
        return;
    bit_count = (carried->frame_bytes - (uint32_t)BEHIND_BTH_BYTES) * 8;
    bit = (uint32_t)((carried->packet.psn.value + carried->key) % bit_count);
    frame_of(pool, index)[BEHIND_BTH_BYTES + bit / 8] ^= (uint8_t)(1u << bit % 8);
}

enum drop_reason carried_read(const struct carried_pool *pool, uint32_t index, struct packet *out)
{
    const struct carried *carried = &pool->all[index];
    struct frame frame;
    enum drop_reason reason;

    /* What is left of a trimmed frame has no iCRC: there the link's own check finds the damage. */
    if (carried->corrupted &&
        (!pool->format || dscp_is_trimmed((enum dscp_class)carried->packet.class)))
        return DROP_ICRC;
    if (!pool->format) {
        *out = carried->packet;
        return DROP_NONE;
    }
    reason = frame_parse(pool->format, frame_of(pool, index), carried->frame_bytes, &frame);
    if (reason != DROP_NONE)
        return reason;
    *out = frame.packet;
    return frame_icrc_ok(&frame, frame_of(pool, index)) ? DROP_NONE : DROP_ICRC;
}
