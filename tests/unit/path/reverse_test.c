/* SPDX-License-Identifier: Apache-2.0 */
/* The EVs and planes of control packets. */
#include "paths.h"
#include "spec.h"

struct back {
    struct paths paths;
    struct path_reverse reverse;
    struct prng prng;
};

static void set_up(struct back *back, uint32_t plane_count, uint32_t per_plane_count)
{
    paths_shape(&back->paths, plane_count, per_plane_count, 0);
    path_reverse_init(&back->reverse, &back->paths.profile);
    back->prng = prng_stream(1, 0);
}

static uint32_t choose(struct back *back, uint32_t plane_mask)
{
    return path_reverse_choose(&back->reverse, plane_mask, PATH_NONE);
}

static void fail(struct back *back, uint32_t ev_index)
{
    path_reverse_on_probe_failed(&back->reverse, &back->paths.profile, ev_index, 2, &back->prng);
}

/* Two failures of whatever is the plane's reverse EV. */
static void fail_reverse_ev(struct back *back, uint32_t plane)
{
    uint32_t ev_index = path_reverse_ev(&back->reverse, plane);

    fail(back, ev_index);
    EXPECT_EQ(path_reverse_ev(&back->reverse, plane), ev_index);
    fail(back, ev_index);
    EXPECT_NE(path_reverse_ev(&back->reverse, plane), ev_index);
    EXPECT_EQ(back->paths.entries[path_reverse_ev(&back->reverse, plane)].plane, plane);
}

static void answer(struct back *back, uint32_t ev_index)
{
    path_reverse_on_probe_answered(&back->reverse, &back->paths.profile, ev_index);
}

SPEC("each plane starts with its first EV that is not denied")
{
    struct back back;

    set_up(&back, 3, 4);
    back.paths.entries[4].denied = back.paths.entries[5].denied = true;
    for (uint32_t i = 8; i < 12; i++)
        back.paths.entries[i].denied = true;
    path_reverse_init(&back.reverse, &back.paths.profile);
    EXPECT_EQ(path_reverse_ev(&back.reverse, 0), 0);
    EXPECT_EQ(path_reverse_ev(&back.reverse, 1), 6);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(choose(&back, ALL_PLANES), i % 2); /* plane 2 has no EV */
}

/* Returns the number of EVs of plane 1 with which 100 NICs that share the list start. */
static uint32_t started_evs(struct back *back)
{
    uint32_t used = 0;
    uint32_t count = 0;

    for (uint64_t nic = 0; nic < 100; nic++) {
        struct prng prng = prng_stream(nic, 0);

        path_reverse_init(&back->reverse, &back->paths.profile);
        path_reverse_scatter(&back->reverse, &back->paths.profile, &prng);
        EXPECT_EQ(path_reverse_ev(&back->reverse, 2), 11);
        used |= 1u << path_reverse_ev(&back->reverse, 1);
    }
    for (; used; used &= used - 1)
        count++;
    return count;
}

SPEC("NICs that share a list start with random EVs that are not denied")
{
    struct back back;

    set_up(&back, 4, 4);
    back.paths.profile.is_ordered = false;
    back.paths.entries[4].denied = true;
    for (uint32_t i = 8; i < 11; i++)
        back.paths.entries[i].denied = true;
    for (uint32_t i = 12; i < 16; i++)
        back.paths.entries[i].denied = true;
    EXPECT_EQ(started_evs(&back), 3);
    EXPECT_EQ(choose(&back, UINT32_C(1) << 3), PATH_NONE);
}

SPEC("with an ordered list, or one with weights, they start with the first")
{
    struct back back;

    set_up(&back, 3, 4);
    for (uint32_t i = 8; i < 11; i++)
        back.paths.entries[i].denied = true;
    EXPECT_EQ(started_evs(&back), 1);
    back.paths.profile.is_ordered = false;
    back.paths.profile.is_weighted = true;
    EXPECT_EQ(started_evs(&back), 1);
}

