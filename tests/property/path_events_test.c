/* SPDX-License-Identifier: Apache-2.0 */
/* Any sequence of events leaves a path_set as a second, slower telling of the rules says. */
#include "path/ev_table.h"

#include "paths.h"
#include "spec.h"

enum { EVENTS = 3000, EV_MAX = 96 };

/* What the rules say about one EV, in plain variables. */
struct belief {
    enum path_ev_state state;
    uint32_t in_a_row; /* losses */
    uint32_t run;      /* packets delivered since the last loss */
    uint32_t damping;
    uint32_t weight;
    uint32_t round; /* of the last delay that counted, or change of the weight */
    bool is_late;   /* its packets are */
    bool was_skip;
    bool more_against;
    bool has_returned; /* and delivered nothing since: losses from before that are old */
    uint32_t answers;  /* to probes, in a row */
    uint32_t failures; /* of probes of a suspect */
    uint64_t marked_ns;
};

struct world {
    struct paths paths;
    struct belief beliefs[EV_MAX];
    enum path_ev_state heard[EV_MAX]; /* from the listener */
    uint64_t last_return_ns;
    uint64_t now_ns;
    uint32_t refusals;
    uint32_t turn;
    uint32_t round;
    struct prng prng;
};

static void on_change(void *context, const struct path_change *change, uint64_t now_ns)
{
    struct world *world = context;

    EXPECT_EQ(now_ns, world->now_ns);
    EXPECT_EQ(world->heard[change->ev_index], change->from);
    EXPECT_NE(change->from, change->to);
    world->heard[change->ev_index] = change->to;
}

static uint32_t below(struct world *world, uint32_t bound)
{
    return prng_below(&world->prng, bound);
}

static uint32_t any_ev(struct world *world)
{
    return below(world, world->paths.profile.entry_count);
}

static bool usable(const struct belief *belief)
{
    return belief->state == EV_GOOD || belief->state == EV_SKIP;
}

static uint32_t usable_on(const struct world *world, uint32_t plane)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++)
        count += world->paths.entries[i].plane == plane && usable(&world->beliefs[i]);
    return count;
}

static uint32_t in_rotation(const struct world *world, uint32_t plane)
{
    uint32_t count = usable_on(world, plane);
    uint32_t quota = world->paths.profile.active_per_plane;

    return count < quota ? count : quota;
}

static uint32_t all_in_rotation(const struct world *world)
{
    uint32_t count = 0;

    for (uint32_t plane = 0; plane < world->paths.profile.plane_count; plane++)
        count += in_rotation(world, plane);
    return count;
}

static bool is_out(const struct belief *belief)
{
    return belief->state == EV_SUSPECT || belief->state == EV_ASSUMED_BAD;
}

static bool is_literal(const struct world *world)
{
    return world->paths.config.ev_skip == PATH_SKIP_LITERAL;
}

/* §14.3 */
static bool may_demote(const struct world *world, uint32_t ev_index)
{
    const struct path_profile *profile = &world->paths.profile;
    uint32_t floor = profile->min_active ? profile->min_active : profile->entry_count / 4;
    struct world *after = (struct world *)world;
    enum path_ev_state state = world->beliefs[ev_index].state;
    uint32_t left;

    after->beliefs[ev_index].state = EV_ASSUMED_BAD;
    left = all_in_rotation(after);
    after->beliefs[ev_index].state = state;
    return left > 0 && (left >= floor || world->beliefs[ev_index].in_a_row == 3);
}

static void delivered(struct belief *belief)
{
    belief->in_a_row = 0;
    belief->has_returned = false;
    belief->run += belief->run < 255;
}

static void take_out(struct world *world, uint32_t ev_index, enum path_ev_state state)
{
    struct belief *belief = &world->beliefs[ev_index];

    if (!is_out(belief)) {
        belief->was_skip = belief->state == EV_SKIP;
        belief->more_against = false;
        belief->answers = 0;
        belief->failures = 0;
    }
    belief->state = state;
}

