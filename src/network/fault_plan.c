/* SPDX-License-Identifier: Apache-2.0 */
/* The stream of actions: a heap of the next changes, and a cursor that expands one change into link
 * directions. */
#include "network/fault_plan.h"

#include <assert.h>
#include <stdalign.h>

#include "network/fault_cover.h"

/* ---- the next change of a source ------------------------------------------------------------- */

static uint64_t later_by(uint64_t time_ps, uint64_t interval_ps)
{
    return interval_ps > FAULT_NEVER_PS - time_ps ? FAULT_NEVER_PS : time_ps + interval_ps;
}

/* A component that a generator has broken fails again some time after its repair. */
static void draw_occurrence(
    struct fault_source *source, const struct fault_generator *from, uint64_t after_ps)
{
    uint64_t interval_ps = fault_generator_interval_ps(&source->prng, from->mean_between_ps);

    source->fault.from_ps = later_by(after_ps, interval_ps);
    source->fault.until_ps = later_by(source->fault.from_ps, from->duration_ps);
    source->course = fault_course_of(&source->fault);
}

/* At one time, sources change in the order in which they are listed. */
static struct event_heap_entry event_of(const struct fault_plan *plan, uint32_t index)
{
    return (struct event_heap_entry){
        .time_ps = plan->sources[index].course.next_ps, .order = index, .subject = index
    };
}

/* Sets the cursor to the change of the first source, and the source to its next change. */
static void take_change(struct fault_plan *plan)
{
    uint32_t index = plan->heap.events[0].subject;
    struct fault_source *source = &plan->sources[index];
    struct fault_change change = fault_course_step(&source->course, &source->fault);

    plan->cursor = (struct fault_cursor){ .change = change,
        .source = index,
        .hold = source->first_hold,
        .is_active = true,
        .tells = change.begins || change.ends,
        .empties = change.impairs && fault_kind_is(source->fault.kind, FAULT_EMPTIES) };
    if (change.ends && source->generator != FAULT_LISTED)
        draw_occurrence(
            source, &plan->config.generators[source->generator], source->fault.until_ps);
    if (source->course.next_ps >= plan->config.until_ps)
        event_heap_pop(&plan->heap);
    else
        event_heap_replace(&plan->heap, event_of(plan, index));
}

/* ---- expanding a change ---------------------------------------------------------------------- */

static bool next_link(struct fault_plan *plan, struct fault_action *action)
{
    const struct topology *topology = &plan->config.fabric->topology;
    struct fault_cursor *cursor = &plan->cursor;
    const struct fault *fault = &plan->sources[cursor->source].fault;
    const struct topology_element *element = &fault->where[cursor->where];
    uint32_t slot_count = fault_cover_slots(topology, element);

    while (cursor->slot < slot_count) {
        action->hold = cursor->hold++;
        if (fault_cover_at(topology, fault, element, cursor->slot++, &action->end)) {
            action->kind = cursor->change.impairs ? FAULT_LINK_IMPAIRED : FAULT_LINK_RELIEVED;
            return true;
        }
    }
    return false;
}

/* Returns false when the change is complete. */
static bool cursor_step(struct fault_plan *plan, struct fault_action *action)
{
    struct fault_cursor *cursor = &plan->cursor;
    const struct fault *fault = &plan->sources[cursor->source].fault;

    *action = (struct fault_action){ .time_ps = cursor->change.time_ps, .fault = cursor->source };
    if (cursor->tells) {
        cursor->tells = false;
        action->kind = cursor->change.impairs ? FAULT_BEGAN : FAULT_ENDED;
        return true;
    }
    if (!cursor->change.changes)
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
        cursor->empties = cursor->change.impairs && fault_kind_is(fault->kind, FAULT_EMPTIES);
    }
    return false;
}

uint64_t fault_next_ps(const struct fault_plan *plan)
{
    if (plan->cursor.is_active)
        return plan->cursor.change.time_ps;
    return event_heap_next_ps(&plan->heap);
}

