/* SPDX-License-Identifier: Apache-2.0 */
/* Active and backup EVs, the floor under them, and what a change of state entails. */
#include "path/ev_table.h"

#include "paths.h"
#include "spec.h"

static uint32_t active_on(const struct paths *paths, uint32_t plane)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < paths->profile.entry_count; i++)
        count += path_plane_of(paths->set, i) == plane && path_is_active(paths->set, i);
    return count;
}

static size_t set_bytes(uint32_t plane_count, uint32_t ev_count)
{
    return path_set_bytes(
        &(struct path_profile){ .plane_count = plane_count, .entry_count = ev_count });
}

SPEC("an EV takes 6 bytes, a plane 9, the rest of a set 216, and the way back 88")
{
    EXPECT_EQ(set_bytes(8, 256) - set_bytes(8, 0), 1536);
    EXPECT_EQ(set_bytes(16, 100) - set_bytes(8, 100), 72);
    EXPECT_LE(set_bytes(0, 0), 216);
    EXPECT_LE(sizeof(struct path_reverse), 88);
    EXPECT_LE(set_bytes(8, 100), PATH_SET_BYTES(8, 100));
}

SPEC("initialisation takes path_set_bytes() from the arena, and a measuring arena provides no "
     "memory")
{
    struct paths paths;
    struct arena arena;

    paths_shape(&paths, 2, 4, 2);
    arena_init(&arena, NULL, 0);
    EXPECT(!path_set_init(&arena, &paths.profile, &paths.config, NULL, (struct prng){ 1 }));
    EXPECT_EQ(arena.used_bytes, path_set_bytes(&paths.profile));
}

SPEC("the first EVs of each plane start active, the rest are backups")
{
    struct paths paths;

    paths_init(&paths, 3, 4, 2);
    EXPECT_EQ(path_usable_count(paths.set), 12);
    EXPECT_EQ(path_bad_count(paths.set), 0);
    EXPECT_EQ(path_usable_planes(paths.set, ALL_PLANES), 7);
    EXPECT_EQ(path_usable_planes(paths.set, 5), 5);
    for (uint32_t i = 0; i < 18; i++) {
        EXPECT_EQ(path_state_of(paths.set, i), EV_GOOD);
        EXPECT_EQ(path_is_active(paths.set, i), i % 6 < 4);
        EXPECT_EQ(path_plane_of(paths.set, i), i / 6);
        EXPECT_EQ(path_ev_of(paths.set, i), 1000 + i);
    }
}

SPEC("an EV that is denied from the start is replaced by a backup")
{
    struct paths paths;

    paths_shape(&paths, 2, 2, 2);
    paths.entries[0].denied = true;
    paths.entries[4].denied = paths.entries[5].denied = paths.entries[7].denied = true;
    paths_open(&paths, 1);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_DENIED);
    EXPECT(path_is_active(paths.set, 1));
    EXPECT(path_is_active(paths.set, 2));
    EXPECT(!path_is_active(paths.set, 3));
    EXPECT_EQ(active_on(&paths, 1), 1);
    EXPECT(path_is_active(paths.set, 6));
    EXPECT_EQ(paths.change_count, 0);
}

SPEC("backups are activated GOOD before SKIP, and those that lose packets last")
{
    static const uint32_t expected[] = { 4, 3, 1, 2 };
    struct paths paths;

    paths_init(&paths, 1, 1, 4);
    ev_table_evs(paths.set)[1].damping = 1;
    ev_table_evs(paths.set)[2].damping = 1;
    path_on_mark(paths.set, 2, PATH_MARKED_SKIP_ONCE, 0);
    path_on_mark(paths.set, 3, PATH_MARKED_SKIP_ONCE, 0);
    for (uint32_t i = 0; i < 4; i++) {
        path_deny(paths.set, i == 0 ? 0 : expected[i - 1], 0);
        for (uint32_t ev_index = 0; ev_index < 5; ev_index++)
            EXPECT_EQ(path_is_active(paths.set, ev_index), ev_index == expected[i]);
    }
    path_check(paths.set);
}

