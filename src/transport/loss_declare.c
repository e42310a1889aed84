/* SPDX-License-Identifier: Apache-2.0 */
/* The consequences of a loss: the packet is sent again, and the loss counts against its path or as
 * congestion. */
#include "transport/loss.h"

enum { TRIMMED_RTTS = 4 };

static uint32_t nominal_bytes_of(
    const struct requester *requester, const struct env *env, struct psn psn, uint8_t flags)
{
    return flags & SEND_ODD_SIZE ? requester_nominal_bytes(requester, env, psn)
                                 : requester->full_bytes;
}

static bool blames_path(enum loss_rule rule)
{
    return rule <= LOSS_BY_TIMEOUT;
}

/* True if the way back may have failed: probes on other EVs were not answered either, which lost
 * data packets do not explain. */
static bool may_be_the_way_back(const struct requester *requester)
{
    return requester->tail_rounds > 1;
}

/* True if the loss may come from a full queue. With trimming, a queue that trims may also drop
 * headers; without, queues are long before they overflow. */
static bool may_be_congestion(
    const struct requester *requester, const struct env *env, uint64_t now_ns)
{
    const struct peer *peer = env->peer;

    if (env->nic->parameters->network_trims)
        return peer->trimmed_ns != 0 &&
               now_ns < peer->trimmed_ns + TRIMMED_RTTS * (uint64_t)peer->cc.base_rtt_ns;
    return requester_rtt_ns(requester, env) > peer->cc.base_rtt_ns + peer->cc.target_delay_ns / 2;
}

/* True if late packets to this destination were recently declared lost. */
static bool was_spurious(const struct requester *requester, const struct env *env, uint64_t now_ns)
{
    uint64_t within_ns = (uint64_t)LOSS_RELAX_ROUND_TRIPS * requester_rtt_ns(requester, env);

    return loss_was_spurious(requester, env) || peer_was_spurious(env->peer, within_ns, now_ns);
}

/* Counts the loss against its path. True if it made the EV bad; this does not happen while late
 * packets are declared lost. */
static bool blame_path(struct requester *requester, const struct env *env,
    const struct send_record *record, enum loss_rule rule, uint64_t now_ns)
{
    uint64_t sent_ns = now_ns - send_window_age_ns(record->ticks, now_ns);
    bool is_spared =
        may_be_congestion(requester, env, now_ns) || was_spurious(requester, env, now_ns);

    if ((rule == LOSS_BY_TIMEOUT && may_be_the_way_back(requester)) ||
        sent_ns < requester->paths_since_ns)
        return false;
    return path_on_loss(env->paths, record->ev_index, is_spared, sent_ns, now_ns);
}

void loss_declare(struct requester *requester, const struct env *env, struct psn psn,
    enum loss_rule rule, uint64_t now_ns)
{
    static const uint8_t counters[LOSS_RULE_COUNT] = {
        [LOSS_BY_TIME] = COUNTER_RETRANSMIT_TIME,
        [LOSS_BY_COUNT] = COUNTER_RETRANSMIT_COUNT,
        [LOSS_BY_PROBE] = COUNTER_RETRANSMIT_PROBE,
        [LOSS_BY_TIMEOUT] = COUNTER_RETRANSMIT_TIMEOUT,
        [LOSS_BY_PORT] = COUNTER_RETRANSMIT_PORT_DOWN,
        [LOSS_BY_TRIM] = COUNTER_RETRANSMIT_TRIMMED,
        [LOSS_BY_TRIM_LASTHOP] = COUNTER_RETRANSMIT_TRIMMED_LASTHOP,
        [LOSS_BY_NACK] = COUNTER_RETRANSMIT_NACK,
    };
    struct send_window *window = &requester->window;
    struct send_record record = send_window_record(window, psn);
    uint32_t bytes = nominal_bytes_of(requester, env, psn, record.flags);

    send_window_lose(window, psn, bytes);
    peer_on_gone(env->peer, env_plane_of_ev(env, record.ev_index), bytes);
    env_count(env, (enum counter)counters[rule]);
    env_trace(env, EVENT_LOSS, now_ns, psn.value, env_ev(env, record.ev_index), rule);
    if (!blames_path(rule) || !(env_planes(env) >> env_plane_of_ev(env, record.ev_index) & 1))
        return; /* a path whose plane is known to be down is not judged */
    if (may_be_congestion(requester, env, now_ns) ||
        env->nic->parameters->loss_to_bad == LOSS_TO_BAD_LITERAL)
        cc_on_inferred_loss(&env->peer->cc, bytes, now_ns);
    else
        loss_on_real(requester, env, now_ns);
    if (blame_path(requester, env, &record, rule, now_ns))
        send_window_set_flags(window, psn, SEND_DEMOTED);
}
