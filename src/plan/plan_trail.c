/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of trails. */
#include "plan/plan_trail.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "plan/plan.h"
#include "plan/plan_usid.h"

static uint32_t plane_of(const struct plan *plan, uint32_t switch_index)
{
    struct topology_element at = topology_switch_at(&plan->topology, switch_index);

    return topology_place_of(&at).plane;
}

/* Returns the number of the link by which the packet leaves, among parallel ones. */
static uint32_t parallel_of(const struct topology *topology, struct topology_end port)
{
    return graph_parallel(
        topology->graph, (struct graph_end){ topology->nic_count + port.node, port.port });
}

/* Returns the uSID of the switch of a hop. If the previous switch has several links to it, the uSID
 * also tells which of them the packet takes. */
static uint16_t hop_usid(const struct plan *plan, const struct plan_trail *trail, uint32_t hop)
{
    const struct topology *topology = &plan->topology;
    uint32_t here = trail->ports[hop].node;
    struct topology_element at;

    if (topology->graph)
        return plan_graph_usid(&plan->graph, topology->nic_count + here,
            hop == 0 ? 0 : parallel_of(topology, trail->ports[hop - 1]));
    at = topology_switch_at(topology, here);
    return plan_usid(plan, &at);
}

struct ipv6_addr plan_trail_outer(const struct plan *plan, const struct plan_trail *trail)
{
    struct ipv6_addr outer = { { 0 } };
    uint8_t *next = outer.octets + USID_BLOCK_BYTES;
    struct topology_end last;

    assert(trail->switch_count > 0);
    assert(trail->switch_count <= PLAN_TRAIL_SWITCHES_MAX);
    last = trail->ports[trail->switch_count - 1];
    bytes_put_be32(outer.octets, plan_block(plan, plane_of(plan, trail->ports[0].node)));
    for (uint32_t hop = 0; hop < trail->switch_count; hop++, next += USID_BYTES)
        bytes_put_be16(next, hop_usid(plan, trail, hop));
    bytes_put_be16(next,
        plan_usid_of(plan->graph.layout, plane_of(plan, last.node), PLAN_USID_HOST, last.port));
    return outer;
}
