/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs ports by the lengths of their shortest paths. */
#include "sim/ways.h"

/* Returns the cable of a NIC's port; NULL: there is none. */
static const struct link *cable_of(const struct sim *sim, uint32_t nic, uint32_t port)
{
    const struct link *link = &sim->links[sim->nics[nic].first_port + port];

    return link->has_cable ? link : NULL;
}

static uint8_t distance(const struct sim *sim, const struct link *from, const struct link *to)
{
    if (!from || !to)
        return ECMP_UNREACHED;
    return ecmp_distance(
        sim->ecmp, from->peer_node - sim->nic_count, to->peer_node - sim->nic_count);
}

uint32_t ways_find(
    const struct sim *sim, uint32_t from, uint32_t to, struct way ways[static TOPOLOGY_PLANES_MAX])
{
    uint32_t planes = sim->plane_count;
    uint32_t count = 0;

    for (uint32_t p = 0; p < planes; p++) {
        uint8_t nearest = ECMP_UNREACHED;

        for (uint32_t i = 0; i < planes; i++) {
            uint32_t q = (p + i) % planes;
            uint8_t links = distance(sim, cable_of(sim, from, p), cable_of(sim, to, q));

            if (links < nearest) {
                nearest = links;
                ways[count] = (struct way){ .from_port = p, .to_port = q };
            }
        }
        count += nearest != ECMP_UNREACHED;
    }
    return count;
}

struct ecmp_label ways_label(
    const struct sim *sim, uint32_t from, uint32_t to, uint32_t to_port, uint16_t source_port)
{
    const struct link *last = cable_of(sim, to, to_port);

    return (struct ecmp_label){ .flow = ecmp_flow(from, to, source_port),
        .at = last->peer_node - sim->nic_count,
        .port = last->peer_port };
}
