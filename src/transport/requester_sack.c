/* SPDX-License-Identifier: Apache-2.0 */
/* What the sending half learns from a SACK (docs/protocol.md §9). */
#include "base/serial.h"
#include "transport/feedback.h"
#include "transport/loss.h"
#include "wire/stamp.h"

enum {
    UNITS_BYTES = 256,
    UNITS_HALF = 1 << 23,
    STAMP_TRUST_NS = 4 * 1000 * 1000,    /* half of what 16 bits of 128 ns span */
    RECORD_TRUST_NS = 500 * 1000 * 1000, /* half of what 24 bits of 64 ns span */
    SMOOTHING_SHIFT = 3,
    CHANCE_PERCENT = 60,   /* of the target delay */
    OVERTAKEN_TARGETS = 4, /* so much later than others a SACK may be */
};

/* A path that works serves answers to the peer, too. */
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
        break;
    }
}

/* §19.3: the trigger's own record, when it is certain which of its copies was answered. 0: no
 * sample. */
static uint64_t rtt_sample(const struct requester *requester, const struct env *env,
    const struct packet *packet, struct psn trigger, uint64_t now_ns)
{
    struct send_record record;
    bool again = packet->flags & PACKET_RETRANSMISSION;
    uint8_t copies;
    uint64_t sample_ns;

    if (!send_window_remembers(&requester->window, trigger) ||
        (requester->stamped && packet->sack.tx_timestamp == 0))
        return 0;
    record = send_window_record(&requester->window, trigger);
    copies = record.flags & (SEND_TWICE | SEND_OFTEN);
    sample_ns = send_window_age_ns(record.ticks, now_ns);
    if (again ? !(copies & SEND_TWICE) : copies) {
        /* Of several copies the stamp tells which was answered; UET does without. */
        uint64_t stamp_ns = (uint16_t)(now_ns / STAMP_UNIT_NS - packet->sack.tx_timestamp) *
                            (uint64_t)STAMP_UNIT_NS;

        if (env_follows_uet(env) || !requester->stamped || env->attributes.peer_service_time ||
            sample_ns >= STAMP_TRUST_NS || stamp_ns > sample_ns + 2 * (uint64_t)STAMP_UNIT_NS ||
            sample_ns > stamp_ns + 2 * (uint64_t)STAMP_UNIT_NS)
            return 0;
    }
    if (requester->stamped && env->attributes.peer_service_time && sample_ns < STAMP_TRUST_NS)
        sample_ns = (uint16_t)(now_ns / STAMP_UNIT_NS - packet->sack.tx_timestamp) *
                    (uint64_t)STAMP_UNIT_NS;
    return sample_ns < RECORD_TRUST_NS ? sample_ns + 1 : 0;
}

static void smooth(struct requester *requester, uint64_t sample_ns)
{
    if (sample_ns == 0)
        return;
    loss_note_round_trip(requester, (uint32_t)sample_ns);
    if (requester->smoothed_rtt_ns == 0)
        requester->smoothed_rtt_ns = (uint32_t)sample_ns;
    else
        requester->smoothed_rtt_ns +=
            (uint32_t)((int64_t)(sample_ns - requester->smoothed_rtt_ns) >> SMOOTHING_SHIFT);
}

/* The trigger was taken for lost, and yet its first copy arrived (§9), perhaps behind the second.
 */
static void check_spurious(struct requester *requester, const struct env *env,
    const struct packet *packet, struct psn trigger, uint32_t ev_index, uint64_t now_ns)
{
    struct send_window *window = &requester->window;
    struct send_record record;

    if (packet->flags & PACKET_RETRANSMISSION)
        return;
    record = send_window_record(window, trigger);
    if (record.flags & SEND_OFTEN ||
        !(send_window_is_lost(window, trigger) || record.flags & SEND_TWICE))
        return;
    if (!(record.flags & SEND_TWICE))
        return; /* loss_on_disproved() will see to it */
    if (record.flags & SEND_TWICE)
        send_window_set_flags(window, trigger, SEND_OFTEN); /* it counts once */
    loss_on_spurious(requester, env, now_ns);
    if (record.flags & SEND_DEMOTED && ev_index != PATH_NONE)
        path_on_spurious(env->paths, ev_index, now_ns);
    env_trace(
        env, EVENT_SPURIOUS, now_ns, trigger.value, packet->sack.entropy, requester->reorder_ns);
}

/* How many bytes the peer received since the newest SACK before; 0 for an older one. */
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

