/* SPDX-License-Identifier: Apache-2.0 */
/* The timers of a NIC, few and many. */
#include "spec.h"

#include <stdalign.h>
#include <stdlib.h>

#include "base/prng.h"
#include "transport/deadlines.h"

enum { OWNERS_MAX = 40 };

struct timers {
    struct deadlines deadlines;
    uint8_t *memory;
};

static size_t timers_init(struct timers *timers, uint32_t owner_count)
{
    struct arena arena;

    arena_init(&arena, NULL, 0);
    deadlines_init(&timers->deadlines, &arena, owner_count);
    timers->memory = malloc(arena.used_bytes);
    EXPECT(timers->memory != NULL);
    arena_init(&arena, timers->memory, arena.used_bytes);
    deadlines_init(&timers->deadlines, &arena, owner_count);
    return arena.used_bytes;
}

SPEC("without a timer there is no deadline and no owner")
{
    struct timers timers;

    timers_init(&timers, 3);
    EXPECT_EQ(deadlines_next_ns(&timers.deadlines), UINT64_MAX);
    EXPECT_EQ(deadlines_take(&timers.deadlines, UINT64_MAX), DEADLINES_NONE);
    free(timers.memory);
}

SPEC("few timers take eight bytes each, many a wheel")
{
    struct timers timers;

    EXPECT_EQ(timers_init(&timers, DEADLINES_FEW), DEADLINES_FEW * sizeof(uint64_t));
    free(timers.memory);
    EXPECT(timers_init(&timers, DEADLINES_FEW + 1) > sizeof(struct wheel));
    free(timers.memory);
}

SPEC("a timer is returned once, at its time and not before")
{
    struct timers timers;

    timers_init(&timers, 3);
    deadlines_set(&timers.deadlines, 2, 1000);
    EXPECT_EQ(deadlines_of(&timers.deadlines, 2), 1000);
    EXPECT_EQ(deadlines_next_ns(&timers.deadlines), 1000);
    EXPECT_EQ(deadlines_take(&timers.deadlines, 999), DEADLINES_NONE);
    EXPECT_EQ(deadlines_take(&timers.deadlines, 1000), 2);
    EXPECT_EQ(deadlines_take(&timers.deadlines, 1000), DEADLINES_NONE);
    EXPECT_EQ(deadlines_of(&timers.deadlines, 2), UINT64_MAX);
    free(timers.memory);
}

/* Takes all that is due and holds it against what was set. */
static void take_due(struct timers *timers, uint64_t *set_ns, uint32_t owner_count, uint64_t now_ns)
{
    uint32_t owner;

    while ((owner = deadlines_take(&timers->deadlines, now_ns)) != DEADLINES_NONE) {
        EXPECT(owner < owner_count);
        EXPECT(set_ns[owner] <= now_ns);
        set_ns[owner] = UINT64_MAX;
    }
    for (uint32_t i = 0; i < owner_count; i++) {
        EXPECT(set_ns[i] > now_ns || set_ns[i] + 256 > now_ns);
        EXPECT(set_ns[i] == UINT64_MAX || deadlines_next_ns(&timers->deadlines) < set_ns[i] + 256);
    }
}

PROPERTY("with random operations timers fire when they are due, few or many", 200)
{
    struct prng prng = prng_stream(seed, 0);
    uint32_t owner_count = 1 + prng_below(&prng, OWNERS_MAX);
    uint64_t set_ns[OWNERS_MAX];
    struct timers timers;
    uint64_t now_ns = 0;

    timers_init(&timers, owner_count);
    for (uint32_t i = 0; i < OWNERS_MAX; i++)
        set_ns[i] = UINT64_MAX;
    for (uint32_t step = 0; step < 300; step++) {
        uint32_t owner = prng_below(&prng, owner_count);

        set_ns[owner] = prng_below(&prng, 8) ? now_ns + 1 + prng_below(&prng, 100000) : UINT64_MAX;
        deadlines_set(&timers.deadlines, owner, set_ns[owner]);
        now_ns += prng_below(&prng, 5000);
        take_due(&timers, set_ns, owner_count, now_ns);
    }
    free(timers.memory);
}