SPEC("a set with an unordered profile draws the EVs of each plane that start active uniformly")
{
    uint32_t drawn[12] = { 0 };

    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct paths paths;

        paths_shape(&paths, 2, 2, 4);
        paths.profile.is_ordered = false;
        paths_open(&paths, seed);
        EXPECT_EQ(active_on(&paths, 0), 2);
        EXPECT_EQ(active_on(&paths, 1), 2);
        for (uint32_t i = 0; i < 12; i++)
            drawn[i] += path_is_active(paths.set, i);
    }
    for (uint32_t i = 0; i < 12; i++) {
        EXPECT_GT(drawn[i], 870); /* 1,000 expected, deviation 26 */
        EXPECT_LT(drawn[i], 1130);
    }
}

SPEC("of two EVs either may start active")
{
    uint32_t drawn[2] = { 0 };

    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct paths paths;

        paths_shape(&paths, 1, 1, 1);
        paths.profile.is_ordered = false;
        paths_open(&paths, seed);
        drawn[path_is_active(paths.set, 0) ? 0 : 1]++;
    }
    EXPECT_GT(drawn[0], 420); /* 500 expected, deviation 16 */
    EXPECT_GT(drawn[1], 420);
}

SPEC("backups of an unordered profile are activated at random")
{
    uint32_t came_in[6] = { 0 };

    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct paths paths;

        paths_shape(&paths, 1, 1, 5);
        paths.profile.is_ordered = false;
        paths_open(&paths, seed);
        for (uint32_t i = 0; i < 6; i++)
            if (path_is_active(paths.set, i)) {
                path_deny(paths.set, i, 0);
                break;
            }
        for (uint32_t i = 0; i < 6; i++)
            came_in[i] += path_is_active(paths.set, i);
    }
    for (uint32_t i = 0; i < 6; i++) {
        EXPECT_GT(came_in[i], 400); /* 500 expected, deviation 20 */
        EXPECT_LT(came_in[i], 600);
    }
}

SPEC("denied EVs of an unordered profile are not drawn")
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct paths paths;

        paths_shape(&paths, 1, 2, 2);
        paths.profile.is_ordered = false;
        paths.entries[1].denied = paths.entries[2].denied = true;
        paths_open(&paths, seed);
        EXPECT(path_is_active(paths.set, 0));
        EXPECT(path_is_active(paths.set, 3));
    }
}

SPEC("an EV that leaves or joins a rotation does not change the turns of the others")
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct paths paths;
        uint32_t used[6] = { 0 };
        uint32_t gone;

        paths_shape(&paths, 1, 5, 1);
        paths_open(&paths, seed);
        for (uint32_t i = 0; i < seed % 5; i++)
            used[path_pick(paths.set, 1, 0)]++;
        gone = (uint32_t)(seed / 5 % 5);
        path_on_loss(paths.set, gone, false, 0, 0);
        path_check(paths.set);
        for (uint32_t left = 5 - (uint32_t)(seed % 5) + used[gone]; left > 0; left--)
            used[path_pick(paths.set, 1, 0)]++;
        for (uint32_t i = 0; i < 6; i++)
            EXPECT_EQ(used[i], i == gone ? used[gone] : 1);
    }
}

SPEC("the listener is called once for each change, with its cause, after the change is complete")
{
    struct paths paths;

    paths_init(&paths, 1, 2, 1);
    path_on_mark(paths.set, 1, PATH_TRIMMED, 5);
    EXPECT_EQ(paths.change_count, 1);
    EXPECT_EQ(paths.change.ev_index, 1);
    EXPECT_EQ(paths.change.from, EV_GOOD);
    EXPECT_EQ(paths.change.to, EV_SKIP);
    EXPECT_EQ(paths.change.cause, PATH_TRIMMED);
    path_on_mark(paths.set, 1, PATH_TRIMMED, 5);
    EXPECT_EQ(paths.change_count, 1);
    path_on_loss(paths.set, 1, false, 0, 5);
    EXPECT_EQ(paths.change_count, 2);
    EXPECT_EQ(paths.change.from, EV_SKIP);
    EXPECT_EQ(paths.change.to, EV_ASSUMED_BAD);
    EXPECT_EQ(paths.change.cause, PATH_LOST);
}