static void come_back(struct world *world, uint32_t ev_index, enum path_ev_state state)
{
    struct belief *belief = &world->beliefs[ev_index];

    belief->state = state;
    belief->in_a_row = 0;
    belief->has_returned = true;
    belief->marked_ns = world->now_ns;
    world->last_return_ns = world->now_ns;
}

static void skip(struct world *world, uint32_t ev_index)
{
    if (!is_literal(world))
        return;
    world->beliefs[ev_index].state = EV_SKIP;
    world->beliefs[ev_index].marked_ns = world->now_ns;
}

/* ---- shares by delay -------------------------------------------------------------------------*/

static void give_weight(struct world *world, uint32_t ev_index, uint32_t weight)
{
    struct belief *belief = &world->beliefs[ev_index];

    belief->round = world->round;
    belief->state = weight >= 240 ? EV_GOOD : EV_SKIP;
    belief->weight = weight >= 240 ? 255 : weight > 2 ? weight : 2;
}

static bool is_rotated(const struct world *world, uint32_t ev_index, uint32_t plane)
{
    return world->paths.entries[ev_index].plane == plane &&
           path_is_active(world->paths.set, ev_index);
}

static uint32_t weight_of(const struct belief *belief)
{
    return belief->state == EV_SKIP ? belief->weight : 255;
}

static void settle(struct world *world, uint32_t plane)
{
    uint32_t most = 2;

    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++)
        if (is_rotated(world, i, plane) && weight_of(&world->beliefs[i]) > most)
            most = weight_of(&world->beliefs[i]);
    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++)
        if (is_rotated(world, i, plane) && world->beliefs[i].state == EV_GOOD)
            return;
    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++)
        if (is_rotated(world, i, plane))
            give_weight(world, i, weight_of(&world->beliefs[i]) * 255 / most);
}

/* A mark costs one turn, but not if half of the EVs of the plane are not GOOD. */
static void miss_turn(struct world *world, uint32_t ev_index)
{
    uint32_t plane = world->paths.entries[ev_index].plane;
    struct belief *belief = &world->beliefs[ev_index];
    uint32_t good = 0;

    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++)
        good += is_rotated(world, i, plane) && world->beliefs[i].state == EV_GOOD;
    if (belief->state != EV_GOOD || 2 * good <= in_rotation(world, plane))
        return;
    belief->state = EV_SKIP;
    belief->weight = 255;
    belief->round = world->round;
}

/* Takes a quarter of what it took longer, and one more; or gives a quarter of what it took shorter,
 * a 64th of what is then missing, and one more. True for the first delay of the EV in a round. */
static bool delay(struct world *world, uint32_t ev_index, int32_t excess)
{
    struct belief *belief = &world->beliefs[ev_index];
    int32_t weight = (int32_t)weight_of(belief);

    if (is_literal(world))
        return false;
    belief->is_late = excess > 0;
    if (!usable(belief) || belief->round % 4 == world->round % 4)
        return false;
    belief->round = world->round;
    if (excess <= 0 && weight == 255)
        return true;
    excess = excess > 256 ? 256 : excess < -128 ? -128 : excess;
    weight -= weight * excess / 1024;
    weight += excess > 0 ? -1 : 1 + (255 - weight) / 64;
    give_weight(world, ev_index, (uint32_t)weight);
    settle(world, world->paths.entries[ev_index].plane);
    return true;
}

/* An EV that is back has half of the weight from before it went. */
static void halve(struct world *world, uint32_t ev_index, uint32_t weight)
{
    give_weight(world, ev_index, weight / 2);
    settle(world, world->paths.entries[ev_index].plane);
}

