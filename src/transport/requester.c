/* SPDX-License-Identifier: Apache-2.0 */
/* The requester: its start, and whether it has something to send. */
#include "transport/requester.h"

#include <assert.h>

#include "transport/loss.h"

enum {
    HEADERS_WITH_STAMP_BYTES = 40 + 8 + 12 + 4 + 4 + 16 + 4, /* nominal size less payload */
    STAMP_BYTES = 4,
    NEVER_ASKED = 1 << 15, /* a distance in PSNs above a quarter of any window */
};

/* One base RTT, or the target delay where it is longer: queues differ by that much. */
uint32_t requester_reorder_ns(const struct env *env)
{
    const struct cc *cc = &env->peer->cc;
    uint64_t least_ns = PARAMETERS_TIMER_NS(env->nic->parameters, reo_wnd, cc->base_rtt_ns);

    return (uint32_t)(least_ns > cc->target_delay_ns ? least_ns : cc->target_delay_ns);
}

void requester_init(
    struct requester *requester, struct arena *arena, uint32_t depth, uint32_t psn_count)
{
    send_window_init(requester ? &requester->window : NULL, arena, psn_count);
    send_queue_init(requester ? &requester->queue : NULL, arena, depth);
}

uint32_t requester_nominal_bytes(
    const struct requester *requester, const struct env *env, struct psn psn)
{
    const struct send_queue *queue = &requester->queue;
    const struct send_request *request = send_queue_find(queue, psn);
    uint32_t packet_index;
    uint32_t length;

    assert(request);
    packet_index = (uint32_t)psn_distance(request->first_psn, psn);
    if (packet_index + 1 < request->packet_count)
        return requester->full_bytes;
    length = request->work.length_bytes - packet_index * env->attributes.pmtu_bytes;
    return requester->full_bytes - env->attributes.pmtu_bytes + ((length + 3) & ~3u) +
           (request->work.flags & WORK_WITH_IMMEDIATE ? 4 : 0);
}

/* The PSNs in flight that the attributes and the memory of the QP allow. */
static uint32_t own_range_psns(const struct requester *requester, const struct env *env)
{
    uint32_t range_psns = (uint32_t)env->attributes.mpr * 128;
    uint32_t slots_psns = requester->window.psn_count;

    return range_psns < slots_psns ? range_psns : slots_psns;
}

void requester_start(struct requester *requester, const struct env *env)
{
    const struct parameters *parameters = env->nic->parameters;
    struct send_window window = requester->window;
    struct send_queue queue = requester->queue;

    send_window_start(&window, env->attributes.sq_psn);
    send_queue_start(&queue);
    *requester = (struct requester){ .window = window,
        .queue = queue,
        .loss_check_ns = UINT64_MAX,
        .tail_ns = UINT64_MAX,
        .timeout_ns = UINT64_MAX,
        .ev_probe_ns = env->paths ? path_probe_deadline_ns(env->paths) : UINT64_MAX,
        .stamped = parameters->stamp,
        .measure_base = !env->peer->cc.base_is_known,
        .newest_cack = psn_add(env->attributes.sq_psn, -1),
        .highest_acked = psn_add(env->attributes.sq_psn, -1),
        .last_plane = REQUESTER_NO_PLANE,
        .ev_to_probe = REQUESTER_NO_EV,
        .asked_psn = (uint16_t)(env->attributes.sq_psn.value - NEVER_ASKED) };
    requester->full_bytes = env->attributes.pmtu_bytes + HEADERS_WITH_STAMP_BYTES;
    if (!parameters->stamp)
        requester->full_bytes -= STAMP_BYTES;
    requester->mpr_psns = own_range_psns(requester, env);
    requester->reorder_ns = requester_reorder_ns(env);
    requester_base_rtt_changed(env);
    requester_attributes_changed(requester, env);
}

