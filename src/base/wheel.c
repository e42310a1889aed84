/* SPDX-License-Identifier: Apache-2.0 */
/* Timing wheel: a slot is a list linked through the nodes of its owners; a level has one word that
 * shows the occupied slots. */
#include "base/wheel.h"

#include <stdalign.h>

#include "base/bits.h"

enum {
    TICK_SHIFT = 8,  /* 256 ns */
    LEVEL_SHIFT = 6, /* 64 slots */
};

/* Rounds up, so that a timer never fires before its time. */
static uint64_t tick_of(uint64_t deadline_ns)
{
    return (deadline_ns >> TICK_SHIFT) + ((deadline_ns & ((1u << TICK_SHIFT) - 1)) != 0);
}

void wheel_init(struct wheel *wheel, struct arena *arena, uint32_t owner_count)
{
    struct wheel_node *nodes =
        arena_take(arena, owner_count, sizeof(*nodes), alignof(struct wheel_node));

    if (!wheel)
        return;
    *wheel = (struct wheel){ .nodes = nodes };
    for (uint32_t i = 0; i < WHEEL_LEVELS * WHEEL_SLOTS; i++)
        wheel->first[i] = WHEEL_NONE;
    for (uint32_t i = 0; nodes && i < owner_count; i++)
        nodes[i].deadline_ns = UINT64_MAX;
}

/* Returns the slot of a tick. Its level is the highest digit (base 64) in which the tick differs
 * from the current one. */
static uint32_t slot_of(const struct wheel *wheel, uint64_t tick)
{
    uint32_t level;

    if (tick <= wheel->tick)
        return (uint32_t)wheel->tick % WHEEL_SLOTS;
    level = (uint32_t)(63 - __builtin_clzll(tick ^ wheel->tick)) / LEVEL_SHIFT;
    return level * WHEEL_SLOTS + (uint32_t)(tick >> level * LEVEL_SHIFT) % WHEEL_SLOTS;
}

static void link_node(struct wheel *wheel, uint32_t owner)
{
    struct wheel_node *node = &wheel->nodes[owner];
    uint32_t slot = slot_of(wheel, tick_of(node->deadline_ns));

    node->slot = (uint16_t)slot;
    node->previous = WHEEL_NONE;
    node->next = wheel->first[slot];
    if (node->next != WHEEL_NONE)
        wheel->nodes[node->next].previous = owner;
    wheel->first[slot] = owner;
    bits_set(wheel->occupied, slot);
}

static void unlink_node(struct wheel *wheel, uint32_t owner)
{
    struct wheel_node *node = &wheel->nodes[owner];

    if (node->next != WHEEL_NONE)
        wheel->nodes[node->next].previous = node->previous;
    if (node->previous != WHEEL_NONE)
        wheel->nodes[node->previous].next = node->next;
    else
        wheel->first[node->slot] = node->next;
    if (wheel->first[node->slot] == WHEEL_NONE)
        bits_clear(wheel->occupied, node->slot);
}

void wheel_set(struct wheel *wheel, uint32_t owner, uint64_t deadline_ns)
{
    struct wheel_node *node = &wheel->nodes[owner];

    if (node->deadline_ns != UINT64_MAX)
        unlink_node(wheel, owner);
    node->deadline_ns = deadline_ns;
    if (deadline_ns != UINT64_MAX)
        link_node(wheel, owner);
}

/* Returns the tick at which the next occupied slot of the level begins; UINT64_MAX: all are empty.
 * The current slot counts only on level 0: on other levels it was opened when it began. */
static uint64_t next_tick_of_level(const struct wheel *wheel, uint32_t level)
{
    uint32_t shift = level * LEVEL_SHIFT;
    uint64_t present = wheel->tick >> shift;
    uint64_t slots = wheel->occupied[level] >> present % WHEEL_SLOTS;

    if (level > 0)
        slots &= ~UINT64_C(1);
    return slots ? (present + bits_lowest(slots)) << shift : UINT64_MAX;
}

static uint64_t next_tick(const struct wheel *wheel)
{
    for (uint32_t level = 0; level < WHEEL_LEVELS; level++) {
        uint64_t tick = next_tick_of_level(wheel, level);

        if (tick != UINT64_MAX)
            return tick;
    }
    return UINT64_MAX;
}

uint64_t wheel_next_ns(const struct wheel *wheel)
{
    uint64_t tick = next_tick(wheel);

    if (tick == UINT64_MAX)
        return UINT64_MAX;
    /* A deadline in the last tick of time is rounded up past the end of time. */
    return tick > UINT64_MAX >> TICK_SHIFT ? UINT64_MAX - 1 : tick << TICK_SHIFT;
}

/* Opens the slots that begin at this tick: moves their timers to finer levels. */
static void open_slots(struct wheel *wheel, uint64_t tick)
{
    for (uint32_t level = 1; level < WHEEL_LEVELS; level++) {
        uint32_t slot = level * WHEEL_SLOTS + (uint32_t)(tick >> level * LEVEL_SHIFT) % WHEEL_SLOTS;
        uint32_t owner = wheel->first[slot];

        if (tick & ((UINT64_C(1) << level * LEVEL_SHIFT) - 1))
            return;
        while (owner != WHEEL_NONE) {
            uint32_t next = wheel->nodes[owner].next;

            unlink_node(wheel, owner);
            link_node(wheel, owner);
            owner = next;
        }
    }
}

uint32_t wheel_take(struct wheel *wheel, uint64_t now_ns)
{
    uint64_t now_tick = now_ns >> TICK_SHIFT;

    for (;;) {
        uint64_t tick = next_tick(wheel);
        uint32_t owner;

        if (tick > now_tick) {
            /* No slot begins in between, so the current tick may jump. */
            if (now_tick > wheel->tick)
                wheel->tick = now_tick;
            return WHEEL_NONE;
        }
        wheel->tick = tick;
        open_slots(wheel, tick);
        owner = wheel->first[tick % WHEEL_SLOTS];
        if (owner != WHEEL_NONE) {
            wheel_set(wheel, owner, UINT64_MAX);
            return owner;
        }
    }
}
