/* SPDX-License-Identifier: Apache-2.0 */
/* Any sequence of events leaves a path_set as a second, slower telling of the rules says. */
#include "path/ev_table.h"

#include "paths.h"
#include "spec.h"

enum { EVENTS = 3000, EV_MAX = 96 };

/* What the rules say about one EV, in plain variables. */
struct belief {
    enum path_ev_state state;
    bool lost[8]; /* the last packets, newest first */
    bool bad_through_loss;
    bool was_skip;
    bool more_against;
    bool has_returned;  /* losses from before the last return of any EV are old */
    bool has_recovered; /* by probes: the next demotion is a flap */
    uint32_t flaps;
    uint32_t answers; /* in a row */
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

static bool last_three_lost(const struct belief *belief)
{
    return belief->lost[0] && belief->lost[1] && belief->lost[2];
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
    return left > 0 && (left >= floor || last_three_lost(&world->beliefs[ev_index]));
}

static void outcome(struct belief *belief, bool lost)
{
    memmove(belief->lost + 1, belief->lost, sizeof(belief->lost) - sizeof(belief->lost[0]));
    belief->lost[0] = lost;
}

static void demote(struct world *world, uint32_t ev_index, bool through_loss)
{
    struct belief *belief = &world->beliefs[ev_index];

    belief->was_skip = belief->state == EV_SKIP;
    belief->state = EV_ASSUMED_BAD;
    belief->bad_through_loss = through_loss;
    belief->more_against = false;
    belief->answers = 0;
    belief->flaps = !belief->has_recovered ? 0 : belief->flaps < 3 ? belief->flaps + 1 : 3;
}

static void come_back(struct world *world, uint32_t ev_index, enum path_ev_state state)
{
    struct belief *belief = &world->beliefs[ev_index];

    belief->state = state;
    belief->has_returned = true;
    belief->marked_ns = world->now_ns;
    world->last_return_ns = world->now_ns;
}

static void skip(struct world *world, uint32_t ev_index)
{
    world->beliefs[ev_index].state = EV_SKIP;
    world->beliefs[ev_index].marked_ns = world->now_ns;
}

/* ---- events ----------------------------------------------------------------------------------*/

static void event_mark(struct world *world, uint32_t ev_index)
{
    static const enum path_signal signals[] = { PATH_MARKED_SKIP_ONCE, PATH_MARKED_SKIP_ONCE,
        PATH_MARKED_SKIP_ONCE, PATH_TRIMMED, PATH_TRIMMED, PATH_MARKED_ALWAYS_SKIP };
    enum path_signal signal = signals[below(world, 6)];
    struct belief *belief = &world->beliefs[ev_index];

    if (signal == PATH_TRIMMED)
        outcome(belief, false);
    if (signal == PATH_MARKED_ALWAYS_SKIP && belief->state == EV_ASSUMED_BAD)
        belief->more_against = true;
    if (usable(belief)) {
        bool demotes = signal == PATH_MARKED_ALWAYS_SKIP && may_demote(world, ev_index);

        world->refusals += signal == PATH_MARKED_ALWAYS_SKIP && !demotes;
        if (demotes)
            demote(world, ev_index, false);
        else
            skip(world, ev_index);
    }
    path_on_mark(world->paths.set, ev_index, signal, world->now_ns);
}

static bool wants_demotion(const struct world *world, const struct belief *belief)
{
    uint32_t bad = 0;
    uint32_t losses = 0;

    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++)
        bad += world->beliefs[i].state == EV_ASSUMED_BAD && world->beliefs[i].bad_through_loss;
    for (uint32_t i = 0; i < 8; i++)
        losses += belief->lost[i];
    switch (world->paths.config.loss_to_bad) {
    case PATH_LOSS_LITERAL:
        return true;
    case PATH_LOSS_3OF8:
        return losses >= 3;
    case PATH_LOSS_ADAPTIVE:
        return 8 * bad < world->paths.profile.entry_count || last_three_lost(belief);
    }
    return false;
}

static void event_loss(struct world *world, uint32_t ev_index)
{
    struct belief *belief = &world->beliefs[ev_index];
    bool timeout = below(world, 8) == 0;
    uint64_t sent_ns = world->now_ns - below(world, 30000) % (world->now_ns + 1);
    bool demotes = false;

    if (!usable(belief) || !belief->has_returned || sent_ns >= world->last_return_ns) {
        outcome(belief, true);
        belief->more_against = belief->more_against || belief->state == EV_ASSUMED_BAD;
        if (usable(belief)) {
            demotes = wants_demotion(world, belief) || timeout;
            if (timeout && world->paths.config.loss_to_bad == PATH_LOSS_ADAPTIVE)
                demotes = wants_demotion(world, belief);
            if (demotes && !may_demote(world, ev_index)) {
                world->refusals++;
                demotes = false;
            }
            if (demotes)
                demote(world, ev_index, true);
            else
                skip(world, ev_index);
        }
    }
    EXPECT_EQ((timeout ? path_on_timeout : path_on_loss)(
                  world->paths.set, ev_index, sent_ns, world->now_ns),
        demotes);
}

