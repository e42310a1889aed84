/* SPDX-License-Identifier: Apache-2.0 */
/* Credits of one virtual lane of a link: the receiver tells the sender up to which block it may
 * send, so that its buffer never overflows. A block has 64 bytes. Blocks are counted in numbers
 * that wrap: those of flow-control packets have 12 bits, which limit the buffer of a lane; here
 * they have 16, because the receiver may have room for what is in pipelines, too. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    IB_BLOCK_BYTES = 64,
    IB_LANE_BLOCKS_MAX = 2047,    /* the largest buffer that a flow-control packet can tell */
    IB_ROOM_BLOCKS_MAX = 32767,   /* pipelines included */
    IB_UPDATE_BLOCKS = 8192 / 64, /* the receiver tells when this much has become free */
    IB_UPDATE_BYTES = 8,          /* of a flow-control packet */
};

static inline uint32_t ib_credit_blocks(uint32_t bytes)
{
    return (bytes + IB_BLOCK_BYTES - 1) / IB_BLOCK_BYTES;
}

/* ---- the sending end ------------------------------------------------------------------------- */

struct ib_credit {
    uint16_t sent;  /* FCTBS: blocks since the start */
    uint16_t limit; /* FCCL: up to which they may be sent */
};

static inline bool ib_credit_permits(const struct ib_credit *credit, uint32_t blocks)
{
    return (uint16_t)(credit->limit - credit->sent - blocks) <= IB_ROOM_BLOCKS_MAX;
}

static inline void ib_credit_spend(struct ib_credit *credit, uint32_t blocks)
{
    credit->sent = (uint16_t)(credit->sent + blocks);
}

/* A packet was not sent after all, or never arrives. */
static inline void ib_credit_restore(struct ib_credit *credit, uint32_t blocks)
{
    credit->sent = (uint16_t)(credit->sent - blocks);
}

/* ---- the receiving end ----------------------------------------------------------------------- */

struct ib_buffer {
    uint16_t room; /* blocks */
    uint16_t used;
    uint16_t peak;
    uint16_t limit; /* room, and the blocks that have become free since the start */
    uint16_t told;  /* the limit that the sender was told last */
};

static inline struct ib_buffer ib_buffer_of(uint32_t room_blocks)
{
    assert(room_blocks <= IB_ROOM_BLOCKS_MAX);
    return (struct ib_buffer){
        .room = (uint16_t)room_blocks, .limit = (uint16_t)room_blocks, .told = (uint16_t)room_blocks
    };
}

/* A packet comes in. Credits leave room for it. */
static inline void ib_buffer_take(struct ib_buffer *buffer, uint32_t blocks)
{
    buffer->used = (uint16_t)(buffer->used + blocks);
    assert(buffer->used <= buffer->room);
    if (buffer->used > buffer->peak)
        buffer->peak = buffer->used;
}

/* A packet has left. Returns true if the sender is to be told the new limit. */
static inline bool ib_buffer_free(struct ib_buffer *buffer, uint32_t blocks)
{
    assert(blocks <= buffer->used);
    buffer->used = (uint16_t)(buffer->used - blocks);
    buffer->limit = (uint16_t)(buffer->limit + blocks);
    if ((uint16_t)(buffer->limit - buffer->told) < IB_UPDATE_BLOCKS)
        return false;
    buffer->told = buffer->limit;
    return true;
}
