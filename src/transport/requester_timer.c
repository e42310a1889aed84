/* SPDX-License-Identifier: Apache-2.0 */
/* The timers of the requester: tail probes, probes without an answer, timeouts (docs/protocol.md
 * §10, §13, §16.1). */
#include "transport/loss.h"
#include "transport/retry.h"

enum {
    TIMEOUT_ROUND_TRIPS = 8, /* measured round trips in a timeout, at least */
    TIMEOUT_LONGER = 4,      /* largest factor by which round trips lengthen it */
};

static struct retry_schedule schedule_of(const struct env *env)
{
    return (struct retry_schedule){ .timeout = env->attributes.timeout,
        .linear = env->attributes.retry_linear,
        .exponential = env->attributes.retry_exponential };
}

/* Returns a lower bound of the timeout while round trips are long, because tail probes then take
 * longer. It is limited, so that one long round trip does not delay the timeout forever. */
static uint64_t while_trips_are_long_ns(uint32_t trip_ns, uint64_t interval_ns)
{
    uint64_t trips_ns = (uint64_t)TIMEOUT_ROUND_TRIPS * trip_ns;

    return trips_ns < TIMEOUT_LONGER * interval_ns ? trips_ns : TIMEOUT_LONGER * interval_ns;
}

uint64_t requester_interval_ns(const struct requester *requester, const struct env *env)
{
    uint64_t interval_ns = retry_interval_ns(schedule_of(env), requester->timeouts);
    uint64_t queued_ns = while_trips_are_long_ns(requester->smoothed_rtt_ns, interval_ns);

    interval_ns =
        parameters_longer_ns(interval_ns, PARAMETER_TENTHS_timeout, env->peer->cc.base_rtt_ns);
    return interval_ns > queued_ns ? interval_ns : queued_ns;
}

/* True if the QP waits for feedback about a packet or for a Transport ACK. A QP that only waits for
 * its turn to send does not. */
static bool awaits_feedback(const struct requester *requester)
{
    return send_window_count(&requester->window) > 0 ||
           send_queue_unacknowledged(&requester->queue) > 0;
}

/* True if any work is pending, even if it cannot be sent because no plane is up: it must not wait
 * forever. */
static bool has_work(const struct requester *requester)
{
    return requester->queue.done != requester->queue.posted;
}

void requester_arm_timeout(struct requester *requester, const struct env *env, uint64_t now_ns)
{
    requester->timeout_ns =
        has_work(requester) ? now_ns + requester_interval_ns(requester, env) : UINT64_MAX;
}

static uint64_t at_least(uint64_t value, uint64_t floor_value)
{
    return value > floor_value ? value : floor_value;
}

static uint64_t less(uint64_t from_ns, uint64_t ns)
{
    return from_ns > ns ? from_ns - ns : 0;
}

/* With long round trips, a shorter time without feedback proves nothing. */
static uint64_t answer_ns(const struct requester *requester)
{
    return (uint64_t)requester->smoothed_rtt_ns * 3 / 2;
}

void requester_arm_tail(struct requester *requester, const struct env *env, uint64_t now_ns)
{
    bool more_to_send =
        send_queue_can_cut(&requester->queue, UINT32_MAX) || requester->window.lost_count > 0;
    uint64_t delay_ns = more_to_send
                            ? env->nic->parameters->tail_busy * env->peer->cc.base_rtt_ns
                            : (uint64_t)env->peer->cc.base_rtt_ns + env->peer->cc.target_delay_ns;

    delay_ns = at_least(delay_ns, answer_ns(requester));
    requester->tail_ns = awaits_feedback(requester)
                             ? now_ns + at_least(delay_ns, env->nic->parameters->tail_floor)
                             : UINT64_MAX;
}

/* True if all packets of the oldest message are acknowledged, but its Transport ACK is missing. */
static bool lacks_only_its_ack(const struct requester *requester)
{
    const struct send_queue *queue = &requester->queue;

    return send_queue_unacknowledged(queue) > 0 &&
           psn_before(
               send_queue_last_psn(send_queue_at(queue, queue->done)), requester->window.oldest);
}

bool requester_is_cut_off(const struct requester *requester, const struct env *env)
{
    return requester->tail_rounds > 1 || path_usable_planes(env->paths, env_planes(env)) == 0;
}

/* True if nothing is in flight that a probe could ask about: lost packets wait to be sent again. A
 * probe would take their turn repeatedly. */
static bool waits_for_turn(const struct requester *requester, const struct env *env)
{
    return requester->window.inflight_bytes == 0 && !lacks_only_its_ack(requester) &&
           path_usable_planes(env->paths, env_planes(env)) != 0;
}

/* Returns the time after which a tail probe is repeated. The next answer should arrive before the
 * timeout. */
static uint64_t tail_retry_ns(
    const struct requester *requester, const struct env *env, uint64_t now_ns)
{
    const struct parameters *parameters = env->nic->parameters;
    uint64_t least_ns = at_least(parameters->tail_floor, answer_ns(requester));
    uint64_t usual_ns = at_least(parameters->tail_retry * env->peer->cc.base_rtt_ns,
        4 * (uint64_t)requester->smoothed_rtt_ns);
    uint64_t latest_ns = less(requester->timeout_ns, now_ns + answer_ns(requester));

    return at_least(least_ns, usual_ns < latest_ns ? usual_ns : latest_ns);
}

static void on_tail_silent(struct requester *requester, const struct env *env, uint64_t now_ns)
{
    requester->tail_ns = now_ns + tail_retry_ns(requester, env, now_ns);
    if (waits_for_turn(requester, env))
        return;
    if (lacks_only_its_ack(requester))
        requester->resend_last = true;
    if (requester->tail_rounds < UINT8_MAX)
        requester->tail_rounds++;
    if (requester_is_cut_off(requester, env))
        requester->probe_planes = (uint16_t)env_planes(env);
    else if (requester->window.inflight_bytes > 0)
        requester->probe_once = true;
}

