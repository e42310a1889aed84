/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which data packets carry AckReq (docs/protocol.md §3). */
#pragma once

#include "transport/requester.h"

/* True if the window closes with this packet or with the next full one. */
bool requester_ask_before_closing(const struct requester *, const struct env *, struct psn);

/* True if a packet that is sent for the first time must carry AckReq. `bytes`: its nominal size.
 * Windows that are small compared with the SACK threshold of the peer need it; the threshold is
 * assumed to equal ours. */
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

/* Rule 6: true if a packet that ends a message must carry AckReq. */
static inline bool requester_ask_is_due_at_end(
    const struct requester *requester, const struct env *env, const struct send_request *request)
{
    return env->signal_all || request->work.flags & (WORK_SIGNALED | WORK_WITH_IMMEDIATE) ||
           requester->queue.cutting == requester->queue.posted;
}
