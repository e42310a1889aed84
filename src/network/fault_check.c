/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that make sense, on things that exist. */
#include "base/problem.h"
#include "network/fault_cover.h"
#include "network/fault_generator.h"

static bool has_switch(const struct graph *graph, const struct topology_place *place)
{
    return graph_find_switch(graph, place->plane, place->tier, place->index) != GRAPH_NONE;
}

static bool graph_check(const struct topology *topology, const struct topology_element *element,
    struct problem *problem)
{
    bool has_switches = element->kind == TOPOLOGY_SWITCH || element->kind == TOPOLOGY_LINK;

    if (has_switches &&
        (!has_switch(topology->graph, &element->lower) ||
            (element->kind == TOPOLOGY_LINK && !has_switch(topology->graph, &element->upper))))
        return problem_is(
            problem, "where", "there is no such switch", (struct problem_numbers){ 0 });
    if (element->nic >= topology->nic_count)
        return problem_is(problem, "where", "there is no NIC %: the fabric has %",
            (struct problem_numbers){ element->nic, topology->nic_count, 0 });
    if (element->kind == TOPOLOGY_PLANE && element->plane >= topology->graph->plane_count)
        return problem_is(problem, "where", "there is no plane %: the fabric has %",
            (struct problem_numbers){ element->plane, topology->graph->plane_count, 0 });
    return true;
}

static bool bounds_check(const struct topology *topology, const struct topology_element *element,
    struct problem *problem)
{
    const struct topology_config *config = &topology->config;
    bool is_of_graph = element->kind == TOPOLOGY_SWITCH || element->kind == TOPOLOGY_LINK;
    bool is_of_tiers = element->kind == TOPOLOGY_T0 || element->kind == TOPOLOGY_T1 ||
                       element->kind == TOPOLOGY_UPLINK;
    bool has_plane = element->kind != TOPOLOGY_NIC;
    bool has_nic = element->kind == TOPOLOGY_NIC || element->kind == TOPOLOGY_HOST_LINK;
    bool has_t0 = element->kind == TOPOLOGY_T0 || element->kind == TOPOLOGY_UPLINK;
    bool has_t1 = element->kind == TOPOLOGY_T1 || element->kind == TOPOLOGY_UPLINK;

    if (topology->graph ? is_of_tiers : is_of_graph)
        return problem_is(problem, "where", "not of this fabric", (struct problem_numbers){ 0 });
    if (topology->graph)
        return graph_check(topology, element, problem);
    if (has_plane && element->plane >= config->plane_count)
        return problem_is(problem, "where", "there is no plane %: the fabric has %",
            (struct problem_numbers){ element->plane, config->plane_count, 0 });
    if (has_nic && element->nic >= topology->nic_count)
        return problem_is(problem, "where", "there is no NIC %: the fabric has %",
            (struct problem_numbers){ element->nic, topology->nic_count, 0 });
    if (has_t0 && element->t0 >= config->t0_count)
        return problem_is(problem, "where", "there is no T0 %: a plane has %",
            (struct problem_numbers){ element->t0, config->t0_count, 0 });
    if (has_t1 && element->t1 >= config->t1_count)
        return problem_is(problem, "where", "there is no T1 %: a plane has %",
            (struct problem_numbers){ element->t1, config->t1_count, 0 });
    return true;
}

static bool element_check(const struct topology *topology, const struct fault *fault,
    const struct topology_element *element, struct problem *problem)
{
    bool is_group = element->kind == TOPOLOGY_GROUP;
    bool is_switch = element->kind == TOPOLOGY_T0 || element->kind == TOPOLOGY_T1 ||
                     element->kind == TOPOLOGY_SWITCH;

    if (!is_group && !bounds_check(topology, element, problem))
        return false;
    if (fault_cover_is_missing(topology, element))
        return problem_is(
            problem, "where", "this link is missing in the fabric", (struct problem_numbers){ 0 });
    if (fault_kind_is(fault->kind, FAULT_OF_SWITCH) && !is_switch)
        return problem_is(problem, "where", "only a switch can reboot: take something else down",
            (struct problem_numbers){ 0 });
    return true;
}