static void check_settled(void *context, const struct path_change *change, uint64_t now_ns)
{
    struct paths *paths = context;

    path_check(paths->set);
    EXPECT_EQ(path_state_of(paths->set, change->ev_index), change->to);
    EXPECT_EQ(now_ns, 77);
    paths->change_count++;
}

SPEC("a listener may read the set while it is called")
{
    struct paths paths;
    struct arena arena;

    paths_shape(&paths, 1, 2, 1);
    arena_init(&arena, paths.memory, sizeof(paths.memory));
    paths.config.on_change = check_settled;
    paths.set = path_set_init(&arena, &paths.profile, &paths.config, &paths, (struct prng){ 1 });
    path_timing_changed(paths.set, &paths.timing);
    path_on_loss(paths.set, 0, false, 0, 77);
    path_deny(paths.set, 0, 77);
    path_allow(paths.set, 0, 77);
    path_on_mark(paths.set, 1, PATH_MARKED_SKIP_ONCE, 77);
    EXPECT_EQ(paths.change_count, 4);
}

SPEC("a listener is optional")
{
    struct paths paths;
    struct arena arena;

    paths_shape(&paths, 1, 2, 1);
    paths.config.on_change = NULL;
    arena_init(&arena, paths.memory, sizeof(paths.memory));
    paths.set = path_set_init(&arena, &paths.profile, &paths.config, NULL, (struct prng){ 1 });
    path_timing_changed(paths.set, &paths.timing);
    EXPECT(path_on_loss(paths.set, 0, false, 0, 0));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
}

/* Amid a rotation, with EVs in every state and a probe on its way. */
static void open_amid(struct paths *paths)
{
    paths_init(paths, 2, 6, 1);
    ev_table_apply(paths->set, 1, PATH_SUSPECTED, 0);
    path_deny(paths->set, 2, 0);
    path_on_loss(paths->set, 8, false, 0, 0);
    for (uint32_t i = 0; i < 5; i++)
        path_pick(paths->set, ALL_PLANES, 0);
    path_on_mark(paths->set, 0, PATH_MARKED_SKIP_ONCE, 0);
    EXPECT_EQ(path_probe_next(paths->set, ALL_PLANES, 0), 1);
}

/* Both go on alike: probes, none of them answered, and packets in between. */
static void expect_alike(struct paths *moved, struct paths *stayed)
{
    for (uint32_t i = 0; i < 200; i++) {
        uint64_t now_ns = path_probe_deadline_ns(stayed->set);

        EXPECT_EQ(path_probe_deadline_ns(moved->set), now_ns);
        EXPECT_EQ(path_probe_next(moved->set, ALL_PLANES, now_ns),
            path_probe_next(stayed->set, ALL_PLANES, now_ns));
        EXPECT_EQ(
            path_pick(moved->set, ALL_PLANES, now_ns), path_pick(stayed->set, ALL_PLANES, now_ns));
        for (uint32_t ev_index = 0; ev_index < 14; ev_index++)
            EXPECT_EQ(path_state_of(moved->set, ev_index), path_state_of(stayed->set, ev_index));
        path_check(moved->set);
    }
}

SPEC("a set that was moved keeps states, rotations and probes, and does not use its old memory")
{
    static struct paths from;
    static struct paths moved;
    static struct paths stayed;

    open_amid(&from);
    open_amid(&stayed);
    moved.set = (struct path_set *)(void *)moved.memory;
    path_set_move(moved.set, from.set, &moved);
    memset(from.memory, 0xff, sizeof(from.memory));
    EXPECT_EQ(path_state_of(moved.set, 0), EV_SKIP);
    EXPECT_EQ(path_state_of(moved.set, 1), EV_SUSPECT);
    EXPECT_EQ(path_state_of(moved.set, 2), EV_DENIED);
    EXPECT_EQ(path_state_of(moved.set, 8), EV_ASSUMED_BAD);
    expect_alike(&moved, &stayed);
    EXPECT_EQ(path_state_of(moved.set, 1), EV_ASSUMED_BAD); /* two probes were not answered */
}

