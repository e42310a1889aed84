/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads the plan of a graph as text. */
#include "plan/plan_text.h"

#include "base/scan.h"
#include "base/text.h"
#include "plan/plan.h"

enum {
    NODES_MAX = 1 << 20,
    LINKS_MAX = 1 << 22,
    INDEX_MAX = 8191, /* the highest index in a uSID */
    HEADING_NUMBERS = 8,
};

/* ---- writing --------------------------------------------------------------------------------- */

static void write_heading(const struct plan *plan, struct text *text)
{
    const struct graph *graph = plan->topology.graph;

    text_fill(text, "graph % % % % % % % %\n",
        (const uint64_t[HEADING_NUMBERS]){ graph->size.nic_count, plan->topology.switch_count,
            graph->link_count, plan->graph.block, plan->graph.detour, plan->graph.nic_latency_ps,
            plan->graph.switch_latency_ps, plan->graph.choice });
}

static void write_link(const struct graph_link *link, struct text *text)
{
    text_fill(text, "link % % % % % %\n",
        (const uint64_t[]){ link->ends[0].node, link->ends[0].port, link->ends[1].node,
            link->ends[1].port, link->rate_bps, link->delay_ps });
}

bool plan_text_line(const struct plan *plan, uint32_t number, char out[static PLAN_TEXT_LINE_BYTES])
{
    const struct graph *graph = plan->topology.graph;
    uint32_t switches = plan->topology.switch_count;
    struct text text = text_in(out, PLAN_TEXT_LINE_BYTES);

    if (number == 0) {
        write_heading(plan, &text);
    } else if (number <= switches) {
        const struct graph_node *node = &graph->nodes[graph->size.nic_count + number - 1];

        text_fill(
            &text, "switch % % %\n", (const uint64_t[]){ node->tier, node->plane, node->index });
    } else if (number <= switches + graph->link_count) {
        write_link(&graph->links[number - switches - 1], &text);
    }
    return text.length > 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads " 1 2 3\n". Each number has its own maximum. */
static bool read_numbers(const char **at, const uint64_t *most, uint64_t *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!scan_word(at, " ") || !scan_u64(at, &out[i]) || out[i] > most[i])
            return false;
    return scan_word(at, "\n");
}

static bool read_heading(const char **at, uint64_t numbers[static HEADING_NUMBERS])
{
    static const uint64_t most[HEADING_NUMBERS] = { NODES_MAX, NODES_MAX, LINKS_MAX, UINT32_MAX,
        PLAN_DETOUR_MAX, UINT64_MAX, UINT64_MAX, PLAN_CHOICE_COUNT - 1 };

    return scan_word(at, "graph") && read_numbers(at, most, numbers, HEADING_NUMBERS) &&
           numbers[0] > 0 && numbers[1] > 0;
}

bool plan_text_size(const char *text, struct graph_size *size)
{
    uint64_t numbers[HEADING_NUMBERS];

    if (!read_heading(&text, numbers))
        return false;
    *size = (struct graph_size){ .nic_count = (uint32_t)numbers[0],
        .switch_count = (uint32_t)numbers[1],
        .link_count = (uint32_t)numbers[2] };
    return true;
}

static bool read_switch(const char **at, struct graph *graph)
{
    static const uint64_t most[] = { GRAPH_TIERS_MAX - 1, GRAPH_PLANES_MAX - 1, INDEX_MAX };
    uint64_t numbers[3];

    if (!scan_word(at, "switch") || !read_numbers(at, most, numbers, 3))
        return false;
    graph_add_switch(graph, (uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2]);
    return true;
}

static bool read_link(const char **at, struct graph *graph)
{
    const uint64_t last = graph->node_count - 1;
    const uint64_t most[] = { last, UINT16_MAX, last, UINT16_MAX, UINT64_MAX, UINT64_MAX };
    uint64_t numbers[6];

    if (!scan_word(at, "link") || !read_numbers(at, most, numbers, 6))
        return false;
    graph_add_link(
        graph, &(struct graph_link){ .ends = { { (uint32_t)numbers[0], (uint32_t)numbers[1] },
                                         { (uint32_t)numbers[2], (uint32_t)numbers[3] } },
                   .rate_bps = numbers[4],
                   .delay_ps = numbers[5] });
    return true;
}

bool plan_text_read(const char *text, struct graph *graph, uint32_t *scratch, struct plan *plan)
{
    uint64_t numbers[HEADING_NUMBERS];
    struct graph_problem problem;
    struct topology_problem refused;
    struct topology_config config;

    if (!read_heading(&text, numbers))
        return false;
    for (uint32_t i = 0; i < graph->size.switch_count; i++)
        if (!read_switch(&text, graph))
            return false;
    for (uint32_t i = 0; i < graph->size.link_count; i++)
        if (!read_link(&text, graph))
            return false;
    topology_config_init(&config);
    config.usid_block = (uint32_t)numbers[3];
    config.nic_latency_ps = numbers[5];
    config.switch_latency_ps = numbers[6];
    if (*text != '\0' || !graph_finish(graph, scratch, &problem) ||
        !plan_init_graph(plan, &config, graph, (uint32_t)numbers[4], scratch, &refused))
        return false;
    plan->graph.choice = (enum plan_choice)numbers[7];
    return true;
}