static void event_delay(struct world *world, uint32_t ev_index)
{
    int32_t excess = (int32_t)below(world, 1000) - 300;
    bool counts = delay(world, ev_index, excess);

    EXPECT_EQ(path_on_delay(world->paths.set, ev_index, excess, world->now_ns), counts);
    if (below(world, 8) == 0) {
        world->round++;
        path_next_round(world->paths.set);
    }
}

/* ---- events ----------------------------------------------------------------------------------*/

static void event_mark(struct world *world, uint32_t ev_index)
{
    static const enum path_signal signals[] = { PATH_MARKED_SKIP_ONCE, PATH_MARKED_SKIP_ONCE,
        PATH_MARKED_SKIP_ONCE, PATH_TRIMMED, PATH_TRIMMED, PATH_MARKED_ALWAYS_SKIP };
    enum path_signal signal = signals[below(world, 6)];
    struct belief *belief = &world->beliefs[ev_index];

    if (signal == PATH_TRIMMED)
        delivered(belief);
    if (signal == PATH_TRIMMED)
        delay(world, ev_index, 256);
    if (signal == PATH_MARKED_ALWAYS_SKIP && is_out(belief)) {
        belief->more_against = true;
        take_out(world, ev_index, EV_ASSUMED_BAD);
    }
    if (usable(belief)) {
        bool demotes = signal == PATH_MARKED_ALWAYS_SKIP && may_demote(world, ev_index);

        world->refusals += signal == PATH_MARKED_ALWAYS_SKIP && !demotes;
        if (demotes)
            take_out(world, ev_index, EV_ASSUMED_BAD);
        else if (signal == PATH_MARKED_SKIP_ONCE && !is_literal(world))
            miss_turn(world, ev_index);
        else
            skip(world, ev_index);
    }
    path_on_mark(world->paths.set, ev_index, signal, world->now_ns);
}

/* Whether this many quarters of the others in use have delivered `run` since they lost one. */
static bool others_reach(
    const struct world *world, uint32_t ev_index, uint32_t run, uint32_t quarters)
{
    uint32_t clean = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++) {
        if (i == ev_index || !is_rotated(world, i, world->paths.entries[ev_index].plane))
            continue;
        count++;
        clean += world->beliefs[i].run >= run;
    }
    return count > 0 && 4 * clean >= quarters * count;
}

static uint32_t losses_needed(const struct world *world, uint32_t ev_index)
{
    if (others_reach(world, ev_index, 128, 3))
        return 1;
    return others_reach(world, ev_index, 8, 2) ? 2 : 3;
}

static bool is_crowded(const struct world *world, uint32_t plane)
{
    uint32_t suspects = 1;
    uint32_t count = 0;

    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++) {
        count += world->paths.entries[i].plane == plane;
        suspects += world->paths.entries[i].plane == plane && world->beliefs[i].state == EV_SUSPECT;
    }
    return 4 * suspects > count;
}

/* The state that a loss leads to; EV_GOOD: it is spared. */
static enum path_ev_state judge(const struct world *world, uint32_t ev_index, bool congested)
{
    const struct belief *belief = &world->beliefs[ev_index];
    uint32_t plane = world->paths.entries[ev_index].plane;
    bool is_last = path_is_active(world->paths.set, ev_index) && usable_on(world, plane) == 1;
    bool is_lossy = belief->damping >= 3;

    if (!may_demote(world, ev_index))
        return EV_GOOD;
    if (world->paths.config.loss_to_bad == PATH_LOSS_LITERAL)
        return EV_ASSUMED_BAD;
    if (belief->in_a_row < 3 && (congested || is_last || is_crowded(world, plane)))
        return EV_GOOD;
    if (belief->in_a_row < losses_needed(world, ev_index) && !is_lossy)
        return EV_GOOD;
    return is_lossy ? EV_ASSUMED_BAD : EV_SUSPECT;
}