void requester_forget_evs(struct requester *requester, const struct env *env, uint64_t now_ns)
{
    requester->paths_since_ns = now_ns;
    requester->ev_to_probe = REQUESTER_NO_EV;
    requester->ev_probe_ns = path_probe_deadline_ns(env->paths);
}

static uint32_t timer_ns(uint64_t ns)
{
    return (uint32_t)(ns < UINT32_MAX ? ns : UINT32_MAX);
}

static void set_path_timing(const struct env *env)
{
    const struct parameters *parameters = env->nic->parameters;
    uint32_t base_rtt_ns = env->peer->cc.base_rtt_ns;

    path_timing_changed(env->paths,
        &(struct path_timing){ .base_rtt_ns = base_rtt_ns,
            .probe_timeout_ns =
                timer_ns(PARAMETERS_TIMER_NS(parameters, probe_timeout, base_rtt_ns)),
            .probe_first_ns =
                timer_ns(PARAMETERS_TIMER_NS(parameters, ev_probe_first, base_rtt_ns)),
            .probe_longest_ns =
                timer_ns(PARAMETERS_TIMER_NS(parameters, ev_probe_longest, base_rtt_ns)),
            .lossy_longest_ns = timer_ns(parameters->ev_probe_lossy_longest) });
}

void requester_base_rtt_changed(const struct env *env)
{
    if (env_is_weighted(env))
        planes_start_with(&env->peer->planes, env->profile, env->peer->cc.base_rtt_ns);
    if (env->paths)
        set_path_timing(env);
}

void requester_lend(struct requester *requester, const struct env *env, struct arena *arena)
{
    send_window_lend(&requester->window, arena);
    send_queue_lend(&requester->queue, arena);
    requester->measure_base &= !env->peer->cc.base_is_known;
    requester->reorder_ns = requester_reorder_ns(env);
    set_path_timing(env);
}

bool requester_is_idle(const struct requester *requester, uint64_t now_ns)
{
    const struct send_queue *queue = &requester->queue;

    return send_window_count(&requester->window) == 0 && queue->reported == queue->posted &&
           requester->tail_rounds == 0 && !requester_is_asking(requester, now_ns) &&
           requester_deadline_ns(requester, now_ns) == UINT64_MAX;
}

void requester_rtt_known(struct requester *requester, const struct env *env)
{
    requester->measure_base = false;
    requester->reorder_ns = requester_reorder_ns(env);
    requester_base_rtt_changed(env);
}

void requester_attributes_changed(struct requester *requester, const struct env *env)
{
    uint32_t range_psns = own_range_psns(requester, env);

    /* With dynamic MPR, a wider range takes effect when the next SACK announces it. */
    if (range_psns < requester->mpr_psns || !env->attributes.dynamic_mpr)
        requester->mpr_psns = range_psns;
}

/* Returns the oldest lost PSN that is not held back; `next` if there is none. */
static struct psn oldest_to_repair(const struct requester *requester, uint64_t now_ns)
{
    const struct send_window *window = &requester->window;
    struct psn psn = send_window_oldest_lost(window);

    if (now_ns >= requester->hold_until_ns)
        return psn;
    while (!psn_equal(psn, window->next) &&
           (!send_window_is_lost(window, psn) || send_window_record(window, psn).flags & SEND_HELD))
        psn = psn_add(psn, 1);
    return psn;
}

bool requester_may_repair(
    const struct requester *requester, const struct env *env, struct psn *which, uint64_t now_ns)
{
    const struct send_window *window = &requester->window;

    if (window->lost_count == 0)
        return false;
    *which = oldest_to_repair(requester, now_ns);
    if (psn_equal(*which, window->next))
        return false;
    if (env->peer->inflight_bytes == 0)
        return now_ns >= env->peer->pace_ns;
    /* A PSN beyond a window that the peer has narrowed waits. */
    return peer_can_send(env->peer, now_ns) &&
           psn_distance(window->oldest, *which) < (int32_t)requester->mpr_psns;
}

