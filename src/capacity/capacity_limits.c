/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the most important of the links that limit flows. */
#include <errno.h>
#include <stdlib.h>

#include "capacity/capacity.h"

static bool is_reduced(const struct capacity_limit *limit)
{
    return limit->bps < limit->healthy_bps;
}

static bool matters_more(const struct capacity_limit *limit, const struct capacity_limit *than)
{
    if (is_reduced(limit) != is_reduced(than))
        return is_reduced(limit);
    return limit->flow_count > than->flow_count;
}

static void add_limit(struct capacity_limits *limits, const struct capacity_limit *limit)
{
    uint32_t place = limits->top_count;

    if (place == CAPACITY_LIMITS_MAX && !matters_more(limit, &limits->top[place - 1]))
        return;
    if (place < CAPACITY_LIMITS_MAX)
        limits->top_count++;
    else
        place--;
    for (; place > 0 && matters_more(limit, &limits->top[place - 1]); place--)
        limits->top[place] = limits->top[place - 1];
    limits->top[place] = *limit;
}

/* By link: the number of flows that it limits, and the last of them plus 1. */
struct counts {
    uint32_t *flow_count;
    uint32_t *flow;
};

static void count_flows(struct capacity_limits *limits, const struct capacity_fabric *network,
    const struct capacity_rates *rates, const struct counts *counts)
{
    for (uint32_t flow = rates->flow_count; flow-- > 0;) {
        bool by_uplinks = false;

        limits->cut_off += rates->limit_count[flow] == 0;
        for (uint32_t i = 0; i < rates->limit_count[flow]; i++) {
            uint32_t link = rates->limits[rates->first_limit[flow] + i];

            if (link == CAPACITY_OWN_LIMIT)
                continue;
            counts->flow_count[link]++;
            counts->flow[link] = flow;
            by_uplinks = by_uplinks || network->names[link].link.kind != TOPOLOGY_HOST_LINK;
        }
        limits->by_uplinks += by_uplinks;
    }
}

int capacity_limits_find(struct capacity_limits *limits, const struct capacity_fabric *network,
    const struct capacity_rates *rates)
{
    uint32_t link_count = network->input.link_count;
    struct counts counts = { .flow_count = calloc(link_count + 1, sizeof(uint32_t)),
        .flow = calloc(link_count + 1, sizeof(uint32_t)) };
    bool has_memory = counts.flow_count && counts.flow;

    *limits = (struct capacity_limits){ .flow_count = rates->flow_count };
    if (has_memory)
        count_flows(limits, network, rates, &counts);
    for (uint32_t link = 0; has_memory && link < link_count; link++) {
        if (counts.flow_count[link] == 0)
            continue;
        limits->link_count++;
        add_limit(limits, &(struct capacity_limit){ .name = network->names[link],
                              .bps = network->input.link_bps[link],
                              .healthy_bps = network->names[link].healthy_bps,
                              .flow_count = counts.flow_count[link],
                              .flow = counts.flow[link] });
    }
    free(counts.flow_count);
    free(counts.flow);
    return has_memory ? 0 : -ENOMEM;
}
