/* SPDX-License-Identifier: Apache-2.0 */
/* How the requester processes a NACK (docs/protocol.md §11). */
#include "transport/feedback.h"
#include "transport/loss.h"
#include "transport/retry.h"

/* The peer lacks a resource. Gives it time, longer with every burst (§11). */
static void hold_back(struct requester *requester, const struct env *env,
    struct requester_decision *decision, uint64_t now_ns)
{
    const struct parameters *parameters = env->nic->parameters;
    uint64_t first_ns = PARAMETERS_TIMER_NS(parameters, nack_delay, env->peer->cc.base_rtt_ns);

    if (now_ns < requester->hold_until_ns)
        return; /* the NACK belongs to the same burst */
    requester->hold_ns = requester->hold_ns ? requester->hold_ns * 2 : (uint32_t)first_ns;
    if (requester->hold_ns > parameters->nack_delay_max)
        requester->hold_ns = (uint32_t)parameters->nack_delay_max;
    requester->hold_until_ns = now_ns + requester->hold_ns;
    decision->due_ns = requester->hold_until_ns;
}

/* Recoverable NACKs use the retry counter of timeouts, once per burst. True if it is exhausted. */
static bool count_retry(struct requester *requester, const struct env *env, uint64_t now_ns)
{
    struct retry_schedule schedule = { .timeout = env->attributes.timeout,
        .linear = env->attributes.retry_linear,
        .exponential = env->attributes.retry_exponential };

    if (now_ns < requester->hold_until_ns)
        return false;
    if (retry_is_exhausted(schedule, requester->timeouts))
        return true;
    requester->timeouts++;
    return false;
}

static enum loss_rule rule_of(uint8_t reason)
{
    if (reason == NACK_TRIMMED)
        return LOSS_BY_TRIM;
    return reason == NACK_TRIMMED_LASTHOP ? LOSS_BY_TRIM_LASTHOP : LOSS_BY_NACK;
}

/* True if the NACK concerns the newest copy, as far as stamps show. */
static bool is_newest_copy(
    const struct requester *requester, const struct packet_nack *nack, uint64_t now_ns)
{
    struct send_record record = send_window_record(&requester->window, nack->nack_psn);

    return !requester->stamped || nack->tx_timestamp == 0 ||
           feedback_is_newest(record, nack->tx_timestamp, now_ns);
}

/* Applies the NACK to the path of the packet. */
static void heed_path(struct requester *requester, const struct env *env,
    const struct packet_nack *nack, enum loss_rule rule, uint64_t now_ns)
{
    struct send_record record = send_window_record(&requester->window, nack->nack_psn);
    uint32_t ev_index = feedback_ev(env, record.ev_index, nack->entropy);

    if (ev_index != PATH_NONE) {
        requester->last_plane = (uint16_t)env_plane_of_ev(env, ev_index);
        if (rule != LOSS_BY_NACK)
            planes_on_trimmed(&env->peer->planes, requester->last_plane);
        if (rule == LOSS_BY_TRIM)
            path_on_mark(env->paths, ev_index, PATH_TRIMMED, now_ns);
    }
    requester->tail_rounds = 0;
    if (rule != LOSS_BY_NACK)
        env->peer->trimmed_ns = now_ns;
}

/* True if the NACK concerns the newest copy of a packet in flight. */
static bool is_news(
    const struct requester *requester, const struct packet_nack *nack, uint64_t now_ns)
{
    const struct send_window *window = &requester->window;

    return send_window_holds(window, nack->nack_psn) &&
           !send_window_is_acked(window, nack->nack_psn) &&
           !send_window_is_lost(window, nack->nack_psn) && is_newest_copy(requester, nack, now_ns);
}

static void lose_packet(struct requester *requester, const struct env *env, struct psn psn,
    enum loss_rule rule, uint64_t now_ns)
{
    uint32_t ticks = send_window_record(&requester->window, psn).ticks;
    uint64_t sample_ns = send_window_age_ns(ticks, now_ns) + 1;
    uint32_t bytes = requester_nominal_bytes(requester, env, psn);

    if (rule != LOSS_BY_NACK)
        env->peer->trimmed_trip_ns = (uint32_t)sample_ns;
    loss_declare(requester, env, psn, rule, now_ns);
    cc_on_nack(&env->peer->cc,
        &(struct cc_nack){ .now_ns = now_ns,
            .rtt_ns = rule == LOSS_BY_NACK ? sample_ns : feedback_base_sample(env, sample_ns),
            .packet_bytes = bytes,
            .inflight_bytes = env->peer->inflight_bytes,
            .trimmed = rule != LOSS_BY_NACK });
}

static void fail_request(const struct requester *requester, struct requester_decision *decision,
    enum completion_status status)
{
    decision->failed = requester->queue.done;
    decision->failure = status;
}

struct requester_decision requester_on_nack(struct requester *requester, const struct env *env,
    const struct packet *packet, uint64_t now_ns)
{
    struct requester_decision decision = { .due_ns = UINT64_MAX, .reason = DROP_NONE };
    const struct packet_nack *nack = &packet->nack;
    enum loss_rule rule = rule_of(nack->reason);

    if (!send_window_remembers(&requester->window, nack->nack_psn)) {
        decision.reason = DROP_FEEDBACK_RANGE;
        return decision;
    }
    env_count(env, COUNTER_NACK_RECEIVED);
    if (!packet_nack_reason_name(nack->reason))
        env_count(env, COUNTER_NACK_UNKNOWN_REASON);
    if (nack->reason == NACK_UNEXP_EVENT) {
        if (send_window_holds(&requester->window, nack->nack_psn))
            fail_request(requester, &decision, COMPLETION_REMOTE_OPERATION);
        return decision;
    }
    heed_path(requester, env, nack, rule, now_ns);
    if (!is_news(requester, nack, now_ns))
        return decision;
    if ((rule == LOSS_BY_NACK || env->nic->parameters->trim_counts_as_retry) &&
        count_retry(requester, env, now_ns)) {
        fail_request(requester, &decision, COMPLETION_RETRY_EXCEEDED);
        return decision;
    }
    lose_packet(requester, env, nack->nack_psn, rule, now_ns);
    if (rule == LOSS_BY_NACK) {
        send_window_set_flags(&requester->window, nack->nack_psn, SEND_HELD);
        hold_back(requester, env, &decision, now_ns);
    }
    requester_arm_tail(requester, env, now_ns);
    decision.due_ns = deadlines_sooner_ns(decision.due_ns, requester_timer_ns(requester));
    env_trace(
        env, EVENT_NACK, now_ns, nack->nack_psn.value, nack->reason, env->peer->cc.window_bytes);
    return decision;
}