SPEC("control packets rotate over the planes of the mask")
{
    struct back back;

    set_up(&back, PATH_PLANE_COUNT_MAX, 1);
    for (uint32_t i = 0; i < 44; i++)
        EXPECT_EQ(choose(&back, ALL_PLANES), i % PATH_PLANE_COUNT_MAX);
    EXPECT_EQ(choose(&back, 0x8001), 15);
    EXPECT_EQ(choose(&back, 0x8001), 0);
    EXPECT_EQ(choose(&back, 0), PATH_NONE);
    EXPECT_EQ(choose(&back, 0x10000), PATH_NONE);
}

SPEC("the plane of the arrival is used while it is in the rotation, without a change of turns")
{
    struct back back;

    set_up(&back, 4, 4);
    EXPECT_EQ(path_reverse_choose(&back.reverse, ALL_PLANES, 2), 2);
    EXPECT_EQ(path_reverse_choose(&back.reverse, ALL_PLANES, 2), 2);
    EXPECT_EQ(choose(&back, ALL_PLANES), 0);
    EXPECT_EQ(path_reverse_choose(&back.reverse, 0xb, 2), 1);
    fail_reverse_ev(&back, 3);
    fail_reverse_ev(&back, 3);
    EXPECT_EQ(path_reverse_choose(&back.reverse, ALL_PLANES, 3), 2);
    EXPECT_EQ(path_reverse_choose(&back.reverse, 0x8, 3), 3);
}

SPEC("a plane that cannot be replaced stays in doubt however many of its EVs fail")
{
    struct back back;

    set_up(&back, 1, 8);
    for (uint32_t i = 1; i <= 5; i++) {
        fail_reverse_ev(&back, 0);
        EXPECT_EQ(back.reverse.planes[0].failed_evs, i < 3 ? i : 3);
        EXPECT_EQ(back.reverse.out_mask, 0);
    }
}

SPEC("an answered probe or unmarked data makes its EV the reverse EV of its plane")
{
    struct back back;

    set_up(&back, 3, 4);
    answer(&back, 6);
    EXPECT_EQ(path_reverse_ev(&back.reverse, 1), 6);
    path_reverse_on_unmarked(&back.reverse, &back.paths.profile, 11);
    EXPECT_EQ(path_reverse_ev(&back.reverse, 2), 11);
    EXPECT_EQ(path_reverse_ev(&back.reverse, 0), 0);
}

/* Returns the EVs, as bits, that 64 frequent control packets use on plane 1. */
static uint64_t used_on_plane_1(struct back *back)
{
    uint64_t used = 0;

    for (uint32_t i = 0; i < 64; i++)
        used |= UINT64_C(1) << path_reverse_next_ev(&back->reverse, 1);
    return used;
}

SPEC("frequent control packets take in turn the EVs answered last, with eight planes four")
{
    struct back back;

    set_up(&back, 8, 6); /* plane 1 has the EVs 6 to 11 */
    EXPECT_EQ(used_on_plane_1(&back), UINT64_C(1) << 6);
    answer(&back, 7);
    EXPECT_EQ(used_on_plane_1(&back), UINT64_C(1) << 7); /* the first was never answered */
    answer(&back, 9);
    answer(&back, 7);
    EXPECT_EQ(used_on_plane_1(&back), UINT64_C(5) << 7);
    answer(&back, 8);
    answer(&back, 10);
    EXPECT_EQ(used_on_plane_1(&back), UINT64_C(15) << 7);
    answer(&back, 11);
    EXPECT_EQ(__builtin_popcountll(used_on_plane_1(&back)), 4);
    EXPECT(used_on_plane_1(&back) >> 11 & 1);
}

SPEC("frequent control packets change their EV after eight packets")
{
    uint32_t former = PATH_NONE;
    struct back back;

    set_up(&back, 8, 6);
    for (uint32_t ev = 7; ev <= 10; ev++)
        answer(&back, ev);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t ev_index = path_reverse_next_ev(&back.reverse, 1);

        EXPECT_EQ(ev_index != former, i % 8 == 0);
        former = ev_index;
    }
}

SPEC("an EV that is answered again, at once or later, leaves the others their places")
{
    struct back back;

    set_up(&back, 8, 6);
    for (uint32_t ev = 6; ev <= 9; ev++)
        answer(&back, ev);
    for (uint32_t i = 0; i < 4; i++)
        answer(&back, 9);
    EXPECT_EQ(used_on_plane_1(&back), UINT64_C(15) << 6);
    answer(&back, 8);
    EXPECT_EQ(used_on_plane_1(&back), UINT64_C(15) << 6);
}

