/* SPDX-License-Identifier: Apache-2.0 */
/* The packets under way, named by index, the one freed last taken first. What a switch looks at
 * lies apart from the rest, which is for the two ends: so it stays in the cache. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "wire/packet.h"

#define PACKETS_NONE UINT32_MAX

/* Touched at both ends only. */
struct packets_record {
    struct packet packet;
    uint32_t next_free;
    bool is_corrupt; /* its iCRC is wrong */
    uint8_t reserved[19];
};

_Static_assert(sizeof(struct packets_record) == 128, "two cache lines");

struct packets {
    struct ipv6_addr *outer; /* destinations, which switches shift */
    struct packets_record *all;
    uint32_t count;
    uint32_t used;
    uint32_t touched; /* records from here on were never used */
    uint32_t free_head;
};

/* Takes memory without touching it: what is never used costs nothing. */
void *packets_take_memory(struct arena *, size_t count, size_t element_bytes);

void packets_init(struct packets *, struct arena *, uint32_t count);

/* PACKETS_NONE: all are under way. */
static inline uint32_t packets_take(struct packets *packets)
{
    uint32_t index = packets->free_head;

    if (packets->used == packets->count)
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