static void damp(struct world *world, uint32_t ev_index)
{
    struct belief *belief = &world->beliefs[ev_index];
    uint32_t longer = 8 * (belief->run + 1);
    bool is_short =
        belief->run < 255 && others_reach(world, ev_index, longer < 255 ? longer : 255, 2);

    belief->damping = !is_short ? 0 : belief->damping < 7 ? belief->damping + 1 : 7;
}

/* True if the loss takes the EV out of use. */
static bool believe_loss(struct world *world, uint32_t ev_index, bool congested, uint64_t sent_ns)
{
    struct belief *belief = &world->beliefs[ev_index];
    enum path_ev_state state;

    if (usable(belief) && belief->has_returned && sent_ns < world->last_return_ns)
        return false;
    congested = congested || belief->is_late;
    belief->in_a_row += belief->in_a_row < 3;
    belief->more_against = belief->more_against || is_out(belief);
    if (!usable(belief))
        return false;
    if (!congested && belief->in_a_row == 1)
        damp(world, ev_index);
    belief->run = 0;
    state = judge(world, ev_index, congested);
    if (state != EV_GOOD) {
        take_out(world, ev_index, state);
        return true;
    }
    world->refusals++;
    if (congested || world->paths.config.loss_to_bad == PATH_LOSS_LITERAL)
        skip(world, ev_index);
    return false;
}

static void event_loss(struct world *world, uint32_t ev_index)
{
    bool congested = below(world, 4) == 0;
    uint64_t sent_ns = world->now_ns - below(world, 30000) % (world->now_ns + 1);
    bool is_out = believe_loss(world, ev_index, congested, sent_ns);

    EXPECT_EQ(path_on_loss(world->paths.set, ev_index, congested, sent_ns, world->now_ns), is_out);
}

static void event_spurious(struct world *world, uint32_t ev_index)
{
    struct belief *belief = &world->beliefs[ev_index];

    belief->in_a_row = 0;
    belief->is_late = !is_literal(world);
    belief->damping -= belief->damping > 0;
    /* Before it is told here: settle() asks for the rotation that the EV may be in again. */
    if (below(world, 2) == 0) { /* it had not demoted the EV */
        path_on_late(world->paths.set, ev_index, world->now_ns);
    } else {
        path_on_spurious(world->paths.set, ev_index, world->now_ns);
        if (is_out(belief) && !belief->more_against)
            come_back(world, ev_index, belief->was_skip ? EV_SKIP : EV_GOOD);
    }
    delay(world, ev_index, 256);
}

static void event_controller(struct world *world, uint32_t ev_index)
{
    struct belief *belief = &world->beliefs[ev_index];

    switch (below(world, 4)) {
    case 0:
        belief->state = EV_DENIED;
        path_deny(world->paths.set, ev_index, world->now_ns);
        break;
    case 1:
    case 2:
        if (belief->state == EV_DENIED) {
            belief->damping = 0;
            come_back(world, ev_index, EV_GOOD);
        }
        path_allow(world->paths.set, ev_index, world->now_ns);
        break;
    default:
        world->paths.entries[ev_index].denied = below(world, 4) == 0;
        belief->damping = 0;
        belief->is_late = false;
        belief->run = 255;
        come_back(world, ev_index, world->paths.entries[ev_index].denied ? EV_DENIED : EV_GOOD);
        path_replaced(world->paths.set, ev_index, world->now_ns);
    }
}

/* ---- probes ----------------------------------------------------------------------------------*/

static uint32_t answers_needed(const struct belief *belief)
{
    return belief->damping < 3 ? 3 : belief->damping == 3 ? 12 : 24;
}

/* Not answered, or refused: the second time it takes a suspect for bad. */
static void probe_failed(struct belief *belief)
{
    belief->more_against = true;
    belief->answers = 0;
    if (belief->state == EV_SUSPECT && ++belief->failures == 2)
        belief->state = EV_ASSUMED_BAD;
}