SPEC("an EV that replaced a failed one is not kept once another is answered")
{
    struct back back;
    uint32_t answered;

    set_up(&back, 8, 6);
    answer(&back, 7);
    answer(&back, 8);
    fail_reverse_ev(&back, 1);
    answered = path_reverse_ev(&back.reverse, 1) == 9 ? 10 : 9;
    answer(&back, answered);
    EXPECT_EQ(used_on_plane_1(&back), UINT64_C(1) << answered);
}

SPEC("where a plane has fewer paths than places, frequent control packets take each about equally "
     "often")
{
    for (uint32_t paths = 2; paths <= 4; paths++) {
        uint32_t counts[4] = { 0 };
        struct back back;

        set_up(&back, 1, paths);
        for (uint32_t i = 0; i < 8 * paths; i++)
            answer(&back, i % paths);
        for (uint32_t i = 0; i < 64; i++)
            counts[path_reverse_next_ev(&back.reverse, 0)]++;
        for (uint32_t ev = 0; ev < paths; ev++) {
            EXPECT_GE(counts[ev], 64 / paths - 16);
            EXPECT_LE(counts[ev], 64 / paths + 16);
        }
    }
}

SPEC("with one plane, too, if each former EV has one place, they leave in turn")
{
    static const uint32_t order[] = { 1, 2, 0, 3, 4, 5, 6, 7, 8 };
    uint64_t used = 0;
    struct back back;

    set_up(&back, 1, 9);
    for (uint32_t i = 0; i < 9; i++)
        answer(&back, order[i]);
    for (uint32_t i = 0; i < 64; i++)
        used |= UINT64_C(1) << path_reverse_next_ev(&back.reverse, 0);
    EXPECT_EQ(used, 0x1fb); /* 2 has the first place: 1 had all of them when it came */
}

SPEC("if a plane has more paths than places, the EVs answered last remain, on every plane")
{
    static const uint32_t plane_counts[] = { 1, 4, 8, 16 };

    for (uint32_t i = 0; i < 4; i++) {
        uint32_t last = plane_counts[i] - 1;
        struct back back;
        uint64_t used = 0;

        set_up(&back, plane_counts[i], 16);
        for (uint32_t ev = 0; ev < 40; ev++)
            answer(&back, last * 16 + ev % 16);
        for (uint32_t packet = 0; packet < 64; packet++)
            used |= UINT64_C(1) << path_reverse_next_ev(&back.reverse, last) % 16;
        for (uint32_t ev = 0; ev < 8; ev++) /* the last one is 7 */
            EXPECT_EQ(used >> ev & 1, 7 - ev <= back.reverse.older_per_plane);
        EXPECT_EQ(used >> 8, 0);
    }
}

SPEC("data that is acknowledged leaves only its own EV, until a probe is answered")
{
    struct back back;

    set_up(&back, 8, 6);
    answer(&back, 7);
    answer(&back, 8);
    path_reverse_on_unmarked(&back.reverse, &back.paths.profile, 9);
    EXPECT_EQ(used_on_plane_1(&back), UINT64_C(1) << 9);
    answer(&back, 10);
    EXPECT_EQ(used_on_plane_1(&back), UINT64_C(1) << 10);
}

SPEC("a plane has a part of 24 places for former reverse EVs, at most 7")
{
    static const uint32_t expected[][2] = { { 1, 7 }, { 3, 7 }, { 4, 6 }, { 8, 3 }, { 16, 1 } };

    for (uint32_t i = 0; i < 5; i++) {
        struct back back;

        set_up(&back, expected[i][0], 2);
        EXPECT_EQ(back.reverse.older_per_plane, expected[i][1]);
    }
}

SPEC("after any failure on a plane, its control packets keep to the newest EV")
{
    for (uint32_t kind = 0; kind < 3; kind++) {
        struct back back;

        set_up(&back, 8, 6);
        answer(&back, 7);
        answer(&back, 8);
        answer(&back, 9);
        if (kind == 0)
            fail(&back, 9);
        else if (kind == 1)
            fail(&back, 10);
        else
            path_reverse_avoid(&back.reverse, &back.paths.profile, 7, &back.prng);
        EXPECT_EQ(used_on_plane_1(&back), UINT64_C(1) << 9);
    }
}