/* Returns the age of the oldest transmission in flight. */
static uint64_t longest_flight_ns(const struct send_window *window, uint64_t now_ns)
{
    struct psn psn = send_window_next_in_flight(window, window->oldest);
    uint32_t longest_ns = 0;

    for (; !psn_equal(psn, window->next);
         psn = send_window_next_in_flight(window, psn_add(psn, 1))) {
        uint32_t age_ns = send_window_age_ns(send_window_record(window, psn).ticks, now_ns);

        longest_ns = age_ns > longest_ns ? age_ns : longest_ns;
    }
    return longest_ns;
}

/* Returns the time until packets have been in flight for the interval without news. In a large
 * incast, the headers of trimmed packets queue, and each one that arrives shows that others will
 * follow: the interval begins again. What is sent after the first window waits behind the headers
 * of all senders, so the interval also lasts some round trips of the trimmed packet. */
static uint64_t left_in_flight_ns(
    const struct requester *requester, const struct env *env, uint64_t interval_ns, uint64_t now_ns)
{
    uint64_t flight_ns = longest_flight_ns(&requester->window, now_ns);
    uint64_t trimmed_ns = now_ns - env->peer->trimmed_ns;
    uint64_t most_ns = less(TIMEOUT_LONGER * interval_ns, flight_ns);
    uint64_t left_ns;

    if (trimmed_ns + SEND_WINDOW_TICK_NS >= flight_ns) /* sent after the report */
        return less(interval_ns, flight_ns);
    left_ns = less(
        at_least(interval_ns, while_trips_are_long_ns(env->peer->trimmed_trip_ns, interval_ns)),
        trimmed_ns);
    return left_ns < most_ns ? left_ns : most_ns;
}

/* Returns the time until packets have been in flight for the interval. 0: some have, nothing can be
 * sent, or the interval is longer than the range of recorded send times; the timer then runs since
 * the oldest packet was sent. Packets that wait to be sent again, for the window or for their turn,
 * do not wait for an answer. */
static uint64_t left_to_wait_ns(
    const struct requester *requester, const struct env *env, uint64_t interval_ns, uint64_t now_ns)
{
    bool lacks_ack = send_window_count(&requester->window) == 0 &&
                     send_queue_unacknowledged(&requester->queue) > 0;

    if (lacks_ack || path_usable_planes(env->paths, env_planes(env)) == 0)
        return 0;
    if (requester->window.inflight_bytes == 0)
        return interval_ns;
    if (interval_ns >= SEND_WINDOW_AGE_MAX_NS)
        return 0;
    return left_in_flight_ns(requester, env, interval_ns, now_ns);
}

static void on_timeout(struct requester *requester, const struct env *env,
    struct requester_decision *decision, uint64_t now_ns)
{
    uint64_t interval_ns = requester_interval_ns(requester, env);
    uint64_t left_ns = left_to_wait_ns(requester, env, interval_ns, now_ns);

    if (left_ns > 0) {
        requester->timeout_ns = now_ns + left_ns;
        return;
    }
    env_count(env, COUNTER_TIMEOUT_FIRED);
    env_trace(env, EVENT_TIMEOUT, now_ns, requester->window.oldest.value, requester->timeouts,
        interval_ns);
    if (retry_is_exhausted(schedule_of(env), requester->timeouts)) {
        decision->failed = requester->queue.done;
        decision->failure = COMPLETION_RETRY_EXCEEDED;
        return;
    }
    requester->timeouts++;
    if (send_window_count(&requester->window) > 0)
        loss_infer_by_timeout(requester, env, interval_ns, now_ns);
    else if (send_queue_unacknowledged(&requester->queue) > 0)
        requester->resend_last = true;
    decision->tells_ports = env_planes(env) == 0;
    requester_arm_timeout(requester, env, now_ns);
}

uint64_t requester_deadline_ns(const struct requester *requester, uint64_t now_ns)
{
    uint64_t deadline_ns = requester_timer_ns(requester);

    if (requester->hold_until_ns && requester->window.lost_count)
        deadline_ns = deadlines_sooner_ns(deadline_ns, requester->hold_until_ns);
    if (requester->desperate_ns)
        deadline_ns = deadlines_sooner_ns(deadline_ns, requester->desperate_ns);
    /* A probe that is due waits for its turn to send, not for a time. */
    if (requester->ev_probe_ns > now_ns)
        deadline_ns = deadlines_sooner_ns(deadline_ns, requester->ev_probe_ns);
    return deadline_ns;
}

/* requester_deadline_ns() returns the timers that keep running. */
struct requester_decision requester_expire(
    struct requester *requester, const struct env *env, uint64_t now_ns)
{
    struct requester_decision decision = { .due_ns = UINT64_MAX };

    if (now_ns >= requester->hold_until_ns)
        requester->hold_until_ns = 0;
    if (now_ns >= requester->desperate_ns)
        requester->desperate_ns = 0;
    if (now_ns >= requester->loss_check_ns)
        loss_on_time(requester, env, now_ns);
    if (now_ns >= requester->tail_ns)
        on_tail_silent(requester, env, now_ns);
    if (now_ns >= requester->timeout_ns)
        on_timeout(requester, env, &decision, now_ns);
    return decision;
}

void requester_ev_probes_changed(struct requester *requester, const struct env *env)
{
    requester->ev_probe_ns = path_probe_deadline_ns(env->paths);
}
