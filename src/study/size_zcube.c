/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest ZCube with room for the NICs: n^k of them, k * n^(k-1) switches, each NIC with a
 * port in every level. Switches of the first and the last level have 2n ports, others 3n. */
#include "study/size_zcube.h"

enum { N_MAX = 256 }; /* of graph_zcube.c */

static uint64_t power(uint64_t n, uint32_t exponent)
{
    return exponent == 0 ? 1 : n * power(n, exponent - 1);
}

/* Returns the largest n whose switches have enough ports. */
static uint32_t largest_n(const struct size_fabric *fabric)
{
    uint32_t k = fabric->request.tiers;
    uint32_t lanes = fabric->port_lanes + fabric->uplink_lanes * (k > 2 ? 2 : 1);
    uint32_t n = fabric->switch_lanes / lanes;

    return n < N_MAX ? n : N_MAX;
}

uint64_t size_zcube_largest(const struct size_fabric *fabric)
{
    uint32_t k = fabric->request.tiers;

    if (k < 2 || k > SIZE_ZCUBE_TIERS_MAX || largest_n(fabric) < 2)
        return 0;
    return power(largest_n(fabric), k);
}

bool size_zcube_solve(struct size_fabric *fabric)
{
    uint32_t k = fabric->request.tiers;
    uint64_t gpus = fabric->request.gpus;
    uint32_t n = 2;

    if (gpus > size_zcube_largest(fabric))
        return false;
    while (power(n, k) < gpus)
        n++;
    fabric->tier_count = k;
    fabric->places = power(n, k);
    for (uint32_t level = 0; level < k; level++)
        fabric->tiers[level] = (struct size_tier){ .switches = power(n, k - 1),
            .host_links = gpus,
            .up_links = level + 1 < k ? power(n, k) : 0,
            .host_ports = n,
            .down_ports = level > 0 ? n : 0,
            .up_ports = level + 1 < k ? n : 0,
            .units = n,
            .parallel = 1 };
    return true;
}
