/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the numbers of the generator that builds the fabric. */
#include "study/size_text.h"

#define FIBRE_NS_PER_M 5.05

enum { PLANES_MAX = 8, SWITCHES_MAX = 1024 }; /* of a fabric without a shape */

/* The networks of rails are not connected, and no generator builds them as planes. */
static bool is_rail_only(const struct size_fabric *fabric)
{
    return fabric->request.kind == SIZE_RAIL_ONLY;
}

static bool is_single(const struct size_fabric *fabric)
{
    return fabric->tier_count == 1 && fabric->tiers[0].switches == 1 && !is_rail_only(fabric);
}

/* Two tiers with one link between a T0 and a T1 need no shape, and their paths are computed. */
static bool is_plain(const struct size_fabric *fabric)
{
    return fabric->tier_count == 2 && fabric->request.kind != SIZE_ZCUBE &&
           fabric->tiers[0].up_ports == fabric->tiers[1].switches &&
           fabric->tiers[0].up_links == fabric->tiers[0].switches * fabric->tiers[1].switches &&
           fabric->plane_count <= PLANES_MAX && fabric->tiers[0].switches <= SWITCHES_MAX &&
           fabric->tiers[1].switches <= SWITCHES_MAX;
}

static void write_link(FILE *to, const char *key, uint64_t bps, double metres)
{
    char rate[QUANTITY_BYTES];

    quantity_format(QUANTITY_RATE, bps, rate);
    fprintf(to, "%s: { rate: %s, delay: %.0fns }", key, rate, metres * FIBRE_NS_PER_M);
}

static void write_plain(FILE *to, const struct size_fabric *fabric, const char *between)
{
    bool has_tiers = fabric->tier_count > 1;

    fprintf(to, "planes: %u%st0s: %u%st1s: %u%shosts_per_t0: %u%s", fabric->plane_count, between,
        has_tiers ? (uint32_t)fabric->tiers[0].switches : 1, between,
        has_tiers ? (uint32_t)fabric->tiers[1].switches : 0, between,
        has_tiers ? fabric->tiers[0].host_ports : (uint32_t)fabric->request.gpus, between);
}

/* Counts of a fabric of a file may be those of no generator. */
static bool is_built(const struct size_fabric *fabric, const struct graph_parameters *graph)
{
    struct graph_problem problem;
    struct graph_size size;
    uint64_t uplinks = 0;

    if (!graph->shape->size(graph, &size, &problem))
        return false;
    for (uint32_t tier = 0; tier < fabric->tier_count; tier++)
        uplinks += fabric->plane_count * fabric->tiers[tier].up_links;
    return size.switch_count == size_switches(fabric) &&
           size.link_count == uplinks + (uint64_t)size.nic_count * fabric->nic_ports;
}

static void write_shape(FILE *to, const struct graph_parameters *graph, const char *between)
{
    fprintf(to, "shape: %s%s", graph->shape == &graph_shape_zcube ? "zcube" : "clos", between);
    for (uint32_t i = 0; graph->shape->numbers[i].key; i++)
        if (graph->numbers[i] != graph->shape->numbers[i].usual)
            fprintf(to, "%s: %u%s", graph->shape->numbers[i].key, graph->numbers[i], between);
}

bool size_text_write(
    FILE *to, const struct size_fabric *fabric, const struct size_site *site, const char *between)
{
    struct graph_parameters graph;

    if (is_rail_only(fabric))
        return false;
    if (is_single(fabric) || is_plain(fabric)) {
        write_plain(to, fabric, between);
    } else {
        if (!size_graph(fabric, &graph) || !is_built(fabric, &graph))
            return false;
        write_shape(to, &graph, between);
    }
    write_link(to, "host_link", fabric->port_bps, site->cable_m[0]);
    fputs(between, to);
    write_link(to, "uplink", fabric->uplink_bps, site->cable_m[1]);
    return true;
}
