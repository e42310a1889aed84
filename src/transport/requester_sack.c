/* SPDX-License-Identifier: Apache-2.0 */
/* How the requester processes a SACK (docs/protocol.md §9). */
#include "base/serial.h"
#include "transport/feedback.h"
#include "transport/loss.h"
#include "transport/round_trip.h"

enum {
    UNITS_BYTES = 256,
    UNITS_HALF = 1 << 23,
};

/* Uses a path that works for answers to the peer, too. */
static void note_way_back(const struct env *env, uint32_t ev_index)
{
    struct way_back *way_back = &env->peer->way_back;

    if (way_back->profile == env->profile)
        path_reverse_on_unmarked(&way_back->reverse, env->profile, ev_index);
}

static void heed_mark(const struct env *env, uint32_t ev_index, uint8_t mark, uint64_t now_ns)
{
    switch (mark) {
    case SACK_MARK_SKIP_ONCE:
        path_on_mark(env->paths, ev_index, PATH_MARKED_SKIP_ONCE, now_ns);
        break;
    case SACK_MARK_ALWAYS_SKIP:
        path_on_mark(env->paths, ev_index, PATH_MARKED_ALWAYS_SKIP, now_ns);
        break;
    default:
        note_way_back(env, ev_index);
        if (env->nic->parameters->ev_policy != EV_POLICY_ROTATION)
            path_on_unmarked(env->paths, ev_index);
        break;
    }
}

/* Detects a spurious loss: the trigger was declared lost and sent again, but its first copy arrived
 * (§9), possibly after the second. loss_on_disproved() handles packets that were not sent again. */
static void check_spurious(struct requester *requester, const struct env *env,
    const struct packet *packet, struct send_record record, uint32_t ev_index, uint64_t now_ns)
{
    struct psn trigger = psn_add(packet->sack.cack_psn, packet->sack.ack_psn_offset);

    if (packet->flags & PACKET_RETRANSMISSION ||
        (record.flags & (SEND_TWICE | SEND_OFTEN)) != SEND_TWICE)
        return;
    send_window_set_flags(&requester->window, trigger, SEND_OFTEN); /* it is counted once */
    loss_on_spurious(requester, env, now_ns);
    if (ev_index != PATH_NONE && record.flags & SEND_DEMOTED)
        path_on_spurious(env->paths, ev_index, now_ns);
    else if (ev_index != PATH_NONE)
        path_on_late(env->paths, ev_index, now_ns);
    env_trace(
        env, EVENT_SPURIOUS, now_ns, trigger.value, packet->sack.entropy, requester->reorder_ns);
}

/* Returns the bytes that the peer has received since the newest SACK before; 0 for an older
 * SACK. */
static uint32_t newly_received(struct requester *requester, uint32_t units)
{
    uint32_t newly = (units - requester->received_units) % SERIAL24_MODULUS;

    if (newly == 0 || newly >= UNITS_HALF)
        return 0;
    requester->received_units = units;
    return newly * UNITS_BYTES;
}

static void take_mpr(struct requester *requester, const struct env *env,
    const struct packet_sack *sack, bool is_newest)
{
    uint32_t own = (uint32_t)env->attributes.mpr * 128;
    uint32_t announced = (uint32_t)sack->mpr * 128;

    if (!env->attributes.dynamic_mpr || !is_newest || announced == 0)
        return;
    requester->mpr_psns = announced < own ? announced : own;
    if (requester->mpr_psns > requester->window.psn_count)
        requester->mpr_psns = requester->window.psn_count;
}

/* Applies the answer to a probe to its path, if the echoed EV identifies it. Not inlined: it is
 * rare. */
__attribute__((noinline)) static void heed_probe(struct requester *requester, const struct env *env,
    const struct packet_sack *sack, struct requester_decision *decision, uint64_t now_ns)
{
    uint32_t ev_index = sack->probe_id & REQUESTER_PROBE_EV_MASK;
    bool is_refused = sack->mark == SACK_MARK_ALWAYS_SKIP;

    ev_index = feedback_ev(
        env, ev_index < env->profile->entry_count ? ev_index : PATH_NONE, sack->entropy);
    env_count(env, COUNTER_PROBES_ANSWERED);
    if (ev_index == PATH_NONE)
        return;
    requester->last_plane = (uint16_t)env_plane_of_ev(env, ev_index);
    path_on_probe_answered(
        env->paths, ev_index, sack->mark == SACK_MARK_SKIP_ONCE, is_refused, now_ns);
    if (!is_refused && requester_is_cut_off(requester, env))
        path_bring_back(env->paths, ev_index, now_ns);
    requester_ev_probes_changed(requester, env);
    decision->due_ns = requester->ev_probe_ns;
}