static void answer(struct world *world, uint32_t ev_index)
{
    struct belief *belief = &world->beliefs[ev_index];
    uint32_t kind = below(world, 16);

    /* Before it is told here: settle() asks for the rotation that the EV may be in again. */
    path_on_probe_answered(world->paths.set, ev_index, kind == 1, kind == 0, world->now_ns);
    if (kind == 0) { /* ALWAYS_SKIP */
        probe_failed(belief);
    } else if (++belief->answers == answers_needed(belief)) {
        bool overflows = !is_literal(world) && belief->state == EV_SUSPECT && belief->in_a_row == 3;
        uint32_t weight = belief->was_skip ? belief->weight : 255;
        bool skips =
            is_literal(world) ? kind == 1 : belief->state == EV_SUSPECT && belief->was_skip;

        come_back(world, ev_index, skips ? EV_SKIP : EV_GOOD);
        if (overflows)
            halve(world, ev_index, weight);
    }
}

/* An EV on a plane that is down has to make way for others, and begins anew. */
static void lose_records(struct world *world)
{
    const struct ev_table_ev *evs = ev_table_evs(world->paths.set);

    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++)
        if (is_out(&world->beliefs[i]) && !evs[i].is_probed)
            world->beliefs[i].answers = world->beliefs[i].failures = 0;
}

/* Probes due now: answered at once, or left to time out. */
static void event_probes(struct world *world, uint32_t plane_mask)
{
    uint32_t ev_index;

    if (world->now_ns < path_probe_deadline_ns(world->paths.set))
        return;
    for (;;) {
        struct belief *belief;

        ev_index = path_probe_next(world->paths.set, plane_mask, world->now_ns);
        lose_records(world);
        if (ev_index == PATH_NONE)
            break;
        belief = &world->beliefs[ev_index];
        EXPECT(is_out(belief));
        EXPECT(plane_mask >> world->paths.entries[ev_index].plane & 1);
        if (below(world, 8) > 0) {
            answer(world, ev_index);
        } else {
            probe_failed(belief);
            world->now_ns += 2 * world->paths.timing.probe_timeout_ns;
        }
    }
    EXPECT_GT(path_probe_deadline_ns(world->paths.set), world->now_ns);
}

/* After a pick: marked EVs that were met are GOOD. */
static void accept_turns(struct world *world)
{
    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++) {
        struct belief *belief = &world->beliefs[i];

        if (world->heard[i] == belief->state)
            continue;
        EXPECT_EQ(belief->state, EV_SKIP);
        EXPECT_EQ(belief->weight, 255);
        EXPECT_EQ(world->heard[i], EV_GOOD);
        belief->state = EV_GOOD;
    }
}

/* After a pick: literal SKIP turned GOOD by lapse, or one of them by being met. */
static void accept_literal_resets(struct world *world, uint32_t picked, uint32_t avoid)
{
    uint32_t plane = world->paths.entries[picked].plane;
    bool avoids = avoid != PATH_NONE && avoid != picked &&
                  world->paths.entries[avoid].plane == plane &&
                  path_is_active(world->paths.set, avoid);
    uint32_t others = in_rotation(world, plane) - 1 - avoids;
    uint32_t resets = 0;

    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++) {
        struct belief *belief = &world->beliefs[i];

        if (world->heard[i] == belief->state)
            continue;
        EXPECT_EQ(belief->state, EV_SKIP);
        EXPECT_EQ(world->heard[i], EV_GOOD);
        belief->state = EV_GOOD;
        if (world->now_ns - belief->marked_ns < PATHS_BASE_RTT_NS) {
            resets++;
            EXPECT(i != picked || others == 0); /* it would have been another's packet */
        }
    }
    EXPECT_LE(resets, 1);
}

static void accept_resets(struct world *world, uint32_t picked, uint32_t avoid)
{
    if (is_literal(world))
        accept_literal_resets(world, picked, avoid);
    else
        accept_turns(world);
}

