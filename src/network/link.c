/* SPDX-License-Identifier: Apache-2.0 */
/* The delay of a link, and the passage of a packet over a link with faults. */
#include "network/link.h"

struct link link_of_port(
    const struct topology *topology, struct topology_end from, struct topology_link_kind *kind)
{
    const struct topology_config *config = &topology->config;
    struct topology_element element;
    struct topology_end to = { 0 };
    bool has_cable =
        topology_peer(topology, from, &to) && topology_link_at(topology, from, &element, kind);

    return (
        struct link){ .delay_ps = kind->delay_ps + (from.is_nic ? config->nic_latency_ps : 0) +
                                  (to.is_nic ? config->nic_latency_ps : config->switch_latency_ps),
        .peer_node = to.is_nic ? to.node : topology->nic_count + to.node,
        .peer_port = (uint16_t)to.port,
        .has_cable = has_cable,
        .is_special = !has_cable };
}

struct link_passage link_carry(const struct link *link, const struct fault_link *fault,
    const struct fault_hold *holds, const struct link_packet *packet)
{
    enum fault_verdict verdict = fault_link_is_healthy(fault)
                                     ? FAULT_VERDICT_PASSES
                                     : fault_link_decide(fault, holds, packet->ev, packet->coin);

    return link_passage(link, packet->end_ps, verdict);
}
