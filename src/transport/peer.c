/* SPDX-License-Identifier: Apache-2.0 */
/* Destinations: which QPs share one, and which QP may send to it next. */
#include "transport/peer.h"

#include <assert.h>
#include <string.h>

#include "transport/nic.h"

static uint32_t timer_of(const struct transport *nic, const struct peer *peer)
{
    return nic->qp_count_max + 1 + peer->index;
}

/* ---- sharing a destination ------------------------------------------------------------------- */

static struct peer *find_or_take(struct transport *nic, const struct qp *qp)
{
    const struct ipv6_addr *address = &qp->env.attributes.peer_address;

    for (struct peer *peer = nic_next_peer(nic, NULL, address); peer;
         peer = nic_next_peer(nic, peer, address))
        if (peer->cc.profile == qp->cc_profile)
            return peer;
    return &nic->peers[peer_index_free(&nic->peer_index)]; /* there are as many slots as QPs */
}

/* The port status of the peer applies to all QPs to it (§18). */
static void learn_ports(const struct transport *nic, struct peer *peer)
{
    for (const struct peer *other = nic_next_peer(nic, NULL, &peer->address); other;
         other = nic_next_peer(nic, other, &peer->address)) {
        if (other->live_count == 0 || !other->updates_known)
            continue;
        peer->ports = other->ports;
        memcpy(peer->update_seen, other->update_seen, sizeof(peer->update_seen));
        memcpy(peer->incarnations, other->incarnations, sizeof(peer->incarnations));
        peer->updates_known = other->updates_known;
        peer->update_engine = other->update_engine;
    }
}

void transport_set_sharers(
    struct transport *nic, const struct ipv6_addr *address, uint32_t sharer_count)
{
    const struct qp *qp = nic_find_peer(nic, address);

    if (!qp || qp->env.peer->cc.sharer_count == sharer_count)
        return;
    for (struct peer *peer = nic_next_peer(nic, NULL, address); peer;
         peer = nic_next_peer(nic, peer, address))
        if (peer->live_count > 0)
            cc_set_sharers(&peer->cc, sharer_count);
}

/* Initialises a destination about which nothing valid is known. Failed QPs may still refer to
 * it. */
static void start_peer(struct transport *nic, struct peer *peer, const struct qp *qp)
{
    *peer = (struct peer){ .address = qp->env.attributes.peer_address,
        .ports = nic->ports_cross ? UINT16_MAX : (uint16_t)qp->env.attributes.peer_ports,
        .index = (uint32_t)(peer - nic->peers),
        .qp_count = peer->qp_count,
        .is_scheduled = peer->is_scheduled,
        .next_source = peer->next_source,
        .first_ready = PEER_NO_QP,
        .last_ready = PEER_NO_QP };
    cc_init(&peer->cc, qp->cc_profile);
    peer->cc.paths_vary = env_is_weighted(&qp->env) && qp->env.profile->is_rough;
    cc_set_sharers(&peer->cc, nic->id_step - 1u); /* until the number of sharers is known */
    planes_init(&peer->planes, qp->env.profile->plane_count);
    way_back_start(&peer->way_back, qp->env.profile, &nic->prng);
    learn_ports(nic, peer);
}

static void add_sender(struct transport *nic, const struct qp *qp)
{
    if (qp_is_sender(qp) && qp->env.peer->sender_count++ == 0)
        nic->env.destination_count++;
}

static void remove_sender(struct transport *nic, const struct qp *qp)
{
    if (qp_is_sender(qp) && --qp->env.peer->sender_count == 0)
        nic->env.destination_count--;
}

void peer_join(struct transport *nic, struct qp *qp)
{
    struct peer *peer = find_or_take(nic, qp);

    if (peer->live_count == 0)
        start_peer(nic, peer, qp);
    peer->qp_count++;
    peer_index_join(&nic->peer_index, &peer->address, peer->index, qp->env.index);
    peer->live_count++;
    qp->env.peer = peer;
    add_sender(nic, qp);
    way_back_qps_changed(&peer->way_back);
    if (qp->requester && qp->env.attributes.state == QP_RTS)
        requester_join_peer(qp->requester, &qp->env);
    nic_tell_link_rate(nic, peer);
}

/* Return the link of the QP at `index` to the next or previous QP; at an end of the list, that of
 * the peer. */
static uint32_t *link_after(struct transport *nic, struct peer *peer, uint32_t index)
{
    return index == PEER_NO_QP ? &peer->first_ready : &nic->qps[index]->next_ready;
}

static uint32_t *link_before(struct transport *nic, struct peer *peer, uint32_t index)
{
    return index == PEER_NO_QP ? &peer->last_ready : &nic->qps[index]->previous_ready;
}

static void unlist_qp(struct transport *nic, struct qp *qp)
{
    if (!qp->is_listed)
        return;
    *link_after(nic, qp->env.peer, qp->previous_ready) = qp->next_ready;
    *link_before(nic, qp->env.peer, qp->next_ready) = qp->previous_ready;
    qp->is_listed = false;
}