/* Processes the feedback about the packet that triggered the SACK. */
static struct round_trip on_trigger(struct requester *requester, const struct env *env,
    const struct packet *packet, uint64_t now_ns)
{
    const struct packet_sack *sack = &packet->sack;
    struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);
    struct send_record record;
    uint32_t ev_index;

    if (!send_window_remembers(&requester->window, trigger))
        return (struct round_trip){ 0 };
    record = send_window_record(&requester->window, trigger);
    ev_index = feedback_ev(env, record.ev_index, sack->entropy);
    check_spurious(requester, env, packet, record, ev_index, now_ns);
    if (ev_index != PATH_NONE) {
        requester->last_plane = (uint16_t)env_plane_of_ev(env, ev_index);
        heed_mark(env, ev_index, sack->mark, now_ns);
    }
    record.ev_index = ev_index;
    return round_trip_of_data(requester, env, packet, record, now_ns);
}

/* True if the destination gets so little of the rate of the NIC that its packets say little about
 * each path. Other destinations then use the ports, and detours would cost them capacity. Bytes in
 * flight show it, not the window, which grows while other destinations take the ports. A message
 * that ends makes one round look slow. */
static bool is_slow(struct peer *peer)
{
    enum { SLOW_PART = 8, ROUNDS = 2 };
    double full_bytes = peer->cc.base_rtt_ns * peer->cc.profile->bytes_per_ns;

    if (SLOW_PART * (double)peer->inflight_bytes >= full_bytes)
        peer->slow_rounds = 0;
    else if (peer->slow_rounds < ROUNDS)
        peer->slow_rounds++;
    return peer->slow_rounds >= ROUNDS;
}

/* Returns the planes on which the shortest paths begin. Cables of one fabric differ in length. One
 * more switch, with its link, makes a path longer by more than a sixteenth of the round trip,
 * unless it has eight or more switches: a smaller difference is one of cables. */
static uint32_t nearest_planes(const struct env *env)
{
    enum { CABLE_PART = 16 };

    return path_near_planes(
        env->paths, env_planes(env), (uint32_t)(env->peer->cc.base_rtt_ns / CABLE_PART));
}

/* A slow destination keeps to its shortest paths. If its window is not what limits it, the ports
 * are, and it leaves those on which its paths are longer to others. */
static void keep_near(const struct env *env, uint64_t now_ns)
{
    struct peer *peer = env->peer;
    bool slow = is_slow(peer);
    bool waits_for_ports = slow && 2 * (uint64_t)peer->inflight_bytes < peer->cc.window_bytes;

    path_hold_shares(env->paths, slow, now_ns);
    peer->near_planes = waits_for_ports ? (uint16_t)nearest_planes(env) : 0;
}

__attribute__((noinline)) static void end_round(const struct env *env, uint64_t now_ns)
{
    const struct cc *cc = &env->peer->cc;

    path_next_round(env->paths);
    if (env_is_weighted(env) && env->profile->is_rough)
        keep_near(env, now_ns);
    else
        env->peer->near_planes = 0; /* of a former profile, or of another QP */
    planes_end_round(&env->peer->planes, path_usable_planes(env->paths, env_planes(env)),
        &(struct planes_times){ .base_rtt_ns = cc->base_rtt_ns,
            .target_delay_ns = cc->target_delay_ns,
            .window_bytes = cc->window_bytes,
            .inflight_bytes = env->peer->inflight_bytes,
            .profile = env_is_weighted(env) ? env->profile : NULL });
}

/* Every SACK restarts the timer of tail probes (§10), except for the answer that measures the base
 * RTT: it arrives one round trip after the first SACK and says nothing more about the tail. */
static void arm_tail(
    struct requester *requester, const struct env *env, bool measures, uint64_t now_ns)
{
    uint64_t before_ns = requester->tail_ns;

    requester_arm_tail(requester, env, now_ns);
    if (measures && before_ns < requester->tail_ns && requester->tail_ns != UINT64_MAX)
        requester->tail_ns = before_ns;
}