SPEC("a set that was moved reports its changes to the new context")
{
    static struct paths from;
    static struct paths moved;
    uint32_t change_count;

    open_amid(&from);
    change_count = from.change_count;
    moved.set = (struct path_set *)(void *)moved.memory;
    path_set_move(moved.set, from.set, &moved);
    EXPECT_EQ(moved.change_count, 0);
    path_deny(moved.set, 9, 3);
    EXPECT_EQ(moved.change_count, 1);
    EXPECT_EQ(moved.change.ev_index, 9);
    EXPECT_EQ(moved.change.to, EV_DENIED);
    EXPECT_EQ(from.change_count, change_count);
    EXPECT_EQ(path_state_of(from.set, 9), EV_GOOD);
}

SPEC("a literal skip lasts a base RTT, and at most half as long again, for any base RTT")
{
    static const uint32_t base_rtts_ns[] = { 100, 1000, 9999, 10000, 16384, 200000, 1000000000 };

    for (uint32_t i = 0; i < sizeof(base_rtts_ns) / sizeof(base_rtts_ns[0]); i++) {
        uint64_t base_rtt_ns = base_rtts_ns[i];
        const struct ev_table_ev *ev;
        struct paths paths;

        paths_shape(&paths, 1, 1, 0);
        paths.timing.base_rtt_ns = base_rtts_ns[i];
        paths_open(&paths, 1);
        ev = &ev_table_evs(paths.set)[0];
        for (uint64_t start_ns = 0; start_ns < 3 * base_rtt_ns; start_ns += base_rtt_ns / 7) {
            path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, start_ns);
            EXPECT_GT(ev_table_skip_left(paths.set, ev, start_ns + base_rtt_ns), 0);
            EXPECT_LE(ev_table_skip_left(paths.set, ev, start_ns + base_rtt_ns * 3 / 2), 0);
        }
    }
}

SPEC("a tick is the largest power of two that a base RTT holds at least four times")
{
    static const uint32_t expected[][2] = { { 7, 0 }, { 8, 1 }, { 10000, 11 }, { 16383, 11 },
        { 16384, 12 }, { 1000000000, 27 } };

    for (uint32_t i = 0; i < 6; i++) {
        struct paths paths;

        paths_init(&paths, 1, 1, 0);
        paths.timing.base_rtt_ns = expected[i][0];
        path_timing_changed(paths.set, &paths.timing);
        EXPECT_EQ(paths.set->tick_shift, expected[i][1]);
    }
}

SPEC("a skip ends exactly at its tick")
{
    struct paths paths;

    paths_init(&paths, 1, 2, 0); /* 10 us: ticks of 2048 ns */
    path_on_mark(paths.set, 0, PATH_TRIMMED, 5 * 2048 + 7);
    EXPECT_EQ(ev_table_skip_left(paths.set, &ev_table_evs(paths.set)[0], 5 * 2048), 6);
    EXPECT_EQ(ev_table_skip_left(paths.set, &ev_table_evs(paths.set)[0], 11 * 2048 - 1), 1);
    EXPECT_EQ(ev_table_skip_left(paths.set, &ev_table_evs(paths.set)[0], 11 * 2048), 0);
    EXPECT_EQ(ev_table_skip_left(paths.set, &ev_table_evs(paths.set)[0], 12 * 2048), -1);
}

SPEC("the floor counts the EVs in rotation after a backup has been activated")
{
    struct paths paths;

    paths_shape(&paths, 2, 2, 1);
    paths.profile.min_active = 4;
    paths_open(&paths, 1);
    EXPECT(ev_table_may_demote(paths.set, 0));
    EXPECT(path_on_loss(paths.set, 0, false, 0, 0));
    EXPECT(!ev_table_may_demote(paths.set, 1));
    EXPECT(!ev_table_may_demote(paths.set, 2));
    EXPECT(ev_table_may_demote(paths.set, 3));
    EXPECT(ev_table_may_demote(paths.set, 5)); /* a backup: nothing leaves the rotation */
}

