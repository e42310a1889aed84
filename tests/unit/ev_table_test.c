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

SPEC("256 EVs take 1,280 bytes, and 512 more with skip_backoff")
{
    EXPECT_EQ(path_set_bytes(256, false) - path_set_bytes(0, false), 1280);
    EXPECT_EQ(path_set_bytes(256, true) - path_set_bytes(256, false), 512);
    EXPECT_LE(path_set_bytes(0, false) + sizeof(struct path_reverse), 420);
}

SPEC("setting up takes from the arena what path_set_bytes() says, and a measuring arena gives none")
{
    struct paths paths;
    struct arena arena;

    paths_shape(&paths, 2, 4, 2);
    arena_init(&arena, NULL, 0);
    EXPECT(!path_set_init(
        &arena, &paths.profile, &paths.config, (struct path_listener){ 0 }, (struct prng){ 1 }));
    EXPECT_EQ(arena.used_bytes, path_set_bytes(12, false));
    paths.config.skip_backoff = true;
    arena_init(&arena, NULL, 0);
    path_set_init(
        &arena, &paths.profile, &paths.config, (struct path_listener){ 0 }, (struct prng){ 1 });
    EXPECT_EQ(arena.used_bytes, path_set_bytes(12, true));
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

SPEC("an EV denied from the start has its place taken by a backup")
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

SPEC("a demoted EV is replaced by a backup of its own plane while there is one")
{
    struct paths paths;

    paths_init(&paths, 2, 3, 2);
    EXPECT(path_on_loss(paths.set, 0, 0, 1000));
    EXPECT(!path_is_active(paths.set, 0));
    EXPECT_EQ(active_on(&paths, 0), 3);
    EXPECT(path_on_loss(paths.set, 1, 0, 1000));
    EXPECT_EQ(active_on(&paths, 0), 3);
    EXPECT(path_on_loss(paths.set, 2, 0, 1000));
    EXPECT_EQ(active_on(&paths, 0), 2);
    EXPECT_EQ(active_on(&paths, 1), 3);
    EXPECT_EQ(path_usable_count(paths.set), 5);
    EXPECT_EQ(path_bad_count(paths.set), 3);
    path_check(paths.set);
}

SPEC("a plane without a usable EV leaves the rotation and comes back with the first one")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 2, 2, 0);
    path_on_loss(paths.set, 2, 0, now_ns);
    EXPECT_EQ(path_usable_planes(paths.set, ALL_PLANES), 3);
    path_on_loss(paths.set, 3, 0, now_ns);
    EXPECT_EQ(path_usable_planes(paths.set, ALL_PLANES), 1);
    paths_answer_probes(&paths, 2, 3, &now_ns);
    EXPECT_EQ(path_usable_planes(paths.set, ALL_PLANES), 3);
    EXPECT(path_is_active(paths.set, 2));
    path_check(paths.set);
}

SPEC("an EV that recovers becomes a backup if its plane has its quota, else active")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 2, 1);
    path_on_loss(paths.set, 0, 0, now_ns);
    paths_answer_probes(&paths, 0, 3, &now_ns);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT(!path_is_active(paths.set, 0));
    path_on_loss(paths.set, 1, now_ns, now_ns);
    EXPECT(path_is_active(paths.set, 0));
    path_on_loss(paths.set, 2, now_ns, now_ns);
    EXPECT_EQ(path_usable_count(paths.set), 1);
    paths_answer_probes(&paths, 1, 3, &now_ns);
    EXPECT(path_is_active(paths.set, 1));
    path_check(paths.set);
}

SPEC("of several backups one that has never failed comes first, then GOOD before SKIP")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 2, 3);
    path_on_loss(paths.set, 0, 0, now_ns); /* 2 comes in */
    paths_answer_probes(&paths, 0, 3, &now_ns);
    path_on_mark(paths.set, 3, PATH_MARKED_SKIP_ONCE, now_ns);
    path_on_loss(paths.set, 1, now_ns, now_ns);
    EXPECT(path_is_active(paths.set, 4));
    path_on_loss(paths.set, 2, now_ns, now_ns);
    EXPECT(path_is_active(paths.set, 3));
    EXPECT(!path_is_active(paths.set, 0));
    path_check(paths.set);
}