/* Lists the QP between those at `previous` and `next`. */
static void list_between(struct transport *nic, struct qp *qp, uint32_t previous, uint32_t next)
{
    qp->previous_ready = previous;
    qp->next_ready = next;
    *link_after(nic, qp->env.peer, previous) = qp->env.index;
    *link_before(nic, qp->env.peer, next) = qp->env.index;
    qp->is_listed = true;
}

static void list_first(struct transport *nic, struct qp *qp)
{
    list_between(nic, qp, PEER_NO_QP, qp->env.peer->first_ready);
}

static void list_last(struct transport *nic, struct qp *qp)
{
    list_between(nic, qp, qp->env.peer->last_ready, PEER_NO_QP);
}

/* Lists the QP first, possibly before one with a probe. */
static void list_ahead(struct transport *nic, struct qp *qp)
{
    qp->env.peer->was_overtaken = true;
    list_first(nic, qp);
}

/* Returns the profile of another QP to the peer, for answers. */
static const struct path_profile *other_profile(const struct transport *nic, const struct qp *qp)
{
    const struct qp *other = nic_next_qp(nic, qp->env.peer, NULL);

    if (other == qp)
        other = nic_next_qp(nic, qp->env.peer, qp);
    return other ? other->env.profile : NULL;
}

/* Called when the last live QP to the peer is gone: stops updates and probes. */
static void stop_peer(struct transport *nic, struct peer *peer)
{
    peer->update_count = 0;
    nic_forget_way_back(nic, peer);
    deadlines_set(&nic->deadlines, timer_of(nic, peer), UINT64_MAX);
}

void peer_retire(struct transport *nic, struct qp *qp)
{
    unlist_qp(nic, qp);
    qp_unshare_paths(nic, qp);
    if (qp->requester && qp->env.attributes.state == QP_RTS)
        requester_leave_peer(qp->requester, &qp->env);
    qp->env.peer->live_count--;
    remove_sender(nic, qp);
    way_back_qps_changed(&qp->env.peer->way_back);
    if (qp->env.peer->live_count == 0)
        stop_peer(nic, qp->env.peer);
}

void peer_leave(struct transport *nic, struct qp *qp)
{
    struct peer *peer = qp->env.peer;

    if (!peer)
        return;
    if (qp->env.attributes.state != QP_ERR)
        peer_retire(nic, qp);
    if (peer->way_back.profile == qp->env.profile)
        way_back_change_profile(nic, peer, other_profile(nic, qp));
    peer->qp_count--;
    peer_index_leave(&nic->peer_index, &peer->address, peer->index, qp->env.index);
    qp->env.peer = NULL;
}

static void tell_rtt(const struct transport *nic, const struct peer *peer)
{
    for (struct qp *qp = nic_next_qp(nic, peer, NULL); qp; qp = nic_next_qp(nic, peer, qp)) {
        if (!qp_is_sender(qp) || qp->env.attributes.state != QP_RTS)
            continue;
        if (qp->requester)
            requester_rtt_known(qp->requester, &qp->env);
        else
            requester_base_rtt_changed(&qp->env);
    }
}

void transport_set_rtt(
    struct transport *nic, const struct ipv6_addr *address, const struct transport_rtt *rtt)
{
    for (struct peer *peer = nic_next_peer(nic, NULL, address); peer;
         peer = nic_next_peer(nic, peer, address)) {
        if (peer->live_count == 0)
            continue;
        peer->rtt = *rtt;
        cc_set_path(&peer->cc, peer_base_rtt_ns(peer, peer->cc.profile->settings.mtu_bytes),
            rtt->packet_ns);
        tell_rtt(nic, peer);
    }
}

/* ---- turns ----------------------------------------------------------------------------------- */

static bool is_sender(const struct qp *qp)
{
    return qp->env.attributes.state == QP_RTS && qp->requester;
}

static bool is_urgent(const struct qp *qp, uint64_t now_ns)
{
    return requester_is_urgent(qp->requester, &qp->env, now_ns);
}

static bool wants_turn(const struct qp *qp, uint64_t now_ns)
{
    return is_sender(qp) &&
           (is_urgent(qp, now_ns) || requester_wants_window(qp->requester, &qp->env, now_ns));
}

void peer_list(struct transport *nic, struct qp *qp, uint64_t now_ns)
{
    bool is_first = qp->env.peer->first_ready == qp->env.index;
    if (!is_first && is_sender(qp) && is_urgent(qp, now_ns)) {
        unlist_qp(nic, qp);
        list_first(nic, qp);
    } else if (!qp->is_listed && wants_turn(qp, now_ns)) {
        if (qp->requester->turn_left > 0)
            list_ahead(nic, qp);
        else
            list_last(nic, qp);
    }
    peer_schedule(nic, qp->env.peer, now_ns);
}

