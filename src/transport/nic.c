/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the QPs of a NIC by number, by index and by peer, and keeps the order of turns. */
#include "transport/nic.h"

#include <assert.h>
#include <string.h>

static uint32_t table_slot(const struct transport *nic, uint32_t qpn)
{
    uint32_t slot = qpn & (nic->qpn_table_count - 1);

    while (nic->qpn_table[slot] && nic->qpn_table[slot]->env.qpn != qpn)
        slot = (slot + 1) & (nic->qpn_table_count - 1);
    return slot;
}

struct qp *nic_find(const struct transport *nic, uint32_t qpn)
{
    return nic->qpn_table[table_slot(nic, qpn)];
}

static uint32_t peer_slot(const struct transport *nic, const struct ipv6_addr *address)
{
    uint32_t hash = 0;

    for (uint32_t i = 0; i < sizeof(address->octets); i++)
        hash = hash * 31 + address->octets[i];
    return (hash ^ hash >> 16) & (nic->peer_slots - 1);
}

struct peer *nic_next_peer(
    const struct transport *nic, const struct peer *peer, const struct ipv6_addr *address)
{
    const struct peer_index *index = &nic->peer_index;
    uint32_t at = peer ? peer_index_next(index, peer->index) : peer_index_first(index, address);

    while (at != PEER_INDEX_NONE && !ip_address_equal(&nic->peers[at].address, address))
        at = peer_index_next(index, at);
    return at == PEER_INDEX_NONE ? NULL : &nic->peers[at];
}

struct qp *nic_next_qp(const struct transport *nic, const struct peer *peer, const struct qp *qp)
{
    const struct peer_index *index = &nic->peer_index;
    uint32_t at =
        qp ? peer_index_next_qp(index, qp->env.index) : peer_index_first_qp(index, peer->index);

    return at == PEER_INDEX_NONE ? NULL : nic->qps[at];
}

static bool has_peer(const struct qp *qp, const struct ipv6_addr *address)
{
    return qp && qp_is_connected(qp) && ip_address_equal(&qp->env.attributes.peer_address, address);
}

/* Returns the connected QP to this address that has the lowest index. */
static struct qp *first_to(const struct transport *nic, const struct ipv6_addr *address)
{
    struct qp *first = NULL;

    for (const struct peer *peer = nic_next_peer(nic, NULL, address); peer;
         peer = nic_next_peer(nic, peer, address)) {
        struct qp *qp = nic_next_qp(nic, peer, NULL);

        while (qp && !has_peer(qp, address))
            qp = nic_next_qp(nic, peer, qp);
        if (qp && (!first || qp->env.index < first->env.index))
            first = qp;
    }
    return first;
}

struct qp *nic_find_peer(struct transport *nic, const struct ipv6_addr *address)
{
    uint32_t slot = peer_slot(nic, address);
    uint32_t entry = nic->peer_cache[slot];
    struct qp *qp;

    if (entry && has_peer(nic->qps[entry - 1], address))
        return nic->qps[entry - 1];
    qp = first_to(nic, address);
    if (qp)
        nic->peer_cache[slot] = qp->env.index + 1;
    return qp;
}

void nic_note(struct transport *nic, const struct nic_note *note)
{
    if (nic->note_tail - nic->note_head == nic->note_slots)
        nic_count(nic, COUNTER_EV_EVENTS_LOST);
    else
        nic->notes[nic->note_tail++ & (nic->note_slots - 1)] = *note;
}

void nic_add(struct transport *nic, struct qp *qp)
{
    uint32_t index = nic->first_free;

    while (nic->qps[index])
        index++;
    assert(index < nic->qp_count_max);
    qp->env.index = index;
    qp->armed_ns = UINT64_MAX;
    nic->qps[index] = qp;
    nic->qp_count++;
    nic->first_free = index + 1;
    nic->qpn_table[table_slot(nic, qp->env.qpn)] = qp;
}

static void ring_remove(struct nic_ring *ring, uint32_t index)
{
    uint32_t kept = ring->head;

    for (uint32_t at = ring->head; at != ring->tail; at++)
        if (ring->slots[at & (ring->slot_count - 1)] != index)
            ring->slots[kept++ & (ring->slot_count - 1)] = ring->slots[at & (ring->slot_count - 1)];
    ring->tail = kept;
}

/* With open addressing, a hole hides the entries behind it: insert these again. */
static void table_remove(struct transport *nic, uint32_t qpn)
{
    uint32_t mask = nic->qpn_table_count - 1;
    uint32_t slot = table_slot(nic, qpn);

    nic->qpn_table[slot] = NULL;
    for (slot = (slot + 1) & mask; nic->qpn_table[slot]; slot = (slot + 1) & mask) {
        struct qp *moved = nic->qpn_table[slot];

        nic->qpn_table[slot] = NULL;
        nic->qpn_table[table_slot(nic, moved->env.qpn)] = moved;
    }
}

void nic_forget_way_back(struct transport *nic, const struct peer *peer)
{
    for (uint32_t i = 0; i < nic->endpoint_slots; i++)
        if (nic->endpoints[i].use == NIC_ENDPOINT_REVERSE &&
            nic->endpoints[i].peer_index == peer->index) {
            nic->endpoint_waiting -= nic->endpoints[i].waits;
            nic->endpoints[i].use = NIC_ENDPOINT_FREE;
        }
}

void nic_remove(struct transport *nic, struct qp *qp)
{
    table_remove(nic, qp->env.qpn);
    ring_remove(&nic->eventful, qp->env.index);
    control_queue_forget(&nic->control, qp->env.index);
    deadlines_set(&nic->deadlines, qp->env.index, UINT64_MAX);
    nic->qps[qp->env.index] = NULL;
    nic->qp_count--;
    if (qp->env.index < nic->first_free)
        nic->first_free = qp->env.index;
}

void qp_has_event(struct transport *nic, struct qp *qp)
{
    if (qp->is_eventful)
        return;
    qp->is_eventful = true;
    nic_ring_push(&nic->eventful, qp->env.index);
}

static uint64_t deadline_of(const struct qp *qp, uint64_t now_ns)
{
    uint64_t deadline_ns = UINT64_MAX;
    uint64_t part_ns;

    if (!qp_is_connected(qp))
        return UINT64_MAX;
    if (qp->responder)
        deadline_ns = responder_deadline_ns(qp->responder);
    if (qp->requester && qp->env.attributes.state == QP_RTS) {
        part_ns = requester_deadline_ns(qp->requester, now_ns);
        if (part_ns < deadline_ns)
            deadline_ns = part_ns;
    }
    return deadline_ns;
}

void qp_arm_sooner(struct transport *nic, struct qp *qp, uint64_t deadline_ns)
{
    qp->armed_ns = deadline_ns;
    deadlines_set(&nic->deadlines, qp->env.index, deadline_ns);
}

void qp_schedule(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    if (qp_is_connected(qp))
        peer_list(nic, qp, now_ns);
}

void qp_update(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    qp_arm(nic, qp, deadline_of(qp, now_ns));
    qp_schedule(nic, qp, now_ns);
}