static void expect_fair_choice(struct world *world, uint32_t picked, uint32_t avoid)
{
    uint32_t plane = world->paths.entries[picked].plane;
    uint32_t good = 0;

    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++)
        good += world->paths.entries[i].plane == plane && i != avoid &&
                path_is_active(world->paths.set, i) && world->beliefs[i].state == EV_GOOD;
    EXPECT(usable(&world->beliefs[picked]));
    EXPECT(path_is_active(world->paths.set, picked));
    if (good > 0)
        EXPECT(picked != avoid);
    if (good > 0 && is_literal(world) &&
        world->now_ns - world->beliefs[picked].marked_ns < PATHS_BASE_RTT_NS)
        EXPECT_EQ(world->beliefs[picked].state, EV_GOOD);
}

static uint32_t plane_expected(struct world *world, uint32_t plane_mask)
{
    for (uint32_t i = 0; i < world->paths.profile.plane_count; i++) {
        uint32_t plane = (world->turn + i) % world->paths.profile.plane_count;

        if (plane_mask >> plane & 1 && in_rotation(world, plane) > 0) {
            world->turn = plane + 1;
            return plane;
        }
    }
    return PATH_NONE;
}

static void event_pick(struct world *world)
{
    uint32_t plane_mask = below(world, 4) == 0 ? below(world, 256) : ALL_PLANES;
    uint32_t plane = plane_expected(world, plane_mask);
    uint32_t picked = path_pick(world->paths.set, plane_mask, world->now_ns);

    EXPECT_EQ(picked == PATH_NONE, plane == PATH_NONE);
    if (picked == PATH_NONE)
        return;
    EXPECT_EQ(world->paths.entries[picked].plane, plane);
    expect_fair_choice(world, picked, PATH_NONE);
    accept_resets(world, picked, PATH_NONE);
}

static void event_pick_other(struct world *world)
{
    uint32_t plane_mask = below(world, 4) == 0 ? below(world, 256) : ALL_PLANES;
    uint32_t plane = below(world, 3) == 0 ? PATH_NONE : below(world, 8);
    uint32_t avoid = below(world, 3) == 0 ? PATH_NONE : any_ev(world);
    uint32_t picked = path_pick_other(world->paths.set, plane_mask, plane, avoid, world->now_ns);

    if (picked == PATH_NONE) {
        EXPECT_EQ(path_usable_planes(world->paths.set, plane_mask), 0);
        return;
    }
    EXPECT(plane_mask >> world->paths.entries[picked].plane & 1);
    expect_fair_choice(world, picked, avoid);
    if (plane < world->paths.profile.plane_count && plane_mask >> plane & 1 &&
        in_rotation(world, plane) > 1)
        EXPECT_EQ(world->paths.entries[picked].plane, plane);
    accept_resets(world, picked, avoid);
}

static uint32_t badness(const struct belief *belief)
{
    return belief->state == EV_SUSPECT ? 0 : 1 + belief->damping;
}

static void event_desperate(struct world *world)
{
    uint32_t plane_mask = below(world, 256);
    uint32_t picked = path_pick_desperate(world->paths.set, plane_mask);

    if (picked != PATH_NONE) {
        EXPECT(is_out(&world->beliefs[picked]));
        EXPECT(plane_mask >> world->paths.entries[picked].plane & 1);
    }
    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++) {
        if (!is_out(&world->beliefs[i]))
            continue;
        if (picked == PATH_NONE)
            EXPECT(!(plane_mask >> world->paths.entries[i].plane & 1));
        else if (world->paths.entries[i].plane == world->paths.entries[picked].plane)
            EXPECT_LE(badness(&world->beliefs[picked]), badness(&world->beliefs[i]));
    }
}

