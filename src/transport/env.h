/* SPDX-License-Identifier: Apache-2.0 */
/* What requester and responder may use of their QP and NIC. They read the members and use the
 * objects that these point at. They return effects on the NIC (timers, turns, answers, failure) as
 * decisions. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "base/trace.h"
#include "transport/counters.h"
#include "transport/events.h"
#include "transport/parameters.h"
#include "transport/peer.h"
#include "transport/transport.h"

/* The part that all QPs of a NIC share. */
struct env_nic {
    const struct parameters *parameters; /* owned by the NIC or by the caller */
    uint64_t *counters;                  /* [COUNTER_COUNT] */
    const struct trace_sink *trace;      /* NULL: no trace */
    uint32_t usable_mask;                /* ports that may carry traffic */
    uint32_t draining_mask;              /* ports that peers are asked to avoid */
    uint32_t port_count;
    uint32_t destination_count; /* peers with QPs that can send */
    uint8_t nak_write_imm_limit;
    uint8_t penalty;     /* rcv_cwnd_pen of the whole NIC */
    uint8_t share_round; /* the last one that was judged (receive_share.h) */
    struct ipv6_addr address;
    struct transport_memory memory;
    struct rate *ev_probes; /* rate limit of all QPs together */
};

struct env {
    const struct env_nic *nic;
    struct peer *peer; /* set from RTR on */
    const struct path_profile *profile;
    struct path_set *paths; /* own, or of another QP to the peer; NULL: no requester */
    void *owner;            /* of qp_init */
    uint32_t qpn;
    uint32_t index;                /* in the NIC */
    uint32_t sack_threshold_bytes; /* unreported bytes that make a SACK due */
    struct qp_attributes attributes;
    bool signal_all;
    uint8_t turn_packets; /* new packets in a turn, if QPs share the window of the peer */
};

static inline uint32_t env_ev(const struct env *env, uint32_t ev_index)
{
    return env->profile->entries[ev_index].ev;
}

static inline uint32_t env_plane_of_ev(const struct env *env, uint32_t ev_index)
{
    return env->profile->entries[ev_index].plane;
}

/* True if paths start with the shares of the EV profile. */
static inline bool env_is_weighted(const struct env *env)
{
    return env->profile->is_weighted && env->nic->parameters->ev_weights == EV_WEIGHTS_PLAN;
}

/* Planes that are usable toward the peer: the local port is usable and the port of the peer is
 * up. */
static inline uint32_t env_planes(const struct env *env)
{
    return env->nic->usable_mask & env->peer->ports;
}

/* True if the sender follows UET's rules for the congestion window literally (§3.6, §19.3). Only
 * algorithms that depend on these rules need it. */
static inline bool env_follows_uet(const struct env *env)
{
    return env->nic->parameters->congestion_control != CONGESTION_CONTROL_FAIR;
}

static inline void env_count(const struct env *env, enum counter counter)
{
    env->nic->counters[counter]++;
}

static inline void env_add(const struct env *env, enum counter counter, uint64_t count)
{
    env->nic->counters[counter] += count;
}

static inline void env_trace(
    const struct env *env, enum event kind, uint64_t now_ns, uint64_t a, uint64_t b, uint64_t c)
{
    if (env->nic->trace)
        trace_emit(env->nic->trace,
            &(struct trace_event){
                .time_ns = now_ns, .kind = kind, .subject = env->qpn, .values = { a, b, c } });
}
