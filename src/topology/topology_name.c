/* SPDX-License-Identifier: Apache-2.0 */
/* Formats and parses the names of components (docs/fabric.md §15). */
#include <assert.h>

#include "base/scan.h"
#include "base/text.h"
#include "topology/topology.h"
#include "topology/topology_exception.h"
#include "topology/topology_graph.h"

const char *const topology_group_words[TOPOLOGY_GROUP_KIND_COUNT + 1] = { "transceiver",
    "line_card", "chassis", "rack", "power_feed", NULL };

const char *const topology_component_words[TOPOLOGY_COMPONENT_COUNT + 1] = {
    [TOPOLOGY_NIC] = "nic",
    [TOPOLOGY_HOST_LINK] = "host_link",
    [TOPOLOGY_PLANE] = "plane",
    [TOPOLOGY_T0] = "t0",
    [TOPOLOGY_T1] = "t1",
    [TOPOLOGY_UPLINK] = "uplink",
    [TOPOLOGY_SWITCH] = "switch",
    [TOPOLOGY_LINK] = "link",
    [TOPOLOGY_GROUP] = "group",
    [TOPOLOGY_COMPONENT_COUNT] = NULL,
};

#define NUMBERS(...) ((const uint64_t[]){ __VA_ARGS__ })

/* The numbers that a name contains, in the order of the % signs. */
enum number {
    NIC,
    PLANE,
    T0,
    T1,
    NUMBER_COUNT,
};

/* clang-format off */
static const struct {
    const char *form;
    enum number numbers[3];
} forms[TOPOLOGY_UPLINK + 1] = { /* two tiers */
    [TOPOLOGY_NIC]       = { "h%",          { NIC } },
    [TOPOLOGY_HOST_LINK] = { "h%.p%",       { NIC, PLANE } },
    [TOPOLOGY_PLANE]     = { "p%",          { PLANE } },
    [TOPOLOGY_T0]        = { "p%.t0.%",     { PLANE, T0 } },
    [TOPOLOGY_T1]        = { "p%.t1.%",     { PLANE, T1 } },
    [TOPOLOGY_UPLINK]    = { "p%.t0.%-t1.%", { PLANE, T0, T1 } },
};
/* clang-format on */

static uint32_t *number_in(struct topology_element *element, enum number number)
{
    uint32_t *members[NUMBER_COUNT] = {
        [NIC] = &element->nic, [PLANE] = &element->plane, [T0] = &element->t0, [T1] = &element->t1
    };

    return members[number];
}

void topology_name(const struct topology_element *element, char out[static TOPOLOGY_NAME_BYTES])
{
    struct topology_element copy = *element;
    struct text text = text_in(out, TOPOLOGY_NAME_BYTES);
    uint64_t numbers[3];

    assert(element->kind < TOPOLOGY_COMPONENT_COUNT);
    if (element->kind == TOPOLOGY_GROUP) {
        text_add(&text, element->group->name);
        return;
    }
    if (element->kind == TOPOLOGY_SWITCH || element->kind == TOPOLOGY_LINK) {
        topology_graph_name(element, &text);
        return;
    }
    for (uint32_t i = 0; i < 3; i++)
        numbers[i] = *number_in(&copy, forms[element->kind].numbers[i]);
    text_fill(&text, forms[element->kind].form, numbers);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads a decimal number without leading zeros. Numbers beyond all fabrics become UINT32_MAX.
 * Returns NULL if there is no number. */
static const char *read_number(const char *at, uint32_t *number)
{
    const char *first = at;
    uint64_t value = 0;

    for (; *at >= '0' && *at <= '9'; at++)
        value = value < UINT32_MAX ? value * 10 + (uint64_t)(*at - '0') : value;
    *number = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    return at == first || (*first == '0' && at - first > 1) ? NULL : at;
}

static bool has_form(const char *name, enum topology_component kind, struct topology_element *out)
{
    const enum number *number = forms[kind].numbers;

    *out = (struct topology_element){ .kind = kind };
    for (const char *form = forms[kind].form; *form; form++) {
        if (*form == '%')
            name = read_number(name, number_in(out, *number++));
        else
            name = *name == *form ? name + 1 : NULL;
        if (!name)
            return false;
    }
    return *name == '\0';
}

static bool refuse_name(char *reason, const char *words, const uint64_t *numbers)
{
    struct text text = text_in(reason, TOPOLOGY_REASON_BYTES);

    text_fill(&text, words, numbers);
    return false;
}

static bool is_present(
    const struct topology *topology, const struct topology_element *element, char *reason)
{
    const struct topology_config *config = &topology->config;
    const struct topology_exception *exception;

    if (element->nic >= topology->nic_count)
        return refuse_name(reason, "no NIC h%: the last of % is h%",
            NUMBERS(element->nic, topology->nic_count, topology->nic_count - 1));
    if (element->plane >= config->plane_count)
        return refuse_name(reason, "no plane p%: the last of % is p%",
            NUMBERS(element->plane, config->plane_count, config->plane_count - 1));
    if (element->t0 >= config->t0_count)
        return refuse_name(reason, "no T0 t0.%: the last of % is t0.%",
            NUMBERS(element->t0, config->t0_count, config->t0_count - 1));
    if ((element->kind == TOPOLOGY_T1 || element->kind == TOPOLOGY_UPLINK) && config->t1_count == 0)
        return refuse_name(reason, "no T1 t1.%: this fabric has none", NUMBERS(element->t1));
    if (element->t1 >= config->t1_count && config->t1_count > 0)
        return refuse_name(reason, "no T1 t1.%: the last of % is t1.%",
            NUMBERS(element->t1, config->t1_count, config->t1_count - 1));
    if (element->kind != TOPOLOGY_HOST_LINK && element->kind != TOPOLOGY_UPLINK)
        return true;
    exception = topology_exception_of(config, element);
    return !exception || !exception->missing ||
           refuse_name(reason, "an exception declares this link missing", NULL);
}

static bool find_group(
    const struct topology *topology, const char *name, struct topology_element *out)
{
    for (uint32_t i = 0; i < topology->group_count; i++) {
        const char *rest = name;

        if (scan_word(&rest, topology->groups[i].name) && *rest == '\0') {
            *out =
                (struct topology_element){ .kind = TOPOLOGY_GROUP, .group = &topology->groups[i] };
            return true;
        }
    }
    return false;
}

bool topology_has(const struct topology *topology, const struct topology_element *element,
    char reason[static TOPOLOGY_REASON_BYTES])
{
    struct topology_element copy = *element;

    if (element->kind == TOPOLOGY_GROUP)
        return true;
    if (topology->graph)
        return topology_graph_has(topology, &copy, reason);
    if (element->kind > TOPOLOGY_UPLINK)
        return refuse_name(reason, "not of this fabric", NULL);
    return is_present(topology, element, reason);
}

bool topology_find(const struct topology *topology, const char *name, struct topology_element *out,
    char reason[static TOPOLOGY_REASON_BYTES])
{
    if (find_group(topology, name, out))
        return true;
    if (topology->graph)
        return topology_graph_find(topology, name, out, reason);
    for (uint32_t kind = 0; kind <= TOPOLOGY_UPLINK; kind++)
        if (has_form(name, (enum topology_component)kind, out))
            return is_present(topology, out, reason);
    return refuse_name(reason,
        "not a name; names are like h12, h12.p3, p3, p3.t0.17, p3.t1.9, p3.t0.17-t1.9", NULL);
}
