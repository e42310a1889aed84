/* SPDX-License-Identifier: Apache-2.0 */
/* docs/protocol.md, chapters on paths: §14 sets and selection, §15 states, §17 the way back, and
 * the items of §26 that an EV table can show by itself. */
#include "paths.h"
#include "spec.h"

#include "plan/plan.h"

#define SOON US(1) /* after a mark at 0: it has not lapsed */

static uint32_t active_on(const struct paths *paths, uint32_t plane)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < paths->profile.entry_count; i++)
        count += path_plane_of(paths->set, i) == plane && path_is_active(paths->set, i);
    return count;
}

/* Sends and loses or delivers packets in turn, `loss_permille` of them lost at random. */
static void run_with_loss(struct paths *paths, uint32_t packets, uint32_t loss_permille)
{
    struct prng prng = prng_stream(99, 0);

    for (uint32_t i = 0; i < packets; i++) {
        uint64_t now_ns = i * 100ull;
        uint32_t ev_index = path_pick(paths->set, ALL_PLANES, now_ns);

        if (prng_below(&prng, 1000) < loss_permille)
            path_on_loss(paths->set, ev_index, false, now_ns, now_ns);
        else
            path_on_delivered(paths->set, ev_index);
        path_check(paths->set);
    }
}

/* ---- §14.1 sets ------------------------------------------------------------------------------*/

SPEC("§14.1: by default 128 EVs are active and 64 in reserve, equally many on each plane")
{
    static struct path_entry entries[PATH_EV_COUNT_MAX];
    struct plan_generate defaults = { .plane_count = 8,
        .uplink_count = 256,
        .uplink_bits = 8,
        .active_count = 128,
        .backup_count = 64 };
    struct prng prng = prng_stream(1, 0);
    struct paths paths;

    paths_shape(&paths, 1, 1, 0);
    plan_generate(&paths.profile, &defaults, entries, &prng);
    paths_open(&paths, 1);
    EXPECT_EQ(paths.profile.entry_count, 192);
    for (uint32_t plane = 0; plane < 8; plane++)
        EXPECT_EQ(active_on(&paths, plane), 16);
}

SPEC("§14.1: a demoted EV is replaced by a backup of its own plane, never of another")
{
    struct paths paths;

    paths_init(&paths, 2, 4, 2);
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT(path_on_loss(paths.set, i, false, 0, 0));
        EXPECT(!path_is_active(paths.set, i));
        EXPECT_EQ(active_on(&paths, 0), i < 2 ? 4 : 5 - i);
        EXPECT_EQ(active_on(&paths, 1), 4);
        EXPECT_EQ(path_usable_count(paths.set), i < 2 ? 8 : 9 - i);
        EXPECT_EQ(path_bad_count(paths.set), i + 1);
        path_check(paths.set);
    }
}

SPEC("§14.1: a recovered EV becomes a backup of its plane, or active if that is below its quota")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 2, 1);
    path_on_loss(paths.set, 0, false, 0, 0);
    paths_answer_probes(&paths, 0, 3, &now_ns);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT(!path_is_active(paths.set, 0));
    path_deny(paths.set, 1, now_ns);
    EXPECT(path_is_active(paths.set, 0));
    path_on_loss(paths.set, 2, false, now_ns, now_ns);
    EXPECT_EQ(active_on(&paths, 0), 1);
    EXPECT_EQ(path_usable_count(paths.set), 1);
    paths_answer_probes(&paths, 2, 9, &now_ns);
    EXPECT(path_is_active(paths.set, 2));
}

SPEC("§14.1: a plane short of EVs keeps its equal share of packets")
{
    struct paths paths;
    uint32_t per_plane[2] = { 0 };

    paths_init(&paths, 2, 8, 0);
    for (uint32_t i = 0; i < 7; i++)
        path_on_loss(paths.set, i, false, 0, 0);
    for (uint32_t i = 0; i < 100; i++)
        per_plane[path_plane_of(paths.set, path_pick(paths.set, ALL_PLANES, 0))]++;
    EXPECT_EQ(per_plane[0], 50);
    EXPECT_EQ(per_plane[1], 50);
}