SPEC("a profile without a floor keeps a quarter of all its EVs, at least one")
{
    struct paths paths;

    paths_shape(&paths, 1, 8, 4);
    paths.profile.min_active = 0;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 12; i++)
        path_on_loss(paths.set, i, false, 0, 0);
    EXPECT_EQ(path_usable_count(paths.set), 3);
    EXPECT_EQ(path_refusals(paths.set), 3);

    paths_shape(&paths, 1, 2, 0);
    paths.profile.min_active = 0;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 20; i++)
        path_on_loss(paths.set, i % 2, false, i, i);
    EXPECT_EQ(path_usable_count(paths.set), 1);
}

SPEC("below the floor an EV is demoted after three losses in a row, if another is left")
{
    struct paths paths;

    paths_shape(&paths, 1, 2, 0);
    paths.profile.min_active = 2;
    paths_open(&paths, 1);
    ev_table_evs(paths.set)[0].in_a_row = 2;
    EXPECT(!ev_table_may_demote(paths.set, 0));
    ev_table_evs(paths.set)[0].in_a_row = 3;
    EXPECT(ev_table_may_demote(paths.set, 0));
    path_deny(paths.set, 1, 0);
    EXPECT(!ev_table_may_demote(paths.set, 0));
}

SPEC("an EV is the last of its plane if the plane has no other, in rotation or as a backup")
{
    struct paths paths;

    paths_init(&paths, 2, 1, 1);
    EXPECT(!ev_table_is_last_of_plane(paths.set, 0));
    EXPECT(!ev_table_is_last_of_plane(paths.set, 1)); /* a backup */
    path_deny(paths.set, 1, 0);
    EXPECT(ev_table_is_last_of_plane(paths.set, 0));
    EXPECT(!ev_table_is_last_of_plane(paths.set, 1));
    EXPECT(!ev_table_is_last_of_plane(paths.set, 2));

    paths_init(&paths, 1, 2, 0);
    EXPECT(!ev_table_is_last_of_plane(paths.set, 0));
    path_deny(paths.set, 0, 0);
    EXPECT(ev_table_is_last_of_plane(paths.set, 1));
}

SPEC("a suspect is counted apart from bad EVs, is not in the rotation, and is usable on its return")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    ev_table_apply(paths.set, 2, PATH_SUSPECTED, 0);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_SUSPECT);
    EXPECT_EQ(paths.set->suspect_count, 1);
    EXPECT_EQ(path_bad_count(paths.set), 0);
    EXPECT_EQ(path_usable_count(paths.set), 3);
    EXPECT(!path_is_active(paths.set, 2));
    path_check(paths.set);
    ev_table_apply(paths.set, 2, PATH_SILENT, 0);
    EXPECT_EQ(paths.set->suspect_count, 0);
    EXPECT_EQ(path_bad_count(paths.set), 1);
    path_check(paths.set);
    ev_table_apply(paths.set, 2, PATH_PROBE_ANSWERED, 0);
    EXPECT_EQ(path_bad_count(paths.set), 0);
    EXPECT(path_is_active(paths.set, 2));
    path_check(paths.set);
}

SPEC("a suspect that turns bad keeps its earlier state")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_mark(paths.set, 1, PATH_TRIMMED, 0);
    ev_table_apply(paths.set, 1, PATH_SUSPECTED, 0);
    ev_table_apply(paths.set, 1, PATH_SILENT, 0);
    path_on_spurious(paths.set, 1, 10);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_SKIP);
    ev_table_apply(paths.set, 2, PATH_SUSPECTED, 0);
    path_on_spurious(paths.set, 2, 10);
    EXPECT_EQ(path_state_of(paths.set, 2), EV_GOOD);
}
