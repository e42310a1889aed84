/* SPDX-License-Identifier: Apache-2.0 */
/* Formats and parses the names of switches and links of a graph. */
#include "base/scan.h"
#include "base/text.h"
#include "topology/topology_graph.h"

#define NUMBERS(...) ((const uint64_t[]){ __VA_ARGS__ })

void topology_graph_name(const struct topology_element *element, struct text *text)
{
    const struct topology_place *lower = &element->lower;
    const struct topology_place *upper = &element->upper;

    text_fill(text, "p%.t%.%", NUMBERS(lower->plane, lower->tier, lower->index));
    if (element->kind != TOPOLOGY_LINK)
        return;
    if (upper->plane == lower->plane)
        text_fill(text, "-t%.%", NUMBERS(upper->tier, upper->index));
    else
        text_fill(text, "-p%.t%.%", NUMBERS(upper->plane, upper->tier, upper->index));
    if (element->parallel > 0)
        text_fill(text, "/%", NUMBERS(element->parallel));
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool refuse_name(char *reason, const char *words, const uint64_t *numbers)
{
    struct text text = text_in(reason, TOPOLOGY_REASON_BYTES);

    text_fill(&text, words, numbers);
    return false;
}

static bool scan_place(const char **at, struct topology_place *place)
{
    return scan_word(at, "t") && scan_u32(at, &place->tier) && scan_word(at, ".") &&
           scan_u32(at, &place->index);
}

static bool read_link_end(const char **at, struct topology_element *out)
{
    out->kind = TOPOLOGY_LINK;
    out->upper.plane = out->lower.plane;
    if (scan_word(at, "p") && !(scan_u32(at, &out->upper.plane) && scan_word(at, ".")))
        return false;
    return scan_place(at, &out->upper) && (!scan_word(at, "/") || scan_u32(at, &out->parallel));
}

static bool read_name(const char *name, struct topology_element *out)
{
    *out = (struct topology_element){ .kind = TOPOLOGY_NIC };
    if (scan_word(&name, "h")) {
        if (!scan_u32(&name, &out->nic))
            return false;
        if (scan_word(&name, ".p")) {
            out->kind = TOPOLOGY_HOST_LINK;
            return scan_u32(&name, &out->plane) && !*name;
        }
        return !*name;
    }
    out->kind = TOPOLOGY_PLANE;
    if (!scan_word(&name, "p") || !scan_u32(&name, &out->plane))
        return false;
    if (!*name)
        return true;
    out->kind = TOPOLOGY_SWITCH;
    out->lower.plane = out->plane;
    if (!scan_word(&name, ".") || !scan_place(&name, &out->lower))
        return false;
    return !*name || (scan_word(&name, "-") && read_link_end(&name, out) && !*name);
}

static bool find_switch(
    const struct graph *graph, const struct topology_place *place, uint32_t *node, char *reason)
{
    *node = graph_find_switch(graph, place->plane, place->tier, place->index);
    return *node != GRAPH_NONE ||
           refuse_name(reason, "no switch p%.t%.%: plane % has % in tier %",
               NUMBERS(place->plane, place->tier, place->index, place->plane,
                   graph_count(graph, place->tier, place->plane), place->tier));
}

/* Accepts both orders of the ends; the result names the lower end first. */
static bool find_link(const struct graph *graph, struct topology_element *element, char *reason)
{
    uint32_t nic_count = graph->size.nic_count;
    uint32_t lower;
    uint32_t upper;

    if (!find_switch(graph, &element->lower, &lower, reason) ||
        !find_switch(graph, &element->upper, &upper, reason))
        return false;
    for (uint32_t port = 0; port < graph->nodes[lower].port_count; port++) {
        struct topology_link_kind kind;
        struct topology_element link;
        struct graph_end peer;

        graph_link_at(graph, (struct graph_end){ lower, port }, &peer);
        if (peer.node != upper)
            continue;
        topology_graph_link_at(
            graph, (struct topology_end){ .node = lower - nic_count, .port = port }, &link, &kind);
        if (link.parallel == element->parallel) {
            *element = link;
            return true;
        }
    }
    return refuse_name(reason, "there is no such link between these switches", NULL);
}

bool topology_graph_find(const struct topology *topology, const char *name,
    struct topology_element *out, char reason[static TOPOLOGY_REASON_BYTES])
{
    if (!read_name(name, out))
        return refuse_name(reason,
            "not a name; names are like h12, h12.p0, p0, p0.t2.5, p0.t1.5-t2.4, p0.t0.1-p1.t0.1",
            NULL);
    return topology_graph_has(topology, out, reason);
}

/* A link whose upper end is named first is reversed. */
bool topology_graph_has(const struct topology *topology, struct topology_element *out,
    char reason[static TOPOLOGY_REASON_BYTES])
{
    const struct graph *graph = topology->graph;
    uint32_t node;

    if (out->kind == TOPOLOGY_T0 || out->kind == TOPOLOGY_T1 || out->kind == TOPOLOGY_UPLINK)
        return refuse_name(reason, "not of this fabric", NULL);
    if (out->nic >= topology->nic_count)
        return refuse_name(reason, "no NIC h%: the last of % is h%",
            NUMBERS(out->nic, topology->nic_count, topology->nic_count - 1));
    if (out->kind == TOPOLOGY_HOST_LINK && out->plane >= graph->nodes[out->nic].port_count)
        return refuse_name(reason, "no port p%: h% has %",
            NUMBERS(out->plane, out->nic, graph->nodes[out->nic].port_count));
    if (out->kind == TOPOLOGY_PLANE && out->plane >= graph->plane_count)
        return refuse_name(reason, "no plane p%: the last of % is p%",
            NUMBERS(out->plane, graph->plane_count, graph->plane_count - 1));
    if (out->kind == TOPOLOGY_SWITCH)
        return find_switch(graph, &out->lower, &node, reason);
    return out->kind != TOPOLOGY_LINK || find_link(graph, out, reason);
}