SPEC("what leaves or joins a rotation leaves the turns of the others alone")
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
        path_on_loss(paths.set, gone, 0, 0);
        path_check(paths.set);
        for (uint32_t left = 5 - (uint32_t)(seed % 5) + used[gone]; left > 0; left--)
            used[path_pick(paths.set, 1, 0)]++;
        for (uint32_t i = 0; i < 6; i++)
            EXPECT_EQ(used[i], i == gone ? used[gone] : 1);
    }
}

SPEC("the listener hears of each change once, with its cause, when everything is settled")
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
    path_on_loss(paths.set, 1, 0, 5);
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

SPEC("a listener may look at the set while it is told")
{
    struct paths paths;
    struct arena arena;

    paths_shape(&paths, 1, 2, 1);
    arena_init(&arena, paths.memory, sizeof(paths.memory));
    paths.set = path_set_init(&arena, &paths.profile, &paths.config,
        (struct path_listener){ .on_change = check_settled, .context = &paths },
        (struct prng){ 1 });
    path_on_loss(paths.set, 0, 0, 77);
    path_deny(paths.set, 0, 77);
    path_allow(paths.set, 0, 77);
    path_on_mark(paths.set, 1, PATH_MARKED_SKIP_ONCE, 77);
    EXPECT_EQ(paths.change_count, 4);
}

SPEC("nobody need listen")
{
    struct paths paths;
    struct arena arena;

    paths_shape(&paths, 1, 2, 1);
    arena_init(&arena, paths.memory, sizeof(paths.memory));
    paths.set = path_set_init(
        &arena, &paths.profile, &paths.config, (struct path_listener){ 0 }, (struct prng){ 1 });
    EXPECT(path_on_loss(paths.set, 0, 0, 0));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
}

SPEC("a mark lapses after one base RTT, and before one and a quarter, whatever the base RTT")
{
    static const uint32_t base_rtts_ns[] = { 100, 1000, 9999, 10000, 16384, 200000, 1000000000 };

    for (uint32_t i = 0; i < sizeof(base_rtts_ns) / sizeof(base_rtts_ns[0]); i++) {
        uint64_t base_rtt_ns = base_rtts_ns[i];
        struct paths paths;

        paths_init(&paths, 1, 1, 0);
        path_base_rtt_changed(paths.set, base_rtts_ns[i]);
        for (uint64_t start_ns = 0; start_ns < 3 * base_rtt_ns; start_ns += base_rtt_ns / 7) {
            path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, start_ns);
            EXPECT_LT(
                ev_table_mark_age(paths.set, &ev_table_evs(paths.set)[0], start_ns + base_rtt_ns),
                paths.set->lapse_ticks);
            EXPECT_GE(ev_table_mark_age(paths.set, &ev_table_evs(paths.set)[0],
                          start_ns + base_rtt_ns * 5 / 4 + 1),
                paths.set->lapse_ticks);
        }
    }
}

SPEC("the floor counts what is in rotation after a backup has come in")
{
    struct paths paths;

    paths_shape(&paths, 2, 2, 1);
    paths.profile.min_active = 4;
    paths_open(&paths, 1);
    EXPECT(ev_table_may_demote(paths.set, 0));
    EXPECT(path_on_loss(paths.set, 0, 0, 0));
    EXPECT(!ev_table_may_demote(paths.set, 1));
    EXPECT(!ev_table_may_demote(paths.set, 2));
    EXPECT(ev_table_may_demote(paths.set, 3));
    EXPECT(ev_table_may_demote(paths.set, 5)); /* a backup: nothing leaves the rotation */
}

SPEC("without a floor of its own a profile keeps a quarter of all its EVs, at least one")
{
    struct paths paths;

    paths_shape(&paths, 1, 8, 4);
    paths.profile.min_active = 0;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 12; i++)
        path_on_loss(paths.set, i, 0, 0);
    EXPECT_EQ(path_usable_count(paths.set), 3);
    EXPECT_EQ(path_refusals(paths.set), 3);

    paths_shape(&paths, 1, 2, 0);
    paths.profile.min_active = 0;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 20; i++)
        path_on_loss(paths.set, i % 2, i, i);
    EXPECT_EQ(path_usable_count(paths.set), 1);
}
