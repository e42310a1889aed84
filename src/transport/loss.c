/* SPDX-License-Identifier: Apache-2.0 */
/* Loss inference. First transmissions are sent in the order of PSNs. A search therefore ends at the
 * first packet in flight that was sent once and too recently: all later ones were sent after it. */
#include "transport/loss.h"

#include <assert.h>

enum {
    BITMAP_PSNS = 64,
    USUAL_TRIPS = 2,       /* longest round trip that counts, in mean ones */
    DOUBTFUL_TARGETS = 3,  /* more delay than the queues of a full network cause */
    NARROWING_LOSSES = 16, /* in succession, after which the reordering window narrows */
    NARROWEST_PART = 4,    /* of the usual window */
};

static uint32_t reorder_most_ns(const struct env *env)
{
    return (uint32_t)(requester_reorder_ns(env) * env->nic->parameters->reo_wnd_factor_max);
}

/* Returns the longest recent round trip, as far as it counts. A single one may be long for any
 * reason. If most are, as in front of a slow destination, queues are that long. */
static uint32_t longest_counted_ns(const struct requester *requester, const struct env *env)
{
    uint32_t longest_ns = requester->longest_ticks * SEND_WINDOW_TICK_NS;
    uint32_t usual_ns = USUAL_TRIPS * requester->smoothed_rtt_ns;
    uint32_t most_ns = reorder_most_ns(env);

    if (most_ns < usual_ns)
        most_ns = usual_ns;
    return longest_ns < most_ns ? longest_ns : most_ns;
}

/* Returns the age at which a packet counts as lost after a packet with this round trip has
 * overtaken it. Planes get equal shares, so the part of a window beyond one round trip queues up on
 * the slowest plane, and packets there are late by that amount. The longest recent round trip is
 * therefore used if it is longer. */
static uint32_t lost_after_ns(
    const struct requester *requester, const struct env *env, uint32_t rtt_ns)
{
    uint32_t longest_ns = requester->longest_ticks * SEND_WINDOW_TICK_NS;

    if (longest_ns > rtt_ns) {
        longest_ns = longest_counted_ns(requester, env);
        if (longest_ns > rtt_ns)
            rtt_ns = longest_ns;
    }
    return rtt_ns + requester->reorder_ns;
}

void loss_infer_by_time(struct requester *requester, const struct env *env, uint64_t now_ns)
{
    struct send_window *window = &requester->window;
    uint32_t limit_ns = lost_after_ns(requester, env, requester->rack_rtt_ns);
    struct psn psn = send_window_next_in_flight(window, window->oldest);

    requester->loss_check_ns = UINT64_MAX;
    if (!requester->rack_valid)
        return;
    for (; !psn_equal(psn, window->next);
         psn = send_window_next_in_flight(window, psn_add(psn, 1))) {
        struct send_record record = send_window_record(window, psn);
        bool sent_once = !(record.flags & (SEND_TWICE | SEND_OFTEN));
        uint32_t age_ns = send_window_age_ns(record.ticks, now_ns);

        if (!loss_was_overtaken(requester, psn, record.ticks)) {
            if (sent_once)
                break;
        } else if (age_ns >= limit_ns) {
            loss_declare(requester, env, psn, LOSS_BY_TIME, now_ns);
        } else {
            requester->loss_check_ns =
                deadlines_sooner_ns(requester->loss_check_ns, now_ns + limit_ns - age_ns);
            if (sent_once)
                break;
        }
    }
}

/* True if the packets sent after the last acknowledged one are overdue, too. Then answers were
 * lost, and it is unknown which packets are. */
static bool is_silent(const struct requester *requester, const struct env *env, uint64_t now_ns)
{
    const struct send_window *window = &requester->window;
    struct psn after = psn_add(requester->rack_psn, 1);
    struct psn next = send_window_next_in_flight(
        window, psn_before(after, window->oldest) ? window->oldest : after);
    struct send_record record;

    if (psn_equal(next, window->next))
        return false;
    record = send_window_record(window, next);
    return !loss_was_overtaken(requester, next, record.ticks) &&
           send_window_age_ns(record.ticks, now_ns) >=
               lost_after_ns(requester, env, requester->rack_rtt_ns) - requester->reorder_ns;
}

void loss_on_time(struct requester *requester, const struct env *env, uint64_t now_ns)
{
    if (is_silent(requester, env, now_ns))
        requester->loss_check_ns = UINT64_MAX; /* the next SACK decides */
    else
        loss_infer_by_time(requester, env, now_ns);
}

static uint64_t count_threshold_bytes(const struct requester *requester, const struct env *env)
{
    const struct parameters *parameters = env->nic->parameters;
    uint64_t threshold = env->peer->cc.window_bytes * parameters->sleek_factor / 1000;
    uint64_t floor_bytes = parameters->sleek_min_packets * requester->full_bytes;

    if (threshold > env->peer->cc.max_window_bytes)
        threshold = env->peer->cc.max_window_bytes;
    return threshold > floor_bytes ? threshold : floor_bytes;
}

