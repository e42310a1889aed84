/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the faults of the generators of an experiment as the simulator draws them. */
#include <string.h>

#include "files/experiment.h"
#include "files/fault_script.h"

static void open_plan(
    struct yaml *yaml, const struct experiment *experiment, struct fault_plan *plan)
{
    struct fault_plan_config config = { .fabric = &experiment->fabric,
        .seed = experiment->sim.seed,
        .generators = experiment->sim.generators,
        .generator_count = experiment->sim.generator_count,
        .until_ps = experiment->sim.duration_ps };
    struct arena arena;

    arena_init(&arena, NULL, 0);
    fault_plan_init(plan, &arena, &config);
    arena_init(&arena, yaml_take(yaml, arena.used_bytes + 1, 1), arena.used_bytes);
    fault_plan_init(plan, &arena, &config);
}

/* Returns the next fault that begins; NULL if there is none. Its times are those of its course. */
static const struct fault *next_fault(struct fault_plan *plan)
{
    struct fault_action action;

    while (fault_pop(plan, FAULT_NEVER_PS, &action))
        if (action.kind == FAULT_BEGAN)
            return fault_at(plan, action.fault);
    return NULL;
}

static struct fault_script_step step_of(
    struct yaml *yaml, const struct experiment *experiment, const struct fault *fault)
{
    struct fault_script_step step = { .fault = *fault, .where_count = fault->where_count };
    char name[TOPOLOGY_NAME_BYTES];
    char ev[PLAN_EV_NAME_BYTES];

    step.where = yaml_take(yaml, fault->where_count, sizeof(*step.where));
    for (uint32_t i = 0; i < fault->where_count; i++) {
        topology_name(&fault->where[i], name);
        step.where[i] = yaml_text(yaml, name, strlen(name));
    }
    if (fault->of_ev) {
        plan_ev_name(plan_ev_path(&experiment->fabric, fault->ev), ev);
        step.ev = yaml_text(yaml, ev, strlen(ev));
    }
    return step;
}

void fault_script_draw(
    struct yaml *yaml, const struct experiment *experiment, struct fault_script *script)
{
    struct fault_script_step *steps;
    const struct fault *fault;
    struct fault_plan plan;
    uint32_t count = script->count;

    for (open_plan(yaml, experiment, &plan); next_fault(&plan); count++)
        ;
    steps = yaml_take(yaml, (size_t)count + 1, sizeof(*steps));
    if (script->count > 0)
        memcpy(steps, script->steps, script->count * sizeof(*steps));
    script->steps = steps;
    open_plan(yaml, experiment, &plan);
    while ((fault = next_fault(&plan)) != NULL)
        script->steps[script->count++] = step_of(yaml, experiment, fault);
}