static void one_event(struct world *world)
{
    uint32_t ev_index = any_ev(world);

    switch (below(world, 18)) {
    case 0:
    case 1:
    case 2:
    case 3:
        event_pick(world);
        break;
    case 4:
        event_pick_other(world);
        break;
    case 5:
    case 6:
    case 7:
    case 8:
        for (uint32_t i = below(world, 4) == 0 ? 200 : 1; i > 0; i--) {
            delivered(&world->beliefs[ev_index]);
            path_on_delivered(world->paths.set, ev_index);
        }
        break;
    case 9:
    case 10:
        event_mark(world, ev_index);
        break;
    case 11:
    case 12:
        event_loss(world, ev_index);
        break;
    case 13:
        event_spurious(world, ev_index);
        break;
    case 14:
        if (below(world, 8) == 0)
            event_controller(world, ev_index);
        else
            event_desperate(world);
        break;
    case 15:
    case 16:
        event_delay(world, ev_index);
        break;
    default:
        world->now_ns += below(world, 8) == 0 ? below(world, 2000000) : 0;
        event_probes(world, below(world, 4) == 0 ? below(world, 256) : ALL_PLANES);
    }
}

static void compare_history(const struct world *world, uint32_t ev_index)
{
    const struct belief *belief = &world->beliefs[ev_index];
    const struct ev_table_ev *ev = &ev_table_evs(world->paths.set)[ev_index];

    EXPECT_EQ(ev->in_a_row, belief->in_a_row);
    EXPECT_EQ(ev->run, belief->run);
    EXPECT_EQ(ev->damping, belief->damping);
    if (!is_literal(world) && belief->state == EV_SKIP)
        EXPECT_EQ(ev->weight, belief->weight);
}

static void compare(const struct world *world)
{
    const struct path_set *set = world->paths.set;
    uint32_t usable_planes = 0;
    uint32_t bad = 0;

    path_check(set);
    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++) {
        EXPECT_EQ(path_state_of(set, i), world->beliefs[i].state);
        EXPECT_EQ(world->heard[i], world->beliefs[i].state);
        compare_history(world, i);
        bad += world->beliefs[i].state == EV_ASSUMED_BAD;
    }
    for (uint32_t plane = 0; plane < world->paths.profile.plane_count; plane++)
        usable_planes |= in_rotation(world, plane) > 0 ? 1u << plane : 0;
    EXPECT_EQ(path_usable_planes(set, ALL_PLANES), usable_planes);
    EXPECT_EQ(path_usable_count(set), all_in_rotation(world));
    EXPECT_EQ(path_bad_count(set), bad);
    EXPECT_EQ(path_refusals(set), world->refusals);
}

static void set_up(struct world *world, uint64_t seed)
{
    struct arena arena;
    uint32_t planes;
    uint32_t active;

    memset(world, 0, offsetof(struct world, paths.memory));
    memset(world->beliefs, 0, sizeof(*world) - offsetof(struct world, beliefs));
    world->prng = prng_stream(seed, 1);
    planes = 1 + below(world, 8);
    active = 1 + below(world, 8);
    paths_shape(&world->paths, planes, active, below(world, 5));
    world->paths.profile.min_active = below(world, planes * active + 1);
    world->paths.profile.is_ordered = below(world, 2);
    world->paths.config.on_change = on_change;
    world->paths.config.loss_to_bad = (enum path_loss_to_bad)below(world, 2);
    world->paths.config.ev_skip = (enum path_ev_skip)below(world, 2);
    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++)
        world->beliefs[i].run = 255;
    arena_init(&arena, world->paths.memory, sizeof(world->paths.memory));
    world->paths.set = path_set_init(
        &arena, &world->paths.profile, &world->paths.config, world, prng_stream(seed, 2));
    path_timing_changed(world->paths.set, &world->paths.timing);
}

PROPERTY("after every event a path_set is what the rules say", 300)
{
    static struct world world;

    set_up(&world, seed);
    for (uint32_t i = 0; i < EVENTS; i++) {
        world.now_ns += below(&world, 2000);
        one_event(&world);
        compare(&world);
    }
}
