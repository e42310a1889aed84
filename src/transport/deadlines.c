/* SPDX-License-Identifier: Apache-2.0 */
/* The timers of a NIC. */
#include "transport/deadlines.h"

#include <stdalign.h>
#include <stdbool.h>

void deadlines_init(struct deadlines *deadlines, struct arena *arena, uint32_t owner_count)
{
    uint64_t *few_ns = NULL;
    struct wheel *wheel = NULL;

    if (owner_count <= DEADLINES_FEW) {
        few_ns = arena_take(arena, owner_count, sizeof(*few_ns), alignof(uint64_t));
        for (uint32_t i = 0; few_ns && i < owner_count; i++)
            few_ns[i] = UINT64_MAX;
    } else {
        wheel = arena_take(arena, 1, sizeof(*wheel), alignof(struct wheel));
        wheel_init(wheel, arena, owner_count);
    }
    if (deadlines)
        *deadlines = (struct deadlines){
            .wheel = wheel, .few_ns = few_ns, .first_ns = UINT64_MAX, .owner_count = owner_count
        };
}

/* Returns the owner with the earliest deadline, of few. */
static uint32_t earliest(const struct deadlines *deadlines)
{
    uint32_t first = 0;

    for (uint32_t i = 1; i < deadlines->owner_count; i++)
        if (deadlines->few_ns[i] < deadlines->few_ns[first])
            first = i;
    return first;
}

static void set_one_of_few(struct deadlines *deadlines, uint32_t owner, uint64_t deadline_ns)
{
    bool was_first = deadlines->few_ns[owner] == deadlines->first_ns;

    deadlines->few_ns[owner] = deadline_ns;
    if (deadline_ns <= deadlines->first_ns)
        deadlines->first_ns = deadline_ns;
    else if (was_first)
        deadlines->first_ns = deadlines->few_ns[earliest(deadlines)];
}

void deadlines_set(struct deadlines *deadlines, uint32_t owner, uint64_t deadline_ns)
{
    if (deadlines->wheel)
        wheel_set(deadlines->wheel, owner, deadline_ns);
    else
        set_one_of_few(deadlines, owner, deadline_ns);
}

uint32_t deadlines_take(struct deadlines *deadlines, uint64_t now_ns)
{
    uint32_t owner;

    if (deadlines->wheel)
        return wheel_take(deadlines->wheel, now_ns);
    if (deadlines->first_ns == UINT64_MAX || deadlines->first_ns > now_ns)
        return DEADLINES_NONE;
    owner = earliest(deadlines);
    set_one_of_few(deadlines, owner, UINT64_MAX);
    return owner;
}
