/* SPDX-License-Identifier: Apache-2.0 */
/* The stream of actions: a heap of what changes next, and a cursor that spells one change out, link
 * direction by link direction. */
#include "sim/fault.h"

#include <stdalign.h>

#include "sim/fault_cover.h"
#include "sim/fault_generator.h"

/* ---- the heap: the source that changes next on top ------------------------------------------- */

static bool is_sooner(const struct fault_plan *plan, uint32_t left, uint32_t right)
{
    uint64_t left_ps = plan->sources[left].next_ps;
    uint64_t right_ps = plan->sources[right].next_ps;

    return left_ps != right_ps ? left_ps < right_ps : left < right;
}

static void sift_down(struct fault_plan *plan, uint32_t place)
{
    uint32_t moving = plan->heap[place];

    for (;;) {
        uint32_t child = 2 * place + 1;

        if (child >= plan->heap_count)
            break;
        if (child + 1 < plan->heap_count &&
            is_sooner(plan, plan->heap[child + 1], plan->heap[child]))
            child++;
        if (is_sooner(plan, moving, plan->heap[child]))
            break;
        plan->heap[place] = plan->heap[child];
        place = child;
    }
    plan->heap[place] = moving;
}

/* The top has got another time, or has no more. */
static void heap_settle(struct fault_plan *plan)
{
    if (plan->sources[plan->heap[0]].next_ps >= plan->config.until_ps)
        plan->heap[0] = plan->heap[--plan->heap_count];
    if (plan->heap_count > 0)
        sift_down(plan, 0);
}

/* ---- what a source does next ----------------------------------------------------------------- */

static uint64_t later_by(uint64_t time_ps, uint64_t interval_ps)
{
    return interval_ps > SIM_NEVER_PS - time_ps ? SIM_NEVER_PS : time_ps + interval_ps;
}

/* The time of change number `flip` of a flap: down, up, down, ... */
static uint64_t flip_ps(const struct sim_fault *fault, uint64_t flip)
{
    uint64_t down_ps = fault->period_ps / 1000 * fault->duty_permille +
                       fault->period_ps % 1000 * fault->duty_permille / 1000;
    uint64_t periods_ps = flip / 2 * fault->period_ps;

    return later_by(fault->from_ps, periods_ps + (flip % 2 == 1 ? down_ps : 0));
}

static uint64_t next_change_ps(const struct fault_source *source)
{
    const struct sim_fault *fault = &source->fault;
    uint64_t change_ps = fault->until_ps;

    if (fault->kind == SIM_FAULT_FLAP && fault->duty_permille < 1000) {
        uint64_t next_flip_ps = flip_ps(fault, source->flip_count);

        if (next_flip_ps < change_ps)
            change_ps = next_flip_ps;
    }
    return change_ps;
}

/* A component that a generator has broken breaks again some time after its repair. */
static void draw_occurrence(struct fault_source *source, const struct sim_fault_generator *from)
{
    uint64_t interval_ps = fault_generator_interval_ps(&source->prng, from->mean_between_ps);

    source->fault.from_ps = later_by(source->next_ps, interval_ps);
    source->fault.until_ps = later_by(source->fault.from_ps, from->duration_ps);
    source->next_ps = source->fault.from_ps;
}

static void finish(struct fault_plan *plan, struct fault_source *source)
{
    source->has_begun = false;
    source->flip_count = 0;
    source->next_ps = SIM_NEVER_PS;
    if (source->generator != FAULT_LISTED) {
        source->next_ps = source->fault.until_ps;
        draw_occurrence(source, &plan->config.generators[source->generator]);
    }
}

/* Points the cursor at what the source changes now, and the source at what comes after. */
static void change(struct fault_plan *plan, uint32_t index)
{
    struct fault_source *source = &plan->sources[index];
    bool ends = source->has_begun && source->next_ps >= source->fault.until_ps;
    bool impairs = !ends && !source->impairs;

    plan->cursor = (struct fault_cursor){ .time_ps = source->next_ps,
        .source = index,
        .hold = source->first_hold,
        .is_active = true,
        .impairs = impairs,
        .tells = ends || !source->has_begun,
        .changes = impairs != source->impairs,
        .empties = impairs && source->fault.kind == SIM_FAULT_REBOOT };
    source->impairs = impairs;
    if (ends) {
        finish(plan, source);
        return;
    }
    source->has_begun = true;
    source->flip_count++;
    source->next_ps = next_change_ps(source);
}

/* ---- spelling a change out ------------------------------------------------------------------- */

static bool next_link(struct fault_plan *plan, struct fault_action *action)
{
    const struct topology *topology = &plan->config.fabric->topology;
    struct fault_cursor *cursor = &plan->cursor;
    const struct sim_fault *fault = &plan->sources[cursor->source].fault;
    const struct topology_element *element = &fault->where[cursor->where];
    uint32_t slot_count = fault_cover_slots(topology, element);

    while (cursor->slot < slot_count) {
        action->hold = cursor->hold++;
        if (fault_cover_at(topology, fault, element, cursor->slot++, &action->end)) {
            action->kind = cursor->impairs ? FAULT_LINK_IMPAIRED : FAULT_LINK_RELIEVED;
            return true;
        }
    }
    return false;
}