bool fault_pop(struct fault_plan *plan, uint64_t before_ps, struct fault_action *action)
{
    while (fault_next_ps(plan) < before_ps) {
        if (!plan->cursor.is_active)
            take_change(plan);
        if (cursor_step(plan, action))
            return true;
        plan->cursor.is_active = false;
    }
    return false;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Returns the number of sources of a generator that fail during the run, and writes them to
 * `sources` unless that is NULL. */
static uint32_t generate_sources(
    const struct fault_plan_config *config, uint32_t generator, struct fault_source *sources)
{
    const struct fault_generator *from = &config->generators[generator];
    char reason[TOPOLOGY_REASON_BYTES];
    uint32_t component_count = topology_component_count(&config->fabric->topology, from->component);
    uint32_t count = 0;

    for (uint32_t component = 0; component < component_count; component++) {
        struct fault_source source = { .fault = from->fault,
            .prng = fault_generator_stream(config->seed, generator, component),
            .generator = generator };

        draw_occurrence(&source, from, 0);
        source.element =
            topology_component_at(&config->fabric->topology, from->component, component);
        if (source.course.next_ps >= config->until_ps ||
            !topology_has(&config->fabric->topology, &source.element, reason))
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

static uint32_t holds_of(const struct topology *topology, const struct fault *fault)
{
    uint32_t count = 0;

    if (fault_kind_is(fault->kind, FAULT_CUTS))
        return 0;
    for (uint32_t i = 0; i < fault->where_count; i++)
        count += fault_cover_slots(topology, &fault->where[i]);
    return count;
}

static uint32_t holds_of_generated(
    const struct topology *topology, const struct fault_generator *from)
{
    return fault_kind_is(from->fault.kind, FAULT_CUTS)
               ? 0
               : fault_cover_slots_max(topology, from->component);
}

static void count_up(struct fault_plan *plan)
{
    const struct fault_plan_config *config = &plan->config;

    plan->source_count = config->fault_count;
    for (uint32_t i = 0; i < config->fault_count; i++)
        plan->hold_count += holds_of(&config->fabric->topology, &config->faults[i]);
    for (uint32_t i = 0; i < config->generator_count; i++) {
        uint32_t count = generate_sources(config, i, NULL);

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
            .course = fault_course_of(&config->faults[i]),
            .generator = FAULT_LISTED };
    for (uint32_t i = 0; i < config->generator_count; i++)
        count += generate_sources(config, i, &plan->sources[count]);
    for (uint32_t i = 0; i < count; i++) {
        plan->sources[i].first_hold = hold;
        hold += holds_of(&config->fabric->topology, &plan->sources[i].fault);
        if (plan->sources[i].course.next_ps < config->until_ps)
            event_heap_push(&plan->heap, event_of(plan, i));
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
    plan->heap.events = arena_take(arena, plan->source_count, sizeof(struct event_heap_entry),
        alignof(struct event_heap_entry));
    plan->heap.room = plan->source_count;
    if (plan->sources == NULL)
        return;
    fill_sources(plan);
}

/* ---- queries --------------------------------------------------------------------------------- */

uint32_t fault_count(const struct fault_plan *plan)
{
    return plan->source_count;
}

const struct fault *fault_at(const struct fault_plan *plan, uint32_t index)
{
    assert(index < plan->source_count);
    return &plan->sources[index].fault;
}

bool fault_is_in_force(const struct fault_plan *plan, uint32_t index)
{
    assert(index < plan->source_count);
    return plan->sources[index].course.impairs;
}

void fault_plan_apply(
    struct fault_plan *plan, struct fault_link *link, const struct fault_action *action)
{
    const struct fault *fault = fault_at(plan, action->fault);

    assert(action->hold < plan->hold_count || fault_kind_is(fault->kind, FAULT_CUTS));
    if (action->kind == FAULT_LINK_IMPAIRED)
        fault_link_impair(link, plan->holds, action->hold, fault, action->fault);
    else
        fault_link_relieve(link, plan->holds, action->hold, fault);
}
