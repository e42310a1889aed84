/* SPDX-License-Identifier: Apache-2.0 */
/* Transfer times of the paths of a pair. */
#include "plan/plan_length.h"

uint64_t plan_fastest_ps(const struct plan_route *routes, uint32_t route_count)
{
    uint64_t fastest_ps = UINT64_MAX;

    for (uint32_t i = 0; i < route_count; i++)
        if (routes[i].one_way_ps < fastest_ps)
            fastest_ps = routes[i].one_way_ps;
    return fastest_ps;
}

uint64_t plan_mean_ps(
    const struct plan_route *routes, uint32_t route_count, const uint64_t *weights)
{
    uint64_t sum = 0;
    uint64_t all = 0;

    for (uint32_t i = 0; i < route_count; i++) {
        sum += weights[i] * routes[i].one_way_ps;
        all += weights[i];
    }
    return all > 0 ? sum / all : 0;
}

int16_t plan_extra(const struct plan_route *route, uint64_t base_ps)
{
    int64_t extra =
        ((int64_t)route->one_way_ps - (int64_t)base_ps) / (PATH_EXTRA_NS * INT64_C(1000));

    if (extra < INT16_MIN)
        return INT16_MIN;
    return (int16_t)(extra < INT16_MAX ? extra : INT16_MAX);
}
