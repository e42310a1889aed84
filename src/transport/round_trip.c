/* SPDX-License-Identifier: Apache-2.0 */
/* Measures round trips from SACKs and applies them to paths, planes and congestion control
 * (docs/protocol.md §9, §19.3). */
#include "transport/round_trip.h"

#include "transport/feedback.h"
#include "transport/loss.h"
#include "wire/stamp.h"

enum {
    STAMP_TRUST_NS = 4 * 1000 * 1000,    /* half of the range of 16 bits of 128 ns */
    RECORD_TRUST_NS = 500 * 1000 * 1000, /* half of the range of 24 bits of 64 ns */
    SMOOTHING_SHIFT = 3,
    CHANCE_PERCENT = 60, /* of the target delay */
    CHANCE_PERCENT_OF_UNEQUAL = 20,
    ROUGH_EVS_LEAST = 3,
    MANY_EVS = 4,          /* of which each is a small part of the mean */
    OVERTAKEN_TARGETS = 4, /* target delays by which a SACK may arrive after later ones */
};

static uint64_t stamp_age_ns(const struct packet_sack *sack, uint64_t now_ns)
{
    return (uint16_t)(now_ns / STAMP_UNIT_NS - sack->tx_timestamp) * (uint64_t)STAMP_UNIT_NS;
}

/* Returns the sample from the record of the trigger, if it is certain which copy was answered
 * (§19.3). 0: no sample. */
static uint64_t sample_of_data(const struct requester *requester, const struct env *env,
    const struct packet *packet, struct send_record record, uint64_t now_ns)
{
    bool again = packet->flags & PACKET_RETRANSMISSION;
    uint8_t copies = record.flags & (SEND_TWICE | SEND_OFTEN);
    uint64_t sample_ns = send_window_age_ns(record.ticks, now_ns);

    if (requester->stamped && packet->sack.tx_timestamp == 0)
        return 0;
    if (again ? !(copies & SEND_TWICE) : copies) {
        /* The stamp identifies the copy that was answered. UET does not use it. */
        if (env_follows_uet(env) || !requester->stamped || env->attributes.peer_service_time ||
            !feedback_is_newest(record, packet->sack.tx_timestamp, now_ns))
            return 0;
    }
    if (requester->stamped && env->attributes.peer_service_time && sample_ns < STAMP_TRUST_NS)
        sample_ns = stamp_age_ns(&packet->sack, now_ns);
    return sample_ns < RECORD_TRUST_NS ? sample_ns + 1 : 0;
}

/* True if the packet was acknowledged before: its SACK was overtaken, or a copy of the packet
 * arrived later. The round trip of such a copy does not measure the current delay. */
static bool is_of_old_copy(const struct requester *requester, const struct env *env,
    struct psn trigger, uint64_t sample_ns)
{
    const struct send_window *window = &requester->window;
    const struct cc *cc = &env->peer->cc;

    return sample_ns > cc->base_rtt_ns + (uint64_t)OVERTAKEN_TARGETS * cc->target_delay_ns &&
           (psn_before(trigger, window->oldest) || send_window_is_acked(window, trigger));
}

/* Subtracts the planned extra delay of a path, which is not a queue. The result is comparable with
 * the base RTT. */
static uint64_t as_of_base(const struct env *env, uint32_t ev_index, uint64_t sample_ns)
{
    int64_t extra_ns = env->profile->entries[ev_index].extra * (int64_t)PATH_EXTRA_NS;

    return extra_ns < (int64_t)sample_ns ? sample_ns - (uint64_t)extra_ns : 1;
}

/* Returns the tolerance of delay differences. If the plan gives paths unequal shares, it is rough,
 * and smaller differences correct it. */
static int64_t chance_percent(const struct env *env)
{
    return env->profile->is_weighted ? CHANCE_PERCENT_OF_UNEQUAL : CHANCE_PERCENT;
}

/* Returns the delay with which the excess of an EV is compared. If the plan is rough, and enough
 * EVs were measured to correct it, the scale does not depend on the length of the cables. */
static int64_t delay_scale_ns(const struct peer *peer, const struct env *env, uint32_t plane)
{
    if (env->profile->is_rough && peer->planes.ev_mean_count[plane] >= ROUGH_EVS_LEAST)
        return peer->cc.target_delay_ns;
    return peer->planes.mean_ticks[plane] * (int64_t)PLANES_TICK_NS;
}

/* Returns how much longer the packet took than others. If the plan is rough, most paths of a port
 * are best left unused. A mean of all paths would be that of the unused ones, and all paths in use
 * would look equally good. Each then counts as much as it carries. */
static int64_t excess_ns_of(const struct env *env, uint32_t plane, uint64_t sample_ns)
{
    const struct planes *planes = &env->peer->planes;

    if (env->profile->is_rough && planes->ev_mean_count[plane] >= MANY_EVS)
        return planes_ev_difference_ns(planes, plane, sample_ns);
    return planes_ev_excess_ns(planes, plane, sample_ns);
}

static uint32_t weight_in_mean(const struct env *env, uint32_t ev_index)
{
    return env->profile->is_rough ? path_turns_of(env->paths, ev_index) : 1;
}

/* Judges whether packets on this EV take longer than those of its plane. Differences of a few
 * packets in queues are random and are ignored. */