SPEC("§14.1: a plane without a usable EV leaves the rotation until one is usable again")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 2, 2, 0);
    path_on_loss(paths.set, 0, false, 0, 0);
    EXPECT_EQ(path_usable_planes(paths.set, ALL_PLANES), 3);
    path_on_loss(paths.set, 1, false, 0, 0);
    EXPECT_EQ(path_usable_planes(paths.set, ALL_PLANES), 2);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_GE(path_pick(paths.set, ALL_PLANES, 0), 2);
    paths_answer_probes(&paths, 0, 3, &now_ns);
    EXPECT_EQ(path_usable_planes(paths.set, ALL_PLANES), 3);
    EXPECT(path_is_active(paths.set, 0));
    path_check(paths.set);
    EXPECT_NE(path_pick(paths.set, ALL_PLANES, now_ns), path_pick(paths.set, ALL_PLANES, now_ns));
}

/* ---- §14.2 selection -------------------------------------------------------------------------*/

SPEC("§14.2: planes take turns among those that are usable, ready and have a usable EV")
{
    struct paths paths;
    static const uint32_t expected[] = { 0, 3, 0, 3 };

    paths_init(&paths, 4, 2, 0);
    path_deny(paths.set, 2, 0);
    path_deny(paths.set, 3, 0);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(path_plane_of(paths.set, path_pick(paths.set, 0xb, 0)), expected[i]);
}

SPEC("§14.2: each EV of a plane is used once per rotation, in a new random order each time")
{
    struct paths paths;
    uint32_t first[16] = { 0 };

    paths_init(&paths, 1, 16, 0);
    for (uint32_t rotation = 0; rotation < 1600; rotation++) {
        uint32_t seen = 0;

        for (uint32_t i = 0; i < 16; i++) {
            uint32_t ev_index = path_pick(paths.set, 1, 0);

            first[ev_index] += i == 0;
            seen |= 1u << ev_index;
        }
        EXPECT_EQ(seen, 0xffff);
    }
    for (uint32_t i = 0; i < 16; i++)
        EXPECT_GT(first[i], 60); /* 100 expected, deviation 10 */
}

SPEC("§14.2: the first SKIP met returns to GOOD, is not used for this packet, and is the only one")
{
    struct paths paths;

    paths_init(&paths, 1, 8, 0);
    for (uint32_t i = 1; i < 8; i++)
        path_on_mark(paths.set, i, PATH_MARKED_SKIP_ONCE, 0);
    while (paths.change_count == 7)
        EXPECT_EQ(path_pick(paths.set, 1, SOON), 0);
    EXPECT_EQ(paths.change_count, 8);
    EXPECT_EQ(paths.change.to, EV_GOOD);
    EXPECT_EQ(paths.change.cause, PATH_SKIP_ELAPSED);
}

SPEC("§14.2: with nothing GOOD on the plane, the EV marked longest ago goes")
{
    struct paths paths;
    uint32_t ev_index;

    paths_init(&paths, 2, 3, 0);
    for (uint32_t i = 0; i < 3; i++)
        path_on_mark(paths.set, (i + 1) % 3, PATH_MARKED_SKIP_ONCE, US(2 * i));
    ev_index = path_pick(paths.set, 1, US(7));
    EXPECT_EQ(ev_index, paths.change.ev_index == 1 ? 2 : 1);
}

/* ---- §14.3 ev_min_active ---------------------------------------------------------------------*/

SPEC("§14.3: the floor is a total over all planes: one plane may lose every EV")
{
    struct paths paths;

    paths_shape(&paths, 2, 4, 0);
    paths.profile.min_active = 4;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT(path_on_loss(paths.set, i, false, 0, 0));
    EXPECT_EQ(active_on(&paths, 0), 0);
    EXPECT(!path_on_loss(paths.set, 4, false, 0, 0));
    EXPECT_EQ(path_state_of(paths.set, 4), EV_SKIP);
    EXPECT_EQ(path_refusals(paths.set), 1);
}

