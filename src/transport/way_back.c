/* SPDX-License-Identifier: Apache-2.0 */
/* EV probes of the way back to a peer. */
#include "transport/way_back.h"

#include <string.h>

#include "transport/nic.h"

enum {
    BURST = 16,
    DRAWS = 4,         /* attempts to draw an EV that is not known to be bad */
    PACKETS = 32,      /* packet times between two probes, which limits their share of slow links */
    GAP_BYTES = 16384, /* bytes that the ports carry between two probes: probes take below 1 % */
    SKIPPED_MOST = 3,  /* turns to probe that a peer with few answers does not use */
    TICK_SHIFT = 10,
};

static void forget_probes(struct way_back *way_back)
{
    memset(way_back->probes, 0xff, sizeof(way_back->probes)); /* WAY_BACK_NO_EV in each */
    way_back->deadline_ns = UINT64_MAX;
}

void way_back_start(
    struct way_back *way_back, const struct path_profile *profile, struct prng *prng)
{
    *way_back = (struct way_back){
        .profile = profile, .probe_ns = UINT64_MAX, .witness = WAY_BACK_WITNESS_UNKNOWN
    };
    path_reverse_init(&way_back->reverse, profile);
    path_reverse_scatter(&way_back->reverse, profile, prng);
    forget_probes(way_back);
}

void way_back_change_profile(
    struct transport *nic, struct peer *peer, const struct path_profile *profile)
{
    struct way_back *way_back = &peer->way_back;

    if (profile == way_back->profile)
        return;
    nic_forget_way_back(nic, peer);
    forget_probes(way_back);
    way_back->profile = profile;
    way_back_qps_changed(way_back);
    if (!profile)
        return;
    path_reverse_init(&way_back->reverse, profile);
    path_reverse_scatter(&way_back->reverse, profile, &nic->prng);
}

/* ---- probes in flight ------------------------------------------------------------------------ */

/* Returns the ticks until the probe has failed; INT32_MAX: the slot is free. */
static int32_t ticks_left(const struct way_back_probe *probe, uint64_t now_ns)
{
    if (probe->ev_index == WAY_BACK_NO_EV)
        return INT32_MAX;
    return (int32_t)(probe->deadline_ticks - (uint32_t)(now_ns >> TICK_SHIFT));
}

static void update_deadline(struct way_back *way_back, uint64_t now_ns)
{
    int32_t soonest = INT32_MAX;

    for (uint32_t i = 0; i < WAY_BACK_PROBES; i++) {
        int32_t left = ticks_left(&way_back->probes[i], now_ns);

        soonest = left < soonest ? left : soonest;
    }
    way_back->deadline_ns = soonest == INT32_MAX
                                ? UINT64_MAX
                                : ((now_ns >> TICK_SHIFT) + (uint64_t)soonest) << TICK_SHIFT;
}

/* Returns a free slot; NULL: all probes are in flight. */
static struct way_back_probe *free_probe(struct way_back *way_back)
{
    for (uint32_t i = 0; i < WAY_BACK_PROBES; i++)
        if (way_back->probes[i].ev_index == WAY_BACK_NO_EV)
            return &way_back->probes[i];
    return NULL;
}

void way_back_on_answer(struct peer *peer, uint16_t request_id, uint32_t ev_index, uint64_t now_ns)
{
    struct way_back *way_back = &peer->way_back;

    path_reverse_on_probe_answered(&way_back->reverse, way_back->profile, ev_index);
    for (uint32_t i = 0; i < WAY_BACK_PROBES; i++)
        if (way_back->probes[i].request == request_id)
            way_back->probes[i].ev_index = WAY_BACK_NO_EV;
    update_deadline(way_back, now_ns);
}

static void expire_probes(struct transport *nic, struct peer *peer, uint64_t now_ns)
{
    struct way_back *way_back = &peer->way_back;

    for (uint32_t i = 0; i < WAY_BACK_PROBES; i++) {
        struct way_back_probe *probe = &way_back->probes[i];

        if (ticks_left(probe, now_ns) > 0)
            continue;
        nic_count(nic, COUNTER_REVERSE_PROBES_FAILED);
        nic_forget_endpoint(nic, probe->request);
        path_reverse_on_probe_failed(&way_back->reverse, way_back->profile, probe->ev_index,
            (uint32_t)nic->env.parameters->reverse_plane_out, &nic->prng);
        probe->ev_index = WAY_BACK_NO_EV;
    }
    update_deadline(way_back, now_ns);
}

/* ---- new probes ------------------------------------------------------------------------------ */

/* Returns the interval of probes: a round trip, or longer if probes would take a noticeable share
 * of a slow link. */
static uint64_t interval_ns(const struct transport *nic, const struct peer *peer)
{
    uint64_t packets_ns = (uint64_t)PACKETS * peer->rtt.packet_ns;
    uint64_t least_ns =
        PARAMETERS_TIMER_NS(nic->env.parameters, reverse_probe_interval, peer->cc.base_rtt_ns);

    return least_ns > packets_ns ? least_ns : packets_ns;
}

void way_back_wake(struct transport *nic, struct peer *peer, uint64_t now_ns)
{
    struct way_back *way_back = &peer->way_back;

    way_back->probe_ns = now_ns + interval_ns(nic, peer);
    peer_arm(nic, peer, way_back->probe_ns);
}

/* A peer repeats its tail probes after five round trips without an answer. If it sent no data since
 * the first round, the answers to that round were lost, or its data. The probes of a round arrive
 * within a round trip. */
