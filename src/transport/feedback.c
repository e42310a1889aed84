/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of feedback processing that SACK, NACK and Transport ACK share at the requester
 * (docs/protocol.md §9). */
#include "transport/feedback.h"

#include "transport/loss.h"

/* True if the first copy arrived, because the second had too little time. Send times are recorded
 * in ticks, so a round trip of one base RTT may appear one tick shorter. */
static bool first_arrived(const struct env *env, struct send_record record, uint64_t now_ns)
{
    return (record.flags & (SEND_TWICE | SEND_OFTEN)) == SEND_TWICE &&
           send_window_age_ns(record.ticks, now_ns) + SEND_WINDOW_TICK_NS <=
               env->peer->cc.base_rtt_ns;
}

/* Handles a packet that was sent again or is not full. Returns its size. Not inlined: it is
 * rare. */
__attribute__((noinline)) static uint32_t look_closer(struct requester *requester,
    const struct env *env, struct psn psn, struct send_record record, uint64_t now_ns)
{
    if (record.flags & (SEND_TWICE | SEND_OFTEN))
        loss_on_acknowledged(requester, psn, record, env->peer->cc.base_rtt_ns, now_ns);
    if (first_arrived(env, record, now_ns))
        loss_on_spurious(requester, env, now_ns);
    return record.flags & SEND_ODD_SIZE ? requester_nominal_bytes(requester, env, psn)
                                        : requester->full_bytes;
}

/* Handles packets that were declared lost, were not sent again, and had arrived. Not inlined: it is
 * rare. */
__attribute__((noinline)) static void disprove_losses(struct requester *requester,
    const struct env *env, struct psn base, uint64_t bitmap, uint64_t now_ns)
{
    for (; bitmap; bitmap &= bitmap - 1) {
        struct psn psn = psn_add(base, (int32_t)bits_lowest(bitmap));

        if (send_window_is_lost(&requester->window, psn))
            loss_on_disproved(requester, env, psn, now_ns);
    }
}

/* Acknowledges PSNs in flight, which the window has marked, for the first time. Bit 0 is for
 * `base`. Returns their total size. Of the packets that were sent once, the highest PSN was sent
 * last, so rule A need not look at the others. */
static uint32_t acknowledge_all(struct requester *requester, const struct env *env, struct psn base,
    uint64_t bitmap, uint64_t now_ns)
{
    struct planes *planes = &env->peer->planes;
    uint64_t sent_once = bitmap;
    uint32_t all_bytes = 0;

    for (; bitmap; bitmap &= bitmap - 1) {
        struct psn psn = psn_add(base, (int32_t)bits_lowest(bitmap));
        struct send_record record = send_window_record(&requester->window, psn);
        uint32_t plane = env_plane_of_ev(env, record.ev_index);
        uint32_t bytes = requester->full_bytes;

        if (record.flags & (SEND_ODD_SIZE | SEND_TWICE | SEND_OFTEN)) {
            bytes = look_closer(requester, env, psn, record, now_ns);
            if (record.flags & (SEND_TWICE | SEND_OFTEN))
                sent_once ^= UINT64_C(1) << bits_lowest(bitmap);
        }
        all_bytes += bytes;
        planes_on_gone(planes, plane, bytes);
        planes_on_delivered(planes, plane);
        path_on_delivered(env->paths, record.ev_index);
    }
    if (sent_once) {
        struct psn latest = psn_add(base, (int32_t)bits_highest(sent_once));

        loss_on_acknowledged(requester, latest, send_window_record(&requester->window, latest),
            env->peer->cc.base_rtt_ns, now_ns);
    }
    return all_bytes;
}

void feedback_acknowledge_bitmap(struct requester *requester, const struct env *env,
    struct psn base, uint64_t bitmap, uint64_t now_ns)
{
    struct psn highest;
    uint32_t bytes;

    bitmap = send_window_unacked(&requester->window, base, bitmap);
    if (!bitmap)
        return;
    highest = psn_add(base, (int32_t)bits_highest(bitmap));
    if (psn_before(requester->highest_acked, highest))
        requester->highest_acked = highest;
    if (requester->window.lost_count > 0)
        disprove_losses(requester, env, base, bitmap, now_ns);
    /* A packet that was declared lost and not sent again since has arrived after all. It says
     * nothing about the current state of its path. */
    bitmap = send_window_acknowledge(&requester->window, base, bitmap);
    bytes = acknowledge_all(requester, env, base, bitmap, now_ns);
    send_window_shrink(&requester->window, bytes);
    env->peer->inflight_bytes -= bytes;
}

/* Records the round trip of the oldest packet, for which the others may have waited. */
static void note_round_trip(struct requester *requester, struct psn psn, uint64_t now_ns)
{
    struct send_record record = send_window_record(&requester->window, psn);

    if (!(record.flags & (SEND_TWICE | SEND_OFTEN)))
        loss_note_round_trip(requester, send_window_age_ns(record.ticks, now_ns));
}

void feedback_acknowledge_up_to(
    struct requester *requester, const struct env *env, struct psn cack, uint64_t now_ns)
{
    struct psn psn = requester->window.oldest;
    int32_t count = psn_distance(psn, cack) + 1;

    if (count > 0)
        note_round_trip(requester, psn, now_ns);
    for (; count > 0; count -= 64, psn = psn_add(psn, 64))
        feedback_acknowledge_bitmap(
            requester, env, psn, count < 64 ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0), now_ns);
}

void feedback_advance(struct requester *requester, const struct env *env, uint64_t now_ns)
{
    if (!send_window_advance(&requester->window))
        return;
    requester->timeouts = 0;
    requester->hold_ns = 0;
    requester_arm_timeout(requester, env, now_ns);
}

uint32_t feedback_ev(const struct env *env, uint32_t ev_index, uint32_t entropy)
{
    if (ev_index != PATH_NONE && env_ev(env, ev_index) == entropy)
        return ev_index;
    ev_index = path_profile_find(env->profile, entropy);
    if (ev_index == PATH_NONE)
        env_count(env, COUNTER_FEEDBACK_UNKNOWN_EV);
    return ev_index;
}

uint64_t feedback_base_sample(const struct env *env, uint64_t sample_ns)
{
    bool is_too_short = sample_ns != 0 && sample_ns < env->peer->cc.base_rtt_ns;

    return is_too_short ? env->peer->cc.base_rtt_ns : sample_ns;
}