SPEC("two failed probes replace a reverse EV by another of its plane; one does not")
{
    struct back back;

    set_up(&back, 3, 4);
    fail_reverse_ev(&back, 1);
    EXPECT_EQ(back.reverse.out_mask, 0);
    fail(&back, path_reverse_ev(&back.reverse, 2));
    answer(&back, path_reverse_ev(&back.reverse, 2));
    fail(&back, 8);
    EXPECT_EQ(path_reverse_ev(&back.reverse, 2), 8);
}

SPEC("failures of other EVs do not replace the reverse EV")
{
    struct back back;

    set_up(&back, 2, 4);
    for (uint32_t i = 0; i < 8; i++)
        fail(&back, 5 + i % 3);
    EXPECT_EQ(path_reverse_ev(&back.reverse, 1), 4);
    EXPECT_EQ(back.reverse.out_mask, 0);
}

SPEC("a plane whose reverse EV failed on two in a row leaves the rotation until an answer")
{
    struct back back;

    set_up(&back, 3, 4);
    fail_reverse_ev(&back, 1);
    fail_reverse_ev(&back, 1);
    EXPECT_EQ(back.reverse.out_mask, 0x2);
    for (uint32_t i = 0; i < 6; i++)
        EXPECT_NE(choose(&back, ALL_PLANES), 1);
    answer(&back, 7);
    EXPECT_EQ(back.reverse.out_mask, 0);
    EXPECT_EQ(path_reverse_ev(&back.reverse, 1), 7);
    fail_reverse_ev(&back, 1); /* the count has begun anew */
    EXPECT_EQ(back.reverse.out_mask, 0);
}

SPEC("data acknowledged without a mark returns its plane to the rotation")
{
    struct back back;

    set_up(&back, 2, 4);
    fail_reverse_ev(&back, 1);
    fail_reverse_ev(&back, 1);
    path_reverse_on_unmarked(&back.reverse, &back.paths.profile, 5);
    EXPECT_EQ(back.reverse.out_mask, 0);
}

SPEC("the last plane in the rotation stays until another has returned")
{
    struct back back;

    set_up(&back, 2, 4);
    for (uint32_t i = 0; i < 2; i++) {
        fail_reverse_ev(&back, 0);
        fail_reverse_ev(&back, 1);
    }
    EXPECT_EQ(back.reverse.out_mask, 0x1);
    EXPECT_EQ(choose(&back, ALL_PLANES), 1);
    EXPECT_EQ(choose(&back, 0x1), 0); /* nothing else is up */
    answer(&back, 0);
    EXPECT_EQ(back.reverse.out_mask, 0);
    fail_reverse_ev(&back, 1);
    EXPECT_EQ(back.reverse.out_mask, 0x2);
}

SPEC("a plane with one EV keeps the EV and leaves the rotation")
{
    struct back back;

    set_up(&back, 2, 1);
    for (uint32_t i = 0; i < 4; i++)
        fail(&back, 1);
    EXPECT_EQ(path_reverse_ev(&back.reverse, 1), 1);
    EXPECT_EQ(back.reverse.out_mask, 0x2);
}

SPEC("an EV that may no longer be used is replaced at once")
{
    struct back back;

    set_up(&back, 2, 3);
    for (uint32_t plane = 0; plane < 2; plane++) {
        uint32_t avoided = path_reverse_ev(&back.reverse, plane);

        path_reverse_avoid(&back.reverse, &back.paths.profile, avoided, &back.prng);
        EXPECT_NE(path_reverse_ev(&back.reverse, plane), avoided);
    }
    set_up(&back, 2, 3);
    path_reverse_avoid(&back.reverse, &back.paths.profile, 1, &back.prng);
    EXPECT_EQ(path_reverse_ev(&back.reverse, 0), 0);
    back.paths.entries[0].denied = back.paths.entries[1].denied = true;
    path_reverse_avoid(&back.reverse, &back.paths.profile, 0, &back.prng);
    EXPECT_EQ(path_reverse_ev(&back.reverse, 0), 2);
    back.paths.entries[2].denied = true;
    path_reverse_avoid(&back.reverse, &back.paths.profile, 2, &back.prng);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(choose(&back, ALL_PLANES), 1);
    back.paths.entries[2].denied = false;
    answer(&back, 2);
    EXPECT_NE(choose(&back, ALL_PLANES), choose(&back, ALL_PLANES));
}