/* True if a plane is up, but no EV on it is usable, and the time to use a bad one has not come. */
static bool waits_for_path(
    const struct requester *requester, const struct env *env, uint64_t now_ns)
{
    uint32_t planes = env_planes(env);

    return path_usable_planes(env->paths, planes) == 0 &&
           (planes == 0 || now_ns < requester->desperate_ns);
}

bool requester_is_urgent(const struct requester *requester, const struct env *env, uint64_t now_ns)
{
    if ((requester->ev_to_probe != REQUESTER_NO_EV || requester->ev_probe_ns <= now_ns) &&
        env_planes(env) != 0)
        return true;
    if (requester->probe_planes & env_planes(env))
        return true; /* on a bad EV if necessary */
    return (requester->probe_once || requester->resend_last) &&
           !waits_for_path(requester, env, now_ns);
}

bool requester_wants_window(
    const struct requester *requester, const struct env *env, uint64_t now_ns)
{
    const struct send_window *window = &requester->window;

    if (window->lost_count > 0 && !psn_equal(oldest_to_repair(requester, now_ns), window->next))
        return !waits_for_path(requester, env, now_ns);
    return requester_wants_to_send_new(requester, env->attributes.max_wimm) &&
           !waits_for_path(requester, env, now_ns);
}

void requester_leave_peer(struct requester *requester, const struct env *env)
{
    const struct send_window *window = &requester->window;
    struct psn psn = send_window_next_in_flight(window, window->oldest);

    for (; !psn_equal(psn, window->next); psn = send_window_next_in_flight(window, psn_add(psn, 1)))
        peer_on_gone(env->peer, env_plane_of_ev(env, send_window_record(window, psn).ev_index),
            requester_nominal_bytes(requester, env, psn));
}

void requester_join_peer(struct requester *requester, const struct env *env)
{
    const struct send_window *window = &requester->window;
    struct psn psn = send_window_next_in_flight(window, window->oldest);

    for (; !psn_equal(psn, window->next); psn = send_window_next_in_flight(window, psn_add(psn, 1)))
        peer_on_sent(env->peer, env_plane_of_ev(env, send_window_record(window, psn).ev_index),
            requester_nominal_bytes(requester, env, psn));
}

void requester_on_port_down(
    struct requester *requester, const struct env *env, uint32_t plane, uint64_t now_ns)
{
    struct send_window *window = &requester->window;
    uint32_t rtt_ns = requester_rtt_ns(requester, env);
    struct psn psn = send_window_next_in_flight(window, window->oldest);

    for (; !psn_equal(psn, window->next);
         psn = send_window_next_in_flight(window, psn_add(psn, 1))) {
        struct send_record record = send_window_record(window, psn);

        if (env_plane_of_ev(env, record.ev_index) == plane &&
            send_window_age_ns(record.ticks, now_ns) <= rtt_ns)
            loss_declare(requester, env, psn, LOSS_BY_PORT, now_ns);
    }
}

struct checked {
    const struct requester *requester;
    const struct env *env;
};

static uint32_t nominal_bytes_of(const void *context, struct psn psn)
{
    const struct checked *checked = context;

    return requester_nominal_bytes(checked->requester, checked->env, psn);
}

void requester_check(const struct requester *requester, const struct env *env)
{
    send_window_check(&requester->window, nominal_bytes_of,
        &(struct checked){ .requester = requester, .env = env });
    assert(requester->window.lost_count <= send_window_count(&requester->window));
    assert(requester->queue.done - requester->queue.reported <= requester->queue.depth);
    assert(requester->queue.posted - requester->queue.reported <= requester->queue.depth);
    assert(requester->queue.done == requester->queue.posted || requester->timeout_ns != UINT64_MAX);
    assert((send_window_count(&requester->window) == 0 &&
               send_queue_unacknowledged(&requester->queue) == 0) ||
           requester->tail_ns != UINT64_MAX);
}