/* Returns the first PSN that a recovery does not repair. The PSNs up to highest_acked have
 * overtaken all PSNs before it. */
static struct psn recovery_end(const struct requester *requester, uint64_t threshold_bytes)
{
    struct psn end =
        psn_add(requester->highest_acked, 1 - (int32_t)(threshold_bytes / requester->full_bytes));

    return psn_before(requester->recovery_psn, end) ? requester->recovery_psn : end;
}

/* Not inlined: it is rare. */
__attribute__((noinline)) static void recover_overtaken(
    struct requester *requester, const struct env *env, uint64_t threshold_bytes, uint64_t now_ns)
{
    struct send_window *window = &requester->window;
    struct psn end = recovery_end(requester, threshold_bytes);
    struct psn psn = send_window_next_in_flight(window, window->oldest);
    uint32_t least_ns = loss_was_spurious(requester, env)
                            ? lost_after_ns(requester, env, requester->rack_rtt_ns)
                            : 0;

    while (psn_before(psn, end) && !psn_equal(psn, window->next)) {
        struct send_record record = send_window_record(window, psn);

        /* Retransmitted packets are excluded: the PSNs above did not overtake the new copy. Packets
         * that no packet sent later has overtaken are excluded, too: they may still arrive. */
        if (!(record.flags & (SEND_TWICE | SEND_OFTEN)) &&
            loss_was_overtaken(requester, psn, record.ticks) &&
            send_window_age_ns(record.ticks, now_ns) >= least_ns)
            loss_declare(requester, env, psn, LOSS_BY_COUNT, now_ns);
        psn = send_window_next_in_flight(window, psn_add(psn, 1));
    }
}

void loss_infer_by_count(
    struct requester *requester, const struct env *env, uint32_t ooo_count, uint64_t now_ns)
{
    uint64_t threshold_bytes = count_threshold_bytes(requester, env);

    if (requester->in_recovery && !psn_before(requester->window.oldest, requester->recovery_psn))
        requester->in_recovery = false;
    if ((uint64_t)ooo_count * requester->full_bytes < threshold_bytes || !requester->rack_valid)
        return;
    if (!requester->in_recovery) {
        requester->in_recovery = true;
        requester->recovery_psn = requester->window.next;
    }
    recover_overtaken(requester, env, threshold_bytes, now_ns);
}

/* True if the bitmap shows all packets that have arrived above cack. */
static bool shows_all(const struct packet_sack *sack)
{
    return sack->ooo_count == bits_count(sack->bitmap);
}

/* For PSNs up to the end of the bitmap. A clear bit proves nothing below it, except for the PSN
 * after cack, which is missing. */
static bool is_shown_missing(const struct packet_sack *sack, struct psn psn)
{
    int32_t above = psn_distance(sack->cack_psn, psn);

    return shows_all(sack) || above == 1 || above >= sack->sack_offset;
}

/* Returns the age at which a packet that the answer to a probe does not show counts as lost. If
 * queues delayed the answer, they may delay the packet more, but not for half of the timeout:
 * otherwise it would expire although the answer proves that the peer can be reached. */
static uint64_t lost_after_probe_ns(
    const struct requester *requester, const struct env *env, uint32_t probe_age_ns)
{
    const struct cc *cc = &env->peer->cc;
    uint64_t delayed_factor = env->nic->parameters->delayed_probe_factor;
    uint64_t limit_ns = lost_after_ns(requester, env, probe_age_ns);
    uint64_t half_ns;
    uint64_t most_ns;

    if (probe_age_ns < (uint64_t)cc->base_rtt_ns + cc->target_delay_ns)
        return limit_ns;
    if (delayed_factor == 0)
        return UINT64_MAX;
    half_ns = requester_interval_ns(requester, env) / 2;
    most_ns = half_ns > limit_ns ? half_ns : limit_ns;
    return most_ns < delayed_factor * limit_ns ? most_ns : delayed_factor * limit_ns;
}

void loss_infer_by_probe(struct requester *requester, const struct env *env,
    const struct packet_sack *sack, uint32_t probe_age_ns, uint64_t now_ns)
{
    struct send_window *window = &requester->window;
    struct psn end =
        shows_all(sack) ? window->next : psn_add(sack->cack_psn, sack->sack_offset + BITMAP_PSNS);
    struct psn psn = send_window_next_in_flight(window, window->oldest);
    uint64_t limit_ns = lost_after_probe_ns(requester, env, probe_age_ns);

    while (!psn_equal(psn, window->next) && psn_before(psn, end)) {
        struct send_record record = send_window_record(window, psn);
        bool early = send_window_age_ns(record.ticks, now_ns) > limit_ns;

        if (!early && !(record.flags & (SEND_TWICE | SEND_OFTEN)))
            return;
        if (early && is_shown_missing(sack, psn))
            loss_declare(requester, env, psn, LOSS_BY_PROBE, now_ns);
        psn = send_window_next_in_flight(window, psn_add(psn, 1));
    }
}