static void event_spurious(struct world *world, uint32_t ev_index)
{
    struct belief *belief = &world->beliefs[ev_index];
    bool found = false;

    for (uint32_t i = 0; i < 8 && !found; i++) {
        found = belief->lost[i];
        belief->lost[i] = false;
    }
    if (belief->state == EV_ASSUMED_BAD && belief->bad_through_loss && !belief->more_against) {
        come_back(world, ev_index, belief->was_skip ? EV_SKIP : EV_GOOD);
        if (belief->flaps > 0)
            belief->flaps--;
    }
    path_on_spurious(world->paths.set, ev_index, world->now_ns);
}

static void forget(struct belief *belief)
{
    memset(belief->lost, 0, sizeof(belief->lost));
    belief->has_recovered = false;
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
            forget(belief);
            come_back(world, ev_index, EV_GOOD);
        }
        path_allow(world->paths.set, ev_index, world->now_ns);
        break;
    default:
        world->paths.entries[ev_index].denied = below(world, 4) == 0;
        forget(belief);
        come_back(world, ev_index, world->paths.entries[ev_index].denied ? EV_DENIED : EV_GOOD);
        path_replaced(world->paths.set, ev_index, world->now_ns);
    }
}

static uint32_t answers_needed(const struct belief *belief)
{
    return 3u << belief->flaps;
}

static void answer(struct world *world, uint32_t ev_index)
{
    struct belief *belief = &world->beliefs[ev_index];
    uint32_t kind = below(world, 16);

    if (kind == 0) /* ALWAYS_SKIP */
        belief->more_against = true;
    belief->answers = kind == 0 ? 0 : belief->answers + 1;
    if (belief->answers == answers_needed(belief)) {
        forget(belief);
        belief->has_recovered = true;
        come_back(world, ev_index, kind == 1 ? EV_SKIP : EV_GOOD);
    }
    path_on_probe_answered(world->paths.set, ev_index, kind == 1, kind == 0, world->now_ns);
}

/* An EV on a plane that is down has to make way for others, and begins anew. */
static void lose_records(struct world *world)
{
    const struct ev_table_ev *evs = ev_table_evs(world->paths.set);

    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++)
        if (world->beliefs[i].state == EV_ASSUMED_BAD && !(evs[i].mark & EV_TABLE_PROBED))
            world->beliefs[i].answers = 0;
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
        EXPECT_EQ(belief->state, EV_ASSUMED_BAD);
        EXPECT(plane_mask >> world->paths.entries[ev_index].plane & 1);
        if (below(world, 8) > 0) {
            answer(world, ev_index);
        } else {
            belief->answers = 0;
            belief->more_against = true;
            world->now_ns += 2 * world->paths.config.probe_timeout_ns;
        }
    }
    EXPECT_GT(path_probe_deadline_ns(world->paths.set), world->now_ns);
}

/* After a pick: SKIP turned GOOD by lapse, or one of them by being met. */
static void accept_resets(struct world *world, uint32_t picked, uint32_t avoid)
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
    if (good > 0 && world->now_ns - world->beliefs[picked].marked_ns < PATHS_BASE_RTT_NS)
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

static void event_desperate(struct world *world)
{
    uint32_t plane_mask = below(world, 256);
    uint32_t picked = path_pick_desperate(world->paths.set, plane_mask);

    if (picked != PATH_NONE) {
        EXPECT_EQ(world->beliefs[picked].state, EV_ASSUMED_BAD);
        EXPECT(plane_mask >> world->paths.entries[picked].plane & 1);
        return;
    }
    for (uint32_t i = 0; i < world->paths.profile.entry_count; i++)
        EXPECT(world->beliefs[i].state != EV_ASSUMED_BAD ||
               !(plane_mask >> world->paths.entries[i].plane & 1));
}

static void one_event(struct world *world)
{
    uint32_t ev_index = any_ev(world);

    switch (below(world, 16)) {
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
        outcome(&world->beliefs[ev_index], false);
        path_on_delivered(world->paths.set, ev_index);
        path_on_unmarked(world->paths.set, ev_index);
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
    default:
        world->now_ns += below(world, 8) == 0 ? below(world, 2000000) : 0;
        event_probes(world, below(world, 4) == 0 ? below(world, 256) : ALL_PLANES);
    }
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
    world->paths.config.loss_to_bad = (enum path_loss_to_bad)below(world, 3);
    world->paths.config.skip_backoff = below(world, 4) == 0;
    arena_init(&arena, world->paths.memory, sizeof(world->paths.memory));
    world->paths.set = path_set_init(&arena, &world->paths.profile, &world->paths.config,
        (struct path_listener){ .on_change = on_change, .context = world }, prng_stream(seed, 2));
}

PROPERTY("after every event a path_set is what the rules say", 300)
{
    static struct world world;

    set_up(&world, seed);
    /* Below 10 s, so that every demotion after a recovery is a flap. */
    for (uint32_t i = 0; i < EVENTS && world.now_ns < S(9); i++) {
        world.now_ns += below(&world, 2000);
        one_event(&world);
        compare(&world);
    }
}