bool way_back_is_in_doubt(struct peer *peer, uint64_t data_ns, uint64_t now_ns)
{
    struct way_back *way_back = &peer->way_back;

    if (way_back->asked_ns <= data_ns)
        way_back->asked_ns = now_ns;
    return now_ns - way_back->asked_ns >= 2 * (uint64_t)peer->cc.base_rtt_ns;
}

static uint32_t find_witness(const struct transport *nic, const struct peer *peer)
{
    for (const struct qp *qp = nic_next_qp(nic, peer, NULL); qp && peer->sender_count > 0;
         qp = nic_next_qp(nic, peer, qp))
        if (qp->env.profile == peer->way_back.profile && qp_is_sender(qp) &&
            qp->env.attributes.state == QP_RTS)
            return qp->env.index;
    return WAY_BACK_NO_WITNESS;
}

/* True if a QP that sends to the peer has found the EV bad. */
static bool is_known_bad(const struct transport *nic, struct peer *peer, uint32_t ev_index)
{
    struct way_back *way_back = &peer->way_back;

    if (way_back->witness == WAY_BACK_WITNESS_UNKNOWN)
        way_back->witness = find_witness(nic, peer);
    return way_back->witness != WAY_BACK_NO_WITNESS &&
           qp_knows_bad(nic->qps[way_back->witness], ev_index);
}

/* Draws a random EV, a few times if necessary to avoid one known to be bad. */
static uint32_t draw_target(struct transport *nic, struct peer *peer)
{
    const struct way_back *way_back = &peer->way_back;
    uint32_t ev_index = PATH_NONE;

    for (uint32_t i = 0; i < DRAWS; i++) {
        ev_index = path_reverse_probe_target(
            &way_back->reverse, way_back->profile, nic->env.usable_mask & peer->ports, &nic->prng);
        if (ev_index == PATH_NONE || !is_known_bad(nic, peer, ev_index))
            break;
    }
    return ev_index;
}

/* Limits the probes to all peers together: in an incast, the answers arrive on the same ports as
 * the data. */
static bool rate_of_probes_allows(struct transport *nic, uint64_t now_ns)
{
    const struct parameters *parameters = nic->env.parameters;
    uint64_t gap_ns = UINT64_C(1000000000) / parameters->reverse_probe_rate;
    uint64_t bytes_ns = GAP_BYTES * UINT64_C(8000000000) / parameters->link_bps;

    return rate_allows(&nic->reverse_probes, gap_ns > bytes_ns ? gap_ns : bytes_ns, BURST, now_ns);
}

/* An endpoint that only receives learns its way back by probing it (§17). The next probe does not
 * wait for the answer to the last, whose path may be dead. If there are more peers than can be
 * probed at a time, the others are probed later. */
static void probe_peer(struct transport *nic, struct peer *peer, uint64_t now_ns)
{
    struct way_back *way_back = &peer->way_back;
    uint64_t timeout_ns = nic_probe_timeout_ns(nic, peer->cc.base_rtt_ns);
    struct way_back_probe *taken = free_probe(way_back);
    uint32_t ev_index = taken ? draw_target(nic, peer) : PATH_NONE;
    int32_t id;

    if (ev_index == PATH_NONE)
        return;
    id = nic_request_endpoint(nic, &(struct nic_endpoint){ .use = NIC_ENDPOINT_REVERSE,
                                       .dst = peer->address,
                                       .ev = way_back->profile->entries[ev_index].ev,
                                       .ev_index = (uint16_t)ev_index,
                                       .peer_index = peer->index,
                                       .port = way_back->profile->entries[ev_index].plane,
                                       .class = DSCP_CONTROL });
    if (id < 0)
        return;
    nic_count(nic, COUNTER_REVERSE_PROBES);
    taken->request = (uint16_t)id;
    taken->ev_index = (uint16_t)ev_index;
    taken->deadline_ticks = (uint32_t)((now_ns + timeout_ns) >> TICK_SHIFT) + 1;
    update_deadline(way_back, now_ns);
}

/* True if the way back carries few answers. A probe and its response are as long as two SACKs: a
 * peer that sends a packet in a round trip would cost the links a third more. If it is heard, but
 * no data is, the answers may be lost, and every turn is used. */
static bool spares_probe(struct way_back *way_back)
{
    if (way_back->answers == 0 || way_back->answers >= WAY_BACK_ANSWERS ||
        way_back->skipped >= SKIPPED_MOST || path_reverse_is_in_doubt(&way_back->reverse)) {
        way_back->answers = 0;
        way_back->skipped = 0;
        return false;
    }
    way_back->skipped++;
    return true;
}

static void take_probing_turn(struct transport *nic, struct peer *peer, uint64_t now_ns)
{
    struct way_back *way_back = &peer->way_back;
    bool sends = way_back->sent_data;
    bool heard = way_back->heard;

    way_back->sent_data = false;
    way_back->heard = false;
    way_back->probe_ns = heard ? now_ns + interval_ns(nic, peer) : UINT64_MAX;
    if (heard && peer->update_owed)
        peer_remind_of_ports(nic, peer, now_ns);
    if (!sends && !spares_probe(way_back) && rate_of_probes_allows(nic, now_ns))
        probe_peer(nic, peer, now_ns);
}

void way_back_expire(struct transport *nic, struct peer *peer, uint64_t now_ns)
{
    if (now_ns >= peer->way_back.deadline_ns)
        expire_probes(nic, peer, now_ns);
    if (now_ns >= peer->way_back.probe_ns)
        take_probing_turn(nic, peer, now_ns);
}
