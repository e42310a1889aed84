/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of random requests agree with the graphs that they describe. */
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "spec.h"

enum { WALKED_LINKS = 4000 };

static struct size_request random_request(struct prng *prng)
{
    static const uint64_t gbps[] = { 100, 200, 400, 800, 1600 };
    struct size_request request;

    size_request_init(&request);
    request.kind = (enum size_kind)prng_below(prng, SIZE_KIND_COUNT);
    request.nic_bps = gbps[prng_below(prng, 5)] * UINT64_C(1000000000);
    request.planes = prng_below(prng, 4) ? 1u << prng_below(prng, 5) : 1 + prng_below(prng, 16);
    request.tiers = prng_below(prng, 2) ? 0 : 1 + prng_below(prng, 4);
    request.lane_bps = (1 + prng_below(prng, 2)) * UINT64_C(100000000000);
    request.switch_bps = (1 + prng_below(prng, 1024)) * UINT64_C(100000000000);
    if (prng_below(prng, 2))
        request.switch_bps =
            (2 + prng_below(prng, 30)) * request.nic_bps / request.planes / 1000000 * 1000000;
    request.gpus = 1 + prng_below(prng, 1u << prng_below(prng, 21));
    request.oversubscription = SIZE_EVEN * (1 + prng_below(prng, 3));
    request.rails = 1 + prng_below(prng, 8);
    return request;
}

static void expect_ports(const struct size_fabric *fabric)
{
    for (uint32_t tier = 0; tier < fabric->tier_count; tier++) {
        const struct size_tier *of = &fabric->tiers[tier];
        uint32_t links = of->down_ports + of->up_ports;

        EXPECT_LE(of->host_ports * fabric->port_lanes + links * fabric->uplink_lanes,
            fabric->switch_lanes);
    }
    EXPECT_GE(fabric->places, fabric->request.gpus);
    EXPECT(size_oversubscription(fabric) <=
           fabric->request.oversubscription / (double)SIZE_EVEN + 1e-9);
}

/* Counts what the graph has, link by link. */
static void expect_walk(const struct size_fabric *fabric, const struct graph *graph)
{
    uint64_t to_nics[SIZE_TIERS_MAX] = { 0 };
    uint64_t up[SIZE_TIERS_MAX] = { 0 };
    uint64_t switches[SIZE_TIERS_MAX] = { 0 };

    for (uint32_t i = graph->size.nic_count; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->nodes[i];
        const struct size_tier *of = &fabric->tiers[node->tier];

        switches[node->tier]++;
        EXPECT_EQ(node->port_count, of->host_ports + of->down_ports + of->up_ports);
    }
    for (uint32_t i = 0; i < graph->link_count; i++) {
        const struct graph_node *lower = &graph->nodes[graph->links[i].ends[0].node];
        const struct graph_node *upper = &graph->nodes[graph->links[i].ends[1].node];

        if (lower->is_nic)
            to_nics[upper->tier]++;
        else
            up[lower->tier < upper->tier ? lower->tier : upper->tier]++;
    }
    for (uint32_t tier = 0; tier < fabric->tier_count; tier++) {
        const struct size_tier *of = &fabric->tiers[tier];

        EXPECT_EQ(switches[tier], of->switches * fabric->plane_count);
        EXPECT_EQ(up[tier], of->up_links * fabric->plane_count);
        EXPECT_EQ(to_nics[tier], of->switches * of->host_ports * fabric->plane_count);
    }
}

static void expect_graph(
    const struct size_fabric *fabric, const struct graph_parameters *parameters)
{
    size_t bytes = (size_t)WALKED_LINKS * 512;
    uint8_t *memory = malloc(bytes);
    uint32_t *scratch = malloc(bytes);
    struct graph_problem problem;
    struct graph_size size;
    struct graph graph;
    struct arena arena;

    EXPECT(memory && scratch);
    EXPECT(parameters->shape->size(parameters, &size, &problem));
    arena_init(&arena, memory, bytes);
    graph_init(&graph, &arena, &size);
    parameters->shape->build(&graph, parameters);
    EXPECT(graph_finish(&graph, scratch, &problem));
    expect_walk(fabric, &graph);
    EXPECT_EQ(graph_longest(&graph, scratch), size_longest(fabric));
    free(memory);
    free(scratch);
}

