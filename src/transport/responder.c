/* SPDX-License-Identifier: Apache-2.0 */
/* The responder: its start, and its answers to probes (docs/protocol.md §4, §16). */
#include "transport/responder.h"

#include <assert.h>

#include "transport/responder_answer.h"

enum {
    MPR_UNIT_PSNS = 128,
    PROBES_AT_ONCE = 32, /* covers all EVs that a QP probes at a time, and all planes */
};

void responder_init(struct responder *responder, struct arena *arena, uint32_t recv_depth,
    uint32_t psn_count, uint32_t imm_max)
{
    recv_window_init(responder ? &responder->window : NULL, arena, psn_count);
    recv_queue_init(responder ? &responder->queue : NULL, arena, recv_depth, imm_max);
}

void responder_start(struct responder *responder, const struct env *env, uint64_t now_ns)
{
    struct recv_window window = responder->window;
    struct recv_queue queue = responder->queue;

    recv_window_start(&window, env->attributes.rq_psn);
    recv_queue_start(&queue);
    *responder = (struct responder){ .window = window,
        .queue = queue,
        .tracker = window.cack,
        .idle_ns = (uint32_t)PARAMETERS_TIMER_NS(
            env->nic->parameters, sack_idle_flush, env->peer->cc.base_rtt_ns),
        .last_arrival_ns = now_ns };
}

uint32_t responder_full_range_psns(const struct responder *responder, const struct env *env)
{
    uint32_t range_psns = (uint32_t)env->attributes.mpr_dest * MPR_UNIT_PSNS;

    return range_psns < responder->window.psn_count ? range_psns : responder->window.psn_count;
}

struct responder_decision responder_on_probe(struct responder *responder, const struct env *env,
    const struct packet *packet, uint64_t now_ns)
{
    struct responder_decision decision = { .due_ns = UINT64_MAX, .reason = DROP_RATE_LIMIT };

    if (!rate_allows(&responder->probe_answers, env->nic->parameters->probe_answer_gap,
            PROBES_AT_ONCE, now_ns))
        return decision;
    responder->unreported_bytes = 0;
    decision.effects = RESPONDER_OWES_PROBE_ANSWER;
    decision.code = responder_answer_mark(env, packet);
    decision.reason = DROP_NONE;
    return decision;
}

void responder_check(const struct responder *responder)
{
    recv_window_check(&responder->window);
    assert(responder->queue.posted - responder->queue.reported <= responder->queue.depth);
    assert(responder->queue.done - responder->queue.reported <=
           responder->queue.posted - responder->queue.reported);
}