static void judge_delay(
    const struct env *env, uint32_t ev_index, uint64_t sample_ns, uint64_t now_ns)
{
    const struct peer *peer = env->peer;
    uint32_t plane = env_plane_of_ev(env, ev_index);
    int64_t scale_ns = delay_scale_ns(peer, env, plane);
    int64_t chance_ns = (int64_t)peer->cc.target_delay_ns * chance_percent(env) / 100;
    int64_t excess_ns = excess_ns_of(env, plane, sample_ns);
    uint32_t weight = weight_in_mean(env, ev_index);

    if (scale_ns == 0)
        return;
    if (excess_ns > chance_ns)
        excess_ns -= chance_ns;
    else if (excess_ns < -chance_ns)
        excess_ns += chance_ns;
    else
        excess_ns = 0;
    if (path_on_delay(env->paths, ev_index, (int32_t)(excess_ns * 256 / scale_ns), now_ns))
        planes_on_ev_rtt(&env->peer->planes, plane, sample_ns, weight);
}

struct round_trip round_trip_of_data(const struct requester *requester, const struct env *env,
    const struct packet *packet, struct send_record record, uint64_t now_ns)
{
    struct psn trigger = psn_add(packet->sack.cack_psn, packet->sack.ack_psn_offset);
    uint64_t sample_ns = sample_of_data(requester, env, packet, record, now_ns);

    if (sample_ns == 0 || is_of_old_copy(requester, env, trigger, sample_ns))
        return (struct round_trip){ 0 };
    if (record.ev_index != PATH_NONE) {
        sample_ns = as_of_base(env, record.ev_index, sample_ns);
        planes_on_rtt(&env->peer->planes, env_plane_of_ev(env, record.ev_index), sample_ns);
        judge_delay(env, record.ev_index, sample_ns, now_ns);
    }
    return (struct round_trip){ .sample_ns = sample_ns,
        .is_of_full_packet = !(record.flags & SEND_ODD_SIZE) };
}

struct round_trip round_trip_of_probe(
    const struct requester *requester, const struct packet_sack *sack, uint64_t now_ns)
{
    uint64_t age_ns = stamp_age_ns(sack, now_ns);
    uint32_t probe_ticks = (uint32_t)(now_ns / SEND_WINDOW_TICK_NS) - requester->last_probe_ticks;
    bool is_certain = probe_ticks < STAMP_TRUST_NS / SEND_WINDOW_TICK_NS && age_ns < STAMP_TRUST_NS;

    return (struct round_trip){ .sample_ns = is_certain ? age_ns + 1 : 0,
        .has_no_delay = sack->probe_id & REQUESTER_PROBE_TESTS_EV };
}

static void smooth_rtt(struct requester *requester, uint64_t sample_ns)
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

/* Converts a sample to that of a full packet of the largest PMTU, if the plan has the times. Delays
 * of all packet sizes then compare. */
static uint64_t as_of_full_packet(const struct requester *requester, const struct env *env,
    const struct packet_sack *sack, struct round_trip round_trip)
{
    const struct peer *peer = env->peer;
    uint32_t bytes = requester->full_bytes;

    if (round_trip.sample_ns == 0 || sack->answers_probe || peer->rtt.fixed_ns == 0)
        return round_trip.sample_ns;
    if (!round_trip.is_of_full_packet) {
        struct psn trigger = psn_add(sack->cack_psn, sack->ack_psn_offset);

        if (!send_queue_find(&requester->queue, trigger))
            return 0;
        bytes = requester_nominal_bytes(requester, env, trigger);
    }
    return round_trip.sample_ns + peer_base_rtt_ns(peer, peer->cc.profile->settings.mtu_bytes) -
           peer_base_rtt_ns(peer, bytes);
}

/* True if the SACK answers the probe for the base RTT (§19.3), or another probe that was answered
 * first. */
static bool measures_base(
    struct requester *requester, const struct packet_sack *sack, uint64_t sample_ns)
{
    bool does = requester->base_awaited && sack->answers_probe && sample_ns != 0;

    requester->base_awaited &= !does;
    return does;
}

void round_trip_control(struct requester *requester, const struct env *env,
    const struct packet_sack *sack, uint32_t received_bytes, struct round_trip round_trip,
    uint64_t now_ns)
{
    uint32_t base_rtt_ns = env->peer->cc.base_rtt_ns;
    uint64_t sample_ns;

    if (round_trip.has_no_delay)
        round_trip.sample_ns = 0;
    sample_ns = as_of_full_packet(requester, env, sack, round_trip);
    smooth_rtt(requester, round_trip.sample_ns);
    if (!round_trip.is_of_full_packet && !measures_base(requester, sack, sample_ns))
        sample_ns = feedback_base_sample(env, sample_ns);
    cc_on_ack(&env->peer->cc, &(struct cc_ack){ .now_ns = now_ns,
                                  .rtt_ns = sample_ns,
                                  .received_bytes = received_bytes,
                                  .inflight_bytes = env->peer->inflight_bytes,
                                  .destination_count = env->nic->destination_count,
                                  .penalty = sack->window_penalty,
                                  .restore = sack->restore_window,
                                  .marked = sack->mark == SACK_MARK_SKIP_ONCE });
    if (env->peer->cc.base_rtt_ns != base_rtt_ns)
        requester_base_rtt_changed(env);
    if (round_trip.sample_ns)
        env_trace(env, EVENT_RTT, now_ns, round_trip.sample_ns, env->peer->cc.base_rtt_ns,
            env->peer->cc.window_bytes);
}
