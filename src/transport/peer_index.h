/* SPDX-License-Identifier: Apache-2.0 */
/* Finds destinations by address, and the QPs of a destination, without a search of all of them.
 *
 * Lists ascend by index, so that a walk meets peers and QPs in the order of their arrays. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "wire/ip_address.h"

#define PEER_INDEX_NONE UINT32_MAX

/* A QP in the list of its peer. */
struct peer_index_link {
    uint32_t previous;
    uint32_t next;
};

struct peer_index_ends {
    uint32_t first;
    uint32_t last;
};

/* Addresses are hashed; the peers with one hash are a list. */
struct peer_index {
    uint32_t *heads;               /* [slot_count]: the first peer of each list */
    uint32_t *next_peers;          /* [count], by peer */
    struct peer_index_ends *qps;   /* [count], by peer: its QPs */
    struct peer_index_link *links; /* [count], by QP */
    uint32_t slot_count;           /* a power of two */
    uint32_t count;
    uint32_t first_free; /* all peers below it are in use */
};

/* For as many peers as QPs. */
void peer_index_init(struct peer_index *, struct arena *, uint32_t count);
/* Empties the index, whose memory is not initialised. */
void peer_index_start(struct peer_index *);

uint32_t peer_index_hash(const struct ipv6_addr *);

/* Returns the lowest index of a peer that has no QPs. There must be one. */
uint32_t peer_index_free(const struct peer_index *);

/* Lists the QP, the first or another one, with its peer. The address is that of the peer. */
void peer_index_join(
    struct peer_index *, const struct ipv6_addr *, uint32_t peer_index, uint32_t qp_index);
void peer_index_leave(
    struct peer_index *, const struct ipv6_addr *, uint32_t peer_index, uint32_t qp_index);

/* Return the first peer that may have this address, and the next one after it. The caller compares
 * their addresses. PEER_INDEX_NONE: there is none. */
static inline uint32_t peer_index_first(
    const struct peer_index *index, const struct ipv6_addr *address)
{
    return index->heads[peer_index_hash(address) & (index->slot_count - 1)];
}

static inline uint32_t peer_index_next(const struct peer_index *index, uint32_t peer_index)
{
    return index->next_peers[peer_index];
}

/* Return the first QP of the peer, and the next one after it. PEER_INDEX_NONE: there is none. */
static inline uint32_t peer_index_first_qp(const struct peer_index *index, uint32_t peer_index)
{
    return index->qps[peer_index].first;
}

static inline uint32_t peer_index_next_qp(const struct peer_index *index, uint32_t qp_index)
{
    return index->links[qp_index].next;
}
