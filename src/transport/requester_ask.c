/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which of the last packets of a window carry AckReq (docs/protocol.md §3). */
#include "transport/requester_ask.h"

#include "transport/loss.h"

enum { DOUBTFUL_BYTES = 4096 };

/* The peer must send a SACK before the window closes. A closed window opens by a few packets at a
 * time, each of which closes it again. If all of these carried AckReq, nearly every packet would be
 * answered. One in a quarter of the window is enough, unless losses are in doubt: the answer to a
 * packet is the best evidence that it is not lost. Even then, SACKs for small packets would take
 * much of the way back. */
bool requester_ask_before_closing(
    const struct requester *requester, const struct env *env, struct psn psn)
{
    uint32_t window_bytes = env->peer->cc.window_bytes;
    bool is_small = window_bytes < env->sack_threshold_bytes;
    uint32_t unasked = (uint16_t)(psn.value - requester->asked_psn);
    uint64_t unasked_bytes = (uint64_t)unasked * requester->full_bytes;

    return (is_small && env_follows_uet(env)) ||
           unasked_bytes >= window_bytes / (is_small ? 2 : 4) ||
           (unasked_bytes >= DOUBTFUL_BYTES && loss_is_in_doubt(requester, env));
}