/* True if every PSN in the SACK was sent. */
static bool is_plausible(const struct requester *requester, const struct packet_sack *sack)
{
    struct psn next = requester->window.next;
    struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);
    struct psn base = psn_add(sack->cack_psn, sack->sack_offset);

    if (!feedback_cack_is_plausible(requester, sack->cack_psn))
        return false;
    if (!sack->answers_probe && !psn_before(trigger, next))
        return false;
    return sack->bitmap == 0 ||
           psn_before(psn_add(base, (int32_t)bits_highest(sack->bitmap)), next);
}

/* Acknowledges the trigger and the bitmap, in one step if the bitmap includes the trigger. */
static void acknowledge_above(struct requester *requester, const struct env *env,
    const struct packet_sack *sack, struct psn trigger, uint64_t now_ns)
{
    struct psn base = psn_add(sack->cack_psn, sack->sack_offset);
    uint32_t place = (uint32_t)psn_distance(base, trigger);
    uint64_t bitmap = sack->bitmap;

    if (!sack->answers_probe && sack->ack_psn_offset > 0) {
        if (place < 64)
            bitmap |= UINT64_C(1) << place;
        else
            feedback_acknowledge_bitmap(requester, env, trigger, 1, now_ns);
    }
    if (bitmap)
        feedback_acknowledge_bitmap(requester, env, base, bitmap, now_ns);
}

/* Returns the time that the probe would have taken among data packets. */
static uint32_t age_of_probe_ns(
    const struct requester *requester, const struct env *env, struct round_trip round_trip)
{
    uint32_t usual_ns = requester_rtt_ns(requester, env);

    if (round_trip.has_no_delay && round_trip.sample_ns < usual_ns)
        return usual_ns;
    return (uint32_t)round_trip.sample_ns;
}

struct requester_decision requester_on_sack(struct requester *requester, const struct env *env,
    const struct packet *packet, uint64_t now_ns)
{
    struct requester_decision decision = { .due_ns = UINT64_MAX, .reason = DROP_FEEDBACK_RANGE };
    const struct packet_sack *sack = &packet->sack;
    struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);
    int32_t newer = psn_distance(requester->newest_cack, sack->cack_psn);
    bool measures = requester->base_awaited && sack->answers_probe;
    struct round_trip round_trip;
    uint32_t received_bytes;
    bool is_newest;

    if (!is_plausible(requester, sack))
        return decision;
    decision.reason = DROP_NONE;
    env_count(env, COUNTER_SACK_RECEIVED);
    if (sack->answers_probe) {
        heed_probe(requester, env, sack, &decision, now_ns);
        round_trip = round_trip_of_probe(requester, sack, now_ns);
    } else {
        round_trip = on_trigger(requester, env, packet, now_ns);
    }
    feedback_acknowledge_up_to(requester, env, sack->cack_psn, now_ns);
    acknowledge_above(requester, env, sack, trigger, now_ns);
    feedback_advance(requester, env, now_ns);

    received_bytes = newly_received(requester, sack->received_units);
    is_newest = newer > 0 || (newer == 0 && sack->received_units == requester->received_units);
    if (newer > 0)
        requester->newest_cack = sack->cack_psn;
    round_trip_control(requester, env, sack, received_bytes, round_trip, now_ns);
    take_mpr(requester, env, sack, is_newest);
    if (planes_on_sack(&env->peer->planes, now_ns, requester_rtt_ns(requester, env)))
        end_round(env, now_ns);
    requester->tail_rounds = 0;
    if (requester->measure_base) {
        requester->measure_base = false;
        requester->probe_once = requester->probe_base = true;
    }
    arm_tail(requester, env, measures, now_ns);
    if (sack->answers_probe && round_trip.sample_ns)
        loss_infer_by_probe(
            requester, env, sack, age_of_probe_ns(requester, env, round_trip), now_ns);
    loss_infer_by_count(requester, env, sack->ooo_count, now_ns);
    if (requester->loss_check_ns == UINT64_MAX || now_ns >= requester->loss_check_ns)
        loss_infer_by_time(requester, env, now_ns);
    loss_relax(requester, env, now_ns);
    env_trace(env, EVENT_SACK, now_ns, sack->cack_psn.value, requester->window.inflight_bytes,
        env->peer->cc.window_bytes);
    decision.due_ns = deadlines_sooner_ns(decision.due_ns, requester_timer_ns(requester));
    return decision;
}