/* An urgent QP does not wait for the window. */
bool peer_is_ready(const struct transport *nic, const struct peer *peer, uint64_t now_ns)
{
    if (peer->update_count > 0 && now_ns >= peer->update_ns && nic->env.usable_mask)
        return true;
    if (peer->first_ready == PEER_NO_QP)
        return false;
    return peer_can_send(peer, now_ns) || is_urgent(nic->qps[peer->first_ready], now_ns);
}

/* A peer whose turn was interrupted continues it. A message to an idle peer does not wait for a
 * round of turns either, but only one such peer at a time goes first, so that short messages take
 * at most every second turn. */
static bool goes_first(const struct transport *nic, const struct peer *peer)
{
    return peer->turn_left > 0 || (peer->inflight_bytes == 0 && nic->early_index == NIC_NO_PEER);
}

void peer_schedule(struct transport *nic, struct peer *peer, uint64_t now_ns)
{
    if (peer->is_scheduled || !peer_is_ready(nic, peer, now_ns))
        return;
    peer->is_scheduled = true;
    if (!goes_first(nic, peer)) {
        nic_ring_push(&nic->ready, peer->index);
        return;
    }
    if (peer->turn_left == 0)
        nic->early_index = peer->index;
    nic_ring_push_first(&nic->ready, peer->index);
}

/* The first QP is urgent but could not send: its port is not ready. The next QP goes first if it
 * does not wait for the window. Farther behind, a probe would wait for the window, too. */
static void let_next_go(struct transport *nic, const struct peer *peer, uint64_t now_ns)
{
    struct qp *next = nic->qps[nic->qps[peer->first_ready]->next_ready];

    if (!peer_can_send(peer, now_ns) && !is_urgent(next, now_ns))
        return;
    unlist_qp(nic, next);
    list_ahead(nic, next);
}

/* Lists an urgent QP that others have overtaken first again. Not inlined: it is rare. */
__attribute__((noinline)) static void recall_urgent(
    struct transport *nic, struct peer *peer, uint64_t now_ns)
{
    uint32_t index = peer->first_ready;

    while (index != PEER_NO_QP && !is_urgent(nic->qps[index], now_ns))
        index = nic->qps[index]->next_ready;
    peer->was_overtaken = index != PEER_NO_QP;
    if (index == PEER_NO_QP || index == peer->first_ready)
        return;
    unlist_qp(nic, nic->qps[index]);
    list_first(nic, nic->qps[index]);
}

/* A QP that has used up its turn, or could not send, moves to the end of the list. One with more
 * probes stays: they do not wait for the window. */
static void end_turn_of_first(
    struct transport *nic, struct peer *peer, uint32_t sent, uint64_t now_ns)
{
    struct qp *qp = nic->qps[peer->first_ready];
    bool has_probes;

    if (!wants_turn(qp, now_ns)) {
        unlist_qp(nic, qp);
        return;
    }
    if (peer->first_ready == peer->last_ready || (sent > 0 && qp->requester->turn_left > 0))
        return;
    has_probes = is_urgent(qp, now_ns);
    if (has_probes && sent == 0) {
        let_next_go(nic, peer, now_ns);
    } else if (!has_probes && (sent > 0 || peer_can_send(peer, now_ns))) {
        unlist_qp(nic, qp);
        list_last(nic, qp);
    }
}

/* If the window is closed, the peer would leave the ring with a first QP that waits for it, and an
 * urgent QP behind that one would wait, too. */
void peer_end_turn(struct transport *nic, struct peer *peer, uint32_t sent, uint64_t now_ns)
{
    end_turn_of_first(nic, peer, sent, now_ns);
    if (peer->was_overtaken && !peer_can_send(peer, now_ns))
        recall_urgent(nic, peer, now_ns);
}

/* ---- time ------------------------------------------------------------------------------------ */

void peer_arm(struct transport *nic, const struct peer *peer, uint64_t deadline_ns)
{
    uint32_t timer = timer_of(nic, peer);

    if (deadline_ns < deadlines_of(&nic->deadlines, timer))
        deadlines_set(&nic->deadlines, timer, deadline_ns);
}

static uint64_t later_than(uint64_t deadline_ns, uint64_t now_ns, uint64_t otherwise_ns)
{
    return deadline_ns > now_ns && deadline_ns < otherwise_ns ? deadline_ns : otherwise_ns;
}

void peer_expire(struct transport *nic, struct peer *peer, uint64_t now_ns)
{
    uint64_t deadline_ns;

    if (peer->live_count == 0)
        return;
    way_back_expire(nic, peer, now_ns);
    peer_schedule(nic, peer, now_ns);
    deadline_ns = later_than(peer->pace_ns, now_ns, way_back_deadline_ns(&peer->way_back));
    if (peer->update_count > 0)
        deadline_ns = later_than(peer->update_ns, now_ns, deadline_ns);
    peer_arm(nic, peer, deadline_ns);
}
