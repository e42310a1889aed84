/* SPDX-License-Identifier: Apache-2.0 */
/* Tries switches with 2, 4, 8, ... ports. */
#include "study/size_scale.h"

#include <math.h>

enum { NICS_LIMIT = 512 };

static uint32_t lanes_of_port(const struct size_fabric *fabric)
{
    return fabric->port_lanes > fabric->uplink_lanes ? fabric->port_lanes : fabric->uplink_lanes;
}

static struct size_request request_with(const struct size_fabric *fabric, uint32_t ports)
{
    struct size_request request = fabric->request;

    if (request.kind == SIZE_RAIL_ONLY) {
        request.kind = SIZE_CLOS;
        request.planes = 1;
    }
    request.tiers = fabric->tier_count;
    request.hosts_per_leaf = 0;
    request.oversubscription = (uint32_t)lround(size_oversubscription(fabric) * SIZE_EVEN);
    request.switch_bps = (uint64_t)ports * lanes_of_port(fabric) * request.lane_bps;
    request.gpus = size_largest(&request, request.tiers);
    return request;
}

/* Returns the NICs that count: a single switch may have many free ports. */
static uint64_t nics_of(const struct size_fabric *fabric)
{
    uint64_t gpus = fabric->request.gpus;

    return fabric->tier_count > 1 ? fabric->places : gpus < 2 ? 2 : gpus;
}

static bool is_small_enough(const struct size_fabric *fabric, struct size_fabric *small)
{
    *small = *fabric;
    small->places = small->request.gpus = nics_of(fabric);
    if (fabric->tier_count == 1)
        small->tiers[0].host_ports = small->tiers[0].units = (uint32_t)small->places;
    return fabric->request.kind != SIZE_RAIL_ONLY && small->places <= SIZE_SCALE_NICS_MAX;
}

double size_scale_factor(const struct size_fabric *full, const struct size_fabric *small)
{
    return fmax((double)nics_of(full) / (double)small->places, 1);
}

bool size_scale_down(const struct size_fabric *fabric, struct size_fabric *small)
{
    uint32_t ports_max = fabric->switch_lanes / lanes_of_port(fabric);
    char reason[SIZE_REASON_BYTES];
    bool is_found = false;

    if (is_small_enough(fabric, small))
        return true;
    for (uint32_t ports = 2; ports <= ports_max; ports *= 2) {
        struct size_request request = request_with(fabric, ports);
        struct size_fabric tried;

        if (request.gpus > (is_found ? SIZE_SCALE_NICS_MAX : NICS_LIMIT))
            break;
        if (request.gpus < 2 || !size_solve(&request, &tried, reason))
            continue;
        *small = tried;
        is_found = true;
    }
    return is_found;
}