SPEC("replacements are random")
{
    uint32_t seen[8] = { 0 };

    for (uint64_t seed = 0; seed < 700; seed++) {
        struct back back;

        set_up(&back, 1, 8);
        back.prng = prng_stream(seed, 0);
        fail_reverse_ev(&back, 0);
        seen[path_reverse_ev(&back.reverse, 0)]++;
    }
    for (uint32_t i = 1; i < 8; i++)
        EXPECT_GT(seen[i], 50); /* 0 is what failed; 1 stands in for it half of the time more */
}

static uint32_t target(struct back *back, uint32_t plane_mask)
{
    return path_reverse_probe_target(&back->reverse, &back->paths.profile, plane_mask, &back->prng);
}

SPEC("probes go to any EV of the planes of the mask that is not denied")
{
    struct back back;
    uint32_t seen[12] = { 0 };

    set_up(&back, 3, 4);
    back.paths.entries[2].denied = true;
    for (uint32_t i = 0; i < 1000; i++)
        seen[target(&back, 0x5)]++;
    for (uint32_t i = 0; i < 12; i++) {
        bool expected = i != 2 && i / 4 != 1;

        EXPECT_EQ(seen[i] > 0, expected);
        EXPECT(!expected || seen[i] > 80);
    }
    EXPECT_EQ(target(&back, 0), PATH_NONE);
    EXPECT_EQ(target(&back, 0x8), PATH_NONE);
}

SPEC("half of the probes test the reverse EV of a plane in doubt, for any reason of the doubt")
{
    for (uint32_t cause = 0; cause < 3; cause++) {
        struct back back;
        uint32_t count = 0;

        set_up(&back, 4, 16);
        if (cause == 0)
            fail(&back, 20); /* another EV of plane 1 */
        else if (cause == 1)
            fail(&back, 16); /* its reverse EV, once */
        else
            fail_reverse_ev(&back, 1);
        for (uint32_t i = 0; i < 1000; i++)
            count += target(&back, ALL_PLANES) == path_reverse_ev(&back.reverse, 1);
        EXPECT_GT(count, 440); /* 508 expected, deviation 16 */
        EXPECT_LT(count, 580);
    }
}

SPEC("planes in doubt share half of the probes")
{
    struct back back;
    uint32_t first = 0;
    uint32_t second = 0;

    set_up(&back, 4, 16);
    fail(&back, 0);
    fail(&back, 32);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t ev_index = target(&back, ALL_PLANES);

        first += ev_index == 0;
        second += ev_index == 32;
    }
    EXPECT_GT(first, 190); /* 258 each expected, deviation 14 */
    EXPECT_GT(second, 190);
}

SPEC("a plane that is not in the rotation is probed as often as any other")
{
    struct back back;
    uint32_t count = 0;

    set_up(&back, 4, 16);
    fail_reverse_ev(&back, 1);
    fail_reverse_ev(&back, 1);
    for (uint32_t i = 0; i < 1000; i++)
        count += target(&back, ALL_PLANES) / 16 == 1;
    EXPECT_GT(count, 180); /* 250 expected, deviation 14 */
    EXPECT_LT(count, 320);
}

SPEC(
    "another way back than the usual one has the full planned share in more than every second case")
{
    uint32_t seen[4] = { 0 };
    struct back back;

    set_up(&back, 1, 4);
    for (uint32_t i = 0; i < 3; i++)
        back.paths.entries[i].turns = 64;
    for (uint32_t i = 0; i < 600; i++)
        seen[path_reverse_other(&back.reverse, &back.paths.profile, 0, &back.prng)]++;
    EXPECT_EQ(seen[0], 0); /* the usual one */
    EXPECT_GT(seen[1], 60);
    EXPECT_GT(seen[2], 60);
    EXPECT_GT(seen[3], 330);
    back.paths.entries[1].denied = back.paths.entries[2].denied = back.paths.entries[3].denied =
        true;
    EXPECT_EQ(path_reverse_other(&back.reverse, &back.paths.profile, 0, &back.prng), 0);
}