/* A graph has NICs in all places; a rail is a network of its own in place of a plane. */
static void expect_counts(const struct size_fabric *fabric)
{
    struct graph_parameters parameters;
    struct graph_problem problem;
    struct graph_size size;
    uint64_t planes = fabric->request.kind == SIZE_RAIL_ONLY ? fabric->plane_count : 1;
    uint64_t host_links = fabric->places / planes * fabric->nic_ports * planes;

    if (!size_graph(fabric, &parameters) || !parameters.shape->size(&parameters, &size, &problem))
        return;
    EXPECT_EQ(size.nic_count, fabric->places / planes);
    EXPECT_EQ(size.switch_count, size_switches(fabric));
    EXPECT_EQ(size.link_count,
        size_links(fabric) - fabric->request.gpus * fabric->nic_ports + host_links);
    if (size.link_count <= WALKED_LINKS && fabric->tiers[0].switches > 1)
        expect_graph(fabric, &parameters);
}

PROPERTY(
    "a request is sized like the graph that its numbers build, or refused with a reason", 10000)
{
    struct prng prng = prng_stream(seed, 0);
    struct size_request request = random_request(&prng);
    char reason[SIZE_REASON_BYTES] = "";
    struct size_fabric fabric;

    if (!size_solve(&request, &fabric, reason)) {
        EXPECT(reason[0] != '\0');
        return;
    }
    expect_ports(&fabric);
    expect_counts(&fabric);
}

PROPERTY("what a refusal calls the largest number of GPUs is possible, and one more is not", 300)
{
    struct prng prng = prng_stream(seed, 1);
    struct size_request request = random_request(&prng);
    char reason[SIZE_REASON_BYTES] = "";
    struct size_fabric fabric;
    uint64_t largest;

    request.tiers = 2 + prng_below(&prng, 3);
    largest = size_largest(&request, request.tiers);
    request.gpus = largest == 0 ? 1 : largest < SIZE_GPUS_MAX ? largest : SIZE_GPUS_MAX;
    EXPECT_EQ(size_solve(&request, &fabric, reason), largest > 0);
    request.gpus = largest + 1;
    EXPECT(!size_solve(&request, &fabric, reason));
}

/* Whether a NIC reaches any other without two of the elements: links of NICs, then switches. */
static bool is_cut_off(const struct graph *graph, uint32_t nic, const uint32_t lost[2])
{
    struct graph_end peer;

    for (uint32_t port = 0; port < graph->nodes[nic].port_count; port++) {
        const struct graph_link *link =
            graph_link_at(graph, (struct graph_end){ nic, port }, &peer);
        uint32_t number = (uint32_t)(link - graph->links);

        if (number != lost[0] && number != lost[1] && peer.node + graph->link_count != lost[0] &&
            peer.node + graph->link_count != lost[1])
            return false;
    }
    return true;
}

static uint64_t pairs_that_cut(const struct graph *graph, bool first_is_link, bool second_is_link)
{
    uint32_t links = graph->link_count;
    uint64_t count = 0;

    for (uint32_t one = 0; one < links + graph->node_count; one++)
        for (uint32_t other = one + 1; other < links + graph->node_count; other++) {
            bool cuts = false;

            for (uint32_t nic = 0; nic < graph->size.nic_count && !cuts; nic++)
                cuts = is_cut_off(graph, nic, (const uint32_t[]){ one, other });
            count += cuts && (one < links) == first_is_link && (other < links) == second_is_link;
        }
    return count;
}

SPEC("the pairs of failures that cut a NIC off are those of the graph")
{
    static uint8_t memory[1 << 16];
    static uint32_t scratch[4096];
    struct size_request request;
    struct size_fabric fabric;
    struct graph_parameters parameters;
    struct graph_problem problem;
    struct graph_size size;
    struct graph graph;
    struct arena arena;
    char reason[SIZE_REASON_BYTES];

    size_request_init(&request);
    request.planes = 2;
    request.gpus = 8;
    request.tiers = 2;
    request.switch_bps = UINT64_C(1600000000000); /* 4 ports of 400 Gb/s */
    EXPECT(size_solve(&request, &fabric, reason));
    EXPECT(size_graph(&fabric, &parameters));
    EXPECT(parameters.shape->size(&parameters, &size, &problem));
    arena_init(&arena, memory, sizeof(memory));
    graph_init(&graph, &arena, &size);
    parameters.shape->build(&graph, &parameters);
    EXPECT(graph_finish(&graph, scratch, &problem));
    EXPECT_EQ(pairs_that_cut(&graph, true, true), 8);
    EXPECT_EQ(pairs_that_cut(&graph, true, false), 2 * 8);
    EXPECT_EQ(pairs_that_cut(&graph, false, false), 4); /* T0s */
}