/* False: all of the change has been told. */
static bool cursor_step(struct fault_plan *plan, struct fault_action *action)
{
    struct fault_cursor *cursor = &plan->cursor;
    const struct sim_fault *fault = &plan->sources[cursor->source].fault;

    *action = (struct fault_action){ .time_ps = cursor->time_ps, .fault = cursor->source };
    if (cursor->tells) {
        cursor->tells = false;
        action->kind = cursor->impairs ? FAULT_BEGAN : FAULT_ENDED;
        return true;
    }
    if (!cursor->changes)
        return false;
    for (; cursor->where < fault->where_count; cursor->where++, cursor->slot = 0) {
        if (cursor->slot == 0 && cursor->empties) {
            cursor->empties = false;
            action->kind = FAULT_SWITCH_EMPTIED;
            action->end =
                (struct topology_end){ .node = topology_switch_index(&plan->config.fabric->topology,
                                           &fault->where[cursor->where]) };
            return true;
        }
        if (next_link(plan, action))
            return true;
        cursor->empties = cursor->impairs && fault->kind == SIM_FAULT_REBOOT;
    }
    return false;
}

uint64_t fault_next_ps(const struct fault_plan *plan)
{
    if (plan->cursor.is_active)
        return plan->cursor.time_ps;
    return plan->heap_count == 0 ? SIM_NEVER_PS : plan->sources[plan->heap[0]].next_ps;
}

bool fault_pop(struct fault_plan *plan, uint64_t before_ps, struct fault_action *action)
{
    while (fault_next_ps(plan) < before_ps) {
        if (!plan->cursor.is_active) {
            change(plan, plan->heap[0]);
            heap_settle(plan);
        }
        if (cursor_step(plan, action))
            return true;
        plan->cursor.is_active = false;
    }
    return false;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

/* How many sources of a generator fall inside the run; puts them into `sources` where that is not
 * NULL. */
static uint32_t generate(
    const struct fault_plan_config *config, uint32_t generator, struct fault_source *sources)
{
    const struct sim_fault_generator *from = &config->generators[generator];
    uint32_t component_count =
        fault_generator_components(&config->fabric->topology, from->component);
    uint32_t count = 0;

    for (uint32_t component = 0; component < component_count; component++) {
        struct fault_source source = { .fault = from->fault,
            .prng = fault_generator_stream(config->seed, generator, component),
            .generator = generator };

        draw_occurrence(&source, from);
        source.element =
            fault_generator_element(&config->fabric->topology, from->component, component);
        if (source.next_ps >= config->until_ps ||
            fault_cover_is_missing(&config->fabric->topology, &source.element))
            continue;
        source.fault.where_count = 1;
        if (sources != NULL) {
            sources[count] = source;
            sources[count].fault.where = &sources[count].element;
        }
        count++;
    }
    return count;
}

static uint32_t holds_of(const struct topology *topology, const struct sim_fault *fault)
{
    uint32_t count = 0;

    if (fault_cover_is_down(fault->kind))
        return 0;
    for (uint32_t i = 0; i < fault->where_count; i++)
        count += fault_cover_slots(topology, &fault->where[i]);
    return count;
}

/* Every generated fault of a kind covers as many slots as any other: its element need not be known.
 */
static uint32_t holds_of_generated(
    const struct topology *topology, const struct sim_fault_generator *from)
{
    struct topology_element any = { .kind = from->component };
    struct sim_fault fault = from->fault;

    fault.where = &any;
    fault.where_count = 1;
    return holds_of(topology, &fault);
}

static void count_up(struct fault_plan *plan)
{
    const struct fault_plan_config *config = &plan->config;

    plan->source_count = config->fault_count;
    for (uint32_t i = 0; i < config->fault_count; i++)
        plan->hold_count += holds_of(&config->fabric->topology, &config->faults[i]);
    for (uint32_t i = 0; i < config->generator_count; i++) {
        uint32_t count = generate(config, i, NULL);

        plan->source_count += count;
        plan->hold_count +=
            count * holds_of_generated(&config->fabric->topology, &config->generators[i]);
    }
}

static void fill_sources(struct fault_plan *plan)
{
    const struct fault_plan_config *config = &plan->config;
    uint32_t count = config->fault_count;
    uint32_t hold = 0;

    for (uint32_t i = 0; i < config->fault_count; i++)
        plan->sources[i] = (struct fault_source){ .fault = config->faults[i],
            .next_ps = config->faults[i].from_ps,
            .generator = FAULT_LISTED };
    for (uint32_t i = 0; i < config->generator_count; i++)
        count += generate(config, i, &plan->sources[count]);
    for (uint32_t i = 0; i < count; i++) {
        plan->sources[i].first_hold = hold;
        hold += holds_of(&config->fabric->topology, &plan->sources[i].fault);
        if (plan->sources[i].next_ps < config->until_ps)
            plan->heap[plan->heap_count++] = i;
    }
}

void fault_plan_init(
    struct fault_plan *plan, struct arena *arena, const struct fault_plan_config *config)
{
    *plan = (struct fault_plan){ .config = *config };
    count_up(plan);
    plan->sources =
        arena_take(arena, plan->source_count, sizeof(*plan->sources), alignof(struct fault_source));
    plan->holds =
        arena_take(arena, plan->hold_count, sizeof(*plan->holds), alignof(struct fault_hold));
    plan->heap = arena_take(arena, plan->source_count, sizeof(*plan->heap), alignof(uint32_t));
    if (plan->sources == NULL)
        return;
    fill_sources(plan);
    for (uint32_t place = plan->heap_count / 2; place-- > 0;)
        sift_down(plan, place);
}
