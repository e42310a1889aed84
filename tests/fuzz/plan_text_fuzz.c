/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that NICs read: a text is refused, or it is a plan whose pairs have paths or none. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "must.h"
#include "plan/plan.h"

enum {
    NODES_MAX = 64,
    LINKS_MAX = 256,
    ROUTES_MAX = 64,
};

static void read_plan(const char *text, const struct graph_size *size)
{
    static _Alignas(64) uint8_t memory[65536];
    static uint32_t scratch[16 * NODES_MAX];
    static struct plan_route routes[ROUTES_MAX];
    static struct plan plan;
    struct graph graph;
    struct arena arena;

    arena_init(&arena, memory, sizeof(memory));
    graph_init(&graph, &arena, size);
    if (!plan_text_read(text, &graph, scratch, &plan))
        return;
    MUST(plan_pair_scratch(&plan) <= sizeof(scratch) / sizeof(scratch[0]));
    plan_pair_routes(&plan, 0, size->nic_count - 1, scratch, routes, ROUTES_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length_bytes)
{
    char *text = malloc(length_bytes + 1);
    struct graph_size size;

    if (!text)
        abort();
    memcpy(text, data, length_bytes);
    text[length_bytes] = 0;
    if (plan_text_size(text, &size) && size.nic_count + size.switch_count <= NODES_MAX &&
        size.link_count <= LINKS_MAX)
        read_plan(text, &size);
    free(text);
    return 0;
}
