/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that generators share: check that sizes fit, and report the reason if they do not. */
#pragma once

#include "base/text.h"
#include "topology/graph_shape.h"

#define GRAPH_NODES_MAX (UINT64_C(1) << 22)
#define GRAPH_LINKS_MAX (UINT64_C(1) << 23)

static inline bool graph_sum_refuse(
    struct graph_problem *problem, const char *words, uint64_t first, uint64_t second)
{
    struct text text = text_in(problem->reason, sizeof(problem->reason));

    problem->link = GRAPH_NONE;
    problem->line = 0;
    problem->number = GRAPH_NONE;
    text_fill(&text, words, (const uint64_t[]){ first, second });
    return false;
}

/* Refuses the parameter of the shape with this index. */
static inline bool graph_sum_refuse_number(
    struct graph_problem *problem, uint32_t number, const char *words, uint64_t value)
{
    graph_sum_refuse(problem, words, value, 0);
    problem->number = number;
    return false;
}

static inline bool graph_sum_take(struct graph_size *size, uint64_t nics, uint64_t switches,
    uint64_t links, struct graph_problem *problem)
{
    if (nics > GRAPH_NODES_MAX || switches > GRAPH_NODES_MAX)
        return graph_sum_refuse(
            problem, "% NICs and % switches are too many for a list", nics, switches);
    if (links > GRAPH_LINKS_MAX)
        return graph_sum_refuse(problem, "% links are too many for a list", links, 0);
    *size = (struct graph_size){ (uint32_t)nics, (uint32_t)switches, (uint32_t)links };
    return true;
}
