/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the numbers of the generator that builds the fabric. */
#include "cmd/plan/plan_fabric_text.h"

#include <stdio.h>

#define FIBRE_NS_PER_M 5.05

static void print_link(const char *key, uint64_t bps, double metres)
{
    char rate[QUANTITY_BYTES];

    quantity_format(QUANTITY_RATE, bps, rate);
    printf("%s: { rate: %s, delay: %.0fns }\n", key, rate, metres * FIBRE_NS_PER_M);
}

static void print_links(const struct size_fabric *fabric, const struct size_site *site)
{
    print_link("host_link", fabric->port_bps, site->cable_m[0]);
    print_link("uplink", fabric->uplink_bps, site->cable_m[1]);
}

static void print_single(const struct size_fabric *fabric)
{
    printf("planes: %u\nt0s: 1\nt1s: 0\nhosts_per_t0: %u\n", fabric->plane_count,
        (uint32_t)fabric->request.gpus);
}

enum cmd_status plan_fabric_text(
    const char *command, const struct size_fabric *fabric, const struct size_site *site)
{
    bool has_rails = fabric->request.kind == SIZE_RAIL_ONLY;
    bool is_single = fabric->tier_count == 1 && !has_rails;
    struct graph_parameters graph;
    struct graph_problem problem;
    struct graph_size size;

    if (!is_single &&
        (has_rails || !size_graph(fabric, &graph) || !graph.shape->size(&graph, &size, &problem)))
        return cmd_complain(CMD_MISUSED, command,
            "--yaml: no generator of mrc-fabric(5) builds this fabric; give fewer GPUs, or another "
            "shape");
    printf("# %llu GPUs, %llu places\n", (unsigned long long)fabric->request.gpus,
        (unsigned long long)(is_single ? fabric->request.gpus : fabric->places));
    if (is_single) {
        print_single(fabric);
    } else {
        printf("shape: %s\n", fabric->request.kind == SIZE_ZCUBE ? "zcube" : "clos");
        for (uint32_t i = 0; graph.shape->numbers[i].key; i++)
            if (graph.numbers[i] != graph.shape->numbers[i].usual)
                printf("%s: %u\n", graph.shape->numbers[i].key, graph.numbers[i]);
    }
    print_links(fabric, site);
    return CMD_DONE;
}
