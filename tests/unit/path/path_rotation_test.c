/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a rotation from one time to the next, and what marks change in it. */
#include "path/ev_table.h"

#include "paths.h"
#include "spec.h"

enum { PLACES_MAX = 512 };

static void open_rotation(
    struct paths *paths, enum path_ev_skip ev_skip, uint32_t ev_count, uint64_t seed)
{
    paths_shape(paths, 1, ev_count, 0);
    paths->config.ev_skip = ev_skip;
    paths_open(paths, seed);
}

/* Takes one rotation. Writes the place of each EV, or PATH_NONE if it is not used. */
static void take_rotation(struct paths *paths, uint32_t places[PLACES_MAX])
{
    uint8_t rotation = ev_table_rotations(paths->set)[0];

    for (uint32_t i = 0; i < PLACES_MAX; i++)
        places[i] = PATH_NONE;
    for (uint32_t place = 0; ev_table_rotations(paths->set)[0] == rotation; place++) {
        uint32_t ev_index = path_pick(paths->set, 1, 0);

        EXPECT(places[ev_index] == PATH_NONE);
        places[ev_index] = place;
    }
}

/* Returns by how many places EVs have moved, together, and at most towards the front. */
static uint32_t moved_places(const uint32_t before[PLACES_MAX], const uint32_t after[PLACES_MAX],
    uint32_t ev_count, uint32_t *forward_most)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < ev_count; i++) {
        if (after[i] < before[i] && before[i] - after[i] > *forward_most)
            *forward_most = before[i] - after[i];
        sum += after[i] > before[i] ? after[i] - before[i] : before[i] - after[i];
    }
    return sum;
}

/* Returns the mean over 100 rotations of how far an EV moves, in tenths of a place. */
static uint32_t mean_move(enum path_ev_skip ev_skip, uint32_t *forward_most)
{
    uint32_t places[2][PLACES_MAX];
    struct paths paths;
    uint32_t sum = 0;

    open_rotation(&paths, ev_skip, 64, 1);
    take_rotation(&paths, places[0]);
    for (uint32_t i = 1; i <= 100; i++) {
        take_rotation(&paths, places[i % 2]);
        sum += moved_places(places[(i + 1) % 2], places[i % 2], 64, forward_most);
    }
    return sum / 640;
}

SPEC("where delays are measured, an EV has its turn near its place in the rotation before")
{
    uint32_t forward_most = 0;
    uint32_t move = mean_move(PATH_SKIP_DELAY, &forward_most);

    EXPECT_GE(move, 10); /* a place: orders differ, so that QPs do not synchronise */
    EXPECT_LE(move, 40);
    EXPECT_EQ(forward_most, 3);
}

SPEC("with literal settings, the order is drawn anew in each rotation")
{
    uint32_t forward_most = 0;
    uint32_t move = mean_move(PATH_SKIP_LITERAL, &forward_most);

    EXPECT_GE(move, 200); /* 64 / 3 places expected */
    EXPECT_GE(forward_most, 50);
}

SPEC("after many rotations the order is another")
{
    uint32_t places[2][PLACES_MAX];
    struct paths paths;
    uint32_t forward_most = 0;

    open_rotation(&paths, PATH_SKIP_DELAY, 64, 1);
    take_rotation(&paths, places[0]);
    for (uint32_t i = 0; i < 1000; i++)
        take_rotation(&paths, places[1]);
    EXPECT_GE(moved_places(places[0], places[1], 64, &forward_most), 64 * 12);
}

struct marked_turns {
    uint32_t missed_count;
    uint32_t first; /* places of its turn */
    uint32_t last;
};

/* Marks the EV in each of 1,000 new rotations, in a round that is over when its turn comes. */
static struct marked_turns turns_after_mark(uint32_t ev_index, uint32_t ev_count)
{
    struct marked_turns turns = { .first = UINT32_MAX };

    for (uint64_t seed = 0; seed < 1000; seed++) {
        uint32_t places[PLACES_MAX];
        struct paths paths;

        open_rotation(&paths, PATH_SKIP_DELAY, ev_count, seed);
        path_on_mark(paths.set, ev_index, PATH_MARKED_SKIP_ONCE, 0);
        path_next_round(paths.set);
        take_rotation(&paths, places);
        path_check(paths.set);
        EXPECT_EQ(path_state_of(paths.set, ev_index), EV_GOOD);
        if (places[ev_index] == PATH_NONE) {
            turns.missed_count++;
            continue;
        }
        turns.first = places[ev_index] < turns.first ? places[ev_index] : turns.first;
        turns.last = places[ev_index] > turns.last ? places[ev_index] : turns.last;
    }
    return turns;
}

SPEC("an EV marked in an earlier round takes its turn up to 16 places later, or misses it")
{
    struct marked_turns turns = turns_after_mark(20, 64);

    EXPECT_GT(turns.missed_count, 180); /* a quarter: 250 expected, deviation 14 */
    EXPECT_LT(turns.missed_count, 320);
    EXPECT_EQ(turns.first, 17); /* the first of the four from which the draw takes it */
    EXPECT_GT(turns.last, 35);
    EXPECT_LT(turns.last, 63);
}

SPEC("in long rotations few marked EVs miss their turn: a mark is old when it comes")
{
    struct marked_turns turns = turns_after_mark(20, 512);

    EXPECT_GT(turns.missed_count, 30); /* 32 of 512: 62 expected, deviation 8 */
    EXPECT_LT(turns.missed_count, 95);
}

SPEC("a marked EV that is the last of its rotation is not postponed: there is no later place")
{
    struct marked_turns turns = turns_after_mark(0, 1);

    EXPECT_EQ(turns.missed_count, 0);
    EXPECT_EQ(turns.last, 0);
}

SPEC("a postponed EV keeps its new place")
{
    uint32_t places[2][PLACES_MAX];
    uint32_t later_sum = 0;

    for (uint64_t seed = 0; seed < 100; seed++) {
        struct paths paths;

        open_rotation(&paths, PATH_SKIP_DELAY, 64, seed);
        path_on_mark(paths.set, 20, PATH_MARKED_SKIP_ONCE, 0);
        path_next_round(paths.set);
        take_rotation(&paths, places[0]);
        take_rotation(&paths, places[1]);
        later_sum += places[1][20];
    }
    EXPECT_GT(later_sum, 2400); /* its place was 20; postponed by 8 on average in 3 of 4 cases */
}
