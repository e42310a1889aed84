/* SPDX-License-Identifier: Apache-2.0 */
/* Packets under way, as structs and, where wanted, as the bytes of their frames: a pool addressed
 * by index. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/drop.h"
#include "wire/format.h"
#include "wire/packet.h"

#define CARRIED_NONE        UINT32_MAX
#define CARRIED_FRAME_BYTES 4480

struct carried {
    struct packet packet;
    uint64_t key;      /* of its payload */
    uint64_t delay_ps; /* to wait before the host */
    uint32_t
        came_by; /* the port that sent it last; CARRIED_NONE: none that waits for its arrival */
    uint32_t next_free;
    uint16_t length_bytes; /* on the wire */
    uint16_t frame_bytes;
    uint8_t from;
    uint8_t to;
    uint8_t plane;
    uint8_t uplink;
    bool corrupted;
};

struct carried_pool {
    struct carried *all;
    uint8_t *frames;                  /* CARRIED_FRAME_BYTES each; NULL without a format */
    const struct wire_format *format; /* NULL: structs only */
    uint16_t trimmed_bytes;
    uint32_t count;
    uint32_t used_count;
    uint32_t free_head;
};

void carried_init(struct carried_pool *, const struct wire_format *, uint16_t trimmed_bytes);
void carried_fini(struct carried_pool *);

/* Pointers into the pool do not survive these two. */
uint32_t carried_take(struct carried_pool *);
uint32_t carried_copy(struct carried_pool *, uint32_t index);
void carried_give_back(struct carried_pool *, uint32_t index);

/* The packet is as it shall be: builds its frame, if there are frames. */
void carried_seal(struct carried_pool *, uint32_t index);
/* CE, if it can carry that. */
void carried_mark(struct carried_pool *, uint32_t index);
void carried_trim(struct carried_pool *, uint32_t index, enum dscp_class);
void carried_corrupt(struct carried_pool *, uint32_t index);
/* What its receiver reads. With frames `out` points into one. */
enum drop_reason carried_read(const struct carried_pool *, uint32_t index, struct packet *out);

static inline bool carried_is_control(const struct carried *carried)
{
    return carried->packet.class == DSCP_CONTROL ||
           dscp_is_trimmed((enum dscp_class)carried->packet.class);
}

static inline bool carried_is_trimmable(const struct carried *carried)
{
    return carried->packet.class == DSCP_TRIMMABLE || carried->packet.class == DSCP_TRIMMABLE_RETX;
}
