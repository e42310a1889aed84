/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that faults are possible and that their places exist. */
#include "base/problem.h"
#include "network/fault_cover.h"
#include "network/fault_generator.h"

static bool element_check(const struct topology *topology, const struct fault *fault,
    const struct topology_element *element, struct problem *problem)
{
    if (!topology_has(topology, element, problem->reason)) {
        problem->member = "where";
        return false;
    }
    if (fault_kind_is(fault->kind, FAULT_OF_SWITCH) && !topology_is_switch(element->kind))
        return problem_is(problem, "where",
            "only a switch can reboot; use kind down for other parts",
            (struct problem_numbers){ 0 });
    return true;
}

static bool ev_check(const struct plan *fabric, const struct fault *fault, struct problem *problem)
{
    if (!fault->of_ev)
        return true;
    if (!fault_kind_is(fault->kind, FAULT_ONE_EV))
        return problem_is(problem, "ev",
            "only loss, corrupt and blackhole can affect a single EV: a link is down or slow for "
            "all EVs",
            (struct problem_numbers){ 0 });
    if (!plan_ev_exists(fabric, fault->ev))
        return problem_is(problem, "ev",
            "EV % is not a path of this fabric: planes are below %, uplinks below %",
            (struct problem_numbers){
                fault->ev, fabric->topology.config.plane_count, plan_plane_paths(fabric) });
    return true;
}

static bool flap_check(const struct fault *fault, struct problem *problem)
{
    if (fault->period_ps == 0)
        return problem_is(
            problem, "period", "a flap needs a period above 0", (struct problem_numbers){ 0 });
    if (fault->duty_permille == 0 || fault->duty_permille > 1000)
        return problem_is(problem, "duty",
            "a flap is down for % permille of its period; this must be between 1 and 1000",
            (struct problem_numbers){ fault->duty_permille, 0, 0 });
    if (fault->duty_permille < 1000 && fault->period_ps < 1000)
        return problem_is(problem, "period", "% ps is too short for a flap: at least 1000 ps",
            (struct problem_numbers){ fault->period_ps, 0, 0 });
    return true;
}

/* As fault_check(), without place and times. */
static bool fault_check_kind(
    const struct plan *fabric, const struct fault *fault, struct problem *problem)
{
    if (fault->kind >= FAULT_KIND_COUNT)
        return problem_is(problem, "kind", "no such kind of fault", (struct problem_numbers){ 0 });
    if (fault_kind_needs(fault->kind, FAULT_PROBABILITY) && fault->probability == 0)
        return problem_is(
            problem, "probability", "must be above 0 and at most 1", (struct problem_numbers){ 0 });
    if (fault_kind_needs(fault->kind, FAULT_RATE) && fault->rate_bps == 0)
        return problem_is(problem, "rate", "a link at 0 bit/s is down: use kind down",
            (struct problem_numbers){ 0 });
    if (!fault_kind_is(fault->kind, FAULT_ONE_WAY) && fault->direction != FAULT_BOTH_WAYS)
        return problem_is(problem, "direction",
            "a link is down in both directions: use blackhole for one direction",
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
            problem, "where", "must name at least one element", (struct problem_numbers){ 0 });
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
    if (!topology_knows(&fabric->topology, from->component))
        return problem_is(problem, "component", "this fabric has no such component",
            (struct problem_numbers){ 0 });
    if (fault_kind_is(from->fault.kind, FAULT_OF_SWITCH) && !topology_is_switch(from->component))
        return problem_is(problem, "component",
            "only switches can reboot; use kind down for other parts",
            (struct problem_numbers){ 0 });
    if (from->mean_between_ps == 0)
        return problem_is(
            problem, "mean_between", "must be above 0", (struct problem_numbers){ 0 });
    if (from->duration_ps == 0)
        return problem_is(problem, "for", "must be above 0", (struct problem_numbers){ 0 });
    return true;
}