void loss_infer_by_timeout(
    struct requester *requester, const struct env *env, uint64_t interval_ns, uint64_t now_ns)
{
    struct send_window *window = &requester->window;
    struct psn psn = send_window_next_in_flight(window, window->oldest);
    bool is_oldest = psn_equal(psn, window->oldest);

    while (!psn_equal(psn, window->next)) {
        struct send_record record = send_window_record(window, psn);

        if (is_oldest || interval_ns >= SEND_WINDOW_AGE_MAX_NS ||
            send_window_age_ns(record.ticks, now_ns) >= interval_ns)
            loss_declare(requester, env, psn, LOSS_BY_TIMEOUT, now_ns);
        is_oldest = false;
        psn = send_window_next_in_flight(window, psn_add(psn, 1));
    }
}

static uint64_t relax_at(const struct requester *requester, const struct env *env, uint64_t now_ns)
{
    return now_ns + (uint64_t)LOSS_RELAX_ROUND_TRIPS * requester_rtt_ns(requester, env);
}

/* Late packets come in groups. While the window is narrow, a group widens it once. */
static bool widens(const struct requester *requester, const struct env *env)
{
    return requester->real_losses > 0 || requester->reorder_ns >= requester_reorder_ns(env);
}

void loss_on_spurious(struct requester *requester, const struct env *env, uint64_t now_ns)
{
    uint64_t most_ns = reorder_most_ns(env);
    uint64_t wider_ns = (uint64_t)requester->reorder_ns * 2;

    if (widens(requester, env))
        requester->reorder_ns = (uint32_t)(wider_ns < most_ns ? wider_ns : most_ns);
    requester->real_losses = 0;
    requester->reorder_relax_ns = relax_at(requester, env, now_ns);
    peer_note_spurious(env->peer, now_ns);
    env_count(env, COUNTER_SPURIOUS_LOSS);
}

/* Returns the narrowest reordering window: not less than what is set. */
static uint32_t narrowest_ns(const struct env *env)
{
    uint32_t usual_ns = requester_reorder_ns(env);
    uint64_t set_ns = env->nic->parameters->reo_wnd;

    if (set_ns < usual_ns / NARROWEST_PART)
        return usual_ns / NARROWEST_PART;
    return set_ns < usual_ns ? (uint32_t)set_ns : usual_ns;
}

/* If packets are lost all the time, each message ends with repairs, and the sooner these leave, the
 * sooner the next one begins. A few spurious losses then cost less than late repairs. */
void loss_on_real(struct requester *requester, const struct env *env, uint64_t now_ns)
{
    if (++requester->real_losses < NARROWING_LOSSES)
        return;
    requester->real_losses = 0;
    requester->reorder_relax_ns = relax_at(requester, env, now_ns);
    if (requester->reorder_ns / 2 >= narrowest_ns(env))
        requester->reorder_ns /= 2;
}

void loss_on_disproved(
    struct requester *requester, const struct env *env, struct psn psn, uint64_t now_ns)
{
    struct send_record record = send_window_record(&requester->window, psn);
    bool plane_is_up = env_planes(env) >> env_plane_of_ev(env, record.ev_index) & 1;

    /* With several copies it is unknown which one arrived. A port that went down does not count. */
    if (record.flags & (SEND_TWICE | SEND_OFTEN) || !plane_is_up)
        return;
    loss_on_spurious(requester, env, now_ns);
    if (record.flags & SEND_DEMOTED || path_state_of(env->paths, record.ev_index) <= EV_SKIP)
        path_on_spurious(env->paths, record.ev_index, now_ns);
    env_trace(env, EVENT_SPURIOUS, now_ns, psn.value, env_ev(env, record.ev_index),
        requester->reorder_ns);
}

bool loss_is_in_doubt(const struct requester *requester, const struct env *env)
{
    const struct cc *cc = &env->peer->cc;

    return loss_was_spurious(requester, env) ||
           requester->longest_ticks * SEND_WINDOW_TICK_NS >
               cc->base_rtt_ns + DOUBTFUL_TARGETS * cc->target_delay_ns;
}

void loss_relax(struct requester *requester, const struct env *env, uint64_t now_ns)
{
    uint32_t least_ns;

    /* Decays within some round trips. */
    requester->longest_ticks -= (uint16_t)((requester->longest_ticks + 127) / 128);
    if (now_ns < requester->reorder_relax_ns)
        return;
    least_ns = requester_reorder_ns(env);
    requester->reorder_ns =
        requester->reorder_ns / 2 > least_ns ? requester->reorder_ns / 2 : least_ns;
    requester->reorder_relax_ns = relax_at(requester, env, now_ns);
}