SPEC("§14.3: an EV that lost its last 3 transmissions is demoted below the floor, but never the "
     "last one")
{
    struct paths paths;

    paths_shape(&paths, 2, 2, 0);
    paths.profile.min_active = 4;
    paths_open(&paths, 1);
    for (uint32_t i = 0; i < 12; i++)
        path_on_loss(paths.set, i / 3, false, 0, 0);
    EXPECT_EQ(path_usable_count(paths.set), 1);
    EXPECT_EQ(path_state_of(paths.set, 3), EV_SKIP);
}

SPEC("§14.3: DENIED is not limited by the floor")
{
    struct paths paths;

    paths_shape(&paths, 1, 2, 0);
    paths.profile.min_active = 2;
    paths_open(&paths, 1);
    path_deny(paths.set, 0, 0);
    path_deny(paths.set, 1, 0);
    EXPECT_EQ(path_usable_count(paths.set), 0);
}

SPEC("§14.3: by default a quarter of the EVs, backups included, stay active")
{
    struct paths paths;

    paths_shape(&paths, 4, 4, 4);
    paths.profile.min_active = 0;
    paths_open(&paths, 1);
    run_with_loss(&paths, 4000, 10);
    EXPECT_EQ(path_usable_count(paths.set), 8);
    EXPECT_GT(path_refusals(paths.set), 0);
}

/* ---- §14.4 nothing usable --------------------------------------------------------------------*/

SPEC("§14.4: with nothing usable bad EVs go, never denied ones: planes in turn, EVs of a plane in "
     "turn")
{
    struct paths paths;

    paths_init(&paths, 3, 2, 0);
    path_deny(paths.set, 4, 0);
    for (uint32_t i = 0; i < 4; i++)
        path_on_loss(paths.set, i, false, 0, 0);
    path_deny(paths.set, 5, 0);
    EXPECT_EQ(path_pick(paths.set, ALL_PLANES, 0), PATH_NONE);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t picked = 0;

        for (uint32_t pick = 0; pick < 4; pick++) {
            uint32_t ev_index = path_pick_desperate(paths.set, ALL_PLANES);

            EXPECT_EQ(path_plane_of(paths.set, ev_index), pick % 2);
            picked |= 1u << ev_index;
        }
        EXPECT_EQ(picked, 0xf);
    }
}

/* ---- §15 states ------------------------------------------------------------------------------*/

SPEC("§15: SKIP_ONCE and TRIMMED mean SKIP; a mark again renews it; NONE changes nothing")
{
    struct paths paths;

    paths_init(&paths, 1, 1, 0);
    path_on_mark(paths.set, 0, PATH_TRIMMED, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP);
    path_on_delivered(paths.set, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP);
    path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, US(5));
    EXPECT_EQ(paths.change_count, 1);
}

SPEC("§15: SKIP ends one base RTT after the last mark")
{
    struct paths paths;

    paths_init(&paths, 1, 2, 0);
    for (uint32_t round = 0; round < 20; round++) {
        uint64_t start_ns = US(1000 * round);

        path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, start_ns);
        path_on_mark(paths.set, 1, PATH_MARKED_SKIP_ONCE, start_ns + US(1));
        path_on_mark(paths.set, 0, PATH_MARKED_SKIP_ONCE, start_ns + US(5));
        path_pick(paths.set, 1, start_ns + US(14)); /* only EV 1 is past it */
        EXPECT_EQ(path_state_of(paths.set, 1), EV_GOOD);
    }
}

