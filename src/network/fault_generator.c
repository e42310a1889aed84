/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential intervals from comparisons of random integers: no logarithm, so every machine draws
 * the same. */
#include "network/fault_generator.h"

#include <assert.h>

#define FAULT_GENERATOR_ENTITY UINT64_C(0x6661756c74)

uint32_t fault_generator_components(
    const struct topology *topology, enum topology_component component)
{
    const struct topology_config *config = &topology->config;

    if (topology->graph && component == TOPOLOGY_PLANE)
        return topology->graph->plane_count;
    switch (component) {
    case TOPOLOGY_NIC:
        return topology->nic_count;
    case TOPOLOGY_HOST_LINK:
        return topology->nic_count * config->plane_count;
    case TOPOLOGY_PLANE:
        return config->plane_count;
    case TOPOLOGY_T0:
        return config->plane_count * config->t0_count;
    case TOPOLOGY_T1:
        return config->plane_count * config->t1_count;
    case TOPOLOGY_UPLINK:
        return config->plane_count * config->t0_count * config->t1_count;
    case TOPOLOGY_SWITCH:
        return topology->graph ? topology->switch_count : 0;
    case TOPOLOGY_LINK:
        return topology->graph ? topology->graph->link_count : 0;
    case TOPOLOGY_GROUP:
        return topology->group_count;
    case TOPOLOGY_COMPONENT_COUNT:
        break;
    }
    assert(component < TOPOLOGY_COMPONENT_COUNT);
    return 0;
}

/* Links of NICs are among them. */
static struct topology_element link_with(const struct topology *topology, uint32_t number)
{
    struct graph_end end = topology->graph->links[number].ends[0];
    bool is_nic = topology->graph->nodes[end.node].is_nic;
    struct topology_element link = { 0 };
    struct topology_link_kind kind;

    topology_link_at(topology,
        (struct topology_end){ .is_nic = is_nic,
            .node = is_nic ? end.node : end.node - topology->nic_count,
            .port = end.port },
        &link, &kind);
    return link;
}

struct topology_element fault_generator_element(
    const struct topology *topology, enum topology_component component, uint32_t number)
{
    const struct topology_config *config = &topology->config;
    struct topology_element element = { .kind = component };

    switch (component) {
    case TOPOLOGY_NIC:
        element.nic = number;
        break;
    case TOPOLOGY_HOST_LINK:
        element.nic = number / config->plane_count;
        element.plane = number % config->plane_count;
        break;
    case TOPOLOGY_PLANE:
        element.plane = number;
        break;
    case TOPOLOGY_T0:
        element.plane = number / config->t0_count;
        element.t0 = number % config->t0_count;
        break;
    case TOPOLOGY_T1:
        element.plane = number / config->t1_count;
        element.t1 = number % config->t1_count;
        break;
    case TOPOLOGY_UPLINK:
        element.plane = number / (config->t0_count * config->t1_count);
        element.t0 = number / config->t1_count % config->t0_count;
        element.t1 = number % config->t1_count;
        break;
    case TOPOLOGY_SWITCH:
        return topology_switch_at(topology, number);
    case TOPOLOGY_LINK:
        return link_with(topology, number);
    case TOPOLOGY_GROUP:
        element.group = &topology->groups[number];
        break;
    case TOPOLOGY_COMPONENT_COUNT:
        assert(component < TOPOLOGY_COMPONENT_COUNT);
    }
    return element;
}

struct prng fault_generator_stream(uint64_t seed, uint32_t generator, uint32_t component)
{
    struct prng of_generator = prng_stream(seed, FAULT_GENERATOR_ENTITY + generator);

    return prng_stream(of_generator.state, component);
}

/* `share` of 2^32. */
static uint64_t share_of(uint64_t whole, uint32_t share)
{
    return (whole >> 32) * share + ((whole & UINT32_MAX) * share >> 32);
}

/* Draws as long as each number is below the one before. The first number of a run that ends after
 * an odd count, plus one for every even run before it, is exponential with mean 1 (von Neumann
 * 1951). */
uint64_t fault_generator_interval_ps(struct prng *prng, uint64_t mean_ps)
{
    uint64_t whole_ps = 0;

    for (;;) {
        uint32_t first = (uint32_t)(prng_next(prng) >> 32);
        uint32_t last = first;
        bool is_odd = true;

        for (;;) {
            uint32_t next = (uint32_t)(prng_next(prng) >> 32);

            if (next >= last)
                break;
            last = next;
            is_odd = !is_odd;
        }
        if (is_odd) {
            uint64_t rest_ps = share_of(mean_ps, first);

            return rest_ps > FAULT_NEVER_PS - whole_ps ? FAULT_NEVER_PS : whole_ps + rest_ps;
        }
        if (mean_ps > FAULT_NEVER_PS - whole_ps)
            return FAULT_NEVER_PS;
        whole_ps += mean_ps;
    }
}
