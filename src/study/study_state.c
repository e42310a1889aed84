/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up a run, and continues a checkpoint. */
#include "study/study_state.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "study/study_group.h"

/* A limit of the address space counts what is mapped, which is more than what is used. */
static void complain_of_mapping(
    const struct study_manner *manner, const struct study_memory_need *need, int err)
{
    struct units_text mapped = units_text(UNITS_SIZE, (double)need->mapped_bytes);
    struct units_text likely = units_text(UNITS_SIZE, (double)need->likely_bytes);

    study_complain(manner,
        "this run maps %s, of which it needs about %s: %s; raise the limit of addresses "
        "(ulimit -v), or simulate fewer NICs or flows",
        mapped.at, likely.at, strerror(-err));
}

/* Returns false after an error message if the system cannot hold this run. Ranks on one machine
 * share its memory. */
static bool has_memory(const struct study_manner *manner, const struct study_memory_need *need)
{
    uint64_t available_bytes = study_available_bytes(manner);
    struct units_text likely = units_text(UNITS_SIZE, (double)need->likely_bytes);
    struct units_text available = units_text(UNITS_SIZE, (double)available_bytes);

    if (need->likely_bytes <= available_bytes)
        return true;
    study_complain(manner,
        "this run needs about %s of memory, and %s are available; simulate fewer NICs or flows",
        likely.at, available.at);
    return false;
}

bool study_state_map(
    struct study_memory *memory, const struct sim_config *config, const struct study_manner *manner)
{
    struct study_memory_need need = study_memory_needed(config);
    int err;

    if (!has_memory(manner, &need))
        return false;
    err = study_memory_open(memory, &need, manner->checkpoint);
    if (err == -EEXIST)
        study_complain(
            manner, "the addresses for checkpoints are in use in this process; try it again");
    else if (err)
        complain_of_mapping(manner, &need, err);
    return err == 0;
}

static struct study_state *set_up(
    struct study_memory *memory, struct experiment *experiment, struct sim_observer *to_record)
{
    struct study_state *state = allocator_take(&memory->allocator, 1, sizeof(*state));

    state->step_ps = experiment->measure.sample_ps / 8 + 1000;
    measure_init(&state->record, &experiment->measure, &memory->allocator, to_record);
    state->sim = sim_init(&memory->arena, &experiment->sim);
    result_capacity_open(&state->capacity, &memory->allocator, state->sim, &experiment->measure);
    measure_attach(&state->record, state->sim, &state->capacity.measured);
    return state;
}

/* Notes what points to the outside. Returns false after an error message. */
static bool find_pointers(struct study_memory *memory, const struct study_manner *manner)
{
    int err = memory->image ? checkpoint_pointers_find(&memory->pointers, memory->image) : 0;

    if (err == -ENOTSUP)
        study_complain(manner, "the addresses of this program are too low for checkpoints; "
                               "build it as a position-independent executable for 64 bits");
    else if (err)
        study_complain(manner, "/proc/self/maps: %s", strerror(-err));
    return err == 0;
}

/* Replaces a fresh state by that of the checkpoint, if there is one. Returns false after an error
 * message. */
static bool restore(
    const struct study_state *state, struct study_memory *memory, const struct study_manner *manner)
{
    const struct study_checkpoint *checkpoint = manner->checkpoint;
    struct checkpoint_file *from = checkpoint ? checkpoint->from : NULL;
    struct checkpoint_found found;
    char reason[CHECKPOINT_REASON_BYTES];

    if (!from)
        return true;
    if (!checkpoint_file_restore(from, memory->image, &found, reason)) {
        study_complain(manner, "%s: %s", from->path, reason);
        return false;
    }
    assert(sim_now_ps(state->sim) == from->head.now_ps);
    assert(sim_hash(state->sim) == from->head.sim_hash);
    if (checkpoint->found)
        *checkpoint->found = found;
    return true;
}

struct study_state *study_state_open(struct study_memory *memory, struct study_run *plan,
    const struct study_manner *manner, struct sim_observer *to_record)
{
    struct study_state *state;

    if (!study_state_map(memory, &plan->experiment.sim, manner))
        return NULL;
    if (manner->group)
        study_group_say(manner->group, STUDY_GROUP_NEXT);
    state = set_up(memory, &plan->experiment, to_record);
    if (find_pointers(memory, manner) && restore(state, memory, manner))
        return state;
    study_memory_close(memory); /* a part of the state is unusable; all of it is in this memory */
    return NULL;
}

void study_state_close(struct study_memory *memory, struct study_state *state)
{
    result_capacity_close(&state->capacity);
    measure_fini(&state->record);
    allocator_free(&memory->allocator, state);
    study_memory_close(memory);
}