SPEC("§15: ALWAYS_SKIP and, where allowed, an untrimmed loss mean ASSUMED_BAD")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_mark(paths.set, 0, PATH_MARKED_ALWAYS_SKIP, 0);
    path_on_mark(paths.set, 1, PATH_MARKED_SKIP_ONCE, 0);
    path_on_mark(paths.set, 1, PATH_MARKED_ALWAYS_SKIP, 0);
    EXPECT(path_on_loss(paths.set, 2, false, 0, 0));
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_EQ(path_state_of(paths.set, i), EV_ASSUMED_BAD);
}

SPEC("§15: DENIED is set and ended by the controller alone")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_mark(paths.set, 1, PATH_MARKED_SKIP_ONCE, 0);
    path_on_loss(paths.set, 2, false, 0, 0);
    for (uint32_t i = 0; i < 3; i++) {
        path_deny(paths.set, i, 0);
        path_on_mark(paths.set, i, PATH_MARKED_ALWAYS_SKIP, 0);
        path_on_loss(paths.set, i, false, 0, 0);
        path_on_spurious(paths.set, i, 0);
        path_on_probe_answered(paths.set, i, false, false, 0);
        EXPECT_EQ(path_state_of(paths.set, i), EV_DENIED);
        path_allow(paths.set, i, 0);
        EXPECT_EQ(path_state_of(paths.set, i), EV_GOOD);
    }
}

SPEC("§15: a replaced EV starts GOOD in every earlier state")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, false, 0, 0);
    path_deny(paths.set, 1, 0);
    path_on_mark(paths.set, 2, PATH_TRIMMED, 0);
    for (uint32_t i = 0; i < 4; i++) {
        path_replaced(paths.set, i, 10);
        EXPECT_EQ(path_state_of(paths.set, i), EV_GOOD);
    }
}

SPEC("§15: loss_to_bad under 1 % loss: literal runs down to the floor")
{
    struct paths paths;

    paths_shape(&paths, 4, 16, 0);
    paths.profile.min_active = 16;
    paths_open(&paths, 1);
    run_with_loss(&paths, 20000, 10);
    EXPECT_EQ(path_usable_count(paths.set), 16);
}

SPEC("§15: loss_to_bad under 1 % loss: compared makes no EV bad, as all lose alike; dead ones go")
{
    struct paths paths;

    paths_shape(&paths, 4, 16, 0);
    paths.config.loss_to_bad = PATH_LOSS_COMPARED;
    paths_open(&paths, 1);
    run_with_loss(&paths, 20000, 10);
    EXPECT_EQ(path_bad_count(paths.set), 0);
    EXPECT_GE(path_usable_count(paths.set), 48);
    run_with_loss(&paths, 400, 1000);
    EXPECT_EQ(path_usable_count(paths.set), 1);
}

SPEC("§15: one transition per loss burst: packets sent before the demotion have no more effect")
{
    struct paths paths;
    uint64_t now_ns = US(10);

    paths_init(&paths, 1, 4, 0);
    EXPECT(path_on_loss(paths.set, 0, false, US(1), now_ns));
    EXPECT(!path_on_loss(paths.set, 0, false, US(2), now_ns));
    paths_answer_probes(&paths, 0, 3, &now_ns);
    EXPECT(!path_on_loss(paths.set, 0, false, US(3), now_ns));
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    EXPECT_EQ(paths.change_count, 2);
}

SPEC("§9: a spurious loss restores the EV it demoted if there is no other evidence")
{
    struct paths paths;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, false, 0, 0);
    path_on_spurious(paths.set, 0, 0);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_GOOD);
    path_on_loss(paths.set, 1, false, 0, 0);
    path_on_loss(paths.set, 1, false, 0, 0);
    path_on_spurious(paths.set, 1, 0);
    EXPECT_EQ(path_state_of(paths.set, 1), EV_ASSUMED_BAD);
}

