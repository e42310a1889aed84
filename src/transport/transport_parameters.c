/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a NIC, and what paths and congestion control derive from them. */
#include "transport/nic.h"

static void derive_path_config(struct transport *nic)
{
    const struct parameters *parameters = nic->env.parameters;
    const struct path_policy *policy = path_policies[parameters->ev_policy];
    enum path_ev_skip ev_skip = (enum path_ev_skip)parameters->ev_skip;

    if (policy->on_trouble)
        ev_skip = PATH_SKIP_POLICY;
    nic->path_config = (struct path_config){ .policy = policy,
        .on_change = qp_on_ev_change,
        .loss_to_bad = (enum path_loss_to_bad)parameters->loss_to_bad,
        .ev_skip = ev_skip,
        .flowlet_gap_ns = (uint32_t)parameters->flowlet_gap,
        .ev_weights = (enum path_ev_weights)parameters->ev_weights,
        .probe_successes = (uint8_t)parameters->ev_probe_successes,
        .probe_successes_max = (uint8_t)parameters->ev_probe_successes_max };
}

void transport_set_parameters(struct transport *nic, const struct parameters *parameters)
{
    if (nic->own_parameters)
        *nic->own_parameters = *parameters;
    nic->env.parameters = nic->own_parameters ? nic->own_parameters : parameters;
    derive_path_config(nic);
    receive_share_update(nic);
}

const struct parameters *transport_parameters(const struct transport *nic)
{
    return nic->env.parameters;
}

void transport_cc_settings(
    const struct parameters *parameters, uint32_t port_count, struct cc_settings *settings)
{
    bool fair = parameters->nscc_unmarked_delay == NSCC_UNMARKED_DELAY_AUTO
                    ? parameters->last_hop_ecn == LAST_HOP_ECN_ON
                    : parameters->nscc_unmarked_delay == NSCC_UNMARKED_DELAY_FAIR;
    uint32_t mtu_bytes = (uint32_t)parameters->pmtu + (parameters->stamp ? 88 : 84);
    uint64_t slowest_bps =
        parameters->slowest_bps ? parameters->slowest_bps : parameters->link_bps / port_count;

    *settings =
        (struct cc_settings){ .algorithm = cc_algorithms[parameters->congestion_control]->name,
            .link_bps = parameters->link_bps,
            .share_bps = parameters->share_bps,
            .base_rtt_ns = (uint32_t)parameters->base_rtt,
            .mtu_bytes = mtu_bytes,
            .packet_ns = (uint32_t)(mtu_bytes * UINT64_C(8000000000) / slowest_bps),
            .network_trims = parameters->network_trims,
            .unmarked_delay = fair ? CC_UNMARKED_FAIR : CC_UNMARKED_DECREASE,
            .base_rtt_floor_ns = (uint32_t)parameters->base_rtt_floor,
            .target_floor_ns = (uint32_t)parameters->target_delay_floor,
            .about_zero_ns = (uint32_t)parameters->about_zero_delay,
            .target_delay_ns = (uint32_t)parameters->target_delay,
            .max_window_bytes = (uint32_t)parameters->max_cwnd };
}