/* What an answered probe says of its path, if the echo names that. */
static void heed_probe(struct requester *requester, const struct env *env,
    const struct packet_sack *sack, struct requester_decision *decision, uint64_t now_ns)
{
    uint32_t ev_index = sack->probe_id & REQUESTER_PROBE_EV_MASK;
    bool is_refused = sack->mark == SACK_MARK_ALWAYS_SKIP;

    ev_index = feedback_ev(
        env, ev_index < env->profile->entry_count ? ev_index : PATH_NONE, sack->entropy);
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

/* Yields the round trip of a probe, 0: not known. */
static uint64_t on_probe_answer(struct requester *requester, const struct env *env,
    const struct packet_sack *sack, struct requester_decision *decision, uint64_t now_ns)
{
    uint64_t age_ns =
        (uint16_t)(now_ns / STAMP_UNIT_NS - sack->tx_timestamp) * (uint64_t)STAMP_UNIT_NS;
    uint32_t probe_ticks = (uint32_t)(now_ns / SEND_WINDOW_TICK_NS) - requester->last_probe_ticks;
    bool is_certain = probe_ticks < STAMP_TRUST_NS / SEND_WINDOW_TICK_NS && age_ns < STAMP_TRUST_NS;

    env_count(env, COUNTER_PROBES_ANSWERED);
    heed_probe(requester, env, sack, decision, now_ns);
    return is_certain ? age_ns + 1 : 0;
}

/* Whether packets on this EV take longer than those of its plane do. Differences of some packets'
 * queues are chance, and count as none. */
static void judge_delay(
    const struct env *env, uint32_t ev_index, uint64_t sample_ns, uint64_t now_ns)
{
    const struct peer *peer = env->peer;
    uint32_t plane = env_plane_of_ev(env, ev_index);
    int64_t mean_ns = peer->planes.mean_ns[plane];
    int64_t chance_ns = (int64_t)peer->cc.target_delay_ns * CHANCE_PERCENT / 100;
    int64_t excess_ns = planes_ev_excess_ns(&peer->planes, plane, sample_ns);

    if (mean_ns == 0)
        return;
    if (excess_ns > chance_ns)
        excess_ns -= chance_ns;
    else if (excess_ns < -chance_ns)
        excess_ns += chance_ns;
    else
        excess_ns = 0;
    if (path_on_delay(env->paths, ev_index, (int32_t)(excess_ns * 256 / mean_ns), now_ns))
        planes_on_ev_rtt(&env->peer->planes, plane, sample_ns);
}

/* A packet that was acknowledged before: its SACK was overtaken on the way, or the packet came once
 * more, any time later. A copy tells nothing of the delay now. */
static bool is_of_old_copy(const struct requester *requester, const struct env *env,
    struct psn trigger, uint64_t sample_ns)
{
    const struct send_window *window = &requester->window;
    const struct cc *cc = &env->peer->cc;
    bool was_acked = psn_before(trigger, window->oldest) || send_window_is_acked(window, trigger);

    return was_acked &&
           sample_ns > cc->base_rtt_ns + (uint64_t)OVERTAKEN_TARGETS * cc->target_delay_ns;
}

/* Feedback for the one packet that a SACK answers. Returns a sample of the round trip, 0: none. */
static uint64_t on_trigger(struct requester *requester, const struct env *env,
    const struct packet *packet, uint64_t now_ns)
{
    const struct packet_sack *sack = &packet->sack;
    struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);
    uint32_t ev_index = PATH_NONE;
    uint64_t sample_ns;

    if (!send_window_remembers(&requester->window, trigger))
        return 0;
    ev_index =
        feedback_ev(env, send_window_record(&requester->window, trigger).ev_index, sack->entropy);
    check_spurious(requester, env, packet, trigger, ev_index, now_ns);
    if (ev_index != PATH_NONE) {
        requester->last_plane = (uint16_t)env_plane_of_ev(env, ev_index);
        heed_mark(env, ev_index, sack->mark, now_ns);
    }
    sample_ns = rtt_sample(requester, env, packet, trigger, now_ns);
    if (is_of_old_copy(requester, env, trigger, sample_ns))
        return 0;
    if (sample_ns && ev_index != PATH_NONE) {
        planes_on_rtt(&env->peer->planes, env_plane_of_ev(env, ev_index), sample_ns);
        judge_delay(env, ev_index, sample_ns, now_ns);
    }
    return sample_ns;
}

static bool is_full_packet(const struct requester *requester, const struct packet_sack *sack)
{
    struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);

    return !sack->answers_probe &&
           !(send_window_record(&requester->window, trigger).flags & SEND_ODD_SIZE);
}

/* What a full packet of the largest PMTU would have taken, where the plan tells: so delays of all
 * sizes are measured alike. */
static uint64_t as_of_full_packet(const struct requester *requester, const struct env *env,
    const struct packet_sack *sack, uint64_t sample_ns)
{
    const struct peer *peer = env->peer;
    struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);
    uint32_t bytes = requester->full_bytes;

    if (sample_ns == 0 || sack->answers_probe || peer->rtt.fixed_ns == 0)
        return sample_ns;
    if (send_window_record(&requester->window, trigger).flags & SEND_ODD_SIZE) {
        if (!send_queue_find(&requester->queue, trigger))
            return 0;
        bytes = requester_nominal_bytes(requester, env, trigger);
    }
    return sample_ns + peer_base_rtt_ns(peer, peer->cc.profile->settings.mtu_bytes) -
           peer_base_rtt_ns(peer, bytes);
}

/* The answer to the probe of §19.3, or to another that came before it. */
static bool measures_base(
    struct requester *requester, const struct packet_sack *sack, uint64_t sample_ns)
{
    bool does = requester->base_awaited && sack->answers_probe && sample_ns != 0;