SPEC("§15: a dead EV is probed after 1 ms, then ever less often, up to once a second")
{
    struct paths paths;
    uint64_t now_ns = 0;
    uint32_t probes = 0;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, false, 0, 0);
    EXPECT_GE(path_probe_deadline_ns(paths.set), US(750));
    EXPECT_LE(path_probe_deadline_ns(paths.set), US(1255));
    while (now_ns < S(61)) {
        now_ns = path_probe_deadline_ns(paths.set);
        probes += path_probe_next(paths.set, ALL_PLANES, now_ns) == 0;
    }
    EXPECT_GE(probes, 10 + 60 * 4 / 5); /* ten within the first second */
    EXPECT_LE(probes, 10 + 60 * 4 / 3);
    EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
}

SPEC("§15: a bad EV is not used until 3 probes in a row were answered")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 2, 0);
    path_on_loss(paths.set, 0, false, 0, 0);
    for (uint32_t answers = 0; answers < 3; answers++) {
        for (uint32_t i = 0; i < 6; i++)
            EXPECT_EQ(path_pick(paths.set, 1, now_ns), 1);
        EXPECT_EQ(paths_answer_probes(&paths, 0, 1, &now_ns), 1);
    }
    EXPECT_NE(path_pick(paths.set, 1, now_ns), path_pick(paths.set, 1, now_ns));
}

SPEC("§15: a probe answered with SKIP_ONCE leads to SKIP, with ALWAYS_SKIP nowhere")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    path_on_loss(paths.set, 0, false, 0, 0);
    for (uint32_t i = 0; i < 10; i++) {
        now_ns = path_probe_deadline_ns(paths.set);
        EXPECT_EQ(path_probe_next(paths.set, 1, now_ns), 0);
        path_on_probe_answered(paths.set, 0, false, true, now_ns);
        EXPECT_EQ(path_state_of(paths.set, 0), EV_ASSUMED_BAD);
    }
    for (uint32_t i = 0; i < 3; i++) {
        now_ns = path_probe_deadline_ns(paths.set);
        path_probe_next(paths.set, 1, now_ns);
        path_on_probe_answered(paths.set, 0, true, false, now_ns);
    }
    EXPECT_EQ(path_state_of(paths.set, 0), EV_SKIP);
}

SPEC("§15: an EV that loses at each return, as no other does, needs more answers, up to 24")
{
    static const uint32_t expected[] = { 3, 3, 3, 12, 24, 24 };
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    for (uint32_t i = 0; i < 6; i++) {
        path_on_loss(paths.set, 0, false, now_ns, now_ns);
        EXPECT_EQ(paths_answer_probes(&paths, 0, 99, &now_ns), expected[i]);
    }
}

SPEC("§15: damping does not count returns because nothing else was left: then all EVs lose alike")
{
    struct paths paths;
    uint64_t now_ns = 0;

    paths_init(&paths, 1, 4, 0);
    for (uint32_t round = 0; round < 20; round++, now_ns += US(100))
        for (uint32_t i = 0; i < 4; i++) {
            path_on_loss(paths.set, i, false, now_ns, now_ns);
            path_bring_back(paths.set, i, now_ns);
        }
    path_on_loss(paths.set, 0, false, now_ns, now_ns);
    EXPECT_EQ(paths_answer_probes(&paths, 0, 99, &now_ns), 3);
}

SPEC("§12: a retransmission avoids the EV of the loss if there is another")
{
    struct paths paths;

    paths_init(&paths, 2, 2, 0);
    for (uint32_t i = 0; i < 40; i++) {
        EXPECT_NE(path_pick_other(paths.set, ALL_PLANES, PATH_NONE, i % 4, 0), i % 4);
        EXPECT_EQ(path_plane_of(paths.set, path_pick_other(paths.set, ALL_PLANES, 1, i % 4, 0)), 1);
    }
}

/* ---- §17 the way back ------------------------------------------------------------------------*/

struct back {
    struct paths paths;
    struct path_reverse reverse;
    struct prng prng;
};

static void back_init(struct back *back, uint32_t plane_count, uint32_t per_plane_count)
{
    paths_shape(&back->paths, plane_count, per_plane_count, 0);
    path_reverse_init(&back->reverse, &back->paths.profile);
    back->prng = prng_stream(1, 0);
}

