/* SPDX-License-Identifier: Apache-2.0 */
/* Which data packets ask for a SACK (docs/protocol.md §3). */
#pragma once

#include "transport/requester.h"

/* The window closes with this packet, or with the next full one. */
bool requester_ask_before_closing(const struct requester *, const struct env *, struct psn);

/* `bytes`: nominal size of the packet, which is sent for the first time. A window is small for the
 * sake of the peer's threshold of SACKs, which is taken to be ours. */
static inline bool requester_ask_is_due(
    const struct requester *requester, const struct env *env, struct psn psn, uint32_t bytes)
{
    const struct peer *peer = env->peer;
    uint32_t window_bytes = peer->cc.window_bytes;

    if (window_bytes >= env->sack_threshold_bytes &&
        window_bytes >= peer->inflight_bytes + bytes + requester->full_bytes)
        return false;
    return requester_ask_before_closing(requester, env, psn);
}

/* Rule 6, for a packet that ends a message. */
static inline bool requester_ask_is_due_at_end(
    const struct requester *requester, const struct env *env, const struct send_request *request)
{
    return env->signal_all || request->work.flags & (WORK_SIGNALED | WORK_WITH_IMMEDIATE) ||
           requester->queue.cutting == requester->queue.posted;
}
