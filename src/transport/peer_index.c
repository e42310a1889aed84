/* SPDX-License-Identifier: Apache-2.0 */
/* The index of destinations: a hash table of lists. */
#include "transport/peer_index.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <string.h>

#include "base/power.h"

void peer_index_init(struct peer_index *index, struct arena *arena, uint32_t count)
{
    uint32_t slot_count = power_of_two_at_least(count);

    *index = (struct peer_index){ .slot_count = slot_count, .count = count };
    index->heads = arena_take(arena, slot_count, sizeof(*index->heads), alignof(uint32_t));
    index->next_peers = arena_take(arena, count, sizeof(*index->next_peers), alignof(uint32_t));
    index->qps = arena_take(arena, count, sizeof(*index->qps), alignof(struct peer_index_ends));
    index->links = arena_take(arena, count, sizeof(*index->links), alignof(struct peer_index_link));
}

void peer_index_start(struct peer_index *index)
{
    memset(index->heads, 0xff, index->slot_count * sizeof(*index->heads));
    memset(index->qps, 0xff, index->count * sizeof(*index->qps));
    index->first_free = 0;
}

/* Addresses of one fabric differ in few octets. The multiplication spreads these over the upper
 * bits, which are then used. */
uint32_t peer_index_hash(const struct ipv6_addr *address)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < sizeof(address->octets); i++)
        hash = hash * 257 + address->octets[i];
    return (uint32_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static bool is_free(const struct peer_index *index, uint32_t peer_index)
{
    return index->qps[peer_index].first == PEER_INDEX_NONE;
}

uint32_t peer_index_free(const struct peer_index *index)
{
    uint32_t at = index->first_free;

    while (!is_free(index, at))
        at++;
    assert(at < index->count);
    return at;
}

/* Returns the link to the peer, or to the first one after it, in the list of its address. */
static uint32_t *link_to(
    struct peer_index *index, const struct ipv6_addr *address, uint32_t peer_index)
{
    uint32_t *link = &index->heads[peer_index_hash(address) & (index->slot_count - 1)];

    while (*link < peer_index) /* PEER_INDEX_NONE is above all */
        link = &index->next_peers[*link];
    return link;
}

static void add_peer(struct peer_index *index, const struct ipv6_addr *address, uint32_t peer_index)
{
    uint32_t *link = link_to(index, address, peer_index);

    index->next_peers[peer_index] = *link;
    *link = peer_index;
    if (peer_index == index->first_free)
        index->first_free++;
}

static void remove_peer(
    struct peer_index *index, const struct ipv6_addr *address, uint32_t peer_index)
{
    uint32_t *link = link_to(index, address, peer_index);

    assert(*link == peer_index);
    *link = index->next_peers[peer_index];
    if (peer_index < index->first_free)
        index->first_free = peer_index;
}

/* Returns the QP after which this one is listed. QPs mostly connect in the order of their indexes,
 * or in the opposite order. */
static uint32_t find_previous(
    const struct peer_index *index, const struct peer_index_ends *qps, uint32_t qp_index)
{
    uint32_t previous = qps->last;

    if (qps->first > qp_index)
        return PEER_INDEX_NONE;
    while (previous > qp_index)
        previous = index->links[previous].previous;
    return previous;
}

/* Return the link from a QP, at an end of the list that of the peer. */
static uint32_t *link_after(struct peer_index *index, struct peer_index_ends *qps, uint32_t qp)
{
    return qp == PEER_INDEX_NONE ? &qps->first : &index->links[qp].next;
}

static uint32_t *link_before(struct peer_index *index, struct peer_index_ends *qps, uint32_t qp)
{
    return qp == PEER_INDEX_NONE ? &qps->last : &index->links[qp].previous;
}

void peer_index_join(struct peer_index *index, const struct ipv6_addr *address, uint32_t peer_index,
    uint32_t qp_index)
{
    struct peer_index_ends *qps = &index->qps[peer_index];
    uint32_t previous;
    uint32_t next;

    if (is_free(index, peer_index))
        add_peer(index, address, peer_index);
    previous = find_previous(index, qps, qp_index);
    next = *link_after(index, qps, previous);
    index->links[qp_index] = (struct peer_index_link){ .previous = previous, .next = next };
    *link_after(index, qps, previous) = qp_index;
    *link_before(index, qps, next) = qp_index;
}

void peer_index_leave(struct peer_index *index, const struct ipv6_addr *address,
    uint32_t peer_index, uint32_t qp_index)
{
    struct peer_index_ends *qps = &index->qps[peer_index];
    struct peer_index_link link = index->links[qp_index];

    *link_after(index, qps, link.previous) = link.next;
    *link_before(index, qps, link.next) = link.previous;
    if (is_free(index, peer_index))
        remove_peer(index, address, peer_index);
}