/* Both probes of the plane's reverse EV fail. */
static void back_fail(struct back *back, uint32_t plane)
{
    uint32_t ev_index = path_reverse_ev(&back->reverse, plane);

    for (uint32_t i = 0; i < 2; i++)
        path_reverse_on_probe_failed(
            &back->reverse, &back->paths.profile, ev_index, 2, &back->prng);
    EXPECT_NE(path_reverse_ev(&back->reverse, plane), ev_index);
}

SPEC("§17: every plane has a reverse EV, at first its first GOOD one; control packets rotate")
{
    struct back back;

    back_init(&back, 4, 3);
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t plane = path_reverse_choose(&back.reverse, ALL_PLANES, PATH_NONE);

        EXPECT_EQ(plane, i % 4);
        EXPECT_EQ(path_reverse_ev(&back.reverse, plane), 3 * plane);
    }
}

SPEC("§17: an answered EV probe, or data acknowledged with NONE, renews its plane's reverse EV")
{
    struct back back;

    back_init(&back, 2, 4);
    path_reverse_on_probe_answered(&back.reverse, &back.paths.profile, 2);
    path_reverse_on_unmarked(&back.reverse, &back.paths.profile, 7);
    EXPECT_EQ(path_reverse_ev(&back.reverse, 0), 2);
    EXPECT_EQ(path_reverse_ev(&back.reverse, 1), 7);
}

SPEC("§17: two failed probes replace a reverse EV; two EVs in a row take the plane out")
{
    struct back back;

    back_init(&back, 3, 4);
    back_fail(&back, 1);
    EXPECT_EQ(path_reverse_choose(&back.reverse, 0x2, PATH_NONE), 1);
    EXPECT_EQ(path_reverse_choose(&back.reverse, ALL_PLANES, 1), 1);
    back_fail(&back, 1);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_NE(path_reverse_choose(&back.reverse, ALL_PLANES, 1), 1);
}

SPEC("§17: a plane that is out returns with the next answered probe; the last plane stays in")
{
    struct back back;

    back_init(&back, 2, 4);
    for (uint32_t i = 0; i < 2; i++) {
        back_fail(&back, 0);
        back_fail(&back, 1);
    }
    EXPECT_EQ(path_reverse_choose(&back.reverse, ALL_PLANES, PATH_NONE), 1);
    path_reverse_on_probe_answered(&back.reverse, &back.paths.profile, 3);
    EXPECT_EQ(path_reverse_choose(&back.reverse, ALL_PLANES, 0), 0);
}

SPEC("§17: random probes of an idle sender keep the reverse EV of every plane fresh")
{
    struct back back;
    bool renewed[8] = { 0 };

    back_init(&back, 8, 32);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t ev_index =
            path_reverse_probe_target(&back.reverse, &back.paths.profile, ALL_PLANES, &back.prng);

        path_reverse_on_probe_answered(&back.reverse, &back.paths.profile, ev_index);
        renewed[back.paths.entries[ev_index].plane] = true;
    }
    for (uint32_t plane = 0; plane < 8; plane++)
        EXPECT(renewed[plane]);
}

SPEC("§17: a dead plane leaves the control rotation within 60 probes of an idle sender")
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct back back;
        uint32_t probes = 0;

        back_init(&back, 8, 32);
        back.prng = prng_stream(seed, 0);
        for (; !(back.reverse.out_mask >> 3 & 1); probes++) {
            uint32_t ev_index = path_reverse_probe_target(
                &back.reverse, &back.paths.profile, ALL_PLANES, &back.prng);

            if (back.paths.entries[ev_index].plane == 3)
                path_reverse_on_probe_failed(
                    &back.reverse, &back.paths.profile, ev_index, 2, &back.prng);
            else
                path_reverse_on_probe_answered(&back.reverse, &back.paths.profile, ev_index);
        }
        EXPECT_LE(probes, 60);
    }
}