    requester->base_awaited &= !does;
    return does;
}

static void control_congestion(struct requester *requester, const struct env *env,
    const struct packet_sack *sack, uint32_t received_bytes, uint64_t sample_ns, uint64_t now_ns)
{
    uint32_t base_rtt_ns = env->peer->cc.base_rtt_ns;
    uint64_t measured_ns = sample_ns;

    smooth(requester, sample_ns);
    sample_ns = as_of_full_packet(requester, env, sack, sample_ns);
    if (!is_full_packet(requester, sack) && !measures_base(requester, sack, sample_ns))
        sample_ns = feedback_base_sample(env, sample_ns);
    cc_on_ack(&env->peer->cc, &(struct cc_ack){ .now_ns = now_ns,
                                  .rtt_ns = sample_ns,
                                  .received_bytes = received_bytes,
                                  .inflight_bytes = env->peer->inflight_bytes,
                                  .penalty = sack->window_penalty,
                                  .restore = sack->restore_window,
                                  .marked = sack->mark == SACK_MARK_SKIP_ONCE });
    if (env->peer->cc.base_rtt_ns != base_rtt_ns)
        requester_base_rtt_changed(env);
    if (measured_ns)
        env_trace(env, EVENT_RTT, now_ns, measured_ns, env->peer->cc.base_rtt_ns,
            env->peer->cc.window_bytes);
}

static void end_round(struct requester *requester, const struct env *env, uint64_t now_ns)
{
    path_next_round(env->paths);
    planes_end_round(&env->peer->planes, path_usable_planes(env->paths, env_planes(env)), now_ns,
        requester_rtt_ns(requester, env));
}

/* Every SACK arms the timer of the tail anew (§10), but for the one that measures the base RTT: it
 * comes a round trip after the first, and says no more of the tail. */
static void arm_tail(
    struct requester *requester, const struct env *env, bool measures, uint64_t now_ns)
{
    uint64_t before_ns = requester->tail_ns;

    requester_arm_tail(requester, env, now_ns);
    if (measures && before_ns < requester->tail_ns && requester->tail_ns != UINT64_MAX)
        requester->tail_ns = before_ns;
}

/* All that it speaks of was sent. */
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

/* The trigger, and what the bitmap shows: together, if that reaches as far. */
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

struct requester_decision requester_on_sack(struct requester *requester, const struct env *env,
    const struct packet *packet, uint64_t now_ns)
{
    struct requester_decision decision = { .due_ns = UINT64_MAX, .reason = DROP_FEEDBACK_RANGE };
    const struct packet_sack *sack = &packet->sack;
    struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);
    int32_t newer = psn_distance(requester->newest_cack, sack->cack_psn);
    bool measures = requester->base_awaited && sack->answers_probe;
    uint64_t sample_ns;
    uint32_t received_bytes;
    bool is_newest;

    if (!is_plausible(requester, sack))
        return decision;
    decision.reason = DROP_NONE;
    env_count(env, COUNTER_SACK_RECEIVED);
    sample_ns = sack->answers_probe ? on_probe_answer(requester, env, sack, &decision, now_ns)
                                    : on_trigger(requester, env, packet, now_ns);
    feedback_acknowledge_up_to(requester, env, sack->cack_psn, now_ns);
    acknowledge_above(requester, env, sack, trigger, now_ns);
    feedback_advance(requester, env, now_ns);

    received_bytes = newly_received(requester, sack->received_units);
    is_newest = newer > 0 || (newer == 0 && sack->received_units == requester->received_units);
    if (newer > 0)
        requester->newest_cack = sack->cack_psn;
    control_congestion(requester, env, sack, received_bytes, sample_ns, now_ns);
    take_mpr(requester, env, sack, is_newest);
    if (planes_round_is_over(&env->peer->planes, now_ns, requester_rtt_ns(requester, env)))
        end_round(requester, env, now_ns);
    requester->tail_rounds = 0;
    if (requester->measure_base) {
        requester->measure_base = false;
        requester->probe_once = requester->probe_base = true;
    }
    arm_tail(requester, env, measures, now_ns);
    if (sack->answers_probe && sample_ns)
        loss_infer_by_probe(requester, env, sack, (uint32_t)sample_ns,
            (uint32_t)(sample_ns > env->peer->cc.base_rtt_ns ? sample_ns - env->peer->cc.base_rtt_ns
                                                             : 0),
            now_ns);
    loss_infer_by_count(requester, env, sack->ooo_count, now_ns);
    if (requester->loss_check_ns == UINT64_MAX || now_ns >= requester->loss_check_ns)
        loss_infer_by_time(requester, env, now_ns);
    loss_relax(requester, env, now_ns);
    env_trace(env, EVENT_SACK, now_ns, sack->cack_psn.value, requester->window.inflight_bytes,
        env->peer->cc.window_bytes);
    decision.due_ns = deadlines_sooner_ns(decision.due_ns, requester_timer_ns(requester));
    return decision;
}