static bool ev_check(const struct plan *fabric, const struct fault *fault, struct problem *problem)
{
    uint32_t uplinks = fabric->topology.config.t1_count > 0 ? fabric->topology.config.t1_count : 1;

    if (!fault->of_ev)
        return true;
    if (!fault_kind_is(fault->kind, FAULT_ONE_EV))
        return problem_is(problem, "ev",
            "only loss, corrupt and blackhole can be of one EV: a link is down or slow for all",
            (struct problem_numbers){ 0 });
    if (!plan_ev_exists(fabric, fault->ev))
        return problem_is(problem, "ev",
            "EV % is no path of this fabric: its planes are below %, its uplinks below %",
            (struct problem_numbers){ fault->ev, fabric->topology.config.plane_count, uplinks });
    return true;
}

static bool flap_check(const struct fault *fault, struct problem *problem)
{
    if (fault->period_ps == 0)
        return problem_is(
            problem, "period", "a flap needs a period above 0", (struct problem_numbers){ 0 });
    if (fault->duty_permille == 0 || fault->duty_permille > 1000)
        return problem_is(problem, "duty",
            "% permille of the period down: must be between 1 and 1000",
            (struct problem_numbers){ fault->duty_permille, 0, 0 });
    if (fault->duty_permille < 1000 && fault->period_ps < 1000)
        return problem_is(problem, "period", "% ps is too short for a flap: at least 1000 ps",
            (struct problem_numbers){ fault->period_ps, 0, 0 });
    return true;
}

bool fault_check_kind(const struct plan *fabric, const struct fault *fault, struct problem *problem)
{
    if (fault->kind >= FAULT_KIND_COUNT)
        return problem_is(problem, "kind", "no such kind of fault", (struct problem_numbers){ 0 });
    if (fault_kind_needs(fault->kind, FAULT_PROBABILITY) && fault->probability == 0)
        return problem_is(problem, "probability", "0 does nothing: must be above 0, at most 1",
            (struct problem_numbers){ 0 });
    if (fault_kind_needs(fault->kind, FAULT_RATE) && fault->rate_bps == 0)
        return problem_is(problem, "rate", "a link at 0 bit/s is down: use kind down",
            (struct problem_numbers){ 0 });
    if (!fault_kind_is(fault->kind, FAULT_ONE_WAY) && fault->direction != FAULT_BOTH_WAYS)
        return problem_is(problem, "direction",
            "a link is down both ways: use blackhole for one direction",
            (struct problem_numbers){ 0 });
    if (fault_kind_needs(fault->kind, FAULT_PERIOD) && !flap_check(fault, problem))
        return false;
    return ev_check(fabric, fault, problem);
}

bool fault_check(const struct plan *fabric, const struct fault *fault, struct problem *problem)
{
    if (!fault_check_kind(fabric, fault, problem))
        return false;
    if (fault->where_count == 0)
        return problem_is(
            problem, "where", "names nothing: at least one element", (struct problem_numbers){ 0 });
    for (uint32_t i = 0; i < fault->where_count; i++)
        if (!element_check(&fabric->topology, fault, &fault->where[i], problem))
            return false;
    if (fault->until_ps <= fault->from_ps)
        return problem_is(problem, "until", "ends at % ps, before it begins at % ps",
            (struct problem_numbers){ fault->until_ps, fault->from_ps, 0 });
    return true;
}

bool fault_generator_check(
    const struct plan *fabric, const struct fault_generator *from, struct problem *problem)
{
    if (!fault_check_kind(fabric, &from->fault, problem))
        return false;
    if (from->component >= TOPOLOGY_COMPONENT_COUNT)
        return problem_is(
            problem, "component", "no such kind of component", (struct problem_numbers){ 0 });
    if ((fabric->topology.graph || from->component > TOPOLOGY_UPLINK) &&
        fault_generator_components(&fabric->topology, from->component) == 0)
        return problem_is(
            problem, "component", "this fabric has none of them", (struct problem_numbers){ 0 });
    if (fault_kind_is(from->fault.kind, FAULT_OF_SWITCH) && from->component != TOPOLOGY_T0 &&
        from->component != TOPOLOGY_T1 && from->component != TOPOLOGY_SWITCH)
        return problem_is(problem, "component",
            "only switches can reboot: take something else down", (struct problem_numbers){ 0 });
    if (from->mean_between_ps == 0)
        return problem_is(
            problem, "mean_between", "must be above 0", (struct problem_numbers){ 0 });
    if (from->duration_ps == 0)
        return problem_is(problem, "for", "must be above 0", (struct problem_numbers){ 0 });
    return true;
}
